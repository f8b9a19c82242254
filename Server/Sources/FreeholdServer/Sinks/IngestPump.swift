import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
import FreeholdServerStore
import FreeholdSyncCore

/// A pump that delivers the objects of a class to a sink while ``run()`` runs.
///
/// ```swift
/// let pump = IngestPump(
///     StoreIngestSource(store, stream: StreamName(app: "shop"), className: "Reading"),
///     to: try FileSink("/srv/readings", name: "reading"),
///     ledger: "/srv/freehold/ingest/shop-Reading")
/// async let end: Void = pump.run()
/// …
/// pump.wake()                                     // after a commit with objects
/// ```
///
/// **Each object is delivered at least once.** The position is stored in the ledger, a separate file, which is written
/// after each delivered batch. If the process ends before that, the batch is delivered again. ``FileSink`` skips the
/// objects that it already has, so that it writes each object once.
///
/// **A store that was restored** to an earlier state is recognised by its hash. The pump then returns to its position
/// at that state.
///
/// **Back-pressure.** Waiting objects are in the store. Only one batch is in memory. ``status`` has the number of
/// waiting objects.
public actor IngestPump {
    public struct Options: Sendable {
        /// The maximum number of objects of a batch.
        public var batchObjects: Int
        /// The approximate maximum size of a batch's documents, in bytes.
        public var batchBytes: Int
        /// The interval at which the store is read without a call of ``IngestPump/wake()``.
        public var idle: Duration
        public var backoff: IngestBackoff
        /// A Boolean value that indicates whether delivered objects are removed from the store. A later object with the
        /// same key is then a new one.
        public var removesDelivered: Bool

        public init(
            batchObjects: Int = 5_000,
            batchBytes: Int = 4 << 20,
            idle: Duration = .seconds(1),
            backoff: IngestBackoff = IngestBackoff(),
            removesDelivered: Bool = false
        ) {
            self.batchObjects = max(batchObjects, 1)
            self.batchBytes = max(batchBytes, 1)
            self.idle = idle
            self.backoff = backoff
            self.removesDelivered = removesDelivered
        }
    }

    public struct Status: Sendable {
        /// The number of objects that were delivered since the ledger was created.
        public var delivered: Int64 = 0
        /// The number of objects that were delivered since the pump was created.
        public var deliveredHere: Int64 = 0
        /// The approximate number of undelivered objects at the last count.
        public var waiting = 0
        /// The number of failures since the last delivered batch.
        public var failures = 0
        public var lastFailure: String?
        /// The number of times that the store had another history than the ledger.
        public var replacements = 0
    }

    private let source: any IngestSource
    private let sink: any IngestSink
    private let openLedgerFile: @Sendable () throws -> any IngestLedger
    private let options: Options
    private let now: @Sendable () -> Int64
    private let queue = DispatchQueue(label: "freehold.server.ingest")
    private let bell = Bell()
    /// The ledger. `nil` until the pump runs.
    private var ledger: LedgerBox?
    private var record = IngestRecord()
    private var isSettled = false
    public private(set) var status = Status()

    /// - Parameters:
    ///   - ledger: The path of a file with the position, for this source and this sink only. It is created if it
    ///     doesn't exist. Its folder must exist.
    public init(_ source: any IngestSource, to sink: any IngestSink, ledger: String, options: Options = Options()) {
        self.init(source, to: sink, ledger: ledger, options: options, calls: .system, now: HookClock.now)
    }

    package init(
        _ source: any IngestSource,
        to sink: any IngestSink,
        ledger: String,
        options: Options,
        calls: DiskCalls,
        now: @escaping @Sendable () -> Int64
    ) {
        self.init(source, to: sink, options: options, now: now) { try SlotFile(ledger, calls: calls) }
    }

    /// - Parameter ledger: A closure that opens the ledger, which is for this source and this sink only. It may block.
    init(
        _ source: any IngestSource,
        to sink: any IngestSink,
        options: Options,
        now: @escaping @Sendable () -> Int64 = HookClock.now,
        ledger: @escaping @Sendable () throws -> any IngestLedger
    ) {
        self.source = source
        self.sink = sink
        self.options = options
        self.now = now
        openLedgerFile = ledger
    }

    /// Notifies the pump of new objects. Any thread may call it.
    public nonisolated func wake() { bell.ring() }

    /// Delivers objects until the task is cancelled. The present batch is then finished or abandoned.
    ///
    /// - Throws: `IngestFailure` if another process uses the ledger. After all other failures, the delivery is repeated
    ///   without a limit: see ``status``.
    public func run() async throws {
        do { try await work() } catch {
            await close()
            throw error
        }
        await close()
    }

    private func work() async throws {
        while !Task.isCancelled {
            do {
                let isMore = try await deliverBatch()
                status.failures = 0
                status.lastFailure = nil
                if !isMore { await bell.wait(options.idle) }
            } catch let failure as IngestFailure where failure.isInUse {
                throw failure
            } catch is CancellationError {
                return
            } catch {
                status.failures += 1
                status.lastFailure = "\(error)"
                let pause = options.backoff.pause(after: status.failures, asked: (error as? IngestFailure)?.pause)
                // New objects don't shorten the pause.
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Delivers the present objects, and returns. It is for tools and tests.
    ///
    /// - Throws: The first failure.
    public func drain() async throws {
        do { while try await deliverBatch() { try Task.checkCancellation() } } catch {
            await close()
            throw error
        }
        await close()
    }

    /// Closes the ledger and the sink, so that other processes can use their files.
    package func close() async {
        guard let ledger else { return }
        self.ledger = nil
        isSettled = false
        try? await perform { ledger.file.close() }
        await sink.close()
    }

    // MARK: One batch

    /// Delivers a batch.
    ///
    /// - Returns: A Boolean value that indicates whether more objects may wait.
    package func deliverBatch() async throws -> Bool {
        try await openLedger()
        try await settle()
        let source = source
        let (position, options) = (record.position, options)
        let pending = record.batch
        let page = try await perform {
            try source.page(
                after: position,
                upTo: pending?.end,
                count: pending == nil ? options.batchObjects : .max,
                bytes: pending == nil ? options.batchBytes : .max
            )
        }
        guard page.position != position || pending != nil else {
            status.waiting = 0
            return false
        }
        var batch =
            pending
            ?? IngestRecord.Batch(
                end: page.position,
                cursor: page.cursor,
                key: Self.key(source, position, page),
                firstAttempt: now()
            )
        if !page.objects.isEmpty {
            if sink.needsSameBatches, pending == nil {
                var noted = record
                noted.batch = batch
                try await write(noted)
            }
            let notes = try await sink.deliver(
                IngestBatch(
                    stream: source.stream,
                    className: source.className,
                    key: batch.key,
                    objects: page.objects,
                    firstAttempt: batch.firstAttempt
                )
            )
            record.notes = notes
        }
        batch.end = pending?.end ?? page.position
        var next = record
        next.batch = nil
        next.delivered += Int64(page.objects.count)
        next.add(.init(position: batch.end, cursor: batch.cursor))
        try await write(next)
        status.delivered = next.delivered
        status.deliveredHere += Int64(page.objects.count)
        let isMore = page.hasMore || pending != nil
        try await tidy(isMore)
        return isMore
    }

    /// Counts the objects that aren't delivered yet, even if the sink can't be reached.
    ///
    /// - Returns: The number, or `nil` while the ledger isn't open.
    package func countWaiting() async throws -> Int? {
        guard ledger != nil else { return nil }
        try await settle()
        let (source, position) = (source, record.position)
        status.waiting = try await perform { try source.count(after: position) }
        return status.waiting
    }

    private func tidy(_ isMore: Bool) async throws {
        let (source, position) = (source, record.position)
        if options.removesDelivered { try await perform { try source.remove(upTo: position) } }
        status.waiting = isMore ? try await perform { try source.count(after: position) } : 0
    }

    /// Returns the key of a batch. The same objects of the same history have the same key.
    private static func key(_ source: any IngestSource, _ position: IngestPosition, _ page: IngestedPage) -> String {
        var bytes = Array("\(source.stream.app)\0\(source.className)\0".utf8)
        if let value = source.stream.value { bytes += Array("\(value)".utf8) }
        let numbers = [position.row, position.other, page.position.row, page.position.other]
        bytes += Array("\0\(page.cursor.epoch) \(numbers) \(page.objects.count)".utf8)
        // The objects distinguish two stores whose epochs are equal by chance.
        if let first = page.objects.first, let last = page.objects.last {
            bytes += Array("\0\(first.document)\0\(last.document)".utf8)
        }
        let hash = RunningHash.empty.appending(bytes)
        func hex(_ word: UInt64) -> String {
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        return hex(hash.high) + hex(hash.low)
    }

    // MARK: The ledger

    private func openLedger() async throws {
        guard ledger == nil else { return }
        let openLedgerFile = openLedgerFile
        let box = try await perform { LedgerBox(file: try openLedgerFile()) }
        let known = IngestRecord(box.file.document)
        do { try await sink.resume(known.notes) } catch {
            try? await perform { box.file.close() }
            throw error
        }
        (ledger, record) = (box, known)
        status.delivered = known.delivered
    }

    /// Checks whether the store has the history of the ledger. If not, returns to the last common position.
    private func settle() async throws {
        guard !isSettled else { return }
        let source = source
        var known = record
        while let last = known.checkpoints.last {
            let hash = try await perform { try source.hash(at: last.cursor.version) }
            if hash == last.cursor.hash { break }
            known.checkpoints.removeLast()
        }
        if let batch = known.batch {
            let hash = try await perform { try source.hash(at: batch.cursor.version) }
            if hash != batch.cursor.hash || known.checkpoints.count < record.checkpoints.count { known.batch = nil }
        }
        if known != record {
            status.replacements += 1
            try await write(known)
        }
        isSettled = true
    }

    private func write(_ next: IngestRecord) async throws {
        guard let ledger else { return }
        let document = next.document
        try await perform { try ledger.file.write(document) }
        record = next
    }

    /// Runs a closure that may block on a separate queue.
    private func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

/// The ledger. It is only used on the pump's queue, by one call after the other.
private final class LedgerBox: @unchecked Sendable {
    let file: any IngestLedger

    init(file: any IngestLedger) { self.file = file }
}

extension IngestFailure {
    /// A Boolean value that indicates whether another pump uses the ledger.
    var isInUse: Bool { code == EWOULDBLOCK }
}
