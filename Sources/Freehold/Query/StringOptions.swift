import FreeholdEngine

/// The options for comparisons of strings in a query.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int8

    public init(rawValue: Int8) { self.rawValue = rawValue }

    /// Ignores the case of letters.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Ignores accents.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    var textOptions: TextOptions {
        var options: TextOptions = []
        if contains(.caseInsensitive) { options.insert(.ignoringCase) }
        if contains(.diacriticInsensitive) { options.insert(.ignoringDiacritics) }
        return options
    }
}
