/// Why bytes aren't a message, or a message can't be written as bytes.
public struct CodecError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// The bytes end before what they announce.
        case truncated
        /// There are bytes, or values in a column, that nothing asks for.
        case leftover
        /// A kind of message, value, change or column that isn't known.
        case unknownKind
        /// A field or a feature that isn't known and can't be skipped; the reason names it.
        case unsupported
        /// Larger than a limit.
        case tooLarge
        /// Nested deeper than a limit.
        case tooDeep
        /// Text that isn't UTF-8.
        case invalidUTF8
        /// A number, or a count, that can't be here.
        case invalidNumber
        /// A value where its kind can't be, or keys that don't rise.
        case invalidValue
        /// The compressed bytes aren't what they say.
        case compression
        /// The stored object contradicts itself.
        case inconsistent
    }

    public let code: Code
    /// What is wrong, in a sentence.
    public let reason: String
    /// Where in the bytes; in those of the body after it was inflated. Nil when writing.
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
