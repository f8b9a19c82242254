/// Which names a language takes for one kind of thing: for classes, or for the properties of a class.
struct NameRules: Sendable {
    var characters: IdentifierCharacters
    /// How names are spelt, for which code has none of its own.
    var style = CaseStyle.stored
    /// The same where the language's own spelling is asked for.
    var idiom: CaseStyle
    /// Words of the language.
    var keywords: Set<String> = []
    /// How a word of the language can be a name all the same; nil if it can't.
    var quote: (@Sendable (String) -> String)?
    /// Names that mean something else already: members of each object, types that the code uses.
    var taken: Set<String> = []
    /// What is added to a name that can't be used.
    var suffix: String
    /// Other names that can't be used. - Returns: nil for those that can, else one that can.
    var mended: @Sendable (String) -> String? = { _ in nil }
    /// What has to be different of any two names.
    var distinction: @Sendable (String) -> String = { $0 }
    /// Whether what is stored under one name can have another in code.
    var canMap = true

    /// As it stands in code.
    func quoted(_ name: String) -> String { keywords.contains(name) ? quote?(name) ?? name : name }

    func isUsable(_ name: String) -> Bool {
        characters.isIdentifier(name) && (quote != nil || !keywords.contains(name)) && !taken.contains(name)
            && mended(name) == nil
    }

    /// The name, or one like it that can be used.
    func usable(_ name: String) -> String {
        var made = name
        if !characters.isIdentifier(made) { made = identifier(made) }
        // One reason may hide another.
        for _ in 0..<4 {
            guard let better = mended(made) else { break }
            made = better
        }
        if (quote == nil && keywords.contains(made)) || taken.contains(made) { made += suffix }
        return made
    }

    /// The words of a name, joined.
    private func identifier(_ name: String) -> String {
        var words: [String] = []
        var word = ""
        for scalar in name.unicodeScalars {
            if characters.isBody(scalar) {
                word.unicodeScalars.append(scalar)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        var out = ""
        for (i, word) in words.enumerated() {
            out += i == 0 && suffix == Self.propertySuffix ? word : CaseStyle.capitalized(word)
        }
        if out.isEmpty || out == "_" { out = suffix == Self.propertySuffix ? "unnamed" : "Unnamed" }
        // What may stand inside a name but not begin one.
        if !characters.isIdentifier(out) { out = "_" + out }
        return out
    }

    static let propertySuffix = "Value"
    static let classSuffix = "Object"
}

extension NameRules {
    /// Names for code, all different.
    ///
    /// - Parameters:
    ///   - names: what is stored, and what is wished for. What isn't stored has no stored name.
    ///   - idiomatic: whether names without a wish are spelt as the language's users do.
    ///   - also: names that can't be used here in addition.
    /// - Returns: nil where the stored name can't be used and no other may stand for it.
    /// - Complexity: O(number of names).
    func names(for names: [(stored: String?, wish: String?)], idiomatic: Bool, also: Set<String> = []) -> [String?] {
        let wishes = names.map { name in
            name.wish ?? (canMap ? (idiomatic ? idiom : style).applied(to: name.stored ?? "") : name.stored ?? "")
        }
        // A name that stands for one thing in code and for another in the file would lead astray.
        let stored = Set(names.compactMap(\.stored))
        func isFree(_ name: String, _ own: String?) -> Bool {
            isUsable(name) && !also.contains(name) && (name == own || !stored.contains(name))
        }
        var used: Set<String> = []
        var out = [String?](repeating: nil, count: names.count)
        // Names that are right as they are come first, so that no other takes them.
        for (i, wish) in wishes.enumerated() {
            if !canMap, let own = names[i].stored, wish != own { continue }
            if isFree(wish, names[i].stored), used.insert(distinction(wish)).inserted { out[i] = wish }
        }
        var last: [String: Int] = [:]
        for (i, wish) in wishes.enumerated() where out[i] == nil {
            if !canMap, names[i].stored != nil { continue }
            let base = usable(also.contains(wish) ? wish + suffix : wish)
            var made = base
            var number = last[base] ?? 1
            // Nobody's rules refuse all numbers; if they did, the name would be one that can't be said.
            let most = number + names.count + 1_000
            while number < most, !isFree(made, names[i].stored) || !used.insert(distinction(made)).inserted {
                number += 1
                // A digit may make another word of it.
                made = usable(base + String(number))
            }
            last[base] = number
            if number < most { out[i] = made }
        }
        return out
    }
}
