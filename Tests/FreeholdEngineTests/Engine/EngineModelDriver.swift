import Foundation
import Testing

@testable import FreeholdEngine

/// Runs random operations against a database and its model, and compares them.
struct EngineModelDriver {
    var random: RandomEngine
    var model: EngineModel
    let specs: [TableSpec]
    let path: String
    let options: Database.Options
    var database: Database
    /// Older snapshots with their expected content.
    var kept: [(Snapshot, EngineModel)] = []
    var problems: [String] = []
    /// Elements of a large list edit.
    var largest = 1500

    init(seed: UInt64, path: String, options: Database.Options) throws {
        random = RandomEngine(seed: seed)
        specs = random.schema()
        self.path = path
        self.options = options
        database = try Database.open(at: path, options: options)
        model = EngineModel(tableCount: specs.count)
        let transaction = try database.beginWrite()
        try transaction.applySchema(specs)
        _ = try transaction.commit()
    }

    mutating func run(transactions: Int, operations: Int) throws {
        for _ in 0..<transactions where problems.isEmpty {
            try runTransaction(random.below(operations) + 1)
            if random.chance(15) { try reopen() }
        }
        for (snapshot, old) in kept { check(old.differences(from: snapshot), "kept version \(snapshot.version)") }
    }

    private mutating func check(_ found: [String], _ place: String) {
        problems += found.prefix(5).map { "\(place): \($0)" }
    }

    private mutating func reopen() throws {
        for (snapshot, old) in kept { check(old.differences(from: snapshot), "kept version \(snapshot.version)") }
        kept = []
        let other = try Database.open(at: path, options: options)
        check(model.differences(from: try other.snapshot()), "second handle")
        database = other
        check(model.differences(from: try database.snapshot()), "reopened")
    }

    private mutating func runTransaction(_ operations: Int) throws {
        let before = model
        let transaction = try database.beginWrite()
        for _ in 0..<operations {
            try operation(transaction)
            if random.chance(2) { check(model.differences(from: transaction), "inside") }
            guard problems.isEmpty else { return transaction.cancel() }
        }
        if random.chance(15) {
            transaction.cancel()
            model = before
            check(model.differences(from: try database.snapshot()), "after cancel")
            return
        }
        if random.chance(50) { check(model.differences(from: transaction), "before commit") }
        let base = transaction.base.version
        let snapshot = try transaction.commit()
        check(model.differences(from: snapshot), "version \(snapshot.version)")
        check(snapshot.verify(), "verify of version \(snapshot.version)")
        if snapshot.version != base {
            guard let record = snapshot.changes(ofVersion: snapshot.version) else {
                problems.append("version \(snapshot.version) has no record")
                return
            }
            check(recordProblems(record, from: before, to: model, snapshot.schema), "record of \(snapshot.version)")
        }
        if random.chance(25) { kept.append((snapshot, model)) }
        if kept.count > 4 {
            let (old, oldModel) = kept.remove(at: random.below(kept.count))
            check(oldModel.differences(from: old), "kept version \(old.version)")
        }
    }

    // MARK: Operations

    private mutating func operation(_ transaction: WriteTransaction) throws {
        let schema = transaction.schema
        let t = random.below(schema.tables.count)
        let table = schema.tables[t]
        switch random.below(100) {
        case 0..<25: try create(transaction, t, table)
        case 25..<28: for _ in 0..<random.below(40) { try create(transaction, t, table) }
        case 28..<36:
            guard let key = randomKey(t) else { return }
            transaction.delete(table, key)
            model.delete(t, key, schema)
        case 36..<37:
            transaction.deleteAll(table)
            for key in model.tables[t].keys { model.delete(t, key, schema) }
        case 37..<39:
            transaction.delete(table, ObjectKey(model.tables[t].nextKey + Int64(random.below(3))))
        case 39..<41:
            let keys = model.tables[t].keys.filter { _ in random.chance(30) }
            transaction.delete(table, keys)
            for key in keys { model.delete(t, key, schema) }
        case 41..<67: try set(transaction, t, table)
        case 67..<72: try editNested(transaction, t, table)
        default: try edit(transaction, t, table)
        }
    }

    private mutating func randomKey(_ t: Int) -> ObjectKey? {
        let keys = model.tables[t].keys
        return keys.isEmpty ? nil : random.pick(keys)
    }

    private mutating func create(_ transaction: WriteTransaction, _ t: Int, _ table: Table) throws {
        var primaryKey: Value?
        if let column = table.primaryKey {
            let value = random.value(column.type, optional: column.isOptional)
            primaryKey = value
            if model.tables[t].rows.values.contains(where: { $0.values[column.index] == value }) {
                #expect(throws: EngineError.self) { try transaction.create(table, primaryKey: value) }
                return
            }
        }
        let key = try transaction.create(table, primaryKey: primaryKey)
        let expected = model.create(t, table, primaryKey)
        if key != expected { problems.append("created \(key), not \(expected)") }
        for _ in 0..<random.below(4) { try set(transaction, t, table, key) }
    }

    private mutating func set(
        _ transaction: WriteTransaction,
        _ t: Int,
        _ table: Table,
        _ wanted: ObjectKey? = nil
    ) throws {
        guard let key = wanted ?? randomKey(t),
            let column = table.columns.filter({ $0.collection == .none && !$0.isPrimaryKey }).randomElement(
                using: &random.generator
            )
        else { return }
        if column.type == .int, random.chance(30) {
            let old = model.tables[t].rows[key.raw]!.values[column.index]
            let new = try added(to: old) { try transaction.increment(column, key, by: $0) }
            model.tables[t].rows[key.raw]!.values[column.index] = new
            return
        }
        let value =
            column.type == .link
            ? randomLink(column, transaction.schema) : random.value(column.type, optional: column.isOptional)
        switch value {
        case _ where column.type == .mixed: try transaction.set(column, key, to: value)
        case .int(let v) where random.chance(50): transaction.setInt(column, key, to: v)
        case .double(let v) where random.chance(50): transaction.setDouble(column, key, to: v)
        case .bool(let v) where random.chance(50): transaction.setBool(column, key, to: v)
        case .string(let v) where random.chance(50): transaction.setString(column, key, to: v)
        case .link(let v) where random.chance(50): transaction.setLink(column, key, to: v)
        default: try transaction.set(column, key, to: value)
        }
        model.tables[t].rows[key.raw]!.values[column.index] = value
    }

    /// Returns the value after an increment. Some of the random amounts make the sum wrap around.
    private mutating func added(to old: Value, _ add: (Int64) throws -> Int64?) throws -> Value {
        let amount =
            random.chance(20) ? Int64.random(in: .min ... .max, using: &random.generator) : Int64(random.below(9)) - 4
        var expected: Int64?
        if case .int(let old) = old { expected = old &+ amount }
        let sum = try add(amount)
        if sum != expected { problems.append("\(old) + \(amount) is said to be \(sum as Any)") }
        return expected.map { .int($0) } ?? .null
    }

    private mutating func randomLink(_ column: Column, _ schema: DatabaseSchema) -> Value {
        let target = schema.tables.firstIndex { $0.id == column.targetTableID }!
        if random.chance(15) { return .null }
        return randomKey(target).map(Value.link) ?? .null
    }

    private mutating func elements(_ column: Column, _ n: Int, _ schema: DatabaseSchema) -> [Value] {
        guard column.type == .link else {
            return (0..<n).map { _ in random.value(column.type, optional: column.isOptional) }
        }
        let keys = model.tables[schema.tables.firstIndex { $0.id == column.targetTableID }!].keys
        return keys.isEmpty ? [] : (0..<n).map { _ in .link(random.pick(keys)) }
    }

    private mutating func edit(_ transaction: WriteTransaction, _ t: Int, _ table: Table) throws {
        guard let key = randomKey(t),
            let column = table.columns.filter({ $0.collection == .list }).randomElement(using: &random.generator)
        else { return }
        var list = model.tables[t].rows[key.raw]!.lists[column.index]
        let schema = transaction.schema
        let count = list.count
        switch random.below(20) {
        case 0..<5:
            let new = elements(column, 1 + random.below(5), schema)
            try transaction.listAppend(column, key, values: new)
            list += new
        case 5..<8:
            let new = elements(column, 1 + random.below(3), schema)
            let i = random.below(count + 1)
            try transaction.listInsert(column, key, at: i, values: new)
            list.insert(contentsOf: new, at: i)
        case 8:
            let isLong = column.type == .string || column.type == .data || column.type == .mixed
            let new = elements(column, random.below(isLong ? largest / 10 : largest), schema)
            let i = random.below(count + 1)
            try transaction.listInsert(column, key, at: i, values: new)
            list.insert(contentsOf: new, at: i)
        case 9..<12 where count > 0:
            let i = random.below(count)
            if column.type == .int, random.chance(50) {
                list[i] = try added(to: list[i]) { try transaction.listIncrement(column, key, at: i, by: $0) }
                break
            }
            let new = elements(column, 1, schema)
            guard let value = new.first else { return }
            try transaction.listSet(column, key, at: i, to: value)
            list[i] = value
        case 12..<14 where count > 0:
            let i = random.below(count)
            try transaction.listRemove(column, key, at: i)
            list.remove(at: i)
        case 14..<16 where count > 0:
            let from = random.below(count)
            let to = from + random.below(count - from + 1)
            try transaction.listRemove(column, key, range: from..<to)
            list.removeSubrange(from..<to)
        case 16 where count > 0:
            let (from, to) = (random.below(count), random.below(count))
            try transaction.listMove(column, key, from: from, to: to)
            list.insert(list.remove(at: from), at: to)
        case 17 where count > 0:
            let (i, j) = (random.below(count), random.below(count))
            try transaction.listSwap(column, key, at: i, and: j)
            list.swapAt(i, j)
        case 18:
            transaction.listClear(column, key)
            list = []
        case 19:
            let new = elements(column, random.below(12), schema)
            try transaction.listAssign(column, key, values: new)
            list = new
        default:
            #expect(throws: EngineError.self) { try transaction.listRemove(column, key, at: count) }
        }
        model.tables[t].rows[key.raw]!.lists[column.index] = list
    }

    // MARK: Nested collections

    /// Returns the places of nested collections in a value, as positions from the outside in.
    private static func paths(_ value: Value, _ path: [Int] = []) -> [[Int]] {
        switch value {
        case .list(let list): [path] + list.values.enumerated().flatMap { paths($0.element, path + [$0.offset]) }
        case .dictionary(let dictionary):
            [path] + dictionary.entries.enumerated().flatMap { paths($0.element.value, path + [$0.offset]) }
        default: []
        }
    }

    private static func value(_ value: Value, at path: ArraySlice<Int>) -> Value {
        guard let i = path.first else { return value }
        return switch value {
        case .list(let list): self.value(list.values[i], at: path.dropFirst())
        case .dictionary(let dictionary): self.value(dictionary.entries[i].value, at: path.dropFirst())
        default: .null
        }
    }

    private static func replace(_ value: inout Value, at path: ArraySlice<Int>, _ new: Value) {
        guard let i = path.first else { return value = new }
        switch value {
        case .list(var list):
            replace(&list.values[i], at: path.dropFirst(), new)
            value = .list(list)
        case .dictionary(var dictionary):
            replace(&dictionary.entries[i].value, at: path.dropFirst(), new)
            value = .dictionary(dictionary)
        default: break
        }
    }

    private mutating func editNested(_ transaction: WriteTransaction, _ t: Int, _ table: Table) throws {
        guard let key = randomKey(t),
            let column = table.columns.filter({ $0.type == .mixed }).randomElement(using: &random.generator)
        else { return }
        let isList = column.collection == .list
        let roots = isList ? transaction.listValues(column, key) : [transaction.value(column, key)]
        let places = roots.enumerated().flatMap { root in Self.paths(root.element).map { (root.offset, $0) } }
        guard !places.isEmpty else { return }
        let (index, path) = random.pick(places)
        let found = Self.value(roots[index], at: path[...])
        guard let id = found.nestedID, id != 0 else { return problems.append("a nested collection without an id") }
        var new = found
        switch new {
        case .list(var list):
            for _ in 0...random.below(3) {
                let at = random.below(list.values.count + 1)
                switch random.below(4) {
                case 0 where at < list.values.count: list.values.remove(at: at)
                case 1 where at < list.values.count: list.values.swapAt(0, at)
                default: list.values.insert(random.mixed(depth: path.count + 1), at: at)
                }
            }
            new = .list(list)
        case .dictionary(var dictionary):
            dictionary[random.string()] = random.chance(30) ? nil : random.mixed(depth: path.count + 1)
            if let entry = dictionary.entries.first, random.chance(30) { dictionary[entry.key] = nil }
            new = .dictionary(dictionary)
        default: break
        }
        // A hint may be wrong.
        var place: NestedSubscript =
            isList ? .element(random.chance(50) ? index : random.below(roots.count + 2)) : .property
        let done = try transaction.updateNested(column, key, id: id, near: &place) { $0 = new }
        if !done || place != (isList ? .element(index) : .property) {
            problems.append("nested \(id) of \(column) wasn't found at \(index)")
        }
        if transaction.nested(column, key, id: id, near: &place) != new { problems.append("nested \(id) differs") }
        if isList {
            Self.replace(&model.tables[t].rows[key.raw]!.lists[column.index][index], at: path[...], new)
        } else {
            Self.replace(&model.tables[t].rows[key.raw]!.values[column.index], at: path[...], new)
        }
    }

    // MARK: The change record

    private func recordProblems(
        _ record: ChangeRecord,
        from old: EngineModel,
        to new: EngineModel,
        _ schema: DatabaseSchema
    ) -> [String] {
        var out: [String] = []
        var links: [EngineModel.Link: Int] = [:]
        for (i, table) in schema.tables.enumerated() {
            let (was, now) = (old.tables[i], new.tables[i])
            guard let changes = record.changes(of: table) else {
                if was != now { out.append("nothing of \(table)") }
                continue
            }
            if changes.isIncomplete { out.append("\(table) is incomplete") }
            let inserted = now.keys.filter { $0.raw >= was.nextKey }
            let deleted = was.keys.filter { now.rows[$0.raw] == nil }
            if changes.inserted != inserted { out.append("\(table): inserted \(changes.inserted), not \(inserted)") }
            if changes.deleted != deleted { out.append("\(table): deleted \(changes.deleted), not \(deleted)") }
            for column in table.columns {
                let modified = changes.modified[column.id] ?? []
                if modified != modified.sorted() { out.append("\(table).\(column): modified isn't sorted") }
                for key in modified where was.rows[key.raw] == nil || now.rows[key.raw] == nil {
                    out.append("\(table).\(column): \(key) isn't an object of before and after")
                }
                for (key, row) in now.rows {
                    guard let before = was.rows[key] else { continue }
                    let changed =
                        before.values[column.index] != row.values[column.index]
                        || before.lists[column.index] != row.lists[column.index]
                    if changed, !modified.contains(ObjectKey(key)) {
                        out.append("\(table).\(column): the change of \(key) is missing")
                    }
                }
            }
            for edit in changes.links {
                let link = EngineModel.Link(
                    table: table.id,
                    column: edit.column,
                    origin: edit.origin.raw,
                    target: edit.target.raw
                )
                links[link, default: 0] += edit.delta
            }
        }
        var expected = new.links(schema)
        for (link, n) in old.links(schema) { expected[link, default: 0] -= n }
        expected = expected.filter { $0.value != 0 }
        if links != expected { out.append("link edits: \(links.count), not \(expected.count), or others") }
        return out
    }
}
