public import Foundation
public import FreeholdEngine

/// A type with smallest and greatest values: numbers and dates.
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

/// A type whose values can be summed: numbers.
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

// For managed objects, these methods read the column without creating objects. They ignore nulls and values behind a
// null link. NaN is neither the smallest nor the greatest value.
extension RealmCollection {
    /// Returns the smallest value of a property, or `nil` if no value exists. The property may be reached through
    /// to-one links. For collections of values, its name is `"self"`.
    ///
    /// - Precondition: The property is a number, a date or a mixed value.
    /// - Complexity: O(n), or O(log n) for an indexed property of all objects of a class.
    public func min<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.minimum, property), to: T.self)
    }

    /// Returns the greatest value of a property, or `nil` if no value exists. See `min(ofProperty:)`.
    public func max<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.maximum, property), to: T.self)
    }

    /// Returns the sum of a property's values, or 0 if no value exists.
    ///
    /// Request a type that is large enough. An integer type that is too small receives the low bits of the sum.
    ///
    /// - Precondition: The property is a number or a mixed value.
    /// - Complexity: O(n)
    public func sum<T: RealmCollectionValue>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        AggregateValue.sum(aggregated(.sum, property), to: T.self)
    }

    /// Returns the mean of a property's values in the requested type, or `nil` if no value exists.
    ///
    /// Request a `Double`. An `Int` receives only the integral part.
    ///
    /// - Precondition: The property is a number or a mixed value.
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
        return UnmanagedFold.fold(aggregate, Array(self), type: Element._rlmShape.target, keyPath: property)
    }
}

// Aggregates in types that properties don't have: `NSNumber`, `NSDate`.
extension RealmCollection {
    /// Returns the smallest value of a property as a reference. See ``min(ofProperty:)``.
    @_disfavoredOverload
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.reference(aggregated(.minimum, property), T.self)
    }

    /// Returns the greatest value of a property as a reference. See ``max(ofProperty:)``.
    @_disfavoredOverload
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.reference(aggregated(.maximum, property), T.self)
    }

    /// Returns the sum of a property's values as an `NSNumber`.
    @_disfavoredOverload
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        guard let sum = AggregateValue.reference(aggregated(.sum, property), T.self) else {
            programmerError("A sum can't be given as \(T.self). Ask for a number.")
        }
        return sum
    }

    /// Returns the mean of a property's values as an `NSNumber`, or `nil` if no value exists.
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
    /// Returns the smallest value of the property, or `nil` if no value exists.
    public func min<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        min(ofProperty: placedName(for: keyPath))
    }

    /// Returns the greatest value of the property, or `nil` if no value exists.
    public func max<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        max(ofProperty: placedName(for: keyPath))
    }

    /// Returns the sum of the property's values in the type of the property, or 0 if no value exists. If an integer
    /// type is too small, it receives the low bits. `sum(ofProperty:)` returns the sum in another type.
    public func sum<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T where T.PersistedType: AddableType {
        sum(ofProperty: placedName(for: keyPath))
    }

    /// Returns the mean of the property's values in the type of the property, or `nil` if no value exists. An `Int`
    /// receives the integral part. `average(ofProperty:)` returns the mean in another type.
    public func average<T: RealmCollectionValue>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: placedName(for: keyPath))
    }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
    /// Returns the smallest element, or `nil` if the collection has no values.
    ///
    /// - Complexity: O(n)
    public func min() -> Element? { min(ofProperty: "self") }

    /// Returns the greatest element, or `nil` if the collection has no values.
    ///
    /// - Complexity: O(n)
    public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element.PersistedType: AddableType {
    /// Returns the sum of the elements, or zero if the collection is empty. If an integer type is too small, it
    /// receives the low bits.
    ///
    /// - Complexity: O(n)
    public func sum() -> Element { sum(ofProperty: "self") }

    /// Returns the mean of the elements as an `NSNumber`, or `nil` if the collection has no values.
    ///
    /// - Complexity: O(n)
    @_disfavoredOverload
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }

    /// Returns the mean of the elements in the requested type, or `nil` if the collection has no values.
    ///
    /// Request a `Double`. An `Int` receives only the integral part.
    ///
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }
}

/// The aggregates of objects in memory.
enum UnmanagedFold {
    /// - Parameter elements: Objects, nil, or values that represent objects.
    static func fold<Element: RealmCollectionValue>(
        _ aggregate: Aggregate,
        _ elements: [Element],
        type: ObjectBase.Type?,
        keyPath: String
    ) -> Value {
        let keys = KeyValueCoding.keys(keyPath)
        // Objects of classes that are known only at run time are always managed.
        let column = type.map { columnType(ClassInfo.of($0), keys, aggregate: aggregate, keyPath: keyPath) } ?? .mixed
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
        aggregate: Aggregate,
        keyPath: String
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
    /// Returns the value in a class of Foundation, or in another type to which it can be cast. Returns nil for null.
    static func reference<T>(_ value: Value, _ type: T.Type) -> T? {
        if let kind = type as? any RealmCollectionValue.Type { return convert(value, to: kind) as? T }
        return switch value {
        case .decimal128(let number) where type is NSNumber.Type: NSDecimalNumber(decimal: number.decimalValue) as? T
        case let value: value.plainValue.flatMap { $0 as? T }
        }
    }

    /// Returns the value as a `T`. An integer type receives the integral part. Returns nil for null, and for a number
    /// that `T` can't represent.
    static func convert<T: RealmCollectionValue>(_ value: Value, to type: T.Type) -> T? {
        let value = value.fitted(to: T._rlmShape.type)
        if value.isNull { return nil }
        if case .int = value, value.cut(to: type) != value { return nil }
        return T._rlmFromContent(.value(value))
    }

    /// Returns any sum as a `T`, because no data may end the process. An integer type receives the low bits of an
    /// integer, and the nearest integer to a floating-point number.
    static func sum<T: RealmCollectionValue>(_ value: Value, to type: T.Type) -> T {
        // In RealmSwift, the sum of no mixed values is the integer 0.
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

    /// Returns the low bits of an integer that fit in a smaller type.
    fileprivate func cut(to type: Any.Type) -> Value {
        guard case .int(let x) = self else { return self }
        return switch type {
        case is Int8.Type, is Int8?.Type: .int(Int64(Int8(truncatingIfNeeded: x)))
        case is Int16.Type, is Int16?.Type: .int(Int64(Int16(truncatingIfNeeded: x)))
        case is Int32.Type, is Int32?.Type: .int(Int64(Int32(truncatingIfNeeded: x)))
        default: self
        }
    }

    /// The nearest integer, or 0 for a value that isn't a number.
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
