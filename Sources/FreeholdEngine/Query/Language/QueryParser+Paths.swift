extension QueryParser {
    func namedPath(_ steps: [NamedPath.Step], at start: Int) -> NamedPath {
        var path = NamedPath(steps, position: position(start))
        path.stepPositions = steps.map { _ in position(start) }
        return path
    }

    /// Parses names, places and operations.
    mutating func path(_ quantifier: Quantifier?) throws(QueryError) -> NamedPath {
        var path = NamedPath(quantifier: quantifier, position: position(current.start))
        try firstPart(&path)
        while true {
            if accept(.dot) {
                try part(&path, isFirst: false)
            } else if at(.openBracket) {
                try place(&path)
            } else {
                return path
            }
        }
    }

    private mutating func firstPart(_ path: inout NamedPath) throws(QueryError) {
        switch current.kind {
        case .name(let name):
            if let variable = variables.last {
                guard name == variable else {
                    throw fail(
                        variables.contains(name)
                            ? "Only the innermost variable, \(variable), can be used here."
                            : "In a subquery every property follows the variable.",
                        expected: ["\(variable).property"]
                    )
                }
                advance()
                return
            }
            if name == "SELF" || name == "self" {
                advance()
                return
            }
            try part(&path, isFirst: true)
        case .pathArgument, .operation: try part(&path, isFirst: true)
        default: throw fail("A property is missing.", expected: ["a property"])
        }
    }

    private mutating func part(_ path: inout NamedPath, isFirst: Bool) throws(QueryError) {
        let start = current.start
        switch current.kind {
        case .name(let name):
            switch path.suffix {
            case nil, .aggregate: break
            default: throw fail("Nothing can follow a count or a type.", expected: ["an operator"])
            }
            advance()
            try append(.name(name), from: start, to: &path)
        case .pathArgument(let number): try append(argument: number, &path, isFirst)
        case .operation(let name): try operation(name, &path)
        default: throw fail("A property is missing.", expected: ["a property", "@count"])
        }
    }

    private func append(_ step: NamedPath.Step, from start: Int, to path: inout NamedPath) throws(QueryError) {
        if path.steps.count >= Condition.maximumDepth { throw fail(NamedPath.tooLong, at: start) }
        path.steps.append(step)
        path.stepPositions.append(position(start))
    }

    /// Appends a path that is an argument.
    private mutating func append(
        argument number: Int?,
        _ path: inout NamedPath,
        _ isFirst: Bool
    ) throws(QueryError) {
        let start = current.start
        guard let text = ArgumentValue.string(try argument(number)) else {
            throw fail(.argument, "A path is given as a string.", expected: ["a string"])
        }
        var parser = QueryParser(text, [])
        if isFirst { parser.variables = variables }
        let inner: NamedPath
        do throws(QueryError) {
            inner = try parser.path(nil)
            guard case .end = parser.current.kind else { throw parser.fail("") }
        } catch {
            throw fail(.argument, "'\(QueryToken.short(text))' isn't a path.")
        }
        if path.suffix != nil, inner.suffix != nil {
            throw fail(.argument, "A path has one operation at most.")
        }
        advance()
        for step in inner.steps { try append(step, from: start, to: &path) }
        path.suffix = inner.suffix ?? path.suffix
    }

    private static let operations = [
        "@count", "@size", "@min", "@max", "@sum", "@avg", "@keys", "@allKeys", "@values", "@allValues", "@type",
        "@links",
    ]

    private mutating func operation(_ name: String, _ path: inout NamedPath) throws(QueryError) {
        let start = current.start
        let suffix: NamedPath.Suffix
        switch name {
        case "count", "size": suffix = .count
        case "min": suffix = .aggregate(.minimum)
        case "max": suffix = .aggregate(.maximum)
        case "sum": suffix = .aggregate(.sum)
        case "avg": suffix = .aggregate(.average)
        case "type": suffix = .type
        case "keys", "allKeys", "values", "allValues":
            if path.suffix != nil { throw fail("A path has one operation at most.") }
            advance()
            return try append(.place(name.lowercased().hasSuffix("keys") ? .keys : .all), from: start, to: &path)
        case "links": return try links(&path)
        default:
            throw QueryError(
                .syntax,
                "There is no operation '@\(QueryToken.short(name))'.",
                text: text,
                position: position(start),
                suggestions: NearNames.of("@" + name, Self.operations)
            )
        }
        if path.suffix != nil { throw fail("A path has one operation at most.") }
        if path.steps.isEmpty, variables.isEmpty, previous.name?.lowercased() != "self" {
            throw fail("@\(name) needs a property before it.", expected: ["a property"])
        }
        advance()
        path.suffix = suffix
    }

    /// `@links.Class.property`, `@links.@count`
    private mutating func links(_ path: inout NamedPath) throws(QueryError) {
        let start = current.start
        if path.suffix != nil { throw fail("A path has one operation at most.") }
        advance()
        try expect(.dot)
        if case .operation(let name) = current.kind {
            guard name == "count" || name == "size" else {
                throw fail("Only the count of all incoming links is known.", expected: ["@count", "a class"])
            }
            advance()
            path.suffix = .incomingLinks
            return
        }
        guard let className = current.name else { throw fail("A class is missing.", expected: ["a class", "@count"]) }
        advance()
        try expect(.dot)
        guard let property = current.name else { throw fail("A property is missing.", expected: ["a property"]) }
        advance()
        try append(.links(className: className, property: property), from: start, to: &path)
    }

    // MARK: Places

    private static let places = ["a number", "a key in quotes", "FIRST", "LAST", "SIZE", "*", "#any"]

    private mutating func place(_ path: inout NamedPath) throws(QueryError) {
        if path.suffix != nil { throw fail("Nothing can follow a count or a type.", expected: ["an operator"]) }
        let start = current.start
        advance()
        if let place = try place() {
            try append(.place(place), from: start, to: &path)
        } else {
            path.suffix = .count
        }
        try expect(.closeBracket)
    }

    /// Returns `nil` for `SIZE`.
    private mutating func place() throws(QueryError) -> Subscript? {
        let place: Subscript?
        switch current.kind {
        case .number(let digits):
            guard let index = NumberText.integer(digits).flatMap({ Int(exactly: $0) }) else {
                throw fail(.constant, "A place in a list is a whole number.", expected: Self.places)
            }
            place = .index(index)
        case .text(let key): place = .key(key)
        case .symbol(.star), .wildcard: place = .all
        case .name(let name):
            switch name.lowercased() {
            case "first": place = .first
            case "last": place = .last
            case "size": place = nil
            default: throw fail("'\(QueryToken.short(name))' isn't a place.", expected: Self.places)
            }
        case .argument(let number):
            let argument = try argument(number)
            if let key = ArgumentValue.string(argument) {
                place = .key(key)
            } else if let index = ArgumentValue.integer(argument), index >= 0 {
                place = .index(index)
            } else {
                throw fail(.argument, "A place is given as a number from 0 or a string.")
            }
        case .pathArgument(let number):
            guard let key = ArgumentValue.string(try argument(number)) else {
                throw fail(.argument, "A key is given as a string.")
            }
            // RealmSwift writes `#any` for all values.
            place = key == "#any" ? .all : .key(key)
        default: throw fail("A place in a collection is missing.", expected: Self.places)
        }
        advance()
        return place
    }
}
