/// An error in imported JSON, or the reason why objects can't be exported. It contains the position, the kind of the
/// error, and the object.
///
/// ```
/// line 3, column 41, object 2, owners[1].age: "old" is given where an int is expected
/// ```
public struct JSONError: Error, Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The text isn't JSON according to RFC 8259.
        case malformed
        /// The bytes aren't UTF-8, or a string contains half of a surrogate pair.
        case invalidText
        /// The nesting is deeper than the limit.
        case tooDeep
        /// An object contains a key twice, or both names of a property.
        case duplicateKey
        /// A key isn't the name of a property, and unknown keys aren't ignored.
        case unknownKey
        /// A value doesn't fit its property.
        case invalidValue
        /// A required value is null or missing.
        case missingValue
        /// The realm refuses the object, for example because of a duplicate primary key. See `cause`.
        case refused
        /// A link can't be written, because it forms a cycle and its target has no primary key.
        case cycle
        /// The input can't be read, or the output can't be written.
        case io
    }

    public let kind: Kind
    /// A description of the error and its remedy.
    public let message: String
    /// The line, counted from 1, or `nil` if the error has no position in a text.
    public let line: Int?
    /// The column in bytes of UTF-8, counted from 1.
    public let column: Int?
    /// The number of the object in the text, counted from 1.
    public let object: Int?
    /// The path of the property in the object, such as `name` or `owners[1].address.street`.
    public let path: String?
    /// The model class that has the property.
    public let className: String?
    /// The error of the realm.
    public let cause: Realm.Error?
    /// The number of objects that an import in batches had already committed.
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

    /// Returns the same error with the number of the object and the position.
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

/// A position in a text. Both numbers are counted from 1, and the column is counted in bytes.
struct JSONPlace: Hashable, Sendable {
    var line: Int
    var column: Int
}
