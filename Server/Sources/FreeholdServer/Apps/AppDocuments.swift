public import FreeholdBSON
public import FreeholdEngine
public import FreeholdSyncRules

/// What an administrator says of an app's documents: its classes, and who may see and write what.
///
/// Classes change by ``push(_:asymmetric:as:_:)``, ``replace(_:asymmetric:_:)`` and ``remove(className:)``.
public struct AppDocuments: Hashable, Sendable {
    /// A document a class of the newest version, as App Services has them.
    public private(set) var schemas: [SchemaDocument]
    /// Classes whose objects are only sent.
    public private(set) var asymmetric: Set<String>
    /// All versions. Nil: the schemas are the only one, and everything is stored under its own name.
    private(set) var allVersions: SchemaVersions?
    /// Nil: the app's access says it all. With rules nobody reads or writes but by them. They are in the newest version's names.
    public var rules: RuleSet?
    /// What `%%values` and `%%environment` stand for in rules.
    public var values: BSONDocument
    public var environment: BSONDocument
    /// Takes clients' new classes and properties over (development mode). Else they are refused by name.
    public var adoptsSchemas: Bool
    /// Where objects of asymmetric classes are handed on, one a class.
    public var sinks: [SinkSettings]
    /// What an imported App Services project says of what the server has no use for: kept for its export.
    var project: BSONDocument = [:]

    /// - Parameters:
    ///   - schemas: of the newest version.
    ///   - versions: all of them. Nil: the schemas are the only one.
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

    /// The classes of the newest version.
    ///
    /// - Throws: `RuleError` if the documents aren't schemas, or don't fit each other.
    public func tables() throws -> [TableSpec] {
        if let allVersions { return allVersions.newest.tables }
        let tables = try Self.tables(schemas, asymmetric)
        try SchemaCheck.check(tables)
        return tables
    }

    /// The versions of the schema that are served; one at least, which may have no class.
    ///
    /// - Throws: `RuleError` if the documents aren't schemas, or don't fit each other.
    public func versions() throws -> SchemaVersions { try allVersions ?? SchemaVersions(tables()) }

    /// The rules as they are asked: in stored names.
    ///
    /// - Throws: `RuleError`
    public func storedRules() throws -> RuleSet? {
        guard let rules, let allVersions else { return rules }
        return try rules.mapped(to: allVersions)
    }

    /// What of the rules doesn't fit the schema. Classes are under their stored names.
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
    /// Takes classes over.
    ///
    /// - Parameters:
    ///   - number: of the version. Nil, or that of the newest one: this one grows, by classes and properties only; classes that aren't named
    ///     stay. A greater one: a new version, of these classes and no others. Apps of the versions before go on with theirs. The number of
    ///     an app's first classes serves all apps.
    ///   - transition: what became of names, and what is shown where nothing is stored.
    /// - Returns: what it means for apps.
    /// - Throws: `SchemaPushError` with all that old and new apps can't share; `RuleError` for what is no schema. Then nothing is changed.
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
        // There is no app that could have had an empty version.
        let isFirst = isNew && versions.versions.count == 1 && versions.newest.tables.isEmpty
        let all = isFirst ? try SchemaVersions(push.versions.newest.tables, number: number) : push.versions
        take(all, new, sent)
        return push.steps
    }

    /// Takes classes over in place of the newest version's of the same names, whatever becomes of its apps: those that have something else are
    /// refused from now on. What is stored of other versions' stays.
    ///
    /// - Throws: `SchemaPushError`, `RuleError`; then nothing is changed.
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

    /// Takes a class out of the newest version. Its documents stay.
    ///
    /// - Returns: whether there was one.
    /// - Throws: `SchemaPushError` if others lead to it, `RuleError`; then nothing is changed.
    public mutating func remove(className: String) throws -> Bool {
        guard schemas.contains(where: { $0.className == className }) else { return false }
        let (new, sent) = (schemas.filter { $0.className != className }, asymmetric.subtracting([className]))
        take(try versions().replacingNewest(with: Self.tables(new, sent)).versions, new, sent)
        return true
    }

    /// Takes versions over in which clients' classes are.
    ///
    /// - Throws: `RuleError`
    mutating func adopt(_ versions: SchemaVersions) throws {
        let tables = versions.newest.tables
        let new = try SchemaDocument.documents(of: tables)
        take(versions, new, Set(tables.filter(\.isAsymmetric).map(\.name)))
    }

    /// What a push makes of the newest version's documents. Classes that aren't named stay.
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
