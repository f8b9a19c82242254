import Foundation

@testable import FreeholdEngine

/// A file's classes and objects as plain values, which a random migration is done to in the simplest way.
struct MigrationModel {
    enum Content: Equatable {
        case one(Value)
        case list([Value])
        case set(Set<Value>)
        case dictionary([String: Value])
    }

    var specs: [TableSpec]
    /// By table: the keys in order, and each object's contents by column.
    var rows: [String: [ObjectKey: [String: Content]]] = [:]
    /// Tables that left the schema, with their last content.
    var left: [TableSpec] = []

    static let types: [ColumnType] = [
        .bool, .int, .float, .double, .string, .data, .timestamp, .decimal128, .objectId, .uuid, .link, .mixed,
    ]

    static func zero(_ spec: ColumnSpec) -> Content {
        switch spec.collection {
        case .none: .one(spec.type == .link ? .null : spec.zero)
        case .list: .list([])
        case .set: .set([])
        case .dictionary: .dictionary([:])
        }
    }

    static func fit(_ content: Content, _ spec: ColumnSpec) -> Content {
        if spec.isOptional || spec.type == .link { return content }
        let zero = ColumnSpec("", spec.type).zero
        func fit(_ value: Value) -> Value { value.isNull ? zero : value }
        return switch content {
        case .one(let value): .one(fit(value))
        case .list(let values): .list(values.map(fit))
        case .set(let values): .set(Set(values.map(fit)))
        case .dictionary(let values): .dictionary(values.mapValues(fit))
        }
    }

    // MARK: Making one up

    static func column(_ name: String, _ targets: [String], _ random: inout SeededRandom) -> ColumnSpec {
        let type = types.randomElement(using: &random)!
        let collection: CollectionKind = [.none, .none, .list, .set, .dictionary].randomElement(using: &random)!
        let indexable: Set<ColumnType> = [.bool, .int, .string, .timestamp, .objectId, .uuid, .mixed]
        return ColumnSpec(
            name,
            type,
            optional: type == .link ? collection == .dictionary : Bool.random(using: &random),
            collection: collection,
            target: type == .link ? targets.randomElement(using: &random)! : nil,
            indexed: collection == .none && indexable.contains(type) && Bool.random(using: &random)
        )
    }

    static func schema(_ random: inout SeededRandom) -> [TableSpec] {
        let names = (0..<Int.random(in: 1...3, using: &random)).map { "T\($0)" }
        return names.map { name in
            TableSpec(
                name,
                columns: [ColumnSpec("id", .int), ColumnSpec("alt", .string)]
                    + (0..<Int.random(in: 1...6, using: &random)).map { column("c\($0)", names, &random) },
                primaryKey: [nil, "id", "alt"].randomElement(using: &random)!
            )
        }
    }

    /// Applies the next version, which adds, removes and changes columns and tables.
    func nextSchema(_ random: inout SeededRandom) -> [TableSpec] {
        var next = specs
        if next.count > 1, Int.random(in: 0..<4, using: &random) == 0 {
            next.remove(at: Int.random(in: 0..<next.count, using: &random))
        }
        let known = Set((specs + left).map(\.name))
        if Int.random(in: 0..<3, using: &random) == 0,
            let new = (3..<9).map({ "T\($0)" }).first(where: { !known.contains($0) })
        {
            next.append(TableSpec(new, columns: [ColumnSpec("id", .int), ColumnSpec("alt", .string)]))
        }
        let names = next.map(\.name)
        for t in next.indices {
            var columns = Array(next[t].columns.prefix(2))
            for column in next[t].columns.dropFirst(2) {
                var column = column
                if let target = column.target, !names.contains(target) { column.target = names[0] }
                switch Int.random(in: 0..<8, using: &random) {
                case 0: continue
                case 1: column = Self.column(column.name, names, &random)
                case 2, 3:
                    if column.type != .link, column.type != .mixed { column.isOptional.toggle() }
                case 4: if column.isIndexed { column.isIndexed = false }
                default: break
                }
                columns.append(column)
            }
            if Bool.random(using: &random) {
                let name = "n\(Int.random(in: 0..<1000, using: &random))"
                let column = Self.column(name, names, &random)
                if !columns.contains(where: { $0.name == name }) { columns.append(column) }
            }
            next[t].columns = columns.shuffled(using: &random)
            next[t].primaryKey = [nil, "id", "alt"].randomElement(using: &random)!
            // The first two stay in front, for the next round.
            let front = ["id", "alt"].compactMap { name in next[t].columns.first { $0.name == name } }
            next[t].columns = front + next[t].columns.filter { $0.name != "id" && $0.name != "alt" }
        }
        return next
    }

    // MARK: Migrating

    /// - Parameter renames: by table, old names by new ones.
    mutating func migrate(to next: [TableSpec], renames: [String: [String: String]]) {
        for spec in next {
            guard let old = specs.first(where: { $0.name == spec.name }) else {
                rows[spec.name] = [:]
                continue
            }
            for (key, row) in rows[spec.name]! {
                var made: [String: Content] = [:]
                for column in spec.columns {
                    let name = renames[spec.name]?[column.name] ?? column.name
                    let before = old.columns.first { $0.name == name }
                    let isSame = before.map {
                        $0.type == column.type && $0.collection == column.collection && $0.target == column.target
                    }
                    made[column.name] = isSame == true ? Self.fit(row[name]!, column) : Self.zero(column)
                }
                rows[spec.name]![key] = made
            }
        }
        left += specs.filter { old in !next.contains { $0.name == old.name } }
        specs = next
    }

    /// Links to the object become null; lists and sets lose it.
    mutating func delete(_ table: String, _ key: ObjectKey, id: Int) {
        rows[table]![key] = nil
        for spec in specs + left {
            for column in spec.columns where column.target == table || column.type == .mixed {
                let link: Value = column.type == .mixed ? .objectLink(ObjectLink(tableID: id, key: key)) : .link(key)
                func empty(_ value: Value) -> Value { value == link ? .null : value }
                for (origin, row) in rows[spec.name]! {
                    let content: Content =
                        switch row[column.name]! {
                        case .one(let value): .one(empty(value))
                        case .list(let values):
                            .list(column.type == .mixed ? values.map(empty) : values.filter { $0 != link })
                        case .set(let values): .set(values.filter { $0 != link })
                        case .dictionary(let values): .dictionary(values.mapValues(empty))
                        }
                    rows[spec.name]![origin]![column.name] = content
                }
            }
        }
    }

    // MARK: Comparing

    func differences(from view: DataView) -> [String] {
        var out: [String] = []
        for spec in specs + left {
            guard let table = view.schema.table(named: spec.name) else {
                out.append("no table \(spec.name)")
                continue
            }
            let keys = view.keys(table)
            if Set(keys) != Set(rows[spec.name]!.keys) { out.append("\(spec.name): other objects") }
            if Set(table.columns.map(\.name)) != Set(spec.columns.map(\.name)) {
                out.append("\(spec.name): other columns")
            }
            if table.primaryKey?.name != spec.primaryKey { out.append("\(spec.name): another key") }
            for column in table.columns {
                for key in keys {
                    let found = Self.content(view, column, key)
                    let expected = rows[spec.name]![key]?[column.name]
                    if found != expected {
                        out.append(
                            "\(spec.name).\(column.name) of \(key): \(found), not \(String(describing: expected))"
                        )
                    }
                }
            }
        }
        return out
    }

    static func content(_ view: DataView, _ column: Column, _ key: ObjectKey) -> Content {
        switch column.collection {
        case .none: .one(view.value(column, key))
        case .list: .list(view.listValues(column, key))
        case .set: .set(Set(view.listValues(column, key)))
        case .dictionary:
            .dictionary(Dictionary(view.dictionaryEntries(column, key).map { ($0.key, $0.value) }) { a, _ in a })
        }
    }
}

extension MigrationModel {
    /// New objects with random contents, in the transaction and here.
    mutating func add(_ count: Int, to transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        for spec in specs {
            let table = transaction.schema.table(named: spec.name)!
            if rows[spec.name] == nil { rows[spec.name] = [:] }
            for _ in 0..<count {
                let number = table.nextNumber(transaction)
                let text = number % 3 == 0 ? String(repeating: "x", count: 100) + "\(number)" : "a\(number)"
                let key = try transaction.create(
                    table,
                    primaryKey: spec.primaryKey == "id" ? .int(number) : spec.primaryKey == "alt" ? .string(text) : nil
                )
                var row: [String: Content] = ["id": .one(.int(number)), "alt": .one(.string(text))]
                if spec.primaryKey != "id" { try transaction.set(table.column(named: "id")!, key, to: .int(number)) }
                if spec.primaryKey != "alt" { try transaction.set(table.column(named: "alt")!, key, to: .string(text)) }
                for column in spec.columns where row[column.name] == nil { row[column.name] = Self.zero(column) }
                rows[spec.name]![key] = row
            }
        }
        for spec in specs {
            let table = transaction.schema.table(named: spec.name)!
            for key in rows[spec.name]!.keys.sorted() {
                for column in spec.columns where column.name != "id" && column.name != "alt" {
                    let content = randomContent(column, transaction, &random)
                    rows[spec.name]![key]![column.name] = content
                    try Self.write(content, table.column(named: column.name)!, key, transaction)
                }
            }
        }
    }

    static func write(_ content: Content, _ column: Column, _ key: ObjectKey, _ transaction: WriteTransaction) throws {
        switch content {
        case .one(let value): try transaction.set(column, key, to: value)
        case .list(let values): try transaction.listAssign(column, key, values: values)
        case .set(let values): try transaction.setAssign(column, key, values: Array(values))
        case .dictionary(let values):
            try transaction.dictionaryAssign(column, key, entries: values.map { ($0.key, $0.value) })
        }
    }

    private func randomContent(_ spec: ColumnSpec, _ view: WriteTransaction, _ random: inout SeededRandom) -> Content {
        let length = [0, 1, 3, 5, 300].randomElement(using: &random)!
        let values = (0..<length).map { _ in randomValue(spec, view, &random) }
        return switch spec.collection {
        case .none:
            .one(
                randomValue(
                    ColumnSpec("", spec.type, optional: spec.isOptional || spec.type == .link, target: spec.target),
                    view,
                    &random
                )
            )
        case .list: .list(values)
        case .set: .set(Set(values))
        case .dictionary:
            .dictionary(Dictionary(values.enumerated().map { ("k\($0.offset)", $0.element) }) { a, _ in a })
        }
    }

    private func randomValue(_ spec: ColumnSpec, _ view: WriteTransaction, _ random: inout SeededRandom) -> Value {
        if spec.isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
        let number = Int.random(in: -5..<60, using: &random)
        switch spec.type {
        case .bool: return .bool(number > 0)
        case .int: return .int(Int64(number) * (number % 7 == 0 ? 1 << 40 : 1))
        case .float: return .float(Float(number) / 2)
        case .double: return .double(Double(number) / 3)
        case .string: return .string(String(repeating: "s\(number)", count: number % 20 == 0 ? 900 : 1))
        case .data: return .data(Data(repeating: UInt8(truncatingIfNeeded: number), count: abs(number)))
        case .timestamp: return .timestamp(Timestamp(seconds: Int64(number) * 1000, nanoseconds: 0))
        case .decimal128: return .decimal128(Decimal128(number))
        case .objectId: return .objectId(ObjectId(String(repeating: "0\(abs(number) % 10)", count: 12))!)
        case .uuid: return .uuid(UUID(uuid: (UInt8(abs(number)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        case .link:
            guard let table = spec.target.flatMap(view.schema.table(named:)),
                let key = rows[spec.target!]?.keys.randomElement(using: &random)
            else { return .null }
            _ = table
            return .link(key)
        case .mixed:
            let name = specs.randomElement(using: &random)!.name
            if number % 4 == 0, let key = rows[name]?.keys.randomElement(using: &random) {
                return .objectLink(ObjectLink(tableID: view.schema.table(named: name)!.id, key: key))
            }
            return number % 3 == 0 ? .int(Int64(number)) : number % 3 == 1 ? .string("m\(number)") : .bool(true)
        }
    }
}

extension Table {
    /// No object of the table has had it.
    fileprivate func nextNumber(_ view: DataView) -> Int64 { view.tableState(self).nextKey }
}
