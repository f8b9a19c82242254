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

// Of managed objects each of these reads the column without making objects. Nulls are left out, and so is what lies
// behind a link to nothing; NaN is neither the least nor the greatest.
extension RealmCollection {
    /// The least value of a property, also of one that to-one links lead to; `"self"` for collections of values. Nil
    /// where there is none.
    ///
    /// - Precondition: the property is a number, a date or a mixed value.
    /// - Complexity: O(n); of all objects of a class, by an indexed property, O(log n).
    public func min<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.minimum, property), to: T.self)
    }

    /// The greatest value of a property, likewise.
    public func max<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.maximum, property), to: T.self)
    }

    /// The sum of a property's values; 0 where there is none.
    ///
    /// Ask for a type that is wide enough: an integer that isn't gets the sum's low bits.
    ///
    /// - Precondition: the property is a number or a mixed value.
    /// - Complexity: O(n)
    public func sum<T: RealmCollectionValue>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        AggregateValue.sum(aggregated(.sum, property), to: T.self)
    }

    /// The mean of a property's values, converted to the type asked for; nil where there is none.
    ///
    /// Ask for a `Double`: an `Int` takes the whole part only.
    ///
    /// - Precondition: the property is a number or a mixed value.
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        AggregateValue.convert(aggregated(.average, property), to: T.self)
    }

    func aggregated(_ aggregate: Aggregate, _ property: String) -> Value {
        if let values = _values {
            guard property == "self" else {
                programmerError(
                    "A collection of \(Element.self) has no property '\(property)' to aggregate. Its elements are values: name \"self\"."
                )
            }
            return values.fold(aggregate)
        }
        if let results = self as? Results<Element> { return results.query.aggregate(aggregate, property) }
        if let source = _source { return ResultsQuery(trapping: source).aggregate(aggregate, property) }
        return UnmanagedFold.fold(aggregate, Array(self), Element._rlmShape.target, property)
    }
}

// For types that no property has: `NSNumber`, `NSDate`.
extension RealmCollection {
    /// The least value of a property as a reference: see ``min(ofProperty:)``.
    @_disfavoredOverload
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.reference(aggregated(.minimum, property), T.self)
    }

    /// The greatest value of a property as a reference: see ``max(ofProperty:)``.
    @_disfavoredOverload
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.reference(aggregated(.maximum, property), T.self)
    }

    /// The sum of a property's values as an `NSNumber`.
    @_disfavoredOverload
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        guard let sum = AggregateValue.reference(aggregated(.sum, property), T.self) else {
            programmerError("A sum can't be given as \(T.self). Ask for a number.")
        }
        return sum
    }

    /// The mean of a property's values as an `NSNumber`; nil where there is none.
    @_disfavoredOverload
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType {
        AggregateValue.reference(aggregated(.average, property), T.self)
    }
}

extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
    public typealias PersistedType = NSNumber
}

extension NSDate: _HasPersistedType, MinMaxType {
    public typealias PersistedType = NSDate
}

extension RealmCollection where Element: KeypathSortable {
    /// The least value of the property; nil where there is none.
    public func min<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        min(ofProperty: placedName(for: keyPath))
    }

    /// The greatest value of the property; nil where there is none.
    public func max<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        max(ofProperty: placedName(for: keyPath))
    }

    /// The sum of the property's values, in the property's type (so the low bits, where it is over that of an integer);
    /// 0 where there is none. `sum(ofProperty:)` gives the type asked for.
    public func sum<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T where T.PersistedType: AddableType {
        sum(ofProperty: placedName(for: keyPath))
    }

    /// The mean of the property's values, in the property's type (so the whole part, where that is `Int`); nil where
    /// there is none. `average(ofProperty:)` gives the type asked for.
    public func average<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: placedName(for: keyPath))
    }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
    /// The least element; nil if there is none. - Complexity: O(n)
    public func min() -> Element? { min(ofProperty: "self") }

    /// The greatest element; nil if there is none. - Complexity: O(n)
    public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element.PersistedType: AddableType {
    /// The sum of the elements; zero if there is none. Of integers the low bits, where it is over the element's type.
    ///
    /// - Complexity: O(n)
    public func sum() -> Element { sum(ofProperty: "self") }

    /// The mean of the elements as an `NSNumber`; nil if there is none. - Complexity: O(n)
    @_disfavoredOverload
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }

    /// The mean of the elements, converted to the type asked for; nil if there is none.
    ///
    /// Ask for a `Double`: an `Int` takes the whole part only.
    ///
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }
}

/// Aggregates of objects that are in memory.
enum UnmanagedFold {
    /// - Parameter elements: objects, nil, or values that stand for objects.
    static func fold<Element: RealmCollectionValue>(
        _ aggregate: Aggregate,
        _ elements: [Element],
        _ type: ObjectBase.Type?,
        _ keyPath: String
    ) -> Value {
        let keys = KeyValueCoding.keys(keyPath)
        // Objects of classes that are known at run time only are always managed.
        let column = type.map { columnType(ClassInfo.of($0), keys, aggregate, keyPath) } ?? .mixed
        let values = elements.lazy.compactMap { element -> Value? in
            guard case .object(let object?) = Element._rlmContent(element) else { return nil }
            let value = KeyValueCoding.value(of: object, keys, keyPath)
            return value.flatMap { PlainNumber.stored($0) }
        }
        return ValueFold.fold(aggregate, values, of: column)
    }

    private static func columnType(
        _ info: ClassInfo,
        _ keys: ArraySlice<String>,
        _ aggregate: Aggregate,
        _ keyPath: String
    ) -> ColumnType {
        var info = info
        var keys = keys
        while let name = keys.popFirst() {
            guard let index = info.index(named: name) else {
                programmerError("Class \(info.className) has no property '\(name)'.")
            }
            let property = info.properties[index]
            if keys.isEmpty, !property.isCollection {
                switch property.shape.type.columnType {
                case .int: return .int
                case .float: return .float
                case .double: return .double
                case .decimal128: return .decimal128
                case .mixed: return .mixed
                case .timestamp where aggregate == .minimum || aggregate == .maximum: return .timestamp
                default: break
                }
            }
            guard !keys.isEmpty, property.isLink, let target = property.target else { break }
            info = ClassInfo.of(target)
        }
        programmerError(
            "'\(info.className).\(keyPath)' can't be aggregated. Take the least or greatest of a property that is a number "
                + "or date, the sum or mean of one that is a number."
        )
    }
}

enum AggregateValue {
    /// The value in a class of Foundation, or any other type that it can be cast to. Nil for null.
    static func reference<T>(_ value: Value, _ type: T.Type) -> T? {
        if let kind = type as? any RealmCollectionValue.Type { return convert(value, to: kind) as? T }
        return switch value {
        case .decimal128(let number) where type is NSNumber.Type: NSDecimalNumber(decimal: number.decimalValue) as? T
        case let value: value.plainValue.flatMap { $0 as? T }
        }
    }

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
        // As in RealmSwift: of no mixed values the sum is the whole number 0.
        if T._rlmShape.type == .any, value == .decimal128(Decimal128()) { return T._rlmFromContent(.value(.int(0)))! }
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
