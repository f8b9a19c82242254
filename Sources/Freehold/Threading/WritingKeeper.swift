import Foundation

/// An object that keeps a core alive until the transaction that `beginWrite()` left open has ended. The keeper of a
/// thread is released with the thread, and the transaction with it, so that no writer waits for a thread that has
/// ended.
final class WritingKeeper {
    private var core: RealmCore?

    init(_ core: RealmCore) {
        self.core = core
        if case .thread = core.confinement { Threads.add(self) }
    }

    /// Releases the core after the end of the transaction. The method is called where the realm is.
    func end() {
        guard let core else { return }
        self.core = nil
        if case .thread = core.confinement { Threads.remove(self) }
    }

    /// Releases the core after the end of the thread.
    fileprivate func drop() { core = nil }

    /// The keepers of each thread, which are released at the end of the thread.
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

        /// Releases the keepers of a thread at its end. The pointer is optional on Linux only.
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
