import FreeholdEngine

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Whether the words are in the string, which needs `@Persisted(fullText: true)`.
    ///
    /// ```swift
    /// articles.where { $0.body.matches("swift data* -objective \"object database\"") }
    /// ```
    ///
    /// All terms are required, in any order: words, beginnings of words (`data*`), phrases in quotes, and with `-` before
    /// them terms that must not be there. Case and accents don't count. If there are only exclusions, all other objects
    /// are found, also those whose string is nil. A term with a separator inside, such as `object-oriented`, is a phrase,
    /// and so are words of scripts without spaces, which are found inside longer ones. See
    /// ``Realm/Configuration/textMatching`` for the words that Realm knows.
    ///
    /// Traps where the property has no full-text index, or the search has no word or one both wanted and excluded.
    public func matches(_ search: String) -> Query<Bool> {
        Query<Bool>(.fullText(path, .value(.string(search))))
    }
}
