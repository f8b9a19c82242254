public import Foundation
import FreeholdEngine

extension RealmCollection {
    /// The elements that a query string finds.
    ///
    /// ```swift
    /// people.filter("age > %@ AND ANY dogs.name BEGINSWITH[c] %@", 17, "r")
    /// people.filter("dogs.@count > $0 SORT(name ASC) LIMIT(10)", 3)
    /// ```
    ///
    /// The language is RQL's and that of NSPredicate as RealmSwift takes it; see <doc:QueryLanguage>. Traps with the
    /// error's text where the string isn't right or doesn't fit the class: for strings that come from elsewhere use
    /// ``filter(validating:_:)``.
    ///
    /// - Parameter args: what `%@`, `%K`, `$0` and the like stand for.
    /// - Parameter predicateFormat: the condition, with `%@` and the like in the places of the arguments.
    /// - Precondition: a managed collection of objects, on its realm's thread.
    /// - Complexity: O(length); what it finds is looked for when the results are read.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        trapping { () throws(QueryError) in try filtered(predicateFormat, args) }
    }

    /// The elements that a query string finds.
    ///
    /// ```swift
    /// do {
    ///     return try people.filter(validating: text)
    /// } catch {
    ///     print(error.message, error.position, error.expected, error.suggestions)
    /// }
    /// ```
    ///
    /// - Throws: `QueryError` with the place of what is wrong, what was expected there, and names that may have been
    ///   meant.
    public func filter(validating predicateFormat: String, _ args: Any...) throws(QueryError) -> Results<Element> {
        try filtered(predicateFormat, args)
    }

    /// The same with the arguments in an array.
    public func filter(
        validating predicateFormat: String,
        arguments: [Any?]
    ) throws(QueryError) -> Results<Element> {
        try filtered(.parse(predicateFormat, arguments))
    }

    /// The elements that meet a predicate: one made with `NSPredicate(format:)` or `NSPredicate(value:)`, or composed
    /// of such. Traps for others, such as those with blocks of code.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        trapping { () throws(QueryError) in try filter(validating: predicate) }
    }

    /// The elements that meet a predicate.
    ///
    /// - Throws: `QueryError` where the predicate doesn't fit the class, or is one with a block of code.
    public func filter(validating predicate: NSPredicate) throws(QueryError) -> Results<Element> {
        try filtered(predicate.writtenQuery())
    }

    /// The position of the first element that a query string finds; nil if there is none. Traps as `filter` does.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        trapping { () throws(QueryError) in try firstIndex(.parse(predicateFormat, args)) }
    }

    /// The position of the first element that meets the predicate; nil if there is none.
    public func index(matching predicate: NSPredicate) -> Int? {
        trapping { () throws(QueryError) in try firstIndex(predicate.writtenQuery()) }
    }

    /// Of unmanaged objects, too.
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

/// Of a managed map of objects. Entries without an object are left out.
extension Map {
    /// The objects that a query string finds: see ``RealmCollection/filter(_:_:)``.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        trapping { () throws(QueryError) in try all("filter").filtered(predicateFormat, args) }
    }

    /// The objects that a query string finds.
    ///
    /// - Throws: `QueryError`: see ``RealmCollection/filter(validating:_:)``.
    public func filter(
        validating predicateFormat: String,
        _ args: Any...
    ) throws(QueryError) -> Results<Value> {
        try all("filter").filtered(predicateFormat, args)
    }

    /// The objects that meet a predicate: see ``RealmCollection/filter(_:)``.
    public func filter(_ predicate: NSPredicate) -> Results<Value> { all("filter").filter(predicate) }
}

extension QueryError {
    /// Conditions are about properties.
    static func unfiltered(_ element: Any.Type) -> QueryError {
        QueryError(
            .type,
            "A collection of \(element) can't be filtered by a query, only one of objects. Use `filter` with a closure."
        )
    }
}
