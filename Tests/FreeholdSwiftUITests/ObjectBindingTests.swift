import Foundation
import RealmSwift
import SwiftUIShapes
import TestExpectations
import Testing

@Suite("Views: bindings to objects")
@MainActor
struct ObjectBindingTests {
    @Test func `an unmanaged object is changed in memory`() {
        @StateRealmObject var dog = UIDog()
        dog.name = "bar"
        expectEqual(dog.name, "bar")
        $dog.name.wrappedValue = "baz"
        expectEqual(dog.name, "baz")
        expectEqual($dog.wrappedValue.name, "baz")
    }

    @Test func `a binding to a managed object writes in a transaction`() throws {
        let kennel = try Kennel()
        @StateRealmObject var dog = UIDog()
        ObservedResults(UIDog.self, configuration: kennel.configuration).projectedValue.append(dog)
        expect(dog.isFrozen)
        $dog.name.wrappedValue = "bar"
        $dog.isChipped.wrappedValue = true
        $dog.numbers.append(4)
        expectEqual(dog.name, "bar")
        expect(dog.isChipped)
        expectEqual(kennel.dogs.first?.name, "bar")
        expectEqual(kennel.dogs.first.map { Array($0.numbers) }, [4])
    }

    @Test func `an equal value isn't written`() async throws {
        let kennel = try Kennel()
        let dog = try kennel.add("a")
        var commits = 0
        let token = kennel.realm.observe { _, _ in commits += 1 }
        let name = dog.bind(\.name)
        name.wrappedValue = "a"
        expectEqual(commits, 0)
        name.wrappedValue = "b"
        expectEqual(commits, 1)
        token.invalidate()
    }

    @Test func `a binding of an object follows it into a realm`() throws {
        let kennel = try Kennel()
        let dog = UIDog()
        let binding = dog.bind(\.name)
        expectEqual(binding.wrappedValue, "foo")
        binding.wrappedValue = "bar"
        expectEqual(dog.name, "bar")
        try kennel.realm.write { kennel.realm.add(dog) }
        let managed = dog.bind(\.name)
        managed.wrappedValue = "baz"
        expectEqual(dog.name, "baz")
        expectEqual(binding.wrappedValue, "baz")
        binding.wrappedValue = "qux"
        expectEqual(dog.name, "qux")
        // A frozen object's binding reads and writes the live one.
        let frozen = dog.freeze().bind(\.name)
        frozen.wrappedValue = "end"
        expectEqual(frozen.wrappedValue, "end")
        expectEqual(dog.bind(\.toys).wrappedValue.isFrozen, true)
    }

    @Test func `a binding to a deleted object returns the last value, and writes nothing`() throws {
        let kennel = try Kennel()
        let dog = try kennel.add("a")
        let frozen = dog.freeze()
        let binding = dog.bind(\.name)
        let numbers = dog.bind(\.numbers)
        try kennel.realm.write { kennel.realm.delete(dog) }
        expectEqual(binding.wrappedValue, "a")
        binding.wrappedValue = "b"
        expectEqual(binding.wrappedValue, "a")
        numbers.append(1)
        let late = frozen.bind(\.name)
        expectEqual(late.wrappedValue, "a")
        late.wrappedValue = "b"
        expectEqual(kennel.dogs.count, 0)
    }

    @Test func `a projection is bound`() throws {
        let kennel = try Kennel()
        let projection = UIDogProjection(projecting: UIDog())
        let binding = projection.bind(\.label)
        binding.wrappedValue = "bar"
        expectEqual(projection.label, "bar")
        try kennel.realm.write { kennel.realm.add(projection.rootObject) }
        binding.wrappedValue = "baz"
        expectEqual(projection.label, "baz")
        expectEqual(kennel.dogs.first?.name, "baz")
    }

    @Test func `objects and projections are deleted`() throws {
        let kennel = try Kennel()
        let results = ObservedResults(UIDog.self, configuration: kennel.configuration)
        @StateRealmObject var dog = UIDog("a")
        $dog.delete()
        results.append(dog)
        expectEqual(results.wrappedValue.count, 1)
        $dog.delete()
        expectEqual(results.wrappedValue.count, 0)
        // The view shows an empty object.
        expectEqual(dog.name, "foo")
        $dog.delete()

        @StateRealmObject var projection = UIDogProjection(projecting: UIDog("b"))
        $projection.delete()
        results.append(projection.rootObject)
        $projection.delete()
        expectEqual(results.wrappedValue.count, 0)

        let third = try kennel.add("c")
        @ObservedRealmObject var observed = third
        $observed.delete()
        expectEqual(results.wrappedValue.count, 0)
        expectEqual(observed.name, "foo")
    }

    @Test func `a state object reports assignments in memory, and changes after it was added`() async throws {
        let kennel = try Kennel()
        @StateRealmObject var dog = UIDog()
        var hits = 0
        let cancellable = _dog._publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in hits += 1 })
        dog.age += 1
        expectEqual(hits, 1)
        try kennel.realm.write { kennel.realm.add(dog) }
        expectEqual(hits, 1)
        try kennel.realm.write { dog.thaw()!.age += 1 }
        try await kennel.wait { hits == 2 }
        cancellable.cancel()
        try kennel.realm.write { dog.thaw()!.age += 1 }
        try await Task.sleep(for: .milliseconds(20))
        expectEqual(hits, 2)
    }

    @Test func `a state projection reports assignments in memory, and changes after it was added`() async throws {
        let kennel = try Kennel()
        @StateRealmObject var dog = UIDogProjection(projecting: UIDog())
        var hits = 0
        let cancellable = _dog._publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in hits += 1 })
        dog.counter += 1
        expectEqual(hits, 1)
        try kennel.realm.write { kennel.realm.add(dog.rootObject) }
        try kennel.realm.write { dog.thaw()!.counter += 1 }
        try await kennel.wait { hits == 2 }
        cancellable.cancel()
    }
}
