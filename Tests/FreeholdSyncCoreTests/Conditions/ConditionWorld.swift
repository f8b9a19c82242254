import FreeholdEngine
import FreeholdSyncCore
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The content of a property of a random object.
enum RandomContent {
    case value(Value)
    case link(Int64)
    case list([RandomContent])
    case set([RandomContent])
    case dictionary([RandomField])
    case object([RandomField])
}

/// A property, or the entry of a dictionary.
struct RandomField {
    let name: String
    let content: RandomContent
}

/// Random objects with properties of every type, as a server stores them and as rows of a file.
struct ConditionWorld {
    static let scalars: [ColumnType] = [
        .bool, .int, .float, .double, .string, .data, .timestamp, .decimal128, .objectId, .uuid, .mixed,
    ]

    static let embedded = TableSpec(
        "Inner",
        columns: [
            ColumnSpec("i", .int), ColumnSpec("s", .string, optional: true), ColumnSpec("m", .mixed),
            ColumnSpec("l", .int, collection: .list), ColumnSpec("deep", .link, optional: true, target: "Deep"),
            ColumnSpec("owner", .link, optional: true, target: "Other"), ColumnSpec("_id", .int),
        ],
        isEmbedded: true
    )

    static let tables: [TableSpec] = {
        var columns = [ColumnSpec("_id", .int)]
        for type in scalars {
            if type != .mixed { columns.append(ColumnSpec("\(type)", type)) }
            columns.append(ColumnSpec("\(type)_o", type, optional: true))
            columns.append(ColumnSpec("\(type)_l", type, optional: true, collection: .list))
            columns.append(ColumnSpec("\(type)_s", type, collection: .set))
            columns.append(ColumnSpec("\(type)_d", type, optional: true, collection: .dictionary))
        }
        columns.append(ColumnSpec("link", .link, optional: true, target: "Other"))
        columns.append(ColumnSpec("link_b", .link, optional: true, target: "Other"))
        columns.append(ColumnSpec("link_l", .link, collection: .list, target: "Other"))
        columns.append(ColumnSpec("link_s", .link, collection: .set, target: "Other"))
        columns.append(ColumnSpec("link_d", .link, optional: true, collection: .dictionary, target: "Other"))
        columns.append(ColumnSpec("emb", .link, optional: true, target: "Inner"))
        columns.append(ColumnSpec("emb_l", .link, collection: .list, target: "Inner"))
        columns.append(ColumnSpec("emb_d", .link, optional: true, collection: .dictionary, target: "Inner"))
        return [
            TableSpec("Thing", columns: columns, primaryKey: "_id"), embedded,
            TableSpec("Deep", columns: [ColumnSpec("i", .int), ColumnSpec("s", .string)], isEmbedded: true),
            TableSpec(
                "Other",
                columns: [ColumnSpec("_id", .int), ColumnSpec("name", .string, optional: true)],
                primaryKey: "_id"
            ),
        ]
    }()

    var random: SeededRandom

    // MARK: Values

    private static let dates = [0, 1_000_000_000, -5].map { Timestamp(seconds: $0, nanoseconds: 500_000_000) }
    static let ids = ["65a1b2c3d4e5f60718293a4b", "000000000000000000000001"].map { ObjectId($0)! }
    static let uuids = (1...2).map { UUID(uuidString: "00000000-0000-4000-8000-00000000000\($0)")! }
    static let words = [
        "", "a", "A", "ä", "Ä", "Ab", "abab", "a b", "12", "1.5", "true", "zoë", "zoe\u{308}", "*", "a?",
        "65a1b2c3d4e5f60718293a4b", "00000000-0000-4000-8000-000000000001",
    ]

    /// A value of a type. Sums of those that are elements don't depend on the order.
    mutating func value(_ type: ColumnType, isElement: Bool = false) -> Value {
        let half = half()
        switch type {
        case .bool: return .bool(random.chance(50))
        case .int:
            return .int(random.chance(5) ? random.pick([.min, .max, 16_777_217]) : Int64(random.number(-2..<4)))
        case .float: return .float(Float(isElement ? half : random.pick([0.1, -0.0, half, .nan, .infinity, 1e30])))
        case .double:
            return .double(isElement ? half : random.pick([0.1, -0.0, half, half, .nan, -.infinity, 1e300]))
        case .string: return .string(random.pick(Self.words))
        case .data: return .data(Data(random.pick(["", "a", "A", "ab", "\u{e4}", "12"]).utf8))
        case .timestamp: return .timestamp(random.pick(Self.dates))
        case .decimal128: return .decimal128(Decimal128(random.pick(["0", "1", "1.0", "0.1", "1.5", "-2", "NaN"]))!)
        case .objectId: return .objectId(random.pick(Self.ids))
        case .uuid: return .uuid(random.pick(Self.uuids))
        case .link: return .null
        case .mixed:
            let plain = Self.scalars.filter { $0 != .mixed }
            switch random.number(0..<10) {
            case 0: return .null
            case 1: return .list(NestedList((0..<random.number(0..<3)).map { _ in nested() }))
            case 2:
                let keys = ["k", "list", "0"].filter { _ in random.chance(50) }
                return .dictionary(NestedDictionary(keys.map { .init($0, nested()) }))
            default: return value(random.pick(plain), isElement: isElement)
            }
        }
    }

    private mutating func nested() -> Value {
        if random.chance(15) { return .list(NestedList([.int(1), .string("a")])) }
        return value(random.pick([.int, .string, .double, .bool]), isElement: true)
    }

    private mutating func half() -> Double { Double(random.number(-3..<5)) / 2 }

    // MARK: Objects

    mutating func object(_ key: Int64) -> [RandomField] {
        var contents = fields(Self.tables[0].columns)
        contents[0] = RandomField(name: "_id", content: .value(.int(key)))
        return contents
    }

    private mutating func fields(_ columns: [ColumnSpec]) -> [RandomField] {
        columns.map { RandomField(name: $0.name, content: content($0)) }
    }

    private mutating func content(_ column: ColumnSpec) -> RandomContent {
        func count() -> Int { random.pick([0, 1, 1, 2, 3]) }
        switch column.collection {
        case .none: return single(column, isElement: false)
        case .list: return .list((0..<count()).map { _ in single(column, isElement: true) })
        case .set:
            var elements: [RandomContent] = []
            for _ in 0..<count() {
                let new = single(column, isElement: true)
                if case .value(let value) = new {
                    if value.isNull || Self.isUnfit(value) { continue }
                    let isKnown = elements.contains {
                        if case .value(let old) = $0 { Value.areEqual(old, value) } else { false }
                    }
                    if isKnown { continue }
                }
                if case .link(let key) = new,
                    elements.contains(where: { if case .link(key) = $0 { true } else { false } })
                {
                    continue
                }
                elements.append(new)
            }
            return .set(elements)
        case .dictionary:
            let keys = ["k", "a", "0"].filter { _ in random.chance(40) }
            return .dictionary(keys.map { RandomField(name: $0, content: single(column, isElement: true)) })
        }
    }

    /// Returns whether a set of mixed values can't contain the value.
    private static func isUnfit(_ value: Value) -> Bool {
        switch value {
        case .list, .dictionary: true
        default: false
        }
    }

    private mutating func single(_ column: ColumnSpec, isElement: Bool) -> RandomContent {
        switch (column.type, column.target) {
        case (.link, "Other"?):
            let canBeNull = column.collection == .none || column.collection == .dictionary
            return canBeNull && random.chance(30) ? .value(.null) : .link(Int64(random.number(1..<4)))
        case (.link, let target?):
            let canBeNull = column.collection == .none || column.collection == .dictionary
            if canBeNull, random.chance(30) { return .value(.null) }
            return .object(fields(Self.tables.first { $0.name == target }!.columns))
        default:
            if column.isOptional, column.type != .mixed, random.chance(25) { return .value(.null) }
            return .value(value(column.type, isElement: isElement))
        }
    }

    // MARK: As a server stores it

    /// Without the key, as in a store.
    static func stored(_ fields: [RandomField]) -> [SyncString: MergedContent] {
        var contents = merged(fields)
        contents["_id"] = nil
        return contents
    }

    private static func merged(_ fields: [RandomField]) -> [SyncString: MergedContent] {
        Dictionary(uniqueKeysWithValues: fields.map { (SyncString($0.name), merged($0.content)) })
    }

    private static func merged(_ content: RandomContent) -> MergedContent {
        switch content {
        case .value(let value): return .value(sync(value))
        case .link(let key): return .value(.link(ObjectName("Other", .int(key))))
        case .list(let elements): return .list(elements.map(merged))
        case .set(let elements):
            var set: [SetElement: SyncValue] = [:]
            for element in elements {
                if case .value(let value) = merged(element), let key = SetElement(value) { set[key] = value }
            }
            return .set(set)
        case .dictionary(let entries):
            return .dictionary(
                Dictionary(uniqueKeysWithValues: entries.map { (SyncString($0.name), merged($0.content)) })
            )
        case .object(let fields): return .embedded(merged(fields))
        }
    }

    private static func sync(_ value: Value) -> SyncValue {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(SyncString(value))
        case .data(let value): .data(value)
        case .timestamp(let value): .date(value)
        case .decimal128(let value): .decimal128(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .list(let list): .list(list.values.map(sync))
        case .dictionary(let dictionary):
            .dictionary(SyncDictionary(dictionary.entries.map { (SyncString($0.key), sync($0.value)) }))
        case .link, .objectLink: .null
        }
    }

    // MARK: As rows

    /// Writes the objects to a file.
    static func fill(
        _ database: Database,
        _ objects: [[RandomField]]
    ) throws -> [ObjectKey] {
        let transaction = try database.beginWrite()
        try transaction.applySchema(tables)
        let writer = try Writer(transaction)
        let keys = try objects.map { try writer.add($0) }
        _ = try transaction.commit()
        return keys
    }

    private struct Writer {
        let transaction: WriteTransaction
        let thing: Table
        var others: [Int64: ObjectKey] = [:]

        init(_ transaction: WriteTransaction) throws {
            self.transaction = transaction
            thing = try require(transaction.schema.table(named: "Thing"))
            let other = try require(transaction.schema.table(named: "Other"))
            for key in 1...3 as ClosedRange<Int64> {
                others[key] = try transaction.create(other, primaryKey: .int(key))
            }
        }

        func add(_ fields: [RandomField]) throws -> ObjectKey {
            var key = Value.null
            if case .value(let first)? = fields.first?.content { key = first }
            let row = try transaction.create(thing, primaryKey: key)
            try put(fields.dropFirst(), thing, row)
            return row
        }

        private func put(_ fields: some Sequence<RandomField>, _ table: Table, _ row: ObjectKey)
            throws
        {
            for field in fields {
                let column = try require(table.column(named: field.name))
                switch field.content {
                case .list(let elements):
                    for element in elements {
                        try transaction.listAppend(column, row, values: [value(element, column)])
                    }
                case .set(let elements):
                    for element in elements {
                        _ = try transaction.setInsert(column, row, value: value(element, column))
                    }
                case .dictionary(let entries):
                    for entry in entries {
                        try transaction.dictionarySet(column, row, forKey: entry.name, to: value(entry.content, column))
                    }
                case .value(.null) where column.type == .link: break
                case .value, .link, .object:
                    if column.type == .link, case .link(let target) = try value(field.content, column) {
                        transaction.setLink(column, row, to: target)
                    } else {
                        try transaction.set(column, row, to: value(field.content, column))
                    }
                }
            }
        }

        private func value(_ content: RandomContent, _ column: Column) throws -> Value {
            switch content {
            case .value(let value): return value
            case .link(let key): return .link(others[key]!)
            case .object(let fields):
                let table = try require(column.targetTableID.flatMap { transaction.schema.table(id: $0) })
                let row = try transaction.create(table)
                try put(fields, table, row)
                return .link(row)
            case .list, .set, .dictionary: return .null
            }
        }
    }
}
