import Foundation
import Testing

@testable import FreeholdEngine

struct MixedCodingTests {
    @Test(arguments: [
        Value.null, .bool(true), .bool(false), .int(0), .int(.min), .int(.max), .float(.nan), .float(1.5),
        .double(-0.0),
        .double(.infinity), .string(""), .string("日本\0"), .data(Data()), .data(Data([0, 255])),
        .timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_999)), .decimal128(Decimal128("NaN")),
        .decimal128(Decimal128("1.50")), .objectId(ObjectId(high: 1 << 40, low: 7)), .uuid(UUID()),
        .objectLink(ObjectLink(tableID: 300, key: ObjectKey(1 << 37))),
        .list(NestedList(id: 1 << 50, [.int(1), .null, .list(NestedList([]))])),
        .dictionary(NestedDictionary(id: 3, [.init("b", .int(1)), .init("a", .dictionary(NestedDictionary([])))])),
    ])
    func everyValueIsReadBackFromItsBytes(_ value: Value) throws {
        let bytes = MixedCoding.encode(value)
        expectEqual(bytes.withUnsafeBytes { MixedCoding.decode($0) }, value)
        for count in bytes.indices {
            expect(bytes[..<count].withUnsafeBytes { MixedCoding.decode($0) } == nil, "cut at \(count)")
        }
    }

    @Test func `nested dictionaries are sorted by key bytes and keep the last of equal keys`() {
        let dictionary = NestedDictionary([
            .init("é", .int(1)), .init("b", .int(2)), .init("a", .int(3)), .init("b", .int(4)),
        ])
        expectEqual(dictionary.entries.map(\.key), ["a", "b", "é"])
        expectEqual(dictionary["b"], .int(4))
        expect(dictionary["c"] == nil)
    }
}

struct MixedEqualityTests {
    static let groups: [[Value]] = [
        [.null], [.bool(false)], [.bool(true)],
        [.double(.nan), .float(.nan), .decimal128(Decimal128("NaN"))],
        [.double(-.infinity), .float(-.infinity)],
        [.int(-1), .float(-1), .double(-1), .decimal128(Decimal128("-1.0"))],
        [.int(0), .double(-0.0), .float(0), .decimal128(Decimal128("0E+3"))],
        [.double(0.1)], [.decimal128(Decimal128("0.1"))], [.float(0.1)],
        [.int(1 << 53), .double(0x1p53)], [.int(1 << 53 + 1)],
        [.int(.max)], [.double(0x1p63)],
        [.string("")], [.string("a")], [.data(Data())], [.data(Data("a".utf8))],
        [.timestamp(Timestamp(seconds: 0, nanoseconds: 0))], [.objectId(ObjectId(high: 0, low: 1))],
        [.uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))],
        [.objectLink(ObjectLink(tableID: 1, key: ObjectKey(0)))],
        [.objectLink(ObjectLink(tableID: 2, key: ObjectKey(0)))],
        [.list(NestedList([]))],
        [.list(NestedList(id: 5, [.int(1)])), .list(NestedList([.double(1)]))], [.list(NestedList([.int(2)]))],
        [.dictionary(NestedDictionary([]))],
        [.dictionary(NestedDictionary([.init("a", .int(1))])), .dictionary(NestedDictionary([.init("a", .float(1))]))],
    ]

    @Test func `values are equal only inside of their group, and equal ones have equal hashes`() {
        func hash(_ value: Value) -> Int {
            var hasher = Hasher()
            value.hashEqual(into: &hasher)
            return hasher.finalize()
        }
        for (i, a) in Self.groups.enumerated() {
            for (j, b) in Self.groups.enumerated() {
                for x in a {
                    for y in b {
                        expectEqual(Value.areEqual(x, y), (i == j), "\(x) and \(y)")
                        if i == j { expectEqual(hash(x), hash(y), "\(x) and \(y)") }
                    }
                }
            }
        }
    }

    @Test func `index entries of equal values are equal, and have the order of the values`() {
        func bytes(_ value: Value) -> [UInt8] { OrderedEncoding.with(value, .mixed) { Array($0) }! }
        let all = Self.groups.flatMap { $0 }
        for a in all {
            for b in all {
                if Value.areEqual(a, b) { expectEqual(bytes(a), bytes(b), "\(a) and \(b)") }
                if Value.compare(a, with: b) < 0 { expect(!bytes(b).lexicographicallyPrecedes(bytes(a)), "\(a), \(b)") }
            }
        }
    }

    @Test func `collections keep their ids, and new ones receive ids`() throws {
        let value = Value.list(NestedList(id: 7, [.dictionary(NestedDictionary([.init("a", .int(1))]))]))
        let stored = try require(MixedCoding.encode(value).withUnsafeBytes { MixedCoding.decode($0) })
        expect(stored == value && stored.nestedID == 7)
        var ids: [UInt64] = []
        stored.forEachNested { ids.append($0.nestedID!) }
        expect(Set(ids).count == 2 && !ids.contains(0))
    }
}
