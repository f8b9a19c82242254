import FreeholdBSON
import FreeholdSyncRules

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Folders of projects, written for these tests.
enum ProjectFixtures {
    static func files(_ texts: [String: String]) -> [String: [UInt8]] { texts.mapValues { Array($0.utf8) } }

    static func project(_ texts: [String: String]) throws -> AppServicesProject {
        try AppServicesProject(files: files(texts))
    }

    static let openRole = """
        {"name": "all", "apply_when": {}, "document_filters": {"read": true, "write": true},
         "read": true, "write": true, "insert": true, "delete": true, "search": true}
        """

    /// A shop with two classes, one of them in a collection of another name.
    static let shop: [String: String] = [
        "root_config.json": """
        {"name": "shop", "provider_region": "aws-us-east-1", "deployment_model": "LOCAL", "environment": "production",
         "allowed_request_origins": ["https://shop.example"]}
        """,
        ".mdb/meta.json": """
        {"config_version": 20230101, "app_id": "64a0f0f0f0f0f0f0f0f0f0f0", "group_id": "64b0f0f0f0f0f0f0f0f0f0f0",
         "client_app_id": "shop-abcde"}
        """,
        "sync/config.json": """
        {"type": "flexible", "state": "enabled", "development_mode_enabled": true, "service_name": "mongodb-atlas",
         "database_name": "store", "client_max_offline_days": 30, "is_recovery_mode_disabled": false,
         "queryable_fields_names": ["owner_id"], "asymmetric_tables": ["readings"],
         "collection_queryable_fields_names": {"orders": ["placed"]}, "last_disabled": 1700000000}
        """,
        "auth/providers.json": """
        {"anon-user": {"name": "anon-user", "type": "anon-user", "disabled": true},
         "local-userpass": {"name": "local-userpass", "type": "local-userpass", "disabled": false,
           "config": {"autoConfirm": true, "resetPasswordUrl": "https://shop.example/reset"}},
         "custom-token": {"name": "custom-token", "type": "custom-token", "disabled": false,
           "config": {"audience": "shop", "signingAlgorithm": "HS256", "useJWKURI": false},
           "secret_config": {"signingKeys": ["jwtKey"]},
           "metadata_fields": [{"required": true, "name": "profile.email", "field_name": "email"}]}}
        """,
        "auth/custom_user_data.json": """
        {"enabled": true, "mongo_service_name": "mongodb-atlas", "database_name": "store", "collection_name": "people",
         "user_id_field": "owner_id"}
        """,
        "environments/no-environment.json": #"{"values": {}}"#,
        "environments/production.json": #"{"values": {"limit": 12}}"#,
        "values/admins.json": #"{"name": "admins", "value": ["u1", "u2"], "from_secret": false}"#,
        "values/token.json": #"{"id": "1", "name": "token", "value": "mailToken", "from_secret": true}"#,
        "data_sources/mongodb-atlas/config.json": """
        {"name": "mongodb-atlas", "type": "mongodb-atlas", "version": 1,
         "config": {"clusterName": "Cluster0", "readPreference": "primary", "wireProtocolEnabled": false}}
        """,
        "data_sources/mongodb-atlas/default_rule.json": #"{"roles": [\#(openRole)]}"#,
        "data_sources/mongodb-atlas/store/orders/schema.json": """
        {"title": "Order", "properties": {
          "_id": {"bsonType": "objectId"}, "owner_id": {"bsonType": "string"}, "placed": {"bsonType": "date"},
          "customer": {"bsonType": "string"}, "items": {"bsonType": "array", "items": {"bsonType": "objectId"}}},
         "required": ["_id", "owner_id"]}
        """,
        "data_sources/mongodb-atlas/store/orders/relationships.json": """
        {"items": {"ref": "#/relationship/mongodb-atlas/store/things", "source_key": "items", "foreign_key": "_id",
          "is_list": true},
         "customer": {"ref": "#/relationship/mongodb-atlas/store/people", "foreign_key": "email", "is_list": false}}
        """,
        "data_sources/mongodb-atlas/store/orders/rules.json": """
        {"database": "store", "collection": "orders", "roles": [{"name": "own", "apply_when": {},
          "document_filters": {"read": {"owner_id": "%%user.id"}, "write": {"owner_id": "%%user.id"}},
          "read": true, "write": true, "insert": true, "delete": true, "search": true}]}
        """,
        "data_sources/mongodb-atlas/store/things/schema.json": """
        {"title": "Thing", "bsonType": "object", "properties": {
          "_id": {"bsonType": "objectId"}, "name": {"bsonType": "string", "minLength": 1},
          "size": {"bsonType": "object", "properties": {"width": {"bsonType": "double"}}}}}
        """,
        "data_sources/mongodb-atlas/store/things/relationships.json": "{}",
        "data_sources/mongodb-atlas/store/readings/schema.json": """
        {"title": "Reading", "bsonType": "object", "required": ["_id"],
         "properties": {"_id": {"bsonType": "objectId"}, "celsius": {"bsonType": "double"}}}
        """,
        "functions/config.json": #"[{"name": "onOrder", "private": true}]"#,
        "functions/onOrder.js": "exports = () => {}",
        "triggers/newOrder.json": #"{"name": "newOrder", "type": "DATABASE"}"#,
        "graphql/config.json": #"{"use_natural_pluralization": true}"#,
        "http_endpoints/config.json": "[]",
        "hosting/config.json": #"{"enabled": false}"#,
        "secrets.json": #"{"jwtKey": "x"}"#,
    ]

    /// The layout of 2020: settings at the top, services with rules, a file a provider.
    static func old(_ root: String, _ version: Int) -> [String: String] {
        [
            root: """
            {"app_id": "old-abcde", "config_version": \(version), "name": "old", "location": "US-VA",
             "deployment_model": "GLOBAL", "security": {"allowed_request_origins": ["https://old.example"]},
             "hosting": {"enabled": false},
             "custom_user_data_config": {"enabled": true, "mongo_service_name": "mdb", "database_name": "db",
               "collection_name": "people", "user_id_field": "uid"},
             "sync": {"development_mode_enabled": true}}
            """,
            "auth_providers/api-key.json": #"{"id": "a1", "name": "api-key", "type": "api-key", "disabled": false}"#,
            "services/mdb/config.json": """
            {"name": "mdb", "type": "mongodb", "version": 1, "config": {"clusterName": "C",
             "flexible_sync": {"state": "enabled", "database_name": "db", "queryable_fields_names": ["team"],
              "permissions": {"rules": {"Note": [
                 {"name": "team", "applyWhen": {"%%user.custom_data.on": true}, "read": {"team": "%%user.custom_data.team"},
                  "write": {"owner": "%%user.id"}},
                 {"name": "fields", "applyWhen": {}, "read": {}, "fields": {"text": {"read": true}}}]},
               "defaultRoles": [{"name": "all", "applyWhen": {}, "read": true, "write": true}]}}}}
            """,
            "services/mdb/rules/db.notes.json": """
            {"id": "r1", "database": "db", "collection": "notes", "roles": [],
             "schema": {"title": "Note", "properties": {"_id": {"bsonType": "uuid"}, "team": {"bsonType": "string"},
               "owner": {"bsonType": "string"}, "text": {"bsonType": "string"}}, "required": ["_id"]},
             "relationships": {}}
            """,
            "services/web/config.json": #"{"name": "web", "type": "http", "config": {}}"#,
            "services/web/rules/access.json": #"{"name": "access", "actions": ["get"], "when": {}}"#,
            "functions/hello/config.json": #"{"name": "hello"}"#,
            "functions/hello/source.js": "exports = 1",
            "values/v.json": #"{"name": "v", "value": {"a": [1, 2.5]}, "private": false}"#,
        ]
    }
}

/// Calls a block with a temporary folder, and removes the folder afterwards.
func withFolder<T>(_ body: (String) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appending(path: "freehold-project-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

func write(_ texts: [String: String], to folder: String) throws {
    for (file, text) in texts {
        let path = folder + "/" + file
        let parent = String(path[..<path.lastIndex(of: "/")!])
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}
