public import FreeholdSyncCore

/// What a session has to say. Only what `needsApp` is true of waits for the app; everything else passes by itself.
public enum SessionEvent: Sendable {
    case report(ClientReport)
    /// The connection was lost, or didn't come about. The session tries again by itself.
    case disconnected(TransportError)
    /// A transaction of the file failed. The session begins anew, after a while.
    case storeFailed(any Error)
    /// A transaction of the file failed three times in the same way. The session begins anew; without what the failure is about, if that is known.
    case storeFailedRepeatedly(StoreTrouble)
    /// The server wants a new token, and there was none to be had.
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

/// Why what was waited for doesn't come.
public enum SessionError: Error, Hashable, Sendable {
    /// The session was closed.
    case closed
    /// The server needs something of the app first: a token, another schema or another version.
    case needsApp(SyncFault, text: String)
    /// The user may not use the app, or not the file's stream. The session asks again by itself, now and then: rights may be given.
    case forbidden(text: String)
    /// The file has to be reset first.
    case resetNeeded
    /// There is no such query set, or a later one took its place before it was complete.
    case superseded
}

/// Gets tokens.
public protocol TokenSource: Sendable {
    /// A token that isn't the one which the server refused.
    func token(insteadOf refused: AccessToken) async throws -> AccessToken

    /// A Boolean value that indicates whether an error of `token(insteadOf:)` passes without the app, such as an unreachable server. The session
    /// asks again after a while then.
    func passes(_ error: any Error) -> Bool
}

extension TokenSource {
    public func passes(_ error: any Error) -> Bool { false }
}
