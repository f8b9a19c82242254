/// What the collections of new objects hold, written at once.
extension WriteTransaction {
    /// Fills a list of an object that this transaction has made, or a set.
    ///
    /// - Precondition: the collection is empty, and of neither links nor mixed values; the values fit into it.
    /// - Complexity: O(n), of sets O(n log n).
    package func fill(_ column: Column, _ key: ObjectKey, _ values: [Value]) {
        if values.isEmpty { return }
        let values = column.collection == .set ? Self.unique(values, keepsLast: true) : values
        // An index follows the edits of its column.
        if column.hasIndex { return splice(column, key, 0..<0, with: values) }
        spillIfOverBudget()
        splice(place(column, key), 0..<0, with: values)
    }

    /// Fills a dictionary of an object that this transaction has made.
    ///
    /// - Precondition: as above; the keys may be a dictionary's.
    /// - Complexity: O(n log n).
    package func fill(_ column: Column, _ key: ObjectKey, entries: [(key: String, value: Value)]) {
        if entries.isEmpty { return }
        spillIfOverBudget()
        store(Self.unique(entries), in: column, key)
    }

    /// Returns whether a string may be a dictionary's key.
    package static func canBeKey(_ name: String) -> Bool { StoredDictionary.problem(withKey: name) == nil }
}
