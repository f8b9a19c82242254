/// A compiler that turns the names and constants of a query into columns and values.
///
/// - The types of two sides must be comparable: numbers with numbers, strings with data, mixed values with all types, links of one class, and
///   otherwise equal types. Links, `Bool` and type names support only equality.
/// - A constant is converted to the type of the other side: numbers by their digits, strings by parsing them as numbers, ObjectIds or UUIDs. A failed
///   conversion is an error; it isn't a query without results.
package struct QueryCompiler<Names: QueryNames> {
    package let names: Names
    /// The class that is queried.
    package let cls: Names.Class
    /// Options that are added to each condition on strings that ignores case or accents.
    package var textOptions: TextOptions = []

    package init(_ names: Names, _ cls: Names.Class, textOptions: TextOptions = []) {
        self.names = names
        self.cls = cls
        self.textOptions = textOptions
    }

    /// - Throws: errors with the query's text, if the query was parsed from text.
    package func compile(_ query: WrittenQuery) throws(QueryError) -> (predicate: Predicate, stages: [Stage]) {
        do throws(QueryError) {
            return (try whole(query.condition), try stages(Array(query.allStages.dropFirst())))
        } catch {
            var error = error
            if error.text == nil { error.text = query.text }
            throw error
        }
    }

    /// Returns the predicate of a condition that isn't part of another one. Throws an error if the condition nests too deeply for the stack.
    func whole(_ condition: Condition) throws(QueryError) -> Predicate {
        if !condition.fits() { throw error(.syntax, Condition.tooDeep, path: nil) }
        return try predicate(condition)
    }

    package func predicate(_ condition: Condition) throws(QueryError) -> Predicate {
        switch condition {
        case .truth(let value): return .constant(value)
        case .and(let all, _): return .and(try predicates(all))
        case .or(let all, _): return .or(try predicates(all))
        case .not(let inner): return .not(try predicate(inner))
        default: return try comparison(condition)
        }
    }

    /// Compiles conditions that don't contain other conditions. This is a function of its own so that each level of nesting needs little stack.
    @inline(never)
    private func comparison(_ condition: Condition) throws(QueryError) -> Predicate {
        switch condition {
        case .truth, .and, .or, .not: preconditionFailure("has been dealt with")
        case .term(let term): return try comparison(.compare(term, .equal, .constant(.value(.bool(true))), []))
        case .compare(.path(let path), let op, .constant(.argument(let argument)), []):
            if let predicate = plain(path, op, argument: argument) { return predicate }
            return try compare(.path(path), op, to: .constant(.argument(argument)), options: [])
        case .compare(let left, let op, let right, let options):
            return try compare(left, op, to: right, options: options)
        case .between(let term, let lower, let upper, let isClosed):
            return try between(term, lower: lower, upper: upper, isClosed: isClosed)
        case .fullText(let path, let constant): return try fullText(path, constant)
        case .within(let path, let constant):
            let resolved = try resolve(path)
            guard case .shape(let shape)? = try self.constant(constant, resolved) else {
                throw error(.type, "geoWithin needs a box, a circle or a polygon.", path: path)
            }
            return try within(path, resolved, shape: shape)
        }
    }

    private func plain(_ path: NamedPath, _ op: ConditionOperator, argument: Any) -> Predicate? {
        guard case .name(let name)? = path.steps.first, path.steps.count == 1, path.suffix == nil,
            path.quantifier == nil, let comparison = op.comparison,
            let (column, value) = names.plain(name, of: cls, argument)
        else { return nil }
        if op.isOrder, column.type == .bool { return nil }
        return .comparison(PropertyPath(column), comparison, value)
    }

    private func predicates(_ all: [Condition]) throws(QueryError) -> [Predicate] {
        var out: [Predicate] = []
        for condition in all { out.append(try predicate(condition)) }
        return out
    }

    func error(_ code: QueryError.Code, _ message: String, path: NamedPath?) -> QueryError {
        QueryError(code, message, position: path?.position)
    }

    // MARK: Words and places

    private func fullText(_ path: NamedPath, _ constant: Constant) throws(QueryError) -> Predicate {
        let resolved = try resolve(path)
        guard case .value(.string(let text))? = try self.constant(constant, resolved) else {
            throw error(.type, "A full-text search needs a string.", path: path)
        }
        guard let column = resolved.path.column, resolved.path.subscripts.isEmpty else {
            throw error(.type, "A full-text search needs a string property.", path: path)
        }
        do throws(QueryError) { return .fullText(resolved.path, try FullTextQuery(text, for: column)) } catch {
            var error = error
            error.position = path.position
            throw error
        }
    }

    func within(_ path: NamedPath, _ resolved: ResolvedPath, shape: GeoShape) throws(QueryError) -> Predicate {
        do throws(QueryError) { try shape.validate() } catch {
            var error = error
            error.position = path.position
            throw error
        }
        return .within(resolved.path, GeoTest(try places(path, resolved), in: shape))
    }
}
