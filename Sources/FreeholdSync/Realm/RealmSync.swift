import Dispatch
import Foundation
import Freehold
import FreeholdEngine
import FreeholdSyncCore
import FreeholdSyncRules
import Synchronization

/// The sync of a file while a realm of the process has the file open: its session and its subscriptions.
final class RealmSync: FileAttachment {
    let user: User
    let configuration: SyncConfiguration
    let database: Database
    private let realmConfiguration: Realm.Configuration
    private let store: SyncedFile
    private let agent: AgentLock
    /// The path of the file, as in the configuration.
    let path: String
    private let state = Mutex(State())

    private struct State {
        /// The repeated attempts to become the process that syncs the file.
        var election: Task<Void, Never>?
        var watch: ChangeFeed.Observation?
        var session: SyncSession?
        /// The end of the last session. The next session begins afterwards, because both would observe the file's
        /// commits, and the end of the first one releases the lock.
        var ending: Task<Void, Never>?
        var read: (version: UInt64, kept: KeptSubscriptions)?
        /// The classes of the file at the start of the session.
        var classes: [UInt32: ClassForm] = [:]
        /// The set that was sent last, and its version in the session.
        var sent: (kept: KeptSubscriptions, version: UInt64)?
        var failure: (kept: KeptSubscriptions, error: any Error)?
        var sending: Task<Void, any Error>?
    }

    /// The drafts of subscription sets. They belong to realms, which belong to threads or actors.
    private struct Drafts: @unchecked Sendable { var all: [SubscriptionDraft] = [] }
    private let drafts = Mutex(Drafts())

    init(_ database: Database, _ realm: Realm.Configuration, _ configuration: SyncConfiguration) throws {
        self.database = database
        self.configuration = configuration
        user = configuration.user
        // Realms for blocks don't request a session.
        var local = realm
        local.service = nil
        realmConfiguration = local
        store = SyncedFile(try FileClientStore(database))
        let app = configuration.user.app
        try FileNotes.write(
            FileOwner(app: app.appId, user: configuration.user.id, server: app.configuration.baseURL),
            FileNotes.owner,
            database
        )
        agent = AgentLock(database.path)
        path = realm.fileURL?.standardizedFileURL.path ?? database.path
        let misfits = Misfits(local.narrowProperties()) { [weak self] in self?.note(SyncError(.serverWarning, $0)) }
        let ended = store.withStore { store in
            store.misfits = misfits
            return store.ended
        }
        for text in ended.subscriptions { note(SyncError(.invalidFlexibleSyncSubscriptions, text)) }
        for text in ended.work { note(SyncError(.clientUserError, text)) }
        user.app.syncManager.add(self)
        begin()
    }

    deinit {
        state.withLock { state in
            state.session?.closeSoon()
            state.election?.cancel()
        }
    }

    // MARK: The session

    var session: SyncSession? { state.withLock { $0.session } }

    /// Begins a session if the user is logged in and no other process syncs the file. If another process does, this
    /// process begins a session at most half a second after that one ends. An existing session receives the user's
    /// token, because its previous log-in may have ended.
    func begin() {
        guard user.isLoggedIn, let token = user.accessToken else { return }
        let (session, isEnding) = state.withLock { ($0.session, $0.ending != nil) }
        if let session { return session.renew(AccessToken(SyncString(token))) }
        guard !isEnding else { return }
        do {
            if try agent.acquire() { return start() }
        } catch { user.app.syncManager.report(error, nil) }
        state.withLock { state in
            guard state.election == nil else { return }
            state.election = Task { [weak self] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(500))
                    guard let self, self.elect() else { return }
                }
            }
        }
    }

    /// Begins a session if no other process syncs the file.
    ///
    /// - Returns: A Boolean value that indicates whether to try again.
    private func elect() -> Bool {
        guard !Task.isCancelled else { return false }
        let isLoggedIn = user.isLoggedIn
        if isLoggedIn { guard (try? agent.acquire()) == true else { return true } }
        state.withLock { $0.election = nil }
        if isLoggedIn { start() }
        return false
    }

    /// Waits for the end of a session that is ending, and then begins like `begin()`.
    func beginAgain() async {
        if let ending = state.withLock({ $0.ending }) {
            await ending.value
            state.withLock { if $0.ending == ending { $0.ending = nil } }
        }
        begin()
    }

    private func start() {
        guard let token = user.accessToken else { return }
        state.withLock { state in
            guard state.session == nil else { return }
            var client = ClientConfiguration(
                app: SyncString(user.app.appId),
                token: AccessToken(SyncString(token))
            )
            client.resetMode = configuration.clientResetMode.mode
            let session = SyncSession(
                client,
                store: store,
                transport: AppTransport(user),
                tokens: UserTokenSource(user)
            ) { [weak self] event in self?.take(event) }
            session.owner.withLock { $0 = SessionOwner(user: user, configuration: configuration) }
            state.session = session
            state.classes = (try? database.snapshot()).map(Self.classes) ?? [:]
            // Other processes change subscriptions and classes, too.
            state.watch = try? ChangeFeed(database).observe { [weak self] _ in
                self?.subscribeAnew()
                self?.bindAnew()
            }
        }
        checkClasses()
        if let session { user.app.syncManager.began(path, session) }
        send(subscriptions(), nil)
    }

    // MARK: Classes

    /// The name of a class, the number of its properties, and the version of the schema. A migration can change them
    /// while the file is in use.
    private struct ClassForm: Equatable {
        let name: String
        let properties: Int
        let version: UInt64
    }

    private static func classes(_ view: DataView) -> [UInt32: ClassForm] {
        let version = view.userVersion
        let forms = view.schema.tables.map {
            (UInt32($0.id), ClassForm(name: $0.name, properties: $0.columns.count, version: version))
        }
        return Dictionary(forms) { first, _ in first }
    }

    /// Binds the session again if the classes have changed. The server needs new classes before it receives their
    /// objects.
    private func bindAnew() {
        guard let classes = (try? database.snapshot()).map(Self.classes) else { return }
        let session = state.withLock { state -> SyncSession? in
            guard state.session != nil, state.classes != classes else { return nil }
            state.classes = classes
            return state.session
        }
        guard let session else { return }
        session.rebind()
        checkClasses()
    }

    /// Reports classes that can't be described to a server. A server with a schema refuses the file then.
    private func checkClasses() {
        guard let snapshot = try? database.snapshot() else { return }
        do throws(RuleError) { _ = try SchemaClaim(of: snapshot) } catch {
            let text = "The classes can't be synced with an app that has a schema: \(error)"
            user.app.syncManager.report(SyncError(.clientSessionError, text), session)
        }
    }

    func end() {
        state.withLock { state in
            state.election?.cancel()
            state.election = nil
            guard let session = state.session else { return }
            (state.session, state.sent, state.failure, state.watch) = (nil, nil, nil, nil)
            state.ending = Task { [agent, before = state.ending] in
                await before?.value
                await session.close()
                agent.release()
            }
        }
    }

    private func take(_ event: SessionEvent) {
        switch event {
        case .report(.resetBegins): resetBegins()
        case .report(.wasReset(let lost)): resetEnded(lost)
        case .report(.connection(.connected)):
            // The file couldn't store the set when it was sent.
            if state.withLock({ $0.failure != nil }) { send(subscriptions(), nil) }
        default: break
        }
        guard let error = SyncError(event) else { return }
        store.keep(KeptError(time: Date(), code: "\(error.code)", message: error.message))
        if case .report(.resetNeeded) = event, case .manual(let handler?) = configuration.clientResetMode {
            return handler(error, session)
        }
        user.app.syncManager.report(error, session)
    }

    /// Reports and stores an error that the file's transactions found.
    private func note(_ error: SyncError) {
        store.keep(KeptError(time: Date(), code: "\(error.code)", message: error.message))
        user.app.syncManager.report(error, session)
    }

    // MARK: Resets

    private let before = Mutex<UncheckedRealm?>(nil)

    private struct UncheckedRealm: @unchecked Sendable { let realm: Realm }

    private func resetBegins() {
        let mode = configuration.clientResetMode
        guard mode.beforeReset != nil || mode.afterReset != nil else { return }
        onThread { configuration in
            let realm = try Realm(configuration: configuration).freeze()
            self.before.withLock { $0 = UncheckedRealm(realm: realm) }
            mode.beforeReset?(realm)
        }
    }

    private func resetEnded(_ lost: Int) {
        let before = before.withLock { before in
            defer { before = nil }
            return before
        }
        guard let before, let block = configuration.clientResetMode.afterReset else { return }
        onThread { configuration in
            let realm = try Realm(configuration: configuration)
            realm.refresh()
            block(before.realm, realm)
        }
    }

    /// Runs a block that opens a realm on a thread of its own, and waits for its end.
    private func onThread(_ body: @escaping @Sendable (Realm.Configuration) throws -> Void) {
        let configuration = realmConfiguration
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            try? body(configuration)
            done.signal()
        }
        thread.start()
        done.wait()
    }

    // MARK: Subscriptions

    /// Returns the newest subscription set of the file.
    func subscriptions() -> KeptSubscriptions {
        guard let snapshot = try? database.snapshot() else {
            return state.withLock { $0.read?.kept } ?? KeptSubscriptions()
        }
        return state.withLock { state in
            if let read = state.read, read.version == snapshot.version { return read.kept }
            let kept = SubscriptionRows.read(snapshot)
            state.read = (snapshot.version, kept)
            return kept
        }
    }

    private func subscribeAnew() {
        guard let sent = state.withLock({ $0.sent }) else { return }
        let kept = subscriptions()
        if kept.version > sent.kept.version { send(kept, nil) }
    }

    func draft(of realm: Realm) -> SubscriptionDraft? {
        drafts.withLock { drafts in drafts.all.first { $0.isOpen && $0.realm == realm } }
    }

    func begin(_ draft: SubscriptionDraft) { drafts.withLock { $0.all.append(draft) } }

    func end(_ draft: SubscriptionDraft) {
        draft.isOpen = false
        drafts.withLock { drafts in drafts.all.removeAll { $0 === draft } }
    }

    func store(_ draft: SubscriptionDraft) throws -> KeptSubscriptions {
        try SubscriptionRows.write(draft.kept, basedOn: draft.base, to: database)
    }

    /// Sends a subscription set to the session, unless the session has it. Then calls `onComplete`, if it isn't `nil`,
    /// as soon as the set is complete or has failed.
    func send(_ kept: KeptSubscriptions, _ onComplete: (@Sendable ((any Error)?) -> Void)?) {
        Task {
            do {
                try await self.wait(for: kept, isAwaited: onComplete != nil)
                onComplete?(nil)
            } catch { onComplete?(error) }
        }
    }

    /// Waits until the file has all objects of a subscription set.
    func wait(for kept: KeptSubscriptions) async throws { try await wait(for: kept, isAwaited: true) }

    private func wait(for kept: KeptSubscriptions, isAwaited: Bool) async throws {
        if session == nil, user.isLoggedIn {
            // Another process syncs the file. The file contains the state of the set.
            if isAwaited { try await waitForAgent(kept) }
            return
        }
        let version = try await sent(kept)
        guard isAwaited else { return }
        guard let session else { throw missing }
        let set = try await session.waitForQuerySet(version)
        if set.state == .error, let error = set.errors.first { throw SyncError(error) }
    }

    /// Waits until the process that syncs the file has all objects of a subscription set. If that process ends, the
    /// session of this process continues.
    private func waitForAgent(_ kept: KeptSubscriptions) async throws {
        let (commits, commit) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let watch = try ChangeFeed(database).observe { _ in commit.yield() }
        commit.yield()
        defer { withExtendedLifetime(watch) { commit.finish() } }
        for await _ in commits {
            if session != nil { return try await wait(for: kept, isAwaited: true) }
            guard user.isLoggedIn else { throw SessionError.closed }
            guard subscriptions().version <= kept.version else { throw SessionError.superseded }
            guard let set = try SyncInspection(of: database).sets.last, set.queries == kept.queries else { continue }
            if set.state == .error, let error = set.errors.first { throw SyncError(error) }
            if set.isComplete { return }
        }
        throw CancellationError()
    }

    /// The error for a missing session.
    private var missing: any Error {
        guard user.isLoggedIn else { return SessionError.closed }
        return Realm.Error(
            .multipleSyncAgents,
            "Another process syncs the file. What is written here is sent by that one; wait for it there.",
            fileURL: realmConfiguration.fileURL
        )
    }

    /// Returns the session's version of a subscription set. The set is sent to the session if necessary. Only the
    /// newest set of the file is sent, and one set at a time.
    private func sent(_ kept: KeptSubscriptions) async throws -> UInt64 {
        while true {
            if let sent = state.withLock({ $0.sent }) {
                if sent.kept.version == kept.version { return sent.version }
                if sent.kept.version > kept.version { throw SessionError.superseded }
            }
            guard session != nil else { throw missing }
            try await sendNewest()
        }
    }

    private func sendNewest() async throws {
        let task = state.withLock { state in
            if let task = state.sending { return task }
            let task = Task { try await self.sendNow() }
            state.sending = task
            return task
        }
        try await task.value
    }

    private func sendNow() async throws {
        let kept = subscriptions()
        guard let session else {
            state.withLock { $0.sending = nil }
            throw missing
        }
        do {
            let known = try await session.knownQuerySet()
            let version: UInt64
            if let known, known.queries == kept.queries {
                version = known.version
            } else {
                version = try await session.subscribe(kept.queries).version
            }
            state.withLock { state in
                // The version belongs to this session only. If the session has ended, the next session doesn't have it.
                if state.session === session { (state.sent, state.failure) = ((kept, version), nil) }
                state.sending = nil
            }
        } catch {
            state.withLock { state in
                if state.session === session { state.failure = (kept, error) }
                state.sending = nil
            }
            throw error
        }
    }

    func state(of kept: KeptSubscriptions) -> SyncSubscriptionState {
        let (sent, failure, session) = state.withLock { ($0.sent, $0.failure, $0.session) }
        if let failure, failure.kept.version == kept.version { return .error(failure.error) }
        guard let sent, sent.kept.version == kept.version, let set = session?.querySet else { return .pending }
        guard set.version == sent.version else { return .superseded }
        switch set.state {
        case .pending, .bootstrapping: return .pending
        case .complete: return .complete
        case .superseded: return .superseded
        case .error: return .error(set.errors.first.map { SyncError($0) } ?? SessionError.superseded)
        }
    }

    // MARK: Calls by realms

    func willCommit(_ transaction: WriteTransaction) throws(Realm.Error) {
        try checkKeys(transaction)
        let subscribed = Set(SubscriptionRows.read(transaction).all.map(\.query.className))
        let others = transaction.schema.tables.filter { table in
            !table.isEmbedded && !table.isAsymmetric && !subscribed.contains(table.name)
        }
        guard !others.isEmpty else { return }
        let edited = transaction.editedTables()
        for table in others where edited.contains(table.id) || transaction.hasMadeObjects(in: table) {
            throw Realm.Error(
                .noSubscriptionForWrite,
                "Cannot write to class \(table.name) when no flexible sync subscription has been created."
            )
        }
    }

    /// Checks the length of the primary keys of new objects, which the server would refuse.
    private func checkKeys(_ transaction: WriteTransaction) throws(Realm.Error) {
        for table in transaction.schema.tables {
            guard let column = table.primaryKey, column.type == .string else { continue }
            for object in transaction.madeObjects(in: table) {
                guard let key = transaction.readString(column, object), key.utf8.count > PrimaryKey.mostBytes else {
                    continue
                }
                throw Realm.Error(
                    .limitExceeded,
                    "A synced object's primary key has at most \(PrimaryKey.mostBytes) bytes. That of a new object of "
                        + "class '\(table.name)' has \(key.utf8.count): it begins with '\(key.prefix(40))'. Use a shorter key.",
                    fileURL: realmConfiguration.fileURL
                )
            }
        }
    }

    func willWriteCopy() throws(Realm.Error) {
        let unsent: UInt64
        do { unsent = try SyncInspection(of: database).unsentCommits() } catch {
            throw Realm.Error(
                .fail,
                "What sync keeps can't be read: \(error)",
                fileURL: realmConfiguration.fileURL,
                cause: error
            )
        }
        guard unsent > 0 else { return }
        throw Realm.Error(
            .fail,
            "\(unsent) transactions of the realm weren't sent to the server, and a copy would lose them. Wait for the upload, "
                + "or use backup(to:), which keeps them.",
            fileURL: realmConfiguration.fileURL
        )
    }

    func awaitOpening(_ behavior: Realm.OpenBehavior, isNew: Bool) async throws {
        if isNew || configuration.initialSubscriptions?.rerunOnOpen == true { try await subscribeInitially() }
        switch behavior {
        case .never: return
        case .once where !isNew: return
        default: break
        }
        guard let session else {
            guard !user.isLoggedIn else { throw missing }
            throw Realm.Error(.subscriptionFailed, "User \(user.id) is logged out, so that nothing can be downloaded.")
        }
        let kept = subscriptions()
        do {
            try await failing(session) {
                try await self.wait(for: kept)
                try await session.waitForDownload()
            }
        } catch let error as SyncError where error.code == .invalidFlexibleSyncSubscriptions {
            throw Realm.Error(.subscriptionFailed, error.message, cause: error)
        }
    }

    /// Runs a closure. Throws the first error of the connection if the configuration requires that.
    private func failing(_ session: SyncSession, _ body: @escaping @Sendable () async throws -> Void) async throws {
        guard configuration.cancelAsyncOpenOnNonFatalErrors else { return try await body() }
        let events = session.events()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await event in events {
                    if case .disconnected(let error) = event { throw error }
                }
                try await Task.sleep(for: .seconds(1 << 30))
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func subscribeInitially() async throws {
        guard let initial = configuration.initialSubscriptions else { return }
        let (configuration, file) = (realmConfiguration, self)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let thread = Thread {
                continuation.resume(
                    with: Result {
                        let realm = try Realm(configuration: configuration)
                        let set = SyncSubscriptionSet(realm: realm, file: file)
                        set.update { initial.callback(set) }
                    }
                )
            }
            thread.start()
        }
    }
}

/// The source of a user's tokens for a session.
struct UserTokenSource: TokenSource {
    let user: User

    init(_ user: User) { self.user = user }

    func token(insteadOf refused: AccessToken) async throws -> AccessToken {
        let tokens = try await user.refreshTokens(insteadOf: refused.text.string)
        return AccessToken(SyncString(tokens.access))
    }

    func passes(_ error: any Error) -> Bool {
        guard let error = error as? AppError else { return false }
        guard let status = error.httpStatusCode else { return error.code == .httpRequestFailed }
        return status >= 500 || status == 408 || status == 429
    }
}
