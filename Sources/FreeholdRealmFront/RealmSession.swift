internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// A session of an official client, and its session with the server's machine.
struct RealmSession: Sendable {
    enum Phase: Hashable, Sendable {
        /// The client was bound. It sends its ident next, after it has received one if it had none.
        case bound
        /// The row of the file is being read.
        case reading
        /// The file is being bound.
        case binding
        case live
        /// The session had an error. Only its end is expected.
        case dead
    }

    let number: UInt64
    let configuration: RealmFrontConfiguration
    /// The version of the connection's protocol.
    let version: Int
    /// The machine's number of the session.
    var machine: SessionNumber
    var phase = Phase.bound
    var needsIdent: Bool
    var schemaVersion: UInt64
    var schema: RealmSchema
    var identity: FileIdentity?
    /// A Boolean value that indicates whether the machine has the session open.
    var isOpen = false
    /// The client's last message about its identity and progress.
    var ident: RealmClientMessage.Ident?

    // The file.
    var image = ClientImage()
    /// The position of the machine's changes that the front end has processed.
    var told: Cursor?
    /// The version of the stream that the client's own state is based on.
    var base: StreamVersion = 0
    var view: UInt64 = 0
    var queryVersion: Int64 = 0
    var queries: [ClassQueryText] = []
    /// The last version that was assigned to an entry, and the version of the last download that was sent completely.
    var lastServer: UInt64 = 0
    var sentServer: UInt64 = 0
    /// The client's versions of the last changesets that became commits, and that the client's own state contains.
    var accepted: UInt64 = 0
    var applied: UInt64 = 0
    /// The value of `applied` when nothing is being merged.
    var settled: UInt64 = 0
    /// The last progress of uploads that was acknowledged.
    var acknowledged = UploadCursor(client: 0, server: 0)
    /// The file's last commit.
    var last: (number: UInt64, hash: RunningHash) = (0, .empty)
    /// The newest changesets of the client.
    var receipts = UploadReceipts()
    /// The changesets that the client has to send again before changes can be compared with its state. `nil` if it has none.
    var expected: ExpectedUploads?
    /// The pings that the client has sent since it could have sent the expected changesets.
    var idlePings = 0
    /// The last marks that the client has requested and received.
    var marks: (wanted: UInt64, sent: UInt64) = (0, 0)
    /// The files of which the connection served another session that was replaced by one of another connection.
    var replacedFiles: Set<FileIdentity> = []
    /// A Boolean value that indicates whether a session of another connection has replaced this one.
    var isReplaced = false
    /// The version of the file's last commit, if some of its commits aren't in the client's own state.
    var replayedVersion: StreamVersion = 0
    /// The version at which a returning file continues, if it isn't that of its stored state.
    var resumedVersion: StreamVersion?
    /// The version up to which changes are written as whole objects, because the state of the file was lost.
    var uncertainUpTo: StreamVersion = 0

    // Work.
    var waiting: [RealmClientMessage] = []
    /// Query sets and marks of the client that wait until the client has sent the expected changesets.
    var heldMessages: [RealmClientMessage] = []
    /// The total size of the query sets in `heldMessages`, in bytes.
    var heldQueryBytes = 0
    var uploads: [RealmClientMessage.Upload] = []
    var uploadBytes = 0
    var batch: Batch?
    var isClaiming: RealmSchema?
    /// Changes that the machine has sent and that aren't processed yet.
    var held: [WireObject: HeldChange] = [:]
    var heldTo: Cursor?
    var isContinuing = false
    /// Requested objects that the machine has sent during a bootstrap. They have the form that they have after it.
    var heldFetched: [(WireObject, HeldChange)] = []
    var heldMarks: [UInt64] = []
    var bootstrap: RunningBootstrap?
    /// The last bootstrap of which at least one part was sent.
    var begun: BegunBootstrap?
    /// A Boolean value that indicates whether the file had a session before this one.
    var isResumed = false
    /// The query set whose parts the client discards at the end of this session, or has discarded before it.
    var discarded: Int64?
    /// The newest query set that the client has sent.
    var newestQuery: Int64 = 0
    var failedQueries: Set<Int64> = []
    /// Instructions about the schema for the next entry.
    var addedSchema: [Instruction] = []

    // Output.
    var outbox: [(message: RealmServerMessage, note: UInt64)] = []
    /// The number of the last request to store the state, and the number of the last such request that was answered.
    var noted: (wanted: UInt64, sent: UInt64, stored: UInt64) = (0, 0, 0)
    /// The credit that the machine has granted for uploads, and the commits that wait for credit.
    var credit: Int64 = 0
    var unsent: [UploadedCommit] = []
    /// The size of the machine's messages for which no new credit was granted yet, in bytes.
    var owed: UInt64 = 0
    var report: RealmSessionReport

    struct ClassQueryText: Hashable, Sendable {
        var className: SyncString
        var condition: SyncString
    }

    struct HeldChange: Sendable {
        var before: WireFields?
        var after: WireFields?
    }

    /// Uploads that become commits together.
    struct Batch: Sendable {
        var uploads: [RealmClientMessage.Upload]
        var changesets: [[Changeset]]
        /// The objects that still have to be read.
        var missing: [WireObject] = []
        var fetching: Set<WireObject> = []
        /// The objects that the changesets touch.
        var touched: Set<WireObject> = []
        /// The server's states of these objects before the commits.
        var before: [WireObject: WireFields?] = [:]
        /// The number of the last commit. `nil` before the commits are made.
        var lastNumber: UInt64?
        /// The version of the last commit, once it is known.
        var version: StreamVersion?
        /// The changesets in their order, without changes of the schema, transformed over the queue.
        var own: [MergeEntry] = []
        /// The client's versions by the numbers of their commits.
        var clientVersions: [UInt64: UInt64] = [:]
        /// The progress that is acknowledged at the end.
        var progress = UploadCursor(client: 0, server: 0)
        /// A Boolean value that indicates whether only the end of a running bootstrap is missing.
        var waitsForBootstrap = false
        var refusals: [(client: UInt64, refusal: Refusal)] = []
    }

    /// A bootstrap that is being sent.
    struct RunningBootstrap: Sendable {
        let queryVersion: Int64
        let serverVersion: UInt64
        let before: QueuedEntry.BeforeBootstrap
        /// A Boolean value that indicates whether the query set is unchanged. The client then receives ordinary changes instead of a bootstrap.
        let isChangeOfView: Bool
        /// A Boolean value that indicates whether the client may have a part of an earlier bootstrap of the query set.
        let isRepeated: Bool
        /// The version of the stream that the bootstrap has.
        let streamVersion: StreamVersion
        /// The changes that waited when the bootstrap began.
        let held: [WireObject: HeldChange]
        var entries = 0
        var partial: [Instruction] = []
        var ids: [ElementID?] = []
        var showing: [WireObject: WireFields?] = [:]
        /// The classes and fields that its parts declare.
        var schema: [Instruction] = []
        /// The states before the uploads, in `Batch.before`, that its parts replaced.
        var replaced: [WireObject: WireFields?] = [:]
    }

    init(
        _ bind: RealmClientMessage.Bind,
        _ configuration: RealmFrontConfiguration,
        version: Int,
        machine: SessionNumber,
        schema: RealmSchema,
        schemaVersion: UInt64,
        agent: String?
    ) {
        (number, self.configuration, self.version, self.machine) = (bind.session, configuration, version, machine)
        (needsIdent, self.schema, self.schemaVersion) = (bind.needsIdent, schema, schemaVersion)
        report = RealmSessionReport(session: bind.session, agent: agent, schemaVersion: schemaVersion)
    }

    /// The ident of the file on the wire. It is never 1, which is the server's own.
    static func wireIdent(_ identity: FileIdentity) -> RealmFileIdent {
        RealmFileIdent(ident: UInt64(identity.ident.rawValue) + 1, salt: identity.secret.salt)
    }

    static func identity(_ file: RealmFileIdent) -> FileIdentity? {
        guard file.ident >= 2, let raw = UInt32(exactly: file.ident - 1), file.salt > 0 else { return nil }
        return FileIdentity(ident: FileIdent(rawValue: raw), secret: FileSecret(salt: file.salt))
    }

    /// The order of the client's changesets.
    var wireIdent: UInt64 { identity.map { Self.wireIdent($0).ident } ?? 0 }

    /// The approximate size of the session in memory, in bytes.
    var keptBytes: Int {
        512 + image.keptBytes + uploadBytes + held.count * 512 + outbox.count * 256 + waiting.count * 256
            + heldMessages.count * 256 + heldQueryBytes + heldFetched.count * 512
            + (batch.map { $0.touched.count * 256 + $0.uploads.count * 128 } ?? 0)
    }

    var state: FrontState {
        var state = FrontState()
        (state.accepted, state.applied, state.schemaVersion) = (accepted, applied, schemaVersion)
        (state.streamVersion, state.base, state.view) = (told?.version, base, view)
        (state.queryVersion, state.lastServer, state.queue) = (queryVersion, lastServer, image.queue)
        state.schemaMark = schema.claim.hash.low
        (state.receipts, state.begun) = (receipts, begun)
        state.hash = expected?.hash ?? last.hash
        for object in image.concerned { state.stored[object] = .some(image.stored[object]) }
        return state
    }
}

/// The results of an event for the connection.
struct RealmOutput {
    var frames: [RealmServerMessage] = []
    var passes: [ClientMessage] = []
    var logs: [RealmFrontLog] = []
    /// The code of the close frame, if the connection ends.
    var close: UInt16?
}

extension RealmSession {
    // MARK: Messages to the client

    /// Sends a message after everything before it, and after the present state is stored.
    mutating func send(_ message: RealmServerMessage, _ output: inout RealmOutput) {
        guard phase != .dead else { return }
        if case .mark(_, let mark) = message { marks.sent = mark }
        outbox.append((message, noted.wanted))
        release(&output)
    }

    /// Sends the messages whose states are stored.
    mutating func release(_ output: inout RealmOutput) {
        var count = 0
        while count < outbox.count, outbox[count].note <= noted.stored {
            output.frames.append(outbox[count].message)
            count += 1
        }
        if count > 0 { outbox.removeFirst(count) }
    }

    /// Requests that the present state is stored before the next message is sent.
    mutating func note(_ output: inout RealmOutput) {
        guard configuration.storesQueues, isOpen else { return }
        noted.wanted += 1
        storeState(&output)
    }

    /// Stores the state, unless another state is being stored or commits are being merged. The store must not receive the state of commits
    /// before the commits themselves.
    mutating func storeState(_ output: inout RealmOutput) {
        guard noted.sent == noted.stored, noted.wanted > noted.sent, batch?.lastNumber == nil else { return }
        noted.sent = noted.wanted
        output.passes.append(.note(machine, noted.sent, state.bytes))
    }

    /// Handles the machine's answer to a request that stores the state.
    mutating func takeNoted(_ number: UInt64, _ output: inout RealmOutput) {
        noted.stored = max(noted.stored, number)
        release(&output)
        storeState(&output)
        sendCommits(&output)
    }

    /// Ends the session with an error. The stored state of the file is kept, and the connection isn't closed.
    mutating func fail(
        _ code: Int,
        _ action: String,
        text: String,
        tryAgain: Bool = false,
        output: inout RealmOutput
    ) {
        guard phase != .dead else { return }
        var error = ServerError(session: number, code: code, message: text, tryAgain: tryAgain, action: action)
        error.shouldClientReset = action == "ClientReset"
        // No message may follow an error, and the messages that still wait aren't needed any more.
        output.frames.append(.error(error))
        output.logs.append(RealmFrontLog(.info, "session error \(code): \(text)", session: number))
        close(&output)
        phase = .dead
    }

    /// Ends the session with the machine.
    mutating func close(_ output: inout RealmOutput) {
        if isOpen { output.passes.append(.unbind(machine)) }
        isOpen = false
        (waiting, heldMessages, uploads, uploadBytes, batch, unsent) = ([], [], [], 0, nil, [])
        (held, heldTo, heldMarks, heldFetched, bootstrap, outbox) = ([:], nil, [], [], nil, [])
        heldQueryBytes = 0
        image = ClientImage(image.schema)
    }

    /// The newest version and the salt of its history.
    var latest: LatestVersion {
        guard let told else { return LatestVersion(version: lastServer, salt: 1) }
        return LatestVersion(version: max(lastServer, told.version << 20), salt: told.salt)
    }

    /// Returns the next version of an entry at a version of the stream.
    mutating func nextServerVersion(_ version: StreamVersion) -> UInt64 {
        lastServer = max(lastServer + 1, version << 20)
        return lastServer
    }

    /// A Boolean value that indicates whether the client may show objects in another form than the server's state at this position.
    var isUncertain: Bool { (told?.version ?? 0) < uncertainUpTo }

    /// The client's version up to which its changes are in the base of new entries.
    var integrated: UInt64 { max(acknowledged.client, settled) }

    func download(
        _ entries: [DownloadEntry],
        batch: RealmServerMessage.Download.Batch = .steady,
        queryVersion: Int64? = nil,
        server: UInt64? = nil,
        client: UInt64? = nil
    ) -> RealmServerMessage {
        let client = client ?? integrated
        let isDone = batch != .more
        return .download(
            .init(
                session: number,
                download: DownloadCursor(server: server ?? sentServer, client: client),
                latest: latest,
                upload: UploadCursor(client: max(acknowledged.client, client), server: acknowledged.server),
                queryVersion: queryVersion ?? self.queryVersion,
                batch: batch,
                progress: isDone ? 1 : version < 12 ? 0 : 0.5,
                entries: entries
            )
        )
    }

    /// Acknowledges the progress of uploads, without a new version.
    mutating func acknowledge(_ output: inout RealmOutput) { send(download([]), &output) }
}
