import Foundation
import FreeholdEngine

/// Reads the text that a user types into a field, according to the type of the property.
struct TypedText {
    let view: DataView
    let facts: SchemaFacts

    /// - Throws: `StudioError` with the code `invalid` and a sentence that names the expected form.
    func value(_ text: String, for column: Column) throws(StudioError) -> Value {
        guard let value = try read(text, column) else {
            throw StudioError(.invalid, "'\(text.prefix(60))' isn't \(Self.form(column.type)).")
        }
        return value
    }

    private func read(_ text: String, _ column: Column) throws(StudioError) -> Value? {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        switch column.type {
        case .string: return .string(text)
        case .bool:
            switch trimmed.lowercased() {
            case "true", "yes", "1": return .bool(true)
            case "false", "no", "0": return .bool(false)
            default: return nil
            }
        case .int: return Self.integer(trimmed).map { .int($0) }
        case .float: return (ValueReader.float(trimmed)).map { .float($0) }
        case .double: return (ValueReader.double(trimmed)).map { .double($0) }
        case .decimal128: return Decimal128(trimmed as String).map { .decimal128($0) }
        case .timestamp: return Self.date(trimmed).map { .timestamp($0) }
        case .objectId: return ObjectId(trimmed as String).map { .objectId($0) }
        case .uuid: return UUID(uuidString: trimmed).map { .uuid($0) }
        case .data: return Self.data(trimmed).map { .data($0) }
        case .link: return try target(trimmed, column)
        case .mixed: return Self.mixed(text)
        }
    }

    private static func form(_ type: ColumnType) -> String {
        switch type {
        case .bool: "true or false"
        case .int: "a whole number from -9223372036854775808 to 9223372036854775807"
        case .float, .double: "a number, NaN, Infinity or -Infinity"
        case .decimal128: "a decimal number of at most 34 digits"
        case .timestamp: "a date such as 2026-11-28T20:15:00Z"
        case .objectId: "an ObjectId of 24 hexadecimal digits"
        case .uuid: "a UUID"
        case .data: "data as 0x and hexadecimal digits, or in base64"
        case .link: "the primary key or the number of an object"
        case .string, .mixed: "a text"
        }
    }

    private static func integer(_ text: String) -> Int64? {
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        return isHexadecimal ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    }

    /// Returns the moment that a text in the form of ISO 8601 names. Without a zone, the text is in UTC.
    static func date(_ text: String) -> Timestamp? {
        var scanner = DateScanner(text)
        return scanner.timestamp()
    }

    private static func data(_ text: String) -> Data? {
        guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return Data(base64Encoded: text) }
        let digits = Array(text.utf8.dropFirst(2))
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes = Data()
        for i in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[i..<i + 2], as: UTF8.self), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Returns the object with a primary key, or, for a class without one, with a number.
    private func target(_ text: String, _ column: Column) throws(StudioError) -> Value? {
        guard let table = column.targetTableID.flatMap({ view.schema.table(id: $0) }) else { return nil }
        if let primaryKey = table.primaryKey {
            guard let value = try read(text, primaryKey) else { return nil }
            guard let key = view.find(primaryKey: value, in: table) else {
                throw StudioError(.notFound, "'\(table.name)' has no object with the primary key '\(text.prefix(60))'.")
            }
            return .link(key)
        }
        guard let key = Int64(text).map({ ObjectKey($0) }), view.contains(table, key) else {
            throw StudioError(.notFound, "'\(table.name)' has no object with the number '\(text.prefix(60))'.")
        }
        return .link(key)
    }

    private static func mixed(_ text: String) -> Value {
        switch text {
        case "true": .bool(true)
        case "false": .bool(false)
        case "null": .null
        default: Int64(text).map { .int($0) } ?? ValueReader.double(text).map { .double($0) } ?? .string(text)
        }
    }
}

/// A scanner of moments such as `2026-11-28T20:15:00.5+01:00`. The time and the zone may be missing.
private struct DateScanner {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    private mutating func take(_ marks: String) -> Character? {
        guard let mark = rest.first, marks.contains(mark) else { return nil }
        return rest.removeFirst()
    }

    private mutating func digits(_ counts: ClosedRange<Int>) -> Int64? {
        let found = rest.prefix { $0.isASCII && $0.isNumber }.prefix(counts.upperBound)
        guard found.count >= counts.lowerBound else { return nil }
        rest = rest.dropFirst(found.count)
        return Int64(found)
    }

    mutating func timestamp() -> Timestamp? {
        let sign = take("+-")
        guard let years = digits(sign == nil ? 4...4 : 4...12), take("-") != nil, let month = digits(2...2),
            take("-") != nil, let day = digits(2...2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let date = CivilDate(year: sign == "-" ? -years : years, month: month, day: day)
        let number = date.dayNumber
        guard CivilDate(day: number) == date else { return nil }
        var (second, nanoseconds) = (Int64(0), Int32(0))
        if take("T ") != nil {
            guard let hour = digits(2...2), take(":") != nil, let minute = digits(2...2), hour < 24, minute < 60 else {
                return nil
            }
            second = hour * 3_600 + minute * 60
            if take(":") != nil {
                guard let seconds = digits(2...2), seconds < 60 else { return nil }
                second += seconds
                if take(".,") != nil {
                    let before = rest.count
                    guard let fraction = digits(1...9) else { return nil }
                    var scaled = fraction
                    for _ in (before - rest.count)..<9 { scaled *= 10 }
                    nanoseconds = Int32(scaled)
                }
            }
        }
        guard let offset = zone(), rest.isEmpty else { return nil }
        let (seconds, overflows) = number.multipliedReportingOverflow(by: 86_400)
        return overflows ? nil : Timestamp(seconds: seconds + second - offset, nanoseconds: nanoseconds)
    }

    /// Returns the seconds by which the zone is ahead of UTC.
    private mutating func zone() -> Int64? {
        if rest.isEmpty || take("Zz") != nil { return 0 }
        guard let sign = take("+-"), let hours = digits(2...2), hours < 24 else { return nil }
        _ = take(":")
        let minutes = rest.isEmpty ? 0 : digits(2...2)
        guard let minutes, minutes < 60 else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }
}
