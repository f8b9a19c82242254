import FreeholdEngine

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Matches if the string contains the words. The property needs `@Persisted(fullText: true)`.
    ///
    /// ```swift
    /// articles.where { $0.body.matches("swift data* -objective \"object database\"") }
    /// ```
    ///
    /// All terms are required, in any order. A term is a word, the beginning of a word (`data*`), or a phrase in
    /// quotes. A term with `-` before it is excluded. Case and accents are ignored. If all terms are excluded, the
    /// query finds all other objects, including those whose string is `nil`. A term with a separator inside, such as
    /// `object-oriented`, is a phrase. Words of scripts without spaces are phrases too, and are found inside longer
    /// words. See ``Realm/Configuration/textMatching`` for the words of Realm.
    ///
    /// Traps if the property has no full-text index, if the search has no words, or if a word is both required and
    /// excluded.
    public func matches(_ search: String) -> Query<Bool> {
        Query<Bool>(.fullText(path, .value(.string(search))))
    }
}
