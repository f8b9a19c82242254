import Foundation
import Testing

@testable import Freehold

@Suite("Queries over mixed values")
struct MixedQueryTests {
    private func realm() throws -> Realm {
        let realm = try mixedRealm()
        let values: [AnyRealmValue] = [
            nil, 1, .double(1), 2.5, true, "1", "Abc", .data(Data("1".utf8)), .date(Date(timeIntervalSince1970: 5)),
            [1, 2], ["a": 1], .decimal128("1.0"), .double(.nan), -3,
        ]
        try realm.write {
            for (i, value) in values.enumerated() {
                let holder = MixedHolder(i, value)
                holder.tag = AnyRealmValue(value.plain)!
                holder.list.append(objectsIn: [.int(i), "x"])
                realm.add(holder)
            }
        }
        return realm
    }

    private func ids(_ realm: Realm, _ condition: (Query<MixedHolder>) -> Query<Bool>) -> [Int] {
        realm.objects(MixedHolder.self).where(condition).map(\.id).sorted()
    }

    @Test
    func `numbers are compared by value, and other types not at all, with and without an index`() throws {
        let realm = try realm()
        expectEqual(ids(realm) { $0.any == 1 }, [1, 2, 11])
        expectEqual(ids(realm) { $0.tag == 1 }, [1, 2, 11])
        expect(ids(realm) { $0.any == "1" } == [5] && ids(realm) { $0.tag == "1" } == [5])
        expectEqual(ids(realm) { $0.tag == .data(Data("1".utf8)) }, [7])
        expect(ids(realm) { $0.any == nil } == [0] && ids(realm) { $0.tag == nil } == [0])
        expectEqual(ids(realm) { $0.any != nil }.count, 13)
        expectEqual(ids(realm) { $0.any != 1 }, [0, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13])
        expect(ids(realm) { $0.any > 1 } == [3] && ids(realm) { $0.any >= 1 } == [1, 2, 3, 11])
        expect(ids(realm) { $0.any < 0 } == [13] && ids(realm) { $0.any > "A" } == [6])
        expect(ids(realm) { $0.any == [.double(1), 2] } == [9] && ids(realm) { $0.tag == [1, 2] } == [9])
        expect(ids(realm) { $0.any == ["a": 1] } == [10] && ids(realm) { $0.tag == ["a": 2] } == [])
        expect(ids(realm) { $0.any == .double(.nan) } == [] && ids(realm) { $0.tag == .double(.nan) } == [])
        expectEqual(ids(realm) { $0.tag.in([1, "Abc", nil, true]) }, [0, 1, 2, 4, 6, 11])
        expectEqual(ids(realm) { $0.any.in([1, "Abc", nil, true]) }, [0, 1, 2, 4, 6, 11])
        expectEqual(ids(realm) { $0.any == $0.tag }.count, 13)
    }

    @Test
    func `string conditions are true only for strings`() throws {
        let realm = try realm()
        expectEqual(ids(realm) { $0.any.starts(with: "A") }, [6])
        expectEqual(ids(realm) { $0.any.contains("B", options: .caseInsensitive) }, [6])
        expect(ids(realm) { $0.any.ends(with: "1") } == [5] && ids(realm) { $0.any.like("?b*") } == [6])
        expectEqual(ids(realm) { $0.any.contains(5) }, [])
    }

    @Test
    func `elements of lists and sets, and links, are found`() throws {
        let realm = try realm()
        expect(ids(realm) { $0.list.contains(3) } == [3] && ids(realm) { $0.list.contains(.double(3)) } == [3])
        expectEqual(ids(realm) { $0.list.contains("x") }.count, 14)
        let target = MixedTarget("t")
        try realm.write {
            realm.object(ofType: MixedHolder.self, forPrimaryKey: 4)?.any = .object(target)
            realm.object(ofType: MixedHolder.self, forPrimaryKey: 4)?.tag = .object(target)
        }
        expect(ids(realm) { $0.any == .object(target) } == [4] && ids(realm) { $0.tag == .object(target) } == [4])
        expectEqual(ids(realm) { $0.any == .object(MixedTarget("unmanaged")) }, [])
    }

    @Test
    func `values are sorted by type, numbers by value, and aggregates use numbers only`() throws {
        let realm = try realm()
        let sorted = realm.objects(MixedHolder.self).sorted(by: \.any).map(\.id)
        expectEqual(Array(sorted), [0, 4, 12, 13, 1, 2, 11, 3, 5, 6, 7, 8, 9, 10])
        let all = realm.objects(MixedHolder.self)
        let sum: AnyRealmValue = all.sum(of: \.any)
        expectEqual(sum, .decimal128("NaN"))
        let some = all.where { $0.any != true && $0.any < 100 }
        expectEqual(some.sum(of: \.any) as AnyRealmValue, 2.5)
        expect(some.min(of: \.any) as AnyRealmValue? == -3 && some.max(of: \.any) as AnyRealmValue? == 2.5)
        let average: Double? = some.average(ofProperty: "any")
        expectEqual(average, 0.5)
        let list = List<AnyRealmValue>()
        list.append(objectsIn: [1, 2.5, "x", nil])
        expect(list.sum() == .decimal128("3.5") && list.min() == 1 && list.max() == "x")
        expectEqual(list.average() as Double?, 1.75)
        list.append([1])
        expectEqual(Array(list.sorted(ascending: true)), [nil, 1, 2.5, "x", [1]])
        expectEqual(list.distinct().count, 5)
    }
}
