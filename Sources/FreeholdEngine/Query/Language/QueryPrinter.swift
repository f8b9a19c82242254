/// Writes conditions as text.
///
/// Inline, with constants spelled out, the parser reads the text back to a condition with the same meaning. With
/// placeholders it is what RealmSwift makes of closures: `((age > %@) && (name CONTAINS[c] %@))` and the arguments.
package struct QueryPrinter {
    /// What arguments stand for; nil: for `%@`.
    private let constant: ((Any) -> Constant?)?
    private var out = ""
    private var arguments: [Any] = []
    private var variables: [String] = []

    private init(_ constant: ((Any) -> Constant?)?) { self.constant = constant }

    /// - Parameter constant: the constants that arguments stand for; nil for what has no spelling.
    package static func text(_ condition: Condition, constant: @escaping (Any) -> Constant?) -> String {
        var printer = QueryPrinter(constant)
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

    /// With `%@` for each constant. Constants that were no arguments are given as `Value`s.
    package static func format(_ condition: Condition) -> (String, [Any]) {
        var printer = QueryPrinter(nil)
        printer.write(condition)
        return (printer.out, printer.arguments)
    }

    static func text(_ path: NamedPath, variable: String?) -> String {
        var printer = QueryPrinter({ _ in nil })
        if let variable { printer.variables = [variable] }
        printer.writeSteps(path)
        return printer.out
    }

    private var isInline: Bool { constant != nil }

    // MARK: Conditions

    private mutating func write(_ condition: Condition, isNested: Bool = false) {
        switch condition {
        case .truth(let value): out += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let all): write(all, "&&", isNested, empty: true)
        case .or(let all): write(all, "||", isNested, empty: false)
        case .not(let inner):
            out += "NOT "
            if isInline {
                out += "("
                write(inner)
                out += ")"
            } else {
                write(inner, isNested: true)
            }
        case .compare(let left, let op, let right, let options):
            comparison { printer in
                printer.write(left)
                printer.out += " \(op.rawValue)\(options.text) "
                // `value IN list` says it already.
                if op == .isIn, !printer.isInline, case .path(let path) = right {
                    printer.writeSteps(path)
                } else {
                    printer.write(right)
                }
            }
        case .between(let term, let lower, let upper, let isClosed) where isClosed || isInline:
            comparison { printer in
                printer.write(term)
                printer.out += " BETWEEN {"
                printer.write(lower)
                printer.out += isClosed ? ", " : ", <"
                printer.write(upper)
                printer.out += "}"
            }
        case .between(let term, let lower, let upper, _):
            // NSPredicate has no other way. Of one value it means the same; of several, one may meet the first
            // comparison and another one the second.
            let from = Condition.compare(term, .greaterOrEqual, .constant(lower), [])
            write(.and([from, .compare(term, .less, .constant(upper), [])]), isNested: isNested)
        case .fullText(let path, let constant):
            comparison { printer in
                printer.write(path)
                printer.out += " TEXT "
                printer.write(constant)
            }
        case .within(let path, let constant):
            comparison { printer in
                printer.write(path)
                printer.out += printer.isInline ? " geoWithin " : " IN "
                printer.write(constant)
            }
        case .term(let term):
            comparison { printer in
                printer.write(term)
                printer.out += " == true"
            }
        }
    }

    private mutating func comparison(_ body: (inout QueryPrinter) -> Void) {
        if !isInline { out += "(" }
        body(&self)
        if !isInline { out += ")" }
    }

    private mutating func write(_ all: [Condition], _ word: String, _ isNested: Bool, empty: Bool) {
        guard all.count > 1 else {
            return write(all.first ?? .truth(empty), isNested: isNested)
        }
        // RealmSwift nests them by twos, to the left.
        let opening = isInline ? (isNested ? "(" : "") : String(repeating: "(", count: all.count - 1)
        out += opening
        for (i, condition) in all.enumerated() {
            if i > 0 { out += " \(word) " }
            write(condition, isNested: true)
            if i > 0, !isInline { out += ")" }
        }
        if isInline, isNested { out += ")" }
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
        if let quantifier = path.quantifier {
            out += quantifier.text + " "
        } else if !isInline, !path.collections.isEmpty, path.suffix == nil {
            out += "ANY "
        }
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
        for (i, step) in path.steps.enumerated() {
            switch step {
            case .name(let name):
                separate(&self)
                out += name.replacing(" ", with: "\\ ")
            case .links(let className, let property):
                separate(&self)
                out += "@links.\(className.replacing(" ", with: "\\ ")).\(property.replacing(" ", with: "\\ "))"
            case .place(.keys):
                separate(&self)
                out += isInline ? "@keys" : "@allKeys"
            // Of a map, whose values a closure asks for.
            case .place(.all) where !isInline && path.collections.contains(i + 1):
                separate(&self)
                out += "@allValues"
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

    /// Whether the path would be read as something else: it has no name, or one that is a keyword.
    private static func needsSelf(_ path: NamedPath) -> Bool {
        switch path.steps.first {
        case nil: return path.suffix != .incomingLinks
        case .links: return false
        case .place: return true
        case .name(let name):
            let keywords = [
                "true", "false", "null", "nil", "inf", "infinity", "nan", "yes", "no", "not", "any", "some", "all",
                "none", "truepredicate", "falsepredicate", "self",
            ]
            // What follows a name tells it from a keyword.
            if path.steps.count > 1 || path.suffix != nil { return name == "self" || name == "SELF" }
            return keywords.contains(name.lowercased())
                || (name.first == "O" && name.utf8.dropFirst().allSatisfy(QueryLexer.isDigit))
        }
    }

    private mutating func write(_ place: Subscript) {
        switch place {
        case .index(let index): write(place: .int(Int64(index)), plain: index)
        case .key(let key): write(place: .string(key), plain: key)
        case .first: out += "[FIRST]"
        case .last: out += "[LAST]"
        case .all where isInline: out += "[*]"
        case .all:
            out += "[%K]"
            arguments.append("#any")
        case .keys: out += ".@keys"
        }
    }

    private mutating func write(place value: Value, plain: Any) {
        if isInline {
            out += "[\(value.queryText)]"
        } else {
            out += "[%@]"
            arguments.append(plain)
        }
    }

    // MARK: Constants

    private mutating func write(_ constant: Constant) {
        guard let convert = self.constant else { return writePlaceholder(constant) }
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
            switch convert(argument) {
            case .argument?, nil: out += "<\(Self.typeName(argument))>"
            case let constant?: write(constant)
            }
        case .object(let tableID, let key): out += tableID.map { "L\($0):\(key.raw)" } ?? "O\(key.raw)"
        case .objectWithPrimaryKey(let className, let value):
            out += "obj(\(Value.string(className).queryText), \(value.queryText))"
        case .shape(let shape): out += shape.description
        }
    }

    /// That of what is in an optional.
    private static func typeName(_ argument: Any) -> String {
        let mirror = Mirror(reflecting: argument)
        guard mirror.displayStyle == .optional, let wrapped = mirror.children.first else {
            return "\(type(of: argument))"
        }
        return typeName(wrapped.value)
    }

    private mutating func writePlaceholder(_ constant: Constant) {
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

    // MARK: Stages

    private mutating func write(_ stage: WrittenQuery.Stage) {
        switch stage {
        case .sort(let keys):
            out += "SORT("
            for (i, key) in keys.enumerated() {
                if i > 0 { out += ", " }
                writeSteps(key.path)
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
    /// As it is written.
    var text: String {
        switch self {
        case .any: "ANY"
        case .all: "ALL"
        case .none: "NONE"
        }
    }
}

extension TextOptions {
    /// As it is written after an operator.
    var text: String {
        let letters = (contains(.ignoringCase) ? "c" : "") + (contains(.ignoringDiacritics) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}
