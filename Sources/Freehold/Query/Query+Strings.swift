public import Foundation

/// Types with the string operators: String, Data, and mixed values, of which strings and data only meet them.
public protocol _QueryBinary {}
/// Types with `like` and `matches` too: String and mixed values.
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

    /// Whether all of the string fits a regular expression, as `MATCHES` has it in query strings.
    ///
    /// ```swift
    /// people.where { $0.phone.matches(regularExpression: "\\+49[0-9 ]{6,}") }
    /// ```
    /// What is understood is ICU's language without references to groups, looking around, possessive repetitions and
    /// atomic groups: see <doc:QueryLanguage>. Traps where the pattern isn't in it. A search for words in a full-text index
    /// is `matches(_:)`.
    ///
    /// - Complexity: O(length of the strings × size of the pattern), whatever the pattern is.
    public func matches(regularExpression pattern: String, options: StringOptions = []) -> Query<Bool> {
        Query<Bool>(
            .compare(term, .matches, .constant(.value(.string(pattern))), options.textOptions)
        )
    }

    /// Whether the string fits the pattern that another property holds.
    public func like<U>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryString {
        compared(.like, to: column, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Whether the value is part of the string; the empty string is part of each. Compared by code points: without
    /// `.diacriticInsensitive` a composed letter is another than a letter and its accent.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Whether the other property's value is part of the string.
    public func contains<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.contains, to: column, options)
    }

    /// Whether the string begins with the value. An index is used where no options are given.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Whether the string begins with the other property's value.
    public func starts<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.beginsWith, to: column, options)
    }

    /// Whether the string ends with the value.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }

    /// Whether the string ends with the other property's value.
    public func ends<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.endsWith, to: column, options)
    }

    /// Whether the string is the value, without regard to what the options say. An index is used where there are none.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> { compared(.equal, value, options) }

    /// Whether the string is the other property's value.
    public func equals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.equal, to: column, options)
    }

    /// Whether the string isn't the value; null differs from every value.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options)
    }

    /// Whether the string isn't the other property's value.
    public func notEquals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.notEqual, to: column, options)
    }

    /// Whether the string comes after the value: by its bytes, which is the order of code points; null never does.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, b) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, b) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, b) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
}
