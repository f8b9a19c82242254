public import Foundation
public import FreeholdEngine

// MARK: Equality

extension Query {
    /// Matches if the values are equal. Numbers are compared by value, strings by their bytes, and objects by identity.
    /// NaN equals nothing.
    public static func == (a: Query, b: T) -> Query<Bool> { a.compared(.equal, to: b) }
    /// Matches if the values differ. Null differs from all other values.
    public static func != (a: Query, b: T) -> Query<Bool> { a.compared(.notEqual, to: b) }
    /// Matches if both properties have equal values. Null equals null.
    public static func == (a: Query, b: Query) -> Query<Bool> { a.compared(.equal, to: b) }
    /// Matches if the properties have different values.
    public static func != (a: Query, b: Query) -> Query<Bool> { a.compared(.notEqual, to: b) }

    /// Matches if the value is null. A property that isn't optional is null behind a null link.
    @_disfavoredOverload
    public static func == (a: Query, _: _OptionalNilComparisonType) -> Query<Bool> { a.compared(.equal, to: nil) }

    /// Matches if the value isn't null.
    @_disfavoredOverload
    public static func != (a: Query, _: _OptionalNilComparisonType) -> Query<Bool> { a.compared(.notEqual, to: nil) }

    /// Matches if the value is one of the given values.
    public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T {
        isOne(of: values)
    }
}

extension Query where T: OptionalProtocol {
    /// Matches if the value isn't null and is one of the given values.
    public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T.Wrapped { isOne(of: values) }
}

extension Query {
    func isOne<S: Sequence>(of values: S) -> Query<Bool> {
        Query<Bool>(.compare(term, .isIn, .constant(.list(values.map { .argument($0) })), []))
    }
}

// MARK: Order

/// A type whose values a query can order: numbers and dates.
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
    // Null is neither less nor greater than any value.

    /// Matches if the value is greater than the given one. Null doesn't match.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, to: b) }
    /// Matches if the value is greater than or equal to the given one. Null matches only if the given value is null.
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    /// Matches if the value is less than the given one. Null doesn't match.
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, to: b) }
    /// Matches if the value is less than or equal to the given one. Null matches only if the given value is null.
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
    /// Matches if the first property's value is greater than the second's.
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
}

extension Query where T: Comparable {
    /// Matches if the value is in the range, which doesn't include its upper bound.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        between(from: range.lowerBound, through: range.upperBound, isClosed: false)
    }

    /// Matches if the value is in the range, which includes its bounds.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        between(from: range.lowerBound, through: range.upperBound, isClosed: true)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// Matches if the value isn't null and is in the range, which doesn't include its upper bound.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        between(from: range.lowerBound, through: range.upperBound, isClosed: false)
    }

    /// Matches if the value isn't null and is in the range, which includes its bounds.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        between(from: range.lowerBound, through: range.upperBound, isClosed: true)
    }
}
