#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The conversions of arguments that the parser itself needs. `QueryNames` does all other conversions.
enum ArgumentValue {
    static func string(_ argument: Any) -> String? {
        switch argument {
        case let text as String: text
        case Value.string(let text) as Value: text
        default: nil
        }
    }

    static func integer(_ argument: Any) -> Int? {
        switch argument {
        case is Bool: nil
        case let number as any BinaryInteger: Int(exactly: number)
        case Value.int(let number) as Value: Int(exactly: number)
        default: nil
        }
    }

    static func double(_ argument: Any) -> Double? {
        switch argument {
        case is Bool: nil
        case let number as any BinaryInteger: Double(number)
        case let number as any BinaryFloatingPoint: Double(number)
        case Value.int(let number) as Value: Double(number)
        case Value.float(let number) as Value: Double(number)
        case Value.double(let number) as Value: number
        default: nil
        }
    }

    /// Returns the elements of a sequence that isn't a string, data or a dictionary.
    static func elements(_ argument: Any) -> [Any]? {
        if let array = argument as? [Any] { return array }
        if argument is String || argument is Data || argument is [String: Any] || argument is Value { return nil }
        func elements<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 } }
        return (argument as? any Sequence).map { elements($0) }
    }

    /// Returns the argument as a value of a type that primary keys can have.
    static func value(_ argument: Any) -> Value? {
        switch argument {
        case let value as Value: value
        case let text as String: .string(text)
        case let id as ObjectId: .objectId(id)
        case let id as UUID: .uuid(id)
        default: integer(argument).map { .int(Int64($0)) }
        }
    }
}

/// The text of a number, with its sign, hexadecimal digits, a final `f`, or `inf` and `nan`.
struct NumberText {
    let text: String

    init(text: String) { self.text = text }

    static func isHexadecimal(_ text: String) -> Bool {
        text.hasPrefix("0x") || text.hasPrefix("-0x") || text.hasPrefix("0X") || text.hasPrefix("-0X")
    }

    /// Returns `nil` if the text isn't a whole number, or the number is out of range.
    static func integer(_ text: String) -> Int64? {
        guard isHexadecimal(text) else { return Int64(text) }
        let isNegative = text.hasPrefix("-")
        return Int64((isNegative ? "-" : "") + text.dropFirst(isNegative ? 3 : 2), radix: 16)
    }

    static func isSingle(_ text: String) -> Bool {
        !isHexadecimal(text) && !text.hasSuffix("inf") && (text.hasSuffix("f") || text.hasSuffix("F"))
    }

    private static func digits(_ text: String) -> String {
        guard !isHexadecimal(text) else { return text }
        return isSingle(text) ? String(text.dropLast()) : text
    }

    static func double(_ text: String) -> Double? {
        let digits = digits(text)
        return Double(digits.hasSuffix(".") ? digits + "0" : digits) ?? Double(digits.replacing(".e", with: ".0e"))
    }

    static func float(_ text: String) -> Float? {
        let digits = digits(text)
        return Float(digits.hasSuffix(".") ? digits + "0" : digits) ?? Float(digits.replacing(".e", with: ".0e"))
    }

    static func decimal(_ text: String) -> Decimal128? {
        if let whole = integer(text) { return Decimal128(whole) }
        return isHexadecimal(text) ? nil : Decimal128(digits(text))
    }
}
