/// The options for comparing strings.
public struct TextOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ignores upper and lower case, in every script that has case.
    public static let ignoringCase = TextOptions(rawValue: 1)
    /// Ignores accents of letters, in composed and decomposed text.
    public static let ignoringDiacritics = TextOptions(rawValue: 2)
    /// Ignores only the case of letters in ASCII and Latin-1, like Realm, together with `ignoringCase`.
    public static let latinCaseOnly = TextOptions(rawValue: 4)
}
