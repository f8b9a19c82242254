import CFreeholdShims
import Foundation
import FreeholdEngine
import Synchronization

/// The checks that a realm is used at its place (its thread, queue or actor), and that changes are made in a write
/// transaction.
extension RealmCore {
    /// The `threadToken` of the tables. It is 0 if the fast paths for reading are off.
    var tableToken: UInt { tracker == nil ? threadToken : 0 }

    @inline(__always)
    func verifyThread() {
        if threadToken != UInt(fh_thread_id()) { verifyConfinement() }
    }

    /// Returns the realm for an object of the realm. Any thread may call the method, for example to read the realm's
    /// configuration. At the realm's place, it returns nil if the object is invalidated. At other places, it doesn't
    /// check this.
    func handle(isInvalidated: () -> Bool) -> Realm? {
        let isHere = threadToken == UInt(fh_thread_id()) || confinement.isSurelyHere
        return isHere && isInvalidated() ? nil : Realm(core: self)
    }

    /// Checks that the realm is used at its place, and updates the thread token. The next block of a queue or job of an
    /// actor may run on another thread, and updates the token again.
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
