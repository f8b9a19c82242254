import Foundation
import Testing

@testable import FreeholdEngine

/// Runs random operations on a graph of objects and on its model, and compares them.
struct GraphDriver {
    typealias Ref = GraphModel.Ref
    typealias Slot = GraphModel.Slot

    var random: RandomEngine
    var model: GraphModel
    let path: String
    let options: Database.Options
    var database: Database
    var problems: [String] = []

    static let specs: [TableSpec] = [
        TableSpec(
            "Person",
            columns: [
                ColumnSpec("age", .int, indexed: true), ColumnSpec("friend", .link, target: "Person"),
                ColumnSpec("pets", .link, collection: .list, target: "Pet"),
                ColumnSpec("home", .link, target: "Address"),
                ColumnSpec("homes", .link, collection: .list, target: "Address"),
                ColumnSpec("homesByName", .link, collection: .dictionary, target: "Address"),
                ColumnSpec("friends", .link, collection: .set, target: "Person"),
                ColumnSpec("petsByName", .link, collection: .dictionary, target: "Pet"),
                ColumnSpec("any", .mixed), ColumnSpec("anys", .mixed, collection: .list),
                ColumnSpec("anySet", .mixed, collection: .set),
                ColumnSpec("anyByName", .mixed, collection: .dictionary),
            ]
        ),
        TableSpec(
            "Pet",
            columns: [
                ColumnSpec("owner", .link, target: "Person"), ColumnSpec("any", .mixed),
                ColumnSpec("mates", .link, collection: .set, target: "Pet"),
            ]
        ),
        TableSpec(
            "Address",
            columns: [
                ColumnSpec("city", .string, optional: true), ColumnSpec("landlord", .link, target: "Person"),
                ColumnSpec("hall", .link, target: "Room"),
                ColumnSpec("rooms", .link, collection: .list, target: "Room"), ColumnSpec("any", .mixed),
            ],
            isEmbedded: true
        ),
        TableSpec(
            "Room",
            columns: [
                ColumnSpec("size", .int), ColumnSpec("inner", .link, target: "Room"),
                ColumnSpec("cupboards", .link, collection: .list, target: "Room"),
                ColumnSpec("parts", .link, collection: .dictionary, target: "Room"),
                ColumnSpec("anys", .mixed, collection: .list),
            ],
            isEmbedded: true
        ),
    ]

    init(seed: UInt64, path: String, options: Database.Options) throws {
        random = RandomEngine(seed: seed)
        self.path = path
        self.options = options
        database = try Database.open(at: path, options: options)
        let transaction = try database.beginWrite()
        try transaction.applySchema(Self.specs)
        model = GraphModel(try transaction.commit().schema)
    }

    mutating func run(transactions: Int, operations: Int) throws {
        for _ in 0..<transactions where problems.isEmpty {
            try runTransaction(random.below(operations) + 1)
            if random.chance(15) {
                database = try Database.open(at: path, options: options)
                check(model.differences(from: try database.snapshot()), "reopened")
            }
        }
    }

    private mutating func check(_ found: [String], _ place: String) {
        problems += found.prefix(5).map { "\(place): \($0)" }
    }

    private mutating func runTransaction(_ operations: Int) throws {
        let before = model
        let transaction = try database.beginWrite()
        for _ in 0..<operations {
            try operation(transaction)
            if random.chance(12) { check(model.differences(from: transaction), "inside") }
            guard problems.isEmpty else { return transaction.cancel() }
        }
        if random.chance(15) {
            transaction.cancel()
            model = before
            check(model.differences(from: try database.snapshot()), "after cancel")
            return
        }
        check(model.differences(from: transaction), "before commit")
        model.deleteUnowned()
        let base = transaction.base.version
        let snapshot = try transaction.commit()
        check(model.differences(from: snapshot), "version \(snapshot.version)")
        check(snapshot.verify(), "verify of version \(snapshot.version)")
        guard snapshot.version != base else { return }
        guard let record = snapshot.changes(ofVersion: snapshot.version) else {
            problems.append("version \(snapshot.version) has no record")
            return
        }
        check(problems(of: record, from: before), "record of \(snapshot.version)")
    }

    // MARK: Operations

    private mutating func ref(_ table: Table) -> Ref? {
        let all = model.refs(table)
        return all.isEmpty ? nil : random.pick(all)
    }

    private mutating func operation(_ transaction: WriteTransaction) throws {
        let table = random.pick(model.tables)
        switch random.below(100) {
        case 0..<20:
            for _ in 0..<1 + random.below(3) { try create(transaction, table) }
        case 20..<28:
            guard let gone = ref(table) else { return }
            transaction.delete(table, ObjectKey(gone.key))
            model.delete(gone)
        case 28..<29:
            transaction.deleteAll(table)
            for ref in model.refs(table) { model.delete(ref) }
        case 29..<31:
            let gone = model.refs(table).filter { _ in random.chance(40) }
            transaction.delete(table, gone.map { ObjectKey($0.key) })
            for ref in gone { model.delete(ref) }
        default:
            guard let ref = ref(table) else { return }
            let column = random.pick(table.columns)
            switch column.collection {
            case .none: try set(transaction, ref, column)
            case .list: try edit(transaction, ref, column)
            case .set: try editSet(transaction, ref, column)
            case .dictionary: try editDictionary(transaction, ref, column)
            }
        }
    }

    private mutating func create(_ transaction: WriteTransaction, _ table: Table) throws {
        let key = try transaction.create(table)
        let ref = model.create(table)
        if key.raw != ref.key { problems.append("created \(key), not \(ref)") }
    }

    private mutating func set(_ transaction: WriteTransaction, _ ref: Ref, _ column: Column) throws {
        let old = model.objects[ref]![column.index].values
        guard let value = try element(transaction, ref, column, old) else { return }
        if case .link(let key) = value, random.chance(30) {
            transaction.setLink(column, ObjectKey(ref.key), to: key)
        } else {
            try transaction.set(column, ObjectKey(ref.key), to: value)
        }
        model.assign(ref, column, Slot(values: [value]))
    }

    /// Returns a value that the column accepts. An embedded object has no owner, or is one of `leaving`. Otherwise the
    /// function checks that the transaction refuses the object, because it has an owner or contains the object at
    /// `ref`.
    private mutating func element(
        _ transaction: WriteTransaction,
        _ ref: Ref,
        _ column: Column,
        _ leaving: [Value]
    ) throws -> Value? {
        if column.type == .mixed { return mixed(column.collection == .set ? 9 : 0) }
        guard let id = column.targetTableID else { return random.value(column.type, optional: column.isOptional) }
        if column.collection == .none || column.collection == .dictionary, random.chance(15) { return .null }
        let target = model.table(id)
        guard target.isEmbedded else { return self.ref(target).map { .link(ObjectKey($0.key)) } }
        guard let child = self.ref(target) else { return nil }
        let value = Value.link(ObjectKey(child.key))
        if leaving.contains(value) || (model.owner(child) == nil && !model.isAbove(child, ref)) { return value }
        let key = ObjectKey(ref.key)
        let error = #expect(throws: EngineError.self) {
            switch column.collection {
            case .none: try transaction.set(column, key, to: value)
            case .dictionary: try transaction.dictionarySet(column, key, forKey: "new", to: value)
            default: try transaction.listInsert(column, key, at: 0, values: [value])
            }
        }
        if error?.code != .invalidArgument { problems.append("linking what has an owner: \(error as Any)") }
        return nil
    }

    private mutating func mixed(_ depth: Int) -> Value {
        switch random.below(depth < 4 ? 10 : 7) {
        case 7, 8: return .list(NestedList((0..<random.below(4)).map { _ in mixed(depth + 1) }))
        case 9:
            return .dictionary(
                NestedDictionary((0..<random.below(4)).map { .init("k\($0)", mixed(depth + 1)) })
            )
        case 0: return .null
        case 1: return .int(Int64(random.below(9)))
        case 2 where random.chance(20): return .string(String(repeating: "long", count: 600))
        default:
            guard let ref = ref(random.pick(model.tables.filter { !$0.isEmbedded })) else { return .bool(true) }
            return .objectLink(ObjectLink(tableID: ref.table, key: ObjectKey(ref.key)))
        }
    }

    /// Up to `n` elements, none of the embedded ones twice.
    private mutating func elements(
        _ transaction: WriteTransaction,
        _ ref: Ref,
        _ column: Column,
        _ n: Int,
        _ leaving: [Value] = []
    ) throws -> [Value] {
        var out: [Value] = []
        let isOwner = column.targetTableID.map { model.table($0).isEmbedded } == true
        for _ in 0..<n {
            guard let value = try element(transaction, ref, column, leaving),
                !isOwner || value.isNull || !out.contains(value)
            else {
                continue
            }
            out.append(value)
        }
        return out
    }

    private mutating func edit(_ transaction: WriteTransaction, _ ref: Ref, _ column: Column) throws {
        let key = ObjectKey(ref.key)
        var list = model.objects[ref]![column.index].values
        let count = list.count
        switch random.below(14) {
        case 0..<4:
            let new = try elements(transaction, ref, column, 1 + random.below(random.chance(5) ? 300 : 5))
            let i = random.chance(50) ? count : random.below(count + 1)
            if new.count == 1, i == count, case .link(let target) = new[0] {
                transaction.listAppend(column, key, link: target)
            } else {
                try transaction.listInsert(column, key, at: i, values: new)
            }
            list.insert(contentsOf: new, at: i)
        case 4..<6 where count > 0:
            let i = random.below(count)
            guard let value = try element(transaction, ref, column, [list[i]]) else { return }
            try transaction.listSet(column, key, at: i, to: value)
            list[i] = value
        case 6..<8 where count > 0:
            let from = random.below(count)
            let to = from + 1 + random.below(min(3, count - from))
            try transaction.listRemove(column, key, range: from..<to)
            list.removeSubrange(from..<to)
        case 8 where count > 0:
            let (from, to) = (random.below(count), random.below(count))
            try transaction.listMove(column, key, from: from, to: to)
            list.insert(list.remove(at: from), at: to)
        case 9 where count > 0:
            let (i, j) = (random.below(count), random.below(count))
            try transaction.listSwap(column, key, at: i, and: j)
            list.swapAt(i, j)
        case 10:
            transaction.listClear(column, key)
            list = []
        case 11:
            list = try elements(transaction, ref, column, random.below(8), list)
            try transaction.listAssign(column, key, values: list)
        case 12:
            list.shuffle(using: &random.generator)
            try transaction.listAssign(column, key, values: list)
        default: return
        }
        model.assign(ref, column, Slot(values: list))
    }

    private mutating func editSet(_ transaction: WriteTransaction, _ ref: Ref, _ column: Column) throws {
        let key = ObjectKey(ref.key)
        var values = model.objects[ref]![column.index].values
        func isIn(_ value: Value) -> Bool { values.contains { Value.compare($0, with: value) == 0 } }
        switch random.below(10) {
        case 0..<5:
            for value in try elements(transaction, ref, column, 1 + random.below(4)) {
                if try transaction.setInsert(column, key, value: value) == isIn(value) { problems.append("setInsert") }
                if !isIn(value) { values.append(value) }
            }
        case 5..<8 where !values.isEmpty:
            let gone = random.pick(values)
            if !transaction.setRemove(column, key, value: gone) { problems.append("setRemove") }
            values.removeAll { $0 == gone }
        case 8:
            var new: [Value] = []
            for value in try elements(transaction, ref, column, random.below(9))
            where !new.contains(where: { Value.compare($0, with: value) == 0 }) { new.append(value) }
            try transaction.setAssign(column, key, values: new)
            values = new
        default:
            transaction.listClear(column, key)
            values = []
        }
        model.assign(ref, column, Slot(values: values.sorted { Value.compare($0, with: $1) < 0 }))
    }

    private mutating func editDictionary(_ transaction: WriteTransaction, _ ref: Ref, _ column: Column) throws {
        let key = ObjectKey(ref.key)
        let slot = model.objects[ref]![column.index]
        var entries = Dictionary(uniqueKeysWithValues: zip(slot.keys, slot.values))
        let name = "k\(random.below(random.chance(5) ? 300 : 8))"
        switch random.below(12) {
        case 0..<5:
            guard let value = try element(transaction, ref, column, [entries[name] ?? .null]) else { return }
            try transaction.dictionarySet(column, key, forKey: name, to: value)
            entries[name] = value
        case 5..<8:
            if transaction.dictionaryRemove(column, key, forKey: name) != (entries[name] != nil) {
                problems.append("dictionaryRemove")
            }
            entries[name] = nil
        case 8:
            let names = (0..<random.below(random.chance(10) ? 200 : 6)).map { "k\($0)" }
            let leaving = names.compactMap { entries[$0] }
            let new = try elements(transaction, ref, column, names.count, leaving)
            let pairs = zip(names.prefix(new.count), new).map { (key: $0, value: $1) }
            let isOwner = column.targetTableID.map { model.table($0).isEmbedded } == true
            // An object that moves to a key must leave its own.
            let moved = Set(leaving).subtracting(names.prefix(new.count).compactMap { entries[$0] })
            if isOwner, new.contains(where: { moved.contains($0) }) { return }
            try transaction.dictionaryMerge(column, key, entries: pairs)
            for pair in pairs { entries[pair.key] = pair.value }
        case 9:
            let new = try elements(transaction, ref, column, random.below(8), slot.values)
            let pairs = new.enumerated().map { (key: "k\($0)", value: $1) }
            try transaction.dictionaryAssign(column, key, entries: pairs)
            entries = Dictionary(uniqueKeysWithValues: pairs)
        case 10:
            let shuffled = slot.values.shuffled(using: &random.generator)
            try transaction.dictionaryMerge(column, key, entries: zip(slot.keys, shuffled).map { (key: $0, value: $1) })
            entries = Dictionary(uniqueKeysWithValues: zip(slot.keys, shuffled))
        default:
            transaction.dictionaryClear(column, key)
            entries = [:]
        }
        let keys = entries.keys.sorted { Value.compareBytes($0, with: $1) < 0 }
        model.assign(ref, column, Slot(keys: keys, values: keys.map { entries[$0]! }))
    }

    // MARK: The change record

    private func problems(of record: ChangeRecord, from old: GraphModel) -> [String] {
        var out: [String] = []
        var links: [GraphModel.Link: Int] = [:]
        for table in model.tables {
            let changes = record.changes(of: table)
            if changes?.isIncomplete == true { out.append("\(table) is incomplete") }
            let deleted = old.refs(table).filter { model.objects[$0] == nil }.map(\.key)
            let found = (changes?.deleted ?? []).map(\.raw)
            if found != deleted { out.append("\(table): deleted \(found), not \(deleted)") }
            for ref in model.refs(table) {
                guard let before = old.objects[ref] else { continue }
                for column in table.columns where before[column.index] != model.objects[ref]![column.index] {
                    if changes?.modified[column.id]?.contains(ObjectKey(ref.key)) != true {
                        out.append("\(table).\(column): the change of \(ref.key) is missing")
                    }
                }
            }
            for edit in changes?.links ?? [] {
                let link = GraphModel.Link(
                    origin: Ref(table: table.id, key: edit.origin.raw),
                    column: edit.column,
                    target: Ref(table: edit.targetTable, key: edit.target.raw)
                )
                links[link, default: 0] += edit.delta
            }
        }
        var expected = model.links()
        for (link, n) in old.links() { expected[link, default: 0] -= n }
        expected = expected.filter { $0.value != 0 }
        if links != expected {
            out.append("link edits: \(links.count), not \(expected.count), or others")
        }
        return out
    }
}
