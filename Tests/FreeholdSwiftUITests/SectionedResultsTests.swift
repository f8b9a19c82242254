import Foundation
import RealmSwift
import SwiftUIShapes
import TestExpectations
import Testing

@Suite("Views: observed results and sections")
@MainActor
struct ObservedResultsTests {
    @Test func `the query of results can be changed`() throws {
        let kennel = try Kennel()
        for (i, name) in ["c", "a", "b"].enumerated() { try kennel.add(name, age: i) }
        let dogs = ObservedResults(UIDog.self, configuration: kennel.configuration)
        expectEqual(dogs.wrappedValue.map(\.name), ["c", "a", "b"])
        dogs.sortDescriptor = RealmSwift.SortDescriptor(keyPath: "name", ascending: false)
        expectEqual(dogs.wrappedValue.map(\.name), ["c", "b", "a"])
        dogs.where = { $0.age > 0 }
        expectEqual(dogs.wrappedValue.map(\.name), ["b", "a"])
        expect(dogs.filter == nil && dogs.where != nil)
        dogs.filter = NSPredicate(format: "name = %@", "c")
        expectEqual(dogs.wrappedValue.map(\.name), ["c"])
        expect(dogs.filter != nil && dogs.where == nil)
        dogs.filter = nil
        dogs.sortDescriptor = nil
        expectEqual(dogs.wrappedValue.map(\.name), ["c", "a", "b"])
    }

    @Test func `each initialiser has its query`() throws {
        let kennel = try Kennel()
        for (i, name) in ["c", "a", "b"].enumerated() { try kennel.add(name, age: i) }
        let configuration = kennel.configuration
        let byName = RealmSwift.SortDescriptor(keyPath: "name")
        let all = [
            ObservedResults(UIDog.self, configuration: configuration, sortDescriptor: byName),
            ObservedResults(UIDog.self, keyPaths: ["age"], configuration: configuration, sortDescriptor: byName),
            ObservedResults(
                UIDog.self,
                configuration: configuration,
                filter: NSPredicate(format: "age >= 1"),
                sortDescriptor: byName
            ),
            ObservedResults(
                UIDog.self,
                configuration: configuration,
                where: { $0.age >= 1 },
                keyPaths: ["name"],
                sortDescriptor: byName
            ),
        ]
        expectEqual(all.map { $0.wrappedValue.map(\.name).joined() }, ["abc", "abc", "ab", "ab"])
        _ = [ObservedResults(UIDog.self), ObservedResults(UIDog.self, keyPaths: ["age"])]
        let projections = ObservedResults(
            UIDogProjection.self,
            configuration: configuration,
            where: { $0.counter == 0 }
        )
        expectEqual(projections.wrappedValue.map(\.label), ["c"])
    }

    @Test func `sections follow changes and filters`() throws {
        let kennel = try Kennel()
        let sections = ObservedSectionedResults(
            UIDog.self,
            sectionKeyPath: \.name,
            configuration: kennel.configuration
        )
        expectEqual(sections.wrappedValue.count, 0)
        try kennel.add("abc")
        expectEqual(sections.wrappedValue.allKeys, ["abc"])
        try kennel.add("def")
        var filtered = ObservedSectionedResults(
            UIDog.self,
            sectionKeyPath: \.name,
            filter: NSPredicate(format: "name = %@", "def"),
            configuration: kennel.configuration
        )
        expectEqual(filtered.wrappedValue.allKeys, ["def"])
        filtered = ObservedSectionedResults(
            UIDog.self,
            sectionKeyPath: \.name,
            where: { $0.name == "def" },
            configuration: kennel.configuration
        )
        expectEqual(filtered.wrappedValue.allKeys, ["def"])
        sections.where = { $0.name == "def" }
        expectEqual(sections.wrappedValue.allKeys, ["def"])
        sections.filter = NSPredicate(format: "name != %@", "def")
        expectEqual(sections.wrappedValue.allKeys, ["abc"])
        sections.filter = nil
        sections.sortDescriptors = [RealmSwift.SortDescriptor(keyPath: "name", ascending: false)]
        expectEqual(sections.wrappedValue.allKeys, ["def", "abc"])
        expect(sections.wrappedValue.isFrozen)
    }

    @Test func `each initialiser of sections has its order and its filter`() throws {
        let kennel = try Kennel()
        for name in ["foo", "bar"] { try kennel.add(name) }
        let configuration = kennel.configuration
        let ascending = [RealmSwift.SortDescriptor(keyPath: "name")]
        let descending = [RealmSwift.SortDescriptor(keyPath: "name", ascending: false)]
        let onlyFoo = NSPredicate(format: "name == 'foo'")
        let byPath = [
            ObservedSectionedResults(UIDog.self, sectionKeyPath: \.name, configuration: configuration),
            ObservedSectionedResults(
                UIDog.self,
                sectionKeyPath: \.name,
                sortDescriptors: descending,
                configuration: configuration
            ),
            ObservedSectionedResults(
                UIDog.self,
                sectionKeyPath: \.name,
                sortDescriptors: ascending,
                filter: onlyFoo,
                configuration: configuration
            ),
            ObservedSectionedResults(
                UIDog.self,
                sectionKeyPath: \.name,
                sortDescriptors: ascending,
                where: { $0.name == "foo" },
                configuration: configuration
            ),
        ]
        expectEqual(byPath.map { $0.wrappedValue.allKeys }, [["bar", "foo"], ["foo", "bar"], ["foo"], ["foo"]])
        expectEqual(byPath[1].wrappedValue[0].map(\.name), ["foo"])
        func letter(_ dog: UIDog) -> String { String(dog.name.prefix(1)) }
        let byBlock = [
            ObservedSectionedResults(
                UIDog.self,
                sectionBlock: letter,
                sortDescriptors: ascending,
                configuration: configuration
            ),
            ObservedSectionedResults(
                UIDog.self,
                sectionBlock: letter,
                sortDescriptors: ascending,
                filter: onlyFoo,
                configuration: configuration
            ),
            ObservedSectionedResults(
                UIDog.self,
                sectionBlock: letter,
                sortDescriptors: ascending,
                where: { $0.name == "foo" },
                configuration: configuration
            ),
        ]
        expectEqual(byBlock.map { $0.wrappedValue.allKeys }, [["b", "f"], ["f"], ["f"]])
        let projections = [
            ObservedSectionedResults(UIDogProjection.self, sectionKeyPath: \.label, configuration: configuration),
            ObservedSectionedResults(
                UIDogProjection.self,
                sectionBlock: { String($0.label.prefix(1)) },
                sortDescriptors: ascending,
                filter: onlyFoo,
                configuration: configuration
            ),
        ]
        expectEqual(projections.map { $0.wrappedValue.allKeys }, [["bar", "foo"], ["f"]])
        expectEqual(projections[0].wrappedValue[1].map(\.label), ["foo"])
    }

    @Test func `objects of a section are deleted`() throws {
        let kennel = try Kennel()
        for name in ["a", "a", "b"] { try kennel.add(name) }
        @ObservedSectionedResults(UIDog.self, sectionKeyPath: \.name, configuration: kennel.configuration) var dogs
        $dogs.remove(atOffsets: [1, 9], section: dogs[0])
        expectEqual(dogs.map { "\($0.key) \($0.count)" }, ["a 1", "b 1"])
    }
}
