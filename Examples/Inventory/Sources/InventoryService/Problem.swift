import Foundation
import Freehold
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// An error with the form of a response: RFC 9457, "Problem Details for HTTP APIs".
struct Problem: Error, Codable, Sendable, Equatable {
    /// The HTTP status.
    var status: Int
    /// The kind of the problem. Clients compare it.
    var title: String
    /// A sentence for people.
    var detail: String
    /// The invalid fields of the request.
    var errors: [FieldError]?
    /// The number of seconds after which the client may try again.
    var retryAfter: Int?

    /// A field of a request, and the rule that it breaks.
    struct FieldError: Codable, Sendable, Equatable {
        var field: String
        var message: String
    }

    init(_ status: HTTPResponse.Status, _ title: String, detail: String, errors: [FieldError]? = nil) {
        self.status = status.code
        self.title = title
        self.detail = detail
        self.errors = errors
    }

    static func notFound(_ sku: String) -> Problem {
        Problem(.notFound, "not-found", detail: "There is no item \(sku).")
    }
}

extension Problem {
    /// Creates the problem of an error that the handler of a request throws, or returns `nil` for an unexpected error.
    init?(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as Realm.Error:
            guard let problem = Problem(error) else { return nil }
            self = problem
        case let error as DecodingError: self = Problem(error)
        case is NIOTooManyBytesError:
            self.init(.contentTooLarge, "too-large", detail: "The body of the request is too large.")
        case let error as HTTPError where error.status.code < 500:
            self.init(error.status, "http", detail: error.body ?? error.status.reasonPhrase)
        default: return nil
        }
    }

    /// Creates the problem of an error of the file. The message of an error can contain the path of the file and
    /// values of other clients, so only those that concern the request are sent.
    init?(_ error: Realm.Error) {
        let field = error.property.map { [FieldError(field: $0, message: error.message)] }
        switch error.code {
        case .duplicatePrimaryKey, .uniqueConstraint:
            self.init(.conflict, "duplicate", detail: "An object with this key exists already.")
        case .deletionDenied: self.init(.conflict, "in-use", detail: "Another object refers to it.")
        case .missingValue, .invalidValue, .limitExceeded:
            self.init(.unprocessableContent, "invalid", detail: "A value can't be stored.", errors: field)
        case .busy:
            self.init(.serviceUnavailable, "busy", detail: "Other writes take too long. Try again.")
            retryAfter = 2
        case .databaseClosed:
            self.init(.serviceUnavailable, "stopping", detail: "The service is stopping. Try again.")
            retryAfter = 5
        case .timedOut: self.init(.gatewayTimeout, "timeout", detail: "The request took too long.")
        case .outOfDiskSpace: self.init(.init(code: 507), "full", detail: "There is no room for the change.")
        default: return nil
        }
    }

    private init(_ error: DecodingError) {
        let (path, message): ([any CodingKey], String)
        switch error {
        case .keyNotFound(let key, let context): (path, message) = (context.codingPath + [key], "is missing")
        case .valueNotFound(_, let context): (path, message) = (context.codingPath, "is missing")
        case .typeMismatch(let type, let context): (path, message) = (context.codingPath, "has to be a \(type)")
        case .dataCorrupted(let context): (path, message) = (context.codingPath, "can't be read")
        @unknown default: (path, message) = ([], "can't be read")
        }
        if path.isEmpty {
            self.init(.badRequest, "json", detail: "The body of the request isn't the expected JSON.")
        } else {
            let field = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
            self.init(
                .unprocessableContent,
                "invalid",
                detail: "The request is invalid.",
                errors: [FieldError(field: field, message: message)]
            )
        }
    }
}

/// Converts errors of handlers to responses.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            if let problem = Problem(error) { return try problem.response() }
            if error is CancellationError {
                // The client has left, or the service stops and its patience is over.
                return try Problem(.serviceUnavailable, "cancelled", detail: "The request was cancelled.").response()
            }
            // The log has the cause. A response never contains it.
            context.logger.error("a request failed", metadata: ["error": "\(error)", "path": "\(request.uri.path)"])
            return try Problem(.internalServerError, "internal", detail: "The service has an error.").response()
        }
    }
}

extension Problem {
    func response() throws -> Response {
        var response = try JSON.response(self, status: .init(code: status), type: "application/problem+json")
        if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
        return response
    }
}

/// The JSON of requests and responses.
enum JSON {
    static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    static func response(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        type: String = "application/json; charset=utf-8"
    ) throws -> Response {
        Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try data(value)))
        )
    }

    static func decode<T: Decodable>(
        _ type: T.Type,
        from request: Request,
        context: some RequestContext
    ) async throws -> T {
        let body = try await request.body.collect(upTo: context.maxUploadSize)
        return try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }
}
