import Dispatch
import FreeholdServerStore
import FreeholdSyncCore
import Logging
import Metrics

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A service that delivers the objects of asymmetric classes to their sinks, with a pump for each stream and class with
/// a sink.
///
/// A pump works while its stream has objects to deliver. At most ``openLanes`` pumps have open files, regardless of the
/// number of streams. If more objects wait than a sink's settings allow, ``hold`` is called: then uploads of the class
/// have to wait.
actor IngestService {
    private let store: any IngestStore
    private let folder: String
    private let logger: Logger
    private let factory: any MetricsFactory
    private let hold: @Sendable ([SyncString: Set<SyncString>]) -> Void
    private let backoff: IngestBackoff
    private let openLanes: Int
    private let queue = DispatchQueue(label: "freehold.server.ingest-service")

    private var outlets: [IngestOutlet.Key: IngestOutlet] = [:]
    private var lanes: [IngestLane.Key: IngestLane] = [:]
    /// The lanes with open files. There are at most ``openLanes``.
    private var open: [IngestLane] = []
    private var uses: UInt64 = 0
    private var queued: [CheckedContinuation<Void, Never>] = []
    private var isStopping = false
    private var watch: Task<Void, Never>?

    /// - Parameters:
    ///   - folder: The folder for ledgers and dead letters. It is created when it is needed.
    ///   - hold: A closure that receives the classes, by app, whose uploads have to wait. It is called when they have
    ///     changed.
    init(
        _ store: any IngestStore,
        folder: String,
        logger: Logger,
        metrics: any MetricsFactory,
        backoff: IngestBackoff = IngestBackoff(),
        openLanes: Int = 32,
        hold: @escaping @Sendable ([SyncString: Set<SyncString>]) -> Void
    ) {
        (self.store, self.folder, self.logger, self.factory) = (store, folder, logger, metrics)
        (self.backoff, self.openLanes, self.hold) = (backoff, max(openLanes, 1), hold)
    }

    // MARK: Settings

    /// Applies new settings of sinks. Sinks with unchanged settings continue. A sink with new settings continues at the
    /// position of the old one.
    func follow(_ sinks: [SyncString: [SinkSettings]]) async {
        guard !isStopping else { return }
        var wanted: [IngestOutlet.Key: SinkSettings] = [:]
        for (app, settings) in sinks {
            for one in settings { wanted[.init(app: app, className: SyncString(one.className))] = one }
        }
        let gone = outlets.filter { wanted[$0.key] != $0.value.settings }
        for key in gone.keys { outlets[key] = nil }
        await end(lanes.values.filter { gone[$0.outlet.key] != nil })
        for outlet in gone.values { outlet.end() }
        let new = wanted.filter { outlets[$0.key] == nil }
        for (key, settings) in new {
            let metrics = SinkMetrics(app: key.app.string, className: key.className.string, factory)
            outlets[key] = IngestOutlet(key, settings, metrics)
            logger.info(
                "objects are handed on",
                metadata: ["app": "\(key.app.string)", "class": "\(settings.className)"]
            )
        }
        if !gone.isEmpty { tellHeld() }
        if !new.isEmpty { await findStreams(of: Set(new.keys)) }
        if watch == nil, !outlets.isEmpty { startWatch() }
    }

    /// Wakes the lanes of streams that may have objects which were added before the start of the service.
    private func findStreams(of keys: Set<IngestOutlet.Key>) async {
        let store = store
        do {
            let logger = logger
            let streams = try await perform {
                try store.streams {
                    logger.error("a stream can't be read", metadata: ["file": "\($0)", "reason": "\($1)"])
                }
            }
            for stream in streams {
                for key in keys where key.app == stream.app { wake(.init(stream: stream, className: key.className)) }
            }
        } catch { logger.error("streams can't be read", metadata: ["reason": "\(error)"]) }
    }

    /// Notifies the service of the objects of a commit. Any thread may call it.
    nonisolated func ingested(_ stream: StreamName, _ counts: [SyncString: Int]) {
        Task { await self.note(stream, counts) }
    }

    private func note(_ stream: StreamName, _ counts: [SyncString: Int]) {
        for (className, count) in counts {
            guard let lane = wake(.init(stream: stream, className: className)) else { continue }
            // A lane that failed may have counted some of these objects already.
            if lane.state == .pausing, lane.isOpen {
                Task { await self.count(lane.key) }
            } else {
                change(lane, waiting: lane.waiting + count)
            }
        }
    }

    private func count(_ key: IngestLane.Key) async { if let lane = lanes[key] { await count(lane) } }

    private func count(_ lane: IngestLane) async {
        lane.isCountOld = true
        guard !lane.isCounting, let pump = lane.pump else { return }
        lane.isCounting = true
        while lane.isCountOld {
            lane.isCountOld = false
            if let waiting = try? await pump.countWaiting() { change(lane, waiting: waiting) }
        }
        lane.isCounting = false
    }

    /// Starts a task for writes of other processes, such as an import. It checks the apps' own streams from time to time. The streams of users
    /// are only checked after a commit.
    private func startWatch() {
        watch = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(10))
                await self?.wakeMainStreams()
            }
        }
    }

    func wakeMainStreams() async {
        let store = store
        for key in outlets.keys {
            let stream = StreamName(app: key.app)
            // An app with streams of users may have no stream of its own.
            guard (try? await perform { try store.exists(stream) }) == true else { continue }
            wake(.init(stream: stream, className: key.className))
        }
        let abandoned = try? await perform { try store.abandoned().map { IngestLane.Key(stream: $0, className: $1) } }
        for key in abandoned ?? [] { wake(key) }
    }

    // MARK: Lanes

    @discardableResult
    private func wake(_ key: IngestLane.Key) -> IngestLane? {
        guard !isStopping, let outlet = outlets[.init(app: key.stream.app, className: key.className)] else {
            return nil
        }
        let lane = lanes[key] ?? IngestLane(key, outlet)
        guard lane.outlet === outlet else { return nil }
        lanes[key] = lane
        lane.isWoken = true
        if lane.task == nil { lane.task = Task { await self.work(key) } }
        return lane
    }

    /// Delivers until no objects wait. A lane has one such call at a time.
    private func work(_ key: IngestLane.Key) async {
        guard let lane = lanes[key] else { return }
        while !isStopping, !Task.isCancelled {
            lane.isWoken = false
            if !lane.isOpen { await makeRoom(for: lane) }
            guard !isStopping, !Task.isCancelled else { break }
            lane.state = .working
            do {
                let isMore = try await deliver(lane)
                lane.failures = 0
                if !isMore, store.isShared { await giveUp(lane) }
                guard isMore || lane.isWoken else { break }
                // The lane is closed, so that a waiting lane can be opened.
                if !queued.isEmpty, lane.batches >= 8 { await close(lane) }
            } catch is CancellationError {
                break
            } catch {
                await fail(lane, error)
            }
        }
        lane.state = .idle
        lane.task = nil
        uses += 1
        lane.lastUse = uses
        letNextIn()
        // Objects were added after the last check.
        if lane.isWoken, !isStopping, !Task.isCancelled { wake(key) }
    }

    /// Closes a lane, so that other servers can deliver its objects. If objects are added soon, the lane isn't closed, because opening a sink can
    /// take long.
    private func giveUp(_ lane: IngestLane) async {
        for _ in 0..<20 where !lane.isWoken && queued.isEmpty && !isStopping && !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
        if !lane.isWoken { await close(lane) }
    }

    private func deliver(_ lane: IngestLane) async throws -> Bool {
        let pump = try pump(of: lane)
        let isMore = try await pump.deliverBatch()
        let status = await pump.status
        lane.batches += 1
        lane.outlet.metrics.delivered.increment(by: status.deliveredHere - lane.delivered)
        lane.outlet.delivered += status.deliveredHere - lane.delivered
        lane.delivered = status.deliveredHere
        let givenUp = lane.sink?.givenUp ?? 0
        lane.outlet.metrics.givenUp.increment(by: givenUp - lane.givenUp)
        lane.outlet.givenUp += givenUp - lane.givenUp
        lane.givenUp = givenUp
        change(lane, waiting: status.waiting)
        return isMore
    }

    private func fail(_ lane: IngestLane, _ error: any Error) async {
        lane.failures += 1
        lane.outlet.metrics.failures.increment()
        lane.outlet.failures += 1
        lane.outlet.lastError = ("\(error)", Int64(Date().timeIntervalSince1970 * 1_000))
        // The first failure of a series is logged, and every twentieth one.
        if lane.failures == 1 || lane.failures % 20 == 0 {
            logger.warning(
                "objects can't be handed on",
                metadata: [
                    "app": "\(lane.key.stream.app.string)", "class": "\(lane.key.className.string)",
                    "reason": "\(error)", "failures": "\(lane.failures)",
                ]
            )
        }
        lane.state = .pausing
        await count(lane)
        // The lane is closed, because another server may be able to reach the receiver. A lost claim is made again when the lane is opened.
        if store.isShared { await close(lane) }
        uses += 1
        lane.lastUse = uses
        letNextIn()
        let failure = error as? IngestFailure
        var pause = backoff.pause(after: lane.failures, asked: failure?.pause)
        // Another server delivers the objects, and may end at any time.
        if store.isShared, failure?.isInUse == true { pause = min(pause, .seconds(5)) }
        try? await Task.sleep(for: pause)
    }

    private func change(_ lane: IngestLane, waiting: Int) {
        let difference = waiting - lane.waiting
        lane.waiting = waiting
        if lane.outlet.changeWaiting(by: difference), outlets[lane.outlet.key] === lane.outlet { tellHeld() }
    }

    private func tellHeld() {
        var held: [SyncString: Set<SyncString>] = [:]
        for (key, outlet) in outlets where outlet.isHolding { held[key.app, default: []].insert(key.className) }
        if !held.isEmpty { logger.warning("uploads wait: sinks don't keep up", metadata: ["classes": "\(held)"]) }
        hold(held)
    }

    private func pump(of lane: IngestLane) throws -> IngestPump {
        if let pump = lane.pump { return pump }
        let (stream, className, store) = (lane.key.stream, lane.key.className, store)
        let files = try SinkFiles(stream, className, folder: folder)
        let sink = try lane.outlet.settings.sink(files)
        let options = IngestPump.Options(removesDelivered: lane.outlet.settings.removesDelivered)
        let pump = IngestPump(store.source(of: stream, className: className), to: sink, options: options) {
            try store.ledger(of: stream, className: className, file: files.ledger)
        }
        (lane.pump, lane.sink) = (pump, sink)
        return pump
    }

    // MARK: Figures

    /// The state of the delivery of a class, for administrators.
    struct Figures: Sendable {
        let app: String
        let className: String
        let kind: String
        let waiting: Int
        let isHolding: Bool
        let delivered: Int64
        let givenUp: Int
        let failures: Int
        let lastError: (text: String, at: Int64)?
    }

    /// Returns the state of each sink, in the order of apps and classes.
    func figures(most: Int) -> [Figures] {
        outlets.sorted { ($0.key.app, $0.key.className) < ($1.key.app, $1.key.className) }.prefix(most).map {
            key,
            outlet in
            Figures(
                app: key.app.string,
                className: outlet.settings.className,
                kind: { if case .files = outlet.settings.target { "files" } else { "hook" } }(),
                waiting: outlet.waiting,
                isHolding: outlet.isHolding,
                delivered: outlet.delivered,
                givenUp: outlet.givenUp,
                failures: outlet.failures,
                lastError: outlet.lastError
            )
        }
    }

    // MARK: Open files

    private func makeRoom(for lane: IngestLane) async {
        while open.count >= openLanes, !isStopping, !Task.isCancelled {
            let resting = open.filter { $0.state == .idle || $0.state == .pausing }
            if let oldest = resting.min(by: { $0.lastUse < $1.lastUse }) {
                await close(oldest)
            } else {
                lane.state = .queued
                await withCheckedContinuation { queued.append($0) }
            }
        }
        (lane.isOpen, lane.batches) = (true, 0)
        open.append(lane)
    }

    private func close(_ lane: IngestLane) async {
        guard lane.isOpen else { return }
        lane.isOpen = false
        open.removeAll { $0 === lane }
        await lane.pump?.close()
        letNextIn()
    }

    private func letNextIn() { if !queued.isEmpty { queued.removeFirst().resume() } }

    /// Ends lanes. Their present batches are abandoned.
    private func end(_ ended: [IngestLane]) async {
        for lane in ended { lane.task?.cancel() }
        letAllIn()
        for lane in ended {
            await lane.task?.value
            await close(lane)
            if lanes[lane.key] === lane { lanes[lane.key] = nil }
        }
    }

    private func letAllIn() {
        for continuation in queued { continuation.resume() }
        queued = []
    }

    // MARK: The end

    /// Finishes the present batches within a time limit, and ends the service. The remaining objects are delivered
    /// after the next start of a server.
    func stop(after limit: Duration) async {
        guard !isStopping else { return }
        isStopping = true
        watch?.cancel()
        letAllIn()
        let all = Array(lanes.values)
        for lane in all where lane.state == .pausing { lane.task?.cancel() }
        let timer = Task { if (try? await Task.sleep(for: limit)) != nil { self.giveUp() } }
        for lane in all { await lane.task?.value }
        timer.cancel()
        for lane in all { await close(lane) }
        lanes = [:]
    }

    private func giveUp() { for lane in lanes.values { lane.task?.cancel() } }

    private func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
