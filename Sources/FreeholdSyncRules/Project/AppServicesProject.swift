public import FreeholdBSON
public import FreeholdEngine

/// An app in the form in which App Services' command line exports it: a folder of JSON files (`appservices pull`,
/// `realm-cli pull`, `realm-cli export`).
///
/// ```swift
/// let project = try AppServicesProject.read("backend")
/// let tables = try project.tables()
/// for part in project.unsupported { print(part) }
/// ```
///
/// ``unsupported`` lists the parts that Freehold doesn't use (functions, triggers, hosting, …), and the parts that it
/// can't import without a change. Nothing is left out silently. A rule that can't be parsed gives no rights, and the
/// users to whom it may apply have no rights on the class.
public struct AppServicesProject: Hashable, Sendable {
    /// The name of the app.
    public var name: String
    public var ids: ProjectIds
    /// The layout of the folder. Layouts before that of 2021 are written as the newest layout.
    public var layout: ProjectLayout
    /// The name of the selected environment. Empty if no environment is selected.
    public var environment: String
    /// The values of each environment, by its name. The empty name stands for no environment.
    public var environments: [String: BSONDocument]
    /// The origins from which browsers may send requests.
    public var allowedRequestOrigins: [String]
    /// Other settings of the app, such as `deployment_model` and `location`. They are stored and have no effect.
    public var settings: BSONDocument
    /// The settings of sync. `nil` if the app didn't sync.
    public var sync: SyncSettings?
    public var dataSources: [DataSource]
    /// The synced classes. The titles are the names of the classes, and the reference of a link ends with such a name.
    public var schemas: [SchemaDocument]
    /// The asymmetric classes among the synced classes. Devices only send their objects.
    public var asymmetricClasses: Set<String>
    /// The rules, by names of classes.
    public var rules: RuleSet
    /// The collections of the classes. A class that is missing here has a collection with its own name.
    public var collections: [String: CollectionPlace]
    public var values: [ProjectValue]
    public var providers: [AuthenticationProvider]
    /// The settings of custom user data. `nil` if nothing is specified.
    public var customUserData: CustomUserDataSettings?
    /// The parts that weren't imported, or were imported with a change. They aren't written.
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

    /// A Boolean value that indicates whether the server adopts classes and properties from devices.
    public var isDevelopmentModeEnabled: Bool { sync?.isDevelopmentModeEnabled ?? false }

    /// Returns the synced classes, with the asymmetric ones marked. Embedded classes are at the end.
    ///
    /// - Throws: `RuleError` if schemas that the program has set can't be synced. The schemas of a project that was
    ///   read can always be synced.
    /// - Complexity: O(size of the schemas)
    public func tables(limits: RuleLimits = RuleLimits()) throws(RuleError) -> [TableSpec] {
        try SchemaDocument.tables(of: schemas, limits: limits).map { table in
            var table = table
            table.isAsymmetric = asymmetricClasses.contains(table.name)
            return table
        }
    }

    /// Returns the value of `%%values` in rules.
    ///
    /// - Parameter secrets: The secrets, by their names. A value whose secret is missing here is left out, so that
    ///   expressions that use it give no rights.
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

    /// The value of `%%environment` in rules: `tag` and `values`.
    public var ruleEnvironment: BSONDocument {
        ["tag": .string(environment), "values": .document(environments[environment] ?? [:])]
    }
}

/// The layout of a folder: the `config_version` of its files.
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

/// The identifiers of an app in App Services.
public struct ProjectIds: Hashable, Sendable {
    /// The identifier with which devices name the app: `notes-abcde`.
    public var clientApp: String?
    public var app: String?
    public var group: String?

    public init(clientApp: String? = nil, app: String? = nil, group: String? = nil) {
        self.clientApp = clientApp
        self.app = app
        self.group = group
    }
}

/// The collection in which App Services kept the documents of a class.
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

/// A part of a project that isn't imported, or is imported with a change.
public struct UnsupportedPart: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The part has no equivalent in Freehold, and the other parts don't need it.
        case ignored
        /// The part was converted.
        case changed
        /// A class, a role or a link of the project that is missing in the result. It can only reduce rights.
        case leftOut
        /// An action that a person has to take, so that the app works as before.
        case needed
    }

    public let kind: Kind
    /// The file or folder, relative to the project's folder.
    public let file: String
    /// The keys that lead to the place in the file.
    public let path: [String]
    /// A description of the part, of its conversion and of possible actions, in one or two sentences.
    public let reason: String

    public init(_ kind: Kind, _ file: String, _ path: [String], _ reason: String) {
        self.kind = kind
        self.file = file
        self.path = path
        self.reason = reason
    }
}

extension UnsupportedPart: CustomStringConvertible {
    /// A line of text for a person.
    public var description: String { ProjectError(file, path, reason).description }
}
