/// How names of the model become names in the file, where no mapping names them one by one.
///
/// ```swift
/// class Person: Object {
///     @Persisted var firstName = ""                        // stored as first_name
///     @Persisted(mapTo: "surname") var lastName = ""       // stored as surname
///     override class func propertyNamingPolicy() -> NamingPolicy? { .snakeCase }
/// }
/// ```
///
/// A name on a property (`mapTo:`, `propertiesMapping()`) or class (`mappedName()`) beats the class's policy, which
/// beats that of the configuration. Both names work in code: in key paths given as text, in dictionaries, in
/// subscripts.
///
/// Words end where the case rises (`firstName`), after an acronym (`HTMLParser` is HTML and Parser, `userIDs` is user
/// and IDs) and at `_`, `-` and spaces. Digits belong to the word before them (`address2`). Underscores at the
/// beginning and end stay, and `_id` stays as it is under every policy: it is the name of the key wherever data is
/// exchanged.
public enum NamingPolicy: Sendable, Hashable, CaseIterable {
    /// The name in the file is that of the declaration.
    case asDeclared
    /// `firstName`. Acronyms but the first word keep their capitals.
    case camelCase
    /// `FirstName`. Acronyms keep their capitals.
    case pascalCase
    /// `first_name`
    case snakeCase
    /// `first-name`
    case kebabCase

    /// The name in the file of what is declared with this name.
    ///
    /// - Complexity: O(length)
    public func storedName(of name: String) -> String {
        if self == .asDeclared || name == "_id" { return name }
        let prefix = name.prefix { $0 == "_" }
        let suffix = name.dropFirst(prefix.count).reversed().prefix { $0 == "_" }
        let words = Self.words(of: name.dropFirst(prefix.count).dropLast(suffix.count))
        if words.isEmpty { return name }
        return prefix + joined(words) + String(suffix)
    }

    private func joined(_ words: [String]) -> String {
        switch self {
        case .asDeclared: words.joined()
        case .camelCase: words[0].lowercased() + words.dropFirst().map(Self.capitalized).joined()
        case .pascalCase: words.map(Self.capitalized).joined()
        case .snakeCase: words.map { $0.lowercased() }.joined(separator: "_")
        case .kebabCase: words.map { $0.lowercased() }.joined(separator: "-")
        }
    }

    /// Letters without a capital of one character (ß) stay.
    private static func capitalized(_ word: String) -> String {
        guard let first = word.first else { return word }
        let capital = first.uppercased()
        return capital.count == 1 ? capital + word.dropFirst() : word
    }

    static func words(of name: Substring) -> [String] {
        var words: [String] = []
        // FIRST_NAME has no acronyms, only capitals.
        let isCapitals = !name.contains { $0.isLowercase } && name.contains { isSeparator($0) }
        for part in name.split(whereSeparator: isSeparator) {
            words += isCapitals ? [part.lowercased()] : self.words(ofPart: Array(part))
        }
        return words
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character == "_" || character == "-" || character.isWhitespace
    }

    private static func words(ofPart part: [Character]) -> [String] {
        var words: [String] = []
        var start = 0
        for i in part.indices.dropFirst() where isBoundary(part, i, start) {
            words.append(String(part[start..<i]))
            start = i
        }
        words.append(String(part[start...]))
        return words
    }

    /// Whether a word begins at `i`.
    private static func isBoundary(_ part: [Character], _ i: Int, _ start: Int) -> Bool {
        guard part[i].isUppercase else { return false }
        guard part[i - 1].isUppercase else { return true }
        // Within capitals: the last one begins the next word, unless what follows is the s of a plural.
        guard i + 1 < part.count, part[i + 1].isLowercase else { return false }
        let isPlural = part[i + 1] == "s" && (i + 2 == part.count || !part[i + 2].isLowercase)
        return !isPlural
    }
}

/// The policies that a realm's configuration gives to classes that have none of their own.
struct Naming: Hashable, Sendable {
    var classes = NamingPolicy.asDeclared
    var properties = NamingPolicy.asDeclared

    /// What unmanaged objects know.
    static let plain = Naming()
}
