import Foundation
import FreeholdBSON
import NIOCore
import NIOHTTP1

/// A request of the accounts' API, before it is processed.
struct AccountRequest: Sendable {
    static let root = "/api/client/v2.0/"
    static let bodyLimit = 64 << 10
    /// The maximum depth of the JSON in a body.
    static let depthLimit = 16

    var method: HTTPMethod
    /// The components of the path after the root, without percent encoding.
    var path: [String]
    var isLink = false
    var host: String?
    /// The address and the port of this machine at which the request arrived.
    var local: String?
    var bearer: String?
    var body: [UInt8] = []
    /// The address of the client.
    var address: String

    /// Creates a request.
    ///
    /// - Throws: `AccountError` if the path isn't valid.
    init(_ request: HTTPRequest) throws {
        let head = request.head
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix(Self.root) else { throw AccountError.noRoute }
        let names = path.dropFirst(Self.root.utf8.count).split(separator: "/", omittingEmptySubsequences: false)
        guard names.count <= 8 else { throw AccountError.noRoute }
        self.path = try names.map { name in
            guard !name.isEmpty, let text = String(name).removingPercentEncoding, !text.utf8.contains(0) else {
                throw AccountError.noRoute
            }
            return text
        }
        isLink = parts.count > 1 && parts[1].split(separator: "&").contains("link=true")
        (method, body, address) = (head.method, request.body, request.address)
        host = head.headers.first(name: "Host")
        bearer = head.bearer
        if let address = request.local?.ipAddress, let port = request.local?.port {
            local = ServerSettings.authority(address, port)
        }
    }

    /// Returns the fields of the body. Returns an empty document for an empty body.
    ///
    /// - Throws: `AccountError` if the body isn't a JSON object, or is nested too deeply.
    func fields() throws -> BSONDocument {
        if body.isEmpty { return BSONDocument() }
        let limits = BSONLimits(depth: Self.depthLimit, size: Self.bodyLimit)
        do { return try BSONDocument(extendedJSON: body, options: ExtendedJSONOptions(limits: limits)) } catch {
            // The message of the parser could quote the body.
            throw AccountError.bad("the body isn't a JSON object, or nests too deeply")
        }
    }
}

/// The answer to a request.
struct AccountAnswer: Sendable {
    var status: Int
    var body: BSONValue?

    init(_ status: Int, _ body: BSONValue? = nil) { (self.status, self.body) = (status, body) }

    init(_ error: AccountError) {
        let fields: BSONDocument = [
            "error": .string(error.description), "error_code": .string(error.code), "link": "",
        ]
        self.init(error.status, .document(fields))
    }

    /// The body of the answer as text. Empty without a body.
    var text: String { (body.flatMap { try? $0.extendedJSON() }) ?? "" }
}

extension AccountError {
    static let noRoute = AccountError(404, "ValueNotFound", "there is nothing here")
    static let wrongMethod = AccountError(405, "BadRequest", "this method isn't for this path")
    static let tooLarge = AccountError(413, "BadRequest", "the body is too large")
}

extension BSONDocument {
    /// Returns a text field.
    ///
    /// - Throws: `AccountError` if the field is missing, empty or too long.
    func text(_ name: String, limit: Int = 1_024) throws -> String {
        guard let text = self[name]?.stringValue, !text.isEmpty, text.utf8.count <= limit, !text.utf8.contains(0) else {
            throw AccountError.missing(name)
        }
        return text
    }
}
