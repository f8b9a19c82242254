/// Additions to integers. An addition is a separate kind of change: concurrent additions are summed, whereas the later of two assigned values
/// replaces the other.
///
/// Sums wrap around, so the order of additions doesn't matter. Null remains null. An addition of 0 changes nothing.
extension WriteTransaction {
    /// Adds to an integer of a single-valued column.
    ///
    /// - Returns: the sum, or `nil` for null.
    /// - Throws: `.invalidArgument` for a column of another type or a collection, a missing object or a primary key. The transaction is unchanged
    ///   then.
    /// - Complexity: like `set`.
    @discardableResult
    public func increment(
        _ column: Column,
        _ key: ObjectKey,
        by amount: Int64
    ) throws(EngineError) -> Int64? {
        try checkCounter(column, key, collection: .none)
        if column.isPrimaryKey {
            throw EngineError(.invalidArgument, "The primary key '\(column.name)' of an object can't change.")
        }
        guard case .int(let old) = value(column, key) else { return nil }
        let sum = old &+ amount
        guard amount != 0 else { return sum }
        let isAdd = journal != nil && isOld(column, key) && !isModified(column, key)
        write(column, key, value: .int(sum))
        if isAdd {
            let (cluster, slot) = locate(key)
            columnOverlay(column).noteAdded(key, cluster: cluster, slot: slot, amount: amount)
        }
        return sum
    }

    /// Adds to the i-th element of a list.
    ///
    /// - Returns: the sum, or `nil` for null.
    /// - Throws: like `increment`, and for an index out of bounds.
    /// - Complexity: O(log n), plus the size of one chunk.
    @discardableResult
    public func listIncrement(
        _ column: Column,
        _ key: ObjectKey,
        at i: Int,
        by amount: Int64
    ) throws(EngineError) -> Int64? {
        try checkCounter(column, key, collection: .list)
        try checkBounds(column, i, below: listCount(column, key))
        guard case .int(let old) = listValue(column, key, at: i) else { return nil }
        let sum = old &+ amount
        guard amount != 0 else { return sum }
        withoutRecording { replaceElement(column, key, at: i, with: .int(sum)) }
        if isOld(column, key) { journal?.addedInList(column, key, at: i, delta: amount, in: self) }
        return sum
    }

    /// Adds to the value of a dictionary's key.
    ///
    /// - Returns: the sum, or `nil` for null and for a missing key, which isn't added.
    /// - Throws: like `increment`.
    /// - Complexity: O(log n), plus the size of one chunk.
    @discardableResult
    public func dictionaryIncrement(
        _ column: Column,
        _ key: ObjectKey,
        forKey name: String,
        by amount: Int64
    ) throws(EngineError) -> Int64? {
        try checkCounter(column, key, collection: .dictionary)
        guard let i = dictionaryIndex(column, key, of: name),
            case .int(let old) = dictionaryValue(column, key, at: i)
        else { return nil }
        let sum = old &+ amount
        guard amount != 0 else { return sum }
        withoutRecording { replaceEntry(column, key, at: i, with: .int(sum)) }
        if isOld(column, key) { journal?.addedInDictionary(column, key, forKey: name, delta: amount) }
        return sum
    }

    /// Makes an edit that is recorded in the journal in a different form.
    func withoutRecording<Failure: Error>(_ edit: () throws(Failure) -> Void) throws(Failure) {
        if let journal { try journal.withoutRecording(edit) } else { try edit() }
    }

    /// Returns whether the object is older than the transaction.
    func isOld(_ column: Column, _ key: ObjectKey) -> Bool {
        key.raw < tables[column.tableID]?.firstNewKey ?? .max
    }

    private func checkCounter(
        _ column: Column,
        _ key: ObjectKey,
        collection: CollectionKind
    ) throws(EngineError) {
        guard column.type == .int, column.collection == collection else {
            let wanted =
                switch collection {
                case .none: "no integer"
                case .list: "no list of integers"
                case .set: "no set of integers"
                case .dictionary: "no dictionary of integers"
                }
            throw EngineError(.invalidArgument, "'\(column.name)' is \(wanted), so that nothing can be added to it.")
        }
        guard contains(currentSchema.table(of: column), key) else { throw missingObject(column, key) }
    }
}
