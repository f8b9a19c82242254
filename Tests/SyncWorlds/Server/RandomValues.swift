import Foundation
import FreeholdEngine
import FreeholdSyncCore

/// Commits with values of every kind, mostly of the type that a property had before, and keys of every type.
struct RandomValues {
    var random: SeededRandom
    private var number: OwnNumber = 1

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func name() -> ObjectName {
        let classes: [SyncString] = ["Thing", "Thing", "Person", "é", "e\u{301}", "Strange name", ""]
        let className = classes[pick(0..<classes.count)]
        guard random.chance(95) else { return ObjectName(className, key(pick(0..<5))) }
        switch className {
        case "Person": return ObjectName(className, .string(SyncString("p\(pick(0..<6))")))
        case "Strange name": return ObjectName(className, key(3))
        default: return ObjectName(className, .int(Int64(pick(-2..<6))))
        }
    }

    private mutating func key(_ kind: Int) -> PrimaryKey {
        switch kind {
        case 0: .null
        case 1: .int(Int64(pick(0..<3)))
        case 2: .string(SyncString(String(repeating: "long", count: pick(0..<30)) + "\(pick(0..<2))"))
        case 3: .objectId(objectId())
        default: .uuid(UUID(uuid: (UInt8(pick(0..<4)), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        }
    }

    private mutating func objectId() -> ObjectId {
        let bytes = [UInt8](repeating: UInt8(pick(0..<4)), count: 12)
        return bytes.withUnsafeBytes { ObjectId(bytes: $0) }
    }

    mutating func value(_ kind: Int? = nil, depth: Int = 0) -> SyncValue {
        switch kind ?? pick(0..<14) {
        case 0: return .null
        case 1: return .bool(random.chance(50))
        case 2: return .int([0, 1, -1, .min, .max][pick(0..<5)])
        case 3: return .float([0, -.zero, 1.5, .nan, .infinity, Float(bitPattern: 0x7FA0_0001)][pick(0..<6)])
        case 4: return .double([0, -.zero, 0.1, .nan, -.infinity, .leastNonzeroMagnitude][pick(0..<6)])
        case 5:
            return .string(
                ["", "a", "é", "e\u{301}", "a\0b", "😀", SyncString(String(repeating: "x", count: 3_000))][pick(0..<7)]
            )
        case 6: return .data(Data(repeating: UInt8(pick(0..<3)), count: [0, 1, 16, 5_000][pick(0..<4)]))
        case 7:
            return .date(
                [.min, .max, Timestamp(seconds: 1, nanoseconds: 1), Timestamp(seconds: -1, nanoseconds: 5_000_000)][
                    pick(0..<4)
                ]
            )
        case 8: return .objectId(objectId())
        case 9: return .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(pick(0..<3)))))
        case 10:
            return .decimal128(
                [
                    Decimal128(1), Decimal128(lo: 100, hi: 0x303C_0000_0000_0000),
                    Decimal128(lo: 5, hi: 0x7C00_0000_0000_0001),
                ][pick(0..<3)]
            )
        case 11: return .link(name())
        case 12 where depth < 3:
            return .list((0..<pick(0..<3)).map { _ in value(depth: depth + 1) })
        case 13 where depth < 3:
            let keys: [SyncString] = ["k", "a\0", "$x", "a.b", "é", "e\u{301}"]
            return .dictionary(
                SyncDictionary((0..<pick(0..<3)).map { _ in (keys[pick(0..<6)], value(depth: depth + 1)) })
            )
        default: return .int(5)
        }
    }

    mutating func embedded(depth: Int) -> SyncValue {
        number += 1
        let own = number
        let fields = (0..<pick(0..<4)).map { _ in field(depth: depth + 1) }
        var once: [SyncString: NewField] = [:]
        for field in fields { once[field.name] = field }
        return .embedded(EmbeddedValue(number: own, fields: once.values.sorted { $0.name < $1.name }))
    }

    /// The name of a property determines its usual type.
    mutating func field(depth: Int = 0) -> NewField {
        let kind = pick(0..<14)
        let name = SyncString(kind == 13 && random.chance(20) ? "nul\0" : "p\(kind)")
        let own: Int? = random.chance(85) ? kind : nil
        switch pick(0..<10) {
        case 0 where depth < 2: return NewField(SyncString("e\(pick(0..<2))"), .value(embedded(depth: depth)))
        case 1:
            number += 10
            let isEmbedded = random.chance(30) && depth < 2
            let values = (0..<pick(0..<4)).map { _ in
                isEmbedded ? embedded(depth: depth) : value(random.chance(90) ? own : nil)
            }
            number += 10
            return NewField(SyncString(isEmbedded ? "embeddedList" : "l\(kind)"), .list(first: number - 5, values))
        case 2: return NewField(SyncString("s\(kind % 12)"), .set((0..<pick(0..<4)).map { _ in value(kind % 12) }))
        case 3:
            let isEmbedded = random.chance(30) && depth < 2
            let keys: [SyncString] = ["k", "l", "a.b", "$", "é", "e\u{301}"]
            let entries = (0..<pick(0..<4)).map { _ in
                (
                    key: keys[random.chance(90) ? pick(0..<2) : pick(0..<6)],
                    value: isEmbedded ? embedded(depth: depth) : value(own)
                )
            }
            return NewField(SyncString(isEmbedded ? "embeddedMap" : "d\(kind)"), .dictionary(SyncDictionary(entries)))
        default: return NewField(name, .value(value(own)), random.chance(80) ? .real : .byDefault)
        }
    }

    /// Changes of some objects.
    mutating func changes(_ contents: [ObjectName: MergedObject]) -> [Change] {
        (0..<pick(1..<4)).flatMap { _ -> [Change] in
            let name = name()
            guard contents[name] != nil else {
                var fields: [SyncString: NewField] = [:]
                for _ in 0..<pick(0..<8) {
                    let field = field()
                    fields[field.name] = field
                }
                return [.create(name, fields.values.sorted { $0.name < $1.name })]
            }
            if random.chance(15) { return [.delete(name, .edit)] }
            let field = field()
            let place = Place(name, field.name)
            switch field.content {
            case .value(let value): return [.set(place, value, field.origin)]
            case .list(let first, let values):
                if random.chance(50), !values.isEmpty {
                    return [.insert(place, Gap(after: nil, before: nil), first: first, values)]
                }
                return [.assignList(place, hidden: [], Gap(after: nil, before: nil), first: first, values)]
            case .set(let values):
                return [random.chance(50) ? .insertIntoSet(place, values) : .assignSet(place, hidden: [], values)]
            case .dictionary(let value):
                if random.chance(50), let entry = value.entries.first {
                    return [.set(place.entry(entry.key), entry.value, .real)]
                }
                return [.assignDictionary(place, hidden: [], value)]
            }
        }
    }
}
