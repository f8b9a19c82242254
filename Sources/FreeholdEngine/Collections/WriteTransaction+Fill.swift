/// The content of new objects' collections, written at once.
extension WriteTransaction {
    /// Fills a list or set of an object that this transaction created.
    ///
    /// - Precondition: the collection is empty and contains neither links nor mixed values. The values are valid for it.
    /// - Complexity: O(n). For sets, O(n log n).
    package func fill(_ column: Column, _ key: ObjectKey, with values: [Value]) {
        if values.isEmpty { return }
        let values = column.collection == .set ? Self.unique(values, keepsLast: true) : values
        // Edits of a column with an index update the index.
        if column.hasIndex { return splice(column, key, range: 0..<0, with: values) }
        spillIfOverBudget()
        splice(place(column, key), 0..<0, with: values)
    }

    /// Fills a dictionary of an object that this transaction created.
    ///
    /// - Precondition: like `fill(_:_:_:)`, and the keys are valid for a dictionary.
    /// - Complexity: O(n log n).
    package func fill(_ column: Column, _ key: ObjectKey, entries: [(key: String, value: Value)]) {
        if entries.isEmpty { return }
        spillIfOverBudget()
        store(Self.unique(entries), in: column, key)
    }

    /// Returns whether a string is a valid key of a dictionary.
    package static func canBeKey(_ name: String) -> Bool { StoredDictionary.problem(withKey: name) == nil }
}
