import CFreeholdShims
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The environments that this process has open: one a file, whatever path leads to it.
///
/// LMDB's locks are the process's: opening a file twice and closing one of the two would drop the other's, and other
/// processes would believe that nobody has the file open.
final class EnvironmentRegistry: Sendable {
    private static let processes = PerProcess<EnvironmentRegistry> { _ in EnvironmentRegistry() }
    static var shared: EnvironmentRegistry { processes.value }

    private enum Key: Hashable {
        case file(FileIdentity)
        case memory(String)
    }

    private struct Entry {
        let environment: StorageEnvironment
        var leases: Int
    }

    private let entries = Mutex<[Key: Entry]>([:])
    /// The files that are being exchanged, by path, and the threads that do it.
    private let exchanges = Mutex<[String: UInt64]>([:])

    /// Opens a file, or joins those who have it open.
    ///
    /// Waits while another thread or process exchanges the file, but never with the registry locked: other files are
    /// opened and closed meanwhile, also by the one who exchanges this file.
    ///
    /// - Throws: what `StorageEnvironment.open` does; `.invalidArgument` if the file is open with other options, or
    ///   was replaced by another while it was open; `.fileInUse` if this thread is exchanging the file.
    func open(path: String, options: StorageOptions = .init()) throws(EngineError) -> EnvironmentLease {
        if let lease = try joinNow(path: path, options: options) { return lease }
        return try UnfinishedFile.retrying(path: path) { () throws(EngineError) in
            var presence: PresenceLock?
            if options.isShared, let canonical = try? StorageEnvironment.canonicalPath(path) {
                try checkExchange(canonical)
                presence = try PresenceLock.shared(of: canonical)
            }
            return try openNow(path: path, options: options, presence)
        }
    }

    /// Joins those who have the file open, or `nil` if nobody has.
    private func joinNow(path: String, options: StorageOptions) throws(EngineError) -> EnvironmentLease? {
        try entries.withLock { entries throws(EngineError) in try join(path, options, &entries) }
    }

    private func join(
        _ path: String,
        _ options: StorageOptions,
        _ entries: inout [Key: Entry]
    ) throws(EngineError) -> EnvironmentLease? {
        var status = stat()
        guard stat(path, &status) == 0, let entry = entries[.file(FileIdentity(status))] else { return nil }
        return try join(.file(FileIdentity(status)), entry, &entries, options, path)
    }

    /// Opens the file, or joins those who have opened it since `joinNow`, without waiting for anybody.
    private func openNow(
        path: String,
        options: StorageOptions,
        _ presence: PresenceLock?
    ) throws(EngineError) -> StorageOpening<EnvironmentLease> {
        try entries.withLock { entries throws(EngineError) in
            if let lease = try join(path, options, &entries) { return .opened(lease) }
            let canonical = try StorageEnvironment.canonicalPath(path)
            if entries.values.contains(where: { $0.environment.path == canonical }) {
                throw EngineError(
                    .invalidArgument,
                    "The file was deleted or replaced while it was open: release everything that uses the old one first.",
                    path: path
                )
            }
            switch try StorageEnvironment.openNow(path: canonical, options: options, presence: presence) {
            case .opened(let environment): return .opened(add(.file(environment.identity), environment, &entries))
            case .exchanged: return .exchanged
            case .unfinished: return .unfinished
            case .unplayed: return .unplayed
            }
        }
    }

    /// Opens the in-memory database of that name, which lives as long as somebody uses it.
    func openInMemory(
        identifier: String,
        options: StorageOptions = .init(inMemory: true)
    ) throws(EngineError) -> EnvironmentLease {
        var options = options
        options.inMemory = true
        let wanted = options
        return try entries.withLock { entries throws(EngineError) in
            if let entry = entries[.memory(identifier)] {
                return try join(.memory(identifier), entry, &entries, wanted, identifier)
            }
            let environment = try StorageEnvironment.open(path: "", options: wanted)
            return add(.memory(identifier), environment, &entries)
        }
    }

    /// Runs `body` while nobody has the file open, in this process or another. Who opens it meanwhile waits.
    ///
    /// - Parameter playsLog: whether the file is to be whole by itself: what a killed process left in a commit log comes into it.
    /// - Throws: `.fileInUse`; what `body` throws.
    func whileUnused<R>(
        path: String,
        playsLog: Bool = true,
        _ body: (_ canonicalPath: String) throws(EngineError) -> R
    ) throws(EngineError) -> R {
        let canonical = try StorageEnvironment.canonicalPath(path)
        let other = "Another process has the file open."
        let here = "The file is open in this process: a handle, an object or a snapshot of it is alive."
        guard !isOpen(path: canonical) else { throw EngineError(.fileInUse, here, path: path) }
        guard let presence = try PresenceLock.exclusive(of: canonical) else {
            throw EngineError(.fileInUse, isOpen(path: canonical) ? here : other, path: path)
        }
        exchanges.withLock { $0[canonical] = fh_thread_serial() }
        defer {
            exchanges.withLock { $0[canonical] = nil }
            withExtendedLifetime(presence) {}
        }
        if playsLog { try CommitLogRecovery.play(canonical) }
        return try body(canonical)
    }

    /// Who waits for himself would wait for ever.
    private func checkExchange(_ canonicalPath: String) throws(EngineError) {
        guard exchanges.withLock({ $0[canonicalPath] }) == fh_thread_serial() else { return }
        throw EngineError(
            .fileInUse,
            "The file is being compacted by this very thread: it can't be opened by the closure that decides about that.",
            path: canonicalPath
        )
    }

    /// Returns whether this process has the file open; readers that live on count.
    func isOpen(path: String) -> Bool { options(ofOpen: path) != nil }

    /// How this process has the file open, or `nil` if it hasn't.
    func options(ofOpen path: String) -> StorageOptions? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let key = Key.file(FileIdentity(status))
        return entries.withLock { $0[key]?.environment.options }
    }

    private func add(
        _ key: Key,
        _ environment: StorageEnvironment,
        _ entries: inout [Key: Entry]
    ) -> EnvironmentLease {
        entries[key] = Entry(environment: environment, leases: 1)
        return lease(environment, key)
    }

    private func join(
        _ key: Key,
        _ entry: Entry,
        _ entries: inout [Key: Entry],
        _ options: StorageOptions,
        _ path: String
    ) throws(EngineError) -> EnvironmentLease {
        guard entry.environment.options.isCompatible(with: options) else {
            throw EngineError(
                .invalidArgument,
                "The file is open in this process with other settings (read-only, immutable or in-memory).",
                path: path
            )
        }
        entries[key]?.leases += 1
        return lease(entry.environment, key)
    }

    private func lease(_ environment: StorageEnvironment, _ key: Key) -> EnvironmentLease {
        // In a forked child the lease, the environment and this registry are the parent's.
        EnvironmentLease(environment) { [self] in if environment.belongsToThisProcess { release(key) } }
    }

    private func release(_ key: Key) {
        let closed = entries.withLock { entries -> StorageEnvironment? in
            guard var entry = entries[key] else { return nil }
            entry.leases -= 1
            entries[key] = entry
            return closeIfUnused(key, &entries)
        }
        // Its last reference goes outside the lock.
        withExtendedLifetime(closed) {}
    }

    private func closeIfUnused(_ key: Key, _ entries: inout [Key: Entry]) -> StorageEnvironment? {
        guard let entry = entries[key], entry.leases == 0 else { return nil }
        let isClosed = entry.environment.closeIfIdle { [self] in
            let closed = self.entries.withLock { closeIfUnused(key, &$0) }
            withExtendedLifetime(closed) {}
        }
        guard isClosed else { return nil }
        return entries.removeValue(forKey: key)?.environment
    }
}

/// A use of a registered environment; ends when it goes. Keep the lease as long as the environment: without another
/// one, and without readers, the environment closes.
final class EnvironmentLease: Sendable {
    let environment: StorageEnvironment
    private let end: @Sendable () -> Void

    fileprivate init(_ environment: StorageEnvironment, _ end: @escaping @Sendable () -> Void) {
        self.environment = environment
        self.end = end
    }

    deinit { end() }
}
