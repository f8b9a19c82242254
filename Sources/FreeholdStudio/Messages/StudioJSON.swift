/// A JSON value of a message between the page and the program.
public enum StudioJSON: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number in the notation of JSON.
    case number(String)
    case string(String)
    case array([StudioJSON])
    /// The members in the order in which they are written.
    case object([Member])
    /// Bytes that are one JSON value already.
    case raw([UInt8])

    public struct Member: Sendable, Equatable {
        public var key: String
        public var value: StudioJSON

        public init(_ key: String, _ value: StudioJSON) {
            self.key = key
            self.value = value
        }
    }

    /// Returns the value of a member, or `nil` if the value isn't an object or doesn't have the member.
    /// - Complexity: O(members)
    public subscript(key: String) -> StudioJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    public var text: String? { if case .string(let text) = self { text } else { nil } }
    public var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    public var elements: [StudioJSON]? { if case .array(let elements) = self { elements } else { nil } }
    public var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    public var isNull: Bool { self == .null }

    /// The number, if the value is a whole number within the range of `Int`.
    public var int: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text)
    }

    /// Returns an object without the members whose value is `nil`.
    static func members(_ members: KeyValuePairs<String, StudioJSON?>) -> StudioJSON {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }

    static func int(_ number: some BinaryInteger) -> StudioJSON { .number(String(number)) }

    /// Returns the text, or null for `nil`.
    static func text(_ text: String?) -> StudioJSON { text.map { StudioJSON.string($0) } ?? .null }

    /// Returns the number, or null for `nil`.
    static func whole(_ number: (some BinaryInteger)?) -> StudioJSON { number.map { StudioJSON.int($0) } ?? .null }

    /// The value of a duration in milliseconds.
    static func milliseconds(_ duration: Duration) -> StudioJSON {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return .number("\(Double(microseconds) / 1_000)")
    }

    // MARK: Writing

    /// The bytes of the value without white space.
    public var bytes: [UInt8] {
        var out = JSONText()
        out.write(self)
        return out.bytes
    }

    /// The text of the value.
    public var written: String { String(decoding: bytes, as: UTF8.self) }
}

extension StudioJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(String(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: StudioJSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, StudioJSON)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
