import BenchMachine
import BenchModels
import Dispatch
import Foundation
import Freehold

/// The cost of observers, and the delay of notifications. SQLite and LMDB have no notifications to compare with.
enum Notifications {
    static let name = "notifications"

    /// One line of a table: medians and minima, in microseconds.
    struct Row {
        let name: String
        var figures: [(median: Double, minimum: Double)] = []
    }

    struct Figures {
        let sizes: [Int]
        /// From the call that commits 100 changes to the call of the observer's block, by size.
        var callbacks: [Row] = []
        /// A commit of one change, by number of observers.
        var commits: [Row] = []
        /// From a commit to its notification on other threads and in other processes.
        var handovers: [Row] = []
    }

    static func measure(folder: String, objects: Int, repeats: Int) -> Figures {
        let sizes = [1_000, 100_000, objects].filter { $0 <= objects }
        var figures = Figures(sizes: Array(Set(sizes)).sorted())
        for size in figures.sizes {
            let place = NotificationPlace(folder, size)
            for (i, observed) in NotificationPlace.observed.enumerated() {
                if figures.callbacks.count <= i { figures.callbacks.append(Row(name: observed.name)) }
                figures.callbacks[i].figures.append(summary(place.callbacks(of: observed, repeats * 6)))
            }
            let last = NotificationPlace.observed.count
            if figures.callbacks.count <= last {
                figures.callbacks.append(Row(name: "(these commits, until they return)"))
            }
            figures.callbacks[last].figures.append(summary(place.commitTimes))
            if size == min(100_000, objects) {
                for count in [0, 1, 10] {
                    let row = Row(
                        name: "\(count) observers",
                        figures: [summary(place.commits(count, repeats: repeats * 40))]
                    )
                    figures.commits.append(row)
                }
                figures.handovers = [
                    Row(name: "another thread, an observed query", figures: [summary(place.handovers(repeats * 20))]),
                    Row(
                        name: "another thread, a realm without observers",
                        figures: [summary(place.autorefreshes(repeats * 20))]
                    ),
                    Row(
                        name: "another process, an observed query",
                        figures: [summary(place.foreignCommits(repeats * 20))]
                    ),
                ]
            }
            progress("notifications: \(grouped(size)) objects")
        }
        return figures
    }

    private static func summary(_ times: [Double]) -> (median: Double, minimum: Double) {
        let sorted = times.sorted()
        return sorted.isEmpty ? (.nan, .nan) : (sorted[sorted.count / 2], sorted[0])
    }

    /// Microseconds on a clock that all processes share.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    /// The child that commits: prints the number of each commit and the time of its return.
    static func child(_ path: String, _ count: Int) throws {
        let realm = try Realm(configuration: NotificationPlace.configuration(path))
        let owner = realm.objects(Owner.self).first!
        for i in 1...count {
            try realm.write { owner.age = -i }
            let time = now()
            print(i, time)
            usleep(3000)
        }
    }
}

/// A file of owners and their dogs, a realm that writes and a queue that observes.
private final class NotificationPlace {
    struct Observed {
        let name: String
        let query: @Sendable (Realm) -> Results<Owner>
    }

    static let observed = [
        Observed(name: "all objects") { $0.objects(Owner.self) },
        Observed(name: "filter") { $0.objects(Owner.self).where { $0.age > 9 } },
        Observed(name: "filter, sort") { $0.objects(Owner.self).where { $0.age > 9 }.sorted(by: \.name) },
        Observed(name: "filter over a link") { $0.objects(Owner.self).where { $0.dog.age > 4 } },
        Observed(name: "filter, sort over a link") {
            $0.objects(Owner.self).where { $0.age > 9 }.sorted(byKeyPath: "dog.age")
        },
    ]

    /// Times that were noted on the queue.
    private final class Notes: @unchecked Sendable {
        // Used behind the condition's lock.
        private let condition = NSCondition()
        private var times: [Double] = []
        private var values: [Int] = []

        func add(_ value: Int = 0) {
            let time = Notifications.now()
            condition.withLock {
                times.append(time)
                values.append(value)
                condition.signal()
            }
        }

        var count: Int { condition.withLock { times.count } }

        /// The last time, once there are so many.
        func wait(for count: Int) -> Double {
            let end = Date(timeIntervalSinceNow: 20)
            condition.lock()
            defer { condition.unlock() }
            while times.count < count {
                if !condition.wait(until: end) { fail("notifications: nothing came") }
            }
            return count == 0 ? 0 : times[count - 1]
        }

        var all: [(value: Int, time: Double)] { condition.withLock { Array(zip(values, times)) } }
    }

    private let configuration: Realm.Configuration
    private let realm: Realm
    private let queue = DispatchQueue(label: "observing")
    private var random = Random(7)
    private var nextID: Int
    /// The times of the observed commits, until their calls return.
    private(set) var commitTimes: [Double] = []

    static func configuration(_ path: String) -> Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Owner.self, Dog.self])
    }

    init(_ folder: String, _ size: Int) {
        let path = "\(folder)/notifications-\(size).realm"
        for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) }
        configuration = Self.configuration(path)
        nextID = size
        do {
            realm = try Realm(configuration: configuration)
            try realm.write {
                for id in 0..<size {
                    let dog = Dog()
                    dog.id = id
                    dog.age = random.below(15)
                    realm.add(dog)
                    add(id, dog)
                }
            }
        } catch {
            fail("notifications: \(error)")
        }
    }

    private func add(_ id: Int, _ dog: Dog) {
        let owner = Owner()
        owner.id = id
        owner.name = "name \(random.below(1_000_000))"
        owner.age = random.below(100)
        owner.dog = dog
        realm.add(owner)
    }

    private func write(_ body: () -> Void) {
        do { try realm.write(body) } catch { fail("notifications: \(error)") }
    }

    /// 60 objects changed, 20 made, 20 deleted.
    private func changeHundred() {
        let owners = realm.objects(Owner.self)
        let dogs = realm.objects(Dog.self)
        for i in 0..<60 {
            let owner = owners[random.below(owners.count)]
            switch i % 3 {
            case 0: owner.age = random.below(100)
            case 1: owner.name = "name \(random.below(1_000_000))"
            default: owner.dog?.age = random.below(15)
            }
        }
        for _ in 0..<20 {
            add(nextID, dogs[random.below(dogs.count)])
            nextID += 1
        }
        for _ in 0..<20 { realm.delete(owners[random.below(owners.count)]) }
    }

    /// Runs the body while the queue observes.
    private func observing<R>(
        _ body: (Notes) -> R,
        _ observe: @escaping @Sendable (Realm, @escaping @Sendable () -> Void) -> [NotificationToken]
    ) -> R {
        let notes = Notes()
        let configuration = configuration
        let queue = queue
        let tokens = queue.sync {
            do {
                return observe(try Realm(configuration: configuration, queue: queue)) { notes.add() }
            } catch {
                fail("notifications: \(error)")
            }
        }
        defer { withExtendedLifetime(tokens) {} }
        return body(notes)
    }

    /// The time from the call of a commit, flush included, to the next notification. (Observers are notified as soon as
    /// the version exists, often before the commit has cleaned up and returned.)
    private func delay(_ notes: Notes, _ body: () -> Void) -> Double {
        let before = notes.count
        realm.beginWrite()
        body()
        let start = Notifications.now()
        do { try realm.commitWrite() } catch { fail("notifications: \(error)") }
        commitTimes.append(Notifications.now() - start)
        let told = notes.wait(for: before + 1)
        // The pause keeps late notifications out of the figure of the next commit.
        usleep(4000)
        return told - start
    }

    func callbacks(of observed: Observed, _ repeats: Int) -> [Double] {
        observing { notes in
            _ = notes.wait(for: 1)
            return (0..<repeats).map { _ in delay(notes) { changeHundred() } }
        } _: { realm, note in
            [observed.query(realm).observe { _ in note() }]
        }
    }

    /// Commits of one change each, observed by so many.
    func commits(_ observers: Int, repeats: Int) -> [Double] {
        observing { notes in
            _ = notes.wait(for: observers)
            let owner = realm.objects(Owner.self).first!
            return (0..<repeats).map { i in
                let start = Notifications.now()
                write { owner.age = i }
                let time = Notifications.now() - start
                // All of it: what observers do meanwhile counts only where it is in the way.
                usleep(1000)
                return time
            }
        } _: { realm, note in
            (0..<observers).map { i in
                realm.objects(Owner.self).where { $0.age > 9 }.sorted(by: \.name).observe { _ in note() }
            }
        }
    }

    func handovers(_ repeats: Int) -> [Double] {
        observing { notes in
            _ = notes.wait(for: 1)
            let owner = realm.objects(Owner.self).first!
            return (0..<repeats).map { i in delay(notes) { owner.age = -1 - i } }
        } _: { realm, note in
            [realm.objects(Owner.self).where { $0.age < 0 }.observe { _ in note() }]
        }
    }

    func autorefreshes(_ repeats: Int) -> [Double] {
        observing { notes in
            let owner = realm.objects(Owner.self).first!
            return (0..<repeats).map { i in delay(notes) { owner.age = -1 - i } }
        } _: { realm, note in
            [realm.observe { _, _ in note() }]
        }
    }

    func foreignCommits(_ repeats: Int) -> [Double] {
        let notes = Notes()
        let configuration = configuration
        let queue = queue
        nonisolated(unsafe) var token: NotificationToken?
        queue.sync {
            let owner = (try? Realm(configuration: configuration, queue: queue))?.objects(Owner.self).first
            token = owner?.observe(keyPaths: ["age"]) { change in
                if case .change(let owner, _) = change { notes.add(-owner.age) }
            }
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--commits", configuration.fileURL!.path, "--objects", String(repeats)]
        let pipe = Pipe()
        process.standardOutput = pipe
        do { try process.run() } catch { return [] }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        usleep(100_000)
        queue.sync { token = nil }
        let told = Dictionary(notes.all.map { ($0.value, $0.time) }) { first, _ in first }
        return output.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let i = Int(parts[0]), let time = Double(parts[1]), let seen = told[i] else {
                return nil
            }
            return max(0, seen - time)
        }
    }
}
