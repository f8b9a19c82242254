import FreeholdEngine
import Foundation

/// Conversions of the arguments for `%@`, `$0` and similar placeholders to the types of queries.
enum QueryArgument {
    /// Returns the argument as a plain value. Foundation's wrappers are unwrapped, and values such as small integers
    /// stay unchanged.
    static func plain(_ argument: Any?) -> Any {
        guard let value = PlainValue.unwrap(argument) else { return Value.null }
        if PlainValue.object(value) != nil { return value }
        if type(of: value) is AnyClass {
            switch value {
            case let value as NSNumber: return plain(value)
            case let value as NSString: return String(describing: value)
            case let value as NSDate: return Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate)
            case let value as NSData: return Data(referencing: value)
            case let value as NSUUID: return UUID(uuidString: value.uuidString) as Any
            case let value as NSArray: return value.map { plain($0) }
            case let value as NSSet: return value.allObjects.map { plain($0) }
            default: return PlainValue.sequence(value).map { $0.map { plain($0) } } ?? value
            }
        }
        switch value {
        case is String, is AnyRealmValue, is [String: Any]: return value
        case let value as Substring: return String(value)
        case let value as Character: return String(value)
        case let value as CGFloat: return Double(value)
        case let value as Decimal: return Decimal128(value)
        default: break
        }
        if let whole = value as? any FixedWidthInteger, !(value is Int) { return Int64(exactly: whole) ?? value }
        return PlainValue.sequence(value).map { $0.map { plain($0) } } ?? value
    }

    private static func plain(_ number: NSNumber) -> Any {
        if let bool = PlainNumber.bool(number) { return bool }
        if let decimal = number as? NSDecimalNumber { return Decimal128(decimal.decimalValue) }
        if let whole = PlainNumber.integer(number) { return whole }
        return String(cString: number.objCType) == "f" ? number.floatValue as Any : number.doubleValue
    }
}

extension FreeholdEngine.WrittenQuery {
    /// Parses a query string with its unconverted arguments.
    static func parse(_ text: String, _ arguments: [Any?]) throws(QueryError) -> WrittenQuery {
        try QueryParser.parse(text, arguments: arguments.map { QueryArgument.plain($0) })
    }
}
