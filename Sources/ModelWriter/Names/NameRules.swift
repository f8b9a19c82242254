/// The names that a language accepts for classes, or for the properties of a class.
struct NameRules: Sendable {
    var characters: IdentifierCharacters
    /// The case of names without an explicit name for code.
    var style = CaseStyle.stored
    /// The case of such names in the usual style of the language.
    var idiom: CaseStyle
    /// The keywords of the language.
    var keywords: Set<String> = []
    /// A function that makes a keyword usable as a name, or nil if the language has no such notation.
    var quote: (@Sendable (String) -> String)?
    /// The names that are already in use: members of all objects, and types in the generated code.
    var taken: Set<String> = []
    /// The suffix for names that can't be used.
    var suffix: String
    /// A closure that checks further rules for names. It returns a replacement, or nil for names that can be used.
    var mended: @Sendable (String) -> String? = { _ in nil }
    /// A closure that returns the form of a name that must be unique.
    var distinction: @Sendable (String) -> String = { $0 }
    /// A Boolean value that indicates whether the name in code can differ from the stored name.
    var canMap = true

    /// Returns the name in the notation of the code.
    func quoted(_ name: String) -> String { keywords.contains(name) ? quote?(name) ?? name : name }

    func isUsable(_ name: String) -> Bool {
        characters.isIdentifier(name) && (quote != nil || !keywords.contains(name)) && !taken.contains(name)
            && mended(name) == nil
    }

    /// Returns the name, or a similar name that can be used.
    func usable(_ name: String) -> String {
        var made = name
        if !characters.isIdentifier(made) { made = identifier(made) }
        // A replacement can violate another rule.
        for _ in 0..<4 {
            guard let better = mended(made) else { break }
            made = better
        }
        if (quote == nil && keywords.contains(made)) || taken.contains(made) { made += suffix }
        return made
    }

    /// Returns the words of a name, joined to an identifier.
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
        // Some characters are valid inside a name, but not at its beginning.
        if !characters.isIdentifier(out) { out = "_" + out }
        return out
    }

    static let propertySuffix = "Value"
    static let classSuffix = "Object"
}

extension NameRules {
    /// Returns unique names for code.
    ///
    /// - Parameters:
    ///   - names: The stored names and the requested names. An item that isn't stored has no stored name.
    ///   - idiomatic: A Boolean value that indicates whether names without a request follow the usual style of the
    ///     language.
    ///   - also: Additional names that can't be used here.
    /// - Returns: The names. An element is nil if its stored name can't be used and can't be mapped.
    /// - Complexity: O(number of names).
    func names(for names: [(stored: String?, wish: String?)], idiomatic: Bool, also: Set<String> = []) -> [String?] {
        let wishes = names.map { name in
            name.wish ?? (canMap ? (idiomatic ? idiom : style).applied(to: name.stored ?? "") : name.stored ?? "")
        }
        // The name of an item in code must not be the stored name of another item, which would be confusing.
        let stored = Set(names.compactMap(\.stored))
        func isFree(_ name: String, _ own: String?) -> Bool {
            isUsable(name) && !also.contains(name) && (name == own || !stored.contains(name))
        }
        var used: Set<String> = []
        var out = [String?](repeating: nil, count: names.count)
        // Names that can be used unchanged are assigned first, so that no other item gets them.
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
            // No language's rules refuse all numbers. If they did, the item would have no name.
            let most = number + names.count + 1_000
            while number < most, !isFree(made, names[i].stored) || !used.insert(distinction(made)).inserted {
                number += 1
                // With the digit, it may be a keyword again.
                made = usable(base + String(number))
            }
            last[base] = number
            if number < most { out[i] = made }
        }
        return out
    }
}
