internal import FreeholdEngine
public import FreeholdSyncCore

/// The number of a followed condition.
public typealias ConditionNumber = UInt64

/// The conditions of views on a stream's file, in the engine's query language. Their members are updated with the
/// stream's commits.
///
/// ```swift
/// var views = try store.followViews(of: stream)
/// let number = try views.follow(ClassQuery(className: "Task", condition: "project.owner == 'anna'"))
/// let step = try views.advance()       // after commits: the changes of members
/// ```
/// Conditions may lead through links and collections, so that a change of one object can change the membership of
/// another. Conditions only see columns: for a value that a column can't store, they see the column's default, and an
/// object without a row isn't in any view.
///
/// The cost of a change depends on the kind of a condition. Conditions with a value for a column (`owner == "anna"`,
/// `owner IN {…}`, also combined with others by `AND`) are found by hash, so that only the conditions with the object's
/// old or new value are tested. Other conditions on an object's own columns are tested once for each changed object of
/// their class. Conditions through links are followed by the engine. Their cost doesn't grow with the number of
/// objects.
///
/// One thread at a time may use it. It holds a version of the file, so it has to advance with the commits. Otherwise
/// pages can't be reused.
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

    /// The version of the stream to which the memberships belong.
    public var cursor: Cursor { head.cursor }

    /// Follows a condition from `cursor` on.
    ///
    /// - Throws: `ConditionError` if the condition is invalid. For a class without a table, only the language is
    ///   checked. If the condition doesn't fit the later table of the class, it has no members, and `errors` contains
    ///   the reason.
    /// - Complexity: O(1). For a condition through links, the complexity of the query.
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

    /// The errors of conditions that don't fit their class.
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

    /// Returns whether an object exists and fulfils a condition.
    ///
    /// - Complexity: O(log *n*), plus the cost of the condition
    public func contains(_ name: ObjectName, _ number: ConditionNumber) -> Bool {
        guard let condition = conditions[number], condition.table.table.name == name.className.string,
            let row = condition.table.row(name.key, in: snapshot)
        else { return false }
        return condition.contains(row, in: snapshot)
    }

    /// Returns all objects that fulfil a condition, in no particular order.
    ///
    /// - Throws: Errors about the content of the file.
    /// - Complexity: The complexity of the query
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

    /// The changes of memberships between two versions of the stream.
    public struct Step: Sendable {
        public let from: Cursor
        public let to: Cursor
        /// The changes of the conditions whose members have changed.
        public fileprivate(set) var changes: [ConditionNumber: Change] = [:]
    }

    public struct Change: Sendable, Equatable {
        public var entered: [ObjectName] = []
        public var left: [ObjectName] = []
    }

    /// Advances to the newest version.
    ///
    /// The step doesn't contain an object that entered and left again in between. An object that was deleted and
    /// created again under its key may be contained as both, if it fulfils the condition both times.
    /// - Throws: Errors about the content of the file.
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

    /// Handles new columns: compiles each condition again, and compares its members with the earlier ones.
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
    /// Returns an object that follows views of a stream from its newest version on.
    ///
    /// - Throws: `EngineError`, and errors about the content of the file.
    public func followViews(of stream: StreamName) throws -> FollowedViews { try FollowedViews(self.stream(stream)) }
}
