public import Foundation

/// A type with the string operators: String, Data and mixed values. Only strings and data in mixed values match.
public protocol _QueryBinary {}
/// A type with `like` and `matches` in addition: String and mixed values.
public protocol _QueryString: _QueryBinary {}
extension String: _QueryString {}
extension Data: _QueryBinary {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}
extension Optional: _QueryString where Wrapped: _QueryString {}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Matches if the string fits the pattern. `*` stands for any characters, and `?` for any one character.
    public func like(_ pattern: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, to: pattern, options: caseInsensitive ? .caseInsensitive : [])
    }

    /// Matches if a regular expression matches the whole string, like `MATCHES` in query strings.
    ///
    /// ```swift
    /// people.where { $0.phone.matches(regularExpression: "\\+49[0-9 ]{6,}") }
    /// ```
    /// The language is that of ICU without references to groups, lookaround, possessive quantifiers and atomic groups.
    /// See <doc:QueryLanguage>. Traps if the pattern isn't valid. To search words in a full-text index, use
    /// `matches(_:)`.
    ///
    /// - Complexity: O(length of the strings × size of the pattern), for all patterns.
    public func matches(regularExpression pattern: String, options: StringOptions = []) -> Query<Bool> {
        Query<Bool>(
            .compare(term, .matches, .constant(.value(.string(pattern))), options.textOptions)
        )
    }

    /// Matches if the string fits the pattern in another property.
    public func like<U>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryString {
        compared(.like, to: column, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Matches if the string contains the value. Each string contains the empty string. The comparison uses code
    /// points: without `.diacriticInsensitive`, a composed letter differs from a letter with a separate accent.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, to: value, options: options)
    }

    /// Matches if the string contains the other property's value.
    public func contains<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.contains, to: column, options)
    }

    /// Matches if the string begins with the value. Without options, the query can use an index.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, to: value, options: options)
    }

    /// Matches if the string begins with the other property's value.
    public func starts<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.beginsWith, to: column, options)
    }

    /// Matches if the string ends with the value.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, to: value, options: options)
    }

    /// Matches if the string ends with the other property's value.
    public func ends<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.endsWith, to: column, options)
    }

    /// Matches if the string equals the value under the options. Without options, the query can use an index.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, to: value, options: options)
    }

    /// Matches if the string equals the other property's value.
    public func equals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.equal, to: column, options)
    }

    /// Matches if the string differs from the value. Null differs from every value.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, to: value, options: options)
    }

    /// Matches if the string differs from the other property's value.
    public func notEquals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U: _HasPersistedType, U.PersistedType: _QueryBinary {
        compared(.notEqual, to: column, options)
    }

    /// Matches if the string is greater than the value in the order of the bytes, which is the order of the code
    /// points. Null doesn't match.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
}
