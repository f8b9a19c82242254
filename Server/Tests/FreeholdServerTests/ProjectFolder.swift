import Foundation

/// A project in the form that the command line of App Services pulls, written for these tests: the deliveries of a
/// pharmacy.
enum ProjectFolder {
    static let files: [String: String] = [
        "root_config.json": """
        {
            "app_id": "deliveries-qwert",
            "name": "deliveries",
            "environment": "production",
            "deployment_model": "LOCAL",
            "location": "DE-FF",
            "provider_region": "aws-eu-central-1",
            "allowed_request_origins": ["https://deliveries.example"]
        }
        """,
        ".mdb/meta.json": """
        {"config_version": 20230101, "app_id": "64a0f0f0f0f0f0f0f0f0f0f0", "group_id": "64b0f0f0f0f0f0f0f0f0f0f0",
         "client_app_id": "deliveries-qwert"}
        """,
        "sync/config.json": """
        {
            "type": "flexible",
            "state": "enabled",
            "development_mode_enabled": true,
            "service_name": "mongodb-atlas",
            "database_name": "pharmacy",
            "client_max_offline_days": 30,
            "is_recovery_mode_disabled": false,
            "permissions": {"rules": {}, "defaultRoles": []},
            "asymmetric_tables": ["fridge_logs"],
            "queryable_fields_names": ["driver_id", "region"]
        }
        """,
        "auth/providers.json": """
        {
            "anon-user": {"name": "anon-user", "type": "anon-user", "disabled": true},
            "api-key": {"name": "api-key", "type": "api-key", "disabled": false},
            "local-userpass": {
                "name": "local-userpass", "type": "local-userpass", "disabled": false,
                "config": {
                    "autoConfirm": false, "emailConfirmationUrl": "https://deliveries.example/confirm",
                    "resetPasswordUrl": "https://deliveries.example/reset", "runConfirmationFunction": false,
                    "runResetFunction": true, "resetFunctionName": "resetPassword"
                }
            },
            "custom-token": {
                "name": "custom-token", "type": "custom-token", "disabled": false,
                "config": {"audience": "deliveries", "signingAlgorithm": "HS256", "useJWKURI": false},
                "secret_config": {"signingKeys": ["partnerKey"]},
                "metadata_fields": [{"required": false, "name": "depot", "field_name": "depot"}]
            },
            "oauth2-google": {
                "name": "oauth2-google", "type": "oauth2-google", "disabled": false,
                "config": {"clientId": "1234.apps.example"}, "secret_config": {"clientSecret": "googleSecret"}
            }
        }
        """,
        "auth/custom_user_data.json": """
        {"enabled": true, "mongo_service_name": "mongodb-atlas", "database_name": "pharmacy", "collection_name": "staff",
         "user_id_field": "user_id", "on_user_creation_function_name": "makeStaff"}
        """,
        "environments/no-environment.json": #"{"values": {}}"#,
        "environments/production.json": #"{"values": {"region": "south"}}"#,
        "values/dispatchers.json": #"{"id": "5f", "name": "dispatchers", "value": ["u1"], "from_secret": false}"#,
        "values/smsKey.json": #"{"id": "6f", "name": "smsKey", "value": "smsSecret", "from_secret": true}"#,
        "data_sources/mongodb-atlas/config.json": """
        {"name": "mongodb-atlas", "type": "mongodb-atlas", "config": {"clusterName": "Pharmacy", "readPreference": "primary",
         "wireProtocolEnabled": false}}
        """,
        "data_sources/mongodb-atlas/default_rule.json": """
        {"roles": [{"name": "denied", "apply_when": {}, "document_filters": {"read": false, "write": false}, "read": false,
          "write": false, "insert": false, "delete": false, "search": false}], "filters": []}
        """,
        "data_sources/mongodb-atlas/pharmacy/deliveries/schema.json": """
        {"title": "Delivery", "bsonType": "object", "required": ["_id", "driver_id", "due"], "properties": {
          "_id": {"bsonType": "objectId"}, "driver_id": {"bsonType": "string"}, "due": {"bsonType": "date"},
          "patient": {"bsonType": "objectId"}, "stops": {"bsonType": "array", "items": {"bsonType": "string", "maxLength": 80}},
          "address": {"title": "Address", "bsonType": "object", "properties": {"street": {"bsonType": "string"}}}}}
        """,
        "data_sources/mongodb-atlas/pharmacy/deliveries/relationships.json": """
        {"patient": {"ref": "#/relationship/mongodb-atlas/pharmacy/patients", "source_key": "patient", "foreign_key": "_id",
          "is_list": false}}
        """,
        "data_sources/mongodb-atlas/pharmacy/deliveries/rules.json": """
        {"collection": "deliveries", "database": "pharmacy", "roles": [
          {"name": "dispatcher", "apply_when": {"%%user.custom_data.role": "dispatcher"},
           "document_filters": {"read": true, "write": true}, "read": true, "write": true, "insert": true, "delete": true,
           "search": true},
          {"name": "driver", "apply_when": {}, "document_filters": {"read": {"driver_id": "%%user.id"},
            "write": {"driver_id": "%%user.id"}}, "read": true, "write": true, "insert": false, "delete": false,
           "search": true}]}
        """,
        "data_sources/mongodb-atlas/pharmacy/patients/schema.json": """
        {"title": "Patient", "bsonType": "object", "required": ["_id", "name"], "properties": {
          "_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"}}}
        """,
        "data_sources/mongodb-atlas/pharmacy/patients/relationships.json": "{}",
        "data_sources/mongodb-atlas/pharmacy/patients/rules.json": """
        {"collection": "patients", "database": "pharmacy", "roles": [
          {"name": "known", "apply_when": {"%%true": {"%function": {"name": "knows", "arguments": ["%%user.id"]}}},
           "document_filters": {"read": true, "write": false}, "read": true, "insert": false, "delete": false}]}
        """,
        "data_sources/mongodb-atlas/pharmacy/fridge_logs/schema.json": """
        {"title": "FridgeLog", "bsonType": "object", "required": ["_id", "celsius"], "properties": {
          "_id": {"bsonType": "objectId"}, "celsius": {"bsonType": "double"}, "van": {"bsonType": "string"}}}
        """,
        "data_sources/mongodb-atlas/pharmacy/fridge_logs/rules.json": """
        {"collection": "fridge_logs", "database": "pharmacy", "roles": [{"name": "all", "apply_when": {},
          "document_filters": {"read": true, "write": true}, "read": true, "write": true, "insert": true, "delete": true}]}
        """,
        "functions/config.json": #"[{"name": "makeStaff", "private": true}, {"name": "knows", "private": true}]"#,
        "functions/makeStaff.js": "exports = async function (user) { return context.values.get('smsKey'); };",
        "functions/knows.js": "exports = () => true;",
        "triggers/onDelivery.json": #"{"name": "onDelivery", "type": "DATABASE", "disabled": false}"#,
        "http_endpoints/config.json": #"[{"route": "/hook", "http_method": "POST", "function_name": "knows"}]"#,
        "hosting/files/index.html": "<p>hello</p>",
        "graphql/custom_resolvers/total.json": #"{"on_type": "Query", "field_name": "total"}"#,
        "log_forwarders/all.json": #"{"name": "all", "disabled": false}"#,
        "secrets.json": #"{"services": {}, "partnerKey": "hunter2", "smsSecret": "swordfish"}"#,
    ]

    static func write(to folder: String) throws {
        for (file, text) in files {
            let path = URL(filePath: folder + "/" + file)
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try text.write(to: path, atomically: true, encoding: .utf8)
        }
    }
}
