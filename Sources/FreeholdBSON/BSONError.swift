/// The reason why bytes or text couldn't be read or a value couldn't be written, and the position.
public struct BSONError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// The input ends before the length that it specifies.
        case truncated
        /// A length is too small, or greater than the enclosing length.
        case invalidLength
        /// A document, an array or a string doesn't end with the byte 0.
        case missingTerminator
        /// The input continues after its end.
        case trailingBytes
        /// A byte isn't the byte of a BSON type.
        case unknownType
        /// A bool is neither 0 nor 1.
        case invalidBool
        /// A text isn't UTF-8.
        case invalidUTF8
        /// A key, or the pattern or options of a regular expression, contains a NUL, which BSON can't represent there.
        case embeddedNull
        /// A document contains a key twice. See ``BSONDuplicateKeys``.
        case duplicateKey
        /// The nesting is deeper than ``BSONLimits/depth``.
        case tooDeep
        /// The size exceeds ``BSONLimits/size``.
        case tooLarge
        /// A text isn't JSON.
        case invalidJSON
        /// A number is out of the range of its type.
        case numberOutOfRange
        /// An object with a key of Extended JSON (`$oid`, `$date`, …) doesn't have the form of the type.
        case invalidWrapper
        /// A binary value of the vector type isn't a vector.
        case invalidVector
    }

    public let code: Code
    /// A sentence that describes the error.
    public let reason: String
    /// The position in the bytes, or in the UTF-8 of the text. It is `nil` for an error of writing.
    public let offset: Int?
    /// The keys that lead to the position. An element of an array is given by its index.
    public let path: [String]

    init(_ code: Code, _ reason: String, offset: Int? = nil, path: [String] = []) {
        self.code = code
        self.reason = reason
        self.offset = offset
        self.path = path
    }

    /// Returns the same error with a position.
    func at(_ offset: Int?, _ path: [String]) -> BSONError {
        BSONError(code, reason, offset: offset, path: path)
    }
}

extension BSONError: CustomStringConvertible {
    /// The reason, offset and path. Long keys are shortened.
    public var description: String {
        var text = reason
        if let offset { text += ", at byte \(offset)" }
        if !path.isEmpty {
            let shown = path.prefix(20).map { $0.count > 40 ? $0.prefix(40) + "…" : $0[...] }
            text += ", in " + shown.joined(separator: ".") + (path.count > 20 ? "…" : "")
        }
        return text
    }
}
