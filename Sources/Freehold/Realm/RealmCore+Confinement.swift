import CFreeholdShims
import Foundation
import FreeholdEngine
import Synchronization

/// Where the realm may be used, and whether something may be changed now.
extension RealmCore {
    /// What tables have for `threadToken`: 0 where no read may be quick.
    var tableToken: UInt { tracker == nil ? threadToken : 0 }

    @inline(__always)
    func verifyThread() {
        if threadToken != UInt(fh_thread_id()) { verifyConfinement() }
    }

    /// The realm of what belongs to it, also for a caller who mayn't use it: to ask for its configuration. Nil for what is
    /// invalidated, as far as the caller may know.
    func handle(isInvalidated: () -> Bool) -> Realm? {
        let isHere = threadToken == UInt(fh_thread_id()) || confinement.isSurelyHere
        return isHere && isInvalidated() ? nil : Realm(core: self)
    }

    /// What a queue or an actor does next may be done by another thread.
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

    /// Runs what remembers something: of a frozen realm one caller at a time.
    @inline(__always)
    func exclusively<T>(_ body: () -> T) -> T { isFrozen ? locked(body) : body() }

    @inline(never)
    private func locked<T>(_ body: () -> T) -> T {
        frozenLock?.lock()
        defer { frozenLock?.unlock() }
        return body()
    }

    /// The open transaction; traps where there is none. To be called before each change.
    @inline(__always)
    func requireWrite() -> WriteTransaction {
        verifyThread()
        guard let transaction else { outsideWrite() }
        changeCount &+= 1
        return transaction
    }

    /// To be called before each change, by those who know that a transaction is open.
    @inline(__always)
    func willChange() { changeCount &+= 1 }

    @inline(never)
    private func outsideWrite() -> Never {
        if isFrozen {
            programmerError("\(self) is frozen, so that it can't be changed. Change what `thaw()` gives, in a write.")
        }
        programmerError("\(self) was changed outside a write transaction. Make the change inside `realm.write { … }`.")
    }

    /// Notes bad data inside a write transaction, which can then only roll back. The first error wins.
    func record(_ error: Realm.Error) {
        if pendingError == nil { pendingError = error.with(fileURL: configuration.fileURL) }
    }
}
