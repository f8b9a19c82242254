import CFreeholdShims
import Foundation
import FreeholdEngine
import Synchronization

/// Checks of the place of use, and of changes.
extension RealmCore {
    /// The `threadToken` of the tables. It is 0 if the fast paths for reading are off.
    var tableToken: UInt { tracker == nil ? threadToken : 0 }

    @inline(__always)
    func verifyThread() {
        if threadToken != UInt(fh_thread_id()) { verifyConfinement() }
    }

    /// Returns the realm of an object that belongs to it. It may be called at another place, to read the realm's
    /// configuration. Returns nil for an object that the caller can see to be invalidated.
    func handle(isInvalidated: () -> Bool) -> Realm? {
        let isHere = threadToken == UInt(fh_thread_id()) || confinement.isSurelyHere
        return isHere && isInvalidated() ? nil : Realm(core: self)
    }

    /// Checks that the realm is used where it belongs, and updates the thread token. The token isn't valid for the next
    /// turn of a queue or an actor, which may run on another thread.
    @inline(never)
    private func verifyConfinement() {
        if isFrozen {
            if isClosed.load(ordering: .relaxed) {
                programmerError("\(self) is frozen and was closed by invalidate(). Freeze a live realm again.")
            }
            return
        }
        guard confinement.isHere(wrongPlace) else { programmerError(wrongPlace) }
        threadToken = UInt(fh_thread_id())
        for table in tables { table.state.pointee.thread = tableToken }
        for table in dynamicTables.values { table.state.pointee.thread = tableToken }
    }

    private var wrongPlace: String {
        if case .thread = confinement {
            return "\(self) was used on another thread than the one it was opened on. "
                + "Open a realm on this thread, pass a frozen object or a ThreadSafeReference, or use `Realm.read` and "
                + "`Realm.write` from async code."
        }
        return
            "\(self) belongs to \(confinement.described) and was used elsewhere. Use it there, open a realm here, or "
            + "pass a frozen object or a ThreadSafeReference."
    }

    /// Runs a closure that caches a value. For a frozen realm, one caller at a time runs it.
    @inline(__always)
    func exclusively<T>(_ body: () -> T) -> T { isFrozen ? locked(body) : body() }

    @inline(never)
    private func locked<T>(_ body: () -> T) -> T {
        frozenLock?.lock()
        defer { frozenLock?.unlock() }
        return body()
    }

    /// Returns the open transaction. Traps if none is open. The method must be called before each change.
    @inline(__always)
    func requireWrite() -> WriteTransaction {
        verifyThread()
        guard let transaction else { outsideWrite() }
        changeCount &+= 1
        return transaction
    }

    /// Records that a change follows. The method must be called before each change in code that knows that a
    /// transaction is open.
    @inline(__always)
    func willChange() { changeCount &+= 1 }

    @inline(never)
    private func outsideWrite() -> Never {
        if isFrozen {
            programmerError("\(self) is frozen, so that it can't be changed. Change what `thaw()` gives, in a write.")
        }
        programmerError("\(self) was changed outside a write transaction. Make the change inside `realm.write { … }`.")
    }

    /// Records bad data inside a write transaction, which can then only be rolled back. The first error is kept.
    func record(_ error: Realm.Error) {
        if pendingError == nil { pendingError = error.with(fileURL: configuration.fileURL) }
    }
}
