extension QueryCompiler {
    /// A path whose names have been looked up.
    package struct ResolvedPath {
        package var path: PropertyPath
        /// The class of the objects that the path reaches, if its values are objects.
        package var target: Names.Class?
        /// The operation on the values.
        package var suffix: NamedPath.Suffix?
        /// The type of the values before the operation.
        package var type: ColumnType
    }

    package func resolve(_ named: NamedPath) throws(QueryError) -> ResolvedPath {
        if named.steps.count > Condition.maximumDepth { throw error(.syntax, NamedPath.tooLong, path: named) }
        var walk = PathWalk(names: names, cls: cls, path: PropertyPath([], nil, quantifier: named.quantifier ?? .any))
        var suffix = named.suffix
        for (i, part) in named.steps.enumerated() {
            if i == named.steps.count - 1, suffix == nil, walk.isLength(part) {
                suffix = .length
                break
            }
            do throws(PathWalk.Mistake) {
                try walk.take(part)
            } catch {
                let position = i < named.stepPositions.count ? named.stepPositions[i] : named.position
                throw QueryError(error.code, error.message, position: position, suggestions: error.suggestions)
            }
        }
        // A link at the end of the path stands for its target.
        walk.path.column = walk.column
        let hasKeys = walk.path.subscripts.last == .keys
        var resolved = ResolvedPath(
            path: walk.path,
            target: hasKeys ? nil : walk.cls,
            suffix: suffix,
            type: hasKeys ? .string : walk.column?.type ?? .link
        )
        try check(&resolved, named)
        return resolved
    }

    /// A path of which a part has been looked up.
    private struct PathWalk {
        struct Mistake: Error {
            let code: QueryError.Code
            let message: String
            var suggestions: [String] = []
        }

        let names: Names
        /// The class of the objects reached so far, or `nil` if the values aren't objects.
        var cls: Names.Class?
        var path: PropertyPath
        /// The column of the path's values so far. It becomes a step if another name follows.
        var column: Column?

        /// Returns whether the part is `length` after a string or data column.
        func isLength(_ part: NamedPath.Step) -> Bool {
            guard let column else { return false }
            return part == .name("length") && (column.type == .string || column.type == .data)
        }

        mutating func take(_ part: NamedPath.Step) throws(Mistake) {
            switch part {
            case .name(let name):
                try goOn()
                try take(property: name)
            case .links(let className, let property):
                try goOn()
                try take(linksFrom: className, property)
            case .place(let place): try take(place)
            }
        }

        /// Adds the column to the steps.
        private mutating func goOn() throws(Mistake) {
            guard let last = column else { return }
            guard cls != nil else {
                throw Mistake(code: .type, message: "'\(last.name)' isn't a link, so that nothing can follow it.")
            }
            path.steps.append(path.subscripts.first.map { .element(last, $0) } ?? .link(last))
            path.subscripts = []
            column = nil
        }

        private mutating func take(property name: String) throws(Mistake) {
            guard let owner = cls, let property = names.property(named: name, of: owner) else {
                throw unknown(name, in: cls, called: cls.map { names.className(of: $0) } ?? "")
            }
            cls = property.target
            switch property.kind {
            case .column(let found): column = found
            case .inverse(let origin): path.steps.append(.backlink(origin))
            }
        }

        private mutating func take(linksFrom className: String, _ property: String) throws(Mistake) {
            guard let origin = names.cls(named: className) else {
                throw Mistake(
                    code: .unknownName,
                    message: "There is no class '\(QueryToken.short(className))'.",
                    suggestions: NearNames.of(className, names.classNames)
                )
            }
            guard let owner = cls, let found = names.property(named: property, of: origin) else {
                throw unknown(property, in: origin, called: className)
            }
            let table = names.table(of: owner)
            guard case .column(let link) = found.kind,
                link.type == .mixed || (link.type == .link && link.targetTableID == table.id)
            else {
                throw Mistake(
                    code: .type,
                    message: "'\(className).\(property)' doesn't link to class \(names.className(of: owner))."
                )
            }
            path.steps.append(.backlink(link.asBacklinkColumn(to: table)))
            cls = origin
        }

        private mutating func take(_ place: Subscript) throws(Mistake) {
            guard let column else {
                throw Mistake(code: .type, message: "Only collections and mixed values have elements to ask for.")
            }
            if let message = QueryCompiler.refusal(of: place, in: column, after: path.subscripts) {
                throw Mistake(code: .type, message: message)
            }
            // Keys are strings, which may be written without quotes.
            if column.collection == .dictionary, path.subscripts.isEmpty, case .index(let i) = place {
                path.subscripts.append(.key(String(i)))
            } else {
                path.subscripts.append(place)
            }
        }

        private func unknown(_ name: String, in cls: Names.Class?, called className: String) -> Mistake {
            Mistake(
                code: .unknownName,
                message: "Class \(className) has no property '\(QueryToken.short(name))'.",
                suggestions: cls.map { NearNames.of(name, names.propertyNames(of: $0)) } ?? []
            )
        }
    }

    /// Returns the reason why a collection doesn't have such places, or `nil` if it has them.
    private static func refusal(of place: Subscript, in column: Column, after others: [Subscript]) -> String? {
        if column.type == .mixed, column.collection == .none || !others.isEmpty { return nil }
        if column.collection == .none { return "'\(column.name)' isn't a collection, so it has no elements." }
        if !others.isEmpty { return "The elements of '\(column.name)' aren't collections." }
        switch place {
        case .all: return nil
        case .key, .keys:
            return column.collection == .dictionary ? nil : "'\(column.name)' isn't a map, so it has no keys."
        case .index: return nil
        case .first, .last:
            return column.collection == .dictionary ? "The values of map '\(column.name)' are found by keys." : nil
        }
    }

    /// Throws an error if the values don't have the operation, such as a count or a sum.
    private func check(_ resolved: inout ResolvedPath, _ named: NamedPath) throws(QueryError) {
        let isMany = resolved.path.isToMany || resolved.type == .mixed
        switch resolved.suffix {
        case nil, .type, .incomingLinks: break
        case .count:
            if !isMany, resolved.type == .string || resolved.type == .data {
                resolved.suffix = .length
            } else if !isMany {
                throw error(.type, "'\(named.text)' isn't a collection, so it can't be counted.", path: named)
            }
        case .length:
            guard resolved.type == .string || resolved.type == .data else {
                throw error(.type, "'\(named.text)' isn't a string.", path: named)
            }
        case .aggregate(let aggregate):
            guard isMany else {
                throw error(.type, "'\(named.text)' has one value only: \(aggregate.name) needs several.", path: named)
            }
            switch resolved.type {
            case .int, .float, .double, .decimal128, .mixed: break
            case .timestamp where aggregate == .minimum || aggregate == .maximum: break
            default: throw error(.type, "\(aggregate.name) needs numbers; '\(named.text)' has none.", path: named)
            }
        }
        if named.quantifier == Quantifier.none || named.quantifier == .all {
            switch resolved.suffix {
            case .count, .aggregate, .incomingLinks:
                throw error(.type, "A quantifier needs several values; '\(named.text)' is one.", path: named)
            default: break
            }
        }
    }

    package func operand(_ named: NamedPath) throws(QueryError) -> Operand { operand(try resolve(named)) }

    func operand(_ resolved: ResolvedPath) -> Operand {
        let path = resolved.path
        return switch resolved.suffix {
        case nil: .path(path)
        case .count: .count(path)
        case .aggregate(let aggregate): .aggregate(aggregate, path)
        case .type: .type(path)
        case .length: .length(path)
        case .incomingLinks: .incomingLinks(stepsToObjects(path))
        }
    }

    /// Returns the steps to the objects that the path's values are.
    private func stepsToObjects(_ path: PropertyPath) -> [PathStep] {
        guard let column = path.column else { return path.steps }
        return path.steps + [path.subscripts.first.map { .element(column, $0) } ?? .link(column)]
    }
}

extension Aggregate {
    /// The name as it is written in a query.
    var name: String {
        switch self {
        case .minimum: "@min"
        case .maximum: "@max"
        case .sum: "@sum"
        case .average: "@avg"
        }
    }
}
