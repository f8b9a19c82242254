public import Foundation
public import Freehold
import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore

/// What sync keeps in a file, to be looked at: nothing is changed, and nobody who syncs the file is held up.
///
/// It is of the version that the file has at the call.
public struct SyncInspection {
    private let snapshot: Snapshot
    private let state: ClientState
    private let path: String
    private let values: Table

    /// - Parameter realm: opened in whatever way, also read-only, by a program that has none of the file's classes.
    /// - Throws: `SyncFileError`: `.notSynced`, `.damaged`, `.unsupported`; `EngineError`.
    public init(of realm: Realm) throws { try self.init(of: realm.database) }

    init(of database: Database) throws {
        snapshot = try database.snapshot()
        path = database.path
        guard let table = snapshot.schema.hiddenTable(named: FileNotes.values), table.columns.count > 1,
            snapshot.schema.hiddenTable(named: "sync commits") != nil
        else { throw SyncFileError(.notSynced, "The file doesn't sync.") }
        values = table
        let row = snapshot.find(primaryKey: .string("state"), in: table)
        state =
            try row.map { [snapshot] in try KeptBody.decode($0, of: table, in: snapshot, KeptBytes.state) }
            ?? ClientState()
    }

    // MARK: The state

    public struct Status: Encodable, Sendable {
        public struct Query: Encodable, Sendable {
            public let className: String
            public let condition: String
            /// Why the server refuses it.
            public let error: String?
        }

        public struct QuerySet: Encodable, Sendable {
            public let version: UInt64
            /// `pending`, `bootstrapping`, `complete`, `error` or `superseded`.
            public let state: String
            /// Whether all that was understood is in the file.
            public let isComplete: Bool
            public let queries: [Query]
        }

        public struct Subscription: Encodable, Sendable {
            public let name: String?
            public let className: String
            public let condition: String
            public let created: Date
            public let updated: Date
        }

        public struct LastError: Encodable, Sendable {
            public let time: Date
            public let code: String
            public let message: String
        }

        /// Nil of files that no app of RealmSwift's API made.
        public let app: String?
        public let user: String?
        public let server: String?
        /// The number that the server knows the file by. Nil before the first connection.
        public let file: UInt32?
        /// Which history of the server's the file has: 64 bits in hexadecimal digits, since many readers of JSON round such numbers.
        /// Nil before the first download.
        public let epoch: String?
        /// Up to where the file has it. Nil before the first download.
        public let version: UInt64?
        /// Whether a process syncs the file.
        public let isSyncing: Bool
        /// Whether the server has another history, and the file waits for its state.
        public let isReset: Bool
        public let subscriptions: [Subscription]
        public let querySets: [QuerySet]
        /// Objects of a bootstrap that has begun: here, and about to come in all.
        public let bootstrapObjects: UInt64?
        public let bootstrapExpected: UInt64?
        /// Commits that aren't numbered yet: whoever syncs the file next does that.
        public let recordedCommits: Int
        /// Numbered commits that the server hasn't answered, and how many of them may have been sent.
        public let unsentCommits: UInt64
        public let sentCommits: UInt64
        /// Commits that were answered but aren't yet in what was downloaded.
        public let unconfirmedCommits: UInt64
        /// Edits that are kept apart since they were refused or lost: `forEachLost(_:)`.
        public let lost: Int
        public let lastError: LastError?
    }

    /// - Throws: `EngineError` where the file's journal is damaged.
    /// - Complexity: O(commits that aren't numbered yet)
    public func status() throws -> Status {
        let owner = FileNotes.read(FileOwner.self, FileNotes.owner, snapshot)
        let error = FileNotes.read(KeptError.self, FileNotes.error, snapshot)
        var recorded = 0
        try forEachEntry { _ in recorded += 1 }
        return Status(
            app: owner?.app,
            user: owner?.user,
            server: owner?.server,
            file: state.file?.ident.rawValue,
            epoch: state.cursor.map { String($0.epoch, radix: 16) },
            version: state.cursor?.version,
            isSyncing: AgentLock.isHeld(path),
            isReset: state.isReset,
            subscriptions: SubscriptionRows.read(snapshot).all.map { kept in
                Status.Subscription(
                    name: kept.name,
                    className: kept.query.className,
                    condition: kept.query.condition,
                    created: kept.created,
                    updated: kept.updated
                )
            },
            querySets: state.querySets.map(Self.shown),
            bootstrapObjects: state.bootstrap?.objects,
            bootstrapExpected: state.bootstrap?.begin.objects,
            recordedCommits: recorded,
            unsentCommits: state.lastCommit - min(state.acknowledged, state.lastCommit),
            sentCommits: state.sealed - min(state.acknowledged, state.sealed),
            unconfirmedCommits: state.acknowledged &+ 1 - min(state.firstPending, state.acknowledged &+ 1),
            lost: snapshot.schema.hiddenTable(named: "sync lost").map { snapshot.count($0) } ?? 0,
            lastError: error.map { Status.LastError(time: $0.time, code: $0.code, message: $0.message) }
        )
    }

    /// The number of the file's transactions that the server may not have: those that weren't answered, and those that have no number yet.
    func unsentCommits() throws -> UInt64 {
        var recorded: UInt64 = 0
        try forEachEntry { _ in recorded += 1 }
        return recorded + state.lastCommit - min(state.acknowledged, state.lastCommit)
            + UInt64(state.recovery.isEmpty ? 0 : 1)
    }

    /// The sets of queries that the process which syncs the file has, and how far each is.
    var sets: [FreeholdSyncCore.QuerySet] { state.querySets }

    private static func shown(_ set: QuerySet) -> Status.QuerySet {
        var places: [SyncString: UInt64] = [:]
        let queries = set.queries.map { query in
            let index = places[query.className, default: 0]
            places[query.className] = index + 1
            let error = set.errors.first { $0.className == query.className && $0.index == index }
            return Status.Query(
                className: query.className.string,
                condition: query.condition.string,
                error: error?.text.string
            )
        }
        return Status.QuerySet(
            version: set.version,
            state: "\(set.state)",
            isComplete: set.isComplete,
            queries: queries
        )
    }

    // MARK: Work

    /// What the server hasn't answered, in the order in which it was done: each change a line of JSON, an object whose `class`, `key` and
    /// `change` say what it is about. `state` is `recorded` in commits that have no number yet, else `waiting`, or `sent` if the server may
    /// have it.
    ///
    /// Values are those of relaxed Extended JSON; a link is `{"$link": {"class": …, "key": …}}`.
    /// - Throws: `SyncFileError`, `EngineError`, what the body throws.
    /// - Complexity: O(unsent work); a commit is in memory at a time.
    public func forEachPending(_ body: (String) throws -> Void) throws {
        for recovery in state.recovery {
            for edit in recovery.edits { try body(try ChangeText.line([("state", .string("recovered"))], edit)) }
        }
        let commits = snapshot.schema.hiddenTable(named: "sync commits")
        var number = state.acknowledged + 1
        while let commits, number <= state.lastCommit {
            defer { number += 1 }
            guard let row = snapshot.find(primaryKey: .int(Int64(bitPattern: number)), in: commits) else { continue }
            let commit = try KeptBody.decode(row, of: commits, in: snapshot, KeptBytes.commit).commit
            let head = ChangeText.head(number <= state.sealed ? "sent" : "waiting", number, commit.clock)
            for change in commit.changes { try body(try ChangeText.line(head, change)) }
        }
        try forEachEntry { entry in
            let clock = Clock(milliseconds: entry.time &- 1_420_070_400_000)
            let head = ChangeText.head("recorded", nil, clock)
            for edit in try FileCommit(entry, schema: snapshot.schema).edits {
                try body(try ChangeText.line(head, edit))
            }
        }
    }

    private func forEachEntry(_ body: (JournalEntry) throws -> Void) throws {
        guard let cursor = snapshot.journalCursors.first(where: { $0.name == FileClientStore.cursorName }) else {
            return
        }
        var position = cursor.position
        while let entry = try snapshot.journalEntry(at: position) {
            try body(entry)
            position = entry.next
        }
    }

    /// What was refused by the server, given up in a reset, or couldn't be done: a line of JSON each, as of `forEachPending(_:)`. `lost` is
    /// `refused`, with a `reason`, `discarded` or `misplaced`. Writes that merely lost to later ones aren't among it.
    ///
    /// The lines stay until the app takes them.
    /// - Throws: `SyncFileError`, what the body throws.
    public func forEachLost(_ body: (String) throws -> Void) throws {
        guard let table = snapshot.schema.hiddenTable(named: "sync lost") else { return }
        for row in snapshot.keys(table) {
            switch try KeptBody.decode(row, of: table, in: snapshot, KeptBytes.lost) {
            case .refused(let refusal):
                let head: ChangeText.Head = [
                    ("lost", .string("refused")), ("reason", .string("\(refusal.reason)")),
                    ("commit", .int64(Int64(bitPattern: refusal.commit))),
                ]
                try body(try ChangeText.line(head, refusal.change))
            case .discarded(let commit):
                let head = [("lost", .string("discarded"))] + ChangeText.head(nil, commit.number, commit.clock)
                for change in commit.changes { try body(try ChangeText.line(head, change)) }
            case .misplaced(let edits):
                for edit in edits { try body(try ChangeText.line([("lost", .string("misplaced"))], edit)) }
            }
        }
    }
}
