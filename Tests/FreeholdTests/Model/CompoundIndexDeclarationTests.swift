import Foundation
import Testing

@testable import Freehold

private class Base: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Traveller: Base {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var lastName = ""
    @Persisted var firstName = ""
    @Persisted(mapTo: "nation") var country = ""
    @Persisted var passport: String?
    @Persisted var born: Date?

    override class func compoundIndexes() -> [CompoundIndex] {
        [CompoundIndex(\Traveller.lastName, \.firstName), .unique("country", "passport")]
    }
}

private enum Wrong {
    class One: Base {
        @Persisted var a = 0
        override class func compoundIndexes() -> [CompoundIndex] { [CompoundIndex("a")] }
    }
    class Twice: Base {
        @Persisted var a = 0
        @Persisted var b = 0
        override class func compoundIndexes() -> [CompoundIndex] {
            [CompoundIndex("a", "b", "a"), CompoundIndex("a", "b"), .unique("a", "b")]
        }
    }
    class Unknown: Base {
        @Persisted var a = 0
        @Persisted var b = 0
        override class func ignoredProperties() -> [String] { ["b"] }
        override class func compoundIndexes() -> [CompoundIndex] { [CompoundIndex("a", "b"), CompoundIndex("a", "c")] }
    }
    class Unindexable: Base {
        @Persisted var a = 0
        @Persisted var d = 0.5
        @Persisted var list: List<Int>
        override class func compoundIndexes() -> [CompoundIndex] {
            [CompoundIndex("a", "d"), CompoundIndex("a", "list")]
        }
    }
}

struct CompoundIndexDeclarationTests {
    private func configuration(_ name: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(inMemoryIdentifier: "compound-\(name)")
        configuration.objectTypes = [Traveller.self]
        return configuration
    }

    private func traveller(_ id: Int, _ last: String, _ first: String, _ country: String, _ passport: String?)
        -> Traveller
    {
        let made = Traveller()
        made.id = id
        made.lastName = last
        made.firstName = first
        made.country = country
        made.passport = passport
        return made
    }

    @Test func `a class's compound indexes are in its schema, printed and compared`() throws {
        let schema = ObjectSchema(Traveller.self)
        expectEqual(
            schema.compoundIndexes,
            [CompoundIndex("lastName", "firstName"), .unique("country", "passport")]
        )
        expect(schema.description.contains("\tindex (lastName, firstName);\n\tunique (country, passport);\n}"))
        var other = schema
        other.compoundIndexes.swapAt(0, 1)
        expectEqual(other, schema)
        other.compoundIndexes.removeLast()
        expect(other != schema)
    }

    @Test func `queries and sorts use them`() throws {
        let realm = try Realm(configuration: configuration("queries"))
        try realm.write {
            for i in 0..<3000 {
                realm.add(traveller(i, "last \(i % 50)", "first \(i % 7)", "c\(i % 5)", "\(i)"))
            }
        }
        let people = realm.objects(Traveller.self)
        let found = people.where { $0.lastName == "last 3" && $0.firstName == "first 3" }
        let expected: [Int] = Array(0..<3000).filter { (i: Int) -> Bool in i % 50 == 3 && i % 7 == 3 }
        let ids: [Int] = found.map { $0.id }
        expectEqual(ids, expected)
        expect(found.explain().description.hasPrefix("index on 'Traveller.(lastName, firstName)': about "))
        let one = people.where { $0.country == "c2" && $0.passport == "1002" }
        expect(one.count == 1 && one.first?.id == 1002)
        expectEqual(one.explain().steps.first?.subject, "Traveller.(nation, passport)")
        let sorted = people.where { $0.lastName == "last 3" }.sorted(by: \.firstName)
        let names: [String] = sorted.map { $0.firstName }
        expectEqual(names, names.sorted())
        expectEqual(sorted.explain().steps.first?.operation, .indexOrder)
        expectEqual(people.where { $0.id > 5 && $0.born == nil }.explain().matches, 2994)
    }

    @Test func `a write that violates a unique index throws with the place, and changes nothing`() throws {
        let realm = try Realm(configuration: configuration("unique"))
        try realm.write {
            realm.add(traveller(1, "a", "b", "de", "17"))
            realm.add(traveller(2, "a", "b", "de", nil))
            realm.add(traveller(3, "a", "b", "de", nil))
        }
        do {
            try realm.write {
                realm.add(traveller(4, "x", "y", "fr", "17"))
                realm.add(traveller(5, "x", "y", "de", "17"))
            }
            Issue.record("It was written.")
        } catch let error as Realm.Error {
            expectEqual(error.code, .uniqueConstraint)
            expectEqual(error.className, "Traveller")
            expectEqual(error.property, "nation, passport")
            expectEqual(
                error.message,
                "Two objects of 'Traveller' have the same values of (nation, passport), which are "
                    + "unique: nation = 'de', passport = '17' in id 1 and in id 5."
            )
        }
        expectEqual(realm.objects(Traveller.self).count, 3)
        expect(!realm.isInWriteTransaction)
        // Values may change places.
        try realm.write {
            realm.add(traveller(6, "x", "y", "de", "18"))
            let (one, six) = (
                realm.object(ofType: Traveller.self, forPrimaryKey: 1)!, realm.objects(Traveller.self).last!
            )
            (one.passport, six.passport) = (six.passport, one.passport)
        }
        expectEqual(realm.objects(Traveller.self).where { $0.passport == "18" }.first?.id, 1)
    }

    @Test func `a file adopts the declared indexes, unless its objects violate them`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func open(_ compounds: [CompoundIndex]) throws -> Realm {
            var configuration = Realm.Configuration(fileURL: folder.appendingPathComponent("a.realm"))
            configuration.schema = Schema([
                ObjectSchema(
                    "Log",
                    properties: [Property("a", .int), Property("b", .string)],
                    compoundIndexes: compounds
                )
            ])
            return try Realm(configuration: configuration)
        }
        try {
            let realm = try open([CompoundIndex("a", "b")])
            try realm.write { for i in 0..<20 { realm.dynamicCreate("Log", value: ["a": i % 19, "b": "x"]) } }
        }()
        #expect(throws: Realm.Error.self) { try open([.unique("a", "b")]) }
        try {
            let realm = try open([CompoundIndex("b", "a")])
            expectEqual(realm.schema["Log"]?.compoundIndexes, [CompoundIndex("b", "a")])
            expectEqual(realm.storedSchema["Log"]?.compoundIndexes, [CompoundIndex("b", "a")])
            try realm.write { realm.delete(realm.dynamicObjects("Log").last!) }
        }()
        try expectEqual(open([.unique("a", "b")]).dynamicObjects("Log").count, 19)
    }

    @Test(arguments: [
        ("One", "has a compound index (a) of fewer than two properties"),
        ("Twice", "has a compound index (a, b, a) with a property twice"),
        ("Twice", "has a compound index (a, b) twice"),
        ("Unknown", "has a compound index (a, b) with b, which isn't a stored property"),
        ("Unknown", "has a compound index (a, c) with c, which isn't a stored property"),
        ("Unindexable", "has a compound index (a, d) with d: only"),
        ("Unindexable", "has a compound index (a, list) with list: only"),
    ])
    func `invalid indexes are named when a realm is opened`(name: String, expected: String) throws {
        let classes: [ObjectBase.Type] = [Wrong.One.self, Wrong.Twice.self, Wrong.Unknown.self, Wrong.Unindexable.self]
        let type = classes.first { $0.className() == name }!
        do {
            _ = try SchemaBuilder.build([type])
            Issue.record("It was taken.")
        } catch {
            expectEqual(error.code, .invalidSchema)
            expect(error.message.contains("\(name) \(expected)"), "\(error.message)")
        }
    }
}
