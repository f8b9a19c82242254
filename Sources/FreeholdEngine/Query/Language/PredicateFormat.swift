/// A writer of a closure's condition in RealmSwift's form: a format of NSPredicate with `%@` for each constant, such as `((age > %@) && (name
/// CONTAINS[c] %@))`.
///
/// The parser reads the format back, with its arguments, as a condition with the same meaning. The exception is a range without its upper bound on a
/// path of several values: NSPredicate needs two comparisons for it, and two different values may meet them. `QueryPrinter` writes strings that keep
/// the meaning in all cases.
package struct PredicateFormat {
    private var out = ""
    private var arguments: [Any] = []
    /// The variables of the enclosing subqueries, the innermost last.
    private var variables: [String] = []
    private var subqueries = 0

    private init() {}

    /// Returns the format and its arguments. Constants that weren't arguments are returned as `Value`s.
    package static func of(_ condition: Condition) -> (String, [Any]) {
        var format = PredicateFormat()
        format.write(condition)
        return (format.out, format.arguments)
    }

    // MARK: Conditions

    /// - Parameter prefix: `NOT `. It is inside the parentheses of a comparison and outside those of a chain.
    private mutating func write(_ condition: Condition, prefix: String = "") {
        switch condition {
        case .truth(let value): out += value == prefix.isEmpty ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let all, let closings): write(all, "&&", closings: closings, prefix: prefix, ifEmpty: true)
        case .or(let all, let closings): write(all, "||", closings: closings, prefix: prefix, ifEmpty: false)
        case .not(.term(.path(let path))) where prefix.isEmpty: write(isTrue: false, path)
        case .not(let inner):
            out += prefix
            write(inner, prefix: "NOT ")
        case .compare(let left, let op, let right, let options):
            comparison(prefix) { format in
                format.write(left)
                format.out += " \(op.rawValue)\(options.text) "
                // The operator of `value IN list` implies the quantifier.
                if op == .isIn, case .path(let path) = right {
                    format.writeSteps(path)
                } else {
                    format.write(right)
                }
            }
        case .between(let term, let lower, let upper, isClosed: true):
            comparison(prefix) { format in
                format.write(term)
                format.out += " BETWEEN {"
                format.write(lower)
                format.out += ", "
                format.write(upper)
                format.out += "}"
            }
        case .between(let term, let lower, let upper, _):
            let from = Condition.compare(term, .greaterOrEqual, .constant(lower), [])
            write(.and([from, .compare(term, .less, .constant(upper), [])]), prefix: prefix)
        case .fullText(let path, let words): operation(path, "TEXT", constant: words, prefix: prefix)
        case .within(let path, let shape): operation(path, "IN", constant: shape, prefix: prefix)
        case .term(.path(let path)): write(isTrue: prefix.isEmpty, path)
        case .term(let term): comparison(prefix) { $0.write(term) }
        }
    }

    private mutating func comparison(_ prefix: String, _ body: (inout PredicateFormat) -> Void) {
        out += "(" + prefix
        body(&self)
        out += ")"
    }

    private mutating func operation(_ path: NamedPath, _ op: String, constant: Constant, prefix: String) {
        comparison(prefix) { format in
            format.write(.path(path))
            format.out += " \(op) "
            format.write(constant)
        }
    }

    private mutating func write(isTrue: Bool, _ path: NamedPath) {
        writeSteps(path)
        out += " == \(isTrue)"
    }

    /// Writes a chain with the parentheses that the closure had, which are pairs.
    private mutating func write(
        _ all: [Condition],
        _ word: String,
        closings: [Int],
        prefix: String,
        ifEmpty: Bool
    ) {
        guard all.count > 1 else { return write(all.first ?? .truth(ifEmpty), prefix: prefix) }
        let closings = closings.isEmpty ? all.indices.map { $0 == 0 ? 0 : 1 } : closings
        // The start of each finished run. Each pair of parentheses joins the last two runs.
        var openings = [Int](repeating: 0, count: all.count)
        var starts: [Int] = []
        for i in all.indices {
            starts.append(i)
            for _ in 0..<closings[i] {
                starts.removeLast()
                openings[starts[starts.count - 1]] += 1
            }
        }
        out += prefix
        for (i, condition) in all.enumerated() {
            if i > 0 { out += " \(word) " }
            out += String(repeating: "(", count: openings[i])
            write(condition)
            out += String(repeating: ")", count: closings[i])
        }
    }

    // MARK: Terms

    private mutating func write(_ term: Term) {
        switch term {
        case .constant(let constant): write(constant)
        case .path(let path):
            // RealmSwift omits ANY in subqueries.
            if path.suffix == nil, variables.isEmpty {
                if let quantifier = path.quantifier {
                    out += quantifier.text + " "
                } else if !path.collections.isEmpty {
                    out += "ANY "
                }
            }
            writeSteps(path)
        case .subquery(let path, _, let condition):
            subqueries += 1
            let variable = "$col\(subqueries)"
            out += "SUBQUERY("
            // For a subquery in another subquery, the counted path belongs to the outer variable.
            writeSteps(path, after: nil)
            out += ", \(variable), "
            variables.append(variable)
            write(condition)
            variables.removeLast()
            out += ").@count"
        case .arithmetic(let op, let a, let b):
            out += "("
            write(a)
            out += " \(op.rawValue) "
            write(b)
            out += ")"
        }
    }

    private mutating func writeSteps(_ path: NamedPath) { writeSteps(path, after: variables.last) }

    private mutating func writeSteps(_ path: NamedPath, after variable: String?) {
        let start = variable ?? (QueryPrinter.needsSelf(path) ? "SELF" : "")
        out += start
        var isFirst = start.isEmpty
        func add(_ part: String) {
            if !isFirst { out += "." }
            isFirst = false
            out += part
        }
        // In `list.@max.age`, the aggregate follows the collection.
        var aggregate: String?
        if case .aggregate(let found)? = path.suffix { aggregate = found.name }
        for (i, step) in path.steps.enumerated() {
            switch step {
            case .name(let name): add(QueryPrinter.written(name))
            case .links(let className, let property):
                add("@links.\(QueryPrinter.written(className)).\(QueryPrinter.written(property))")
            case .place(.keys): add("@allKeys")
            // A closure asks for the values of a map.
            case .place(.all) where path.collections.contains(i + 1): add("@allValues")
            case .place(let place): write(place)
            }
            isFirst = false
            if let name = aggregate, path.collections.first == i + 1 {
                add(name)
                aggregate = nil
            }
        }
        switch path.suffix {
        case nil: break
        case .count: add("@count")
        case .aggregate: if let aggregate { add(aggregate) }
        case .type: add("@type")
        case .length: add("length")
        case .incomingLinks: add("@links.@count")
        }
    }

    private mutating func write(_ place: Subscript) {
        switch place {
        case .index(let index): write(place: index)
        case .key(let key): write(place: key)
        case .first: out += "[FIRST]"
        case .last: out += "[LAST]"
        case .all, .keys:
            out += "[%K]"
            arguments.append("#any")
        }
    }

    private mutating func write(place: Any) {
        out += "[%@]"
        arguments.append(place)
    }

    // MARK: Constants

    private mutating func write(_ constant: Constant) {
        out += "%@"
        arguments.append(Self.plain(constant))
    }

    private static func plain(_ constant: Constant) -> Any {
        switch constant {
        case .argument(let argument): argument
        case .value(let value): value
        case .number(let text): Value(number: text) ?? .null
        case .list(let constants, _): constants.map(plain)
        case .object(let tableID, let key): tableID.map { ObjectLink(tableID: $0, key: key) as Any } ?? key
        case .objectWithPrimaryKey(_, let value): value
        case .shape(let shape): shape
        }
    }
}
