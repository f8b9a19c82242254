import FreeholdBSON
import FreeholdEngine

/// A condition of the query language that contains expansions.
///
/// The parsed text has an argument for each expansion. The values of the expansions are inserted into the parsed
/// condition, so that data of a user is never parsed as a query.
struct QueryTemplate: Sendable {
    /// The text, with `$0`, `$1`, … in the place of the expansions.
    private let text: String
    private let expansions: [Expansion]

    /// A placeholder for the value of an expansion in the parsed condition.
    private struct Slot {
        let index: Int
    }

    init(_ text: String, _ path: [String]) throws(RuleError) {
        var scanner = TemplateScanner(text)
        try scanner.run(path)
        self.text = scanner.out
        expansions = scanner.expansions
        let query: WrittenQuery
        do { query = try parse() } catch {
            throw RuleError(path, "The query can't be read: \(error.message)")
        }
        guard query.stages.isEmpty else {
            throw RuleError(path, "Sorting, distinct and limits aren't part of a right.")
        }
    }

    /// Parses the text. It can't fail here, because the initialiser has parsed the text as well.
    private func parse() throws(QueryError) -> WrittenQuery {
        try QueryParser.parse(text, arguments: expansions.indices.map { Slot(index: $0) })
    }

    /// The parsed condition, before values are inserted.
    var condition: Condition { (try? parse())?.condition ?? .truth(false) }

    /// Returns the text of the condition that a closure returns for this one. The text contains the expansions.
    func mapped(_ body: (Condition) -> Condition) -> String {
        // An expansion is printed at the place of its value.
        QueryPrinter.text(body(condition)) { argument in
            (argument as? Slot).map { .number(expansions[$0.index].description) }
        }
    }

    /// Returns the condition for a user, with negations at its leaves. A leaf that needs a missing value of the user is
    /// false, with or without a negation.
    func condition(_ user: RuleUser, isNegated: Bool) -> Condition {
        let constants = expansions.map { expansion in user.value(expansion).flatMap { Constant($0) } }
        return Filler(constants: constants).pushed(condition, isNegated)
    }

    /// Replaces slots by values.
    private struct Filler {
        let constants: [Constant?]

        func pushed(_ condition: Condition, _ isNegated: Bool) -> Condition {
            switch condition {
            case .truth(let truth): return .truth(truth != isNegated)
            case .not(let inner): return pushed(inner, !isNegated)
            case .and(let parts, _):
                let parts = parts.map { pushed($0, isNegated) }
                return isNegated ? .some(of: parts) : .every(parts)
            case .or(let parts, _):
                let parts = parts.map { pushed($0, isNegated) }
                return isNegated ? .every(parts) : .some(of: parts)
            case .compare, .between, .fullText, .within, .term:
                guard let leaf = filled(condition) else { return .truth(false) }
                return isNegated ? .not(leaf) : leaf
            }
        }

        /// Returns the condition with values, or `nil` if a value is missing.
        private func filled(_ condition: Condition) -> Condition? {
            switch condition {
            case .truth: return condition
            case .not(let inner): return filled(inner).map { .not($0) }
            case .and(let parts, let closings): return filled(parts).map { .and($0, closings: closings) }
            case .or(let parts, let closings): return filled(parts).map { .or($0, closings: closings) }
            case .compare(let a, let relation, let b, let options):
                guard let a = filled(a), let b = filled(b) else { return nil }
                return .compare(a, relation, b, options)
            case .between(let term, let lower, let upper, let isClosed):
                guard let term = filled(term), let lower = filled(lower), let upper = filled(upper) else { return nil }
                return .between(term, lower: lower, upper: upper, isClosed: isClosed)
            case .fullText(let path, let words): return filled(words).map { .fullText(path, $0) }
            case .within(let path, let shape): return filled(shape).map { .within(path, $0) }
            case .term(let term): return filled(term).map { .term($0) }
            }
        }

        private func filled(_ parts: [Condition]) -> [Condition]? {
            let filled = parts.compactMap { self.filled($0) }
            return filled.count == parts.count ? filled : nil
        }

        private func filled(_ term: Term) -> Term? {
            switch term {
            case .constant(let constant): return filled(constant).map { .constant($0) }
            case .path: return term
            case .subquery(let path, let variable, let condition):
                return filled(condition).map { .subquery(path, variable: variable, $0) }
            case .arithmetic(let sign, let a, let b):
                guard let a = filled(a), let b = filled(b) else { return nil }
                return .arithmetic(sign, a, b)
            }
        }

        private func filled(_ constant: Constant) -> Constant? {
            switch constant {
            case .argument(let argument): return (argument as? Slot).flatMap { constants[$0.index] }
            case .list(let all, let quantifier):
                let filled = all.compactMap { self.filled($0) }
                return filled.count == all.count ? .list(filled, quantifier) : nil
            default: return constant
            }
        }
    }
}

/// Finds the expansions in the text of a query: `%%` followed by names with dots, outside of strings.
private struct TemplateScanner {
    private let bytes: [UInt8]
    private(set) var out = ""
    private(set) var expansions: [Expansion] = []

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func run(_ path: [String]) throws(RuleError) {
        var at = 0
        var copied = 0
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\\"): at += 2
            case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
                at += 1
                while at < bytes.count, bytes[at] != quote { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
                at += 1
            case UInt8(ascii: "%"):
                guard at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "%") else {
                    throw RuleError(path, "A query of rules has no arguments: write %%user.id or %%values.name.")
                }
                out += text(copied, at)
                let start = at
                at += 2
                while at < bytes.count, isPart(bytes[at]) { at += 1 }
                out += "$\(expansions.count)"
                expansions.append(try Expansion(text(start, at), path))
                copied = at
            case UInt8(ascii: "$") where at + 1 < bytes.count && isArgument(bytes[at + 1]):
                throw RuleError(path, "A query of rules has no arguments: write %%user.id or %%values.name.")
            default: at += 1
            }
        }
        out += text(copied, bytes.count)
    }

    private func text(_ from: Int, _ to: Int) -> String {
        from < to ? String(decoding: bytes[from..<min(to, bytes.count)], as: UTF8.self) : ""
    }

    private func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    private func isArgument(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || byte == UInt8(ascii: "K") }
}
