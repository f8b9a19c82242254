import FreeholdSyncCore

/// The machine of a server with many sessions. Their clients send the fewest possible messages, and accept all that
/// they receive.
struct Crowd {
    private(set) var server = ServerMachine(Self.configuration, matcher: QueryMatcher())
    private(set) var store = MemoryServerStore(epoch: 7)
    private var random = SystemRandomNumberGenerator()
    private var now: Int64 = 400_000_000_000
    private var committed: UInt64 = 0
    private var hash = RunningHash.empty
    /// The number of messages with changes that the server has sent.
    private(set) var changes = 0
    private(set) var sessions: UInt64 = 0

    /// The configuration for sessions of one user, which keep more than the share of a user.
    private static var configuration: ServerConfiguration {
        var configuration = Room.configuration()
        configuration.userBytes = 1 << 40
        return configuration
    }

    /// Adds a session, which receives the objects of its condition and then waits.
    mutating func join(_ condition: SyncString) {
        sessions += 1
        let connection = sessions
        run(.opened(connection))
        let bind = Bind(app: "bench", schema: SchemaClaim(version: 0, hash: .empty))
        let queries = Queries(version: 1, queries: [ClassQuery(className: "Item", condition: condition)])
        for message in [
            .hello(Hello(deviceTime: now, token: AccessToken("t"))), .bind(1, bind),
            .credit(1, bytes: 4 << 20), .queries(1, queries),
        ] as [ClientMessage] {
            run(.received(connection, message, bytes: 100))
        }
    }

    /// A commit of the first session.
    mutating func commit(_ changes: [Change], seen: [ObjectName: StreamVersion] = [:]) {
        committed += 1
        now += 1
        hash = hash.appending([UInt8(truncatingIfNeeded: committed)])
        let commit = Commit(
            number: committed,
            clock: Clock(milliseconds: now),
            base: committed - 1,
            seen: seen,
            changes: changes
        )
        let upload = Upload(commits: [UploadedCommit(commit: commit, hash: hash)])
        run(.received(1, .upload(1, upload), bytes: 100))
    }

    private mutating func run(_ event: ServerEvent) {
        var events = [event]
        while let event = events.popLast() {
            for action in server.handle(event, now: now, random: &random) {
                switch action {
                case .send(_, .error(_, let error)): fatalError("the server says \(error)")
                case .send(_, .changes(_, let message)): if !message.classes.isEmpty { changes += 1 }
                case .send: break
                case .request(let number, let request):
                    events.insert(.answered(number, store.perform(request)), at: 0)
                case .setTimer(.group(let stream), _): events.insert(.timer(.group(stream)), at: 0)
                case .work(let number, var work): events.insert(.worked(number, work.finish()), at: 0)
                case .setTimer, .submitted, .cancelWork: break
                case .close: fatalError("the server closes a connection")
                }
            }
        }
    }
}
