/// A piece of a query's text.
struct QueryToken {
    enum Kind {
        /// The name of a property or class, or a keyword. The position decides which of them it is.
        case name(String)
        /// The digits of a number, without a sign.
        case number(String)
        /// A quoted string with its escapes replaced.
        case text(String)
        /// A date, an identifier, data, or an object by table and key.
        case literal(Constant)
        /// `$0`, or the next argument if the number is `nil`.
        case argument(Int?)
        /// `$K0` or `%K`: a path that is an argument.
        case pathArgument(Int?)
        /// An operation such as `@count`, without the `@`.
        case operation(String)
        /// `#any`
        case wildcard
        case symbol(Symbol)
        /// An error, kept until the parser reaches the token.
        case broken(QueryError)
        case end
    }

    enum Symbol: String, CaseIterable {
        case equal = "=="
        case assign = "="
        case notEqual = "!="
        case lessGreater = "<>"
        case less = "<"
        case lessOrEqual = "<="
        case equalLess = "=<"
        case greater = ">"
        case greaterOrEqual = ">="
        case equalGreater = "=>"
        case and = "&&"
        case or = "||"
        case not = "!"
        case open = "("
        case close = ")"
        case openBrace = "{"
        case closeBrace = "}"
        case openBracket = "["
        case closeBracket = "]"
        case comma = ","
        case dot = "."
        case plus = "+"
        case minus = "-"
        case star = "*"
        case slash = "/"

        var comparison: ConditionOperator? {
            switch self {
            case .equal, .assign: .equal
            case .notEqual, .lessGreater: .notEqual
            case .less: .less
            case .lessOrEqual, .equalLess: .lessOrEqual
            case .greater: .greater
            case .greaterOrEqual, .equalGreater: .greaterOrEqual
            default: nil
            }
        }

        var arithmetic: ArithmeticOperator? {
            switch self {
            case .plus: .add
            case .minus: .subtract
            case .star: .multiply
            case .slash: .divide
            default: nil
            }
        }
    }

    let kind: Kind
    /// The range of the token, in bytes of the text.
    let start: Int
    let end: Int

    var name: String? {
        if case .name(let name) = kind { name } else { nil }
    }

    /// The token's text in error messages.
    var description: String {
        switch kind {
        case .name(let name): "'\(Self.short(name))'"
        case .number(let digits): Self.short(digits)
        case .text(let text): "\"\(Self.short(text))\""
        case .literal: "this constant"
        case .argument(let index): index.map { "$\($0)" } ?? "this argument"
        case .pathArgument(let index): index.map { "$K\($0)" } ?? "%K"
        case .operation(let name): "@\(Self.short(name))"
        case .wildcard: "#any"
        case .symbol(let symbol): "'\(symbol.rawValue)'"
        case .broken: "this"
        case .end: "the end of the query"
        }
    }

    static func short(_ text: String) -> String { text.count > 40 ? text.prefix(40) + "…" : text }
}
