import FreeholdEngine

/// A query of the page as it was sent. It is compiled again when the schema changes.
struct TableQuery: Sendable {
    /// The origin of the objects.
    enum Origin: Sendable {
        case table
        /// The objects in a collection of links of an object.
        case collection(class: String, key: ObjectKey, property: String)
    }

    var className: String
    var origin = Origin.table
    /// The condition and its stages in the query language, or an empty text for all objects.
    var text = ""
    var arguments: [StudioJSON] = []
    var sort: [(path: String, isAscending: Bool)] = []
    /// The names of the shown properties, or `nil` for all.
    var columns: [String]?

    /// A query with the columns of a schema.
    struct Compiled {
        let table: Table
        let query: RowQuery
        let origin: ObservedQuery.Origin
        let columns: [Column]
        /// A Boolean value that indicates whether the objects are all objects of the table in their order.
        let isWhole: Bool
    }

    /// - Parameter uses: Receives the indexes that the query uses when it runs.
    /// - Throws: `StudioError` with the code `query` or `notFound`.
    func compiled(in view: DataView, _ facts: SchemaFacts, _ uses: IndexUses? = nil) throws -> Compiled {
        var table: Table
        var origin = ObservedQuery.Origin.table
        switch self.origin {
        case .table: table = try facts.table(className)
        case .collection(let owner, let key, let property):
            let column = try facts.column(property, of: try facts.table(owner))
            guard column.type == .link, column.collection == .list || column.collection == .set,
                let target = column.targetTableID.flatMap({ view.schema.table(id: $0) })
            else { throw StudioError(.invalid, "'\(property)' isn't a list or set of links.") }
            table = target
            origin = .collection(column, key)
        }
        var stages: [Stage] = []
        if !text.allSatisfy(\.isWhitespace) {
            let reader = ValueReader(view: view, facts: facts)
            stages = try RowQuery(text, try arguments.map { try reader.typed($0) }, of: table, in: view).stages
        }
        if !sort.isEmpty { stages.append(.sort(try sortKeys(table, view))) }
        let isWhole = self.origin.isTable && stages.allSatisfy(\.isTrivial)
        var query = RowQuery(table: table, source: .table, stages: isWhole ? [] : stages)
        query.uses = uses
        let shown = try columns?.map { try facts.column($0, of: table) } ?? table.columns
        return Compiled(table: table, query: query, origin: origin, columns: shown, isWhole: isWhole)
    }

    private func sortKeys(_ table: Table, _ view: DataView) throws -> [SortKey] {
        let compiler = QueryCompiler(StoredNames(view), table)
        return try sort.map { key in
            let isName = table.column(named: key.path) != nil
            let path = isName ? NamedPath([.name(key.path)]) : try NamedPath(keyPath: key.path)
            return SortKey(try compiler.orderedPath(path, "sorted"), ascending: key.isAscending)
        }
    }
}

extension TableQuery.Origin {
    fileprivate var isTable: Bool { if case .table = self { true } else { false } }
}

extension Stage {
    /// A Boolean value that indicates whether the stage keeps all objects in their order.
    fileprivate var isTrivial: Bool {
        guard case .filter(let predicate) = self else { return false }
        return predicate.isTrivial
    }
}

extension Predicate {
    fileprivate var isTrivial: Bool {
        switch self {
        case .constant(true): true
        case .and(let all): all.allSatisfy(\.isTrivial)
        default: false
        }
    }
}
