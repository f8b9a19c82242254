/// A printer that writes conditions as text. The parser reads the text back as a condition with the same meaning.
package struct QueryPrinter {
    /// A closure that returns the constant an argument stands for.
    private let constant: (Any) -> Constant?
    /// A closure that returns another condition to write in the place of a comparison.
    private var spelled: (Term, ConditionOperator, Term) -> Condition? = { _, _, _ in nil }
    private var out = ""
    private var variables: [String] = []

    private init(_ constant: @escaping (Any) -> Constant?) { self.constant = constant }

    /// - Parameters:
    ///   - constant: returns the constant that an argument stands for, or `nil` if it has no spelling.
    ///   - spelled: returns the condition to write for a comparison without a spelling of its own, or `nil` for all other comparisons.
    package static func text(
        _ condition: Condition,
        spelled: @escaping (Term, ConditionOperator, Term) -> Condition? = { _, _, _ in nil },
        constant: @escaping (Any) -> Constant?
    ) -> String {
        var printer = QueryPrinter(constant)
        printer.spelled = spelled
        printer.write(condition)
        return printer.out
    }

    package static func text(_ query: WrittenQuery, constant: @escaping (Any) -> Constant?) -> String {
        var printer = QueryPrinter(constant)
        printer.write(query.condition)
        for stage in query.stages {
            printer.out += " "
            printer.write(stage)
        }
        return printer.out
    }

    static func text(_ path: NamedPath, variable: String?) -> String {
        var printer = QueryPrinter({ _ in nil })
        if let variable { printer.variables = [variable] }
        printer.writeSteps(path)
        return printer.out
    }

    // MARK: Conditions

    private mutating func write(_ condition: Condition, isNested: Bool = false) {
        switch condition {
        case .truth(let value): out += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let all, _): write(all, "&&", isNested: isNested, empty: true)
        case .or(let all, _): write(all, "||", isNested: isNested, empty: false)
        case .not(let inner):
            out += "NOT ("
            write(inner)
            out += ")"
        case .compare(let left, let op, let right, let options):
            if let other = spelled(left, op, right) { return write(other, isNested: isNested) }
            write(left)
            out += " \(op.rawValue)\(options.text) "
            write(right)
        case .between(let term, let lower, let upper, let isClosed):
            write(term)
            out += " BETWEEN {"
            write(lower)
            out += isClosed ? ", " : ", <"
            write(upper)
            out += "}"
        case .fullText(let path, let constant):
            write(path)
            out += " TEXT "
            write(constant)
        case .within(let path, let constant):
            write(path)
            out += " geoWithin "
            write(constant)
        case .term(let term):
            write(term)
            out += " == true"
        }
    }

    private mutating func write(_ all: [Condition], _ word: String, isNested: Bool, empty: Bool) {
        guard all.count > 1 else {
            return write(all.first ?? .truth(empty), isNested: isNested)
        }
        if isNested { out += "(" }
        for (i, condition) in all.enumerated() {
            if i > 0 { out += " \(word) " }
            write(condition, isNested: true)
        }
        if isNested { out += ")" }
    }

    // MARK: Terms

    private mutating func write(_ term: Term) {
        switch term {
        case .constant(let constant): write(constant)
        case .path(let path): write(path)
        case .subquery(let path, let variable, let condition):
            let variable = variable.hasPrefix("$") ? variable : "$" + variable
            out += "SUBQUERY("
            writeSteps(path)
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

    private mutating func write(_ path: NamedPath) {
        if let quantifier = path.quantifier { out += quantifier.text + " " }
        writeSteps(path)
    }

    private mutating func writeSteps(_ path: NamedPath) {
        var isFirst = true
        func separate(_ printer: inout QueryPrinter) {
            if !isFirst { printer.out += "." }
            isFirst = false
        }
        if let variable = variables.last {
            out += variable
            isFirst = false
        } else if Self.needsSelf(path) {
            out += "SELF"
            isFirst = false
        }
        for step in path.steps {
            switch step {
            case .name(let name):
                separate(&self)
                out += Self.written(name)
            case .links(let className, let property):
                separate(&self)
                out += "@links.\(Self.written(className)).\(Self.written(property))"
            case .place(.keys):
                separate(&self)
                out += "@keys"
            case .place(let place): write(place)
            }
            isFirst = false
        }
        guard let suffix = path.suffix else { return }
        separate(&self)
        switch suffix {
        case .count: out += "@count"
        case .aggregate(let aggregate): out += aggregate.name
        case .type: out += "@type"
        case .length: out += "length"
        case .incomingLinks: out += "@links.@count"
        }
    }

    static func written(_ name: String) -> String { QueryLexer.written(name) }

    /// Returns whether the path needs `SELF` in front, because it has no name or its name is a keyword.
    static func needsSelf(_ path: NamedPath) -> Bool {
        switch path.steps.first {
        case nil: return path.suffix != .incomingLinks
        case .links: return false
        case .place: return true
        case .name(let name):
            let keywords = [
                "true", "false", "null", "nil", "inf", "infinity", "nan", "yes", "no", "not", "any", "some", "all",
                "none", "truepredicate", "falsepredicate", "self",
            ]
            // A step or an operation after a name shows that the name isn't a keyword.
            if path.steps.count > 1 || path.suffix != nil { return name == "self" || name == "SELF" }
            return keywords.contains(name.lowercased())
                || (name.first == "O" && name.utf8.dropFirst().allSatisfy(QueryLexer.isDigit))
        }
    }

    private mutating func write(_ place: Subscript) {
        switch place {
        case .index(let index): out += "[\(index)]"
        case .key(let key): out += "[\(Value.string(key).queryText)]"
        case .first: out += "[FIRST]"
        case .last: out += "[LAST]"
        case .all: out += "[*]"
        case .keys: out += ".@keys"
        }
    }

    // MARK: Constants

    private mutating func write(_ constant: Constant) {
        switch constant {
        case .value(let value): out += value.queryText
        case .number(let text): out += text
        case .list(let constants, let quantifier):
            if let quantifier { out += quantifier.text + " " }
            out += "{"
            for (i, constant) in constants.enumerated() {
                if i > 0 { out += ", " }
                write(constant)
            }
            out += "}"
        case .argument(let argument):
            switch self.constant(argument) {
            case .argument?, nil: out += "<\(Self.typeName(argument))>"
            case let constant?: write(constant)
            }
        case .object(let tableID, let key): out += tableID.map { "L\($0):\(key.raw)" } ?? "O\(key.raw)"
        case .objectWithPrimaryKey(let className, let value):
            out += "obj(\(Value.string(className).queryText), \(value.queryText))"
        case .shape(let shape): out += shape.description
        }
    }

    /// Returns the name of the argument's type, or of the wrapped type for an optional.
    private static func typeName(_ argument: Any) -> String {
        let mirror = Mirror(reflecting: argument)
        guard mirror.displayStyle == .optional, let wrapped = mirror.children.first else {
            return "\(type(of: argument))"
        }
        return typeName(wrapped.value)
    }

    // MARK: Stages

    private mutating func write(_ stage: WrittenQuery.Stage) {
        switch stage {
        case .sort(let keys):
            out += "SORT("
            for (i, key) in keys.enumerated() {
                if i > 0 { out += ", " }
                if key.point != nil { out += "distance(" }
                writeSteps(key.path)
                if let point = key.point { out += ", \(point))" }
                out += key.ascending ? " ASC" : " DESC"
            }
            out += ")"
        case .distinct(let paths):
            out += "DISTINCT("
            for (i, path) in paths.enumerated() {
                if i > 0 { out += ", " }
                writeSteps(path)
            }
            out += ")"
        case .limit(let count): out += "LIMIT(\(count))"
        case .offset(let count): out += "OFFSET(\(count))"
        }
    }
}

extension Quantifier {
    /// The quantifier as it is written in a query.
    var text: String {
        switch self {
        case .any: "ANY"
        case .all: "ALL"
        case .none: "NONE"
        }
    }
}

extension TextOptions {
    /// The options as they are written after an operator.
    var text: String {
        let letters = (contains(.ignoringCase) ? "c" : "") + (contains(.ignoringDiacritics) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}
