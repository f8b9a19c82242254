import Foundation
import FreeholdBSON
import FreeholdHTTP
import FreeholdSyncCore
import FreeholdSyncDocuments
import NIOHTTP1

/// A request of the documents' API, before it is processed: `/api/data/v1/app/APP/CLASS/KEY?…`.
struct DocumentRequest: Sendable {
    static let root = "/api/data/v1/"
    static let bodyLimit = 16 << 20
    /// The last part of the path of change streams, in the place of a class.
    static let changes = "$changes"
    private static let depthLimit = 100

    let app: String
    /// The class, or `nil` for the changes of the app.
    let className: String?
    /// The key, in the form of the path.
    let key: String?
    let parameters: [String: String]
    /// The value of `If-Match`: the version that the caller has seen.
    let expected: StreamVersion?
    /// The value of `Last-Event-ID`: the position at which a change stream ended.
    let lastEvent: String?
    let body: [UInt8]
    /// The counter of the memory for the request.
    let memory: MemoryAccount?

    /// - Throws: `DocumentFailure` if the path isn't valid.
    init(_ request: HTTPRequest) throws {
        guard let app = request.parameters["app"], request.parameters["class"] != Self.changes else {
            throw DocumentFailure.noRoute
        }
        self.app = app
        (className, key) = (request.parameters["class"], request.parameters["key"])
        parameters = try Self.parameters(of: request)
        (body, memory) = (request.body, (request.budget as? RequestBudget)?.memory)
        lastEvent = request.head.headers.first(name: "Last-Event-ID")
        if let tag = request.head.headers.first(name: "If-Match") {
            guard tag.hasPrefix("\""), tag.hasSuffix("\""), let version = UInt64(tag.dropFirst().dropLast()) else {
                throw DocumentFailure.bad("'If-Match' isn't a version that was given as 'ETag'.")
            }
            expected = version
        } else {
            expected = nil
        }
    }

    /// Returns the parameters of a request's target.
    ///
    /// - Throws: `DocumentFailure` if a parameter isn't correctly percent-encoded.
    static func parameters(of request: HTTPRequest) throws -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in (request.query ?? "").split(separator: "&").prefix(32) {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let plain = sides.map { String($0).replacing("+", with: " ").removingPercentEncoding }
            guard let name = plain[0], let value = plain.count > 1 ? plain[1] : "" else {
                throw DocumentFailure.bad("A parameter isn't written as URLs have them.")
            }
            parameters[name] = value
        }
        return parameters
    }

    /// - Throws: `DocumentFailure`
    func value() throws -> BSONValue {
        let limits = BSONLimits(depth: Self.depthLimit, size: Self.bodyLimit)
        do {
            return try BSONValue(
                extendedJSON: String(decoding: body, as: UTF8.self),
                options: ExtendedJSONOptions(limits: limits)
            )
        } catch { throw DocumentFailure.bad("The body isn't Extended JSON: \(error.reason)") }
    }

    /// - Throws: `DocumentFailure`
    func document() throws -> BSONDocument {
        guard case .document(let document) = try value() else {
            throw DocumentFailure.bad("The body isn't a document.")
        }
        return document
    }

    /// Counts the bytes of documents that are in memory for the request.
    ///
    /// - Throws: `DocumentFailure` if the requests and connections of the user use too much memory.
    func keep(_ bytes: Int) throws {
        guard memory?.set(.documents, to: bytes) ?? true else { throw DocumentFailure.overShare }
    }

    /// Returns the number of a parameter.
    ///
    /// - Throws: `DocumentFailure` if the parameter isn't a number in the range.
    func number(_ name: String, _ range: ClosedRange<Int>, default usual: Int) throws -> Int {
        guard let text = parameters[name] else { return usual }
        guard let number = Int(text), range.contains(number) else {
            throw DocumentFailure.bad("'\(name)' is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

/// The error of a request.
struct DocumentFailure: Error, Hashable {
    let status: Int
    let code: String
    let text: String

    static let noRoute = DocumentFailure(status: 404, code: "ValueNotFound", text: "There is nothing here.")
    static let noDocument = DocumentFailure(status: 404, code: "DocumentNotFound", text: "There is no such document.")
    static let noToken = DocumentFailure(status: 401, code: "InvalidSession", text: "The token isn't good.")
    static let forbidden = DocumentFailure(status: 403, code: "Forbidden", text: "The user may not use this.")
    static let wrongMethod = DocumentFailure(status: 405, code: "BadRequest", text: "This method isn't for this path.")
    static let tooMany = DocumentFailure(
        status: 429,
        code: "TooManyRequests",
        text: "The user has too many connections."
    )
    static let overShare = DocumentFailure(
        status: 429,
        code: "TooManyRequests",
        text: "The user's requests keep too much at once."
    )
    static let tooLargeTogether = DocumentFailure(
        status: 413,
        code: "BadRequest",
        text: "The stored documents that the request is about have more than 64 MiB together."
    )
    static let tooLarge = DocumentFailure(status: 413, code: "BadRequest", text: "The body has more than 16 MiB.")
    static let changed = DocumentFailure(
        status: 412,
        code: "VersionConflict",
        text: "The document isn't any more what the caller saw."
    )
    static let unavailable = DocumentFailure(
        status: 503,
        code: "InternalServerError",
        text: "The documents can't be reached; it isn't known whether what was asked for is done."
    )
    static let tooExpensive = DocumentFailure(
        status: 400,
        code: "QueryTooExpensive",
        text: "The query takes too much work for one document: it has more texts or elements than can be compared."
    )
    static let noSchema = DocumentFailure(
        status: 409,
        code: "SchemaMissing",
        text: "The app has no schema: 'freehold-server schema push' or 'schema infer' gives it one."
    )

    static func forbidden(field: String) -> DocumentFailure {
        DocumentFailure(status: 403, code: "Forbidden", text: "The user may not write '\(field)'.")
    }
    static func bad(_ text: String) -> DocumentFailure { DocumentFailure(status: 400, code: "BadRequest", text: text) }

    /// The failure as the last event of a change stream.
    var event: String {
        let fields: BSONDocument = ["error": .string(text), "error_code": .string(code)]
        return "event: error\ndata: \((try? fields.extendedJSON()) ?? "{}")\n\n"
    }

    var answer: HTTPAnswer {
        let fields: BSONDocument = ["error": .string(text), "error_code": .string(code)]
        return HTTPAnswer(
            status: HTTPResponseStatus(statusCode: status),
            type: "application/json",
            body: (try? fields.extendedJSON()) ?? ""
        )
    }
}

extension DocumentFailure {
    /// The failure of a request with a document that doesn't fit.
    init(_ misfit: DocumentMisfit, _ text: String) {
        switch misfit.code {
        case .gone: self = .noDocument
        case .longKey: self = .bad(text)
        default: self.init(status: 422, code: "SchemaValidationFailed", text: text)
        }
    }
}
