import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules
import Testing

@Suite("App Services projects are read")
struct ProjectReadingTests {
    private static func role(_ text: String) throws -> Role { try Role(BSONValue(extendedJSON: text)) }

    @Test
    func `the newest layout is read: settings, classes, rules, values, environments, providers`() throws {
        let project = try ProjectFixtures.project(ProjectFixtures.shop)
        expectEqual(project.name, "shop")
        expectEqual(project.layout, .v20230101)
        expectEqual(
            project.ids,
            ProjectIds(
                clientApp: "shop-abcde",
                app: "64a0f0f0f0f0f0f0f0f0f0f0",
                group: "64b0f0f0f0f0f0f0f0f0f0f0"
            )
        )
        expect(project.allowedRequestOrigins == ["https://shop.example"])
        expectEqual(project.settings, ["provider_region": "aws-us-east-1", "deployment_model": "LOCAL"])
        expectEqual(project.ruleEnvironment, ["tag": "production", "values": ["limit": .int32(12)]])
        expect(project.isDevelopmentModeEnabled)
        let sync = try require(project.sync)
        expect(sync.mode == .flexible && sync.isEnabled && sync.clientMaxOfflineDays == 30)
        expect(sync.database == "store" && sync.queryableFields == ["owner_id"])
        expectEqual(sync.others.keys, ["collection_queryable_fields_names", "last_disabled"])

        expectEqual(project.schemas.map { $0.schema["title"] }, ["Order", "Reading", "Thing"])
        expectEqual(project.collections["Order"]?.collection, "orders")
        let tables = try project.tables()
        expectEqual(tables.map(\.name), ["Order", "Reading", "Thing", "Thing_size"])
        expectEqual(tables.filter(\.isAsymmetric).map(\.name), ["Reading"])
        let items = try require(tables[0].columns.first { $0.name == "items" })
        expect(items.type == .link && items.collection == .list && items.target == "Thing")

        expectEqual(project.rules.classes.map(\.className), ["Order"])
        expectEqual(project.rules.roles(of: "Order").roles.map(\.name), ["own"])
        try expectEqual(project.rules.roles(of: "Thing").roles, [Self.role(ProjectFixtures.openRole)])
        expect(project.rules.roles(of: "Thing").areDefault)

        expectEqual(project.ruleValues(), ["admins": ["u1", "u2"]])
        expectEqual(project.ruleValues(secrets: ["mailToken": "s"]), ["admins": ["u1", "u2"], "token": "s"])
        expectEqual(project.providers.map(\.type), ["anon-user", "custom-token", "local-userpass"])
        expectEqual(project.providers.map(\.isDisabled), [true, false, false])
        expect(project.providers[2].confirmsAutomatically)
        expect(project.providers[1].audiences == ["shop"] && project.providers[1].keySetAddress == nil)
        expectEqual(
            project.providers[1].metadataFields,
            [.init("profile.email", isRequired: true, fieldName: "email")]
        )
        expectEqual(project.customUserData?.userIdField, "owner_id")
    }

    @Test
    func `parts that aren't imported are listed, with their places`() throws {
        let parts = try ProjectFixtures.project(ProjectFixtures.shop).unsupported
        func kinds(_ file: String) -> [UnsupportedPart.Kind] { parts.filter { $0.file == file }.map(\.kind) }
        expectEqual(kinds("functions"), [.needed])
        expectEqual(kinds("triggers"), [.ignored])
        expectEqual(kinds("secrets.json"), [.needed])
        expectEqual(kinds("values/token.json"), [.needed])
        expectEqual(kinds("auth/providers.json"), [.needed, .ignored])
        expectEqual(kinds("data_sources/mongodb-atlas/store/orders/relationships.json"), [.leftOut])
        expectEqual(kinds("data_sources/mongodb-atlas/store/things/schema.json"), [.changed])
        // Nothing is in them.
        expect(kinds("graphql").isEmpty && kinds("http_endpoints").isEmpty && kinds("hosting").isEmpty)
        let function = try require(parts.first { $0.file == "functions" })
        expect(function.reason.hasPrefix("1 (onOrder.js)"))
        expect(function.description.hasPrefix("functions: "))
    }

    @Test(arguments: [("stitch.json", 2018_0301), ("config.json", 2020_0603)])
    func `older layouts are read, with sync's permissions of before 2023`(_ root: String, _ version: Int) throws {
        let project = try ProjectFixtures.project(ProjectFixtures.old(root, version))
        expectEqual(project.layout.rawValue, version)
        expect(project.ids.clientApp == "old-abcde" && project.name == "old")
        expect(project.allowedRequestOrigins == ["https://old.example"])
        expect(project.isDevelopmentModeEnabled)
        expect(project.sync?.dataSource == "mdb" && project.sync?.database == "db")
        expectEqual(
            project.dataSources,
            [
                DataSource("mdb", type: "mongodb", config: ["clusterName": "C"], others: ["version": .int32(1)])
            ]
        )
        expectEqual(project.customUserData?.userIdField, "uid")
        expectEqual(project.providers.map(\.name), ["api-key"])
        expectEqual(project.ruleValues(), ["v": ["a": [.int32(1), 2.5]]])
        try expectEqual(project.tables().map(\.name), ["Note"])

        let roles = project.rules.roles(of: "Note").roles
        try expectEqual(
            roles,
            [
                Self.role(
                    """
                    {"name": "team", "apply_when": {"%%user.custom_data.on": true},
                     "document_filters": {"read": {"team": "%%user.custom_data.team"}, "write": {"owner": "%%user.id"}},
                     "read": true, "write": true, "insert": true, "delete": true, "search": true}
                    """
                ),
                Self.role(
                    """
                    {"name": "fields", "apply_when": {}, "document_filters": {"read": {}, "write": false},
                     "fields": {"text": {"read": true}}, "insert": true, "delete": true, "search": true}
                    """
                ),
            ]
        )
        try expectEqual(project.rules.defaultRoles, [Self.role(ProjectFixtures.openRole)])
        expect(project.unsupported.contains { $0.file == "services/web" && $0.kind == .ignored })
    }

    @Test
    func `the layout of 2021 has its identifier at the top`() throws {
        var texts = ProjectFixtures.shop
        texts["root_config.json"] = nil
        texts[".mdb/meta.json"] = nil
        texts["realm_config.json"] = """
            {"app_id": "shop-zzzzz", "config_version": 20210101, "name": "shop", "location": "US-VA",
             "deployment_model": "LOCAL"}
            """
        let project = try ProjectFixtures.project(texts)
        expect(project.layout == .v20210101 && project.ids.clientApp == "shop-zzzzz")
        expectEqual(project.environment, "")
        expectEqual(project.settings.keys, ["location", "deployment_model"])
    }

    @Test
    func `partitions aren't supported: the report has the remedy, and everything is closed`() throws {
        var texts = ProjectFixtures.shop
        texts["sync/config.json"] = """
            {"state": "enabled", "database_name": "store", "service_name": "mongodb-atlas",
             "partition": {"key": "_team", "type": "string", "permissions": {"read": true, "write": true}},
             "development_mode_enabled": false}
            """
        let project = try ProjectFixtures.project(texts)
        expectEqual(project.rules, RuleSet())
        let note = try require(project.unsupported.first { $0.path == ["partition"] })
        expect(note.kind == .needed && note.reason.contains("_team == …"))
        expect(project.unsupported.contains { $0.file.hasSuffix("orders/rules.json") && $0.kind == .leftOut })
        guard case .partition(let kept)? = project.sync?.mode else { throw Missing() }
        expectEqual(kept["key"], "_team")
    }

    @Test
    func `an app that never synced has no settings of sync`() throws {
        let project = try ProjectFixtures.project([
            "realm_config.json": #"{"config_version": 20210101, "name": "a"}"#,
            "sync/config.json": #"{"development_mode_enabled": false}"#,
        ])
        expect(project.sync == nil && !project.isDevelopmentModeEnabled && project.schemas.isEmpty)
        expectEqual(project.rules, RuleSet())
    }

    @Test
    func `names of a secret's values, a byte order mark and nulls are accepted`() throws {
        let project = try ProjectFixtures.project([
            "stitch.json": "\u{FEFF}{\"name\": \"a\", \"security\": null, \"hosting\": null, \"app_id\": null}",
            "values/none.json": #"{"name": "none", "value": null}"#,
        ])
        expectEqual(project.layout, .v20180301)
        expectEqual(project.values, [ProjectValue("none", .plain(.null))])
    }
}

struct Missing: Error {}
