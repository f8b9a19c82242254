extension Parser {
    /// Parses the members of a type.
    mutating func members(_ range: Range<Int>, of type: Int) {
        var i = range.lowerBound
        var conditions = 0
        while i < range.upperBound {
            let token = tokens[i]
            if token.kind == .directive {
                if token.text.hasPrefix("#if") { conditions += 1 }
                if token.text.hasPrefix("#endif") { conditions -= 1 }
                i += 1
                continue
            }
            guard token.isMark("@") || token.name != nil else {
                // The arguments of a macro, or unknown tokens.
                i = max(partner[i], i) + 1
                continue
            }
            var (head, keyword) = head(i, before: range.upperBound)
            head.isConditional = conditions > 0
            guard keyword < range.upperBound else { return }
            if let end = self.type(head, from: keyword, before: range.upperBound) {
                i = end
                continue
            }
            switch tokens[keyword].kind == .word(quoted: false) ? tokens[keyword].text : "" {
            case "var", "let":
                let variable = variable(head, from: keyword, before: range.upperBound)
                types[type].variables.append(variable)
                i = variable.end
            case "func", "init", "deinit", "subscript":
                let function = function(head, from: keyword, before: range.upperBound)
                types[type].functions.append(function)
                if let body = function.body { statements(body) }
                i = function.end
            case "typealias": i = typealiasDeclaration(keyword, before: range.upperBound)
            case "case", "associatedtype", "import", "macro": i = declarationEnd(keyword + 1, before: range.upperBound)
            default: i = max(keyword, i + 1)
            }
        }
    }

    // MARK: Variables

    private func variable(_ head: DeclarationHead, from keyword: Int, before limit: Int) -> VariableDeclaration {
        var declaration = VariableDeclaration(
            head: head,
            keyword: keyword,
            isLet: tokens[keyword].text == "let",
            bindings: [],
            end: keyword + 1
        )
        var i = keyword + 1
        var isPlain = true
        while i < limit {
            if tokens[i].isMark("(") {
                isPlain = false
                i = partner[i] + 1
            } else if tokens[i].name != nil {
                declaration.bindings.append(.init(name: i))
                i += 1
            } else {
                break
            }
            let binding = declaration.bindings.count - 1
            var type: Range<Int>?
            if i < limit, tokens[i].isMark(":") {
                let end = typeEnd(i + 1, before: limit)
                type = (i + 1)..<end
                i = end
            }
            var value: (equals: Int, range: Range<Int>)?
            if i < limit, tokens[i].isMark("="), i + 1 < limit {
                let end = expressionEnd(i + 1, before: limit)
                value = (i, (i + 1)..<end)
                i = end
            }
            var block: Range<Int>?
            if i < limit, tokens[i].isMark("{") {
                block = i..<(partner[i] + 1)
                i = partner[i] + 1
            }
            if isPlain {
                declaration.bindings[binding].type = type
                declaration.bindings[binding].equals = value?.equals
                declaration.bindings[binding].value = value?.range
                declaration.bindings[binding].block = block
                declaration.bindings[binding].isComputed = block.map { !isObserved($0) } ?? false
            }
            guard i < limit, tokens[i].isMark(",") else { break }
            i += 1
        }
        if !isPlain { declaration.bindings = [] }
        declaration.end = max(i, keyword + 1)
        return declaration
    }

    /// Returns a Boolean value that indicates whether a block has observers, so that the property is a stored one.
    private func isObserved(_ block: Range<Int>) -> Bool {
        let (_, first) = head(block.lowerBound + 1, before: block.upperBound)
        return first < block.upperBound && (tokens[first].isWord("didSet") || tokens[first].isWord("willSet"))
    }

    /// Returns the end of a default value, which is a comma, a block of observers, or the beginning of the next
    /// declaration.
    private func expressionEnd(_ start: Int, before limit: Int) -> Int {
        var i = start
        while i < limit {
            let token = tokens[i]
            if token.isMark(",") || token.isMark(";") || token.kind == .directive { return i }
            if i > start, token.isMark("{"), isObserved(i..<(partner[i] + 1)) { return i }
            if i > start, token.startsLine, beginsDeclaration(at: i, before: limit) { return i }
            i = argumentsEnd(i, before: limit) ?? max(partner[i], i) + 1
        }
        return limit
    }

    /// Returns the end of the generic arguments of a type in an expression, whose commas don't separate variables:
    /// `Map<String, Int>()`.
    private func argumentsEnd(_ i: Int, before limit: Int) -> Int? {
        guard tokens[i].isMark("<"), i > 0, tokens[i - 1].name != nil, tokens[i - 1].end == tokens[i].start else {
            return nil
        }
        let end = genericsEnd(i, before: limit)
        let marks: Set<String> = ["<", ">", ",", ".", "?", "!", "[", "]", "(", ")", ":", "&", "-"]
        let isType = tokens[i..<end].allSatisfy { $0.name != nil || ($0.kind == .mark && marks.contains($0.text)) }
        return end > i + 1 && isType ? end : nil
    }

    private func beginsDeclaration(at i: Int, before limit: Int) -> Bool {
        if tokens[i].isMark("@") { return true }
        guard case .word(false) = tokens[i].kind else { return false }
        if i > 0, tokens[i - 1].isMark(".") { return false }
        let (_, keyword) = head(i, before: limit)
        return keyword < limit && tokens[keyword].kind == .word(quoted: false)
            && Self.introducers.contains(tokens[keyword].text)
    }

    /// Returns the first token of another declaration.
    private func declarationEnd(_ start: Int, before limit: Int) -> Int {
        var i = start
        while i < limit {
            if tokens[i].isMark(";") || tokens[i].kind == .directive { return i }
            if tokens[i].startsLine, beginsDeclaration(at: i, before: limit) { return i }
            // `case a case b` on one line is valid Swift.
            i = max(partner[i], i) + 1
        }
        return limit
    }

    // MARK: Functions

    private func function(_ head: DeclarationHead, from keyword: Int, before limit: Int) -> FunctionDeclaration {
        var i = keyword + 1
        let name = tokens[keyword].text == "func" && i < limit ? tokens[i].text : tokens[keyword].text
        while i < limit, !tokens[i].isMark("{"), !tokens[i].isMark(";") {
            if tokens[i].isMark("(") || tokens[i].isMark("[") {
                i = partner[i]
            } else if i > keyword + 1, tokens[i].startsLine, beginsDeclaration(at: i, before: limit) {
                // A requirement of a protocol has no body.
                break
            }
            i += 1
        }
        let signature = (keyword + 1)..<min(i, limit)
        let hasBody = i < limit && tokens[i].isMark("{")
        return FunctionDeclaration(
            head: head,
            keyword: keyword,
            name: name,
            signature: signature,
            body: hasBody ? (i + 1)..<partner[i] : nil,
            end: hasBody ? partner[i] + 1 : i
        )
    }

    // MARK: Types

    /// Returns the token after the angle bracket that closes the one at a token.
    func genericsEnd(_ start: Int, before limit: Int) -> Int {
        var depth = 0
        var i = start
        while i < limit {
            if tokens[i].isMark("<") { depth += 1 }
            if tokens[i].isMark(">"), !(tokens[i - 1].isMark("-") && tokens[i - 1].end == tokens[i].start) {
                depth -= 1
                if depth == 0 { return i + 1 }
            }
            i = max(partner[i], i) + 1
        }
        return min(start + 1, limit)
    }

    /// Returns the token after the type that begins at a token, or the same token if no type begins there.
    func typeEnd(_ start: Int, before limit: Int) -> Int {
        var i = start
        let prefixes: Set<String> = ["some", "any", "inout", "borrowing", "consuming", "sending", "isolated"]
        while i < limit {
            if tokens[i].isMark("@") {
                i += 2
            } else if prefixes.contains(tokens[i].text), i + 1 < limit,
                tokens[i + 1].name != nil || tokens[i + 1].isMark("(")
            {
                i += 1
            } else {
                break
            }
        }
        guard i < limit else { return start }
        if tokens[i].isMark("(") || tokens[i].isMark("[") {
            i = partner[i] + 1
        } else if tokens[i].isMark("~") {
            return typeEnd(i + 1, before: limit)
        } else if tokens[i].name != nil {
            i += 1
            if i < limit, tokens[i].isMark("<") { i = genericsEnd(i, before: limit) }
        } else {
            return start
        }
        while i < limit {
            if (tokens[i].isMark("?") || tokens[i].isMark("!")) && tokens[i].start == tokens[i - 1].end {
                i += 1
            } else if tokens[i].isMark("."), i + 1 < limit, tokens[i + 1].name != nil {
                i += 2
                if i < limit, tokens[i].isMark("<") { i = genericsEnd(i, before: limit) }
            } else if tokens[i].isMark("&") {
                return typeEnd(i + 1, before: limit)
            } else if tokens[i].isMark("-"), i + 1 < limit, tokens[i + 1].isMark(">") {
                return typeEnd(i + 2, before: limit)
            } else if tokens[i].isWord("async") || tokens[i].isWord("throws") || tokens[i].isWord("rethrows") {
                i += 1
            } else {
                break
            }
        }
        return i
    }
}
