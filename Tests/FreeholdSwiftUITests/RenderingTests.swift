import Foundation
import FreeholdTestModels
import RealmSwift
import SwiftUIShapes
import TestExpectations
import Testing

private struct DogRow: View {
    @ObservedRealmObject var dog: UIDog

    var body: some View {
        TextField("Name", text: $dog.name)
        Toggle("Chipped", isOn: $dog.isChipped)
        ForEach(dog.toys) { toy in Text(toy.name) }
            .onDelete(perform: $dog.toys.remove)
            .onMove(perform: $dog.toys.move)
        Button("Toy") { $dog.toys.append(UIToy(value: ["name": "toy \(dog.toys.count)"])) }
    }
}

private struct NameList: View {
    @ObservedResults(UIDog.self, sortDescriptor: RealmSwift.SortDescriptor(keyPath: "name")) var dogs
    @State private var searched = ""

    var body: some View {
        NavigationStack {
            List {
                ForEach(dogs) { dog in Text(dog.name) }
                    .onDelete(perform: $dogs.remove)
            }
            .navigationTitle("\(dogs.count) dogs")
            .searchable(text: $searched, collection: $dogs, keyPath: \.name, prompt: "Search")
            .toolbar {
                Button("Add") { $dogs.append(UIDog("new \(dogs.count)")) }
                Button("Young") { $dogs.where = { $0.age < 3 } }
                Button("All") { $dogs.where = nil }
            }
        }
    }
}

private struct Letters: View {
    @ObservedSectionedResults(
        UIDog.self,
        sectionBlock: { String($0.name.prefix(1)) },
        sortDescriptors: [RealmSwift.SortDescriptor(keyPath: "name")]
    ) var dogs
    @State private var searched = ""

    var body: some View {
        List {
            ForEach(dogs) { section in
                Section(section.key) {
                    ForEach(section) { dog in Text(dog.name) }
                        .onDelete { offsets in $dogs.remove(atOffsets: offsets, section: section) }
                }
            }
        }
        .searchable(text: $searched, collection: $dogs, keyPath: \.name)
    }
}

private struct NewDog: View {
    @StateRealmObject var dog = UIDog()
    @ObservedResults(UIDog.self) var dogs

    var body: some View {
        TextField("Name", text: $dog.name)
        Text("\(dog.name), one of \(dogs.count)")
        Text("\(dog.numbers.count) numbers")
        Button("Number") { $dog.numbers.append(7) }
        Button("Save") { $dogs.append(dog) }
        Button("Delete") { $dog.delete() }
    }
}

private struct PlainRow: View {
    @ObservedObject var dog: UIDog
    var body: some View { Text(dog.isInvalidated ? "deleted" : dog.name) }
}

private struct Inner: View {
    @Environment(\.realm) private var realm
    @Environment(\.partitionValue) private var partitionValue
    var body: some View { Text("\(realm.objects(UIDog.self).count) \(partitionValue.map { "\($0)" } ?? "none")") }
}

@Suite("Views: evaluation")
@MainActor
struct RenderingTests {
    private func environment(_ kennel: Kennel) -> EnvironmentValues {
        var environment = EnvironmentValues()
        environment.realmConfiguration = kennel.configuration
        return environment
    }

    @Test func `a view of results is evaluated again after each change`() async throws {
        let kennel = try Kennel()
        for name in ["b", "a"] { try kennel.add(name) }
        let host = ViewHost(environment: environment(kennel)) { NameList() }
        expectEqual(host.texts(), ["a", "b"])
        expectEqual(host.texts(.title), ["2 dogs"])
        try kennel.add("c")
        try await host.wait { $0.texts() == ["a", "b", "c"] }
        host.tap("Add")
        try await host.wait { $0.texts() == ["a", "b", "c", "new 3"] }
        host.deleteRows([0, 2])
        try await host.wait { $0.texts() == ["b", "new 3"] }
        // A commit of another thread.
        try writeElsewhere(kennel.configuration) { $0.add(UIDog("d")) }
        try await host.wait { $0.texts() == ["b", "d", "new 3"] }
    }

    @Test func `a search and a filter remain while the view is created anew`() async throws {
        let kennel = try Kennel()
        for (age, name) in ["ab", "bc", "cd"].enumerated() { try kennel.add(name, age: age * 2) }
        let host = ViewHost(environment: environment(kennel)) { NameList() }
        expectEqual(host.texts(), ["ab", "bc", "cd"])
        host.field("Search").wrappedValue = "c"
        try await host.wait { $0.texts() == ["bc", "cd"] }
        host.tap("Young")
        try await host.wait { $0.texts() == ["bc"] }
        try kennel.add("ac")
        try await host.wait { $0.texts() == ["ac", "bc"] }
        host.field("Search").wrappedValue = ""
        try await host.wait { $0.texts() == ["ab", "ac", "bc"] }
        host.tap("All")
        try await host.wait { $0.texts() == ["ab", "ac", "bc", "cd"] }
    }

    @Test func `a view of sections is evaluated again after each change`() async throws {
        let kennel = try Kennel()
        for name in ["b2", "a1", "b1"] { try kennel.add(name) }
        let host = ViewHost(environment: environment(kennel)) { Letters() }
        expectEqual(host.texts(.header), ["a", "b"])
        expectEqual(host.texts(), ["a1", "b1", "b2"])
        host.deleteRows([0], list: 1)
        try await host.wait { $0.texts() == ["a1", "b2"] }
        host.deleteRows([0], list: 0)
        try await host.wait { $0.texts(.header) == ["b"] }
        host.field("").wrappedValue = "x"
        try await host.wait { $0.texts().isEmpty }
        host.field("").wrappedValue = ""
        try await host.wait { $0.texts() == ["b2"] }
    }

    @Test func `a view of an object is evaluated again after each change`() async throws {
        let kennel = try Kennel()
        let dog = try kennel.add("a")
        let host = ViewHost(environment: environment(kennel)) { DogRow(dog: dog) }
        expectEqual(host.field("Name").wrappedValue, "a")
        host.field("Name").wrappedValue = "b"
        host.toggle("Chipped").wrappedValue = true
        expectEqual(dog.name, "b")
        expect(dog.isChipped)
        for _ in 0..<3 {
            let count = dog.toys.count
            host.tap("Toy")
            try await host.wait { $0.texts().count == count + 1 }
        }
        host.moveRows([0], to: 3)
        try await host.wait { $0.texts() == ["toy 1", "toy 2", "toy 0"] }
        host.deleteRows([1])
        try await host.wait { $0.texts() == ["toy 1", "toy 0"] }
        try kennel.realm.write { kennel.realm.delete(dog) }
        try await host.wait { $0.texts().isEmpty }
        expectEqual(host.field("Name").wrappedValue, "foo")
    }

    @Test func `a state object is kept, in memory and in the realm`() async throws {
        let kennel = try Kennel()
        let host = ViewHost(environment: environment(kennel)) { NewDog() }
        expectEqual(host.texts(), ["foo, one of 0", "0 numbers"])
        host.field("Name").wrappedValue = "bar"
        try await host.wait { $0.texts()[0] == "bar, one of 0" }
        host.tap("Number")
        try await host.wait { $0.texts()[1] == "1 numbers" }
        host.tap("Save")
        try await host.wait { $0.texts()[0] == "bar, one of 1" }
        host.field("Name").wrappedValue = "baz"
        try await host.wait { $0.texts()[0] == "baz, one of 1" }
        expectEqual(kennel.dogs.first?.name, "baz")
        host.tap("Number")
        try await host.wait { $0.texts()[1] == "2 numbers" }
        host.tap("Delete")
        try await host.wait { $0.texts()[0] == "foo, one of 0" }
    }

    @Test func `an object is an observable object`() async throws {
        let kennel = try Kennel()
        let dog = UIDog("a")
        let host = ViewHost { PlainRow(dog: dog) }
        expectEqual(host.texts(), ["a"])
        dog.name = "b"
        try await host.wait { $0.texts() == ["b"] }
        try kennel.realm.write { kennel.realm.add(dog) }
        try kennel.realm.write { dog.name = "c" }
        try await host.wait { $0.texts() == ["c"] }
        try kennel.realm.write { kennel.realm.delete(dog) }
        try await host.wait { $0.texts() == ["deleted"] }
    }

    @Test func `the environment passes a realm and a value`() throws {
        let kennel = try Kennel()
        try kennel.add("a")
        let host = ViewHost {
            Inner().environment(\.realm, kennel.realm).environment(\.partitionValue, "ann")
        }
        expectEqual(host.texts(), ["1 ann"])
        let configured = ViewHost { Inner().environment(\.realmConfiguration, kennel.configuration) }
        expectEqual(configured.texts(), ["1 none"])
    }

    @Test func `a view whose results didn't change isn't evaluated again`() async throws {
        let kennel = try Kennel()
        try kennel.add("a")
        let host = ViewHost(environment: environment(kennel)) { NameList() }
        _ = host.elements
        // The observation has begun when the next change arrives.
        try kennel.add("b")
        try await host.wait { $0.texts() == ["a", "b"] }
        try await Task.sleep(for: .milliseconds(50))
        let evaluations = host.evaluations
        try kennel.realm.write { kennel.realm.create(UIToy.self) }
        try await Task.sleep(for: .milliseconds(50))
        _ = host.elements
        expectEqual(host.evaluations, evaluations)
    }
}
