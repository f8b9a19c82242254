import Dispatch
import Foundation
import Freehold
import Synchronization
import TestHerd
import TestRandom
import TestScript
import Testing

/// The herd's observers on a queue.
private final class WatchingQueue: @unchecked Sendable {
    // Used on the queue.
    private let queue = DispatchQueue(label: "watching")
    private let configuration: Realm.Configuration
    private var watch: HerdWatch?

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func begin() throws { try queue.sync { watch = HerdWatch(try Realm(configuration: configuration, queue: queue)) } }

    func write(_ body: (Realm) throws -> Void) throws {
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write { try body(realm) }
        }
    }

    func check() -> (failures: [String], calls: Int) { queue.sync { (watch!.check(), watch!.calls) } }

    func end() { queue.sync { watch = nil } }
}

/// One observer of the herd on an actor, as a sequence.
private actor WatchingActor {
    private(set) var failure: String?
    private(set) var calls = 0

    func watch(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        var copy: [String] = []
        func text(_ cow: Cow) -> String { "\(cow.id) \(cow.name) \(cow.age)" }
        for await change in realm.objects(Cow.self).where({ $0.age > 4 }).sorted(by: \.name).changes {
            calls += 1
            switch change {
            case .initial(let cows): copy = cows.map(text)
            case .update(let cows, let deletions, let insertions, _):
                for i in deletions.reversed() { copy.remove(at: i) }
                for i in insertions { copy.insert(text(cows[i]), at: i) }
                for i in change.newModifications { copy[i] = text(cows[i]) }
                if copy != cows.map(text), failure == nil { failure = "\(copy) isn't \(cows.map(text))" }
            case .error(let error): failure = "\(error)"
            }
        }
    }
}

/// Writers, readers, freezers and observers on several threads and in several processes, which are killed and started
/// again. With `FREEHOLD_SOAK` or `FREEHOLD_LONG` they run for a minute, with `FREEHOLD_SOAK_MINUTES` for that many
/// minutes (`make soak-hour`). Memory must then stay flat and the file small.
@Suite("Observation: a herd of writers and observers")
struct HerdTests {
    private static let seconds: Double = {
        let environment = ProcessInfo.processInfo.environment
        if let minutes = environment["FREEHOLD_SOAK_MINUTES"].flatMap(Double.init) { return minutes * 60 }
        return environment["FREEHOLD_SOAK"] != nil || environment["FREEHOLD_LONG"] != nil ? 60 : 1.2
    }()

    /// Returns the resident memory of the process, or `nil` if the system doesn't report it.
    private static func residentBytes() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }

    private final class Stop: Sendable {
        let isSet = Atomic(false)
        var goesOn: Bool { !isSet.load(ordering: .relaxed) }
    }

    /// Seeds for what begins again and again.
    private final class Numbers: Sendable {
        private let last: Mutex<UInt64>

        init(_ seed: UInt64) { last = Mutex(seed >> 1) }

        func next() -> UInt64 {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    private static func loop(_ stop: Stop, _ body: @escaping @Sendable () throws -> Void) -> Task<Void, any Error> {
        Task {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread {
                    continuation.resume(with: Result { while stop.goesOn { try body() } })
                }.start()
            }
        }
    }

    @Test
    func `every observer's copy stays equal, with any writer and any killed process`() async throws {
        let seed = TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        let folder = try ChildFolder()
        let path = folder.file("herd.realm")
        let configuration = Herd.configuration(path)
        try onAnotherThread { try Herd.make(try Realm(configuration: configuration)) }
        let stop = Stop()
        let number = Numbers(seed)
        let queues = (0..<2).map { _ in WatchingQueue(configuration) }
        for queue in queues { try queue.begin() }
        let actor = WatchingActor()
        let watching = Task { try await actor.watch(configuration) }
        var tasks: [Task<Void, any Error>] = []
        // A writer.
        tasks.append(
            Self.loop(stop) {
                let realm = try Realm(configuration: configuration)
                var random = SeededRandom(seed: number.next())
                try realm.write { Herd.change(realm, &random) }
                usleep(2000)
            }
        )
        // A reader that advances from version to version. Its values of one version must be consistent.
        tasks.append(
            Self.loop(stop) {
                let realm = try Realm(configuration: configuration)
                realm.refresh()
                let all = realm.objects(Cow.self)
                if all.where({ $0.age > 9 }).count + all.where({ $0.age <= 9 }).count != all.count {
                    Issue.record("a version disagrees with itself, seed \(seed)")
                }
                usleep(500)
            }
        )
        // A freezer: what is frozen stays.
        tasks.append(
            Self.loop(stop) {
                let realm = try Realm(configuration: configuration)
                realm.refresh()
                let frozen = Frozen(realm.objects(Cow.self).sorted(by: \.name))
                let text = frozen.value.map { "\($0.id) \($0.name) \($0.age)" }.joined(separator: ",")
                usleep(20_000)
                realm.refresh()
                if text != frozen.value.map({ "\($0.id) \($0.name) \($0.age)" }).joined(separator: ",") {
                    Issue.record("what was frozen changed, seed \(seed)")
                }
            }
        )
        // Processes that write and observe, killed now and then.
        tasks.append(
            Self.loop(stop) {
                let next = number.next()
                let writer = try ChildProcess(["herd-writer", path, "\(next)", "100000"])
                let watcher = try ChildProcess(["herd-watcher", path])
                _ = watcher.readLine()
                for _ in 0..<25 { _ = writer.readLine() }
                watcher.send("check")
                let answer = watcher.readLine()
                if answer?.hasPrefix("fine") != true { Issue.record("\(answer ?? "nothing"), seed \(seed)") }
                for _ in 0..<5 { _ = writer.readLine() }
                writer.kill()
                watcher.kill()
                writer.wait()
                watcher.wait()
            }
        )
        let end = ContinuousClock.now + .seconds(Self.seconds)
        var random = SeededRandom(seed: seed &+ 1)
        var round = 0
        let settled = end - .seconds(Self.seconds * 2 / 3)
        var memory: Int?
        while ContinuousClock.now < end {
            if memory == nil, ContinuousClock.now > settled { memory = Self.residentBytes() }
            // Observers write, too, and end, and begin again.
            try queues[round % 2].write { Herd.change($0, &random) }
            round += 1
            if round % 20 == 0 { queues[0].end() }
            if round % 20 == 0 { try queues[0].begin() }
            try await Task.sleep(for: .milliseconds(15))
        }
        if let memory, let last = Self.residentBytes(), Self.seconds >= 60 {
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            print("\(round) rounds; memory \(memory >> 20), then \(last >> 20) MiB; file \(size >> 10) KiB")
            expect(last - memory < 48 << 20, "memory grows, seed \(seed)")
            expect(size < 64 << 20, "the file grows, seed \(seed)")
        }
        stop.isSet.store(true, ordering: .relaxed)
        for task in tasks { try await task.value }
        // If many tests run at once, the actor runs so late that a delay must not be an error.
        while await actor.calls < 2 {
            try queues[1].write { Herd.change($0, &random) }
            try await Task.sleep(for: .milliseconds(50))
        }
        for queue in queues {
            // The number of calls exceeds the number of observers, so a change was delivered after the first state.
            let isTold = try await eventually {
                try queue.write { Herd.change($0, &random) }
                return queue.check().calls > 22
            }
            expect(isTold)
            expectEqual(queue.check().failures, [], "seed \(seed)")
            queue.end()
        }
        // If many tests run at once, the actor runs late.
        watching.cancel()
        try await watching.value
        expect(await actor.failure == nil, "seed \(seed)")
        expect(await actor.calls > 1)
        let snapshot = try await Realm.read(configuration) { $0.objects(Cow.self).count }
        expect(snapshot > 0)
    }

    @Test
    func `a realm without observers advances when another process commits`() async throws {
        let folder = try ChildFolder()
        let path = folder.file("herd.realm")
        let configuration = Herd.configuration(path)
        try onAnotherThread { try Herd.make(try Realm(configuration: configuration)) }
        let place = ObservingQueue(configuration)
        nonisolated(unsafe) var kept: [Realm] = []
        @Sendable func text(_ realm: Realm) -> String {
            realm.objects(Cow.self).map { "\($0.id) \($0.name) \($0.age)" }.joined(separator: ",")
        }
        let before = try place.run { realm in
            kept.append(realm)
            return text(realm)
        }
        let child = try ChildProcess(["herd-writer", path, "7", "30"])
        expectEqual(child.readLines().count, 31)
        child.wait()
        expect(try await eventually { try place.run { text($0) } != before })
        try place.run { _ in kept = [] }
    }

    @Test
    func `files can be deleted as soon as their realms are released`() throws {
        let folder = try ChildFolder()
        for i in 0..<20 {
            let configuration = Herd.configuration(folder.file("herd\(i).realm"))
            let queue = DispatchQueue(label: "herd")
            try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                try Herd.make(realm)
            }
            expect(try Realm.deleteFiles(for: configuration))
        }
    }
}
