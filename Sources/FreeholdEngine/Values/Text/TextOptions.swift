/// How strings are compared.
public struct TextOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Upper and lower case are one, in every script that has case.
    public static let ignoringCase = TextOptions(rawValue: 1)
    /// Letters with and without accents are one, composed or not.
    public static let ignoringDiacritics = TextOptions(rawValue: 2)
    /// With `ignoringCase`: only letters of ASCII and Latin-1 have case, as in Realm.
    public static let latinCaseOnly = TextOptions(rawValue: 4)
}
