public import Foundation
public import FreeholdEngine

/// Types with a least and a greatest value: numbers and dates.
public protocol MinMaxType {}
extension Int: MinMaxType {}
extension Int8: MinMaxType {}
extension Int16: MinMaxType {}
extension Int32: MinMaxType {}
extension Int64: MinMaxType {}
extension Float: MinMaxType {}
extension Double: MinMaxType {}
extension Decimal128: MinMaxType {}
extension Date: MinMaxType {}
extension AnyRealmValue: MinMaxType {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}

/// Types that can be summed up: numbers.
public protocol AddableType {}
extension Int: AddableType {}
extension Int8: AddableType {}
extension Int16: AddableType {}
extension Int32: AddableType {}
extension Int64: AddableType {}
extension Float: AddableType {}
extension Double: AddableType {}
extension Decimal128: AddableType {}
extension AnyRealmValue: AddableType {}
extension Optional: AddableType where Wrapped: AddableType {}

// Each of these reads the column without making objects. Nulls are left out.
extension RealmCollection where Element: ObjectBase {
    /// The least value of the property; nil where there is none.
    public func min<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        value(of: .minimum, property)
    }

    /// The greatest value of the property; nil where there is none.
    public func max<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        value(of: .maximum, property)
    }

    /// The sum of the property's values; 0 where there is none.
    ///
    /// Ask for a type that is wide enough: an integer that isn't gets the sum's low bits.
    public func sum<T: RealmCollectionValue>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        sum(property)
    }

    /// The mean of the property's values, converted to the type asked for; nil where there is none.
    ///
    /// Ask for a `Double`: an `Int` takes the whole part only.
    public func average<T: RealmCollectionValue>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        value(of: .average, property)
    }

    /// The least value of the property; nil where there is none.
    public func min<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        value(of: .minimum, _name(for: keyPath))
    }

    /// The greatest value of the property; nil where there is none.
    public func max<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        value(of: .maximum, _name(for: keyPath))
    }

    /// The sum of the property's values, in the property's type (so the low bits, where it is over that of an integer);
    /// 0 where there is none. `sum(ofProperty:)` gives the type asked for.
    public func sum<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T where T.PersistedType: AddableType {
        sum(_name(for: keyPath))
    }

    /// The mean of the property's values, in the property's type (so the whole part, where that is `Int`); nil where
    /// there is none. `average(ofProperty:)` gives the type asked for.
    public func average<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        value(of: .average, _name(for: keyPath))
    }

    private func value<T: RealmCollectionValue>(of aggregate: Aggregate, _ property: String) -> T? {
        let value = ResultsQuery(trapping: requireSource("An aggregate")).aggregate(aggregate, property)
        return AggregateValue.convert(value, to: T.self)
    }

    private func sum<T: RealmCollectionValue>(_ property: String) -> T {
        AggregateValue.sum(ResultsQuery(trapping: requireSource("An aggregate")).aggregate(.sum, property), to: T.self)
    }
}

enum AggregateValue {
    /// The value as a `T`; an integer type takes the whole part. Nil for null, and for a number that `T` can't hold.
    static func convert<T: RealmCollectionValue>(_ value: Value, to type: T.Type) -> T? {
        let value = value.fitted(to: T._rlmShape.type)
        if value.isNull { return nil }
        if case .int = value, value.cut(to: type) != value { return nil }
        return T._rlmFromContent(.value(value))
    }

    /// A sum as a `T`, whatever it is, because no data may end the process: an integer type takes the low bits, and of
    /// floating-point numbers the nearest integer that there is.
    static func sum<T: RealmCollectionValue>(_ value: Value, to type: T.Type) -> T {
        var sum = value.fitted(to: T._rlmShape.type)
        if sum.isNull { sum = value.clampedInteger.fitted(to: T._rlmShape.type) }
        return T._rlmFromContent(.value(sum.cut(to: type)))!
    }
}

extension Value {
    fileprivate func fitted(to type: PropertyType) -> Value {
        switch (type, self) {
        case (.int, .double(let x)): Int64(exactly: x.rounded(.towardZero)).map { .int($0) } ?? .null
        case (.int, .float(let x)): Int64(exactly: x.rounded(.towardZero)).map { .int($0) } ?? .null
        case (.int, .decimal128(let x)): Int64(exactly: x.doubleValue.rounded(.towardZero)).map { .int($0) } ?? .null
        case (.double, .int(let x)): .double(Double(x))
        case (.double, .float(let x)): .double(Double(x))
        case (.double, .decimal128(let x)): .double(x.doubleValue)
        case (.float, .int(let x)): .float(Float(x))
        case (.float, .double(let x)): .float(Float(x))
        case (.float, .decimal128(let x)): .float(Float(x.doubleValue))
        case (.decimal128, .int(let x)): .decimal128(Decimal128(x))
        case (.decimal128, .double(let x)): .decimal128(Decimal128(x))
        default: self
        }
    }

    /// What is left of an integer in a type of fewer bits.
    fileprivate func cut(to type: Any.Type) -> Value {
        guard case .int(let x) = self else { return self }
        return switch type {
        case is Int8.Type, is Int8?.Type: .int(Int64(Int8(truncatingIfNeeded: x)))
        case is Int16.Type, is Int16?.Type: .int(Int64(Int16(truncatingIfNeeded: x)))
        case is Int32.Type, is Int32?.Type: .int(Int64(Int32(truncatingIfNeeded: x)))
        default: self
        }
    }

    /// The nearest integer; 0 for what is no number.
    fileprivate var clampedInteger: Value {
        let x: Double =
            switch self {
            case .float(let x): Double(x)
            case .double(let x): x
            case .decimal128(let x): x.doubleValue
            default: 0
            }
        if x.isNaN { return .int(0) }
        return .int(Int64(exactly: x.rounded(.towardZero)) ?? (x < 0 ? .min : .max))
    }
}
