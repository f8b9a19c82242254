/// The error of bytes that aren't a valid message, or of a message that can't be encoded.
public struct CodecError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// The bytes end before the announced length.
        case truncated
        /// Bytes, or values of a column, are left over at the end.
        case leftover
        /// An unknown kind of message, value, change or column.
        case unknownKind
        /// An unknown field or feature that must not be skipped. The reason names it.
        case unsupported
        /// A size exceeds a limit.
        case tooLarge
        /// The nesting exceeds a limit.
        case tooDeep
        /// A text isn't UTF-8.
        case invalidUTF8
        /// A number or a count is invalid at its place.
        case invalidNumber
        /// A value has a kind that is invalid at its place, or keys aren't in rising order.
        case invalidValue
        /// The compressed bytes are invalid, or don't have the announced size.
        case compression
        /// The stored object is inconsistent.
        case inconsistent
    }

    public let code: Code
    /// A description of the error, as a sentence.
    public let reason: String
    /// The offset of the error in the bytes, or in the bytes of the decompressed body. `nil` if the error occurred
    /// while writing.
    public let offset: Int?

    public init(_ code: Code, _ reason: String, offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }
}

extension CodecError: CustomStringConvertible {
    public var description: String { offset.map { "\(reason), at byte \($0)" } ?? reason }
}
