import Foundation

/// Keeps a core whose transaction `beginWrite()` has left open, until the transaction ends. One of a thread goes with the
/// thread, and with it the transaction, so that no other writer waits for a thread that is gone.
final class WritingKeeper {
    private var core: RealmCore?

    init(_ core: RealmCore) {
        self.core = core
        if case .thread = core.confinement { Threads.add(self) }
    }

    /// The transaction has ended. Where the realm is.
    func end() {
        guard let core else { return }
        self.core = nil
        if case .thread = core.confinement { Threads.remove(self) }
    }

    /// The thread has ended.
    fileprivate func drop() { core = nil }

    /// The keepers of each thread, let go of when it ends.
    private enum Threads {
        final class Keepers {
            var all: [WritingKeeper] = []

            deinit { for keeper in all { keeper.drop() } }
        }

        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key) { Threads.release($0) }
            return key
        }()

        /// Called with what a thread that ends has held. The pointer is an optional one on Linux only.
        private static func release(_ pointer: UnsafeMutableRawPointer?) {
            if let pointer { Unmanaged<Keepers>.fromOpaque(pointer).release() }
        }

        private static var current: Keepers? {
            pthread_getspecific(key).map { Unmanaged<Keepers>.fromOpaque($0).takeUnretainedValue() }
        }

        static func add(_ keeper: WritingKeeper) {
            if let current { return current.all.append(keeper) }
            let made = Keepers()
            made.all = [keeper]
            pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        }

        static func remove(_ keeper: WritingKeeper) { current?.all.removeAll { $0 === keeper } }
    }
}
