/// What is wrong with JSON that is imported, or keeps objects from being exported: where, what, and in which object.
///
/// ```
/// line 3, column 41, object 2, owners[1].age: "old" is given where an int is expected
/// ```
public struct JSONError: Error, Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Not JSON: see RFC 8259.
        case malformed
        /// Bytes that are no UTF-8, or half of a surrogate pair.
        case invalidText
        /// Nested deeper than the limit.
        case tooDeep
        /// One key twice in an object, or both names of one property.
        case duplicateKey
        /// A key that names no property, where that isn't to be ignored.
        case unknownKey
        /// A value that doesn't fit its property.
        case invalidValue
        /// Null or nothing, where a value is required.
        case missingValue
        /// A primary key that is taken, or what else the realm refuses: see `cause`.
        case refused
        /// A link that can't be written, because it leads back to an object that has no primary key.
        case cycle
        /// The input can't be read, or the output can't be written.
        case io
    }

    public let kind: Kind
    /// What happened and what to do about it.
    public let message: String
    /// From 1; nil where no place in a text is concerned.
    public let line: Int?
    /// In bytes of UTF-8, from 1.
    public let column: Int?
    /// Which object of the text, from 1.
    public let object: Int?
    /// The property, from the object on: `name`, `owners[1].address.street`.
    public let path: String?
    /// The model class that the property belongs to.
    public let className: String?
    /// What the realm said.
    public let cause: Realm.Error?
    /// How many objects were stored for good before, by an import in batches.
    public var committed = 0

    init(
        _ kind: Kind,
        _ message: String,
        at place: JSONPlace? = nil,
        object: Int? = nil,
        path: String? = nil,
        className: String? = nil,
        cause: Realm.Error? = nil
    ) {
        self.kind = kind
        self.message = message
        line = place.map { Int($0.line) }
        column = place.map { Int($0.column) }
        self.object = object
        self.path = path
        self.className = className
        self.cause = cause
    }

    /// The same, once more is known.
    func with(object: Int, at place: JSONPlace) -> JSONError {
        JSONError(
            kind,
            message,
            at: line == nil ? place : JSONPlace(line: line!, column: column ?? 0),
            object: self.object ?? object,
            path: path,
            className: className,
            cause: cause
        )
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        var place: [String] = []
        if let line { place.append("line \(line)") }
        if let column { place.append("column \(column)") }
        if let object { place.append("object \(object)") }
        if let path { place.append(className.map { "\(path) (\($0))" } ?? path) }
        return place.isEmpty ? "JSONError.\(kind): \(message)" : "\(place.joined(separator: ", ")): \(message)"
    }
}

/// A place in a text: both numbers from 1, the column in bytes.
struct JSONPlace: Hashable, Sendable {
    var line: Int
    var column: Int
}
