import Foundation
import Testing

@testable import Freehold

private enum Bad {
    class Keyed: EmbeddedObject {
        @Persisted(primaryKey: true) var id = 0
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class RequiredHome: Object {
        @Persisted var home: EMAddress
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class Part: EmbeddedObject {
        @Persisted var point: Point
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    struct Point: CustomPersistable, Equatable, Hashable {
        typealias PersistedType = Part
        var x = 0
        init() {}
        init(persistedValue: Part) {}
        var persistableValue: Part { Part() }
    }
}

@Suite("Embedded objects: schemas")
struct EmbeddedSchemaTests {
    private func message(_ types: [ObjectBase.Type]) -> String {
        do {
            _ = try SchemaBuilder.build(types)
            return ""
        } catch {
            return error.message
        }
    }

    @Test
    func `embedded classes are discovered among a program's models`() throws {
        let found = Discovery.modelClasses()
        expect(found.contains { $0 == EMAddress.self } && !found.contains { $0 == EmbeddedObject.self })
        let realm = try newEmbeddedRealm()
        expect(realm.schema["EMAddress"]?.isEmbedded == true && realm.schema["EMPerson"]?.isEmbedded == false)
        expectEqual(realm.schema["EMAddress"]?.description.contains("(embedded)"), true)
    }

    @Test
    func `mistakes are reported when a realm is opened`() {
        expect(message([Bad.Keyed.self]).contains("Keyed.id can't be a primary key"))
        expect(message([Bad.RequiredHome.self] + embeddedTestTypes).contains("`var home: EMAddress?`"))
        expect(message([Bad.Part.self]).contains("always holds another of its class (Part.point)"))
        expect(message([EMPerson.self]).contains("EMAddress, which isn't among the realm's classes"))
        let set = ObjectSchema(
            "Owner",
            properties: [Property("parts", .object, collection: .set, objectClassName: "Inner")]
        )
        let inner = ObjectSchema("Inner", isEmbedded: true, properties: [Property("n", .int)])
        #expect(throws: Realm.Error.self) { try SchemaBuilder.check(Schema([set, inner])) }
        let keyed = ObjectSchema("Inner", isEmbedded: true, properties: [Property("n", .int, primaryKey: true)])
        let error = #expect(throws: Realm.Error.self) { try SchemaBuilder.check(Schema([keyed])) }
        expectEqual(error?.message.contains("Inner.n can't be a primary key"), true)
    }

    @Test
    func `a class that becomes embedded needs a migration`() throws {
        try withNewFile { configuration in
            func open(isEmbedded: Bool) throws {
                var configuration = configuration
                configuration.objectTypes = nil
                let object = ObjectSchema("Room", isEmbedded: isEmbedded, properties: [Property("size", .int)])
                configuration.schema = Schema([object])
                _ = try Realm(configuration: configuration)
            }
            try open(isEmbedded: false)
            let error = #expect(throws: Realm.Error.self) { try open(isEmbedded: true) }
            expectEqual(error?.code, .schemaMismatch)
        }
    }
}
