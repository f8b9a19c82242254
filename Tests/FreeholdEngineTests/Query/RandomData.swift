import FoundationEssentials

@testable import FreeholdEngine

/// Two tables with a column of each type, links and collections of all kinds, filled at random.
struct RandomDatabase {
    let view: MemoryView
    let people: Table
    let dogs: Table
    var random: SeededRandom

    static let types: [ColumnType] = [
        .bool, .int, .float, .double, .string, .data, .timestamp, .decimal128, .objectId, .uuid,
    ]

    init(seed: UInt64, span: Int, rows: Int, dense: Bool, partsLog2: Int) {
        var random = SeededRandom(seed: seed)
        var columns: [[Column]] = []
        for table in 0..<2 {
            var all: [Column] = []
            for type in Self.types {
                for optional in [false, true] {
                    all.append(
                        Column(
                            id: all.count,
                            index: all.count,
                            tableID: table,
                            name: "\(type)\(optional ? "?" : "")",
                            type: type,
                            isOptional: optional,
                            collection: .none,
                            targetTableID: nil,
                            indexKind: .none,
                            isPrimaryKey: false,
                            firstSegment: UInt32((table * 64 + all.count) * 8)
                        )
                    )
                }
            }
            for (name, type, collection, target) in [
                ("link", .link, .none, 1 - table), ("self", .link, .none, table), ("links", .link, .list, 1 - table),
                ("ints", .int, .list, nil), ("mixed", .mixed, .none, nil), ("mixeds", .mixed, .list, nil),
                ("strings", .string, .list, nil), ("doubles", .double, .list, nil), ("intSet", .int, .set, nil),
                ("stringSet", .string, .set, nil), ("linkSet", .link, .set, table), ("mixedSet", .mixed, .set, nil),
                ("intMap", .int, .dictionary, nil), ("stringMap", .string, .dictionary, nil),
                ("linkMap", .link, .dictionary, 1 - table), ("mixedMap", .mixed, .dictionary, nil),
                ("mixedLink", .mixed, .none, nil), ("dates", .timestamp, .list, nil), ("floats", .float, .list, nil),
            ] as [(String, ColumnType, CollectionKind, Int?)] {
                all.append(
                    Column(
                        id: all.count,
                        index: all.count,
                        tableID: table,
                        name: name,
                        type: type,
                        isOptional: true,
                        collection: collection,
                        targetTableID: target,
                        indexKind: .none,
                        isPrimaryKey: false,
                        firstSegment: UInt32((table * 64 + all.count) * 8)
                    )
                )
            }
            columns.append(all)
        }
        let tables = (0..<2).map {
            Table(id: $0, name: "T\($0)", columns: columns[$0], firstSegment: UInt32($0 * 8 + 4096), nextColumnID: 64)
        }
        var data: [Int: MemoryView.TableData] = [:]
        let counts = [rows, max(1, rows / 3)]
        for t in 0..<2 {
            data[t] = MemoryView.TableData()
            data[t]!.rows = (0..<counts[t]).map { _ in dense || Int.random(in: 0..<4, using: &random) > 0 ? [] : nil }
        }
        let live = (0..<2).map { t in data[t]!.rows.indices.filter { data[t]!.rows[$0] != nil } }
        for t in 0..<2 {
            for i in 0..<counts[t] {
                var lists: [Int: [Value]] = [:]
                var keys: [Int: [String]] = [:]
                var row: [Value] = []
                for column in columns[t] {
                    func link() -> Value {
                        let keys = live[column.targetTableID!]
                        guard let key = keys.randomElement(using: &random) else { return .null }
                        return .link(ObjectKey(Int64(key)))
                    }
                    if column.collection != .none {
                        let count = Int.random(in: 0..<4, using: &random)
                        var values = (0..<count).map { _ in
                            column.type == .link ? link() : Self.value(column.type, optional: true, &random)
                        }
                        switch column.collection {
                        case .dictionary:
                            let names = Array(Set(values.map { _ in Self.keys.randomElement(using: &random)! }))
                                .sorted()
                            keys[column.index] = names
                            values = Array(values.prefix(names.count))
                        case .set: values = Self.sorted(values.filter { column.type != .link || !$0.isNull })
                        default: values = values.filter { column.type != .link || !$0.isNull }
                        }
                        lists[column.index] = values
                        row.append(.null)
                    } else if column.name == "mixedLink" {
                        let target = Int.random(in: 0..<2, using: &random)
                        let key = live[target].randomElement(using: &random)
                        row.append(
                            key.map { .objectLink(ObjectLink(tableID: target, key: ObjectKey(Int64($0)))) } ?? .null
                        )
                    } else if column.type == .link {
                        row.append(Int.random(in: 0..<3, using: &random) == 0 ? .null : link())
                    } else {
                        row.append(Self.value(column.type, optional: column.isOptional, &random))
                    }
                }
                if data[t]!.rows[i] != nil { data[t]!.rows[i] = row }
                data[t]!.lists.append(lists)
                data[t]!.keys.append(keys)
            }
        }
        view = MemoryView(schema: DatabaseSchema(tables: tables), clusterSpan: span, tables: data)
        view.partsLog2 = partsLog2
        view.build()
        people = tables[0]
        dogs = tables[1]
        self.random = random
    }

    /// Returns the values in the order of a set's elements.
    static func sorted(_ values: [Value]) -> [Value] {
        var out: [Value] = []
        for value in values where !out.contains(where: { Value.areEqual($0, value) }) { out.append(value) }
        return out.sorted { Value.compare($0, with: $1) < 0 }
    }

    static let keys = ["a", "b", "c", "Key", "ключ"]

    static let texts = [
        "", "a", "A", "ab", "abc", "ABC", "aBcd", "bcd", "Zoë", "ZOË", "straße", "ΣΑΣ", "σας", "Kelvin",
        "\u{212a}elvin",
        "zoe", "Zoe\u{308}", "ÀÉÎ", "aei", "Ёлка", "елка", "×", "÷", "ά", "Α", "ı", "I",
        "abcdefgh", "abcdefghi", "ABCDEFGHI", "xxabcdefghi", "xabcx", "aabcabca", "a\0b", "ab\0", "日本語",
        String(repeating: "long abc ", count: 8), String(repeating: "long abc ", count: 8) + "d",
    ]

    static func value(_ type: ColumnType, optional: Bool, _ random: inout SeededRandom) -> Value {
        if optional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
        let small = Int64.random(in: -3...6, using: &random)
        switch type {
        case .bool: return .bool(.random(using: &random))
        case .int:
            let extreme = Int.random(in: 0..<60, using: &random)
            return .int(extreme == 0 ? .max : extreme == 1 ? .min : extreme == 2 ? 1 << 53 + 1 : small)
        case .float: return .float([Float(small) / 2, .nan, 0.1, -0.0, .infinity].weighted(&random))
        case .double: return .double([Double(small) / 2, .nan, 0.1, -0.0, -.infinity, 0x1p53].weighted(&random))
        case .string: return .string(texts.randomElement(using: &random)!)
        case .data: return .data(Data(texts.randomElement(using: &random)!.utf8))
        case .timestamp:
            return .timestamp(
                Timestamp(seconds: small, nanoseconds: [0, 0, 1, 999_999_999].randomElement(using: &random)!)
            )
        case .decimal128:
            return .decimal128(
                ["1", "1.0", "2.5", "-3", "0", "NaN", "1E+40", "0.1"].randomElement(using: &random)
                    .map { Decimal128($0)! }!
            )
        case .objectId:
            return .objectId(
                ObjectId("0000000000000000000000" + ["00", "01", "02", "ff"].randomElement(using: &random)!)!
            )
        case .uuid:
            let last = ["0", "1", "2", "f"].randomElement(using: &random)!
            return .uuid(UUID(uuidString: "00000000-0000-0000-0000-\(last)0000000000\(last)")!)
        case .link: return .null
        case .mixed:
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                return .objectLink(ObjectLink(tableID: .random(in: 0..<2, using: &random), key: ObjectKey(small + 3)))
            case 1:
                return .list(
                    NestedList(
                        (0..<Int.random(in: 0..<3, using: &random)).map { $0 == 0 ? .int(0) : .double(Double($0)) }
                    )
                )
            case 2:
                return .dictionary(NestedDictionary([.init("a", value(.double, optional: true, &random))]))
            case 3:
                let inner: [Value] = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    // Without links, because not every database has such objects.
                    let inner = value(.mixed, optional: true, &random)
                    return inner.hasObjectLinks ? .int(small) : inner
                }
                return Bool.random(using: &random)
                    ? .list(NestedList(inner))
                    : .dictionary(NestedDictionary(zip(keys, inner).map { .init($0.0, $0.1) }))
            default:
                let types = ColumnType.allCases.filter { $0 != .link && $0 != .mixed }
                return value(types.randomElement(using: &random)!, optional: true, &random)
            }
        }
    }
}

extension Array {
    /// Mostly the first.
    func weighted(_ random: inout SeededRandom) -> Element {
        Int.random(in: 0..<3, using: &random) > 0 ? self[0] : randomElement(using: &random)!
    }
}
