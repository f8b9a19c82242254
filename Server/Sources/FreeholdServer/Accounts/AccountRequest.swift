import Foundation
import FreeholdBSON
import FreeholdHTTP
import NIOCore
import NIOHTTP1

/// A request of the accounts' API, before it is processed.
struct AccountRequest: Sendable {
    static let root = "/api/client/v2.0/"
    static let bodyLimit = 64 << 10
    /// The largest body of a function's call, in bytes.
    static let argumentLimit = 1 << 20
    /// The maximum depth of the JSON in a body.
    static let depthLimit = 16

    var operation: String
    /// The variable parts of the path, decoded.
    var parameters: [String: String]
    var isLink = false
    var host: String?
    /// The address and the port of this machine at which the request arrived.
    var local: String?
    var bearer: String?
    var body: [UInt8] = []
    /// The address of the client.
    var address: String
    /// The identifier of the request in logs.
    var id = ""
    /// The user, for routes that identify it before the body is read.
    var caller: AccountUser?
    /// Counts bytes that are kept for the request.
    var budget: (any HTTPBudget)?

    init(_ request: HTTPRequest) {
        let head = request.head
        parameters = request.parameters
        isLink = request.query?.split(separator: "&").contains("link=true") == true
        (operation, body, address) = (request.operation ?? "", request.body, request.address)
        (id, caller, budget) = (request.id, (request.user as? AccountCaller)?.account, request.budget)
        host = head.headers.first(name: "Host")
        bearer = head.bearer
        if let address = request.local?.ipAddress, let port = request.local?.port {
            local = ServerSettings.authority(address, port)
        }
    }

    /// Returns the fields of the body. Returns an empty document for an empty body.
    ///
    /// - Throws: `AccountError` if the body isn't a JSON object, or is nested too deeply.
    func fields(depth: Int = depthLimit, limit: Int = bodyLimit) throws -> BSONDocument {
        if body.isEmpty { return BSONDocument() }
        let limits = BSONLimits(depth: depth, size: limit)
        do { return try BSONDocument(extendedJSON: body, options: ExtendedJSONOptions(limits: limits)) } catch {
            // The message of the parser could quote the body.
            throw AccountError.bad("the body isn't a JSON object, or nests too deeply")
        }
    }
}

/// The user of a request whose token was checked before its body.
struct AccountCaller: HTTPUser {
    let account: AccountUser

    var user: String { account.id }
}

extension AccountRequest {
    /// The app of the path.
    var app: String { parameters["app"] ?? "" }
    /// The identifier of the API key of the path.
    var key: String { parameters["id"] ?? "" }
}

/// The answer to a request.
struct AccountAnswer: Sendable {
    var status: Int
    var body: BSONValue?
    /// The form of the body. Results of functions are canonical, so that clients read the types of numbers.
    var format = ExtendedJSONFormat.relaxed

    init(_ status: Int, _ body: BSONValue? = nil) { (self.status, self.body) = (status, body) }

    init(_ error: AccountError) {
        let fields: BSONDocument = [
            "error": .string(error.description), "error_code": .string(error.code), "link": "",
        ]
        self.init(error.status, .document(fields))
    }

    var http: HTTPAnswer {
        HTTPAnswer(status: HTTPResponseStatus(statusCode: status), type: "application/json", body: text)
    }

    /// The body of the answer as text. Empty without a body.
    var text: String { (body.flatMap { try? $0.extendedJSON(format) }) ?? "" }
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
