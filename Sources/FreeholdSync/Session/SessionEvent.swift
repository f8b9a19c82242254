public import FreeholdSyncCore

/// An event of a session. The app has to act if `needsApp` is true. All other events need no action.
public enum SessionEvent: Sendable {
    case report(ClientReport)
    /// The connection was lost, or couldn't be opened. The session tries again.
    case disconnected(TransportError)
    /// A transaction of the file failed. The session begins again after a pause.
    case storeFailed(any Error)
    /// A transaction of the file failed three times in the same way. The session begins again, without the subject of
    /// the failure if that is known.
    case storeFailedRepeatedly(StoreTrouble)
    /// The server requires a new token, and the token source failed to supply one.
    case tokenFailed(any Error)

    public var needsApp: Bool {
        switch self {
        case .report(.fault(let fault, _)):
            switch fault {
            case .auth, .schema, .upgradeRequired: true
            case .transient, .forbidden, .query, .tooLarge, .violation, .storeReplaced: false
            }
        case .report(.schemaRefused), .report(.resetNeeded), .tokenFailed: true
        case .report, .disconnected, .storeFailed, .storeFailedRepeatedly: false
        }
    }
}

/// The reason why a wait failed.
public enum SessionError: Error, Hashable, Sendable {
    /// The session was closed.
    case closed
    /// The server requires an action of the app first: a token, another schema or another version of the app.
    case needsApp(SyncFault, text: String)
    /// The user has no right to use the app, or the stream of the file. The session asks the server again from time to
    /// time, because rights can be granted.
    case forbidden(text: String)
    /// The file has to be reset first.
    case resetNeeded
    /// The query set doesn't exist, or a later set replaced it before it was complete.
    case superseded
}

/// A source of access tokens.
public protocol TokenSource: Sendable {
    /// Returns a token other than the one that the server refused.
    func token(insteadOf refused: AccessToken) async throws -> AccessToken

    /// Returns whether an error of `token(insteadOf:)` is temporary, such as an unreachable server. The session then
    /// asks again after a pause.
    func passes(_ error: any Error) -> Bool
}

extension TokenSource {
    public func passes(_ error: any Error) -> Bool { false }
}
