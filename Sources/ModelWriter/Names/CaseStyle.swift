/// The case of names.
enum CaseStyle: Sendable {
    case stored
    /// `firstName`. Leading underscores are kept.
    case camel
    /// `FirstName`.
    case pascal

    func applied(to name: String) -> String {
        guard self != .stored else { return name }
        let words = Self.words(name)
        guard !words.isEmpty else { return name }
        switch self {
        case .stored: return name
        case .pascal: return words.map(Self.capitalized).joined()
        case .camel:
            let lead = name.prefix { $0 == "_" }
            return lead + Self.lowered(words[0]) + words.dropFirst().map(Self.capitalized).joined()
        }
    }

    /// Returns the parts of a name between underscores and characters that identifiers can't contain. Uppercase letters
    /// inside words are kept.
    static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in name.unicodeScalars {
            if scalar != "_", scalar.properties.isXIDContinue {
                word.unicodeScalars.append(scalar)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    /// Converts `Name` to `name`, `URLPath` to `urlPath`, and `URL` to `url`.
    private static func lowered(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }
        guard capitals.count > 1, capitals.count < word.count else {
            return capitals.lowercased() + word.dropFirst(capitals.count)
        }
        let head = capitals.dropLast()
        return head.lowercased() + word.dropFirst(head.count)
    }
}
