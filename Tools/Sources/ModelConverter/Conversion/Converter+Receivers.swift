/// The type of a name before a period, if a nearby declaration contains it.
extension Converter {
    enum Receiver {
        case model(ModelIndex.Reference)
        case other
        case unknown
    }

    func receiver(_ word: String, at use: Int, _ f: Int) -> Receiver {
        let file = files[f]
        let tokens = file.tokens
        let around = file.types.filter { $0.body.contains(use) }.sorted { $0.body.lowerBound > $1.body.lowerBound }
        for owner in around {
            for function in owner.functions where function.body?.contains(use) == true {
                for i in (function.signature.lowerBound..<use).reversed() where tokens[i].name == word {
                    if let type = declaredType(i, inFile: f) { return named(type) }
                }
            }
            for variable in owner.variables {
                for binding in variable.bindings where tokens[binding.name].text == word {
                    if let type = declaredType(binding.name, inFile: f) { return named(type) }
                }
            }
        }
        // Outside of types, the parameters and locals of a function are before the use.
        guard around.isEmpty else { return .unknown }
        for i in (max(0, use - 1000)..<use).reversed() where tokens[i].name == word {
            if let type = declaredType(i, inFile: f) { return named(type) }
        }
        return .unknown
    }

    private func named(_ type: String) -> Receiver {
        if let model = index.models(named: type).first { return .model(model) }
        return index.isDeclared(type) ? .other : .unknown
    }

    /// Returns the type's name in `name: Person?`, `name = Person(…)` or `name = … as? Person`.
    private func declaredType(_ i: Int, inFile f: Int) -> String? {
        let tokens = files[f].tokens
        guard i + 2 < tokens.count else { return nil }
        if tokens[i + 1].isMark(":") {
            let end = Parser(tokens, files[f].partner).typeEnd(i + 2, before: tokens.count)
            return Parser.path(tokens[(i + 2)..<end]).last
        }
        let isBound = i > 0 && (tokens[i - 1].isWord("let") || tokens[i - 1].isWord("var"))
        guard isBound, tokens[i + 1].isMark("=") else { return nil }
        var k = i + 2
        let path = Parser.path(tokens[k...])
        let behind = k + path.count * 2 - 1
        if let type = path.last, type.first!.isUppercase, behind < tokens.count, tokens[behind].isMark("(") {
            return type
        }
        while k + 2 < tokens.count, !tokens[k].startsLine || k == i + 2, !tokens[k].isMark("{") {
            if tokens[k].isWord("as") {
                let isQuestion = tokens[k + 1].isMark("?") || tokens[k + 1].isMark("!")
                return Parser.path(tokens[(k + (isQuestion ? 2 : 1))...]).last
            }
            k = max(files[f].partner[k], k) + 1
        }
        return nil
    }
}
