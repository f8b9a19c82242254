extension QueryParser {
    /// Returns a path, a constant or `TRUEPREDICATE`.
    mutating func primary() throws(QueryError) -> Node {
        let start = current.start
        switch current.kind {
        case .operation: return .term(WrittenTerm(.path(try path(nil)), start))
        case .pathArgument: return .term(WrittenTerm(.path(try path(nil)), start))
        case .name(let name):
            if let quantifier = quantifier() {
                advance()
                return .term(WrittenTerm(try quantified(quantifier), start))
            }
            if case .symbol(.open) = token(after: 1).kind { return .term(WrittenTerm(try call(name), start)) }
            if isFollowedByPath { return .term(WrittenTerm(.path(try path(nil)), start)) }
            switch name.lowercased() {
            case "truepredicate" where !isCompared: return truth(true)
            case "falsepredicate" where !isCompared: return truth(false)
            default: break
            }
            guard let constant = wordConstant(name) else { return .term(WrittenTerm(.path(try path(nil)), start)) }
            advance()
            let isName = !["true", "false", "null", "nil"].contains(name.lowercased())
            return .term(WrittenTerm(.constant(constant), start, word: isName ? name : nil))
        default: return .term(WrittenTerm(.constant(try constant()), start))
        }
    }

    private mutating func truth(_ value: Bool) -> Node {
        advance()
        return .condition(.truth(value), height: 0)
    }

    private var isFollowedByPath: Bool {
        switch token(after: 1).kind {
        case .symbol(let symbol): symbol == .dot || symbol == .openBracket
        default: false
        }
    }

    private var isCompared: Bool {
        if case .symbol(let symbol) = token(after: 1).kind { symbol.comparison != nil } else { false }
    }

    private func quantifier() -> Quantifier? {
        if isPrefix("any") || isPrefix("some") { return .any }
        if isPrefix("all") { return .all }
        return isPrefix("none") ? Quantifier.none : nil
    }

    private mutating func quantified(_ quantifier: Quantifier) throws(QueryError) -> Term {
        switch current.kind {
        case .symbol(.openBrace):
            return .constant(.list(try list().constants, quantifier))
        case .argument(let number):
            guard let elements = ArgumentValue.elements(try argument(number)) else {
                throw fail(.argument, "A quantifier needs a list.", expected: ["an array"])
            }
            advance()
            return .constant(.list(elements.map { .argument($0) }, quantifier))
        case .name, .operation, .pathArgument: return .path(try path(quantifier))
        default: throw fail("A quantifier needs a property or a list.", expected: ["a property", "{"])
        }
    }

    // MARK: Functions

    private mutating func call(_ name: String) throws(QueryError) -> Term {
        switch name.lowercased() {
        case "obj", "geobox", "geocircle", "geopolygon": return .constant(try constant())
        default:
            throw QueryError(
                .syntax,
                "There is no function '\(QueryToken.short(name))'.",
                text: text,
                position: position(current.start),
                expected: ["SUBQUERY", "obj", "uuid", "oid", "binary", "geoBox", "geoCircle", "geoPolygon"]
            )
        }
    }

    /// `SUBQUERY(path, $x,`
    mutating func subqueryHead() throws(QueryError) -> (NamedPath, String) {
        advance()
        try expect(.open)
        let path = try countedPath()
        if path.suffix != nil { throw fail(.type, "A subquery needs a collection of objects.", at: previous.start) }
        try expect(.comma)
        guard let variable = current.name, variable.hasPrefix("$"), variable.utf8.count > 1 else {
            throw fail("A subquery needs a variable.", expected: ["a name that begins with $"])
        }
        advance()
        try expect(.comma)
        return (path, variable)
    }

    /// Parses the path of a subquery. Inside another subquery, RealmSwift's text may omit the variable.
    private mutating func countedPath() throws(QueryError) -> NamedPath {
        guard let name = current.name, !name.hasPrefix("$") else { return try path(nil) }
        let outer = variables
        variables = []
        defer { variables = outer }
        return try path(nil)
    }

    /// `.@count`
    mutating func subqueryEnd() throws(QueryError) {
        try expect(.dot)
        guard case .operation(let name) = current.kind, name == "count" || name == "size" else {
            throw fail("Only the count of a subquery is known.", expected: ["@count", "@size"])
        }
        advance()
    }

    // MARK: Constants

    mutating func constant() throws(QueryError) -> Constant {
        switch current.kind {
        case .number(let digits):
            advance()
            return .number(digits)
        case .symbol(let sign) where sign == .minus || sign == .plus:
            advance()
            switch current.kind {
            case .number(let digits):
                advance()
                return .number(sign == .minus ? "-" + digits : digits)
            case .name(let name):
                guard case .number(let digits)? = wordConstant(name) else { break }
                advance()
                return .number(sign == .minus ? "-" + digits : digits)
            default: break
            }
            throw fail("A sign stands only before a number.", expected: ["a number"])
        case .text(let text):
            advance()
            return .value(.string(text))
        case .literal(let constant):
            advance()
            return constant
        case .argument(let number):
            let argument = try argument(number)
            advance()
            return .argument(argument)
        case .symbol(.openBrace): return .list(try list().constants)
        case .name(let name):
            if case .symbol(.open) = token(after: 1).kind {
                switch name.lowercased() {
                case "obj": return try object()
                case "geobox", "geocircle", "geopolygon": return .shape(try shape(name.lowercased()))
                default: break
                }
            } else if let constant = wordConstant(name) {
                advance()
                return constant
            }
        default: break
        }
        throw fail("A constant is missing.", expected: ["a property", "a constant"])
    }

    private func wordConstant(_ name: String) -> Constant? {
        switch name.lowercased() {
        case "true": return .value(.bool(true))
        case "false": return .value(.bool(false))
        case "null", "nil": return .value(.null)
        case "inf", "infinity": return .number("inf")
        case "nan": return .number("nan")
        default: break
        }
        if name == "YES" || name == "NO" { return .value(.bool(name == "YES")) }
        if name.first == "O", name.utf8.count > 1, name.utf8.dropFirst().allSatisfy(QueryLexer.isDigit) {
            return Int64(name.dropFirst()).map { .object(tableID: nil, ObjectKey($0)) }
        }
        return nil
    }

    /// - Parameter isRange: whether a `<` before the second constant excludes it from the range.
    mutating func list(isRange: Bool = false) throws(QueryError) -> (constants: [Constant], isClosed: Bool) {
        try expect(.openBrace)
        var constants: [Constant] = []
        var isClosed = true
        if accept(.closeBrace) { return ([], isClosed) }
        repeat {
            if isRange, constants.count == 1, accept(.less) { isClosed = false }
            if at(.openBrace) { throw fail("Lists can't hold lists.", expected: ["a constant"]) }
            constants.append(try constant())
        } while accept(.comma)
        if !accept(.closeBrace) { throw fail("The list isn't closed.", expected: ["','", "'}'"]) }
        return (constants, isClosed)
    }

    /// `obj('Class', primary key)`
    private mutating func object() throws(QueryError) -> Constant {
        advance()
        try expect(.open)
        guard case .text(let className) = current.kind else {
            throw fail("obj needs a class.", expected: ["a quoted class name"])
        }
        advance()
        try expect(.comma)
        let start = current.start
        let key: Value
        switch try constant() {
        case .value(let value): key = value
        case .number(let digits):
            guard let number = NumberText.integer(digits) else {
                throw fail(.constant, "A primary key is a whole number.", at: start)
            }
            key = .int(number)
        case .argument(let argument):
            guard let value = ArgumentValue.value(argument) else {
                throw fail(.argument, "A primary key is a whole number, a string, a UUID or an ObjectId.", at: start)
            }
            key = value
        default: throw fail(.constant, "A primary key is a whole number, a string, a UUID or an ObjectId.", at: start)
        }
        try expect(.close)
        return .objectWithPrimaryKey(className: className, key)
    }

    // MARK: Shapes

    private mutating func shape(_ name: String) throws(QueryError) -> GeoShape {
        let start = current.start
        advance()
        try expect(.open)
        let shape: GeoShape?
        switch name {
        case "geobox":
            let first = try point()
            try expect(.comma)
            let second = try point()
            shape = .box(GeoBox(bottomLeft: first, topRight: second))
        case "geocircle":
            let center = try point()
            try expect(.comma)
            shape = GeoCircle(center: center, radiusInRadians: try coordinate()).map { .circle($0) }
        default:
            var rings: [[GeoPoint]] = []
            repeat {
                try expect(.openBrace)
                var ring = [try point()]
                while accept(.comma) { ring.append(try point()) }
                try expect(.closeBrace)
                rings.append(ring)
            } while accept(.comma)
            shape = GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst())).map { .polygon($0) }
        }
        try expect(.close)
        if let shape { return shape }
        throw fail(
            .constant,
            name == "geocircle"
                ? "A circle's radius is at least 0."
                : "Each ring of a polygon has at least four points, the last of which is the first.",
            at: start
        )
    }

    /// `[longitude, latitude]` or `[longitude, latitude, altitude]`
    private mutating func point() throws(QueryError) -> GeoPoint {
        let start = current.start
        try expect(.openBracket)
        let longitude = try coordinate()
        try expect(.comma)
        let latitude = try coordinate()
        let altitude = accept(.comma) ? try coordinate() : 0
        try expect(.closeBracket)
        guard let point = GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude) else {
            throw fail(.constant, "A point is [longitude, latitude]: ±180 and ±90 degrees.", at: start)
        }
        return point
    }

    private mutating func coordinate() throws(QueryError) -> Double {
        let start = current.start
        let number: Double? =
            switch try constant() {
            case .number(let digits): NumberText.double(digits)
            case .argument(let argument): ArgumentValue.double(argument)
            default: nil
            }
        guard let number else { throw fail(.constant, "A coordinate is a number.", at: start, expected: ["a number"]) }
        return number
    }

    // MARK: Stages

    /// Returns SORT, DISTINCT, LIMIT or OFFSET if it precedes a parenthesis.
    func stageKeyword() -> String? {
        guard case .symbol(.open) = token(after: 1).kind, let name = current.name?.lowercased(),
            ["sort", "distinct", "limit", "offset"].contains(name)
        else { return nil }
        return name
    }

    mutating func stage() throws(QueryError) -> WrittenQuery.Stage? {
        guard let name = stageKeyword() else { return nil }
        advance()
        advance()
        let stage: WrittenQuery.Stage
        switch name {
        case "sort":
            var keys: [WrittenSortKey] = []
            repeat { keys.append(try sortKey()) } while accept(.comma)
            stage = .sort(keys)
        case "distinct":
            var paths: [NamedPath] = []
            repeat { paths.append(try path(nil)) } while accept(.comma)
            stage = .distinct(paths)
        case "limit": stage = .limit(try number())
        default: stage = .offset(try number())
        }
        if !accept(.close) {
            let isList = name == "sort" || name == "distinct"
            throw fail("\(name.uppercased())(… isn't closed.", expected: isList ? ["','", "')'"] : ["')'"])
        }
        return stage
    }

    private mutating func sortKey() throws(QueryError) -> WrittenSortKey {
        var key: WrittenSortKey
        if isWord("distance"), case .symbol(.open) = token(after: 1).kind {
            key = try distance()
        } else {
            key = WrittenSortKey(try path(nil), ascending: true)
        }
        guard let word = current.name else { return key }
        switch word.lowercased() {
        case "asc", "ascending": advance()
        case "desc", "descending":
            advance()
            key.ascending = false
        default: throw fail("'\(QueryToken.short(word))' isn't a direction.", expected: ["ASC", "DESC", "','", "')'"])
        }
        return key
    }

    /// `distance(path, [longitude, latitude])`. The point may be an argument.
    private mutating func distance() throws(QueryError) -> WrittenSortKey {
        advance()
        advance()
        let path = try path(nil)
        try expect(.comma)
        let point: GeoPoint
        if case .argument(let number) = current.kind {
            guard let given = try argument(number) as? GeoPoint else {
                throw fail(.argument, "A distance is that from a GeoPoint.")
            }
            advance()
            point = given
        } else {
            point = try self.point()
        }
        try expect(.close)
        return WrittenSortKey(path, ascending: true, distanceTo: point)
    }

    private mutating func number() throws(QueryError) -> Int {
        let start = current.start
        let number: Int? =
            switch try constant() {
            case .number(let digits): digits.utf8.allSatisfy(QueryLexer.isDigit) ? Int(digits) : nil
            case .argument(let argument): ArgumentValue.integer(argument)
            default: nil
            }
        guard let number, number >= 0 else {
            throw fail(.constant, "A whole number that isn't negative is needed.", at: start, expected: ["a number"])
        }
        return number
    }
}
