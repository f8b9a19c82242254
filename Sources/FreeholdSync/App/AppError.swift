public import Foundation
import FreeholdBSON

/// The error of a request to an app's server: the server's answer, or the reason for a missing answer.
public struct AppError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kinds of errors, with the numbers of Realm.
    public enum Code: Int, Hashable, Sendable {
        case unknown = -1
        case httpRequestFailed = 1
        case invalidSession, badRequest, userNotFound, userAppDomainMismatch, domainNotAllowed
        case readSizeLimitExceeded, invalidParameter, missingParameter, functionExecutionError
        case internalServerError, authProviderNotFound, valueNotFound, valueAlreadyExists, valueDuplicateName
        case functionNotFound, functionSyntaxError, functionInvalid, apiKeyAlreadyExists, executionTimeLimitExceeded
        case notCallable, userAlreadyConfirmed, userDisabled, authError, accountNameInUse
        case invalidPassword, maintenanceInProgress, mongoDBError
        /// A feature of RealmSwift that Freehold doesn't support. This is an addition to RealmSwift's API.
        case unsupported = 1_000
        /// The configuration has no base URL. This is an addition to RealmSwift's API.
        case missingBaseURL = 1_001
    }

    public let code: Code
    /// A description of the error, as a sentence. It contains no password and no token.
    public let message: String
    /// The HTTP status of the answer. `nil` if the server didn't answer.
    public let httpStatusCode: Int?

    public init(_ code: Code, _ message: String, httpStatusCode: Int? = nil) {
        (self.code, self.message, self.httpStatusCode) = (code, message, httpStatusCode)
    }

    public var description: String { "\(message) (\(code))" }
    public var errorDescription: String? { message }
}

extension AppError.Code {
    /// Matches an error with this code, so that `catch AppError.invalidPassword` needs no cast.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? AppError)?.code == code }
}

extension AppError {
    public static let httpRequestFailed = Code.httpRequestFailed
    public static let invalidSession = Code.invalidSession
    public static let userNotFound = Code.userNotFound
    public static let authProviderNotFound = Code.authProviderNotFound
    public static let apiKeyAlreadyExists = Code.apiKeyAlreadyExists
    public static let userAlreadyConfirmed = Code.userAlreadyConfirmed
    public static let userDisabled = Code.userDisabled
    public static let authError = Code.authError
    public static let accountNameInUse = Code.accountNameInUse
    public static let invalidPassword = Code.invalidPassword

    /// Creates the error from the fields `error` and `error_code` of an answer.
    init(_ response: RLMResponse) {
        let fields = try? BSONDocument(extendedJSON: response.body)
        let status = response.httpStatusCode
        if response.customStatusCode != 0 {
            self.init(.httpRequestFailed, response.body.isEmpty ? "The server couldn't be reached." : response.body)
            return
        }
        let code = (fields?["error_code"]?.stringValue).flatMap { Self.names[$0] }
        let text = (fields?["error"]?.stringValue).map { String($0.prefix(1_000)) }
        self.init(
            code ?? (status == 401 ? .invalidSession : .httpRequestFailed),
            text ?? "The server answered with status \(status).",
            httpStatusCode: status
        )
    }

    private static let names: [String: Code] = [
        "InvalidSession": .invalidSession, "BadRequest": .badRequest, "UserNotFound": .userNotFound,
        "UserAppDomainMismatch": .userAppDomainMismatch, "DomainNotAllowed": .domainNotAllowed,
        "ReadSizeLimitExceeded": .readSizeLimitExceeded, "InvalidParameter": .invalidParameter,
        "MissingParameter": .missingParameter, "FunctionExecutionError": .functionExecutionError,
        "InternalServerError": .internalServerError, "AuthProviderNotFound": .authProviderNotFound,
        "ValueNotFound": .valueNotFound, "ValueAlreadyExists": .valueAlreadyExists,
        "ValueDuplicateName": .valueDuplicateName, "FunctionNotFound": .functionNotFound,
        "FunctionSyntaxError": .functionSyntaxError, "FunctionInvalid": .functionInvalid,
        "APIKeyAlreadyExists": .apiKeyAlreadyExists, "APIKeyNotFound": .userNotFound,
        "ExecutionTimeLimitExceeded": .executionTimeLimitExceeded, "NotCallable": .notCallable,
        "UserAlreadyConfirmed": .userAlreadyConfirmed, "UserDisabled": .userDisabled, "AuthError": .authError,
        "AccountNameInUse": .accountNameInUse, "InvalidPassword": .invalidPassword,
        "InvalidEmailPassword": .invalidPassword, "InvalidEmail": .invalidParameter,
        "MaintenanceInProgress": .maintenanceInProgress, "MongoDBError": .mongoDBError,
    ]

    static func unsupported(_ what: String) -> AppError {
        AppError(.unsupported, "Freehold has no \(what).")
    }
}
