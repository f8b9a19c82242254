public import FreeholdBSON
public import FreeholdEngine
public import FreeholdSyncRules

/// The documents of an app: its classes, and the rights to read and write them.
///
/// ``push(_:asymmetric:as:_:)``, ``replace(_:asymmetric:_:)`` and ``remove(className:)`` change the classes.
public struct AppDocuments: Hashable, Sendable {
    /// A document for each class of the newest version, in the format of App Services.
    public private(set) var schemas: [SchemaDocument]
    /// The asymmetric classes, whose objects are only sent.
    public private(set) var asymmetric: Set<String>
    /// All versions. `nil` if the schemas are the only version, and everything is stored under its own name.
    private(set) var allVersions: SchemaVersions?
    /// The rules, in the names of the newest version. `nil` if the app's access alone decides. With rules, they alone
    /// give rights to read and write.
    public var rules: RuleSet?
    /// The values of `%%values` and `%%environment` in rules.
    public var values: BSONDocument
    public var environment: BSONDocument
    /// A Boolean value that indicates whether new classes and properties of clients are adopted (development mode).
    /// Otherwise they are refused by name.
    public var adoptsSchemas: Bool
    /// The destinations of the objects of asymmetric classes, at most one for each class.
    public var sinks: [SinkSettings]
    /// The HTTP addresses that answer requests of users, at most one for each purpose.
    public var hooks: [HookSettings] = []
    /// The settings by which id tokens are checked, at most one for each provider.
    public var providers: [ProviderSettings] = []
    /// The state of the app's import from another server. `nil` if the app wasn't imported.
    public var transfer: AppTransfer?
    /// The settings for reading the documents with SQL, or `nil` if SQL is disabled.
    public var sql: SQLSettings?
    /// The parts of an imported App Services project that the server doesn't use. They are stored for an export.
    var project: BSONDocument = [:]

    /// - Parameters:
    ///   - schemas: The classes of the newest version.
    ///   - versions: All versions. `nil` if the schemas are the only version.
    public init(
        schemas: [SchemaDocument] = [],
        asymmetric: Set<String> = [],
        versions: SchemaVersions? = nil,
        rules: RuleSet? = nil,
        values: BSONDocument = [:],
        environment: BSONDocument = [:],
        adoptsSchemas: Bool = false,
        sinks: [SinkSettings] = []
    ) {
        (self.schemas, self.asymmetric, allVersions) = (schemas, asymmetric, versions)
        (self.rules, self.values, self.environment) = (rules, values, environment)
        self.adoptsSchemas = adoptsSchemas
        self.sinks = sinks
    }

    /// Returns the classes of the newest version.
    ///
    /// - Throws: `RuleError` if the documents aren't valid schemas, or don't fit each other.
    public func tables() throws -> [TableSpec] {
        if let allVersions { return allVersions.newest.tables }
        let tables = try Self.tables(schemas, asymmetric)
        try SchemaCheck.check(tables)
        return tables
    }

    /// Returns the served versions of the schema. There is at least one, which may have no class.
    ///
    /// - Throws: `RuleError` if the documents aren't valid schemas, or don't fit each other.
    public func versions() throws -> SchemaVersions { try allVersions ?? SchemaVersions(tables()) }

    /// Returns the rules in stored names.
    ///
    /// - Throws: `RuleError`
    public func storedRules() throws -> RuleSet? {
        try rules.map { try stored($0) }
    }

    /// Returns other rules in stored names.
    ///
    /// - Throws: `RuleError`
    func stored(_ rules: RuleSet) throws -> RuleSet { try allVersions.map { try rules.mapped(to: $0) } ?? rules }

    /// Returns the parts of the rules that don't fit the schema, with stored names of classes.
    ///
    /// - Throws: `RuleError`
    public func ruleProblems() throws -> [RuleProblem] {
        try storedRules()?.problems(schema: RuleSchema(try versions().storage)) ?? []
    }

    private static func tables(_ schemas: [SchemaDocument], _ asymmetric: Set<String>) throws -> [TableSpec] {
        try SchemaDocument.tables(of: schemas).map { table in
            var table = table
            table.isAsymmetric = asymmetric.contains(table.name)
            return table
        }
    }
}

// MARK: - Changes of classes

extension AppDocuments {
    /// Pushes classes.
    ///
    /// - Parameters:
    ///   - number: The number of the version. With `nil` or the number of the newest version, that version is extended
    ///     by classes and properties. Other classes are kept. A greater number adds a version with exactly
    ///     these classes. Apps of earlier versions continue with their own classes. The version with an app's first
    ///     classes serves all apps, regardless of its number.
    ///   - transition: The changed names, and the values that apps are shown in the place of missing ones.
    /// - Returns: The effects on apps.
    /// - Throws: `SchemaPushError` with everything that old and new apps can't share, and `RuleError` for invalid
    ///   schemas. Then nothing is changed.
    @discardableResult
    public mutating func push(
        _ documents: [SchemaDocument],
        asymmetric: Set<String> = [],
        as number: UInt64? = nil,
        _ transition: SchemaTransition = SchemaTransition()
    ) throws -> [VersionStep] {
        let versions = try versions()
        let number = number ?? versions.newest.number
        let isNew = number != versions.newest.number
        let (new, sent) = isNew ? (documents, asymmetric) : merged(documents, asymmetric)
        let push = try versions.pushing(Self.tables(new, sent), as: number, transition)
        // No app can have used a version without classes.
        let isFirst = isNew && versions.versions.count == 1 && versions.newest.tables.isEmpty
        let all = isFirst ? try SchemaVersions(push.versions.newest.tables, number: number) : push.versions
        take(all, new, sent)
        return push.steps
    }

    /// Replaces classes of the newest version by classes with the same names. Apps of the newest version with different
    /// classes are refused from then on. Data of other versions stays stored.
    ///
    /// - Throws: `SchemaPushError` and `RuleError`. Then nothing is changed.
    @discardableResult
    public mutating func replace(
        _ documents: [SchemaDocument],
        asymmetric: Set<String> = [],
        _ transition: SchemaTransition = SchemaTransition()
    ) throws -> [VersionStep] {
        let (new, sent) = merged(documents, asymmetric, without: Set(transition.classes.keys))
        let push = try versions().replacingNewest(with: Self.tables(new, sent), transition)
        take(push.versions, new, sent)
        return push.steps
    }

    /// Removes a class from the newest version. The documents of the class are kept.
    ///
    /// - Returns: A Boolean value that indicates whether the class existed.
    /// - Throws: `SchemaPushError` if other classes link to it, and `RuleError`. Then nothing is changed.
    public mutating func remove(className: String) throws -> Bool {
        guard schemas.contains(where: { $0.className == className }) else { return false }
        let (new, sent) = (schemas.filter { $0.className != className }, asymmetric.subtracting([className]))
        take(try versions().replacingNewest(with: Self.tables(new, sent)).versions, new, sent)
        return true
    }

    /// Adopts versions that contain classes of clients.
    ///
    /// - Throws: `RuleError`
    mutating func adopt(_ versions: SchemaVersions) throws {
        let tables = versions.newest.tables
        let new = try SchemaDocument.documents(of: tables)
        take(versions, new, Set(tables.filter(\.isAsymmetric).map(\.name)))
    }

    /// Returns the documents of the newest version after a push. Classes that aren't in the push are kept.
    private func merged(
        _ documents: [SchemaDocument],
        _ sent: Set<String>,
        without gone: Set<String> = []
    ) -> ([SchemaDocument], Set<String>) {
        let names = Set(documents.map(\.className)).union(gone)
        let all = schemas.filter { !names.contains($0.className) } + documents
        return (all.sorted { $0.className < $1.className }, asymmetric.subtracting(names).union(sent))
    }

    private mutating func take(_ versions: SchemaVersions, _ documents: [SchemaDocument], _ sent: Set<String>) {
        (schemas, asymmetric) = (documents, sent)
        allVersions = versions.isPlain ? nil : versions
    }
}
