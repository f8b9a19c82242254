import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class HandPerson: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(mapTo: "first_name") var firstName = ""
    @Persisted var friend: HandPerson?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func mappedName() -> String? { "person" }
}

private func configuration(_ schema: Schema, _ base: Realm.Configuration = newConfiguration()) -> Realm.Configuration {
    var configuration = base
    configuration.objectTypes = nil
    configuration.schema = schema
    return configuration
}

private func mistakes(_ schemas: ObjectSchema...) -> String {
    do {
        _ = try Realm(configuration: configuration(Schema(schemas)))
        return ""
    } catch {
        expectEqual((error as? Realm.Error)?.code, .invalidSchema)
        return "\(error)"
    }
}

private let dog = ObjectSchema(
    "Dog",
    properties: [
        Property("id", .UUID, primaryKey: true), Property("name", .string, mapTo: "dog_name", indexed: true),
        Property("age", .int, optional: true), Property("tags", .string, collection: .list),
        Property("best", .object, objectClassName: "Dog"),
        Property("friends", .object, collection: .list, objectClassName: "Dog"),
        Property("admirers", .linkingObjects, objectClassName: "Dog", originProperty: "best"),
    ]
)

@Suite("Schemas made by hand")
struct SchemaByHandTests {
    @Test func `classes without a Swift class count for isEmpty and deleteAll`() throws {
        let tag = ObjectSchema("Tag", isEmbedded: true, properties: [Property("name", .string)])
        let owner = ObjectSchema("Owner", properties: [Property("tag", .object, objectClassName: "Tag")])
        let realm = try Realm(configuration: configuration(Schema([dog, owner, tag])))
        expect(realm.isEmpty)
        try realm.write {
            realm.dynamicCreate("Dog", value: ["id": UUID()])
            realm.dynamicCreate("Owner", value: ["tag": ["name": "x"]])
        }
        expect(!realm.isEmpty)
        try realm.write { realm.deleteAll() }
        expect(realm.isEmpty && realm.dynamicObjects("Dog").isEmpty && realm.verify() == [])
    }

    @Test
    func `a schema without classes opens a realm and creates its tables`() throws {
        try withNewFile { base in
            for _ in 0..<2 {
                let realm = try Realm(configuration: configuration(Schema([dog]), base))
                let table = try require(realm.core.view.schema.table(named: "Dog"))
                expectEqual(table.columns.map(\.name), ["id", "dog_name", "age", "tags", "best", "friends"])
                expect(table.primaryKey?.name == "id" && table.columns[1].isIndexed && table.columns[2].isOptional)
                expectEqual(table.columns[5].targetTableID, table.id)
                expect(realm.schema == Schema([dog]) && realm.schema["Dog"]?["dog_name"]?.name == "name")
            }
            // A different declaration in a class is a mismatch, like between classes.
            var changed = dog
            changed.properties[2].type = .string
            let error = #expect(throws: Realm.Error.self) {
                try Realm(configuration: configuration(Schema([changed]), base))
            }
            expect(error?.code == .schemaMismatch && error?.message.contains("'Dog.age'") == true)
        }
    }

    @Test
    func `a class's table can have more properties than the class`() throws {
        try withNewFile { base in
            var schema = try Schema(classes: [HandPerson.self])
            schema.objectSchema[0].properties.append(Property("extra", .int, optional: true))
            schema.objectSchema[0].properties[1].isIndexed = true
            schema.objectSchema.append(dog)
            do {
                let realm = try Realm(configuration: configuration(schema, base))
                try realm.write {
                    let person = realm.create(HandPerson.self, value: ["id": 1, "firstName": "Ada"] as [String: Any])
                    person.friend = person
                }
                expectEqual(realm.objects(HandPerson.self).where { $0.firstName == "Ada" }.count, 1)
            }
            let realm = try Realm(configuration: configuration(schema, base))
            let table = try require(realm.core.view.schema.table(named: "person"))
            expect(table.columns.map(\.name) == ["id", "first_name", "friend", "extra"] && table.columns[1].isIndexed)
            expectEqual(realm.objects(HandPerson.self).first?.friend?.firstName, "Ada")
            expectEqual(realm.schema["HandPerson"]?["extra"]?.isOptional, true)
        }
    }

    @Test
    func `mistakes are reported like those of classes, all at once`() {
        let text = mistakes(
            ObjectSchema("", properties: [Property("a", .int)]),
            ObjectSchema("Empty", properties: []),
            ObjectSchema(String(repeating: "x", count: 58), properties: [Property("a", .int)]),
            ObjectSchema("Twin", properties: [Property("a", .int)]),
            ObjectSchema("Twin", properties: [Property("a", .int)]),
            ObjectSchema(
                "Bad",
                properties: [
                    Property("a", .bool, primaryKey: true), Property("b", .string, primaryKey: true),
                    Property("c", .double, indexed: true), Property("d", .int, mapTo: "c"), Property("", .int),
                    Property("e", .object, objectClassName: "Missing"), Property("f", .object),
                    Property("g", .int, objectClassName: "Twin"), Property("h", .int), Property("h", .string),
                    Property("i", .object, optional: true, collection: .list, objectClassName: "Bad"),
                    Property("j", .linkingObjects, objectClassName: "Bad"),
                    Property("k", .linkingObjects, objectClassName: "Bad", originProperty: "nothing"),
                    Property("l", .linkingObjects, objectClassName: "Bad", originProperty: "a"),
                    Property("m.n", .int),
                ]
            )
        )
        for part in [
            " has an empty name", "Empty has no property", "has a name of over 57 bytes",
            "Twin is the name of 2 classes (Twin, made by hand, Twin, made by hand)",
            "Bad has more than one primary key: a, b", "Bad.a can't be a primary key", "Bad.c can't be indexed",
            "Bad.d has the stored name \"c\", which c has too", "Bad. has an empty name",
            "Bad.e links to Missing, which isn't among the realm's classes", "Bad.f links to no class",
            "Bad.g names the class Twin, but isn't a link", "Bad.h occurs 2 times",
            "Bad.i must be a list of objects that aren't optional", "Bad.j needs @Persisted(originProperty: …)",
            "Bad.k has the origin \"nothing\", which isn't a property of Bad",
            "Bad.l has the origin Bad.a, which isn't a link to Bad", "Bad.m.n has a dot in its stored name",
        ] { expect(text.contains(part), "\(part) in:\n\(text)") }
    }

    @Test
    func `the properties of a class can't be changed or left out`() {
        var schema = ObjectSchema(HandPerson.self)
        schema.properties[1].columnName = "name"
        schema.properties.remove(at: 2)
        schema.className = "people"
        let text = mistakes(schema)
        for part in [
            "HandPerson is the schema of a class, whose name (person) and kind it must keep",
            "HandPerson.firstName isn't as its class declares it", "HandPerson.friend isn't as its class declares it",
        ] { expect(text.contains(part), "\(text)") }
    }

    @Test
    func `a schema excludes object types, and must equal that of an open realm of the thread`() throws {
        var both = configuration(Schema([dog]))
        both.objectTypes = []
        expectEqual(thrownCode { _ = try Realm(configuration: both) }, .invalidInput)
        var named = configuration(Schema([dog]))
        named.classNamingPolicy = .snakeCase
        expectEqual(thrownCode { _ = try Realm(configuration: named) }, .invalidInput)

        let first = configuration(Schema([dog]))
        let realm = try Realm(configuration: first)
        var second = first
        try expectEqual(Realm(configuration: second), realm)
        second.schema!.objectSchema[0].properties.removeLast()
        expectEqual(thrownCode { _ = try Realm(configuration: second) }, .alreadyOpen)
    }

    @Test
    func `schemas are values that can be compared, searched and printed`() throws {
        let schema = try Schema(classes: [HandPerson.self], propertyNamingPolicy: .snakeCase)
        expect(schema["person"]?.objectClass == HandPerson.self && schema["HandPerson"]?["id"]?.isPrimaryKey == true)
        var other = schema
        expectEqual(other, schema)
        other.objectSchema[0].properties[2].isIndexed = true
        expect(other != schema)
        expect(dog.description.hasPrefix("Dog {\n\tid {\n\t\ttype = uuid;\n\t\tcolumnName = id;\n\t\tindexed = YES;"))
        expect(Property("a", .int) == Property("a", .int) && Property("a", .int) != Property("a", .int, mapTo: "b"))
        expect(Property("l", .linkingObjects).isArray && Property("o", .object).isOptional)
        #expect(throws: Realm.Error.self) { try Schema(classes: [NamingClash.self], propertyNamingPolicy: .snakeCase) }
    }
}
