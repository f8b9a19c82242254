import Foundation
import Testing

@testable import Freehold

/// Each runs in a process of its own, which must end with a message that names the rule.
@Suite("Collections: misuse traps")
struct CollectionTrapTests {
    private func expectTrap(_ result: ExitTest.Result?, _ words: String...) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in words { expect(message.contains(word), "\(message)") }
    }

    @Test(arguments: [-1, 2])
    func `a position outside of a set traps`(_ i: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [i] in
            let realm = try collectionRealm()
            let keeper = CollectionKeeper()
            keeper.numbers.insert(objectsIn: [1, 2])
            try realm.write { realm.add(keeper) }
            _ = keeper.numbers[i]
        }
        expectTrap(result, "Index \(i)", "2 elements", "CollectionKeeper.numbers")
    }

    @Test
    func `a position outside of an unmanaged set traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CollectionKeeper().numbers[0]
        }
        expectTrap(result, "Index 0", "0 elements", "MutableSet<Int>")
    }

    @Test(arguments: 0..<10)
    func `a change of a set or map outside of a write traps`(_ kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try collectionRealm()
            let keeper = CollectionKeeper()
            try realm.write { realm.add(keeper) }
            switch kind {
            case 0: keeper.numbers.insert(1)
            case 1: keeper.numbers.remove(1)
            case 2: keeper.numbers.removeAll()
            case 3: keeper.numbers.formUnion([1])
            case 4: keeper.numbers.formIntersection([1])
            case 5: keeper.counts["a"] = 1
            case 6: keeper.counts["a"] = nil
            case 7: keeper.counts.removeAll()
            case 8: keeper.counts.merge(["a": 1]) { $1 }
            default: keeper.counts = Map()
            }
        }
        expectTrap(result, "outside a write transaction")
    }

    @Test(arguments: 0..<7)
    func `an object of another realm in a set or map traps`(_ kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let other = try collectionRealm()
            let dog = CollectionDog(1)
            try other.write { other.add(dog) }
            let realm = try collectionRealm()
            let keeper = CollectionKeeper()
            try realm.write {
                realm.add(keeper)
                switch kind {
                case 0: keeper.dogs.insert(dog)
                case 1: _ = keeper.dogs.contains(dog)
                case 2: keeper.dogs.formUnion([dog])
                case 3: keeper.dogs.formIntersection([dog])
                case 4: keeper.dogs.subtract([dog])
                case 5: keeper.byName["a"] = dog
                default: keeper.byName.merge(["a": dog]) { $1 }
                }
            }
        }
        expectTrap(result, "another realm")
    }

    @Test(arguments: [false, true])
    func `a query of an unmanaged set or map traps`(ofMap: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [ofMap] in
            let keeper = CollectionKeeper()
            if ofMap { _ = keeper.byName.where { $0.age > 1 } } else { _ = keeper.dogs.where { $0.age > 1 } }
        }
        expectTrap(result, "unmanaged", "Add its object to a realm first")
    }

    @Test(arguments: [false, true])
    func `a set or map of a deleted object traps`(ofMap: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [ofMap] in
            let realm = try collectionRealm()
            let keeper = CollectionKeeper()
            try realm.write { realm.add(keeper) }
            let (numbers, counts) = (keeper.numbers, keeper.counts)
            try realm.write { realm.delete(keeper) }
            _ = ofMap ? counts.count : numbers.count
        }
        expectTrap(result, "CollectionKeeper", "was deleted")
    }

    @Test
    func `the insertion of a deleted object into a set traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try collectionRealm()
            let keeper = CollectionKeeper()
            let dog = CollectionDog(1)
            try realm.write {
                realm.add([keeper, dog])
                realm.delete(dog)
                keeper.dogs.insert(dog)
            }
        }
        expectTrap(result, "deleted")
    }
}
