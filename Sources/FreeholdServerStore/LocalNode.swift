internal import Foundation
public import FreeholdSyncCore

/// A node without a network that merges the submissions of one program, such as an import or a command that writes
/// documents. A server may serve the same files at the same time. It sees the changes within a second.
public struct LocalNode {
    private var machine: ServerMachine
    private let perform: (ServerStoreRequest) -> ServerStoreAnswer
    private let isOver: () -> Bool
    private var random = SystemRandomNumberGenerator()
    private var last: SubmissionNumber = 0

    /// - Parameters:
    ///   - app: The settings of the app. Its `allows` and `rights` are applied.
    ///   - writerSecret: See `ServerConfiguration.writerSecret`. Without it, each node leaves its own file in the store.
    public init(
        _ store: FileServerStore,
        app: SyncString,
        _ known: ServerApp,
        matcher: some ConditionMatcher = QueryMatcher(),
        writerSecret: (@Sendable (StreamName) -> FileSecret)? = nil
    ) {
        self.init(app: app, known, matcher: matcher, writerSecret: writerSecret) { store.perform($0) }
    }

    /// - Parameters:
    ///   - isOver: A closure that returns whether a submission has to end with an error instead of being repeated.
    ///   - perform: A closure that executes a request to the store, and waits for the answer.
    public init(
        app: SyncString,
        _ known: ServerApp,
        matcher: some ConditionMatcher = QueryMatcher(),
        writerSecret: (@Sendable (StreamName) -> FileSecret)? = nil,
        isOver: @escaping () -> Bool = { false },
        perform: @escaping (ServerStoreRequest) -> ServerStoreAnswer
    ) {
        (self.perform, self.isOver) = (perform, isOver)
        var configuration = ServerConfiguration(apps: [app: known]) { _, _ in nil }
        configuration.groupDelay = 0
        configuration.writerSecret = writerSecret
        machine = ServerMachine(configuration, matcher: matcher)
    }

    /// Submits changes, and waits until they are durable. The submission is repeated if another program has committed at the same time.
    ///
    /// - Returns: `.failed(.transient)` if the store fails for half a minute. Then it is unknown which changes were
    ///   made.
    public mutating func submit(_ submission: Submission) -> SubmissionOutcome {
        last += 1
        var events: [ServerEvent] = [.submit(last, submission)]
        let start = Self.now
        while true {
            while !events.isEmpty {
                guard !isOver() else { break }
                for action in machine.handle(events.removeFirst(), now: Self.now, random: &random) {
                    switch action {
                    case .submitted(let number, let outcome): if number == last { return outcome }
                    case .request(let number, let request): events.append(.answered(number, perform(request)))
                    case .setTimer(.group(let stream), _): events.append(.timer(.group(stream)))
                    case .work(let number, var work): events.append(.worked(number, work.finish()))
                    case .setTimer, .send, .close, .cancelWork: break
                    }
                }
            }
            guard Self.now - start < 30_000, !isOver() else {
                return .failed(.transient(after: 1_000), text: "The documents can't be written.")
            }
            // The store failed, or another program has committed. The machine tries again.
            Thread.sleep(forTimeInterval: 0.05)
            events = [.timer(.look(submission.stream))]
        }
    }

    /// Returns live objects, and the version at which they were read. Returns `nil` if they can't be read.
    public func objects(_ names: [ObjectName], of stream: StreamName) -> (StreamVersion, [ObjectName: MergedObject])? {
        for _ in 0..<5 {
            guard case .rows(let rows) = perform(ServerStoreRequest(stream, .read(RowQuery())))
            else {
                continue
            }
            let request = ServerStoreRequest(stream, .objects(names, at: rows.head.version))
            if case .objects(let found?) = perform(request) { return (rows.head.version, found) }
        }
        return nil
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) - 1_420_070_400_000 }
}
