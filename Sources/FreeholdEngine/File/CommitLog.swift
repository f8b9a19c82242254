import CFreeholdLMDB
internal import CFreeholdShims

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The commit log of an environment. It appends the commits of this process to the log, and waits for flushes. `docs/commit-log.md` describes how the
/// log works, and why a crash at any point leaves a valid file.
///
/// Changes of the log take place on the thread that holds the writer lock. Any thread may wait for a flush. The class is Sendable because the
/// signal's lock guards the state.
final class CommitLog: @unchecked Sendable {
    /// The time without writes after which the log is ended.
    static let patience = Duration.seconds(1)
    private let capacity: Int
    /// The size above which a transaction isn't logged.
    private var recordLimit: Int { capacity / 4 }
    /// The minimum growth of the data file between two checkpoints.
    private var growthLimit: UInt64 { UInt64(capacity) * 4 }

    /// The generation that this process owns. It is the newest one as long as the mark in the data file is its own.
    private struct Session {
        let file: CommitLogFile
        let head: CommitLogHead
        /// The position of the next record.
        var end = CommitLogFile.firstRecord
        /// The version of the newest record.
        var version: UInt64
        /// A read transaction on the version of the checkpoint.
        let pin: UInt
    }

    private let signal = ThreadSignal()
    /// A signal that wakes the idle watch when the environment closes. Its lock is never held together with another one.
    private let closing = ThreadSignal()
    /// A Boolean value that indicates whether the file can have a log, because it has the feature.
    private var isPossible = false
    /// A Boolean value that indicates whether this process should begin a log.
    private var isWanted = false
    private var session: Session?
    /// The log file that was used last.
    private var file: CommitLogFile?
    /// The newest version of this process whose record was written. `durable` is the newest version that is on the disk.
    private var appended: UInt64 = 0
    private var durable: UInt64 = 0
    private var isFlushing = false
    /// The error because of which writes fail until a checkpoint succeeds.
    private var failure: EngineError?
    private var lastUse = ContinuousClock.now
    private var isWatched = false
    /// Guarded by the lock of `closing`.
    private var isClosed = false
    /// A Boolean value that indicates whether the log couldn't be created. The next attempt is made when the file is opened again.
    private var isHopeless = false

    init(capacity: Int) { self.capacity = max(capacity, 64 << 10) }

    /// Allows a log. It is called by the reader of the file's header.
    func allow(isWanted: Bool) {
        signal.withLock {
            isPossible = true
            if isWanted { self.isWanted = true }
        }
    }

    /// The version that this process pins for its log.
    var pinnedVersion: UInt64? { signal.withLock { session?.head.version } }

    private var flushes = 0
    private var checkpoints = 0
    /// The numbers of flushes of commits and of checkpoints of this process. For tests.
    var counts: (flushes: Int, checkpoints: Int) { signal.withLock { (flushes, checkpoints) } }

    // MARK: The writer

    /// Ensures that the following writes are logged in a generation of this process, or not at all. It is called before LMDB's transaction begins.
    ///
    /// - Returns: whether commits are logged.
    /// - Throws: the error because of which an existing log can't be ended.
    func prepare(_ environment: StorageEnvironment) throws(EngineError) -> Bool {
        let (isPossible, session, failure) = signal.withLock { (self.isPossible, self.session, self.failure) }
        guard isPossible else { return false }
        let mark = CommitLogMark.read(environment.descriptor)
        if let session, failure == nil, mark == .set(session.head.mark),
            session.version == environment.environmentInfo().me_last_txnid.asUInt64
        {
            signal.withLock { lastUse = .now }
            return true
        }
        let wantsLog = signal.withLock { isWanted && !isHopeless }
        if wantsLog {
            do throws(EngineError) {
                try begin(environment, after: mark)
                return true
            } catch {
                // Only a checkpoint can repair a failed flush.
                if signal.withLock({ self.failure }) != nil { throw self.failure(error, environment) }
                signal.withLock { isHopeless = true }
            }
        }
        if CommitLogMark.read(environment.descriptor) != .clear || session != nil { try end(environment) }
        return false
    }

    func makeRecord() -> CommitLogRecord { CommitLogRecord(limit: recordLimit) }

    /// Writes the record after LMDB's commit, under the writer lock. Makes a checkpoint if the log has too little space.
    ///
    /// - Throws: `.environmentFailed`. It is unknown whether the version survives a crash.
    func append(
        _ record: CommitLogRecord,
        version: UInt64,
        _ environment: StorageEnvironment
    ) throws(EngineError) {
        var record = record
        let (session, durable) = signal.withLock { (self.session!, self.durable) }
        let bytes = record.finish(session.head.mark.salt, version: version, durable: durable)
        let used = environment.bytes(ofPages: 0, behind: environment.environmentInfo().me_last_pgno) ?? .max
        if let bytes, session.end + bytes.count <= capacity,
            used < session.head.fileSize + max(growthLimit, session.head.fileSize / 8)
        {
            var code = environment.options.faults?.error(at: .logWrite) ?? 0
            if code == 0 { code = session.file.write(bytes, at: session.end) }
            if code == 0 {
                let isFirst = signal.withLock {
                    self.session!.end = CommitLogRecord.end(session.end, size: bytes.count)
                    self.session!.version = version
                    appended = version
                    defer { isWatched = true }
                    return !isWatched
                }
                if isFirst { WorkerPool.current.run(IdleWatch(self, environment)) }
                return
            }
        }
        do throws(EngineError) { try begin(environment, after: .set(session.head.mark)) } catch {
            throw failure(error, environment)
        }
    }

    private func failure(_ reason: EngineError, _ environment: StorageEnvironment) -> EngineError {
        let failure = EngineError(
            .environmentFailed,
            "The commit log can't be written (\(reason.message)). Whether the last commits are on the disk isn't known; nothing is written until the file has been flushed.",
            path: environment.path,
            underlying: reason.underlying
        )
        signal.withLock {
            self.failure = failure
            signal.broadcast()
        }
        return failure
    }

    // MARK: Generations

    /// Flushes the data file. After a failure it is unknown what the disk contains, and later flushes don't change that.
    private func flush(_ environment: StorageEnvironment) throws(EngineError) {
        try flush(environment) { fh_sync(environment.descriptor) }
    }

    private func flush(_ environment: StorageEnvironment, _ body: () -> Int32) throws(EngineError) {
        var code = environment.options.faults?.error(at: .sync) ?? 0
        if code == 0 { code = body() }
        if code == 0 { return }
        let reason = environment.error(code, "The file can't be flushed.")
        environment.markFailed(reason, isFatal: false)
        throw failure(reason, environment)
    }

    /// Writes the mark, or clears it, and flushes the data file.
    private func write(_ mark: CommitLogMark?, _ environment: StorageEnvironment) throws(EngineError) {
        try flush(environment) { CommitLogMark.write(mark, to: environment.descriptor) }
    }

    /// Makes a checkpoint: all previous versions are on the disk, and a new generation begins.
    private func begin(_ environment: StorageEnvironment, after mark: CommitLogMark.Content) throws(EngineError) {
        guard environment.pageSize >= 4096 else { throw environment.error(EINVAL, "The pages are too small.") }
        try flush(environment)
        let (pin, version) = try environment.pinForLog()
        do throws(EngineError) {
            let old = signal.withLock { self.file }
            let file: CommitLogFile
            if let old, old.isLinked {
                file = old
            } else {
                file = try CommitLogFile.make(environment.path, mode: environment.fileMode, capacity: capacity)
            }
            // The head must not be on the page of the mark's head. It must be newer than all heads of the file's earlier generations.
            let last: UInt64
            if case .set(let old) = mark {
                last = old.generation
            } else {
                last = max(file.head(0)?.mark.generation ?? 0, file.head(1)?.mark.generation ?? 0)
            }
            let head = try environment.logHead(
                CommitLogMark(generation: last + 1, salt: .random()),
                version: version
            )
            var code = environment.options.faults?.error(at: .logWrite) ?? 0
            if code == 0 { code = file.write(head) }
            if code == 0 { code = environment.options.faults?.error(at: .logSync) ?? 0 }
            if code == 0 { code = file.sync() }
            guard code == 0 else { throw environment.error(code, "The commit log can't be written.") }
            try write(head.mark, environment)
            let pinned = signal.withLock {
                let pinned = session?.pin
                session = Session(file: file, head: head, version: version, pin: pin)
                self.file = file
                settle(version)
                checkpoints += 1
                lastUse = .now
                return pinned
            }
            if let pinned { environment.unpin(pinned) }
        } catch {
            environment.unpin(pin)
            throw error
        }
    }

    /// Records that all versions are on the disk. The caller holds the signal's lock.
    private func settle(_ version: UInt64) {
        appended = version
        durable = version
        failure = nil
        signal.broadcast()
    }

    /// Ends the log. Afterwards the data file is complete without it. The caller holds the writer lock.
    private func end(_ environment: StorageEnvironment) throws(EngineError) {
        environment.trimMuch()
        try flush(environment)
        try write(nil, environment)
        let version = environment.environmentInfo().me_last_txnid.asUInt64
        let pin = signal.withLock {
            let pin = session?.pin
            session = nil
            settle(version)
            return pin
        }
        if let pin { environment.unpin(pin) }
    }

    /// Closes the log when the environment closes, after all reads and writes have ended.
    ///
    /// - Returns: whether a log still exists, which the last process has to play.
    func close(_ environment: StorageEnvironment) -> Bool {
        closing.withLock {
            isClosed = true
            closing.broadcast()
        }
        let (session, file, isPossible) = signal.withLock { (self.session, self.file, self.isPossible) }
        guard isPossible else { return false }
        // If another process holds the lock, that process ends the log, or the next process that opens the file.
        if (try? environment.writerLock.tryAcquire()) == true {
            if let session, CommitLogMark.read(environment.descriptor) == .set(session.head.mark) {
                try? end(environment)
            }
            if let file, CommitLogMark.read(environment.descriptor) == .clear, file.isLinked { unlink(file.path) }
            environment.writerLock.release()
        }
        let pin = signal.withLock {
            let pin = self.session?.pin
            self.session = nil
            return pin
        }
        if let pin { environment.unpin(pin) }
        return CommitLogMark.read(environment.descriptor) != .clear
    }

    // MARK: Waiting

    /// Waits until a version of this process is on the disk. Any thread may call it, without the writer lock.
    ///
    /// - Throws: `.environmentFailed`. It is unknown whether the version survives a crash.
    func waitUntilDurable(_ version: UInt64, _ environment: StorageEnvironment) throws(EngineError) {
        signal.lock()
        while true {
            if durable >= version {
                signal.unlock()
                return
            }
            if let failure {
                signal.unlock()
                throw failure
            }
            // The version wasn't logged. It was flushed when it was committed.
            guard appended >= version, let file else {
                signal.unlock()
                return
            }
            guard !isFlushing else {
                signal.wait()
                continue
            }
            isFlushing = true
            let target = appended
            signal.unlock()
            var code = environment.options.faults?.error(at: .logSync) ?? 0
            if code == 0 { code = file.sync() }
            if code != 0 { _ = failure(environment.error(code, "It can't be flushed."), environment) }
            signal.lock()
            isFlushing = false
            flushes += 1
            if code == 0 { durable = max(durable, target) }
            signal.broadcast()
        }
    }

    /// Waits until all previous commits of all processes that are in the log are on the disk.
    ///
    /// - Returns: false if the data file has to be flushed.
    func makeDurable(_ environment: StorageEnvironment) throws(EngineError) -> Bool {
        guard signal.withLock({ isPossible }) else { return false }
        guard case .set(let mark) = CommitLogMark.read(environment.descriptor) else { return false }
        let version = signal.withLock { session?.head.mark == mark ? appended : nil }
        if let version {
            try waitUntilDurable(version, environment)
            return true
        }
        // The log belongs to another process. If that process ends it in the meantime, the flush of the data file is sufficient.
        if let file = try CommitLogFile.open(environment.path) {
            let code = file.sync()
            guard code == 0 else { throw environment.error(code, "The commit log can't be flushed.") }
        }
        return false
    }

    // MARK: Ending an idle log

    /// A watch that ends the log after a time without writes, and releases the pin if another process owns the log.
    private final class IdleWatch: WorkerTask {
        private let log: CommitLog
        private let environment: WeakEnvironment

        private final class WeakEnvironment: @unchecked Sendable {
            weak var environment: StorageEnvironment?
            init(_ environment: StorageEnvironment) { self.environment = environment }
        }

        init(_ log: CommitLog, _ environment: StorageEnvironment) {
            self.log = log
            self.environment = WeakEnvironment(environment)
        }

        func run() {
            while log.waitForIdleness() {
                guard let environment = environment.environment else { return }
                if environment.usingFile({ log.rest(environment) }) ?? true { return }
            }
        }
    }

    /// - Returns: false if the environment closes.
    private func waitForIdleness() -> Bool {
        while true {
            let rest = Self.patience - (.now - signal.withLock { lastUse })
            let isClosed = closing.withLock {
                if !self.isClosed, rest > .zero { closing.wait(for: rest) }
                return self.isClosed
            }
            if isClosed { return !stopWatching() }
            if rest <= .zero { return true }
        }
    }

    /// - Returns: whether the watch ends, because no log has to be ended.
    private func rest(_ environment: StorageEnvironment) -> Bool {
        let hasLock = (try? environment.writerLock.tryAcquire()) == true
        defer { if hasLock { environment.writerLock.release() } }
        let (session, isIdle) = signal.withLock { (self.session, .now - lastUse >= Self.patience) }
        guard isIdle else { return false }
        guard let session else { return stopWatching() }
        if CommitLogMark.read(environment.descriptor) != .set(session.head.mark) {
            // Another process has begun a generation, or is about to, and writes nothing before that. The release of the pin only
            // makes pages available again.
            drop(session, environment)
            return stopWatching()
        }
        if hasLock, (try? end(environment)) != nil { return stopWatching() }
        signal.withLock { lastUse = .now }
        return false
    }

    private func stopWatching() -> Bool {
        signal.withLock { isWatched = false }
        return true
    }

    private func drop(_ session: Session, _ environment: StorageEnvironment) {
        let isThere = signal.withLock {
            guard self.session?.head.mark == session.head.mark else { return false }
            self.session = nil
            return true
        }
        if isThere { environment.unpin(session.pin) }
    }
}
