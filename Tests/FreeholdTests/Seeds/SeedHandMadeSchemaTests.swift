import Foundation
import Testing

@testable import Freehold

// Schemas without classes, as C# builds them and JavaScript writes them.

private enum CSharp {
    class ClassA: SeedObject {
        @Persisted(primaryKey: true) var Id: UUID
        @Persisted(indexed: true) var LastName: String?
    }
}

private enum JavaScript {
    class Task: SeedObject {
        @Persisted(primaryKey: true) var _id = 0
        @Persisted var name = ""
        @Persisted var owner_id: String?
        override class func mappedName() -> String? { "Todo_Item" }
    }
}

private func file(_ schema: Schema) -> (SeedFile, Realm.Configuration) {
    let file = SeedFile()
    var configuration = file.configuration
    configuration.objectTypes = nil
    configuration.schema = schema
    return (file, configuration)
}

@Suite("Seeds 003: schemas made by hand")
struct SeedHandMadeSchemaTests {
    private let classA = ObjectSchema(
        "ClassA",
        properties: [
            Property("Id", .UUID, primaryKey: true), Property("LastName", .string, optional: true, indexed: true),
        ]
    )

    private let book = ObjectSchema(
        "Book",
        properties: [Property("name", .string, indexed: true), Property("price", .int, optional: true)]
    )

    @Test
    func `C#: ClassA; JavaScript: Book: stored, read, updated and deleted without a class`() throws {
        let (file, configuration) = file(Schema([classA, book]))
        let id = UUID()
        try file.open(configuration) { realm in
            let schema = try require(realm.schema["ClassA"])
            expect(schema.primaryKeyProperty?.name == "Id" && schema["LastName"]?.isIndexed == true)
            try realm.write {
                _ = realm.dynamicCreate("ClassA", value: ["Id": id, "LastName": "Doe"] as [String: Any])
                _ = realm.dynamicCreate("Book", value: ["name": "Emma"])
                _ = realm.dynamicCreate("Book", value: ["name": "Ulysses", "price": 12] as [String: Any])
            }
            expectEqual(
                thrownCode { try realm.write { _ = realm.dynamicCreate("ClassA", value: ["Id": id]) } },
                .duplicatePrimaryKey
            )
        }
        try file.open(configuration) { realm in
            let a = try require(realm.dynamicObject(ofType: "ClassA", forPrimaryKey: id))
            expect(a["LastName"] as? String == "Doe" && a.LastName as? String == "Doe")
            let books = realm.dynamicObjects("Book")
            expectEqual(books.map { $0["name"] as? String }, ["Emma", "Ulysses"])
            expectEqual(books.map { $0["price"] as? Int }, [nil, 12])
            try realm.write {
                a["LastName"] = nil
                books[0]["price"] = 5
                realm.delete(books[1])
            }
            expect(a["LastName"] == nil && books.count == 1 && books[0]["price"] as? Int == 5)
        }
        try file.open(configuration) { realm in
            try realm.write { realm.deleteAll() }
            expect(realm.isEmpty)
        }
    }

    @Test
    func `C#: an embedded class with a primary key, as the document builds it, is refused`() {
        let embedded = ObjectSchema("ClassA", isEmbedded: true, properties: classA.properties)
        let owner = ObjectSchema(
            "Owner",
            properties: [Property("a", .object, objectClassName: "ClassA")]
        )
        let (_, configuration) = file(Schema([embedded, owner]))
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        expect(error?.code == .invalidSchema && error?.message.contains("primary key") == true)
    }

    @Test
    func `C#: a class's schema with a property that the class doesn't have`() throws {
        var schema = try Schema(classes: [CSharp.ClassA.self])
        schema.objectSchema[0].properties.append(Property("ThisIsNotInTheCSharpClass", .int))
        let (file, configuration) = file(schema)
        let id = UUID()
        try file.open(configuration) { realm in
            try realm.write {
                let a = CSharp.ClassA()
                (a.Id, a.LastName) = (id, "Doe")
                realm.add(a)
            }
            let names = realm.schema["ClassA"]?.properties.map(\.name)
            expectEqual(names, ["Id", "LastName", "ThisIsNotInTheCSharpClass"])
        }
        try file.open(configuration) { realm in
            let dynamic = try require(realm.dynamicObjects("ClassA").first)
            expect(dynamic["ThisIsNotInTheCSharpClass"] as? Int == 0 && dynamic["LastName"] as? String == "Doe")
            try realm.write { dynamic["ThisIsNotInTheCSharpClass"] = 7 }
            expectEqual(realm.object(ofType: CSharp.ClassA.self, forPrimaryKey: id)?.LastName, "Doe")
        }
        try file.open(configuration) { realm in
            expectEqual(realm.dynamicObjects("ClassA").first?["ThisIsNotInTheCSharpClass"] as? Int, 7)
        }
    }

    @Test
    func `JavaScript, TypeScript: an embedded type given by its schema alone`() throws {
        let point = ObjectSchema(
            "MyGeoPoint",
            isEmbedded: true,
            properties: [Property("type", .string), Property("coordinates", .double, collection: .list)]
        )
        let company = ObjectSchema(
            "Company",
            properties: [
                Property("_id", .int, primaryKey: true), Property("location", .object, objectClassName: "MyGeoPoint"),
            ]
        )
        let (file, configuration) = file(Schema([company, point]))
        try file.open(configuration) { realm in
            try realm.write {
                for (id, place) in [(6, [-122.35, 47.68]), (9, [-121.85, 47.9])] {
                    _ = realm.dynamicCreate(
                        "Company",
                        value: ["_id": id, "location": ["type": "Point", "coordinates": place] as [String: Any]]
                            as [String: Any]
                    )
                }
            }
            expect(realm.schema["MyGeoPoint"]?.isEmbedded == true && realm.schema["Company"]?.isEmbedded == false)
        }
        try file.open(configuration) { realm in
            let company = try require(realm.dynamicObject(ofType: "Company", forPrimaryKey: 9))
            let place = try require(company["location"] as? DynamicObject)
            expectEqual(place["type"] as? String, "Point")
            expectEqual((place["coordinates"] as? List<Double>).map { Array($0) }, [-121.85, 47.9])
            try realm.write { realm.delete(company) }
            expectEqual(embeddedCount(realm, "MyGeoPoint"), 1)
        }
    }

    @Test
    func `JavaScript: Task is created, read, updated and deleted under its stored name`() throws {
        let file = SeedFile(JavaScript.Task.self)
        try file.open { realm in
            try realm.write {
                _ = realm.dynamicCreate(
                    "Todo_Item",
                    value: ["_id": 12_342_245, "owner_id": "anonymous", "name": "Test the name"] as [String: Any]
                )
            }
        }
        try file.open { realm in
            let tasks = realm.dynamicObjects("Todo_Item")
            expect(tasks.count == 1 && tasks[0]["owner_id"] as? String == "anonymous")
            try realm.write { tasks[0]["owner_id"] = nil }
            expect(realm.object(ofType: JavaScript.Task.self, forPrimaryKey: 12_342_245)?.owner_id == nil)
            try realm.write { realm.delete(tasks) }
            expect(realm.objects(JavaScript.Task.self).isEmpty)
        }
    }
}
