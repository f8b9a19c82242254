extension QueryCompiler {
    /// A path with what its names stand for.
    package struct ResolvedPath {
        package var path: PropertyPath
        /// Of the objects reached, where the path's values are objects.
        package var target: Names.Class?
        /// What is made of the values.
        package var suffix: NamedPath.Suffix?
        /// Of the values, before anything is made of them.
        package var type: ColumnType
    }

    package func resolve(_ named: NamedPath) throws(QueryError) -> ResolvedPath {
        if named.steps.count > Condition.maximumDepth { throw error(.syntax, NamedPath.tooLong, named) }
        var path = PropertyPath([], nil, quantifier: named.quantifier ?? .any)
        var suffix = named.suffix
        var cls: Names.Class? = cls
        // The column whose values the path has so far; it becomes a step when another name follows.
        var column: Column?
        for (i, part) in named.steps.enumerated() {
            func fail(
                _ code: QueryError.Code,
                _ message: String,
                suggestions: [String] = []
            ) -> QueryError {
                let position = i < named.stepPositions.count ? named.stepPositions[i] : named.position
                return QueryError(code, message, position: position, suggestions: suggestions)
            }
            if case .place = part {
            } else if let last = column {
                if part == .name("length"), last.type == .string || last.type == .data, i == named.steps.count - 1,
                    suffix == nil
                {
                    suffix = .length
                    break
                }
                guard cls != nil else {
                    throw fail(.type, "'\(last.name)' is no link, so that nothing can follow it.")
                }
                path.steps.append(path.subscripts.first.map { .element(last, $0) } ?? .link(last))
                path.subscripts = []
                column = nil
            }
            switch part {
            case .name(let name):
                guard let owner = cls, let property = names.property(named: name, of: owner) else {
                    throw fail(
                        .unknownName,
                        "Class \(cls.map { names.className(of: $0) } ?? "") has no property '\(QueryToken.short(name))'.",
                        suggestions: cls.map { NearNames.of(name, names.propertyNames(of: $0)) } ?? []
                    )
                }
                cls = property.target
                switch property.kind {
                case .column(let found): column = found
                case .inverse(let origin): path.steps.append(.backlink(origin))
                }
            case .links(let className, let property):
                guard let origin = names.cls(named: className) else {
                    throw fail(
                        .unknownName,
                        "There is no class '\(QueryToken.short(className))'.",
                        suggestions: NearNames.of(className, names.classNames)
                    )
                }
                guard let owner = cls, let found = names.property(named: property, of: origin) else {
                    throw fail(
                        .unknownName,
                        "Class \(className) has no property '\(QueryToken.short(property))'.",
                        suggestions: NearNames.of(property, names.propertyNames(of: origin))
                    )
                }
                let table = names.table(of: owner)
                guard case .column(let link) = found.kind,
                    link.type == .mixed || (link.type == .link && link.targetTableID == table.id)
                else {
                    throw fail(
                        .type,
                        "'\(className).\(property)' doesn't link to class \(names.className(of: owner))."
                    )
                }
                path.steps.append(.backlink(link.asBacklinkColumn(to: table)))
                cls = origin
            case .place(let place):
                guard let column else {
                    throw fail(.type, "Only collections and mixed values have elements to ask for.")
                }
                if let message = Self.refusal(of: place, in: column, after: path.subscripts) {
                    throw fail(.type, message)
                }
                // Keys are strings, with quotes or without.
                if column.collection == .dictionary, path.subscripts.isEmpty, case .index(let i) = place {
                    path.subscripts.append(.key(String(i)))
                } else {
                    path.subscripts.append(place)
                }
            }
        }
        // A link at the end stands for the object it leads to.
        path.column = column
        var type = column?.type ?? .link
        if path.subscripts.last == .keys {
            type = .string
            cls = nil
        }
        var resolved = ResolvedPath(path: path, target: cls, suffix: suffix, type: type)
        try check(&resolved, named)
        return resolved
    }

    /// Why a collection has no such places; nil where it has.
    private static func refusal(of place: Subscript, in column: Column, after others: [Subscript]) -> String? {
        if column.type == .mixed, column.collection == .none || !others.isEmpty { return nil }
        if column.collection == .none { return "'\(column.name)' is no collection, so that it has no elements." }
        if !others.isEmpty { return "The elements of '\(column.name)' are no collections." }
        switch place {
        case .all: return nil
        case .key, .keys:
            return column.collection == .dictionary ? nil : "'\(column.name)' is no map, so that it has no keys."
        case .index: return nil
        case .first, .last:
            return column.collection == .dictionary ? "The values of map '\(column.name)' are found by keys." : nil
        }
    }

    /// Whether the values can be counted, summed up and so on.
    private func check(_ resolved: inout ResolvedPath, _ named: NamedPath) throws(QueryError) {
        let isMany = resolved.path.isToMany || resolved.type == .mixed
        switch resolved.suffix {
        case nil, .type, .incomingLinks: break
        case .count:
            if !isMany, resolved.type == .string || resolved.type == .data {
                resolved.suffix = .length
            } else if !isMany {
                throw error(.type, "'\(named.text)' is no collection, so that it can't be counted.", named)
            }
        case .length:
            guard resolved.type == .string || resolved.type == .data else {
                throw error(.type, "'\(named.text)' is no string.", named)
            }
        case .aggregate(let aggregate):
            guard isMany else {
                throw error(.type, "'\(named.text)' has one value only: \(aggregate.name) needs several.", named)
            }
            switch resolved.type {
            case .int, .float, .double, .decimal128, .mixed: break
            case .timestamp where aggregate == .minimum || aggregate == .maximum: break
            default: throw error(.type, "\(aggregate.name) needs numbers; '\(named.text)' has none.", named)
            }
        }
        if named.quantifier == Quantifier.none || named.quantifier == .all {
            switch resolved.suffix {
            case .count, .aggregate, .incomingLinks:
                throw error(.type, "A quantifier needs several values; '\(named.text)' is one.", named)
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

    /// To the objects that the path's values are.
    private func stepsToObjects(_ path: PropertyPath) -> [PathStep] {
        guard let column = path.column else { return path.steps }
        return path.steps + [path.subscripts.first.map { .element(column, $0) } ?? .link(column)]
    }
}

extension Aggregate {
    /// As it is written.
    var name: String {
        switch self {
        case .minimum: "@min"
        case .maximum: "@max"
        case .sum: "@sum"
        case .average: "@avg"
        }
    }
}
