import Foundation
import Testing

@testable import Freehold

@Suite("JSON: classes by name, chosen properties")
struct DynamicJSONTests {
    private let file: URL
    private let realm: Realm

    /// A realm that knows its classes only by name.
    init() throws {
        file = newConfiguration(inMemory: false).fileURL!
        realm = try Self.make(file)
    }

    private static func make(_ file: URL) throws -> Realm {
        var configuration = Realm.Configuration(inMemoryIdentifier: file.lastPathComponent)
        configuration.schema = Schema([
            ObjectSchema(
                "Person",
                properties: [
                    Property("id", .int, primaryKey: true), Property("name", .string),
                    Property("born", .date, optional: true),
                    Property("home", .object, objectClassName: "Home"),
                    Property("friends", .object, collection: .list, objectClassName: "Person"),
                    Property("any", .any),
                ]
            ),
            ObjectSchema(
                "Home",
                isEmbedded: true,
                properties: [Property("street", .string), Property("owner", .object, objectClassName: "Person")]
            ),
        ])
        return try Realm(configuration: configuration)
    }

    private func lines(_ properties: [String]?) throws -> String {
        let options = JSONExportOptions(format: .lines, properties: properties)
        return String(decoding: try realm.dynamicObjects("Person").jsonData(options: options), as: UTF8.self)
    }

    private static let text = """
        [{"id": 1, "name": "Ada", "born": "1815-12-10T00:00:00Z", "friends": [2], "home": {"street": "A", "owner": 2}},
        {"id": 2, "name": "Bob", "any": {"$link": {"class": "Person", "key": 1}}}]
        """

    @Test func `an object is exported alone as among all`() throws {
        _ = try realm.dynamicImportJSON(from: Data(Self.text.utf8), into: "Person")
        let people = realm.dynamicObjects("Person")
        func text(_ options: JSONExportOptions = JSONExportOptions()) throws -> [String] {
            try people.map { String(decoding: try realm.jsonData(of: $0, options: options), as: UTF8.self) }
        }
        try expectEqual(text(), lines(nil).split(separator: "\n").map(String.init))
        try expectEqual(
            text(JSONExportOptions(properties: ["name", "home.owner.id"]))[0],
            "{\"name\":\"Ada\",\"home.owner.id\":2}"
        )
        try expectEqual(text(JSONExportOptions(isPretty: true, properties: ["id"]))[1], "{\n  \"id\": 2\n}")
        #expect(throws: JSONError.self) { try text(JSONExportOptions(properties: ["nam"])) }
        let frozen = people[0].freeze()
        try realm.write { people[0]["name"] = "Eve" }
        let options = JSONExportOptions(properties: ["name"])
        try expectEqual(frozen.realm?.jsonData(of: frozen, options: options), Data("{\"name\":\"Ada\"}".utf8))
        try expectEqual(text(options)[0], "{\"name\":\"Eve\"}")
    }

    @Test func `a class is imported and exported by its name`() throws {
        try expectEqual(realm.dynamicImportJSON(from: Data(Self.text.utf8), into: "Person"), 2)
        let people = realm.dynamicObjects("Person")
        expectEqual(people.map { $0["name"] as? String }, ["Ada", "Bob"])
        expectEqual((people[0]["friends"] as? List<DynamicObject>)?.first, people[1])
        try expectEqual(
            lines(nil),
            """
            {"id":1,"name":"Ada","born":"1815-12-10T00:00:00Z","home":{"street":"A","owner":2},"friends":[2],"any":null}
            {"id":2,"name":"Bob","born":null,"home":null,"friends":[],"any":{"$link":{"class":"Person","key":1}}}

            """
        )
    }

    @Test func `selected properties are written in their order, also along links`() throws {
        try realm.dynamicImportJSON(from: Data(Self.text.utf8), into: "Person")
        try expectEqual(
            lines(["home.owner.name", "id", "home.street"]),
            """
            {"home.owner.name":"Bob","id":1,"home.street":"A"}
            {"home.owner.name":null,"id":2,"home.street":null}

            """
        )
        try expectEqual(lines([]), "{}\n{}\n")
        for wrong in ["nam", "home.stret", "name.x", "friends.name", ""] {
            do {
                _ = try lines([wrong])
                Issue.record("exported \(wrong)")
            } catch let error as JSONError {
                expectEqual(error.kind, .unknownKey, "\(error)")
            }
        }
    }

    @Test func `a closure returns the text, and its error is passed on`() throws {
        struct Stop: Error {}
        var parts = [Data(#"{"id": 1} {"#.utf8), Data(#""id": 2}"#.utf8)]
        try expectEqual(
            realm.dynamicImportJSON(into: "Person") { parts.isEmpty ? Data() : parts.removeFirst() },
            2
        )
        #expect(throws: JSONError.self) { try realm.dynamicImportJSON(into: "Person") { throw Stop() } }
        expectEqual(realm.dynamicObjects("Person").count, 2)
    }

    @Test func `arguments in an array replace those in the text`() throws {
        try realm.dynamicImportJSON(from: Data(Self.text.utf8), into: "Person")
        let people = realm.dynamicObjects("Person")
        try expectEqual(people.filter(validating: "id == $1 AND name == $0", arguments: ["Bob", 2]).count, 1)
        try expectEqual(people.filter(validating: "born == %@", arguments: [nil]).count, 1)
        #expect(throws: QueryError.self) { try people.filter(validating: "id == $1", arguments: [2]) }
    }
}
