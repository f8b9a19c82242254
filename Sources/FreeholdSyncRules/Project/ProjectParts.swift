public import FreeholdBSON

/// How an app synced: `sync/config.json`.
public struct SyncSettings: Hashable, Sendable {
    public enum Mode: Hashable, Sendable {
        /// By queries, as Freehold does.
        case flexible
        /// By the value of a field. Freehold doesn't; what the project says of it is kept.
        case partition(BSONDocument)
    }

    public var mode: Mode
    /// `enabled`, `disabled`, or empty.
    public var state: String
    public var isDevelopmentModeEnabled: Bool
    /// The data source whose collections sync.
    public var dataSource: String?
    /// Where development mode puts new classes.
    public var database: String?
    /// How long a device can stay away without starting anew. Freehold decides by its horizon.
    public var clientMaxOfflineDays: Int?
    public var isRecoveryModeDisabled: Bool
    /// Freehold's queries may name any field; kept.
    public var queryableFields: [String]
    /// Other settings, such as `last_disabled`; kept, and never asked.
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
    /// `clusterName`, `readPreference`, …; kept, and never asked.
    public var config: BSONDocument
    /// Other settings; kept, and never asked.
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
        /// The value is a secret, which no export has: this is the secret's name.
        case secret(String)
    }

    public var name: String
    public var content: Content
    /// The value's `id`, and others; kept, and never asked.
    public var others: BSONDocument

    public init(_ name: String, _ content: Content, others: BSONDocument = [:]) {
        self.name = name
        self.content = content
        self.others = others
    }
}

/// A way to log in.
public struct AuthenticationProvider: Hashable, Sendable {
    public var name: String
    /// `anon-user`, `local-userpass`, `api-key`, `custom-token`, `custom-function`, `oauth2-google`, …
    public var type: String
    public var isDisabled: Bool
    public var config: BSONDocument
    /// Names of secrets, which no export has.
    public var secretConfig: BSONDocument
    public var metadataFields: [MetadataField]
    public var redirectURIs: [String]
    /// Other settings; kept, and never asked.
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

    /// Something of a user that the provider tells: `%%user.data.NAME`.
    public struct MetadataField: Hashable, Sendable {
        /// Where it stands in what the provider tells, with dots; a dot in a name is written `\.`.
        public var path: String
        public var isRequired: Bool
        /// How the user's data call it; nil for the last name of the path.
        public var fieldName: String?

        public init(_ path: String, isRequired: Bool = false, fieldName: String? = nil) {
            self.path = path
            self.isRequired = isRequired
            self.fieldName = fieldName
        }
    }
}

extension AuthenticationProvider {
    /// Whether a user who registers needs nobody's confirmation. Of `local-userpass`.
    public var confirmsAutomatically: Bool { config["autoConfirm"]?.boolValue ?? false }

    /// What a token's `aud` must have in it. Of `custom-token`.
    public var audiences: [String] {
        switch config["audience"] {
        case .string(let audience)? where !audience.isEmpty: [audience]
        case .array(let audiences)?: audiences.compactMap(\.stringValue)
        default: []
        }
    }

    /// `HS256` or `RS256`. Of `custom-token`.
    public var signingAlgorithm: String? { config["signingAlgorithm"]?.stringValue }

    /// Where the issuer publishes its keys. Of `custom-token`; nil if keys are given as secrets.
    public var keySetAddress: String? {
        config["useJWKURI"]?.boolValue == true ? config["jwkURI"]?.stringValue : nil
    }
}

/// Which documents hold what an app knows of its users: `%%user.custom_data`.
public struct CustomUserDataSettings: Hashable, Sendable {
    public var isEnabled: Bool
    public var dataSource: String?
    public var database: String?
    public var collection: String?
    /// The field that holds the user's id.
    public var userIdField: String?
    /// Other settings; kept, and never asked.
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
