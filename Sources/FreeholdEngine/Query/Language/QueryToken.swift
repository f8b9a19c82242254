/// A piece of a query's text.
struct QueryToken {
    enum Kind {
        /// A property, class or keyword: what it is depends on where it stands.
        case name(String)
        /// The digits of a number, without a sign.
        case number(String)
        /// A quoted string, its escapes replaced.
        case text(String)
        /// A date, an identifier, data, or an object by table and key.
        case literal(Constant)
        /// `$0`, or (nil) the next of the arguments.
        case argument(Int?)
        /// `$K0`, `%K`: a path as an argument.
        case pathArgument(Int?)
        /// `@count` and the like, without the sign.
        case operation(String)
        /// `#any`
        case wildcard
        case symbol(Symbol)
        /// What can't be read, kept until the parser comes to it.
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
    /// In bytes of the text.
    let start: Int
    let end: Int

    var name: String? {
        if case .name(let name) = kind { name } else { nil }
    }

    /// For error messages.
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
