import Foundation
import FreeholdSync
import FreeholdSyncCore

/// A client without a file that only uploads.
final class Uploader: Sendable {
    private let ident: Int
    private let commits: Int
    private let objects: Int
    private let className: SyncString
    private let app: SyncString

    init(
        _ ident: Int,
        _ commits: Int,
        _ objects: Int,
        of className: SyncString = "Thing",
        app: SyncString = "bench"
    ) {
        (self.ident, self.commits, self.objects) = (ident, commits, objects)
        (self.className, self.app) = (className, app)
    }

    /// - Parameter step: A closure that is called before each commit. The closure that it returns is called after the
    ///   commit was answered. If `step` is `nil`, commits don't wait for answers.
    func run(_ transport: any SyncTransport, _ step: ((Int) -> () async -> Void)? = nil) async {
        let (stream, continuation) = AsyncStream<LineEvent>.makeStream()
        let line = transport.open(isUrgent: true) { continuation.yield($0) }
        var (credit, next, acknowledged): (Int64, Int, Int) = (0, 1, 0)
        var after: (() async -> Void)?
        var isBound = false
        for await event in stream {
            switch event {
            case .opened: line.send(.hello(Hello(deviceTime: 0, token: AccessToken(SyncString("user:writer\(ident)")))))
            case .received(.welcome(let welcome), _):
                credit = Int64(welcome.credit)
                line.send(.bind(1, Bind(app: app, schema: SchemaClaim(version: 0, hash: .empty))))
                line.send(.credit(1, bytes: 1 << 40))
            case .received(.credit(_, let bytes), _): credit += Int64(bytes)
            case .received(.bound, _): isBound = true
            case .received(.ack(_, let ack), _): acknowledged = Int(ack.last)
            case .received(.error(_, let error), _): fatalError("\(error)")
            case .closed(let error): fatalError("\(error)")
            case .received, .progressed, .recovered: break
            }
            if acknowledged > 0, acknowledged + 1 == next, let done = after {
                after = nil
                await done()
            }
            if acknowledged == commits { break }
            guard isBound, credit > 0, case .received = event, next <= commits else { continue }
            while credit > 0, next <= commits, step == nil || acknowledged + 1 == next {
                after = step?(next)
                let commit = commit(next)
                credit -= Int64(commit.estimatedSize)
                let hash = RunningHash.empty.appending([UInt8(next & 255), UInt8(next >> 8 & 255)])
                line.send(.upload(1, Upload(commits: [UploadedCommit(commit: commit, hash: hash)])))
                next += 1
                if step != nil { break }
            }
        }
        line.close()
    }

    private func commit(_ number: Int) -> Commit {
        let changes = (0..<objects).map { index -> Change in
            let name = ObjectName(className, .int(Int64(ident * 100_000_000 + number * objects + index)))
            return .create(
                name,
                [
                    NewField("name", .value(.string(SyncString("thing \(index)")))),
                    NewField("size", .value(.int(Int64(index)))),
                    NewField("isGood", .value(.bool(index % 2 == 0))),
                ]
            )
        }
        return Commit(
            number: UInt64(number),
            clock: Clock(milliseconds: DeviceClock.shared.now()),
            base: 0,
            seen: [:],
            schemaVersion: 0,
            changes: changes
        )
    }
}

/// A client without a file that only receives changes.
final class Receiver: @unchecked Sendable {
    private let tally: Tally
    private let app: SyncString
    private var line: (any SyncLine)?
    private let lock = NSLock()

    init(_ tally: Tally, app: SyncString = "bench") { (self.tally, self.app) = (tally, app) }

    func open(_ transport: any SyncTransport, user: String) {
        let line = transport.open(isUrgent: true) { [self] event in take(event, user) }
        lock.withLock { self.line = line }
    }

    func close() { lock.withLock { line }?.close() }

    private func take(_ event: LineEvent, _ user: String) {
        // The line may deliver an event before `open` has stored the line.
        guard let line = lock.withLock({ line }) else {
            DispatchQueue.global().async { self.take(event, user) }
            return
        }
        switch event {
        case .opened: line.send(.hello(Hello(deviceTime: 0, token: AccessToken(SyncString("user:" + user)))))
        case .received(.welcome, _):
            line.send(.bind(1, Bind(app: app, schema: SchemaClaim(version: 0, hash: .empty))))
            line.send(.credit(1, bytes: 1 << 40))
        case .received(.bound, _):
            let all = [ClassQuery(className: "Thing", condition: "TRUEPREDICATE")]
            line.send(.queries(1, Queries(version: 1, queries: all)))
        case .received(.bootstrapEnd, _): tally.noteReady()
        case .received(.changes(_, let changes), _): if !changes.classes.isEmpty { tally.noteChange() }
        case .received(.error(_, let error), _): print("error: \(error)")
        case .closed(let error): print("closed: \(error)")
        case .received, .progressed, .recovered: break
        }
    }
}

/// A client without a file that binds a session. The sessions of one user share a connection.
final class Binder: @unchecked Sendable {
    // It is Sendable because the lock protects the line.
    private let ident: Int
    private let tally: Tally
    private let app: SyncString
    private let lock = NSLock()
    private var line: (any SyncLine)?

    init(_ ident: Int, _ tally: Tally, app: SyncString) { (self.ident, self.tally, self.app) = (ident, tally, app) }

    func open(_ transport: any SyncTransport) {
        let line = transport.open(isUrgent: true) { [self] event in take(event) }
        lock.withLock { self.line = line }
    }

    func close() { lock.withLock { line }?.close() }

    private func take(_ event: LineEvent) {
        // The line may deliver an event before `open` has stored the line.
        guard let line = lock.withLock({ line }) else {
            DispatchQueue.global().async { self.take(event) }
            return
        }
        switch event {
        case .opened: line.send(.hello(Hello(deviceTime: 0, token: AccessToken(SyncString("user:binder\(ident)")))))
        case .received(.welcome, _):
            line.send(.bind(1, Bind(app: app, schema: SchemaClaim(version: 0, hash: .empty))))
        case .received(.bound, _): tally.noteReady()
        case .received(.error(_, let error), _): fatalError("\(error)")
        case .closed(let error): fatalError("\(error)")
        case .received, .progressed, .recovered: break
        }
    }
}

/// A counter of the changes that many receivers received.
final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var (ready, changes) = (0, 0)
    private var waits: [(ready: Int, changes: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func noteReady() { note { $0.ready += 1 } }
    func noteChange() { note { $0.changes += 1 } }

    private func note(_ change: (Tally) -> Void) {
        let done = lock.withLock {
            change(self)
            let done = waits.filter { $0.ready <= ready && $0.changes <= changes }
            waits.removeAll { $0.ready <= ready && $0.changes <= changes }
            return done
        }
        for wait in done { wait.continuation.resume() }
    }

    func wait(forReady ready: Int = 0, forChanges changes: Int = 0) async {
        await withCheckedContinuation { continuation in
            let isThere = lock.withLock {
                if self.ready >= ready, self.changes >= changes { return true }
                waits.append((ready, changes, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
