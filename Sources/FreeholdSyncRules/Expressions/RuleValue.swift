import FreeholdBSON
import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// Creates a value for comparisons from a value of a document. Returns `nil` for documents, arrays, and types that
    /// objects never contain.
    init?(rule value: BSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int32(let value): self = .int(Int64(value))
        case .int64(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .decimal128(let value): self = .decimal128(value)
        case .string(let value): self = .string(value)
        case .objectId(let value): self = .objectId(value)
        case .datetime(let value):
            let (seconds, rest) = value.milliseconds.quotientAndRemainder(dividingBy: 1_000)
            self = .timestamp(Timestamp(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000))
        case .binary(let value):
            if let uuid = value.uuid {
                self = .uuid(uuid)
            } else if value.subtype == .generic {
                self = .data(Data(value.bytes))
            } else {
                return nil
            }
        default: return nil
        }
    }

    var isRuleNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal128: true
        default: false
        }
    }

    var isRuleNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal128(let value): value.doubleValue.isNaN
        default: false
        }
    }
}

extension ValueTest.Relation {
    var written: ConditionOperator {
        switch self {
        case .equal: .equal
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }

    private var includesEqual: Bool { self == .equal || self == .lessOrEqual || self == .greaterOrEqual }

    private func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// Returns whether the relation holds between two values. Only numbers are compared across types. False is less
    /// than true. Null is only equal to null, and NaN is only equal to NaN. Neither of them is less or greater than
    /// another value.
    func holds(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): return includesEqual
        case (.bool(let a), .bool(let b)): return holds((a ? 1 : 0) - (b ? 1 : 0))
        default: break
        }
        guard (a.isRuleNumber && b.isRuleNumber) || (a.type != nil && a.type == b.type) else { return false }
        if a.isRuleNaN || b.isRuleNaN { return includesEqual && a.isRuleNaN && b.isRuleNaN }
        return holds(Value.compare(a, with: b))
    }
}

extension Constant {
    /// Creates a constant of the query language from a value of a document. Returns `nil` for values that the language
    /// can't express.
    init?(_ value: BSONValue) {
        guard case .array(let elements) = value else {
            guard let value = Value(rule: value) else { return nil }
            self = .value(value)
            return
        }
        var constants: [Constant] = []
        for element in elements {
            guard let value = Value(rule: element) else { return nil }
            constants.append(.value(value))
        }
        self = .list(constants)
    }
}

extension Condition {
    /// Returns the conjunction of the conditions, folded.
    static func every(_ parts: [Condition]) -> Condition {
        var left: [Condition] = []
        for part in parts {
            switch part {
            case .truth(false): return .truth(false)
            case .truth(true): continue
            case .and(let inner, _): left += inner
            default: left.append(part)
            }
        }
        return left.isEmpty ? .truth(true) : left.count == 1 ? left[0] : .and(left)
    }

    /// Returns the disjunction of the conditions, folded.
    static func some(of parts: [Condition]) -> Condition {
        var left: [Condition] = []
        for part in parts {
            switch part {
            case .truth(true): return .truth(true)
            case .truth(false): continue
            case .or(let inner, _): left += inner
            default: left.append(part)
            }
        }
        return left.isEmpty ? .truth(false) : left.count == 1 ? left[0] : .or(left)
    }
}
