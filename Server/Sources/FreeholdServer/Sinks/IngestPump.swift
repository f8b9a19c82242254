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

/// Hands objects of a class on to a sink, for as long as ``run()`` runs.
///
/// ```swift
/// let pump = IngestPump(
///     StoreIngestSource(store, stream: StreamName(app: "shop"), className: "Reading"),
///     to: try FileSink("/srv/readings", name: "reading"),
///     ledger: "/srv/freehold/ingest/shop-Reading")
/// async let end: Void = pump.run()
/// …
/// pump.wake()                                     // a commit took objects in
/// ```
///
/// **At least once.** How far it is lies in the ledger, a file of its own, which is written when a batch was delivered. Whatever dies in
/// between, the batch is delivered again. ``FileSink`` leaves out what it has, so that there each object is once.
///
/// **A store that was put back** to an older state is noticed by its hash: the pump goes back to where it was then.
///
/// **Back-pressure.** Objects wait in the store, not in memory: one batch is. ``status`` says how many wait.
public actor IngestPump {
    public struct Options: Sendable {
        /// The most objects of a batch.
        public var batchObjects: Int
        /// About how many bytes of documents a batch has.
        public var batchBytes: Int
        /// How often the store is asked while nobody calls ``IngestPump/wake()``.
        public var idle: Duration
        public var backoff: IngestBackoff
        /// Whether objects that were delivered leave the store. An object of the same key that comes later is then a new one.
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
        /// Since the ledger was made.
        public var delivered: Int64 = 0
        /// Since the pump was made.
        public var deliveredHere: Int64 = 0
        /// About how many objects aren't delivered yet, when it was last looked at.
        public var waiting = 0
        /// Failures since the last batch that was delivered.
        public var failures = 0
        public var lastFailure: String?
        /// How often the store turned out to be another than the ledger's.
        public var replacements = 0
    }

    private let source: any IngestSource
    private let sink: any IngestSink
    private let path: String
    private let options: Options
    private let calls: DiskCalls
    private let now: @Sendable () -> Int64
    private let queue = DispatchQueue(label: "freehold.server.ingest")
    private let bell = Bell()
    /// Nil until it runs.
    private var ledger: LedgerBox?
    private var record = IngestRecord()
    private var isSettled = false
    public private(set) var status = Status()

    /// - Parameters:
    ///   - ledger: a file for how far it is, of this source and this sink only. Made if it isn't there; its folder must be there.
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
        self.source = source
        self.sink = sink
        path = ledger
        self.options = options
        self.calls = calls
        self.now = now
    }

    /// Says that there may be new objects. Any thread may call it.
    public nonisolated func wake() { bell.ring() }

    /// Delivers until the task is cancelled; a batch that is at work is finished, or given up.
    ///
    /// - Throws: `IngestFailure`, if another process has the ledger. Other failures are tried again, for ever: see ``status``.
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
            } catch let failure as IngestFailure where failure.isForGood {
                throw failure
            } catch is CancellationError {
                return
            } catch {
                status.failures += 1
                status.lastFailure = "\(error)"
                let pause = options.backoff.pause(after: status.failures, asked: (error as? IngestFailure)?.pause)
                // New objects are no reason to hurry.
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Delivers what is there, and returns. For tools and tests.
    ///
    /// - Throws: the first failure.
    public func drain() async throws {
        do { while try await deliverBatch() { try Task.checkCancellation() } } catch {
            await close()
            throw error
        }
        await close()
    }

    /// Lets others have the ledger, and the sink's files.
    package func close() async {
        guard let ledger else { return }
        self.ledger = nil
        isSettled = false
        try? await perform { ledger.file.close() }
        await sink.close()
    }

    // MARK: One batch

    /// - Returns: whether there may be more.
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

    /// Looks how many objects aren't delivered yet, whether or not the sink can be reached.
    ///
    /// - Returns: nil while the ledger isn't open.
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

    /// The same for the same objects of the same history.
    private static func key(_ source: any IngestSource, _ position: IngestPosition, _ page: IngestedPage) -> String {
        var bytes = Array("\(source.stream.app)\0\(source.className)\0".utf8)
        if let value = source.stream.value { bytes += Array("\(value)".utf8) }
        let numbers = [position.row, position.other, page.position.row, page.position.other]
        bytes += Array("\0\(page.cursor.epoch) \(numbers) \(page.objects.count)".utf8)
        // Two stores that began at the same epoch by chance differ in their objects.
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
        let (path, calls) = (path, calls)
        let box = try await perform { LedgerBox(file: try SlotFile(path, calls: calls)) }
        let known = IngestRecord(box.file.document)
        do { try await sink.resume(known.notes) } catch {
            try? await perform { box.file.close() }
            throw error
        }
        (ledger, record) = (box, known)
        status.delivered = known.delivered
    }

    /// Finds out whether the store is the ledger's, or goes back to where they parted.
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

    /// Does on a thread of its own what may block.
    private func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

/// The ledger's file. Only touched on the pump's queue, one call after the other.
private final class LedgerBox: @unchecked Sendable {
    let file: SlotFile

    init(file: SlotFile) { self.file = file }
}

extension IngestFailure {
    /// Nothing that time cures.
    fileprivate var isForGood: Bool { code == EWOULDBLOCK }
}
