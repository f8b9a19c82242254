import Synchronization

/// A hook that tests use to see the message before the process ends.
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

/// Ends the process because of misuse, such as a wrong thread, a write outside a write transaction, an index out of
/// bounds, or an accessor of a deleted object. No other function ends the process for misuse.
///
/// The caller holds no lock and hasn't changed anything yet. The message names the object, the rule and the remedy. Bad
/// *data* never ends the process: see ``Realm/pendingError``.
@inline(never)
@usableFromInline
func programmerError(_ message: String) -> Never {
    ProgrammerErrorHook.call(message)
    fatalError("Freehold: \(message)")
}
