/// A version of Unicode. Words and case in indexes depend on the version of the tables in the Swift library.
///
/// The tables (`Accents`, `CaseFolding`, `TextScalar`) use `Unicode.Scalar.Properties`, and the library doesn't state its version. It states the
/// version in which a scalar was added.
struct UnicodeVersion: Equatable, Sendable {
    var major: UInt16
    var minor: UInt16

    /// The version of files before format 5.
    static let unknown = UnicodeVersion(major: 0, minor: 0)

    /// The newest version that this process's tables contain, up to the newest version of `probes`.
    static let current: UnicodeVersion = {
        for scalar in probes {
            if let age = scalar.properties.age {
                return UnicodeVersion(major: UInt16(clamping: age.major), minor: UInt16(clamping: age.minor))
            }
        }
        return .unknown
    }()

    /// A scalar that was added in each version, the newest first: 17.0, 16.0, 15.1, 15.0, 14.0, 13.0.
    private static let probes: [Unicode.Scalar] = [
        "\u{1E6C0}", "\u{1C89}", "\u{2FFC}", "\u{1DF25}", "\u{870}", "\u{8BE}",
    ]
}
