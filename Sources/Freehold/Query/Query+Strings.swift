public import Foundation

/// Types with the string operators: String and Data.
public protocol _QueryBinary {}
/// Types with `like` too: String.
public protocol _QueryString: _QueryBinary {}
extension String: _QueryString {}
extension Data: _QueryBinary {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}
extension Optional: _QueryString where Wrapped: _QueryString {}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Whether the string fits the pattern: `*` is any run of characters, `?` is any one.
    public func like(_ pattern: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    /// Whether the string fits the pattern that another property holds.
    public func like<U>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryString {
        compared(.like, to: column, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    public func contains<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.contains, to: column, options)
    }

    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    public func starts<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.beginsWith, to: column, options)
    }

    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }

    public func ends<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.endsWith, to: column, options)
    }

    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> { compared(.equal, value, options) }

    public func equals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.equal, to: column, options)
    }

    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options)
    }

    public func notEquals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.notEqual, to: column, options)
    }

    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, b) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, b) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, b) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
}
