public import Foundation
public import FreeholdEngine

// MARK: Equality

extension Query {
    /// Whether the values are equal: numbers by value, strings by their bytes, objects by identity. NaN equals nothing.
    public static func == (a: Query, b: T) -> Query<Bool> { a.compared(.equal, b) }
    /// Whether the values differ; null differs from all others.
    public static func != (a: Query, b: T) -> Query<Bool> { a.compared(.notEqual, b) }
    /// Whether both properties have equal values, null and null included.
    public static func == (a: Query, b: Query) -> Query<Bool> { a.compared(.equal, to: b) }
    /// Whether the properties have different values.
    public static func != (a: Query, b: Query) -> Query<Bool> { a.compared(.notEqual, to: b) }

    /// Whether there is no value: also what can't be null itself is null behind a link that is.
    @_disfavoredOverload
    public static func == (a: Query, _: _OptionalNilComparisonType) -> Query<Bool> { a.compared(.equal, nil) }

    /// Whether there is a value.
    @_disfavoredOverload
    public static func != (a: Query, _: _OptionalNilComparisonType) -> Query<Bool> { a.compared(.notEqual, nil) }

    /// Whether the value is one of those given.
    public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T {
        isOne(of: values)
    }
}

extension Query where T: OptionalProtocol {
    /// Whether the value isn't null and is one of those given.
    public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T.Wrapped { isOne(of: values) }
}

extension Query {
    func isOne<S: Sequence>(of values: S) -> Query<Bool> {
        Query<Bool>(.compare(term, .isIn, .constant(.list(values.map { .argument($0) })), []))
    }
}

// MARK: Order

/// Types whose values a query can order: numbers and dates.
public protocol _QueryNumeric {}
extension Int: _QueryNumeric {}
extension Int8: _QueryNumeric {}
extension Int16: _QueryNumeric {}
extension Int32: _QueryNumeric {}
extension Int64: _QueryNumeric {}
extension Float: _QueryNumeric {}
extension Double: _QueryNumeric {}
extension Decimal128: _QueryNumeric {}
extension Date: _QueryNumeric {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    // Null is neither less nor greater than anything.

    /// Whether the value is greater than this one; null isn't.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, b) }
    /// Whether the value is this one or greater; null is for null only.
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, b) }
    /// Whether the value is less than this one; null isn't.
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, b) }
    /// Whether the value is this one or less; null is for null only.
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, b) }
    /// Whether the first property's value is the greater one.
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
}

extension Query where T: Comparable {
    /// Whether the value lies in the range, its upper bound excluded.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound, isClosed: false)
    }

    /// Whether the value lies in the range, bounds included.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound, isClosed: true)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// Whether the value isn't null and lies in the range, its upper bound excluded.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound, isClosed: false)
    }

    /// Whether the value isn't null and lies in the range, bounds included.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound, isClosed: true)
    }
}
