import FreeholdBSON
public import FreeholdServerStore
import FreeholdSyncRules

/// The settings of an app whose documents can be read with SQL.
public struct SQLSettings: Hashable, Sendable {
    /// The options of the views, or `nil` if the app has no views.
    public var views: SQLViewOptions?

    public init(views: SQLViewOptions? = nil) { self.views = views }

    init(_ document: BSONDocument) {
        guard case .document(let views)? = document["views"] else { return }
        var options = SQLViewOptions(isWritable: views["writable"] == true)
        if case .array(let names)? = views["indexes"] { options.indexes = Set(names.compactMap(\.stringValue)) }
        self.views = options
    }

    var document: BSONDocument {
        guard let views else { return ["json": true] }
        let indexes = views.indexes.sorted().map { BSONValue.string($0) }
        return ["json": true, "views": .document(["writable": .bool(views.isWritable), "indexes": .array(indexes)])]
    }
}

extension AppDocuments {
    /// Returns the classes of the newest version with their stored names.
    ///
    /// - Throws: `RuleError`
    public func sqlSchema() throws -> SQLSchema { SQLSchema(try versions()) }
}

extension SQLSchema {
    init(_ versions: SchemaVersions) {
        let newest = versions.newest
        self.init(newest.tables) { className, property in
            guard let property else { return newest.classes[className] ?? className }
            return newest.properties[className]?[property] ?? property
        }
    }
}
