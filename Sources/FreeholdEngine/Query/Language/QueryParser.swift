/// A parser of the query language. It turns the text and its arguments into a `WrittenQuery`.
///
/// The language is the union of RQL and of the part of NSPredicate's language that RealmSwift accepts. The table begins with the operators that bind
/// least tightly:
///
/// | | |
/// |-|-|
/// | query | condition, then any of `SORT(path ASC, distance(path, [x, y]) DESC)` `DISTINCT(path, …)` `LIMIT(n)` `OFFSET(n)` in written order |
/// | condition | `a OR b`, `a \|\| b` |
/// | | `a AND b`, `a && b` |
/// | | `NOT a`, `!a`, `(a)`, `TRUEPREDICATE`, `FALSEPREDICATE` |
/// | comparison | `=` `==` `!=` `<>` `<` `<=` `=<` `>` `>=` `=>` |
/// | strings | `CONTAINS` `BEGINSWITH` `ENDSWITH` `LIKE` `MATCHES`; after these, `==` `!=` and `IN`: `[c]` ignores case, `[d]` accents, `[cd]` both |
/// | sets | `IN {1, 2}`, `IN %@`, `constant IN path`, `BETWEEN {1, 2}`, `BETWEEN {1, <2}` without the 2, `BETWEEN %@` |
/// | words | `path TEXT "words"`, for a full-text index |
/// | places | `path geoWithin shape`, `path IN shape` |
/// | terms | `a + b`, `a - b`; `a * b`, `a / b`; `(a)` |
/// | quantifiers | `ANY` or `SOME`, `ALL`, `NONE` before a path or a list; without one: `ANY` |
/// | path | `a.b.c`, `SELF` |
/// | places in collections | `[0]` `[FIRST]` `[LAST]` `[*]` `[#any]` `['key']` `[$0]` `[%@]` `[%K]`, `.@keys` `.@allKeys`, `.@values` `.@allValues` |
/// | made of values | `.@count` `.@size` `[SIZE]`; `.@min` `.@max` `.@sum` `.@avg`, as `list.@sum.age` or `list.age.@sum`; `.@type`; `.length` of the strings of a list |
/// | inverse | `@links.Class.property`, `@links.@count` |
/// | subquery | `SUBQUERY(path, $x, $x.age > 3).@count` (or `.@size`) |
/// | numbers | `1` `-1` `0x1F` `1.5` `1e5` `1.5f` `inf` `infinity` `nan` |
/// | strings | `'…'` or `"…"` with `\\" \\' \\/ \\\\ \\b \\f \\n \\r \\t \\0 \\uXXXX` |
/// | data | `B64"…"`, `binary("…")` |
/// | others | `true` `false` `YES` `NO` `null` `nil`, `uuid(…)`, `oid(…)`, `decimal("…")` |
/// | dates | `2024-05-31@23:59:00`, with `:nanoseconds` or not and `T` or `@`; `T<seconds>:<nanoseconds>` |
/// | objects | `O<key>`, `L<table>:<key>`, `obj('Class', primary key)` |
/// | shapes | `geoBox([x, y], [x, y])`, `geoCircle([x, y], radians)`, `geoPolygon({[x, y], …}, {…})` |
/// | lists | `{1, 2}` |
/// | arguments | `$0`, `%@` and the formats of C; `$K0`, `%K` for paths |
///
/// Names consist of letters, digits, `_`, `$`, `-` and all characters outside ASCII. `\ ` stands for a space, and a `\` quotes every other sign as
/// well. Keywords can be names in places where no keyword is possible: `in IN {1}`, `sort == 1`. `AND`, `OR`, the string operators, `BETWEEN`,
/// `TEXT`, `SUBQUERY`, `true`, `null` and the stages may be written in any case. `NOT`, `IN` and the quantifiers may be written in upper or in lower
/// case.
///
/// The parser takes time linear in the text and never traps. Nesting deeper than `Condition.maximumDepth` is an error. Parentheses alone don't add
/// depth, and neither do chains of `AND` and `OR`, with or without parentheses.
package struct QueryParser {
    let text: String
    let arguments: [Any]
    private let tokens: [QueryToken]
    /// The number of characters before each byte. It is empty if characters and bytes have the same positions.
    private let characters: [Int32]
    private var index = 0
    private var nextArgument = 0
    /// The number of tokens and operators that were processed, as a measure of the work.
    private(set) var steps = 0
    /// The number of open parentheses.
    private var open = 0
    /// The variables of the enclosing subqueries, the innermost last.
    var variables: [String] = []

    init(_ text: String, _ arguments: [Any]) {
        self.text = text
        self.arguments = arguments
        tokens = QueryLexer.tokens(text)
        characters = text.utf8.allSatisfy { $0 < 0x80 && $0 != 13 } ? [] : Self.characterCounts(text)
    }

    /// - Parameter arguments: the values of `$0`, `%@` and `%K`. Arguments that the text doesn't use are ignored.
    /// - Throws: `.syntax`, `.constant` or `.argument`, with the position and what was expected.
    package static func parse(_ text: String, arguments: [Any] = []) throws(QueryError) -> WrittenQuery {
        var parser = QueryParser(text, arguments)
        return try parser.query()
    }

    /// Returns a path alone, as it is written in a sort.
    package static func path(_ text: String) throws(QueryError) -> NamedPath {
        var parser = QueryParser(text, [])
        let path = try parser.path(nil)
        try parser.expectEnd(["'.'", "'['"])
        return path
    }

    mutating func query() throws(QueryError) -> WrittenQuery {
        if case .end = current.kind {
            throw fail("The query is empty.", expected: ["a condition", "TRUEPREDICATE"])
        }
        if stageKeyword() != nil {
            throw fail("A condition must stand before \(current.name!).", expected: ["a condition", "TRUEPREDICATE"])
        }
        let node = try expression()
        var query = WrittenQuery(try measured(node).0)
        while let stage = try stage() { query.stages.append(stage) }
        try expectEnd(["AND", "OR", "SORT", "DISTINCT", "LIMIT", "OFFSET"])
        query.text = text
        return query
    }

    private func expectEnd(_ expected: [String]) throws(QueryError) {
        if case .end = current.kind { return }
        throw fail("\(current.description.capitalizedFirst) can't stand here.", expected: expected + ["the end"])
    }

    // MARK: Precedence

    /// An operator that waits for its right side, or a construct that waits for its end.
    fileprivate enum Pending {
        case parenthesis(start: Int)
        case subquery(NamedPath, variable: String, start: Int)
        case or, and, not
        case comparison(ConditionOperator, TextOptions)
        case arithmetic(ArithmeticOperator)

        /// The precedence of the operator. An open parenthesis has the lowest, so nothing binds across it.
        var precedence: Int {
            switch self {
            case .parenthesis, .subquery: 0
            case .or: 1
            case .and: 2
            case .not: 3
            case .comparison: 4
            case .arithmetic(.add), .arithmetic(.subtract): 5
            case .arithmetic(.multiply), .arithmetic(.divide): 6
            }
        }
    }

    // Parses an expression with two stacks instead of recursion, so that each query needs only a small part of the thread's stack.
    private mutating func expression() throws(QueryError) -> Node {
        var operands: [Node] = []
        var pending: [Pending] = []
        while true {
            while let prefix = try prefix() {
                pending.append(prefix)
            }
            operands.append(try primary())
            while let closed = try close(&operands, &pending) { operands.append(closed) }
            guard let next = try infix(&operands, &pending) else { break }
            pending.append(next)
        }
        try reduce(&operands, &pending, above: 0)
        if !pending.isEmpty { throw fail("')' is missing.", expected: ["')'"]) }
        return operands[0]
    }

    private mutating func prefix() throws(QueryError) -> Pending? {
        let start = current.start
        if at(.not) || isPrefix("not") {
            advance()
            return .not
        }
        if accept(.open) {
            open += 1
            return .parenthesis(start: start)
        }
        guard isWord("subquery"), case .symbol(.open) = token(after: 1).kind else { return nil }
        let (path, variable) = try subqueryHead()
        variables.append(variable)
        open += 1
        return .subquery(path, variable: variable, start: start)
    }

    /// Returns the construct that the closing parenthesis ends, or `nil` if the parenthesis doesn't belong to this expression.
    private mutating func close(_ operands: inout [Node], _ pending: inout [Pending]) throws(QueryError) -> Node? {
        guard at(.close), open > 0 else { return nil }
        open -= 1
        try reduce(&operands, &pending, above: 0)
        let node = operands.removeLast()
        switch pending.removeLast() {
        case .subquery(let path, let variable, let start):
            let (condition, height) = try measured(node)
            advance()
            variables.removeLast()
            try subqueryEnd()
            var term = WrittenTerm(.subquery(path, variable: variable, condition), start)
            term.height = path.steps.count + Condition.subqueryWeight + height
            try check(height: term.height)
            return .term(term)
        case .parenthesis(let start):
            advance()
            guard case .term(var term) = node else { return node }
            term.start = start
            term.word = nil
            return .term(term)
        default: preconditionFailure("nothing else is left above a parenthesis")
        }
    }

    /// Returns the operator between two operands. Relations with a special right side are parsed here completely.
    private mutating func infix(_ operands: inout [Node], _ pending: inout [Pending]) throws(QueryError) -> Pending? {
        while true {
            if case .symbol(let symbol) = current.kind, let op = symbol.arithmetic {
                let next = Pending.arithmetic(op)
                try reduce(&operands, &pending, above: next.precedence - 1)
                guard case .term = operands.last else {
                    throw fail("A condition can't be calculated with.", expected: ["AND", "OR"])
                }
                advance()
                return next
            }
            let isOr = isWord("or") || at(.or)
            if isOr || isWord("and") || at(.and) {
                let next: Pending = isOr ? .or : .and
                // Operators of one kind wait for each other and become one list.
                try reduce(&operands, &pending, above: next.precedence)
                if case .term = operands[operands.count - 1] { throw missingComparison() }
                advance()
                return next
            }
            let mark = current.start
            guard let relation = try relation() else { return nil }
            try reduce(&operands, &pending, above: 4)
            guard case .term(let left)? = operands.last, !pending.endsInComparison else {
                throw fail("A condition can't be compared with anything.", at: mark, expected: ["AND", "OR"])
            }
            if case .comparison(let op) = relation { return .comparison(op, try textOptions(op)) }
            operands[operands.count - 1] = .condition(try special(relation, left), height: left.height)
            while let closed = try close(&operands, &pending) { operands.append(closed) }
        }
    }

    /// Combines the operands of all operators that bind more tightly.
    private mutating func reduce(
        _ operands: inout [Node],
        _ pending: inout [Pending],
        above precedence: Int
    ) throws(QueryError) {
        while let last = pending.last, last.precedence > precedence {
            pending.removeLast()
            steps += 1
            let right = operands.removeLast()
            switch last {
            case .parenthesis, .subquery: preconditionFailure("nothing binds less")
            case .not:
                let (condition, height) = try measured(right)
                try check(height: height + 1)
                operands.append(.condition(.not(condition), height: height + 1))
            case .and, .or: operands.append(try joined(operands.removeLast(), with: right, isAnd: last.precedence == 2))
            case .comparison(let op, let options):
                let right = try term(right)
                let left = try term(operands.removeLast())
                let height = max(left.height, right.height)
                operands.append(.condition(try compared(left, op, to: right, options: options), height: height))
            case .arithmetic(let op):
                let right = try term(right)
                let left = try term(operands.removeLast())
                var result = WrittenTerm(.arithmetic(op, left.term, right.term), left.start)
                result.height = max(left.height, right.height) + Condition.arithmeticWeight
                try check(height: result.height)
                operands.append(.term(result))
            }
        }
    }

    /// Returns both conditions as one. Chains of one kind become one chain, so that they don't add depth.
    private func joined(_ left: Node, with right: Node, isAnd: Bool) throws(QueryError) -> Node {
        switch (left, right) {
        case (.chain(let a), .chain(let b)) where a.isAnd == isAnd && b.isAnd == isAnd: return .chain(a.joined(b))
        case (.chain(let chain), _) where chain.isAnd == isAnd:
            let (condition, height) = try measured(right)
            chain.append(condition, height)
            return .chain(chain)
        case (_, .chain(let chain)) where chain.isAnd == isAnd:
            let (condition, height) = try measured(left)
            chain.prepend(condition, height)
            return .chain(chain)
        default:
            let chain = Chain(isAnd: isAnd)
            for node in [left, right] {
                let (condition, height) = try measured(node)
                chain.append(condition, height)
            }
            return .chain(chain)
        }
    }

    /// Returns the node as a condition. Throws an error if the node is a term, because its operator is missing.
    private func measured(_ node: Node) throws(QueryError) -> (Condition, height: Int) {
        switch node {
        case .condition(let condition, let height): return (condition, height)
        case .chain(let chain):
            try check(height: chain.height)
            return (chain.condition, chain.height)
        case .term: throw missingComparison()
        }
    }

    private func missingComparison() -> QueryError {
        fail("A comparison is missing.", expected: Self.operators)
    }

    func term(_ node: Node) throws(QueryError) -> WrittenTerm {
        guard case .term(let term) = node else {
            throw fail(
                "A condition stands where a value must.",
                at: previous.start,
                expected: ["a property", "a constant"]
            )
        }
        return term
    }

    private static let operators = [
        "==", "!=", "<", "<=", ">", ">=", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "LIKE", "MATCHES",
    ]

    // MARK: Comparisons

    private enum Relation {
        case comparison(ConditionOperator)
        case between, fullText, within
    }

    /// Parses relations whose right side can't be a calculation.
    private mutating func special(_ relation: Relation, _ left: WrittenTerm) throws(QueryError) -> Condition {
        switch relation {
        case .comparison: preconditionFailure("has any right side")
        case .between:
            try requirePath(left)
            let (bounds, isClosed) = try bounds()
            return .between(left.term, lower: bounds[0], upper: bounds[1], isClosed: isClosed)
        case .fullText: return .fullText(try plainPath(left, "TEXT"), try constant())
        case .within: return .within(try plainPath(left, "geoWithin"), try constant())
        }
    }

    private func compared(
        _ left: WrittenTerm,
        _ op: ConditionOperator,
        to right: WrittenTerm,
        options: TextOptions
    ) throws(QueryError) -> Condition {
        var (left, right) = (left, right)
        if !left.term.hasPath, !right.term.hasPath {
            if let word = left.word {
                left.term = .path(namedPath([.name(word)], at: left.start))
            } else if let word = right.word {
                right.term = .path(namedPath([.name(word)], at: right.start))
            } else {
                throw fail(.type, "Two constants are compared.", at: left.start, expected: ["a property"])
            }
        }
        if case .path(let path) = left.term, case .constant(.shape(let shape)) = right.term {
            guard op == .isIn else {
                throw fail(.type, "A shape can't be compared.", at: right.start, expected: ["geoWithin", "IN"])
            }
            if path.suffix != nil {
                throw fail(.type, "\(op.rawValue) needs a property on its left.", at: left.start)
            }
            return .within(path, .shape(shape))
        }
        return .compare(left.term, op, right.term, options)
    }

    private func requirePath(_ term: WrittenTerm) throws(QueryError) {
        if !term.term.hasPath {
            throw fail(.type, "Two constants are compared.", at: term.start, expected: ["a property"])
        }
    }

    private func plainPath(_ term: WrittenTerm, _ op: String) throws(QueryError) -> NamedPath {
        guard case .path(let path) = term.term, path.suffix == nil else {
            throw fail(.type, "\(op) needs a property on its left.", at: term.start, expected: ["a property"])
        }
        return path
    }

    private mutating func relation() throws(QueryError) -> Relation? {
        if case .symbol(let symbol) = current.kind, let op = symbol.comparison {
            advance()
            return .comparison(op)
        }
        guard let name = current.name else { return nil }
        let relation: Relation
        switch name {
        case "in", "IN": relation = .comparison(.isIn)
        default:
            switch name.lowercased() {
            case "contains": relation = .comparison(.contains)
            case "beginswith": relation = .comparison(.beginsWith)
            case "endswith": relation = .comparison(.endsWith)
            case "like": relation = .comparison(.like)
            case "between": relation = .between
            case "text": relation = .fullText
            case "geowithin": relation = .within
            case "matches": relation = .comparison(.matches)
            case "and", "or": return nil
            default:
                if stageKeyword() != nil { return nil }
                throw QueryError(
                    .syntax,
                    "'\(QueryToken.short(name))' isn't an operator.",
                    text: text,
                    position: position(current.start),
                    expected: Self.operators,
                    suggestions: NearNames.of(name, Self.operators + ["ENDSWITH", "TEXT", "geoWithin", "AND", "OR"])
                )
            }
        }
        advance()
        return relation
    }

    /// `[c]`, `[d]`, `[cd]`
    private mutating func textOptions(_ op: ConditionOperator) throws(QueryError) -> TextOptions {
        guard at(.openBracket) else { return [] }
        let mark = current
        advance()
        var options: TextOptions = []
        guard let letters = current.name?.lowercased() else {
            throw fail("How strings are compared is missing.", expected: ["c", "d", "cd"])
        }
        for letter in letters {
            switch letter {
            case "c": options.insert(.ignoringCase)
            case "d": options.insert(.ignoringDiacritics)
            default: throw fail("Strings can't be compared so.", expected: ["c", "d", "cd"])
            }
        }
        advance()
        try expect(.closeBracket)
        switch op {
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            throw fail(.type, "\(op.rawValue) always regards case and accents.", at: mark.start)
        default: return options
        }
    }

    /// Returns two constants, and whether the second one is included.
    private mutating func bounds() throws(QueryError) -> ([Constant], isClosed: Bool) {
        let start = current.start
        let bounds: [Constant]
        var isClosed = true
        if at(.openBrace) { (bounds, isClosed) = try list(isRange: true) } else { bounds = try boundsArgument() }
        guard bounds.count == 2 else {
            throw fail(.type, "BETWEEN needs two values, not \(bounds.count).", at: start, expected: ["{lower, upper}"])
        }
        return (bounds, isClosed)
    }

    private mutating func boundsArgument() throws(QueryError) -> [Constant] {
        let start = current.start
        switch try constant() {
        case .argument(let argument):
            guard let elements = ArgumentValue.elements(argument) else {
                throw fail(.argument, "BETWEEN needs two values.", at: start, expected: ["an array of two"])
            }
            return elements.map { .argument($0) }
        default: throw fail("BETWEEN needs two values.", at: start, expected: ["{lower, upper}"])
        }
    }

    // MARK: Tokens

    var current: QueryToken { tokens[index] }
    var previous: QueryToken { tokens[max(index - 1, 0)] }

    func token(after offset: Int) -> QueryToken { tokens[min(index + offset, tokens.count - 1)] }

    mutating func advance() {
        steps += 1
        if index < tokens.count - 1 { index += 1 }
    }

    func at(_ symbol: QueryToken.Symbol) -> Bool {
        if case .symbol(symbol) = current.kind { true } else { false }
    }

    mutating func accept(_ symbol: QueryToken.Symbol) -> Bool {
        guard at(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: QueryToken.Symbol) throws(QueryError) {
        if !accept(symbol) { throw fail("'\(symbol.rawValue)' is missing.", expected: ["'\(symbol.rawValue)'"]) }
    }

    /// Returns whether the token is the keyword, in any case.
    func isWord(_ word: String) -> Bool { current.name?.lowercased() == word }

    /// Returns whether the keyword, in lower or in upper case, precedes its operand. Otherwise it is a name.
    func isPrefix(_ word: String) -> Bool {
        guard let name = current.name, name == word || name == word.uppercased() else { return false }
        switch token(after: 1).kind {
        case .number, .text, .literal, .argument, .pathArgument, .operation, .broken: return true
        case .symbol(let symbol): return [.open, .openBrace, .not].contains(symbol)
        case .wildcard, .end: return false
        case .name(let next):
            guard Self.isOperator(next) else { return true }
            // In `ANY in == 1`, `in` is a property. In `any IN {1}` and `any LIKE[c] 'x'`, `any` is a property.
            switch token(after: 2).kind {
            case .symbol(.openBracket): return !areTextOptions(after: 2)
            case .symbol(let symbol):
                return symbol.comparison != nil || symbol.arithmetic != nil
                    || [.dot, .close].contains(symbol)
            case .name(let third): return Self.isOperator(third)
            case .end: return true
            default: return false
            }
        }
    }

    /// Returns whether `[c]`, `[d]` or `[cd]` follows, which can't be a place in a collection.
    private func areTextOptions(after offset: Int) -> Bool {
        guard let letters = token(after: offset + 1).name?.lowercased(), letters.allSatisfy({ "cd".contains($0) }),
            case .symbol(.closeBracket) = token(after: offset + 2).kind
        else { return false }
        return true
    }

    private static func isOperator(_ name: String) -> Bool {
        if name == "in" || name == "IN" { return true }
        return [
            "and", "or", "contains", "beginswith", "endswith", "like", "between", "text", "geowithin", "matches",
        ].contains(name.lowercased())
    }

    // MARK: Depth and errors

    private func check(height: Int) throws(QueryError) {
        if height > Condition.maximumDepth { throw fail(Condition.tooDeep) }
    }

    /// Returns an error at the present token, or at a byte of the text.
    func fail(
        _ code: QueryError.Code,
        _ message: String,
        at start: Int? = nil,
        expected: [String] = []
    ) -> QueryError {
        if start == nil, case .broken(var error) = current.kind {
            error.text = text
            error.position = position(current.start)
            return error
        }
        return QueryError(code, message, text: text, position: position(start ?? current.start), expected: expected)
    }

    func fail(_ message: String, at start: Int? = nil, expected: [String] = []) -> QueryError {
        fail(.syntax, message, at: start, expected: expected)
    }

    /// Returns the position in characters of a byte.
    func position(_ byte: Int) -> Int { characters.isEmpty ? byte : Int(characters[min(byte, characters.count - 1)]) }

    private static func characterCounts(_ text: String) -> [Int32] {
        var counts: [Int32] = []
        counts.reserveCapacity(text.utf8.count + 1)
        var count: Int32 = 0
        for character in text {
            for _ in character.utf8 { counts.append(count) }
            count += 1
        }
        counts.append(count)
        return counts
    }

    // MARK: Arguments

    /// Returns the argument of that number, or the next argument.
    mutating func argument(_ number: Int?) throws(QueryError) -> Any {
        let number = number ?? nextArgument
        guard number < arguments.count else {
            throw fail(
                .argument,
                arguments.isEmpty
                    ? "The query was given no arguments."
                    : "Argument \(number) is missing: the query was given \(arguments.count).",
                at: current.start
            )
        }
        if case .argument(nil) = current.kind { nextArgument += 1 }
        if case .pathArgument(nil) = current.kind { nextArgument += 1 }
        return arguments[number]
    }
}

extension [QueryParser.Pending] {
    fileprivate var endsInComparison: Bool {
        if case .comparison? = last { true } else { false }
    }
}

extension Term {
    /// A Boolean value that indicates whether the term contains a path.
    var hasPath: Bool {
        switch self {
        case .constant: false
        case .path, .subquery: true
        case .arithmetic(_, let a, let b): a.hasPath || b.hasPath
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
