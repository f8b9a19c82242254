/// An error of the protocol's bytes: a message or changeset that can't be read, or that has no form on the wire.
public struct WireError: Error, Hashable, Sendable {
    public enum Code: String, Hashable, Sendable {
        /// The bytes end inside a value.
        case truncated
        /// Bytes remain after the last value.
        case leftover
        /// An integer has too many bytes, or is out of the range of its type.
        case invalidInteger
        /// A tag, a type or a kind has no meaning.
        case unknownTag
        /// An interned string is defined twice, out of order, or used before its definition.
        case invalidString
        /// A value isn't allowed at its place.
        case invalidValue
        /// A length, a depth or a number of elements is above its limit.
        case tooLarge
        /// The line of words before the body isn't that of a known message.
        case invalidHeader
        /// A body isn't valid JSON, or a required field is missing.
        case invalidJSON
        /// A compressed body can't be expanded.
        case invalidCompression
        /// The form exists, but this version of the protocol or this library doesn't use it.
        case unsupported
    }

    public var code: Code
    /// The reason, for people. It contains no data of the message.
    public var reason: String
    /// The position in the bytes that were read, or 0.
    public var offset: Int

    public init(_ code: Code, _ reason: String, offset: Int = 0) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }
}

extension WireError: CustomStringConvertible {
    public var description: String { "\(reason) (\(code.rawValue) at \(offset))" }
}

/// The greatest sizes that the decoder accepts.
public struct WireLimits: Hashable, Sendable {
    /// The maximum size of a message, and of its expanded body, in bytes.
    public var message = 17 << 20
    /// The maximum size of a changeset, in bytes.
    public var changeset = 16 << 20
    /// The maximum size of a string value, in bytes. The official client refuses longer strings.
    public var string = 16_777_199
    /// The maximum size of a data value, in bytes. The official client's store refuses longer data.
    public var data = 16_777_200
    /// The maximum number of steps of a path.
    public var path = 256
    /// The maximum number of entries of an upload or download.
    public var entries = 1 << 20
    /// The maximum depth of JSON bodies.
    public var json = 32

    public init() {}

    public static let usual = WireLimits()
}
