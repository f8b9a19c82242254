/// The UTF-8 bytes of a name, a string value or a string key.
///
/// Two texts are equal if their bytes are equal. Swift's `String` compares by canonical equivalence, which the official client
/// doesn't do. The bytes of a received text aren't checked: they may be invalid UTF-8.
public struct WireText: Hashable, Sendable {
    /// The bytes, without a terminator.
    public var bytes: [UInt8]

    /// Creates a text from its UTF-8 bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Creates a text from a string.
    public init(_ string: String) { bytes = Array(string.utf8) }

    /// A Boolean value that indicates whether the text has no bytes.
    public var isEmpty: Bool { bytes.isEmpty }

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// A Boolean value that indicates whether the bytes are valid UTF-8.
    public var isValid: Bool { String(validating: bytes, as: UTF8.self) != nil }
}

extension WireText: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

extension WireText: Comparable {
    /// Compares byte by byte, without regard to a locale.
    public static func < (first: WireText, second: WireText) -> Bool {
        first.bytes.lexicographicallyPrecedes(second.bytes)
    }
}

extension WireText: CustomStringConvertible {
    /// The text, with replacement characters at places that aren't valid UTF-8.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
