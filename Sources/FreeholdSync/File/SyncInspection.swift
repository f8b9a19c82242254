public import Foundation
public import Freehold
import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore

/// The data of sync in a file, for inspection. Nothing is changed, and the process that syncs the file isn't delayed.
///
/// The data is from the version that the file has at the call.
public struct SyncInspection {
    private let snapshot: Snapshot
    private let state: ClientState
    private let path: String
    private let values: Table

    /// - Parameter realm: A realm of the file. It may be read-only, and the program needs none of the file's classes.
    /// - Throws: `SyncFileError` with the code `.notSynced`, `.damaged` or `.unsupported`, and `EngineError`.
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
            /// The reason why the server refuses the query.
            public let error: String?
        }

        public struct QuerySet: Encodable, Sendable {
            public let version: UInt64
            /// `pending`, `bootstrapping`, `complete`, `error` or `superseded`.
            public let state: String
            /// A Boolean value that indicates whether the file has all objects of the accepted queries.
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

        /// The app, the user and the server of the file. `nil` for files that weren't created by an app of RealmSwift's
        /// API.
        public let app: String?
        public let user: String?
        public let server: String?
        /// The number that the server gave the file. `nil` before the first connection.
        public let file: UInt32?
        /// The server's history that the file has, as 64 bits in hexadecimal digits, because many readers of JSON round
        /// such numbers. `nil` before the first download.
        public let epoch: String?
        /// The version of the stream up to which the file has the history. `nil` before the first download.
        public let version: UInt64?
        /// A Boolean value that indicates whether a process syncs the file.
        public let isSyncing: Bool
        /// A Boolean value that indicates whether the server has another history, so that the file waits for its state.
        public let isReset: Bool
        public let subscriptions: [Subscription]
        public let querySets: [QuerySet]
        /// The number of objects of the current bootstrap that the file has, and the expected total number.
        public let bootstrapObjects: UInt64?
        public let bootstrapExpected: UInt64?
        /// The number of recorded transactions without a commit number. The next process that syncs the file numbers
        /// them.
        public let recordedCommits: Int
        /// The number of numbered commits that the server hasn't answered, and the number of those that may have been
        /// sent.
        public let unsentCommits: UInt64
        public let sentCommits: UInt64
        /// The number of commits that were answered but whose effects aren't downloaded yet.
        public let unconfirmedCommits: UInt64
        /// The number of refused or lost edits that are kept for the app: `forEachLost(_:)`.
        public let lost: Int
        public let lastError: LastError?
    }

    /// Returns the state of sync.
    ///
    /// - Throws: `EngineError` if the file's journal is damaged.
    /// - Complexity: O(transactions without a commit number)
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

    /// Returns the number of the file's transactions that the server may not have: those without an answer, and those
    /// without a commit number.
    func unsentCommits() throws -> UInt64 {
        var recorded: UInt64 = 0
        try forEachEntry { _ in recorded += 1 }
        return recorded + state.lastCommit - min(state.acknowledged, state.lastCommit)
            + UInt64(state.recovery.isEmpty ? 0 : 1)
    }

    /// The query sets of the process that syncs the file, with their states.
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

    /// Calls a closure with the changes that the server hasn't answered, in their order. Each change is a line of JSON:
    /// an object whose `class`, `key` and `change` describe it. `state` is `recorded` for a commit without a number,
    /// `waiting` for one that wasn't sent, and `sent` for one that the server may have.
    ///
    /// Values are in relaxed Extended JSON. A link is `{"$link": {"class": …, "key": …}}`.
    /// - Throws: `SyncFileError`, `EngineError`, and the errors of the closure.
    /// - Complexity: O(unsent work). One commit at a time is in memory.
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

    /// Calls a closure with the changes that the server refused, that a reset discarded, or that didn't fit the file.
    /// Each is a line of JSON, as in `forEachPending(_:)`. `lost` is `refused` with a `reason`, `discarded` or
    /// `misplaced`. Writes that only lost to later writes aren't included.
    ///
    /// The lines stay in the file until the app takes them.
    /// - Throws: `SyncFileError`, and the errors of the closure.
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
