public import Foundation
public import Freehold
import FreeholdSyncCore

/// An error of a session, with the codes of RealmSwift. Temporary problems, such as a missing connection, aren't
/// errors.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kinds of errors, with the numbers of Realm.
    public enum Code: Int, Hashable, Sendable {
        case clientSessionError = 4
        case clientUserError = 5
        case clientInternalError = 6
        /// The server has another history than the file, and the app has to reset the file because its reset mode is
        /// `manual`.
        case clientResetError = 7
        case underlyingAuthError = 8
        case permissionDeniedError = 9
        /// The server refuses subscriptions of the file.
        case invalidFlexibleSyncSubscriptions = 10
        /// The server refused changes of the app, and the file shows the server's state. The app doesn't have to act.
        case writeRejected = 11
        case connectionFailed = 12
        case tlsHandshakeFailed = 13
        case serverWarning = 14
    }

    /// An object whose change was refused.
    public struct CompensatingWriteInfo: Hashable, Sendable {
        public let objectType: String
        let key: PrimaryKey
        public let reason: String

        public var primaryKey: AnyRealmValue { key.anyRealmValue }
    }

    public let code: Code
    public let message: String
    public let compensatingWriteInfo: [CompensatingWriteInfo]?

    init(_ code: Code, _ message: String, _ writes: [CompensatingWriteInfo]? = nil) {
        (self.code, self.message, compensatingWriteInfo) = (code, message, writes)
    }

    public var description: String { "\(message) (\(code))" }
    public var errorDescription: String? { message }
    /// The URL of the server's log. It is always `nil`, because Freehold's server doesn't publish its log.
    public var serverLogURL: URL? { nil }
}

extension SyncError.Code {
    /// Matches an error with this code, so that `catch SyncError.writeRejected` needs no cast.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? SyncError)?.code == code }
}

extension SyncError {
    public static let clientSessionError = Code.clientSessionError
    public static let clientUserError = Code.clientUserError
    public static let clientInternalError = Code.clientInternalError
    public static let clientResetError = Code.clientResetError
    public static let underlyingAuthError = Code.underlyingAuthError
    public static let permissionDeniedError = Code.permissionDeniedError
    public static let invalidFlexibleSyncSubscriptions = Code.invalidFlexibleSyncSubscriptions
    public static let writeRejected = Code.writeRejected
    public static let connectionFailed = Code.connectionFailed
    public static let tlsHandshakeFailed = Code.tlsHandshakeFailed
    public static let serverWarning = Code.serverWarning
}

extension SyncError {
    /// Creates the error for an event. Returns `nil` for a temporary problem.
    init?(_ event: SessionEvent) {
        switch event {
        case .report(.refused(let refusals)):
            let writes = refusals.map { refusal in
                CompensatingWriteInfo(
                    objectType: refusal.change.object.className.string,
                    key: refusal.change.object.key,
                    reason: refusal.told
                )
            }
            self.init(
                .writeRejected,
                "The server didn't do \(writes.count) of the file's changes; the file shows what the server has.",
                writes
            )
        case .report(.fault(let fault, let text)): self.init(fault, text.string)
        case .report(.schemaRefused(let problems)):
            self.init(
                .clientSessionError,
                "The server refuses the file's classes: \(problems.map(\.text.string).joined(separator: "; "))"
            )
        case .report(.resetNeeded):
            self.init(.clientResetError, "The server has another history of the data: the file has to be reset.")
        case .report(.querySet(let set)):
            guard set.state == .error, let error = set.errors.first else { return nil }
            self.init(error)
        case .tokenFailed(let error):
            self.init(.underlyingAuthError, "There is no access token: \(error).")
        case .disconnected(let error):
            switch error.code {
            case .tlsFailed: self.init(.tlsHandshakeFailed, error.reason)
            case .rejected: self.init(.connectionFailed, error.reason)
            default: return nil
            }
        case .storeFailedRepeatedly(let trouble): self.init(.clientInternalError, trouble.description)
        case .storeFailed(let error): self.init(.clientInternalError, "The file can't be read or written: \(error).")
        case .report: return nil
        }
    }

    init(_ error: FreeholdSyncCore.QueryError) {
        self.init(
            .invalidFlexibleSyncSubscriptions,
            "The server refuses a subscription to \(error.className.string): \(error.text.string)"
        )
    }

    private init?(_ fault: SyncFault, _ text: String) {
        switch fault {
        case .transient, .violation, .tooLarge, .storeReplaced: return nil
        case .auth: self.init(.underlyingAuthError, text)
        case .forbidden: self.init(.permissionDeniedError, text)
        case .schema, .upgradeRequired: self.init(.clientSessionError, text)
        case .query: self.init(.invalidFlexibleSyncSubscriptions, text)
        }
    }
}

extension PrimaryKey {
    var anyRealmValue: AnyRealmValue {
        switch self {
        case .null: .none
        case .int(let value): .int(Int(value))
        case .string(let value): .string(value.string)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        }
    }
}

extension Refusal {
    /// The reason, and the field that the user has no right to write.
    fileprivate var told: String { field.map { "\(reason): the user may not write '\($0)'" } ?? "\(reason)" }
}
