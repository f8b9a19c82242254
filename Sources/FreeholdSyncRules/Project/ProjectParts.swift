public import FreeholdBSON

/// The settings of an app's sync: `sync/config.json`.
public struct SyncSettings: Hashable, Sendable {
    public enum Mode: Hashable, Sendable {
        /// Sync by queries, as in Freehold.
        case flexible
        /// Sync by the value of a field, which Freehold doesn't support. The settings are stored.
        case partition(BSONDocument)
    }

    public var mode: Mode
    /// `enabled`, `disabled`, or empty.
    public var state: String
    public var isDevelopmentModeEnabled: Bool
    /// The data source whose collections sync.
    public var dataSource: String?
    /// The database in which development mode creates new classes.
    public var database: String?
    /// The number of days that a device can be offline without a reset. Freehold uses its horizon instead.
    public var clientMaxOfflineDays: Int?
    public var isRecoveryModeDisabled: Bool
    /// The fields that queries may use. They are stored and have no effect, because Freehold's queries may use any
    /// field.
    public var queryableFields: [String]
    /// Other settings, such as `last_disabled`. They are stored and have no effect.
    public var others: BSONDocument

    public init(
        mode: Mode = .flexible,
        state: String = "enabled",
        isDevelopmentModeEnabled: Bool = false,
        dataSource: String? = nil,
        database: String? = nil,
        clientMaxOfflineDays: Int? = nil,
        isRecoveryModeDisabled: Bool = false,
        queryableFields: [String] = [],
        others: BSONDocument = [:]
    ) {
        self.mode = mode
        self.state = state
        self.isDevelopmentModeEnabled = isDevelopmentModeEnabled
        self.dataSource = dataSource
        self.database = database
        self.clientMaxOfflineDays = clientMaxOfflineDays
        self.isRecoveryModeDisabled = isRecoveryModeDisabled
        self.queryableFields = queryableFields
        self.others = others
    }

    public var isEnabled: Bool { state == "enabled" }
}

/// A cluster that was linked to the app.
public struct DataSource: Hashable, Sendable {
    public var name: String
    /// `mongodb-atlas`, `datalake`, …
    public var type: String
    /// Settings such as `clusterName` and `readPreference`. They are stored and have no effect.
    public var config: BSONDocument
    /// Other settings. They are stored and have no effect.
    public var others: BSONDocument

    public init(
        _ name: String,
        type: String = "mongodb-atlas",
        config: BSONDocument = [:],
        others: BSONDocument = [:]
    ) {
        self.name = name
        self.type = type
        self.config = config
        self.others = others
    }
}

/// A value that rules can name: `%%values.NAME`.
public struct ProjectValue: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case plain(BSONValue)
        /// The name of a secret. The value is the secret, which exports don't contain.
        case secret(String)
    }

    public var name: String
    public var content: Content
    /// The `id` of the value, and other settings. They are stored and have no effect.
    public var others: BSONDocument

    public init(_ name: String, _ content: Content, others: BSONDocument = [:]) {
        self.name = name
        self.content = content
        self.others = others
    }
}

/// A provider of log-ins.
public struct AuthenticationProvider: Hashable, Sendable {
    public var name: String
    /// `anon-user`, `local-userpass`, `api-key`, `custom-token`, `custom-function`, `oauth2-google`, …
    public var type: String
    public var isDisabled: Bool
    public var config: BSONDocument
    /// The names of secrets, which exports don't contain.
    public var secretConfig: BSONDocument
    public var metadataFields: [MetadataField]
    public var redirectURIs: [String]
    /// Other settings. They are stored and have no effect.
    public var others: BSONDocument

    public init(
        _ type: String,
        isDisabled: Bool = false,
        config: BSONDocument = [:],
        secretConfig: BSONDocument = [:],
        metadataFields: [MetadataField] = [],
        redirectURIs: [String] = [],
        others: BSONDocument = [:]
    ) {
        name = type
        self.type = type
        self.isDisabled = isDisabled
        self.config = config
        self.secretConfig = secretConfig
        self.metadataFields = metadataFields
        self.redirectURIs = redirectURIs
        self.others = others
    }

    /// A field of a user's data that the provider supplies: `%%user.data.NAME`.
    public struct MetadataField: Hashable, Sendable {
        /// The path of the field in the provider's data, with dots. A dot in a name is written as `\.`.
        public var path: String
        public var isRequired: Bool
        /// The name of the field in the user's data. `nil` for the last name of the path.
        public var fieldName: String?

        public init(_ path: String, isRequired: Bool = false, fieldName: String? = nil) {
            self.path = path
            self.isRequired = isRequired
            self.fieldName = fieldName
        }
    }
}

extension AuthenticationProvider {
    /// A Boolean value that indicates whether new users need no confirmation. Only for `local-userpass`.
    public var confirmsAutomatically: Bool { config["autoConfirm"]?.boolValue ?? false }

    /// The audiences that the `aud` of a token must contain. Only for `custom-token`.
    public var audiences: [String] {
        switch config["audience"] {
        case .string(let audience)? where !audience.isEmpty: [audience]
        case .array(let audiences)?: audiences.compactMap(\.stringValue)
        default: []
        }
    }

    /// The signing algorithm: `HS256` or `RS256`. Only for `custom-token`.
    public var signingAlgorithm: String? { config["signingAlgorithm"]?.stringValue }

    /// The URL at which the issuer publishes its keys. Only for `custom-token`. `nil` if the keys are secrets.
    public var keySetAddress: String? {
        config["useJWKURI"]?.boolValue == true ? config["jwkURI"]?.stringValue : nil
    }
}

/// The documents with an app's data about its users: `%%user.custom_data`.
public struct CustomUserDataSettings: Hashable, Sendable {
    public var isEnabled: Bool
    public var dataSource: String?
    public var database: String?
    public var collection: String?
    /// The field that contains the user's id.
    public var userIdField: String?
    /// Other settings. They are stored and have no effect.
    public var others: BSONDocument

    public init(
        isEnabled: Bool = false,
        dataSource: String? = nil,
        database: String? = nil,
        collection: String? = nil,
        userIdField: String? = nil,
        others: BSONDocument = [:]
    ) {
        self.isEnabled = isEnabled
        self.dataSource = dataSource
        self.database = database
        self.collection = collection
        self.userIdField = userIdField
        self.others = others
    }
}
