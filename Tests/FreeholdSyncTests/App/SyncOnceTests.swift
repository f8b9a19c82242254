import Foundation
import Freehold
@testable import FreeholdSync
import Synchronization
import Testing

@testable import FreeholdSyncCore

/// Files that jobs sync.
struct SyncOnceTests {
    let folder: TemporaryFolder
    let accounts = AccountServer()
    let server = LoopbackServer()
    let app: App

    init() throws {
        folder = try TemporaryFolder()
        app = testApp(folder, accounts, server)
    }

    func configuration(_ name: String) async throws -> Realm.Configuration {
        try? await app.emailPasswordAuth.registerUser(email: name, password: "secret")
        let user = try await app.login(credentials: .emailPassword(email: name, password: "secret"))
        var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { set in
            set.append(QuerySubscription<Dog> { $0.name == name || $0.name == "everybody's" })
        })
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        return configuration
    }

    /// The file without its session, as another program has it.
    private func local(_ configuration: Realm.Configuration) -> Realm.Configuration {
        var local = configuration
        local.syncConfiguration = nil
        return local
    }

    private func write(_ configuration: Realm.Configuration, _ name: String) throws {
        let realm = try Realm(configuration: local(configuration))
        try realm.write { realm.create(Dog.self, value: ["name": name]) }
    }

    /// Returns the error at a deadline that is late enough for a reason to be known.
    private func late(_ configuration: Realm.Configuration, _ reason: String) async throws -> SyncOnceError? {
        for seconds in [0.1, 1, 10, 100, 1_000] {
            do {
                try await Realm.syncOnce(configuration: configuration, deadline: .now + .seconds(seconds))
                return nil
            } catch let error as SyncOnceError where error.message.contains(reason) {
                return error
            } catch let error as SyncOnceError where error.code == .deadlineExceeded {}
        }
        return nil
    }

    private var soon: ContinuousClock.Instant { .now + .seconds(3_600) }

    @Test func `a job uploads, downloads, and leaves nothing open`() async throws {
        let (ann, bob) = (try await configuration("ann"), try await configuration("bob"))
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        let file = try require(ann.fileURL)
        expect(try AgentLock(file.path).acquire())
        expectEqual(ann.syncConfiguration?.user.allSessions.isEmpty, true)
        try write(ann, "everybody's")
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        try await Realm.syncOnce(configuration: bob, deadline: soon)
        try expectEqual(Realm(configuration: local(bob)).objects(Dog.self).map(\.name), ["everybody's"])
        // A call without changes isn't an error. Several calls at once aren't either.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await Realm.syncOnce(configuration: ann, deadline: soon) } }
            try await group.waitForAll()
        }
    }

    @Test func `a job uploads what a server that was restored from a backup has lost`() async throws {
        let (ann, bob) = (try await configuration("ann"), try await configuration("bob"))
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        let backup = server.backup
        try write(ann, "everybody's")
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        server.restart(with: backup, epoch: 8)
        server.setReachable(true)
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        try await Realm.syncOnce(configuration: bob, deadline: soon)
        try expectEqual(Realm(configuration: local(bob)).objects(Dog.self).map(\.name), ["everybody's"])
    }

    @Test func `at the deadline the error says which steps are done, and why the next one isn't`() async throws {
        let ann = try await configuration("ann")
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        server.setReachable(false)
        try write(ann, "ann")
        let error = try require(try await late(ann, "Nobody answers."))
        expect(error.code == .deadlineExceeded && !error.isUploaded)
        // A deadline in the past is such an error, too, and nothing is lost.
        await #expect { try await Realm.syncOnce(configuration: ann, deadline: .now - .seconds(1)) } throws: {
            ($0 as? SyncOnceError)?.code == .deadlineExceeded
        }
        server.setReachable(true)
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        expectEqual(server.contents.count, 1)
    }

    @Test func `a configuration without a logged-in user or without sync is an error at once`() async throws {
        let ann = try await configuration("ann")
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        try await ann.syncConfiguration?.user.logOut()
        await #expect { try await Realm.syncOnce(configuration: ann, deadline: soon) } throws: {
            ($0 as? SyncOnceError)?.code == .loggedOut
        }
        await #expect { try await Realm.syncOnce(configuration: local(ann), deadline: soon) } throws: {
            ($0 as? SyncOnceError)?.code == .notSynced
        }
    }

    @Test func `a job waits while another process syncs the file, and reports that`() async throws {
        let ann = try await configuration("ann")
        try await Realm.syncOnce(configuration: ann, deadline: soon)
        let other = AgentLock(try require(ann.fileURL).path)
        expect(try other.acquire())
        expect(try await late(ann, "Another process syncs the file.") != nil)
        let job = Task { try await Realm.syncOnce(configuration: ann, deadline: soon) }
        other.release()
        try await job.value
    }

    @MainActor @Test func `an open realm syncs once, and its session keeps its state`() async throws {
        let realm = try await Realm(configuration: try await configuration("ann"), downloadBeforeOpen: .never)
        let session = try require(realm.syncSession)
        session.suspend()
        try realm.write { realm.create(Dog.self, value: ["name": "ann"]) }
        try await realm.syncOnce(deadline: soon)
        expectEqual(server.contents.count, 1)
        expect(session.isSuspended)
        let bob = try await configuration("bob")
        try await Realm.syncOnce(configuration: bob, deadline: soon)
        try write(bob, "everybody's")
        try await Realm.syncOnce(configuration: bob, deadline: soon)
        // A job on the same file doesn't change the realm's session.
        try await Realm.syncOnce(configuration: realm.configuration, deadline: soon)
        expect(!session.isClosed)
        try await realm.syncOnce(deadline: soon)
        expectEqual(realm.objects(Dog.self).count, 2)
    }

    @Test func `messages of a session without a connection are sent first`() {
        let (line, inner) = (AppLine(), NotingLine())
        line.send(.ping(Ping(deviceTime: 1)))
        line.send(.ping(Ping(deviceTime: 2)))
        line.take(inner)
        line.send(.ping(Ping(deviceTime: 3)))
        expectEqual(inner.sent.withLock { $0 }, [1, 2, 3].map { .ping(Ping(deviceTime: $0)) })
        let closed = AppLine()
        closed.close()
        closed.take(inner)
        expect(inner.isClosed.withLock { $0 })
    }

    @Test func `cancellation ends the job`() async throws {
        let ann = try await configuration("ann")
        server.setReachable(false)
        let job = Task { try await Realm.syncOnce(configuration: ann, deadline: soon) }
        job.cancel()
        await #expect(throws: CancellationError.self) { try await job.value }
    }

    @Test func `a process syncs the files of many users, with a limited number of open files`() async throws {
        let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil
        let count = isSoak ? 1_000 : 20
        app.syncManager.maximumJobs = 8
        var configurations: [Realm.Configuration] = []
        for user in 0..<count { configurations.append(try await configuration("user \(user)")) }
        let before = Use()
        let watch = Task {
            var greatest = before
            while !Task.isCancelled {
                greatest.take(Use())
                try? await Task.sleep(for: .milliseconds(isSoak ? 5 : 50))
            }
            return greatest
        }
        let clock = ContinuousClock()
        func round() async throws -> Duration {
            try await clock.measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for configuration in configurations {
                        group.addTask {
                            try await Realm.syncOnce(configuration: configuration, deadline: .now + .seconds(3_600))
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        let first = try await round()
        for (user, configuration) in configurations.enumerated() {
            try write(configuration, "user \(user)")
            if user == 0 { try write(configuration, "everybody's") }
        }
        let (second, third) = (try await round(), try await round())
        watch.cancel()
        let greatest = await watch.value
        expectEqual(server.contents.count, count + 1)
        for configuration in configurations {
            try expectEqual(Realm(configuration: local(configuration)).objects(Dog.self).count, 2)
        }
        let after = Use()
        print(
            "\(count) files, 8 at a time: \(first) to make them, \(second) with a change each, \(third) without;",
            "before \(before), at most \(greatest), after \(after)"
        )
        #if os(Linux)
            // The open descriptors of other tests in the process also vary.
            if isSoak {
                expect(greatest.descriptors < before.descriptors + 8 * 16)
                expect(greatest.threads < before.threads + 80)
                expect(after.descriptors < before.descriptors + 16)
            }
        #endif
    }
}

private final class NotingLine: SyncLine {
    let sent = Mutex<[ClientMessage]>([])
    let isClosed = Mutex(false)

    func send(_ message: ClientMessage) { sent.withLock { $0.append(message) } }
    func close() { isClosed.withLock { $0 = true } }
}

/// The resources of the process.
struct Use: CustomStringConvertible, Sendable {
    var threads = 0
    var descriptors = 0
    var kilobytes = 0

    init() {
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        for line in ((try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? "").split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.first == "Threads:" { threads = Int(words[1]) ?? 0 }
            if words.first == "VmRSS:" { kilobytes = Int(words[1]) ?? 0 }
        }
    }

    mutating func take(_ other: Use) {
        threads = max(threads, other.threads)
        descriptors = max(descriptors, other.descriptors)
        kilobytes = max(kilobytes, other.kilobytes)
    }

    var description: String { "\(threads) threads, \(descriptors) descriptors, \(kilobytes / 1_024) MiB" }
}
