@testable import FreeholdEngine

/// The content of a database by its journal alone. Entries are applied to plain dictionaries without links, rules or
/// owners. The journal must therefore contain the consequences of each edit, too.
struct JournalReplay {
    private(set) var schema: DatabaseSchema
    /// The contents by table id, key and column id. A missing value is the default of its type.
    private(set) var rows: [Int: [ObjectKey: [Int: JournalContent]]] = [:]
    private(set) var problems: [String] = []
    /// How often each kind of change was seen.
    private(set) var seen: [String: Int] = [:]
    private var lastNumber: UInt64?

    init(_ snapshot: Snapshot) {
        schema = snapshot.schema
        rows = Self.contents(of: snapshot)
    }

    // MARK: Applying

    mutating func apply(_ entry: JournalEntry) throws {
        if let lastNumber, entry.number != lastNumber + 1 {
            problems.append("entry \(entry.number) after \(lastNumber)")
        }
        lastNumber = entry.number
        var changes: [JournalChange] = []
        try entry.forEach { changes.append($0) }
        for change in changes { apply(change) }
        for case .named(let object, let name) in changes { check(object, name) }
    }

    /// Applies the snapshot's journal from a position on. Returns the position behind it.
    mutating func apply(_ snapshot: Snapshot, from position: UInt64) throws -> UInt64 {
        var at = position
        while let entry = try snapshot.journalEntry(at: at) {
            try apply(entry)
            at = entry.next
        }
        return at
    }

    private mutating func apply(_ change: JournalChange) {
        switch change {
        case .made(let table, let first, let count):
            seen["made", default: 0] += count
            for key in first.raw..<first.raw + Int64(count) {
                if rows[table, default: [:]].updateValue([:], forKey: ObjectKey(key)) != nil {
                    problems.append("\(table):\(key) made twice")
                }
            }
        case .gone(let object, let primaryKey, let cause):
            seen["gone \(cause)", default: 0] += 1
            guard let row = rows[object.tableID]?.removeValue(forKey: object.key) else {
                return problems.append("\(object) was deleted, but didn't exist")
            }
            if let column = schema.table(id: object.tableID)?.primaryKey, let old = row[column.id],
                old != primaryKey.map(JournalContent.value)
            {
                problems.append("\(object) went as \(String(describing: primaryKey)), not \(old)")
            }
        case .edited(let property, let edit, let cause):
            seen["\(Self.kind(edit)) \(cause)", default: 0] += 1
            alter(property) { Self.edit(&$0, edit) }
        case .set(let property, let value, let cause):
            seen["set \(cause)", default: 0] += 1
            alter(property) { content in
                content = .value(value)
                return true
            }
        case .added(let property, let delta):
            seen["added", default: 0] += 1
            alter(property) { content in
                guard case .value(.int(let old)) = content ?? .value(.int(0)) else { return false }
                content = .value(.int(old &+ delta))
                return true
            }
        case .row(let property, let content):
            seen["row", default: 0] += 1
            alter(property) { old in
                old = content
                return true
            }
        case .schema(let new):
            seen["schema", default: 0] += 1
            schema = new
            for id in rows.keys {
                guard let table = new.table(id: id) else {
                    rows[id] = nil
                    continue
                }
                let columns = Set(table.columns.map(\.id))
                for key in rows[id]!.keys { rows[id]![key] = rows[id]![key]!.filter { columns.contains($0.key) } }
            }
        case .named, .exact, .identity, .placed, .image, .before: seen["named", default: 0] += 1
        case .unshown: seen["unshown", default: 0] += 1
        case .defaults(let first, let count):
            seen["default", default: 0] += count
            for key in first.object.key.raw..<first.object.key.raw + Int64(count)
            where rows[first.object.tableID]?[ObjectKey(key)] == nil {
                problems.append("\(first) at \(key) has a default value, but doesn't exist")
            }
        }
    }

    private static func kind(_ edit: CollectionEdit) -> String { String("\(edit)".prefix { $0 != "(" }) }

    private mutating func alter(_ property: JournalProperty, _ body: (inout JournalContent?) -> Bool) {
        let object = property.object
        guard rows[object.tableID]?[object.key] != nil else {
            return problems.append("\(object).\(property.column) changed, but doesn't exist")
        }
        if !body(&rows[object.tableID]![object.key]![property.column]) {
            problems.append("a change doesn't fit \(object).\(property.column)")
        }
    }

    /// - Returns: A Boolean value that indicates whether the edit fits the content.
    private static func edit(_ content: inout JournalContent?, _ edit: CollectionEdit) -> Bool {
        switch edit {
        case .insertValue, .removeValue: return editSet(&content, edit)
        case .setEntry, .removeEntry, .addToEntry: return editDictionary(&content, edit)
        case .nested(let edit): return editNested(&content, edit)
        case .clear:
            content = nil
            return true
        case .assign(let new):
            content = new
            return true
        default: break
        }
        guard case .values(var list) = content ?? .values([]) else { return false }
        switch edit {
        case .insert(let at, let values) where at <= list.count: list.insert(contentsOf: values, at: at)
        case .remove(let at, let count) where at + count <= list.count: list.removeSubrange(at..<at + count)
        case .set(let at, let value) where at < list.count: list[at] = value
        case .move(let from, let to) where from < list.count && to < list.count:
            list.insert(list.remove(at: from), at: to)
        case .add(let at, let delta):
            guard at < list.count, case .int(let old) = list[at] else { return false }
            list[at] = .int(old &+ delta)
        default: return false
        }
        content = .values(list)
        return true
    }

    private static func editSet(_ content: inout JournalContent?, _ edit: CollectionEdit) -> Bool {
        guard case .values(var values) = content ?? .values([]) else { return false }
        switch edit {
        case .insertValue(let value): values.append(value)
        case .removeValue(let value):
            guard let i = values.firstIndex(of: value) else { return false }
            values.remove(at: i)
        default: return false
        }
        content = .values(values.sorted { Value.compare($0, with: $1) < 0 })
        return true
    }

    private static func editDictionary(_ content: inout JournalContent?, _ edit: CollectionEdit) -> Bool {
        guard case .entries(let entries) = content ?? .entries([]) else { return false }
        var dictionary = NestedDictionary(entries)
        switch edit {
        case .setEntry(let name, let value): dictionary[name] = value
        case .removeEntry(let name):
            guard dictionary[name] != nil else { return false }
            dictionary[name] = nil
        case .addToEntry(let name, let delta):
            guard case .int(let old)? = dictionary[name] else { return false }
            dictionary[name] = .int(old &+ delta)
        default: return false
        }
        content = .entries(dictionary.entries)
        return true
    }

    private static func editNested(_ content: inout JournalContent?, _ edit: NestedEdit) -> Bool {
        switch (edit.place, content) {
        case (.property, .value(var root)?):
            guard Self.edit(&root, edit.path[...], edit.change) else { return false }
            content = .value(root)
        case (.element(let i), .values(var list)?):
            guard i < list.count, Self.edit(&list[i], edit.path[...], edit.change) else { return false }
            content = .values(list)
        case (.entry(let name), .entries(var entries)?):
            guard let i = entries.firstIndex(where: { $0.key == name }),
                Self.edit(&entries[i].value, edit.path[...], edit.change)
            else { return false }
            content = .entries(entries)
        default: return false
        }
        return true
    }

    private static func edit(_ value: inout Value, _ path: ArraySlice<NestedEdit.Step>, _ change: NestedEdit.Change)
        -> Bool
    {
        switch (path.first, value) {
        case (nil, .list):
            guard case .list(let values) = change else { return false }
            value = .list(NestedList(values))
        case (nil, .dictionary(var dictionary)):
            guard case .entries(let set, let removed) = change else { return false }
            for name in removed { dictionary[name] = nil }
            for entry in set { dictionary[entry.key] = entry.value }
            value = .dictionary(dictionary)
        case (.element(let i)?, .list(var list)):
            guard i < list.values.count, edit(&list.values[i], path.dropFirst(), change) else { return false }
            value = .list(list)
        case (.entry(let name)?, .dictionary(var dictionary)):
            guard var inner = dictionary[name], edit(&inner, path.dropFirst(), change) else { return false }
            dictionary[name] = inner
            value = .dictionary(dictionary)
        default: return false
        }
        return true
    }

    private mutating func check(_ object: JournalObject, _ name: JournalName) {
        guard let row = rows[object.tableID]?[object.key] else {
            return problems.append("\(object) is named, but doesn't exist")
        }
        switch name {
        case .primaryKey(let value):
            guard let column = schema.table(id: object.tableID)?.primaryKey, row[column.id] == .value(value) else {
                return problems.append("\(object) is named \(value)")
            }
        case .owner(let owner):
            let content = rows[owner.object.tableID]?[owner.object.key]?[owner.column]
            let links: [Value] =
                switch content {
                case .value(let value)?: [value]
                case .values(let values)?: values
                case .entries(let entries)?: entries.map(\.value)
                case nil: []
                }
            if !links.contains(.link(object.key)) { problems.append("\(object) isn't owned by \(owner)") }
        }
    }

    // MARK: Comparing

    private static func contents(of view: DataView) -> [Int: [ObjectKey: [Int: JournalContent]]] {
        var out: [Int: [ObjectKey: [Int: JournalContent]]] = [:]
        for table in view.schema.tables {
            for key in view.keys(table) {
                var row: [Int: JournalContent] = [:]
                for column in table.columns { row[column.id] = content(of: column, key, in: view) }
                out[table.id, default: [:]][key] = row
            }
        }
        return out
    }

    private static func content(of column: Column, _ key: ObjectKey, in view: DataView) -> JournalContent {
        switch column.collection {
        case .none: .value(view.value(column, key))
        case .list, .set: .values(view.listValues(column, key))
        case .dictionary:
            .entries(view.dictionaryEntries(column, key).map { NestedDictionary.Entry($0.key, $0.value) })
        }
    }

    private static func initial(_ column: Column) -> JournalContent {
        switch column.collection {
        case .none: .value(FieldCoding.defaultValue(column.type, isOptional: column.isOptional))
        case .list, .set: .values([])
        case .dictionary: .entries([])
        }
    }

    /// Returns the differences between a view and the content of the journal.
    func differences(from view: DataView) -> [String] {
        var out = problems
        let found = Self.contents(of: view)
        for table in view.schema.tables {
            let (expected, rows) = (rows[table.id] ?? [:], found[table.id] ?? [:])
            if Set(expected.keys) != Set(rows.keys) {
                out.append("\(table): \(rows.count) objects, \(expected.count) by the journal")
                continue
            }
            for (key, row) in rows {
                for column in table.columns {
                    let said = expected[key]![column.id] ?? Self.initial(column)
                    if row[column.id] != said {
                        out.append("\(table).\(key).\(column): \(row[column.id]!), by the journal \(said)")
                    }
                }
            }
        }
        for id in rows.keys where view.schema.table(id: id) == nil { out.append("table \(id) is only in the journal") }
        return out
    }
}

/// Follows a database by its journal, from the creation of this value on.
struct JournalFollower {
    static let name = "follower"
    private(set) var replay: JournalReplay
    private(set) var position: UInt64

    /// Commits a cursor.
    init(_ database: Database) throws {
        let transaction = try database.beginWrite()
        try transaction.addJournalCursor(Self.name)
        let snapshot = try transaction.commit()
        position = snapshot.journalCursors.first { $0.name == Self.name }!.position
        replay = JournalReplay(snapshot)
    }

    /// Applies the entries since the last call, and returns the differences between the snapshot and the journal's
    /// content.
    mutating func differences(from snapshot: Snapshot) throws -> [String] {
        position = try replay.apply(snapshot, from: position)
        return Array(replay.differences(from: snapshot).prefix(5))
    }

    /// Says that all that was applied is done with.
    func move(in database: Database) throws {
        let transaction = try database.beginWrite()
        try transaction.moveJournalCursor(Self.name, to: position)
        _ = try transaction.commit()
    }
}
