public import Freehold
import FreeholdSyncCore

/// The handling of a file's unsent changes if the server has another history, because it was restored from a backup or
/// created again.
///
/// Blocks run on a thread of the library. The first block receives a frozen realm from before the reset. The second
/// block receives that realm and a realm with the content after the reset.
@frozen
public enum ClientResetMode: Sendable {
    /// The changes are applied to the server's state. Created objects are kept. If the server deleted an object, edits
    /// of it are lost. If both have changed a field, the value of the file wins.
    case recoverUnsyncedChanges(
        beforeReset: (@Sendable (Realm) -> Void)? = nil,
        afterReset: (@Sendable (Realm, Realm) -> Void)? = nil
    )
    /// Like `recoverUnsyncedChanges`, except that changes that can't be recovered are set aside for the app
    /// (`freehold sync lost`).
    case recoverOrDiscardUnsyncedChanges(
        beforeReset: (@Sendable (Realm) -> Void)? = nil,
        afterReset: (@Sendable (Realm, Realm) -> Void)? = nil
    )
    /// The changes are discarded.
    case discardUnsyncedChanges(
        beforeReset: (@Sendable (Realm) -> Void)? = nil,
        afterReset: (@Sendable (Realm, Realm) -> Void)? = nil
    )
    /// The file isn't changed until the app resets it with `SyncSession.reset(_:)`.
    case manual(errorHandler: SyncManager.ErrorReportingBlock? = nil)
}

extension ClientResetMode {
    var mode: ResetMode {
        switch self {
        case .recoverUnsyncedChanges, .recoverOrDiscardUnsyncedChanges: .recover
        case .discardUnsyncedChanges: .discard
        case .manual: .manual
        }
    }

    var beforeReset: (@Sendable (Realm) -> Void)? {
        switch self {
        case .recoverUnsyncedChanges(let block, _), .recoverOrDiscardUnsyncedChanges(let block, _),
            .discardUnsyncedChanges(let block, _):
            block
        case .manual: nil
        }
    }

    var afterReset: (@Sendable (Realm, Realm) -> Void)? {
        switch self {
        case .recoverUnsyncedChanges(_, let block), .recoverOrDiscardUnsyncedChanges(_, let block),
            .discardUnsyncedChanges(_, let block):
            block
        case .manual: nil
        }
    }
}
