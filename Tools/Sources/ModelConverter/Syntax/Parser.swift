/// A parser that finds the declarations of types and of their members at any place, including functions.
struct Parser {
    let tokens: [Token]
    let partner: [Int]
    var types: [TypeDeclaration] = []
    var aliases: [(name: String, target: [String])] = []
    var imports: [ImportDeclaration] = []

    init(_ tokens: [Token], _ partner: [Int]) {
        self.tokens = tokens
        self.partner = partner
    }

    mutating func parse() { statements(tokens.indices) }

    static let modifiers: Set<String> = [
        "public", "private", "internal", "fileprivate", "open", "package", "static", "class", "final", "lazy",
        "dynamic",
        "override", "weak", "unowned", "required", "convenience", "mutating", "nonmutating", "optional", "indirect",
        "nonisolated", "prefix", "postfix", "infix", "isolated", "distributed", "consuming", "borrowing", "async",
    ]
    static let introducers: Set<String> = [
        "var", "let", "func", "init", "deinit", "subscript", "typealias", "associatedtype", "case", "import", "class",
        "struct", "enum", "extension", "protocol", "actor", "operator", "precedencegroup", "macro",
    ]
    private static let typeKeywords: Set<String> = ["class", "struct", "enum", "extension", "protocol", "actor"]

    // MARK: Heads

    /// Parses the attributes and modifiers that begin at a token.
    ///
    /// - Returns: The attributes and modifiers, and the token after them.
    func head(_ start: Int, before limit: Int) -> (DeclarationHead, Int) {
        var head = DeclarationHead(start: start)
        var i = start
        while i < limit {
            if tokens[i].isMark("@"), i + 1 < limit, tokens[i + 1].name != nil {
                let attribute = attribute(i, before: limit)
                head.attributes.append(attribute)
                i = attribute.range.upperBound
            } else if let modifier = modifier(i, before: limit) {
                head.modifiers.append(modifier)
                i = modifier.range.upperBound
            } else {
                break
            }
        }
        return (head, i)
    }

    /// Parses the attribute that begins at an `@`, with or without a name after it.
    private func attribute(_ start: Int, before limit: Int) -> Attribute {
        var i = min(start + 2, limit)
        while i + 1 < limit, tokens[i].isMark("."), tokens[i + 1].name != nil { i += 2 }
        // The generic parameters of a property wrapper.
        if i < limit, tokens[i].isMark("<"), tokens[i].start == tokens[i - 1].end { i = genericsEnd(i, before: limit) }
        let name = tokens[(start + 1)..<i].map(\.text).joined()
        // Parentheses elsewhere belong to a tuple.
        if i < limit, tokens[i].isMark("("), tokens[i].start == tokens[i - 1].end {
            return Attribute(name: name, range: start..<(partner[i] + 1), arguments: (i + 1)..<partner[i])
        }
        return Attribute(name: name, range: start..<i, arguments: nil)
    }

    private func modifier(_ i: Int, before limit: Int) -> Modifier? {
        let token = tokens[i]
        guard case .word(false) = token.kind, Self.modifiers.contains(token.text), i + 1 < limit else { return nil }
        let next = tokens[i + 1]
        if next.isMark("("), next.start == token.end, ["set", "safe", "unsafe"].contains(tokens[i + 2].text),
            partner[i + 1] == i + 3
        {
            return Modifier(name: token.text, range: i..<(i + 4), detail: tokens[i + 2].text)
        }
        // A modifier is before another modifier, an attribute or a keyword. `class` may be the keyword.
        guard next.isMark("@") || Self.modifiers.contains(next.text) || Self.introducers.contains(next.text) else {
            return nil
        }
        if case .word(true) = next.kind { return nil }
        if token.text == "class", Self.typeKeywords.contains(next.text), next.text != "class" { return nil }
        return Modifier(name: token.text, range: i..<(i + 1), detail: nil)
    }

    // MARK: Statements

    /// Searches statements of any kind for types.
    mutating func statements(_ range: Range<Int>) {
        var i = range.lowerBound
        var conditions = 0
        while i < range.upperBound {
            let token = tokens[i]
            if token.kind == .directive {
                if token.text.hasPrefix("#if") { conditions += 1 }
                if token.text.hasPrefix("#endif") { conditions -= 1 }
            }
            // A word after a period is the name of a member, and one before a colon is a label.
            let isFirst = token.isMark("@") || (token.name != nil && !(i > 0 && tokens[i - 1].isMark(".")))
            guard isFirst else {
                i += 1
                continue
            }
            let (head, keyword) = head(i, before: range.upperBound)
            guard keyword < range.upperBound else { return }
            if let end = type(head, from: keyword, before: range.upperBound) {
                i = end
            } else if tokens[keyword].isWord("import"), tokens[keyword].startsLine || keyword > i || i == 0 {
                i = importDeclaration(head, from: keyword, before: range.upperBound, isConditional: conditions > 0)
            } else if tokens[keyword].isWord("typealias") {
                i = typealiasDeclaration(keyword, before: range.upperBound)
            } else {
                // The body of a function may contain types, too.
                i = max(keyword, i + 1)
            }
        }
    }

    private mutating func importDeclaration(
        _ head: DeclarationHead,
        from keyword: Int,
        before limit: Int,
        isConditional: Bool
    ) -> Int {
        var i = keyword + 1
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
        if i < limit, kinds.contains(tokens[i].text), !tokens[i].startsLine { i += 1 }
        guard i < limit, let module = tokens[i].name else { return keyword + 1 }
        i += 1
        while i + 1 < limit, tokens[i].isMark(".") { i += 2 }
        imports.append(
            ImportDeclaration(
                module: module,
                end: tokens[i - 1].end,
                start: tokens[head.start].start,
                isConditional: isConditional
            )
        )
        return i
    }

    mutating func typealiasDeclaration(_ keyword: Int, before limit: Int) -> Int {
        guard keyword + 1 < limit, let name = tokens[keyword + 1].name else { return keyword + 1 }
        var i = keyword + 2
        if i < limit, tokens[i].isMark("<") { i = genericsEnd(i, before: limit) }
        guard i + 1 < limit, tokens[i].isMark("=") else { return keyword + 1 }
        let end = typeEnd(i + 1, before: limit)
        aliases.append((name, Self.path(tokens[(i + 1)..<end])))
        return max(end, keyword + 1)
    }

    /// Returns the names of a plain type, without generic arguments, or an empty array for other types.
    static func path(_ tokens: ArraySlice<Token>) -> [String] {
        var path: [String] = []
        var i = tokens.startIndex
        while i < tokens.endIndex, let name = tokens[i].name {
            path.append(name)
            i += 1
            guard i < tokens.endIndex, tokens[i].isMark(".") else { break }
            i += 1
        }
        return path
    }

    // MARK: Types

    /// - Returns: The token after the type, or nil if the tokens aren't a type.
    mutating func type(_ head: DeclarationHead, from keyword: Int, before limit: Int) -> Int? {
        guard case .word(false) = tokens[keyword].kind, let kind = TypeDeclaration.Kind(rawValue: tokens[keyword].text),
            keyword + 1 < limit, var name = tokens[keyword + 1].name
        else { return nil }
        // `class var` and similar declarations were parsed as modifiers, and an `actor` may be a variable.
        if case .word(false) = tokens[keyword + 1].kind, Self.introducers.contains(name) { return nil }
        var nameToken = keyword + 1
        var i = keyword + 2
        while i + 1 < limit, tokens[i].isMark("."), let next = tokens[i + 1].name {
            name = next
            nameToken = i + 1
            i += 2
        }
        if i < limit, tokens[i].isMark("<") { i = genericsEnd(i, before: limit) }
        let nameEnd = i
        var inherited: [(path: [String], range: Range<Int>)] = []
        if i < limit, tokens[i].isMark(":") {
            repeat {
                var start = i + 1
                while start < limit, tokens[start].isMark("@") {
                    start = attribute(start, before: limit).range.upperBound
                }
                let end = typeEnd(start, before: limit)
                guard end > start else { return nil }
                inherited.append((Self.path(tokens[start..<end]), start..<end))
                i = end
            } while i < limit && tokens[i].isMark(",")
        }
        if i < limit, tokens[i].isWord("where") {
            while i < limit, !tokens[i].isMark("{") { i += 1 }
        }
        guard i < limit, tokens[i].isMark("{") else { return nil }
        let index = types.count
        types.append(
            TypeDeclaration(
                kind: kind,
                head: head,
                keyword: keyword,
                name: name,
                nameToken: nameToken,
                nameEnd: nameEnd,
                inherited: inherited,
                body: (i + 1)..<partner[i]
            )
        )
        members((i + 1)..<partner[i], of: index)
        return partner[i] + 1
    }
}
