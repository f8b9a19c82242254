public import NIOCore
public import NIOHTTP1

/// A user that a group of routes has identified.
public protocol HTTPUser: Sendable {
    var user: String { get }
}

/// The count of the bytes that a server keeps for one request and its answer.
///
/// A connection calls it before it stores a piece of a body. Any thread may use it. The bytes are subtracted when the object is released.
public protocol HTTPBudget: Sendable {
    /// Assigns the present and later bytes to a user.
    func belong(to user: String)
    /// Counts bytes of a body.
    ///
    /// - Parameter total: The number of bytes of the body that have arrived.
    /// - Returns: `nil` if the bytes may be kept, or the answer with which the body is refused.
    func takeBody(_ bytes: Int, total: Int) -> HTTPAnswer?
    /// Subtracts bytes of a body that aren't kept any more.
    func giveBody(_ bytes: Int)
    /// Counts the bytes of an answer that its client hasn't received, in place of the bytes that were read for the answer.
    func keepAnswer(_ bytes: Int)
}

/// A request, with all data that its handler needs.
public struct HTTPRequest: Sendable {
    public var head: HTTPRequestHead
    /// The identifier of the request in logs, in traces and in the header `X-Request-ID` of the answer.
    public var id: String
    /// The route's name, such as `listDocuments`, or `nil` if no route has the request's path and method.
    public var operation: String?
    /// The texts of the path's variable parts, decoded.
    public var parameters: [String: String]
    /// The body, unless the route reads it as a stream.
    public var body: [UInt8]
    /// The body of a route that reads it as a stream.
    public var stream: HTTPBodyStream?
    /// The client's address.
    public var address: String
    /// The address and port of this machine at which the request arrived.
    public var local: SocketAddress?
    /// The user, for groups that identify it.
    public var user: (any HTTPUser)?
    public var budget: (any HTTPBudget)?
    /// A Boolean value that indicates whether the route's answers may be compressed.
    public var compresses: Bool
    /// A Boolean value that indicates whether a trusted proxy sent the request. The headers of other senders, such as those of traces, are the
    /// client's.
    public var isFromProxy: Bool

    public init(
        head: HTTPRequestHead,
        id: String = "",
        operation: String? = nil,
        parameters: [String: String] = [:],
        body: [UInt8] = [],
        stream: HTTPBodyStream? = nil,
        address: String,
        local: SocketAddress? = nil,
        user: (any HTTPUser)? = nil,
        budget: (any HTTPBudget)? = nil,
        compresses: Bool = false,
        isFromProxy: Bool = false
    ) {
        (self.head, self.id, self.operation, self.parameters) = (head, id, operation, parameters)
        (self.body, self.stream, self.address, self.local) = (body, stream, address, local)
        (self.user, self.budget) = (user, budget)
        (self.compresses, self.isFromProxy) = (compresses, isFromProxy)
    }

    /// The text of a variable part of the path.
    ///
    /// - Precondition: The route's path has the part.
    public subscript(name: String) -> String {
        guard let text = parameters[name] else { preconditionFailure("The route has no part '\(name)'.") }
        return text
    }

    /// The part of the target after the first question mark, as it was sent.
    public var query: Substring? {
        head.uri.firstIndex(of: "?").map { head.uri[head.uri.index(after: $0)...] }
    }

    /// Returns a Boolean value that indicates whether the client accepts a coding, such as `gzip`.
    public func accepts(_ coding: String) -> Bool {
        var others: Bool?
        for entry in head.headers[canonicalForm: "Accept-Encoding"] {
            let parts = entry.split(separator: ";").map { $0.trimmingPrefix { $0 == " " || $0 == "\t" } }
            guard let name = parts.first?.prefix(while: { $0 != " " && $0 != "\t" }).lowercased() else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }.map { $0.dropFirst(2) }
            let isTaken = weight.map { (Double($0) ?? 0) > 0 } ?? true
            if name == coding || name == "x-\(coding)" { return isTaken }
            if name == "*" { others = isTaken }
        }
        return others ?? false
    }
}

extension HTTPRequestHead {
    /// The token in the header `Authorization` with the scheme `Bearer`, in any letter case.
    public var bearer: String? {
        let authorization = headers["Authorization"]
        guard authorization.count == 1 else { return nil }
        let scheme = authorization[0].prefix { $0 != " " }
        let token = authorization[0].dropFirst(scheme.count).drop { $0 == " " }
        guard scheme.lowercased() == "bearer", !token.isEmpty, !token.contains(" ") else { return nil }
        return String(token)
    }
}
