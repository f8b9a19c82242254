import Dispatch
import Foundation
import Freehold
import FreeholdEngine
import FreeholdSyncCore
import FreeholdSyncRules
import Synchronization

/// A file that syncs, for as long as a realm of the process has it open: its session, and what its subscriptions are.
final class RealmSync: FileAttachment {
    let user: User
    let configuration: SyncConfiguration
    let database: Database
    private let realmConfiguration: Realm.Configuration
    private let store: SyncedFile
    private let agent: AgentLock
    /// As the configuration names it.
    let path: String
    private let state = Mutex(State())

    private struct State {
        /// Tries to become the file's agent.
        var election: Task<Void, Never>?
        var watch: ChangeFeed.Observation?
        var session: SyncSession?
        /// Ends the last session. The next one begins afterwards: both would observe the file's commits, and the first releases the lock.
        var ending: Task<Void, Never>?
        var read: (version: UInt64, kept: KeptSubscriptions)?
        /// What the classes were when the session began.
        var classes: [UInt32: ClassForm] = [:]
        /// The set that was sent last, and what the session calls it.
        var sent: (kept: KeptSubscriptions, version: UInt64)?
        var failure: (kept: KeptSubscriptions, error: any Error)?
        var sending: Task<Void, any Error>?
    }

    /// Drafts belong to realms, which belong to places.
    private struct Drafts: @unchecked Sendable { var all: [SubscriptionDraft] = [] }
    private let drafts = Mutex(Drafts())

    init(_ database: Database, _ realm: Realm.Configuration, _ configuration: SyncConfiguration) throws {
        self.database = database
        self.configuration = configuration
        user = configuration.user
        // Blocks get realms of their own, which don't ask for a session.
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

    /// Begins a session, if the user is logged in, and no other process syncs the file. If that process ends, this one begins within half a
    /// second. A session that exists gets the user's token: the log-in that it had may have ended.
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

    /// Begins a session if no other process syncs the file any more.
    ///
    /// - Returns: whether to try again.
    private func elect() -> Bool {
        guard !Task.isCancelled else { return false }
        let isLoggedIn = user.isLoggedIn
        if isLoggedIn { guard (try? agent.acquire()) == true else { return true } }
        state.withLock { $0.election = nil }
        if isLoggedIn { start() }
        return false
    }

    /// Like `begin()`, behind the end of a session that is ending.
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

    /// The name of a class, the number of its properties, and the version of the schema. A migration changes them while the file is in use.
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

    /// Classes came while the session goes on: the server has to hear of them before their objects.
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

    /// Classes that can't be described to a server are reported: one with a schema refuses the file.
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
            // A set that the file couldn't take when it was sent.
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

    /// Reports what the file's transactions found.
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

    /// Runs a block that opens a realm, and waits for it.
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

    /// The file's newest set.
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

    /// Tells the session of a set, unless it knows it; then waits, if somebody wants to hear of it.
    func send(_ kept: KeptSubscriptions, _ onComplete: (@Sendable ((any Error)?) -> Void)?) {
        Task {
            do {
                try await self.wait(for: kept, isAwaited: onComplete != nil)
                onComplete?(nil)
            } catch { onComplete?(error) }
        }
    }

    /// Waits until all that a set asks for is in the file.
    func wait(for kept: KeptSubscriptions) async throws { try await wait(for: kept, isAwaited: true) }

    private func wait(for kept: KeptSubscriptions, isAwaited: Bool) async throws {
        if session == nil, user.isLoggedIn {
            // Another process syncs the file: the file says how far the set is.
            if isAwaited { try await waitForAgent(kept) }
            return
        }
        let version = try await sent(kept)
        guard isAwaited else { return }
        guard let session else { throw missing }
        let set = try await session.waitForQuerySet(version)
        if set.state == .error, let error = set.errors.first { throw SyncError(error) }
    }

    /// Waits until the process that syncs the file has all that a set asks for. If that process ends, the session of this one does it.
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

    /// Why there is no session.
    private var missing: any Error {
        guard user.isLoggedIn else { return SessionError.closed }
        return Realm.Error(
            .multipleSyncAgents,
            "Another process syncs the file. What is written here is sent by that one; wait for it there.",
            fileURL: realmConfiguration.fileURL
        )
    }

    /// What the session calls a set, which it gets if it doesn't know it. One set is sent after another, and only the file's newest.
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
                // A session that ended meanwhile says nothing of the next one's sets.
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

    // MARK: What realms ask

    func willCommit(_ transaction: WriteTransaction) throws(Realm.Error) {
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

    /// Ends with the first error of the connection, if the configuration says so.
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

/// A user's tokens for a session.
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
