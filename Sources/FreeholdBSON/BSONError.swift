/// Why bytes or text couldn't be read or a value couldn't be written, and where.
public struct BSONError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// The input ends before what it announces.
        case truncated
        /// A length that is too small, or greater than what surrounds it.
        case invalidLength
        /// A document, an array or a text doesn't end with the byte 0.
        case missingTerminator
        /// The input goes on after its end.
        case trailingBytes
        /// A byte that stands for no BSON type.
        case unknownType
        /// A bool that is neither 0 nor 1.
        case invalidBool
        /// Text that isn't UTF-8.
        case invalidUTF8
        /// A NUL in a key, or in a regular expression's pattern or options, where BSON has no way to write it.
        case embeddedNull
        /// A key that stands twice in a document; see ``BSONDuplicateKeys``.
        case duplicateKey
        /// Nested deeper than ``BSONLimits/depth``.
        case tooDeep
        /// Larger than ``BSONLimits/size``.
        case tooLarge
        /// Text that isn't JSON.
        case invalidJSON
        /// A number that is out of its type's range.
        case numberOutOfRange
        /// An object with a key of Extended JSON (`$oid`, `$date`, …) that has another form than the type needs.
        case invalidWrapper
        /// A binary value of the vector type that isn't a vector.
        case invalidVector
    }

    public let code: Code
    /// What is wrong, in a sentence.
    public let reason: String
    /// The place in the bytes, or in the UTF-8 of the text; nil when writing.
    public let offset: Int?
    /// The keys that lead to the place; an element of an array stands with its index.
    public let path: [String]

    init(_ code: Code, _ reason: String, offset: Int? = nil, path: [String] = []) {
        self.code = code
        self.reason = reason
        self.offset = offset
        self.path = path
    }

    /// The same error at a place.
    func at(_ offset: Int?, _ path: [String]) -> BSONError {
        BSONError(code, reason, offset: offset, path: path)
    }
}

extension BSONError: CustomStringConvertible {
    /// Reason, offset and path. Long keys are cut.
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
