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

/// The environments that this process has open. Each file has one environment, whatever path leads to it.
///
/// LMDB's locks belong to the process. If a file were open twice, closing one environment would release the locks of the other, and other processes
/// would treat the file as closed.
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
    /// The files that are being replaced, by path, and the threads that replace them.
    private let exchanges = Mutex<[String: UInt64]>([:])

    /// Opens a file, or returns another lease of its open environment.
    ///
    /// The function waits while another thread or process replaces the file. It doesn't hold the registry's lock meanwhile, so that other files can
    /// be opened and closed, also by the thread that replaces this file.
    ///
    /// - Throws: the errors of `StorageEnvironment.open`; `.invalidArgument` if the file is open with other options, or was replaced by another file
    ///   while it was open; `.fileInUse` if this thread is replacing the file.
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

    /// Returns another lease of the open environment, or `nil` if the file isn't open.
    private func joinNow(path: String, options: StorageOptions) throws(EngineError) -> EnvironmentLease? {
        try entries.withLock { entries throws(EngineError) in try join(path, options, in: &entries) }
    }

    private func join(
        _ path: String,
        _ options: StorageOptions,
        in entries: inout [Key: Entry]
    ) throws(EngineError) -> EnvironmentLease? {
        var status = stat()
        guard stat(path, &status) == 0, let entry = entries[.file(FileIdentity(status))] else { return nil }
        return try join(.file(FileIdentity(status)), entry, in: &entries, options: options, path: path)
    }

    /// Opens the file, or returns a lease if the file was opened since `joinNow`, without waiting.
    private func openNow(
        path: String,
        options: StorageOptions,
        _ presence: PresenceLock?
    ) throws(EngineError) -> StorageOpening<EnvironmentLease> {
        try entries.withLock { entries throws(EngineError) in
            if let lease = try join(path, options, in: &entries) { return .opened(lease) }
            let canonical = try StorageEnvironment.canonicalPath(path)
            if entries.values.contains(where: { $0.environment.path == canonical }) {
                throw EngineError(
                    .invalidArgument,
                    "The file was deleted or replaced while it was open: release everything that uses the old one first.",
                    path: path
                )
            }
            switch try StorageEnvironment.openNow(path: canonical, options: options, presence: presence) {
            case .opened(let environment): return .opened(add(.file(environment.identity), environment, to: &entries))
            case .exchanged: return .exchanged
            case .unfinished: return .unfinished
            case .unplayed: return .unplayed
            }
        }
    }

    /// Opens the in-memory database of that name. It lives as long as it is in use.
    func openInMemory(
        identifier: String,
        options: StorageOptions = .init(inMemory: true)
    ) throws(EngineError) -> EnvironmentLease {
        var options = options
        options.inMemory = true
        let wanted = options
        return try entries.withLock { entries throws(EngineError) in
            if let entry = entries[.memory(identifier)] {
                return try join(.memory(identifier), entry, in: &entries, options: wanted, path: identifier)
            }
            let environment = try StorageEnvironment.open(path: "", options: wanted)
            return add(.memory(identifier), environment, to: &entries)
        }
    }

    /// Runs `body` while the file isn't open in any process. Openers of the file wait until `body` has returned.
    ///
    /// - Parameter playsLog: whether the file must be complete without its commit log. The commits that a killed process left in the log are then
    ///   applied first.
    /// - Throws: `.fileInUse`, and the errors of `body`.
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

    /// Throws an error if this thread is replacing the file, because a thread that waited for itself would never continue.
    private func checkExchange(_ canonicalPath: String) throws(EngineError) {
        guard exchanges.withLock({ $0[canonicalPath] }) == fh_thread_serial() else { return }
        throw EngineError(
            .fileInUse,
            "The file is being compacted by this very thread: it can't be opened by the closure that decides about that.",
            path: canonicalPath
        )
    }

    /// Returns whether this process has the file open. Readers that are still alive keep it open.
    func isOpen(path: String) -> Bool { options(ofOpen: path) != nil }

    /// Returns the options with which this process has the file open, or `nil` if the file isn't open.
    func options(ofOpen path: String) -> StorageOptions? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let key = Key.file(FileIdentity(status))
        return entries.withLock { $0[key]?.environment.options }
    }

    private func add(
        _ key: Key,
        _ environment: StorageEnvironment,
        to entries: inout [Key: Entry]
    ) -> EnvironmentLease {
        entries[key] = Entry(environment: environment, leases: 1)
        return lease(environment, key)
    }

    private func join(
        _ key: Key,
        _ entry: Entry,
        in entries: inout [Key: Entry],
        options: StorageOptions,
        path: String
    ) throws(EngineError) -> EnvironmentLease {
        guard entry.environment.options.isCompatible(with: options) else {
            throw EngineError(
                .invalidArgument,
                "The file is open in this process with other settings (read-only, immutable or in-memory).",
                detail: .otherSettings,
                path: path
            )
        }
        entries[key]?.leases += 1
        return lease(entry.environment, key)
    }

    private func lease(_ environment: StorageEnvironment, _ key: Key) -> EnvironmentLease {
        // In a forked child, the lease, the environment and this registry belong to the parent.
        EnvironmentLease(environment) { [self] in if environment.belongsToThisProcess { release(key) } }
    }

    private func release(_ key: Key) {
        let closed = entries.withLock { entries -> StorageEnvironment? in
            guard var entry = entries[key] else { return nil }
            entry.leases -= 1
            entries[key] = entry
            return closeIfUnused(key, &entries)
        }
        // The last reference is released outside the lock.
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

/// A use of a registered environment. It ends when the lease is deallocated. Keep the lease as long as the environment. Without leases and readers,
/// the environment closes.
final class EnvironmentLease: Sendable {
    let environment: StorageEnvironment
    private let end: @Sendable () -> Void

    fileprivate init(_ environment: StorageEnvironment, _ end: @escaping @Sendable () -> Void) {
        self.environment = environment
        self.end = end
    }

    deinit { end() }
}
