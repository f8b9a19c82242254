/// A rule that converts names of the model to names in the file, for names without an explicit mapping.
///
/// ```swift
/// class Person: Object {
///     @Persisted var firstName = ""                        // stored as first_name
///     @Persisted(mapTo: "surname") var lastName = ""       // stored as surname
///     override class func propertyNamingPolicy() -> NamingPolicy? { .snakeCase }
/// }
/// ```
///
/// An explicit name of a property (`mapTo:`, `propertiesMapping()`) or class (`mappedName()`) has precedence over the
/// policy of the class, which has precedence over that of the configuration. Code can use both names: in key paths
/// given as strings, in dictionaries and in subscripts.
///
/// Words end before an uppercase letter (`firstName`), after an acronym (`HTMLParser` is HTML and Parser, `userIDs` is
/// user and IDs), and at `_`, `-` and spaces. Digits belong to the word before them (`address2`). Underscores at the
/// beginning and end are kept. All policies keep `_id`, which is the usual name of the key for data exchange.
public enum NamingPolicy: Sendable, Hashable, CaseIterable {
    /// The name in the file is the name in the declaration.
    case asDeclared
    /// `firstName`. Acronyms keep their uppercase letters, except at the beginning.
    case camelCase
    /// `FirstName`. Acronyms keep their uppercase letters.
    case pascalCase
    /// `first_name`
    case snakeCase
    /// `first-name`
    case kebabCase

    /// Returns the name in the file for a declared name.
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

    /// Returns the word with an uppercase first letter. A letter whose uppercase form isn't one character (ß) is kept.
    private static func capitalized(_ word: String) -> String {
        guard let first = word.first else { return word }
        let capital = first.uppercased()
        return capital.count == 1 ? capital + word.dropFirst() : word
    }

    static func words(of name: Substring) -> [String] {
        var words: [String] = []
        // A name like FIRST_NAME has only uppercase letters, and no acronyms.
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
        for i in part.indices.dropFirst() where isBoundary(part, at: i, from: start) {
            words.append(String(part[start..<i]))
            start = i
        }
        words.append(String(part[start...]))
        return words
    }

    /// Returns a Boolean value that indicates whether a word begins at `i`.
    private static func isBoundary(_ part: [Character], at i: Int, from start: Int) -> Bool {
        guard part[i].isUppercase else { return false }
        guard part[i - 1].isUppercase else { return true }
        // The last letter of a run of uppercase letters begins the next word, unless the following letter is the s of a
        // plural.
        guard i + 1 < part.count, part[i + 1].isLowercase else { return false }
        let isPlural = part[i + 1] == "s" && (i + 2 == part.count || !part[i + 2].isLowercase)
        return !isPlural
    }
}

/// The policies that a realm's configuration applies to classes without a policy of their own.
struct Naming: Hashable, Sendable {
    var classes = NamingPolicy.asDeclared
    var properties = NamingPolicy.asDeclared

    /// The policies for unmanaged objects.
    static let plain = Naming()
}
