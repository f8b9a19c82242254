/// The conversion of uses of a former `RealmOptional` or `RealmProperty`: `age.value` becomes `age`.
extension Converter {
    mutating func convertUses() {
        let boxes = plans.values.reduce(into: Set<String>()) { $0.formUnion($1.boxes) }
        for (f, file) in files.enumerated() where file.problem == nil {
            if !boxes.isEmpty {
                for i in file.tokens.indices where isUse(i, of: boxes, in: file) { convertUse(i, inFile: f) }
            }
            reportLeftovers(f)
        }
    }

    private func isUse(_ i: Int, of boxes: Set<String>, in file: SourceFile) -> Bool {
        guard i + 2 < file.tokens.count, let name = file.tokens[i].name, boxes.contains(name) else { return false }
        guard file.tokens[i + 1].isMark("."), file.tokens[i + 2].isWord("value") else { return false }
        // The member is a method, or that of a dictionary: `age.value(forKey:)`.
        return i + 3 >= file.tokens.count || !file.tokens[i + 3].isMark("(")
            || file.tokens[i + 3].start != file.tokens[i + 2].end
    }

    private mutating func convertUse(_ i: Int, inFile f: Int) {
        let file = files[f]
        let name = file.tokens[i].text
        if edits[f].contains(file.tokens[i].start) { return }
        func shorten() {
            // A comment may be between the tokens.
            edits[f].remove(file.tokens[i + 1].start..<file.tokens[i + 1].end)
            edits[f].remove(file.tokens[i + 2].start..<file.tokens[i + 2].end)
            counts.uses += 1
        }
        guard i > 0, file.tokens[i - 1].isMark(".") else {
            guard let owner = index.enclosing(inFile: f, at: i), hasBox(name, owner) else { return }
            guard !isShadowed(name, at: i, in: file) else {
                return report(
                    .left,
                    inFile: f,
                    at: i,
                    "\(name).value: a local of the name hides the property here, perhaps"
                )
            }
            return shorten()
        }
        // The name follows `dog.`, `dog?.` or `dog!.`.
        let isChained = i > 2 && (file.tokens[i - 2].isMark("?") || file.tokens[i - 2].isMark("!"))
        let place = isChained ? i - 3 : i - 2
        let receiver = place >= 0 ? file.tokens[place] : nil
        if receiver?.isWord("self") == true || receiver?.isWord("super") == true {
            if let owner = index.enclosing(inFile: f, at: i), hasBox(name, owner) { shorten() }
            return
        }
        if let word = receiver?.name, word.first!.isUppercase, index.isModel(word) || index.isDeclared(word) {
            if index.models(named: word).contains(where: { hasBox(name, $0) }) { shorten() }
            return
        }
        if let word = receiver?.name, !(place > 0 && file.tokens[place - 1].isMark(".")) {
            switch self.receiver(word, at: i, f) {
            case .model(let model):
                if hasBox(name, model) { shorten() }
                return
            case .other: return
            case .unknown: break
            }
        }
        // The class of the receiver isn't known here.
        if let other = otherDeclaration(of: name) {
            return report(
                .left,
                inFile: f,
                at: i,
                "\(name).value: of a model's, or of \(other)? Drop '.value' if it is the model's"
            )
        }
        shorten()
        let shown = receiver.map { $0.text + (isChained ? file.tokens[i - 2].text : "") + "." } ?? ""
        report(.note, inFile: f, at: i, "\(shown)\(name).value has become \(shown)\(name), taken for a model's")
    }

    /// Returns a Boolean value that indicates whether a property of a type, or of its superclass, was a box.
    private func hasBox(_ name: String, _ reference: ModelIndex.Reference) -> Bool {
        guard let model = index.model(reference) else { return false }
        return index.lineage(model).contains { plans[$0]?.boxes.contains(name) ?? false }
    }

    /// Returns a type with a property of the name that wasn't a box, and that may have a member `value`.
    private func otherDeclaration(of name: String) -> String? {
        for (f, file) in files.enumerated() {
            for (t, type) in file.types.enumerated() {
                let isOwn = plans[.init(file: f, type: t)]?.boxes.contains(name) ?? false
                let hasIt = type.variables.contains { variable in
                    variable.bindings.contains {
                        file.tokens[$0.name].text == name && !PlainTypes.isValue($0, in: file)
                    }
                }
                if hasIt, !isOwn { return type.name }
            }
        }
        return nil
    }

    // MARK: Locals

    /// Returns a Boolean value that indicates whether a use refers to a parameter or local of the name.
    private func isShadowed(_ name: String, at use: Int, in file: SourceFile) -> Bool {
        let tokens = file.tokens
        guard
            let owner = file.types.filter({ $0.body.contains(use) }).max(by: { $0.body.lowerBound < $1.body.lowerBound }
            )
        else { return false }
        var start = use
        for function in owner.functions where function.body?.contains(use) == true {
            for i in function.signature where tokens[i].name == name && tokens[i + 1].isMark(":") { return true }
            start = function.body!.lowerBound
        }
        for variable in owner.variables where (variable.head.start..<variable.end).contains(use) {
            // The names of the members themselves don't hide other names.
            start = variable.bindings.compactMap { ($0.value ?? $0.block)?.lowerBound }.min() ?? use
        }
        for i in min(start, use)..<use where tokens[i].name == name {
            let scope = scope(of: i, file)
            if let scope, scope.contains(use) { return true }
        }
        return false
    }

    /// Returns the scope of a name that is bound at a token, or nil if the token binds no name.
    private func scope(of i: Int, _ file: SourceFile) -> Range<Int>? {
        let tokens = file.tokens
        guard i > 0, i + 1 < tokens.count else { return nil }
        let isBound =
            tokens[i - 1].isWord("let") || tokens[i - 1].isWord("var") || tokens[i - 1].isWord("for")
            || tokens[i + 1].isWord("in") || (tokens[i + 1].isMark(",") && closureParameters(i, tokens))
        guard isBound else { return nil }
        var start = i + 1
        // The name isn't visible in its own value.
        if tokens[start].isMark("=") {
            start += 1
            while start < tokens.count, !tokens[start].isMark("{"), !tokens[start].isMark(","),
                !tokens[start].isMark("}"),
                !tokens[start].isWord("else"),
                !(tokens[start].startsLine && !tokens[start].isMark(".") && !tokens[start].isMark("?"))
            {
                start = max(file.partner[start], start) + 1
            }
        }
        // For `if let`, `while let` and `for`, the scope is the following block.
        var k = i - 1
        while k > 0, !tokens[k].isMark("{"), !tokens[k].isMark("}"), !tokens[k].isMark(";") {
            if tokens[k].isWord("if") || tokens[k].isWord("while") || tokens[k].isWord("for")
                || tokens[k].isWord("case")
            {
                var end = start
                while end < tokens.count, !tokens[end].isMark("{"), !tokens[end].isMark("}") {
                    end = max(file.partner[end], end) + 1
                }
                return start..<(end < tokens.count ? max(file.partner[end], end) : end)
            }
            if tokens[k].startsLine, tokens[k].isWord("let") || tokens[k].isWord("var") || tokens[k].isWord("guard") {
                break
            }
            k = tokens[k].isMark(")") || tokens[k].isMark("]") ? file.partner[k] - 1 : k - 1
        }
        // Otherwise the scope extends to the end of the enclosing block.
        var end = start
        while end < tokens.count, !tokens[end].isMark("}") { end = max(file.partner[end], end) + 1 }
        return start <= end ? start..<end : nil
    }

    private func closureParameters(_ i: Int, _ tokens: [Token]) -> Bool {
        var k = i
        while k + 2 < tokens.count, tokens[k].name != nil, tokens[k + 1].isMark(",") { k += 2 }
        return k + 1 < tokens.count && tokens[k + 1].isWord("in")
    }

    // MARK: Remaining uses

    private mutating func reportLeftovers(_ f: Int) {
        let file = files[f]
        for (i, token) in file.tokens.enumerated()
        where token.isWord("RealmOptional") || token.isWord("RealmProperty") {
            if edits[f].contains(token.start) { continue }
            report(.left, inFile: f, at: i, "\(token.text) doesn't exist any more: use an optional")
        }
    }
}
