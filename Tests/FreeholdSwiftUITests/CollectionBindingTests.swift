import Foundation
import RealmSwift
import SwiftUIShapes
import TestExpectations
import Testing

@Suite("Views: changes of bound collections")
@MainActor
struct CollectionBindingTests {
    @Test func `a bound list of values is changed in memory, and then in transactions`() throws {
        let kennel = try Kennel()
        let dog = UIDog()
        @StateRealmObject var numbers = dog.numbers
        $numbers.append(1)
        expectEqual(Array(numbers), [1])
        try kennel.realm.write { kennel.realm.add(dog) }
        $numbers.append(2)
        $numbers.append(3)
        expectEqual(Array(numbers), [1, 2, 3])
        expect(numbers.isFrozen)
        $numbers.move(fromOffsets: [2], toOffset: 0)
        expectEqual(Array(numbers), [3, 1, 2])
        $numbers.remove(at: 0)
        $numbers.remove(atOffsets: [1])
        expectEqual(Array(numbers), [1])
        // Positions that a list no longer has are ignored.
        $numbers.remove(at: 7)
        $numbers.remove(atOffsets: [1, 4])
        $numbers.move(fromOffsets: [4], toOffset: 9)
        expectEqual(Array(dog.numbers), [1])
    }

    @Test func `a bound list of objects takes unmanaged, live and frozen objects`() throws {
        let kennel = try Kennel()
        let dog = UIDog()
        @StateRealmObject var toys = dog.toys
        $toys.append(UIToy())
        expectEqual(toys.count, 1)
        $toys.remove(at: 0)
        expectEqual(toys.count, 0)
        try kennel.realm.write { kennel.realm.add(dog) }
        _toys.update()
        $toys.append(UIToy())
        let live = try kennel.realm.write { kennel.realm.create(UIToy.self) }
        $toys.append(live)
        $toys.append(live.freeze())
        expectEqual(toys.count, 3)
        expectEqual(dog.toys[1], live)
        $toys.remove(atOffsets: [0, 2])
        expectEqual(Array(dog.toys), [live])
        // An object that was deleted isn't appended.
        let frozen = live.freeze()
        try kennel.realm.write { kennel.realm.delete(live) }
        $toys.append(frozen)
        $toys.append(live)
        expectEqual(toys.count, 0)
    }

    @Test func `a bound set is changed`() throws {
        let kennel = try Kennel()
        let dog = UIDog()
        @StateRealmObject var numbers = dog.numberSet
        @StateRealmObject var friends = dog.friends
        $numbers.insert(1)
        $friends.insert(UIToy())
        expectEqual(numbers.count, 1)
        expectEqual(friends.count, 1)
        $friends.remove(friends[0])
        expectEqual(friends.count, 0)
        try kennel.realm.write { kennel.realm.add(dog) }
        _friends.update()
        $numbers.insert(2)
        $numbers.remove(1)
        expectEqual(Array(numbers), [2])
        $friends.insert(UIToy())
        let live = try kennel.realm.write { kennel.realm.create(UIToy.self) }
        $friends.insert(live.freeze())
        expectEqual(friends.count, 2)
        $friends.remove(live.freeze())
        $friends.remove(dog.friends[0])
        expectEqual(friends.count, 0)
        expectEqual(kennel.realm.objects(UIToy.self).count, 2)
    }

    @Test func `a bound map is changed`() throws {
        let kennel = try Kennel()
        let dog = UIDog()
        @StateRealmObject var numbers = dog.numbersByName
        @StateRealmObject var toys = dog.byName
        $numbers.set(object: 1, for: "one")
        $toys.set(object: UIToy(), for: "ball")
        expectEqual($numbers["one"], 1)
        expectEqual(toys.count, 1)
        try kennel.realm.write { kennel.realm.add(dog) }
        _toys.update()
        $numbers.set(object: 2, for: "two")
        $numbers.set(object: nil, for: "one")
        expectEqual(numbers.keys, ["two"])
        let live = try kennel.realm.write { kennel.realm.create(UIToy.self) }
        $toys.set(object: live.freeze(), for: "bone")
        expectEqual(dog.byName["bone"], .some(live))
        $toys.set(object: UIToy(), for: "stick")
        $toys.set(object: nil, for: "ball")
        expectEqual(toys.keys.sorted(), ["bone", "stick"])
    }

    @Test func `results add and delete objects`() throws {
        let kennel = try Kennel()
        let results = ObservedResults(UIDog.self, configuration: kennel.configuration)
        expectEqual(results.wrappedValue.count, 0)
        let dog = UIDog("a")
        results.append(dog)
        results.append(UIDog("b"))
        results.append(dog.freeze())
        expectEqual(results.wrappedValue.count, 2)
        expect(results.wrappedValue.isFrozen && results.wrappedValue[0].isFrozen)
        // An unmanaged object, and one that another filter excludes, aren't deleted.
        results.remove(UIDog("c"))
        let others = ObservedResults(UIDog.self, configuration: kennel.configuration, where: { $0.name == "b" })
        others.remove(dog)
        expectEqual(results.wrappedValue.count, 2)
        results.remove(results.wrappedValue[0])
        expectEqual(results.wrappedValue.map(\.name), ["b"])
        results.remove(atOffsets: [0])
        expectEqual(results.wrappedValue.count, 0)
    }

    @Test func `positions of results are those that the view shows`() throws {
        let kennel = try Kennel()
        for name in ["a", "b", "c"] { try kennel.add(name) }
        let results = ObservedResults(UIDog.self, configuration: kennel.configuration)
        let shown = Binding.constant(results.wrappedValue)
        try kennel.realm.write { kennel.realm.delete(kennel.dogs[0]) }
        // The view still shows three dogs.
        shown.remove(atOffsets: [0, 1, 5])
        expectEqual(kennel.dogs.map(\.name), ["c"])
    }

    @Test func `a change inside a write transaction is a part of it`() throws {
        let kennel = try Kennel()
        let dog = try kennel.add("a")
        @StateRealmObject var numbers = dog.numbers
        kennel.realm.beginWrite()
        $numbers.append(1)
        kennel.realm.cancelWrite()
        expectEqual(dog.numbers.count, 0)
    }

    @Test func `projections are added and deleted`() throws {
        let kennel = try Kennel()
        @ObservedResults(UIDogProjection.self, configuration: kennel.configuration) var dogs
        expectEqual(dogs.count, 0)
        let dog = try kennel.add("a")
        expectEqual(dogs.map(\.label), ["a"])
        $dogs.append(UIDogProjection(projecting: UIDog("b")))
        expectEqual(dogs.map(\.label), ["a", "b"])
        $dogs.remove(UIDogProjection(projecting: dog))
        $dogs.remove(atOffsets: [0])
        expectEqual(dogs.count, 0)
    }

    @Test func `the error of a change that can't be stored is reported, and the change rolled back`() throws {
        let kennel = try Kennel()
        let dog = try kennel.add("a")
        let errors = Errors()
        let before = ImplicitWrites.onError
        ImplicitWrites.onError = { errors.add($0) }
        defer { ImplicitWrites.onError = before }
        let name = dog.bind(\.name)
        name.wrappedValue = String(repeating: "x", count: 20_000_000)
        name.wrappedValue = "b"
        expectEqual(errors.all.count, 1)
        expectEqual(dog.name, "b")
    }

    private final class Errors: @unchecked Sendable {
        var all: [any Error] = []
        func add(_ error: any Error) { all.append(error) }
    }
}
