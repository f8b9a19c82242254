public import Freehold
import FreeholdSyncCore

/// What becomes of a file's unsent changes when the server has another history: restored from a backup, or made anew.
///
/// Blocks run on a thread of the library's. The first gets a frozen realm; the second one as it was before, frozen, and one as it is now.
@frozen
public enum ClientResetMode: Sendable {
    /// They are applied to what the server has: what was made stays, a deletion by the server goes before an edit here, and of two
    /// values of a field the one here counts.
    case recoverUnsyncedChanges(
        beforeReset: (@Sendable (Realm) -> Void)? = nil,
        afterReset: (@Sendable (Realm, Realm) -> Void)? = nil
    )
    /// The same; what can't be recovered is kept apart (`freehold sync lost`).
    case recoverOrDiscardUnsyncedChanges(
        beforeReset: (@Sendable (Realm) -> Void)? = nil,
        afterReset: (@Sendable (Realm, Realm) -> Void)? = nil
    )
    /// They are given up.
    case discardUnsyncedChanges(
        beforeReset: (@Sendable (Realm) -> Void)? = nil,
        afterReset: (@Sendable (Realm, Realm) -> Void)? = nil
    )
    /// Nothing happens to the file until the app resets it: `SyncSession.reset(_:)`.
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
