public import FreeholdBSON
public import FreeholdEngine
public import FreeholdSyncRules

/// What an administrator says of an app's documents: its classes, and who may see and write what.
public struct AppDocuments: Hashable, Sendable {
    /// A document a class, as App Services has them.
    public var schemas: [SchemaDocument]
    /// Classes whose objects are only sent.
    public var asymmetric: Set<String>
    /// Nil: the app's access says it all. With rules nobody reads or writes but by them.
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

    public init(
        schemas: [SchemaDocument] = [],
        asymmetric: Set<String> = [],
        rules: RuleSet? = nil,
        values: BSONDocument = [:],
        environment: BSONDocument = [:],
        adoptsSchemas: Bool = false,
        sinks: [SinkSettings] = []
    ) {
        (self.schemas, self.asymmetric, self.rules) = (schemas, asymmetric, rules)
        (self.values, self.environment, self.adoptsSchemas) = (values, environment, adoptsSchemas)
        self.sinks = sinks
    }

    /// - Throws: `RuleError` if the documents aren't schemas, or don't fit each other.
    public func tables() throws -> [TableSpec] {
        let tables = try SchemaDocument.tables(of: schemas).map { table in
            var table = table
            table.isAsymmetric = asymmetric.contains(table.name)
            return table
        }
        try SchemaCheck.check(tables)
        return tables
    }

    /// Takes classes over that were made of clients' documents.
    ///
    /// - Throws: `RuleError`
    mutating func setTables(_ tables: [TableSpec]) throws {
        schemas = try SchemaDocument.documents(of: tables)
        asymmetric = Set(tables.filter(\.isAsymmetric).map(\.name))
    }
}
