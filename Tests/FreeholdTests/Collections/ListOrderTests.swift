import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Lists: orders and spellings of arrays")
struct ListOrderTests {
    @Test(arguments: [false, true])
    func `sorting, reversing, shuffling and removing have the same result as on an array`(managed: Bool) throws {
        let realm = try collectionRealm()
        let keeper = CollectionKeeper()
        try realm.write {
            if managed { realm.add(keeper) }
            let pack = keeper.pack
            pack.append(contentsOf: [3, 1, 2].map { CollectionDog($0, age: $0 % 2) })
            keeper.pack += [CollectionDog(4)]
            expectEqual(pack.map(\.id), [3, 1, 2, 4])
            pack.sort { $0.age < $1.age }
            expectEqual(pack.map(\.id), [2, 4, 3, 1])
            pack.reverse()
            expectEqual(pack.map(\.id), [1, 3, 4, 2])
            pack.shuffle()
            expect(Set(pack.map(\.id)) == [1, 2, 3, 4] && pack.count == 4)
            pack.sort { $0.id < $1.id }
            expect(pack.popLast()?.id == 4 && pack.map(\.id) == [1, 2, 3])
            pack.removeAll { $0.id != 2 }
            expectEqual(pack.map(\.id), [2])
            pack.removeAll(keepingCapacity: true)
            expect(pack.isEmpty && pack.popLast() == nil)
        }
        if managed { expectEqual((realm.core.view as? Snapshot)?.verify(), []) }
    }

    @Test
    func `values are sorted in the order of the file, and distinguished by their bytes`() {
        let list = List([3, nil, 1, 3, nil])
        expectEqual(Array(list.sorted(ascending: true)), [nil, nil, 1, 3, 3])
        expectEqual(Array(list.sorted(ascending: false)), [3, 3, 1, nil, nil])
        expectEqual(Array(list.distinct()), [3, nil, 1])
        expectEqual(
            List(["b", "B", "é", "e\u{301}"]).sorted(ascending: true).map { Array($0.utf8).count },
            [1, 1, 3, 2]
        )
        expectEqual(List(["é", "e\u{301}", "é"]).distinct().count, 2)
        let map = Map<String, Int?>()
        map["a"] = 2
        map["b"] = .some(nil)
        map["c"] = 1
        expect(Array(map.sorted()) == [nil, 1, 2] && Array(map.sorted(ascending: false)) == [2, 1, nil])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a long list is sorted, reversed and edited in the middle like an array`(seed: UInt64) throws {
        print("seed \(seed)")
        var generator = SeededRandom(seed: seed)
        let realm = try collectionRealm()
        let machine = CollectionMachine()
        try realm.write { realm.add(machine) }
        var expected: [Int] = []
        let list = machine.row
        for _ in 0..<30 {
            try realm.write {
                let i = Int.random(in: 0...expected.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0, 1:
                    let new = (0..<Int.random(in: 1..<80, using: &generator)).map { _ in
                        Int.random(in: 0..<50, using: &generator)
                    }
                    list.insert(contentsOf: new.map { CollectionPart($0) }, at: i)
                    expected.insert(contentsOf: new, at: i)
                case 2:
                    list.sort { $0.number < $1.number }
                    expected.sort()
                case 3:
                    list.reverse()
                    expected.reverse()
                default:
                    list.removeSubrange(i / 2..<i)
                    expected.removeSubrange(i / 2..<i)
                }
            }
            expectEqual(list.map(\.number), expected, "seed \(seed)")
        }
        expectEqual((realm.core.view as? Snapshot)?.verify(), [], "seed \(seed)")
    }
}
