import Synchronization

/// Seen by tests before the process ends.
enum ProgrammerErrorHook {
    private static let handler = Mutex<(@Sendable (String) -> Void)?>(nil)

    static func set(_ handler: (@Sendable (String) -> Void)?) {
        self.handler.withLock { $0 = handler }
    }

    fileprivate static func call(_ message: String) {
        let handler = handler.withLock { $0 }
        handler?(message)
    }
}

/// The one place where misuse ends the process: a wrong thread, a write outside a write transaction, an index out
/// of bounds, an accessor of a deleted object.
///
/// Called with no lock held and before anything is changed. The message names the object, the rule and the remedy.
/// Bad *data* never comes here: see ``Realm/pendingError``.
@inline(never)
@usableFromInline
func programmerError(_ message: String) -> Never {
    ProgrammerErrorHook.call(message)
    fatalError("Freehold: \(message)")
}
