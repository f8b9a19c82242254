public import NIOHTTP1

/// A method and a path, and the handler that answers them.
///
///     HTTPRoute(.GET, "app/{app}/{class}/{key}", operation: "getDocument", statuses: [200, 404]) { request in
///         HTTPAnswer(body: request["key"])
///     }
public struct HTTPRoute: Sendable {
    public let method: HTTPMethod
    /// The path below the group's root, or an empty text for the root itself. A part in braces is variable: it isn't empty, and has no slash.
    public let path: String
    /// The name in logs, metrics, traces and in the OpenAPI document.
    public let operation: String
    /// The statuses of the handler's answers. Debug builds check them.
    public let statuses: Set<Int>
    /// A Boolean value that indicates whether answers may be compressed. Answers with secrets aren't.
    public let compresses: Bool
    /// A Boolean value that indicates whether the handler reads the body as a stream (``HTTPRequest/stream``).
    public let streamsBody: Bool
    /// The maximum size of a body, in bytes, if it differs from the group's.
    public let bodyLimit: Int?
    /// A closure that identifies the user, or `nil` for that of the group.
    let identify: (@Sendable (HTTPRequestHead) async -> HTTPIdentification)?
    let answer: @Sendable (HTTPRequest) async -> HTTPAnswer
    fileprivate let parts: [Part]

    fileprivate enum Part: Hashable {
        case literal(String)
        case variable(String)

        init(_ text: Substring) {
            let isVariable = text.hasPrefix("{") && text.hasSuffix("}")
            self = isVariable ? .variable(String(text.dropFirst().dropLast())) : .literal(String(text))
        }
    }

    public init(
        _ method: HTTPMethod,
        _ path: String,
        operation: String,
        statuses: Set<Int>,
        compresses: Bool = false,
        streamsBody: Bool = false,
        bodyLimit: Int? = nil,
        identify: (@Sendable (HTTPRequestHead) async -> HTTPIdentification)? = nil,
        answer: @escaping @Sendable (HTTPRequest) async -> HTTPAnswer
    ) {
        (self.method, self.path, self.operation, self.statuses) = (method, path, operation, statuses)
        (self.compresses, self.streamsBody, self.answer) = (compresses, streamsBody, answer)
        (self.bodyLimit, self.identify) = (bodyLimit, identify)
        parts = path.split(separator: "/", omittingEmptySubsequences: false).map { Part($0) }
    }

    /// Returns the variable parts of a path, or `nil` if it isn't the route's.
    fileprivate func parameters(_ names: [String]) -> [String: String]? {
        guard names.count == parts.count else { return nil }
        var found: [String: String] = [:]
        for (name, part) in zip(names, parts) {
            switch part {
            case .literal(let text): guard text == name else { return nil }
            case .variable(let key):
                guard !name.isEmpty else { return nil }
                found[key] = name
            }
        }
        return found
    }

    /// The number of literal parts. If several routes match a path, the route with the most literal parts is used.
    fileprivate var literals: Int { parts.count { if case .literal = $0 { true } else { false } } }
}

public enum HTTPIdentification: Sendable {
    case known(any HTTPUser)
    case refused(HTTPAnswer)
}

/// Routes below a common path, with common limits and errors.
public struct HTTPGroup: Sendable {
    /// The beginning of the paths, with a slash at its end.
    public var root: String
    /// The maximum size of a body, in bytes. A longer body is refused before it is read. With `nil`, bodies are read and dropped.
    public var bodyLimit: Int?
    public var routes: [HTTPRoute]
    /// A closure that identifies the user from the head. Until it returns, only a small part of the body is read. It is `nil` for groups whose
    /// requests contain the proof of the user's identity in a small body.
    public var identify: (@Sendable (HTTPRequestHead) async -> HTTPIdentification)?
    /// The answer for a body that is too long.
    public var tooLarge: HTTPAnswer
    /// The answer for a path that no route has.
    public var noRoute: HTTPAnswer
    /// The answer for a method that no route of the path has. The header `Allow` is added.
    public var wrongMethod: HTTPAnswer
    /// A Boolean value that indicates whether `HEAD` is answered like `GET`, and whether methods are checked before paths.
    public var isPlain: Bool

    public init(
        root: String,
        bodyLimit: Int?,
        routes: [HTTPRoute],
        identify: (@Sendable (HTTPRequestHead) async -> HTTPIdentification)? = nil,
        tooLarge: HTTPAnswer,
        noRoute: HTTPAnswer,
        wrongMethod: HTTPAnswer,
        isPlain: Bool = false
    ) {
        (self.root, self.bodyLimit, self.routes, self.identify) = (root, bodyLimit, routes, identify)
        (self.tooLarge, self.noRoute, self.wrongMethod, self.isPlain) = (tooLarge, noRoute, wrongMethod, isPlain)
    }

    /// Returns the route of a request, or the answer if there is none.
    ///
    /// - Complexity: O(routes × parts of the path)
    func match(_ head: HTTPRequestHead) -> (route: HTTPRoute?, parameters: [String: String], refusal: HTTPAnswer) {
        let isHead = isPlain && head.method == .HEAD
        let method = isHead ? .GET : head.method
        if isPlain, method != .GET { return (nil, [:], refused(["GET", "HEAD"])) }
        guard let names = Self.names(head.uri.prefix { $0 != "?" }.dropFirst(root.count)) else {
            return (nil, [:], noRoute)
        }
        let found = routes.compactMap { route in route.parameters(names).map { (route: route, parameters: $0) } }
        guard let most = found.map(\.route.literals).max() else { return (nil, [:], noRoute) }
        let best = found.filter { $0.route.literals == most }
        guard let (route, parameters) = best.first(where: { $0.route.method == method }) else {
            return (nil, [:], refused(Set(best.map(\.route.method.rawValue)).sorted()))
        }
        return (route, parameters, noRoute)
    }

    /// Answers a request without a connection, with the user in `request.user`.
    public func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        var request = request
        let (route, parameters, refusal) = match(request.head)
        guard let route else { return refusal }
        (request.operation, request.parameters) = (route.operation, parameters)
        return await route.answer(request)
    }

    private func refused(_ methods: [String]) -> HTTPAnswer {
        var answer = wrongMethod
        answer.headers.append(("Allow", methods.joined(separator: ", ")))
        return answer
    }

    /// Returns the decoded parts of a path, or `nil` if the text isn't a valid path. The root itself has one empty part.
    private static func names(_ path: Substring) -> [String]? {
        guard !path.isEmpty else { return [""] }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 16 else { return nil }
        var names: [String] = []
        for part in parts {
            guard !part.isEmpty, let name = part.percentDecoded, !name.utf8.contains(0) else { return nil }
            names.append(name)
        }
        return names
    }
}

extension Substring {
    /// The text without percent-encoding, or `nil` if it isn't encoded correctly.
    var percentDecoded: String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        var (bytes, rest) = ([UInt8](), utf8[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
