/// A version of Unicode: words and case in indexes follow the tables that the Swift library has of it.
///
/// The tables (`Accents`, `CaseFolding`, `TextScalar`) ask `Unicode.Scalar.Properties`, whose library doesn't say which
/// version it knows. It does say since when a scalar has been there.
struct UnicodeVersion: Equatable, Sendable {
    var major: UInt16
    var minor: UInt16

    /// Of files from before format 5.
    static let unknown = UnicodeVersion(major: 0, minor: 0)

    /// The newest that this process's tables know; no newer than the newest of `probes`.
    static let current: UnicodeVersion = {
        for scalar in probes {
            if let age = scalar.properties.age {
                return UnicodeVersion(major: UInt16(clamping: age.major), minor: UInt16(clamping: age.minor))
            }
        }
        return .unknown
    }()

    /// A scalar that came with each version, the newest first: 17.0, 16.0, 15.1, 15.0, 14.0, 13.0.
    private static let probes: [Unicode.Scalar] = [
        "\u{1E6C0}", "\u{1C89}", "\u{2FFC}", "\u{1DF25}", "\u{870}", "\u{8BE}",
    ]
}
