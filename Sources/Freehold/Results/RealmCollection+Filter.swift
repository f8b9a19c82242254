public import Foundation
import FreeholdEngine

extension RealmCollection {
    /// Returns the elements that match a query string.
    ///
    /// ```swift
    /// people.filter("age > %@ AND ANY dogs.name BEGINSWITH[c] %@", 17, "r")
    /// people.filter("dogs.@count > $0 SORT(name ASC) LIMIT(10)", 3)
    /// ```
    ///
    /// The language is RQL and the language of NSPredicate in the form of RealmSwift. See <doc:QueryLanguage>. The
    /// method traps with the text of the error if the string isn't valid or doesn't fit the class. For strings from
    /// outside the program, use ``filter(validating:_:)``.
    ///
    /// - Parameter args: The values of `%@`, `%K`, `$0` and similar placeholders.
    /// - Parameter predicateFormat: The condition, with placeholders for the arguments.
    /// - Precondition: The collection is a managed collection of objects, and the call runs on its realm's thread.
    /// - Complexity: O(length). The query runs when the results are read.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        trapping { () throws(QueryError) in try filtered(predicateFormat, args) }
    }

    /// Returns the elements that match a query string.
    ///
    /// ```swift
    /// do {
    ///     return try people.filter(validating: text)
    /// } catch {
    ///     print(error.message, error.position, error.expected, error.suggestions)
    /// }
    /// ```
    ///
    /// - Throws: `QueryError` with the position of the error, the expected tokens at this position, and names that may
    ///   have been meant.
    public func filter(validating predicateFormat: String, _ args: Any...) throws(QueryError) -> Results<Element> {
        try filtered(predicateFormat, args)
    }

    /// Returns the elements that match a query string, with the arguments in an array.
    public func filter(
        validating predicateFormat: String,
        arguments: [Any?]
    ) throws(QueryError) -> Results<Element> {
        try filtered(.parse(predicateFormat, arguments))
    }

    /// Returns the elements that match a predicate. The predicate must be created with `NSPredicate(format:)` or
    /// `NSPredicate(value:)`, or be composed of such predicates. The method traps for other predicates, such as those
    /// with a block.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        trapping { () throws(QueryError) in try filter(validating: predicate) }
    }

    /// Returns the elements that match a predicate.
    ///
    /// - Throws: `QueryError` if the predicate doesn't fit the class, or if it has a block.
    public func filter(validating predicate: NSPredicate) throws(QueryError) -> Results<Element> {
        try filtered(predicate.writtenQuery())
    }

    /// Returns the position of the first element that matches a query string, or `nil` if none matches. Traps under the
    /// conditions of `filter`.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        trapping { () throws(QueryError) in try firstIndex(.parse(predicateFormat, args)) }
    }

    /// Returns the position of the first element that matches the predicate, or `nil` if none matches.
    public func index(matching predicate: NSPredicate) -> Int? {
        trapping { () throws(QueryError) in try firstIndex(predicate.writtenQuery()) }
    }

    /// Returns the position of the first match. Unmanaged objects are supported, too.
    func firstIndex(_ query: WrittenQuery) throws(QueryError) -> Int? {
        if _source == nil, _values == nil { return try UnmanagedSearch.firstIndex(Array(self), query) }
        return try filtered(query).first.flatMap { index(of: $0) }
    }

    func filtered(_ text: String, _ arguments: [Any]) throws(QueryError) -> Results<Element> {
        try filtered(.parse(text, arguments))
    }

    private func filtered(_ query: WrittenQuery) throws(QueryError) -> Results<Element> {
        do throws(QueryError) {
            guard _values == nil else { throw .unfiltered(Element.self) }
            return try Results(requireSource("filter").adding(query))
        } catch {
            var error = error
            error.text = error.text ?? query.text
            throw error
        }
    }
}

/// Queries on a managed map of objects. Entries without an object are ignored.
extension Map {
    /// Returns the objects that match a query string. See ``RealmCollection/filter(_:_:)``.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        trapping { () throws(QueryError) in try all("filter").filtered(predicateFormat, args) }
    }

    /// Returns the objects that match a query string.
    ///
    /// - Throws: `QueryError`: see ``RealmCollection/filter(validating:_:)``.
    public func filter(
        validating predicateFormat: String,
        _ args: Any...
    ) throws(QueryError) -> Results<Value> {
        try all("filter").filtered(predicateFormat, args)
    }

    /// Returns the objects that match a predicate. See ``RealmCollection/filter(_:)``.
    public func filter(_ predicate: NSPredicate) -> Results<Value> { all("filter").filter(predicate) }
}

extension QueryError {
    /// Returns the error for a collection of values, because conditions refer to properties.
    static func unfiltered(_ element: Any.Type) -> QueryError {
        QueryError(
            .type,
            "A collection of \(element) can't be filtered by a query, only one of objects. Use `filter` with a closure."
        )
    }
}
