/// The kind of a value or a difference. The raw values are part of the protocol.
enum ValueKind: UInt8 {
    case null = 0
    case no = 1
    case yes = 2
    case int = 3
    case double = 4
    case string = 5
    case float = 6
    case data = 7
    case date = 8
    case objectId = 9
    case uuid = 10
    case decimal128 = 11
    case link = 12
    /// A list inside a mixed value.
    case mixedList = 13
    case mixedDictionary = 14
    case embedded = 15

    // Contents of fields that aren't values.
    case list = 16
    case set = 17
    case dictionary = 18

    // Kinds of differences.
    case instanceDifference = 19
    case listDifference = 20
    case setDifference = 21
    case dictionaryDifference = 22
    case nestedDifference = 23
    /// The entry was removed.
    case gone = 24

    /// A flag in the kind of a default value.
    static let byDefault: UInt8 = 0x80
}

extension ColumnWriter {
    func kind(_ kind: ValueKind) { kinds.append(kind.rawValue) }
}

extension ColumnReader {
    func valueKind(_ raw: UInt8) throws(CodecError) -> ValueKind {
        guard let kind = ValueKind(rawValue: raw) else { throw error(.unknownKind, "\(raw) isn't a kind of value") }
        return kind
    }
}
