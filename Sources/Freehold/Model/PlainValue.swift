import FreeholdEngine
import Foundation

extension FreeholdEngine.Value {
    /// The value as the type of dynamic reads, or nil for null.
    var plainValue: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .int(let value): Int(value)
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .timestamp(let value): value.date
        case .decimal128(let value): value
        case .objectId(let value): value
        case .uuid(let value): value
        case .link(let key): key
        case .objectLink: nil
        case .list(let list): list.values.map(\.plainValue)
        case .dictionary(let dictionary):
            Dictionary(uniqueKeysWithValues: dictionary.entries.map { ($0.key, $0.value.plainValue) })
        }
    }
}

/// Conversions of values of any type to numbers. A `Bool` isn't a number, and a number isn't a `Bool`. An `NSNumber`
/// has the type from which it was created.
enum PlainNumber {
    /// Returns the integer of an integer type.
    static func integer(_ value: Any) -> Int64? {
        if let number = number(value) { return number.isBoolean || number.isFloating ? nil : exact(number) }
        switch value {
        case is Bool: return nil
        case let value as any BinaryInteger: return Int64(exactly: value)
        default: return nil
        }
    }

    static func bool(_ value: Any) -> Bool? {
        if let number = number(value) { return number.isBoolean ? number.boolValue : nil }
        return value as? Bool
    }

    /// Returns any number, rounded to the nearest `Double`.
    static func double(_ value: Any) -> Double? {
        if let number = number(value) { return number.isBoolean ? nil : number.doubleValue }
        switch value {
        case is Bool: return nil
        case let value as Double: return value
        case let value as Float: return Double(value)
        case let value as any BinaryInteger: return Double(value)
        case let value as any BinaryFloatingPoint: return Double(value)
        case let value as Decimal128: return value.doubleValue
        case let value as Decimal: return NSDecimalNumber(decimal: value).doubleValue
        default: return nil
        }
    }

    /// Returns any number in the range of `Float`, rounded.
    static func float(_ value: Any) -> Float? {
        if type(of: value) is Float.Type, let value = value as? Float { return value }
        guard let wide = double(value) else { return nil }
        let narrow = Float(wide)
        return narrow.isInfinite && wide.isFinite ? nil : narrow
    }

    /// Returns any number, or the number in a text.
    static func decimal128(_ value: Any) -> Decimal128? {
        switch value {
        case let value as Decimal128: return value
        case let value as String: return Decimal128(value)
        case let value as Decimal: return Decimal128(value)
        default: break
        }
        if let number = number(value) { return decimal128(number) }
        if value is Bool { return nil }
        if let whole = value as? any BinaryInteger { return Decimal128(whole) }
        // The conversion uses the decimal digits of the `Float`, not those of the nearest `Double`.
        if let short = value as? Float { return Decimal128(short) }
        return double(value).map { Decimal128($0) }
    }

    /// Returns the value from which the number was created.
    static func scalar(_ number: NSNumber) -> FreeholdEngine.Value? {
        if number.isBoolean { return .bool(number.boolValue) }
        if let decimal = number as? NSDecimalNumber { return .decimal128(Decimal128(decimal.decimalValue)) }
        if number.isFloating {
            return String(cString: number.objCType) == "f" ? .float(number.floatValue) : .double(number.doubleValue)
        }
        return exact(number).map { .int($0) }
    }

    /// Returns a plain value of any type in its stored form. For an `NSNumber` it is the value from which it was
    /// created.
    static func stored(_ value: Any) -> FreeholdEngine.Value? {
        number(value).flatMap { scalar($0) } ?? (value as? any _PersistableScalar)?._rlmStored
    }

    /// Returns the number with all of its digits, or nil for a boolean.
    static func decimal128(_ number: NSNumber) -> Decimal128? {
        if number.isBoolean { return nil }
        if let decimal = number as? NSDecimalNumber { return Decimal128(decimal.decimalValue) }
        switch String(cString: number.objCType) {
        case "f": return Decimal128(number.floatValue)
        case "d": return Decimal128(number.doubleValue)
        case "Q": return Decimal128(number.uint64Value)
        default: return Decimal128(number.int64Value)
        }
    }

    /// Returns the value if it is an `NSNumber`. A value that could be bridged to one doesn't count.
    static func number(_ value: Any) -> NSNumber? {
        type(of: value) is NSNumber.Type ? value as? NSNumber : nil
    }

    private static func exact(_ number: NSNumber) -> Int64? {
        String(cString: number.objCType) == "Q" ? Int64(exactly: number.uint64Value) : number.int64Value
    }
}

extension NSNumber {
    fileprivate var isBoolean: Bool {
        let type = String(cString: objCType)
        return type == "B" || (type == "c" && self === NSNumber(value: boolValue))
    }
    fileprivate var isFloating: Bool { ["d", "f"].contains(String(cString: objCType)) }
}
