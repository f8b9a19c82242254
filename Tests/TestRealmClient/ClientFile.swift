@testable import FreeholdRealmWire

/// The content of an official client's file: it survives restarts, and a copy of it is a copied file.
struct ClientFile: Sendable {
    /// The classes of the app, in the order in which the client creates them.
    let appSchema: [Instruction]
    let schemaVersion: Int64
    /// The objects that the app sees, and hidden links.
    var state = WireState()
    var ident: RealmFileIdent?
    var latest = LatestVersion(version: 0, salt: 0)
    var download = DownloadCursor(server: 0, client: 0)
    var upload = UploadCursor(client: 0, server: 0)
    /// The number of the newest commit. The first commit is 2.
    var newest: UInt64 = 0
    var history: [ClientCommit] = []
    var sets: [SubscriptionSet] = []
    var bootstrap: PendingBootstrap?
    var reset: ResetTracker?
    var merge = ClientMergeKind.library

    /// Creates a file with the set of subscriptions 0. The classes of the app are its first transaction.
    init(appSchema: [Instruction], schemaVersion: Int64 = 0, time: UInt64) throws {
        self.appSchema = appSchema
        self.schemaVersion = schemaVersion
        newest = 1
        note()
        sets = [SubscriptionSet(version: 0, snapshot: newest, queries: [])]
        note()
        try open(time: time)
    }

    /// Creates a file for a client reset. It has no classes.
    init(resetting file: ClientFile) {
        appSchema = []
        schemaVersion = file.schemaVersion
        newest = 1
        note()
        sets = [
            SubscriptionSet(version: 0, snapshot: newest, queries: []),
            SubscriptionSet(version: 1, snapshot: newest, queries: file.activeSet?.queries ?? []),
        ]
        note()
    }

    // MARK: Records

    /// Commits a change of the client's own records.
    mutating func note() {
        newest += 1
        history.append(ClientCommit(version: newest, remote: download.server))
    }

    /// Commits until the newest version is at least this one.
    mutating func note(upTo version: UInt64) {
        while newest < version { note() }
    }

    /// The newest set whose bootstrap is complete, or `nil`.
    var activeSet: SubscriptionSet? {
        sets.last { $0.state == .complete || $0.state == .awaitingMark }
    }

    var activeVersion: Int64 { activeSet?.version ?? 0 }

    mutating func changeSet(_ version: Int64, _ body: (inout SubscriptionSet) -> Void) {
        guard let index = sets.firstIndex(where: { $0.version == version }) else { return }
        body(&sets[index])
    }

    func set(_ version: Int64) -> SubscriptionSet? { sets.first { $0.version == version } }

    /// Removes what an official client removes at its start: a bootstrap without its end.
    mutating func discardOpenBootstrap() {
        guard let open = bootstrap, open.last == nil else { return }
        bootstrap = nil
        changeSet(open.queryVersion) { if $0.state == .bootstrapping { $0.state = .pending } }
        note()
    }

    // MARK: The history

    /// Local commits after a version that take part in merges.
    func local(after version: UInt64) -> [Int] {
        history.indices.filter { history[$0].version > version && history[$0].isUploaded }
    }

    /// Removes commits that the server has, and whose downloads were all made after them.
    mutating func trim() {
        let end = history.firstIndex {
            $0.version > download.client && $0.isUploaded
        }
        history.removeSubrange(..<(end ?? max(history.count - 1, 0)))
    }

    /// A Boolean value that indicates whether the server has acknowledged all local transactions.
    var isUploaded: Bool { !history.contains { $0.isUploaded && $0.version > upload.client } }

    /// A Boolean value that indicates whether all sets of subscriptions are complete or have failed.
    var isSubscribed: Bool { sets.allSatisfy { $0.state == .complete || $0.state == .failed } }

    /// Checks the relations between the parts of a file.
    func checkInvariants() {
        precondition(history.allSatisfy { $0.version <= newest })
        precondition(zip(history, history.dropFirst()).allSatisfy { $0.version < $1.version })
        precondition(zip(sets, sets.dropFirst()).allSatisfy { $0.version < $1.version })
        precondition(download.client <= newest && upload.client <= newest)
        precondition(!sets.isEmpty)
    }
}
