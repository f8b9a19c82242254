import Foundation

@testable import FreeholdEngine

/// Random schemas, values and operations, the same for the same seed.
struct RandomEngine {
    var generator: SeededRandom

    init(seed: UInt64) { generator = SeededRandom(seed: seed) }

    mutating func below(_ n: Int) -> Int { Int.random(in: 0..<max(n, 1), using: &generator) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func pick<T>(_ from: [T]) -> T { from[below(from.count)] }

    static let indexable: Set<ColumnType> = [.bool, .int, .string, .timestamp, .objectId, .uuid, .mixed]

    /// Two or three tables; together they have every type, single and in lists.
    mutating func schema() -> [TableSpec] {
        let names = ["A", "B", "C"].prefix(2 + below(2))
        var specs = names.map { TableSpec($0, columns: []) }
        for i in specs.indices {
            if chance(60) {
                let type = pick([ColumnType.int, .string, .objectId, .uuid])
                specs[i].columns.append(ColumnSpec("id", type, optional: chance(30)))
                specs[i].primaryKey = "id"
            }
        }
        for type in ColumnType.allCases {
            for collection in [CollectionKind.none, .list] {
                for round in 0..<(type == .link || type == .int || type == .string ? 2 : 1) {
                    let i = below(specs.count)
                    let isLink = type == .link
                    specs[i].columns.append(
                        ColumnSpec(
                            "\(type)\(collection == .list ? "s" : "")\(round)",
                            type,
                            optional: !isLink && chance(50),
                            collection: collection,
                            target: isLink ? String(pick(Array(names))) : nil,
                            indexed: collection == .none && Self.indexable.contains(type) && chance(60)
                        )
                    )
                }
            }
        }
        // Lists of doubles are coordinates where they happen to be in range.
        for i in specs.indices {
            for j in specs[i].columns.indices
            where specs[i].columns[j].type == .double && specs[i].columns[j].collection == .list && chance(60) {
                specs[i].columns[j].indexKind = .places
            }
        }
        for i in specs.indices where specs[i].columns.isEmpty { specs[i].columns = [ColumnSpec("only", .int)] }
        return specs
    }

    mutating func string() -> String {
        switch below(12) {
        case 0: return ""
        case 1: return String(repeating: "x", count: 1990 + below(20))
        case 2: return String(repeating: "long ", count: 400 + below(4000))
        case 3: return String(repeating: "p", count: 60 + below(10)) + pick(["", "a", "b"])
        case 4: return pick(["é", "e\u{301}", "日本", "🐕", "\0", "a\0b"])
        case 5: return String(repeating: "m", count: below(700))
        default: return "s\(below(20))"
        }
    }

    mutating func value(_ type: ColumnType, optional: Bool) -> Value {
        if optional, chance(20) { return .null }
        switch type {
        case .bool: return .bool(chance(50))
        case .int, .link:
            switch below(8) {
            case 0: return .int(pick([.min, .max, 0, -1, 255, 256, -128, -129, 65535, 65536, 1 << 32, -1 << 31]))
            case 1: return .int(Int64.random(in: .min ... .max, using: &generator))
            case 2: return .int(Int64(below(70000)))
            default: return .int(Int64(below(30)))
            }
        case .float: return .float(pick([0, -0.0, 1.5, .infinity, .nan, .greatestFiniteMagnitude, Float(below(1000))]))
        case .double:
            return .double(pick([0, -0.0, 0.1, -.infinity, .nan, .leastNonzeroMagnitude, Double(below(1000))]))
        case .string: return .string(string())
        case .data: return .data(Data(string().utf8))
        case .timestamp:
            return .timestamp(
                Timestamp(
                    seconds: pick([0, 1, -1, Int64(below(100_000)), 1_700_000_000, 1 << 40, -1 << 40]),
                    nanoseconds: pick([0, 0, 1, 999_999_999])
                )
            )
        case .decimal128:
            return .decimal128(
                Decimal128(lo: UInt64(below(50)), hi: pick([0x3040_0000_0000_0000, 0xB03E_0000_0000_0000]))
            )
        case .objectId: return .objectId(ObjectId(high: UInt64(below(40)) << 32, low: 7))
        case .uuid:
            let b = UInt8(below(40))
            return .uuid(UUID(uuid: (b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        case .mixed: return mixed(depth: 0)
        }
    }

    mutating func mixed(depth: Int = 0) -> Value {
        switch below(depth < 3 ? 12 : 10) {
        case 10: return .list(NestedList((0..<below(4)).map { _ in mixed(depth: depth + 1) }))
        case 11:
            return .dictionary(
                NestedDictionary((0..<below(4)).map { _ in .init(string(), mixed(depth: depth + 1)) })
            )
        case let i: return value(ColumnType.allCases[i], optional: true)
        }
    }
}
