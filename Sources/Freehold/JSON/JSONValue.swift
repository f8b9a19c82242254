/// A JSON value that was read. Numbers keep their text, so that no digit is lost.
indirect enum JSONValue: Sendable {
    struct Member: Sendable {
        let key: String
        let value: JSONValue
        /// The position of the value.
        let place: JSONPlace
    }

    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A short text for messages.
    var summary: String {
        func short(_ text: String) -> String { text.count > 60 ? text.prefix(60) + "…" : text }
        return switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): short(text)
        case .string(let text): "\"\(short(text))\""
        case .array(let elements): "an array of \(elements.count)"
        case .object(let members): "an object of \(members.count)"
        }
    }
}
