#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import FreeholdEngine

/// What is asked of a value.
enum ValueQuestion: Sendable {
    case compare(Comparison, Value)
    case compareLink(isEqual: Bool, ObjectName)
    case isIn([ValueQuestion])
    case between(lower: Value, upper: Value, isClosed: Bool)
    case text(BytesQuestion)

    func isTrue(of value: SyncValue) -> Bool {
        switch self {
        case .isIn(let questions): return questions.contains { $0.isTrue(of: value) }
        case .compareLink(let isEqual, let name):
            if case .link(let other) = value { return (other == name) == isEqual }
            return !isEqual
        case .compare(let comparison, let constant):
            guard let value = value.plain else { return comparison == .notEqual }
            if comparison == .equal || comparison == .notEqual {
                return comparison.holds(Value.compare(value, constant))
            }
            return value.isComparable(to: constant) && comparison.holds(Value.compare(value, constant))
        case .between(let lower, let upper, let isClosed):
            guard let value = value.plain, value.isComparable(to: lower), value.isComparable(to: upper) else {
                return false
            }
            let order = Value.compare(value, upper)
            return Value.compare(value, lower) >= 0 && (isClosed ? order <= 0 : order < 0)
        case .text(let test):
            switch value {
            case .string(let text):
                var text = text.string
                return text.withUTF8 { test.isTrue(of: UnsafeRawBufferPointer($0)) }
            case .data(let data): return data.withUnsafeBytes { test.isTrue(of: $0) }
            default: return false
            }
        }
    }
}

extension Comparison {
    /// - Parameter order: −1, 0 or 1.
    func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

extension Value {
    /// Whether one of the two can be less than the other: numbers with numbers, else the same type. Nothing is less than null or NaN.
    fileprivate func isComparable(to other: Value) -> Bool {
        switch (self, other) {
        case (.null, _), (_, .null), (.bool, _), (_, .bool): false
        case (.int, _), (.float, _), (.double, _), (.decimal128, _): other.isNumber && !isNaN && !other.isNaN
        default: type == other.type
        }
    }

    private var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal128: true
        default: false
        }
    }

    private var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal128(let value): value.doubleValue.isNaN
        default: false
        }
    }
}

extension SyncValue {
    /// Nil for links, collections and embedded objects.
    fileprivate var plain: Value? {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value.string)
        case .data(let value): .data(value)
        case .date(let value): .timestamp(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .decimal128(let value): .decimal128(value)
        case .link, .list, .dictionary, .embedded: nil
        }
    }
}
