public import FreeholdSyncCore
import Synchronization

/// The sync of a file with a server, until the session is closed. It works online and offline, and begins with a
/// bootstrap.
///
///     let session = SyncSession(configuration, store: store, transport: client.transport(to: endpoint, user: "ann"))
///     try await session.subscribe([ClassQuery(className: "Dog", condition: "TRUEPREDICATE")])
///     try await session.waitForDownload()
///
/// A session is created without a connection, and works without one: commits of the app are uploaded later. Temporary
/// problems aren't errors. `events()` reports them. Any thread may use a session.
public final class SyncSession: Sendable {
    private let board = SessionBoard()
    private let inputs: AsyncStream<SessionLoop.Input>.Continuation
    private let task: Task<Void, Never>
    /// The owner, for the session of a realm.
    let owner = Mutex<SessionOwner?>(nil)

    /// - Parameters:
    ///   - tokens: The source of tokens in the place of one that the server refuses. Without a source the app has to
    ///     call `renew`.
    ///   - isSuspended: A Boolean value that indicates whether the session begins without a connection, until `resume`.
    ///   - onEvent: A closure that receives each event before the session continues. It must not wait for the session.
    ///   - configuration: The app, the token and the other parameters of the session.
    ///   - store: The file.
    ///   - transport: The transport that opens connections.
    ///   - clock: The clock of the device.
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

    // MARK: State

    public var connectionState: ConnectionState { board.connection }
    public var isSuspended: Bool { board.isSuspended }
    /// The number of client resets since the session began.
    var resets: Int { board.resets }
    /// A Boolean value that indicates whether the session has ended.
    public var isClosed: Bool { board.isClosed }
    /// The query set of the last subscription. `nil` if there is none, or if it isn't known yet.
    public var querySet: QuerySet? { board.newestSet }

    /// Returns the events from now on. A slow consumer only receives the newest 1,000 events.
    public func events() -> AsyncStream<SessionEvent> { board.events() }

    // MARK: Operations

    /// Closes the connection until `resume`. Commits of the app are still recorded in the file.
    public func suspend() {
        board.setSuspended(true)
        inputs.yield(.event(.suspended))
    }

    /// Connects immediately, even if the server has refused the file's schema.
    public func resume() {
        board.setSuspended(false)
        board.unblockRefused()
        inputs.yield(.event(.resumed))
    }

    /// Without a connection, tries to connect immediately instead of waiting for the next attempt.
    public func reconnect() { if !board.isSuspended { inputs.yield(.event(.resumed)) } }

    /// Binds the file again, because its classes have changed and the server needs the new ones.
    func rebind() {
        guard !board.isSuspended else { return }
        inputs.yield(.event(.suspended))
        inputs.yield(.event(.resumed))
    }

    /// Notifies the session of a commit to the file. Stores that observe commits call it themselves.
    public func noteCommit() { if board.wake() { inputs.yield(.committed) } }

    /// Gives the session another token.
    public func renew(_ token: AccessToken) {
        board.renew()
        inputs.yield(.event(.token(token)))
    }

    /// Resets a file that waits for a reset (`ClientReport.resetNeeded`).
    public func reset(_ mode: ResetMode) {
        board.unblock()
        inputs.yield(.reset(mode))
    }

    /// Replaces the queries. Objects that only the old queries find are removed, and objects that the new queries find
    /// are downloaded.
    ///
    /// - Returns: The query set, as soon as the file has stored it. `waitForQuerySet` waits for the objects.
    @discardableResult
    public func subscribe(_ queries: [ClassQuery]) async throws -> QuerySet {
        let set = try await board.wait(for: .subscription) { inputs.yield(.subscribe(queries, wait: $0)) }
        guard let set else { throw SessionError.closed }
        return set
    }

    /// Waits until a query set is complete: the file has the objects of all queries that the server accepts.
    ///
    /// - Throws: `SessionError`, `CancellationError`
    @discardableResult
    public func waitForQuerySet(_ version: UInt64) async throws -> QuerySet {
        guard let set = try await board.wait(for: .querySet(version), { _ in }) else { throw SessionError.superseded }
        return set
    }

    /// Waits until the server has answered everything that was committed to the file before the call.
    ///
    /// - Throws: `SessionError`, `CancellationError`. A missing connection isn't an error.
    public func waitForUpload() async throws {
        _ = try await board.wait(for: .upload) { inputs.yield(.event(.waitForUpload($0))) }
    }

    /// Waits until the file has everything of its queries that the server had when it received the request.
    ///
    /// - Throws: `SessionError`, `CancellationError`. A missing connection isn't an error.
    public func waitForDownload() async throws {
        _ = try await board.wait(for: .download) { inputs.yield(.event(.waitForDownload($0))) }
    }

    /// Waits until the session has read the state of the file, and returns the last query set.
    ///
    /// - Throws: `SessionError.closed`, `CancellationError`
    func knownQuerySet() async throws -> QuerySet? { try await board.wait(for: .description, { _ in }) }

    /// Ends the session without waiting for its end.
    func closeSoon() { inputs.yield(.close) }

    /// Ends the session, and waits for its end.
    public func close() async {
        inputs.yield(.close)
        await task.value
    }
}
