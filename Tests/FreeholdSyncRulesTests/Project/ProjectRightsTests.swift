import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules
import Testing

@Suite("Parts of a project that can't be converted give no right")
struct ProjectRightsTests {
    private static func rules(_ roles: String, _ more: [String: String] = [:]) throws -> AppServicesProject {
        var texts = ProjectFixtures.shop
        texts["data_sources/mongodb-atlas/store/orders/rules.json"] = """
            {"database": "store", "collection": "orders", "roles": [\(roles)]}
            """
        for (file, text) in more { texts[file] = text }
        return try ProjectFixtures.project(texts)
    }

    @Test
    func `a role with a function closes the class for users to whom it applies`() throws {
        let project = try Self.rules(
            """
            {"name": "admins", "apply_when": {"%%user.custom_data.admin": true},
             "document_filters": {"read": {"%%true": {"%function": {"name": "f", "arguments": []}}}, "write": true},
             "read": true, "write": true},
            \(ProjectFixtures.openRole)
            """
        )
        let roles = project.rules.roles(of: "Order").roles
        expectEqual(roles.map(\.name), ["admins", "all"])
        expect(roles[0].readFilter == nil && roles[0].writeFilter == nil)
        try expectEqual(roles[0].applyWhen, RuleExpression(ofUser: ["%%user.custom_data.admin": true]))
        let note = try require(project.unsupported.first { $0.file.hasSuffix("orders/rules.json") })
        expectEqual(note.kind, .leftOut)
        expectEqual(note.path.prefix(4), ["roles", "0", "document_filters", "read"])
    }

    @Test
    func `a role with an unknown condition closes the class for all roles behind it`() throws {
        let project = try Self.rules(
            """
            {"name": "owner", "apply_when": {"%%root.owner_id": "%%user.id"}, "read": true, "write": true},
            \(ProjectFixtures.openRole)
            """
        )
        let roles = project.rules.roles(of: "Order").roles
        expectEqual(roles.map(\.applyWhen), [.always, .always])
        expect(roles[0].readFilter == nil)
        expect(project.unsupported.contains { $0.reason.contains("nobody gets one of the roles behind it") })
    }

    @Test
    func `a role without document filters gives no right in sync, and is reported`() throws {
        let project = try Self.rules(#"{"name": "all", "apply_when": {}, "read": true, "write": true}"#)
        expect(project.rules.roles(of: "Order").roles[0].readFilter == nil)
        expect(project.unsupported.contains { $0.path == ["roles", "0"] && $0.kind == .leftOut })
    }

    @Test
    func `query filters don't concern sync, and are ignored`() throws {
        let project = try ProjectFixtures.project(
            ProjectFixtures.shop.merging([
                "data_sources/mongodb-atlas/store/orders/rules.json": """
                {"database": "store", "collection": "orders", "roles": [\(ProjectFixtures.openRole)],
                 "filters": [{"name": "f", "apply_when": {}, "query": {"a": 1}}]}
                """
            ]) { $1 }
        )
        expectEqual(project.rules.roles(of: "Order").roles.count, 1)
        expect(project.unsupported.contains { $0.path == ["filters"] && $0.kind == .ignored })
    }

    @Test
    func `rules without roles close their class, and a class without rules has the default ones`() throws {
        let project = try Self.rules("")
        expect(project.rules.roles(of: "Order").roles.isEmpty)
        expect(!project.rules.roles(of: "Order").areDefault)
        expect(project.rules.roles(of: "Thing").areDefault)
    }

    @Test
    func `sync's own permissions take precedence over rules of other requests`() throws {
        var texts = ProjectFixtures.shop
        texts["sync/config.json"] = """
            {"type": "flexible", "state": "enabled", "service_name": "mongodb-atlas", "database_name": "store",
             "permissions": {"rules": {"orders": [{"name": "r", "applyWhen": {}, "read": true, "write": false}]},
               "defaultRoles": []}}
            """
        let project = try ProjectFixtures.project(texts)
        expectEqual(project.rules.classes.map(\.className), ["Order"])
        expectEqual(project.rules.classes[0].roles.map(\.name), ["r"])
        expect(project.rules.defaultRoles == nil)
        expect(project.unsupported.contains { $0.file.hasSuffix("orders/rules.json") && $0.kind == .leftOut })
    }

    @Test
    func `a class that can't be synced is left out, and links to it become plain values`() throws {
        var texts = ProjectFixtures.shop
        texts["data_sources/mongodb-atlas/store/things/schema.json"] = """
            {"title": "Thing", "properties": {"name": {"bsonType": "string"}}}
            """
        let project = try ProjectFixtures.project(texts)
        let tables = try project.tables()
        expectEqual(tables.map(\.name), ["Order", "Reading"])
        let items = try require(tables[0].columns.first { $0.name == "items" })
        expect(items.type == .objectId && items.collection == .list)
        expect(project.unsupported.contains { $0.file.hasSuffix("things/schema.json") && $0.kind == .leftOut })
    }

    @Test
    func `links between classes with unsuitable types leave out one of the classes`() throws {
        var texts = ProjectFixtures.shop
        texts["data_sources/mongodb-atlas/store/things/schema.json"] = """
            {"title": "Thing", "properties": {"_id": {"bsonType": "string"}}, "required": ["_id"]}
            """
        let project = try ProjectFixtures.project(texts)
        try expectEqual(project.tables().map(\.name), ["Reading", "Thing"])
        expect(project.unsupported.contains { $0.file.hasSuffix("orders/schema.json") && $0.kind == .leftOut })
    }

    @Test
    func `if two collections have one title, that of sync's database is the class`() throws {
        var texts = ProjectFixtures.shop
        texts["data_sources/mongodb-atlas/archive/orders/schema.json"] = """
            {"title": "Order", "properties": {"_id": {"bsonType": "int"}}, "required": ["_id"]}
            """
        let project = try ProjectFixtures.project(texts)
        expectEqual(project.collections["Order"]?.database, "store")
        expect(project.unsupported.contains { $0.file.contains("archive/orders") && $0.kind == .leftOut })
    }

    @Test("schemas may lack a type, have JSON's type names, validation words, and dictionaries of anything")
    func wildSchemas() throws {
        var texts = ProjectFixtures.shop
        texts["data_sources/mongodb-atlas/store/things/schema.json"] = """
            {"title": "Thing", "additionalProperties": true, "required": ["_id"], "validate": {"a": 1}, "properties": {
              "_id": {"bsonType": "objectId"}, "on": {"type": "boolean"}, "name": {"type": "string", "pattern": "^a"},
              "any": {"bsonType": "object"}, "some": {"bsonType": "object", "additionalProperties": true},
              "ints": {"bsonType": "object", "additionalProperties": {"bsonType": "int", "minimum": 1}},
              "list": {"bsonType": "array"}, "off": {"bsonType": "boolean"}, "note": {"bsonType": ["string", "null"], "enum": ["a"]}}}
            """
        let project = try ProjectFixtures.project(texts)
        let thing = try require(try project.tables().first { $0.name == "Thing" })
        let columns = Dictionary(uniqueKeysWithValues: thing.columns.map { ($0.name, $0) })
        expectEqual(columns["off"]?.type, .bool)
        expect(columns["on"]?.type == .bool && columns["name"]?.type == .string)
        expect(columns["any"]?.type == .mixed && columns["any"]?.collection == .dictionary)
        expect(columns["some"]?.type == .mixed && columns["some"]?.collection == .dictionary)
        expect(columns["ints"]?.type == .int && columns["ints"]?.collection == .dictionary)
        expect(columns["list"]?.type == .mixed && columns["list"]?.collection == .list)
        expect(columns["note"]?.type == .string && columns["note"]?.isOptional == true)
        let changed = project.unsupported.filter { $0.kind == .changed && $0.file.hasSuffix("things/schema.json") }
        expectEqual(changed.count, 6)
    }

    @Test
    func `other data sources, and services that aren't databases, are reported`() throws {
        var texts = ProjectFixtures.shop
        texts["data_sources/second/config.json"] = #"{"name": "second", "type": "mongodb-atlas", "config": {}}"#
        texts["data_sources/second/db/c/schema.json"] =
            #"{"title": "C", "properties": {"_id": {"bsonType": "int"}}, "required": ["_id"]}"#
        texts["data_sources/lake/config.json"] = #"{"name": "lake", "type": "datalake", "config": {}}"#
        let project = try ProjectFixtures.project(texts)
        try expect(project.tables().allSatisfy { $0.name != "C" })
        expect(project.unsupported.contains { $0.file == "data_sources/second" && $0.kind == .leftOut })
        expect(project.unsupported.contains { $0.file == "data_sources/lake" && $0.kind == .leftOut })
    }
}
