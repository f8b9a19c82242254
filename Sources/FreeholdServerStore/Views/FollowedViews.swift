internal import FreeholdEngine
public import FreeholdSyncCore

/// Names a condition that is followed.
public typealias ConditionNumber = UInt64

/// The conditions of views on a stream's file, in the engine's query language, kept up with the stream's commits.
///
/// ```swift
/// var views = try store.followViews(of: stream)
/// let number = try views.follow(ClassQuery(className: "Task", condition: "project.owner == 'anna'"))
/// let step = try views.advance()       // after commits: who entered and who left
/// ```
/// Conditions may go through links and collections: an object enters or leaves also where another one changed. They see the columns: where
/// a property holds what its column can't, the condition sees the column's default, and an object without a row is in no view.
///
/// Of the cost of a change: conditions that name a value for a column (`owner == "anna"`, `owner IN {…}`, also with others behind `AND`)
/// are found by hash, so that only those count whose value the object had or has. Other conditions on an object's own columns are looked at
/// once for each object of their class that changed. Those through links are followed by the engine; what an advance costs them doesn't
/// grow with the number of objects.
///
/// One thread at a time. It holds a version of the file, so it has to go on with the commits, or pages aren't used again.
public struct FollowedViews: Sendable {
    private let file: StreamFile
    private let feed: ChangeFeed
    private var snapshot: Snapshot
    private var tables: StoreTables
    private var head: StreamHead
    private var written: [ConditionNumber: ClassQuery] = [:]
    private var conditions: [ConditionNumber: FollowedCondition] = [:]
    private var index = ConditionIndex()
    private var followed: [ConditionNumber: ObservedQuery] = [:]
    private var last: ConditionNumber = 0

    init(_ file: StreamFile) throws {
        self.file = file
        feed = ChangeFeed(file.database)
        feed.keepRecords()
        snapshot = try file.database.snapshot()
        tables = try file.tables(snapshot)
        head = try file.read(snapshot) { $0.head }
    }

    /// The version that memberships are of.
    public var cursor: Cursor { head.cursor }

    /// Follows a condition from `cursor` on.
    ///
    /// - Throws: `ConditionError` if it isn't understood. Of a class without a table only the language can be checked; if it doesn't fit the
    ///   table that the class gets, it has no objects, and `errors` says so.
    /// - Complexity: O(1); through links that of the query.
    public mutating func follow(_ query: ClassQuery) throws(ConditionError) -> ConditionNumber {
        let condition = try FollowedCondition(query, tables, snapshot)
        last += 1
        written[last] = query
        if let condition { add(condition, last) }
        return last
    }

    public mutating func unfollow(_ number: ConditionNumber) {
        written[number] = nil
        followed[number] = nil
        errors[number] = nil
        if let old = conditions.removeValue(forKey: number) { index.remove(old, number) }
    }

    /// Conditions that don't fit their class any more, or never did.
    public private(set) var errors: [ConditionNumber: ConditionError] = [:]

    private mutating func add(_ condition: FollowedCondition, _ number: ConditionNumber) {
        conditions[number] = condition
        if case .followed = condition.way {
            followed[number] = ObservedQuery(condition.query, watching: .shallow, in: snapshot)
        } else {
            index.add(condition, number)
        }
    }

    // MARK: Members

    /// Whether an object is there and fulfils a condition.
    ///
    /// - Complexity: O(log *n*), and what the condition reads.
    public func contains(_ name: ObjectName, _ number: ConditionNumber) -> Bool {
        guard let condition = conditions[number], condition.table.table.name == name.className.string,
            let row = condition.table.row(name.key, in: snapshot)
        else { return false }
        return condition.contains(row, in: snapshot)
    }

    /// All that fulfil a condition, in no order.
    ///
    /// - Throws: what is wrong with the file.
    /// - Complexity: that of the query.
    public func members(of number: ConditionNumber) throws -> [ObjectName] {
        guard let condition = conditions[number] else { return [] }
        let rows = followed[number]?.keys.array ?? condition.query.keys(in: snapshot)
        return try rows.map { try name($0, condition.table, snapshot, tables) }
    }

    private func name(
        _ row: ObjectKey,
        _ table: ClassTable,
        _ snapshot: Snapshot,
        _ tables: StoreTables
    ) throws -> ObjectName {
        let key = try ValueReader(view: snapshot, tables: tables).key(table, row)
        return ObjectName(SyncString(table.table.name), key)
    }

    // MARK: Steps

    /// Who entered and who left, between two versions of the stream.
    public struct Step: Sendable {
        public let from: Cursor
        public let to: Cursor
        /// Of the conditions whose members changed.
        public fileprivate(set) var changes: [ConditionNumber: Change] = [:]
    }

    public struct Change: Sendable, Equatable {
        public var entered: [ObjectName] = []
        public var left: [ObjectName] = []
    }

    /// Goes on to the newest version.
    ///
    /// An object that entered and left again in between is named by neither. One that was deleted and made anew under its key, and fulfils
    /// the condition both times, may be named by both.
    /// - Throws: what is wrong with the file.
    public mutating func advance() throws -> Step {
        let next = try file.database.snapshot()
        let newHead = try file.read(next) { $0.head }
        var step = Step(from: head.cursor, to: newHead.cursor)
        guard next.version > snapshot.version else { return step }
        let (old, oldTables) = (snapshot, tables)
        let changes = feed.changes(from: old, to: next)
        let newTables = try file.tables(next)
        if old.schemaRevision != next.schemaRevision {
            try changeSchema(old, oldTables, next, newTables, changes, &step)
        } else {
            try advanceRows(changes, old, oldTables, next, &step)
            for number in followed.keys {
                try advance(number, to: next, changes, oldTables, newTables, &step)
            }
        }
        (snapshot, tables, head) = (next, newTables, newHead)
        return step
    }

    private mutating func advance(
        _ number: ConditionNumber,
        to next: Snapshot,
        _ changes: VersionChanges,
        _ oldTables: StoreTables,
        _ newTables: StoreTables,
        _ step: inout Step
    ) throws {
        guard var query = followed[number], let table = conditions[number]?.table else { return }
        let before = query
        followed[number] = nil
        let difference = query.advance(to: next, changes)
        followed[number] = query
        guard let difference else { return }
        for position in difference.deletions {
            let name = try name(before.keys[position], table, before.snapshot, oldTables)
            step.changes[number, default: Change()].left.append(name)
        }
        for position in difference.insertions {
            let name = try name(query.keys[position], table, next, newTables)
            step.changes[number, default: Change()].entered.append(name)
        }
    }

    private func advanceRows(
        _ changes: VersionChanges,
        _ old: Snapshot,
        _ oldTables: StoreTables,
        _ next: Snapshot,
        _ step: inout Step
    ) throws {
        for (id, delta) in changes.tables {
            guard let table = oldTables[id], table.state != nil, let own = index[id] else { continue }
            var rows = Set(delta.inserted).union(delta.deleted)
            for (column, keys) in delta.modified where own.reads(column) { rows.formUnion(keys) }
            for row in rows {
                let (was, is_) = (old.contains(table.table, row), next.contains(table.table, row))
                for number in own.candidates(row, was ? old : nil, is_ ? next : nil) {
                    guard let condition = conditions[number] else { continue }
                    let before = was && condition.contains(row, in: old)
                    let after = is_ && condition.contains(row, in: next)
                    guard before != after else { continue }
                    let name = try name(row, table, before ? old : next, oldTables)
                    if after {
                        step.changes[number, default: Change()].entered.append(name)
                    } else {
                        step.changes[number, default: Change()].left.append(name)
                    }
                }
            }
        }
    }

    /// Columns came: every condition is understood anew, and what it shows compared with what it showed.
    private mutating func changeSchema(
        _ old: Snapshot,
        _ oldTables: StoreTables,
        _ next: Snapshot,
        _ newTables: StoreTables,
        _ changes: VersionChanges,
        _ step: inout Step
    ) throws {
        let (before, queries) = (conditions, followed)
        var members: [ConditionNumber: Set<ObjectKey>] = [:]
        for number in written.keys {
            members[number] = Set(queries[number]?.keys.array ?? before[number]?.query.keys(in: old) ?? [])
        }
        (conditions, index, followed, errors) = ([:], ConditionIndex(), [:], [:])
        (snapshot, tables) = (next, newTables)
        for (number, query) in written {
            do throws(ConditionError) {
                if let condition = try FollowedCondition(query, newTables, next) { add(condition, number) }
            } catch { errors[number] = error }
            let after = Set(followed[number]?.keys.array ?? conditions[number]?.query.keys(in: next) ?? [])
            var change = Change()
            for row in after.subtracting(members[number] ?? []) {
                if let table = conditions[number]?.table {
                    change.entered.append(try name(row, table, next, newTables))
                }
            }
            for row in (members[number] ?? []).subtracting(after) {
                if let table = before[number]?.table { change.left.append(try name(row, table, old, oldTables)) }
            }
            if change != Change() { step.changes[number] = change }
        }
    }
}

extension FileServerStore {
    /// Follows views of a stream from its newest version on.
    ///
    /// - Throws: `EngineError`, or what is wrong with the file.
    public func followViews(of stream: StreamName) throws -> FollowedViews { try FollowedViews(self.stream(stream)) }
}
