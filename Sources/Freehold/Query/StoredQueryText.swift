package import Foundation
import FreeholdEngine

/// The text of conditions with the names in the file, for a server. It refers to the class's table, and contains the
/// values of all arguments.
struct StoredQueryText {
    /// - Throws: `QueryError` if a condition can't be written as such a text.
    static func of(_ condition: Condition, _ table: ManagedTable) throws(QueryError) -> String {
        // Conditions that don't fit the class are refused here, with the names in the program.
        _ = try QueryCompiler(table).stages([.filter(condition)])
        var failure: QueryError?
        let stored = try Self().stored(condition, with: [], in: table)
        let text = QueryPrinter.text(stored, spelled: MemberValues.spelled) { argument in
            guard let constant = Self.constant(argument, table.core) else {
                failure = failure ?? QueryError(.argument, "\(PlainValue.describe(argument)) has no text in a query.")
                return nil
            }
            return constant
        }
        if let failure { throw failure }
        return text
    }

    /// Returns the constant of an argument. Objects are given by their primary keys, which are the same in every file.
    private static func constant(_ argument: Any, _ core: RealmCore) -> FreeholdEngine.Constant? {
        guard let constant = QueryConstant.of(argument) else { return nil }
        return named(constant, core)
    }

    private static func named(_ constant: FreeholdEngine.Constant, _ core: RealmCore) -> FreeholdEngine.Constant? {
        switch constant {
        case .object(let id?, let key):
            guard let table = core.table(id: id), let column = table.table.primaryKey,
                core.view.contains(table.table, key)
            else { return nil }
            return .objectWithPrimaryKey(className: table.table.name, core.view.value(column, key))
        case .object: return nil
        case .list(let all, let quantifier):
            let elements = all.map { named($0, core) }
            return elements.contains { $0 == nil } ? nil : .list(elements.compactMap { $0 }, quantifier)
        default: return constant
        }
    }

    private typealias Variables = [(name: String, table: ManagedTable)]

    private func stored(
        _ condition: Condition,
        with variables: Variables,
        in table: ManagedTable
    ) throws(QueryError) -> Condition {
        func all(_ conditions: [Condition]) throws(QueryError) -> [Condition] {
            var out: [Condition] = []
            for condition in conditions { out.append(try stored(condition, with: variables, in: table)) }
            return out
        }
        switch condition {
        case .truth: return condition
        case .and(let conditions, let closings): return .and(try all(conditions), closings: closings)
        case .or(let conditions, let closings): return .or(try all(conditions), closings: closings)
        case .not(let inner): return .not(try stored(inner, with: variables, in: table))
        case .compare(let left, let op, let right, let options):
            return .compare(
                try stored(left, with: variables, in: table),
                op,
                try stored(right, with: variables, in: table),
                options
            )
        case .between(let term, let lower, let upper, let isClosed):
            return .between(
                try stored(term, with: variables, in: table),
                lower: lower,
                upper: upper,
                isClosed: isClosed
            )
        case .fullText(let path, let constant):
            return .fullText(try stored(path, with: variables, in: table).path, constant)
        case .within(let path, let constant):
            return .within(try stored(path, with: variables, in: table).path, constant)
        case .term(let term): return .term(try stored(term, with: variables, in: table))
        }
    }

    private func stored(_ term: Term, with variables: Variables, in table: ManagedTable) throws(QueryError) -> Term {
        switch term {
        case .constant: return term
        case .path(let path): return .path(try stored(path, with: variables, in: table).path)
        case .arithmetic(let op, let left, let right):
            return .arithmetic(
                op,
                try stored(left, with: variables, in: table),
                try stored(right, with: variables, in: table)
            )
        case .subquery(let path, let variable, let condition):
            let (path, target) = try stored(path, with: variables, in: table)
            guard let target else { return .subquery(path, variable: variable, condition) }
            return .subquery(
                path,
                variable: variable,
                try stored(condition, with: variables + [(variable, target)], in: table)
            )
        }
    }

    /// Returns the path with stored names, and the class at its end.
    private func stored(
        _ path: NamedPath,
        with variables: Variables,
        in table: ManagedTable
    ) throws(QueryError) -> (path: NamedPath, target: ManagedTable?) {
        var path = path
        var steps: [NamedPath.Step] = []
        var current: ManagedTable? = table
        for (index, step) in path.steps.enumerated() {
            switch step {
            case .name(let name):
                if index == 0, let variable = variables.last(where: { $0.name == name }) {
                    steps.append(step)
                    current = variable.table
                    continue
                }
                guard let at = current, let property = at.info.index(named: name) else {
                    steps.append(step)
                    current = nil
                    continue
                }
                let info = at.info.properties[property]
                let target = info.target == nil && info.targetName == nil ? nil : at.target(of: property)
                if info.isComputed, let target, let origin = info.origin.flatMap({ target.info.index(named: $0) }) {
                    let name = target.info.properties[origin].columnName
                    steps.append(.links(className: target.info.tableName, property: name))
                } else {
                    steps.append(.name(info.columnName))
                }
                current = target
            case .place: steps.append(step)
            case .links(let className, let property):
                guard let origin = table.core.table(named: className) else {
                    steps.append(step)
                    current = nil
                    continue
                }
                let index = origin.info.index(named: property)
                let name = index.map { origin.info.properties[$0].columnName } ?? property
                steps.append(.links(className: origin.info.tableName, property: name))
                current = origin
            }
        }
        path.steps = steps
        path.stepPositions = []
        return (path, current)
    }
}

/// A condition on the objects of a class, with the names in the file.
package struct StoredQuery: Hashable, Sendable {
    /// The name of the class's table.
    package let className: String
    package let condition: String

    package init(className: String, condition: String) {
        self.className = className
        self.condition = condition
    }
}

extension Realm {
    private func table(_ type: ObjectBase.Type) throws -> ManagedTable {
        guard let table = core.table(for: type) else {
            throw Error(.unknownClass, "Class \(type.className()) isn't in the realm's schema.")
        }
        return table
    }

    /// Returns the query for a closure's condition, or for all objects if the closure is nil.
    package func storedQuery<T: ObjectBase>(_ type: T.Type, _ query: ((Query<T>) -> Query<Bool>)?) throws -> StoredQuery
    {
        let table = try table(type)
        guard let query else { return StoredQuery(className: table.info.tableName, condition: "TRUEPREDICATE") }
        let text = try StoredQueryText.of(query(Query<T>()).node, table)
        return StoredQuery(className: table.info.tableName, condition: text)
    }

    package func storedQuery(_ type: ObjectBase.Type, _ format: String, arguments: [Any?]) throws -> StoredQuery {
        try storedQuery(type, WrittenQuery.parse(format, arguments))
    }

    package func storedQuery(_ type: ObjectBase.Type, _ predicate: NSPredicate) throws -> StoredQuery {
        try storedQuery(type, predicate.writtenQuery())
    }

    /// - Parameter className: The name of the class in the file.
    package func storedQuery(className: String, _ format: String, _ arguments: [Any?]) throws -> StoredQuery {
        try storedQuery(try table(className), WrittenQuery.parse(format, arguments))
    }

    package func storedQuery(className: String, _ predicate: NSPredicate) throws -> StoredQuery {
        try storedQuery(try table(className), predicate.writtenQuery())
    }

    private func table(_ name: String) throws -> ManagedTable {
        guard let table = core.tables.first(where: { $0.info.tableName == name }) else {
            throw Error(.unknownClass, "There is no class that is called '\(name)' in the file.")
        }
        return table
    }

    private func storedQuery(_ type: ObjectBase.Type, _ written: WrittenQuery) throws -> StoredQuery {
        try storedQuery(try table(type), written)
    }

    private func storedQuery(_ table: ManagedTable, _ written: WrittenQuery) throws -> StoredQuery {
        guard written.stages.isEmpty else {
            throw QueryError(.type, "A subscription has a condition only: no SORT, DISTINCT or LIMIT.")
        }
        return StoredQuery(className: table.info.tableName, condition: try StoredQueryText.of(written.condition, table))
    }
}

extension Results {
    /// Returns the class and the conditions of the results. Sort orders are ignored.
    ///
    /// - Throws: An error if the results aren't the objects of a class that match a condition.
    package func storedQuery() throws -> StoredQuery {
        guard let source = _source, case .table = source.base else {
            throw QueryError(
                .type,
                "Only queries of a class can be subscribed to, not those of a list or of backlinks."
            )
        }
        var conditions: [Condition] = []
        for stage in source.stages {
            switch stage {
            case .filter(let condition): conditions.append(condition)
            case .sort: break
            default: throw QueryError(.type, "A subscription has a condition only: no DISTINCT or LIMIT.")
            }
        }
        let condition = conditions.isEmpty ? Condition.truth(true) : .conjunction(conditions)
        return StoredQuery(
            className: source.table.info.tableName,
            condition: try StoredQueryText.of(condition, source.table)
        )
    }

    package var realmOfResults: Realm? { _source.map { Realm(core: $0.core) } }
}
