public import FreeholdSyncCore
import Synchronization

/// Keeps a file in step with a server, for as long as it isn't closed: online, offline, from the first bootstrap on.
///
///     let session = SyncSession(configuration, store: store, transport: client.transport(to: endpoint, user: "ann"))
///     try await session.subscribe([ClassQuery(className: "Dog", condition: "TRUEPREDICATE")])
///     try await session.waitForDownload()
///
/// A session is made without a connection and works without one: what the app commits meanwhile goes up later. Nothing that passes by itself is
/// an error; `events()` says what happens. Any thread may use it.
public final class SyncSession: Sendable {
    private let board = SessionBoard()
    private let inputs: AsyncStream<SessionLoop.Input>.Continuation
    private let task: Task<Void, Never>
    /// Of a realm's session.
    let owner = Mutex<SessionOwner?>(nil)

    /// - Parameters:
    ///   - tokens: asked when the server refuses the configuration's token. Without it the app has to call `renew`.
    ///   - isSuspended: begins without a connection, until `resume`.
    ///   - onEvent: hears of each event before the session goes on. It must not wait for the session.
    ///   - configuration: whose session it is, and of what.
    ///   - store: the file.
    ///   - transport: makes the connections.
    ///   - clock: tells the time.
    public init(
        _ configuration: ClientConfiguration,
        store: any SessionStore,
        transport: any SyncTransport,
        tokens: (any TokenSource)? = nil,
        clock: DeviceClock = .shared,
        isSuspended: Bool = false,
        onEvent: (@Sendable (SessionEvent) -> Void)? = nil
    ) {
        let (stream, inputs) = AsyncStream<SessionLoop.Input>.makeStream()
        board.setSuspended(isSuspended)
        board.hear(onEvent)
        let loop = SessionLoop(
            configuration,
            board: board,
            store: store,
            transport: transport,
            tokens: tokens,
            clock: clock,
            inputs: inputs
        )
        self.inputs = inputs
        let board = board
        store.observeCommits { if board.wake() { inputs.yield(.committed) } }
        task = Task { await loop.run(stream) }
    }

    deinit { inputs.yield(.close) }

    // MARK: What it is

    public var connectionState: ConnectionState { board.connection }
    public var isSuspended: Bool { board.isSuspended }
    /// Whether the session is over.
    public var isClosed: Bool { board.isClosed }
    /// What was subscribed to last. Nil if that is nothing, or isn't known yet.
    public var querySet: QuerySet? { board.newestSet }

    /// What happens from now on. Who takes them slowly loses all but the newest 1,000.
    public func events() -> AsyncStream<SessionEvent> { board.events() }

    // MARK: What it does

    /// Ends the connection until `resume`. The file goes on writing down what the app commits.
    public func suspend() {
        board.setSuspended(true)
        inputs.yield(.event(.suspended))
    }

    /// Connects, at once; also where the server had refused the file's schema.
    public func resume() {
        board.setSuspended(false)
        board.unblockRefused()
        inputs.yield(.event(.resumed))
    }

    /// Tries at once if there is no connection, instead of waiting for the next attempt.
    public func reconnect() { if !board.isSuspended { inputs.yield(.event(.resumed)) } }

    /// Binds the file anew: its classes are others now, of which the server has to hear.
    func rebind() {
        guard !board.isSuspended else { return }
        inputs.yield(.event(.suspended))
        inputs.yield(.event(.resumed))
    }

    /// Says that somebody committed to the file. Stores that see commits by themselves do it.
    public func noteCommit() { if board.wake() { inputs.yield(.committed) } }

    /// Goes on with another token.
    public func renew(_ token: AccessToken) {
        board.renew()
        inputs.yield(.event(.token(token)))
    }

    /// Lets a file be reset that waits for it (`ClientReport.resetNeeded`).
    public func reset(_ mode: ResetMode) {
        board.unblock()
        inputs.yield(.reset(mode))
    }

    /// Takes other queries. Objects that only the old ones found go; new ones come.
    ///
    /// - Returns: the set, as soon as the file has it. `waitForQuerySet` waits for the objects.
    @discardableResult
    public func subscribe(_ queries: [ClassQuery]) async throws -> QuerySet {
        let set = try await board.wait(for: .subscription) { inputs.yield(.subscribe(queries, wait: $0)) }
        guard let set else { throw SessionError.closed }
        return set
    }

    /// Waits until a set is complete: all of it is in the file that was understood.
    ///
    /// - Throws: `SessionError`, `CancellationError`
    @discardableResult
    public func waitForQuerySet(_ version: UInt64) async throws -> QuerySet {
        guard let set = try await board.wait(for: .querySet(version), { _ in }) else { throw SessionError.superseded }
        return set
    }

    /// Waits until the server has answered everything that was committed to the file before the call.
    ///
    /// - Throws: `SessionError`, `CancellationError`. Being offline is no error.
    public func waitForUpload() async throws {
        _ = try await board.wait(for: .upload) { inputs.yield(.event(.waitForUpload($0))) }
    }

    /// Waits until the file has everything in its queries that the server had when it heard of the call.
    ///
    /// - Throws: `SessionError`, `CancellationError`. Being offline is no error.
    public func waitForDownload() async throws {
        _ = try await board.wait(for: .download) { inputs.yield(.event(.waitForDownload($0))) }
    }

    /// Waits until the session knows the file, and tells what it subscribed to last.
    ///
    /// - Throws: `SessionError.closed`, `CancellationError`
    func knownQuerySet() async throws -> QuerySet? { try await board.wait(for: .description, { _ in }) }

    /// Ends the session.
    func closeSoon() { inputs.yield(.close) }

    /// Ends the session; waits for it to be over.
    public func close() async {
        inputs.yield(.close)
        await task.value
    }
}
