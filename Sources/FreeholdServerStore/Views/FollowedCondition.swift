internal import FreeholdEngine
internal import FreeholdSyncCore

/// A condition of a view on the columns of one schema.
struct FollowedCondition {
    /// How it is kept up.
    enum Way {
        /// The objects whose column has one of these values, and no others: found by hash.
        case equal(Column, Set<ColumnValue>)
        /// Those of them that fulfil the rest, too.
        case among(Column, Set<ColumnValue>)
        /// Whether an object fulfils it depends on its row only: each row that changes is looked at.
        case ofRow
        /// Through links: the engine follows the query.
        case followed
    }

    let table: ClassTable
    let query: FreeholdEngine.RowQuery
    let way: Way

    /// Nil if the class has no table yet: then no object fulfils it.
    ///
    /// - Throws: `ConditionError`
    init?(_ written: ClassQuery, _ tables: StoreTables, _ view: DataView) throws(ConditionError) {
        let parsed: WrittenQuery
        do throws(FreeholdEngine.QueryError) { parsed = try QueryParser.parse(written.condition.string) } catch {
            throw ConditionError(error, written)
        }
        guard parsed.stages.isEmpty else {
            throw ConditionError(position: 0, text: "A view has no order and no limit.")
        }
        guard let table = tables.table(of: written.className), let state = table.state else { return nil }
        let compiler = QueryCompiler(StoredNames(view), table.table)
        let predicate: Predicate
        do throws(FreeholdEngine.QueryError) { predicate = try compiler.compile(parsed).predicate } catch {
            throw ConditionError(error, written)
        }
        self.table = table
        way = Self.way(of: predicate)
        // Objects that were only taken in are in no view.
        let isObject = Predicate.comparison(PropertyPath(state.version), .notEqual, .null)
        query = FreeholdEngine.RowQuery(table: table.table, predicate: .and([predicate, isObject]))
    }

    func contains(_ row: ObjectKey, in view: DataView) -> Bool {
        view.contains(table.table, row) && query.matches(row, in: view)
    }

    // MARK: Ways

    private static func way(of predicate: Predicate) -> Way {
        guard predicate.isOfRow else { return .followed }
        if let (column, values) = predicate.equality { return .equal(column, values) }
        if case .and(let all) = predicate {
            for part in all { if let (column, values) = part.equality { return .among(column, values) } }
        }
        return .ofRow
    }
}

/// A value that is found by hash.
struct ColumnValue: Hashable {
    let value: Value

    /// Nil where equal values could differ in their bytes.
    init?(_ value: Value, _ column: Column) {
        guard column.collection == .none else { return nil }
        switch (value, column.type) {
        case (.null, .int), (.null, .string), (.null, .bool), (.null, .objectId), (.null, .uuid), (.null, .timestamp):
            break
        case (.int, .int), (.string, .string), (.bool, .bool), (.objectId, .objectId), (.uuid, .uuid),
            (.timestamp, .timestamp):
            break
        default: return nil
        }
        self.value = value
    }
}

extension Predicate {
    /// Whether it reads nothing but columns of the row itself.
    fileprivate var isOfRow: Bool {
        switch self {
        case .constant: true
        case .comparison(let path, _, _), .between(let path, _, _, _), .oneOf(let path, _), .text(let path, _, _, _),
            .elements(let path, _, _), .fullText(let path, _):
            path.steps.isEmpty && path.column != nil
        case .and(let all), .or(let all): all.allSatisfy(\.isOfRow)
        case .not(let inner): inner.isOfRow
        case .operands, .texts, .within, .objects: false
        }
    }

    fileprivate var equality: (Column, Set<ColumnValue>)? {
        let (path, values): (PropertyPath, [Value])
        switch self {
        case .comparison(let own, .equal, let value): (path, values) = (own, [value])
        case .oneOf(let own, let all): (path, values) = (own, all)
        default: return nil
        }
        guard path.steps.isEmpty, path.subscripts.isEmpty, let column = path.column else { return nil }
        let found = values.compactMap { ColumnValue($0, column) }
        return found.count == values.count ? (column, Set(found)) : nil
    }
}

extension ConditionError {
    fileprivate init(_ error: FreeholdEngine.QueryError, _ written: ClassQuery) {
        // The engine counts characters.
        let text = written.condition.string
        let end = text.index(text.startIndex, offsetBy: error.position ?? 0, limitedBy: text.endIndex) ?? text.endIndex
        self.init(position: UInt64(text.utf8.distance(from: text.startIndex, to: end)), text: SyncString(error.message))
    }
}
