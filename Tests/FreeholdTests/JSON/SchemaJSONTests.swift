import Foundation
import Testing

@testable import Freehold

@Suite("JSON: schemas")
struct SchemaJSONTests {
    @Test func `the schema of classes, and the parts that a file stores, are read as they were written`() throws {
        let schema = try Schema(classes: DocumentSample.types + [JSAll.self, JSPlain.self])
        let read = try Schema.read(json: schema.jsonData(schemaVersion: 12))
        expect(read.schema == schema && read.schemaVersion == 12)
        expect(try Schema.read(json: schema.jsonData()).schemaVersion == nil)
        let realm = try Realm(configuration: DocumentSample.configuration(newConfiguration()))
        try expectEqual(Schema.read(json: realm.storedSchema.jsonData()).schema, realm.storedSchema)
    }

    @Test func `a schema is written with a property on each line, without default options`() throws {
        let schema = Schema([
            ObjectSchema(
                "City",
                properties: [
                    Property("id", .int, primaryKey: true), Property("name", .string, mapTo: "n\"", indexed: true),
                    Property("twin", .object, objectClassName: "City", deleteRule: .cascade),
                    Property("tags", .string, optional: true, collection: .set),
                    Property("twins", .linkingObjects, objectClassName: "City", originProperty: "twin"),
                ],
                compoundIndexes: [.unique("id", "name")]
            ),
            ObjectSchema("Part", isEmbedded: true, properties: []),
        ])
        let text = """
            {
              "schemaVersion": 3,
              "classes": [
                {"name": "City", "properties": [
                  {"name": "id", "type": "int", "primaryKey": true},
                  {"name": "name", "mapTo": "n\\"", "type": "string", "index": "values"},
                  {"name": "twin", "type": "object", "class": "City", "deleteRule": "cascade"},
                  {"name": "tags", "type": "string", "collection": "set", "optional": true},
                  {"name": "twins", "type": "linkingObjects", "class": "City", "origin": "twin"}
                ], "compoundIndexes": [
                  {"properties": ["id", "name"], "unique": true}
                ]},
                {"name": "Part", "embedded": true, "properties": []}
              ]
            }

            """
        expectEqual(String(decoding: schema.jsonData(schemaVersion: 3), as: UTF8.self), text)
        try expectEqual(Schema.read(json: Data(text.utf8)).schema, schema)
    }

    @Test func `delete rules of a file for origins are kept`() throws {
        let text =
            #"{"classes": [{"name": "A", "properties": [{"name": "a", "type": "object", "class": "A", "#
            + #""deleteRule": "deny", "inverseDeleteRule": "cascade"}]}]}"#
        let schema = try Schema.read(json: Data(text.utf8)).schema
        let again = try Schema.read(json: schema.jsonData()).schema
        let property = try require(again["A"]?["a"])
        expect(property.deleteRule == .deny && property.inverseDeleteRule == .cascade && again == schema)
    }

    @Test(
        arguments: [
            ("[]", "a schema"), (#"{"clases": []}"#, "\"clases\""), (#"{"schemaVersion": -1}"#, "schema version"),
            (#"{"classes": [{"properties": []}]}"#, "\"name\""), (#"{"classes": {}}"#, "an array"),
            (#"{"classes": [{"name": "A", "properties": [{"name": "a"}]}]}"#, "\"type\""),
            (#"{"classes": [{"name": "A", "properties": [{"name": "a", "type": "text"}]}]}"#, "one of int, bool"),
            (#"{"classes": [{"name": "A", "embedded": 1}]}"#, "true or false"),
            (#"{"classes": [{"name": "A", "compoundIndexes": [{"properties": [1]}]}]}"#, "property's name"),
            ("{} {}", "end of the text"), ("", "ends"),
        ]
    )
    func `a mistake in a schema is reported with its place`(text: String, part: String) throws {
        do {
            _ = try Schema.read(json: Data(text.utf8))
            Issue.record("read: \(text)")
        } catch let error as JSONError {
            expect(error.message.contains(part) && error.line == 1, "\(error)")
        }
    }
}
