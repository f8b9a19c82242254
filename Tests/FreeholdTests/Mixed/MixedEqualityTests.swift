import Foundation
import Testing

@testable import Freehold

@Suite("Equality and order of mixed values")
struct AnyRealmValueEqualityTests {
    /// Rising; the values of one group are equal.
    static var groups: [[AnyRealmValue]] {
        [
            [.none, nil], [false], [true], [.double(.nan), .float(.nan), .decimal128("NaN")], [.double(-.infinity)],
            [-1, .double(-1), .decimal128("-1.0")], [0, .double(-0.0), .float(0)], [.decimal128("0.1")], [.double(0.1)],
            [.int(1 << 53), .double(0x1p53)], [.int(1 << 53 + 1)], [.int(.max)], [.double(0x1p63)],
            [""], ["a"], ["é"], [.data(Data())], [.data(Data("a".utf8))], [.date(Date(timeIntervalSince1970: 0))],
            [.objectId(ObjectId("000000000000000000000001")!)],
            [.uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001")!)],
            [[1, "x"], [.double(1), "x"]], [["a": 1], ["a": .float(1)]],
        ]
    }

    @Test
    func `values are equal only in their group, have equal hashes, and are ordered by group`() {
        for (i, a) in Self.groups.enumerated() {
            for (j, b) in Self.groups.enumerated() {
                for x in a {
                    for y in b {
                        expectEqual((x == y), (i == j), "\(x) and \(y)")
                        expectEqual(AnyRealmValue.isOrderedBefore(x, y), (i < j), "\(x) and \(y)")
                        if i == j { expectEqual(x.hashValue, y.hashValue, "\(x) and \(y)") }
                    }
                }
            }
        }
        expectEqual(Set(Self.groups.flatMap { $0 }).count, Self.groups.count)
    }

    @Test
    func `collections are equal by content, and objects by their row`() throws {
        expect([1, [2]] as AnyRealmValue != [1, [3]])
        expect([1] as AnyRealmValue != ["0": 1])
        expect(["a": 1] as AnyRealmValue != ["a": 1, "b": nil])
        let list = List<AnyRealmValue>()
        list.append(.list(list))
        expectEqual(AnyRealmValue.list(list), .list(list))
        let realm = try mixedRealm()
        try realm.write {
            let target = MixedTarget("x")
            realm.add(MixedHolder(1, .object(target)))
            realm.add(MixedHolder(2, .object(target)))
            realm.add(MixedHolder(3, .object(MixedTarget("x"))))
        }
        let all = Array(realm.objects(MixedHolder.self))
        expect(all[0].any == all[1].any && all[0].any != all[2].any)
        expectEqual(all[0].any.hashValue, all[1].any.hashValue)
    }
}
