internal import FreeholdEngine
internal import FreeholdSyncCore

/// A condition of a view, compiled for the columns of one schema.
struct FollowedCondition {
    /// The way in which the members of a condition are updated.
    enum Way {
        /// The members are exactly the objects whose column has one of these values. They are found by hash.
        case equal(Column, Set<ColumnValue>)
        /// The members are among the objects whose column has one of these values.
        case among(Column, Set<ColumnValue>)
        /// The membership of an object only depends on its row. Each changed row is tested.
        case ofRow
        /// The condition leads through links. The engine follows the query.
        case followed
    }

    let table: ClassTable
    let query: FreeholdEngine.RowQuery
    let way: Way

    /// Returns `nil` if the class has no table yet. Then no object fulfils the condition.
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
        // Objects of asymmetric classes aren't in any view.
        let isObject = Predicate.comparison(PropertyPath(state.version), .notEqual, .null)
        query = FreeholdEngine.RowQuery(table: table.table, predicate: .and([predicate, isObject]))
    }

    func contains(_ row: ObjectKey, in view: DataView) -> Bool {
        view.contains(table.table, row) && query.matches(row, in: view)
    }

    // MARK: Update methods

    private static func way(of predicate: Predicate) -> Way {
        guard predicate.isOfRow else { return .followed }
        if let (column, values) = predicate.equality { return .equal(column, values) }
        if case .and(let all) = predicate {
            for part in all { if let (column, values) = part.equality { return .among(column, values) } }
        }
        return .ofRow
    }
}

/// A value that can be found by hash.
struct ColumnValue: Hashable {
    let value: Value

    /// Returns `nil` if equal values can have different bytes.
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
    /// A Boolean value that indicates whether the predicate only reads columns of the row itself.
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
        // The engine counts positions in characters.
        let text = written.condition.string
        let end = text.index(text.startIndex, offsetBy: error.position ?? 0, limitedBy: text.endIndex) ?? text.endIndex
        self.init(position: UInt64(text.utf8.distance(from: text.startIndex, to: end)), text: SyncString(error.message))
    }
}
