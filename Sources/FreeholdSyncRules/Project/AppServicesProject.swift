public import FreeholdBSON
public import FreeholdEngine

/// An app as App Services' command line exports it: a folder of JSON files (`appservices pull`, `realm-cli pull`, `realm-cli export`).
///
/// ```swift
/// let project = try AppServicesProject.read("backend")
/// let tables = try project.tables()
/// for part in project.unsupported { print(part) }
/// ```
///
/// What Freehold has no use for (functions, triggers, hosting, …), and what it can't take over as it stands, is listed in
/// ``unsupported``: nothing is left out silently. A rule that can't be understood gives no right, and closes the class for those to
/// whom it may apply.
public struct AppServicesProject: Hashable, Sendable {
    /// The app's name.
    public var name: String
    public var ids: ProjectIds
    /// How the folder was laid out. Older layouts than that of 2021 are written as the newest.
    public var layout: ProjectLayout
    /// The selected environment; empty for none.
    public var environment: String
    /// The values of each environment, by its name; the empty name is for none.
    public var environments: [String: BSONDocument]
    /// Where browsers' requests may come from.
    public var allowedRequestOrigins: [String]
    /// Other settings of the app, such as `deployment_model` and `location`; kept, and never asked.
    public var settings: BSONDocument
    /// Nil if the app didn't sync.
    public var sync: SyncSettings?
    public var dataSources: [DataSource]
    /// The synced classes. Titles are the classes' names, and the references of links end in one.
    public var schemas: [SchemaDocument]
    /// Those of the classes that devices only send.
    public var asymmetricClasses: Set<String>
    /// By names of classes.
    public var rules: RuleSet
    /// Which collection keeps a class. A class that isn't here is kept in a collection of its own name.
    public var collections: [String: CollectionPlace]
    public var values: [ProjectValue]
    public var providers: [AuthenticationProvider]
    /// Nil if nothing is said of it.
    public var customUserData: CustomUserDataSettings?
    /// What wasn't taken over, or not as it stood. It isn't written.
    public var unsupported: [UnsupportedPart]

    public init(
        _ name: String,
        schemas: [SchemaDocument] = [],
        rules: RuleSet = RuleSet(),
        sync: SyncSettings? = SyncSettings()
    ) {
        self.name = name
        self.schemas = schemas
        self.rules = rules
        self.sync = sync
        ids = ProjectIds()
        layout = .v20230101
        environment = ""
        environments = [:]
        allowedRequestOrigins = []
        settings = [:]
        dataSources = []
        asymmetricClasses = []
        collections = [:]
        values = []
        providers = []
        customUserData = nil
        unsupported = []
    }

    /// Whether the server adopts classes and properties from devices.
    public var isDevelopmentModeEnabled: Bool { sync?.isDevelopmentModeEnabled ?? false }

    /// The synced classes, with the asymmetric ones marked; embedded classes at the end.
    ///
    /// - Throws: `RuleError` for schemas that were set and that can't be synced. Those of a project that was read can.
    /// - Complexity: O(size of the schemas).
    public func tables(limits: RuleLimits = RuleLimits()) throws(RuleError) -> [TableSpec] {
        try SchemaDocument.tables(of: schemas, limits: limits).map { table in
            var table = table
            table.isAsymmetric = asymmetricClasses.contains(table.name)
            return table
        }
    }

    /// What `%%values` stands for in rules.
    ///
    /// - Parameter secrets: the secrets by their names. A value that stands for a secret which isn't among them is left out, so that
    ///   expressions which ask for it give no right.
    public func ruleValues(secrets: [String: String] = [:]) -> BSONDocument {
        var document = BSONDocument()
        for value in values {
            switch value.content {
            case .plain(let plain): document[value.name] = plain
            case .secret(let name): document[value.name] = secrets[name].map { .string($0) }
            }
        }
        return document
    }

    /// What `%%environment` stands for in rules: `tag` and `values`.
    public var ruleEnvironment: BSONDocument {
        ["tag": .string(environment), "values": .document(environments[environment] ?? [:])]
    }
}

/// How a folder is laid out: the `config_version` of its files.
public enum ProjectLayout: Int, Hashable, Sendable, CaseIterable {
    /// `stitch.json`, `services/`, `auth_providers/`.
    case v20180301 = 2018_0301
    /// `config.json`, `services/`, `auth_providers/`.
    case v20200603 = 2020_0603
    /// `realm_config.json`, `data_sources/`, `auth/`, `sync/`.
    case v20210101 = 2021_0101
    /// `root_config.json`, `data_sources/`, `auth/`, `sync/`, and identifiers in `.mdb/meta.json`.
    case v20230101 = 2023_0101
}

/// Under which identifiers App Services knew an app.
public struct ProjectIds: Hashable, Sendable {
    /// What devices name the app by: `notes-abcde`.
    public var clientApp: String?
    public var app: String?
    public var group: String?

    public init(clientApp: String? = nil, app: String? = nil, group: String? = nil) {
        self.clientApp = clientApp
        self.app = app
        self.group = group
    }
}

/// Where App Services kept the documents of a class.
public struct CollectionPlace: Hashable, Sendable {
    public var dataSource: String
    public var database: String
    public var collection: String

    public init(dataSource: String, database: String, collection: String) {
        self.dataSource = dataSource
        self.database = database
        self.collection = collection
    }
}

/// Something of a project that isn't taken over, or not as it stands.
public struct UnsupportedPart: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Freehold has nothing that it could become, and the rest doesn't need it.
        case ignored
        /// It became something else.
        case changed
        /// A class, a role or a link that the project has and the result lacks. Rights are less for it, never more.
        case leftOut
        /// Something that a person has to do, so that the app works as before.
        case needed
    }

    public let kind: Kind
    /// The file or folder, from the project's folder on.
    public let file: String
    /// The keys that lead to the place in the file.
    public let path: [String]
    /// What it is, what becomes of it, and what can be done, in a sentence or two.
    public let reason: String

    public init(_ kind: Kind, _ file: String, _ path: [String], _ reason: String) {
        self.kind = kind
        self.file = file
        self.path = path
        self.reason = reason
    }
}

extension UnsupportedPart: CustomStringConvertible {
    /// A line for a person.
    public var description: String { ProjectError(file, path, reason).description }
}
