/// Edits of sets. A set is a sorted list without values that compare as equal. It contains at most one null, which is the first element.
extension WriteTransaction {
    /// Inserts a value into a set. An element that compares as equal (in a set of mixed values, the same number in another type) remains unchanged.
    ///
    /// - Returns: whether the value is new.
    /// - Throws: like `set`, and `.invalidArgument` for a list or dictionary. The transaction is unchanged then.
    /// - Complexity: O(log n), plus the size of one chunk.
    @discardableResult
    public func setInsert(_ column: Column, _ key: ObjectKey, value: Value) throws(EngineError) -> Bool {
        try checkSet(column, key)
        try checkSetElement(value, column)
        return insert(value, column, key: key)
    }

    /// Inserts several values.
    /// - Returns: the number of new values.
    /// - Complexity: O(k log n) for few values, O(n + k log k) for many.
    @discardableResult
    public func setInsert(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) -> Int {
        try checkSet(column, key)
        for value in values { try checkSetElement(value, column) }
        let count = listCount(column, key)
        if Self.areFew(values.count, of: count) {
            return values.reduce(0) { insert($1, column, key: key) ? $0 + 1 : $0 }
        }
        let old = listValues(column, key)
        let new = Self.merged(old, with: Self.unique(values, keepsLast: false))
        replace(column, key, old: old, with: new)
        return new.count - old.count
    }

    /// Removes a value.
    /// - Returns: whether the set contained the value.
    /// - Complexity: O(log n), plus the size of one chunk.
    @discardableResult
    public func setRemove(_ column: Column, _ key: ObjectKey, value: Value) -> Bool {
        guard column.collection == .set, contains(currentSchema.table(of: column), key) else { return false }
        let place = setPlace(column, key, of: value)
        guard place.isFound else { return false }
        let gone = journal == nil ? value : listValue(column, key, at: place.index)
        splice(column, key, range: place.index..<(place.index + 1), with: [])
        note(column, key, operation: .remove(at: place.index, count: 1), gone: [gone])
        return true
    }

    /// Removes several values.
    /// - Returns: the number of removed values.
    /// - Complexity: O(k log n) for few values, O(n + k log k) for many.
    @discardableResult
    public func setRemove(_ column: Column, _ key: ObjectKey, values: [Value]) -> Int {
        guard column.collection == .set else { return 0 }
        if Self.areFew(values.count, of: listCount(column, key)) {
            return values.reduce(0) { setRemove(column, key, value: $1) ? $0 + 1 : $0 }
        }
        return setKeep(column, key, of: values, isKept: false)
    }

    /// Removes all values except the given ones.
    /// - Returns: the number of removed values.
    /// - Complexity: O(n + k log k).
    @discardableResult
    public func setIntersect(_ column: Column, _ key: ObjectKey, values: [Value]) -> Int {
        guard column.collection == .set else { return 0 }
        return setKeep(column, key, of: values, isKept: true)
    }

    /// Replaces the set's values by the given ones, which can be in any order. If values compare as equal, the last one counts. Values that the set
    /// already contains aren't recorded as changes.
    /// - Complexity: O(n + k log k).
    public func setAssign(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) {
        try checkSet(column, key)
        for value in values { try checkSetElement(value, column) }
        try assigning(column, of: key) { () throws(EngineError) in
            replace(column, key, old: listValues(column, key), with: Self.unique(values, keepsLast: true))
        }
    }

    /// Returns whether a set contains exactly these values.
    /// - Complexity: O(n + k log k).
    package func set(_ column: Column, _ key: ObjectKey, holds values: [Value]) -> Bool {
        listValues(column, key) == Self.unique(values, keepsLast: true)
    }

    /// Removes a deleted object from a set of links.
    func setRemoveLink(_ column: Column, _ key: ObjectKey, to target: ObjectKey) {
        setRemove(column, key, value: .link(target))
    }

    // MARK: Steps

    private func checkSet(_ column: Column, _ key: ObjectKey) throws(EngineError) {
        guard column.collection == .set else {
            throw EngineError(.invalidArgument, "'\(column.name)' isn't a set.")
        }
        guard contains(currentSchema.table(of: column), key) else { throw missingObject(column, key) }
    }

    private func checkSetElement(_ value: Value, _ column: Column) throws(EngineError) {
        if value.isNull, !column.isOptional {
            throw EngineError(.missingValue, "The set '\(column.name)' can't hold null.")
        }
        try checkElement(value, column)
    }

    private func insert(_ value: Value, _ column: Column, key: ObjectKey) -> Bool {
        let place = setPlace(column, key, of: value)
        guard !place.isFound else { return false }
        splice(column, key, range: place.index..<place.index, with: [value])
        note(column, key, operation: .insert(at: place.index, count: 1))
        return true
    }

    /// Returns whether this number of edits of a set is made one by one.
    static func areFew(_ edits: Int, of count: Int) -> Bool { edits <= 4 || edits * 64 < count }

    /// Returns the sorted values without values that compare as equal.
    static func unique(_ values: [Value], keepsLast: Bool) -> [Value] {
        if values.count == 1 { return values }
        var out: [Value] = []
        out.reserveCapacity(values.count)
        for value in sorted(values) {
            if let last = out.last, Value.compare(last, with: value) == 0 {
                if keepsLast { out[out.count - 1] = value }
            } else {
                out.append(value)
            }
        }
        return out
    }

    /// Returns the values in stable order. Plain numbers are sorted without creating values.
    private static func sorted(_ values: [Value]) -> [Value] {
        var ints: [Int64] = []
        ints.reserveCapacity(values.count)
        for value in values {
            guard case .int(let number) = value else { break }
            ints.append(number)
        }
        if ints.count == values.count {
            ints.sort()
            return ints.map(Value.int)
        }
        if values.count == 2 { return Value.compare(values[1], with: values[0]) < 0 ? [values[1], values[0]] : values }
        return values.sorted { Value.compare($0, with: $1) < 0 }
    }

    private static func merged(_ a: [Value], with b: [Value]) -> [Value] {
        var out: [Value] = []
        out.reserveCapacity(a.count + b.count)
        var j = 0
        for value in a {
            while j < b.count, Value.compare(b[j], with: value) < 0 {
                out.append(b[j])
                j += 1
            }
            if j < b.count, Value.compare(b[j], with: value) == 0 { j += 1 }
            out.append(value)
        }
        out += b[j...]
        return out
    }

    private func setKeep(_ column: Column, _ key: ObjectKey, of values: [Value], isKept: Bool) -> Int {
        let old = listValues(column, key)
        let wanted = Self.unique(values, keepsLast: false)
        var j = 0
        let new = old.filter { value in
            while j < wanted.count, Value.compare(wanted[j], with: value) < 0 { j += 1 }
            return (j < wanted.count && Value.compare(wanted[j], with: value) == 0) == isKept
        }
        replace(column, key, old: old, with: new)
        return old.count - new.count
    }

    /// Replaces the old values by new ones. Both are sorted and without duplicates.
    private func replace(_ column: Column, _ key: ObjectKey, old: [Value], with new: [Value]) {
        let difference = SortedDifference(old: old.count, new: new.count) {
            Value.compare(old[$0], with: new[$1])
        } isSame: {
            old[$0].isIdentical(to: new[$1])
        }
        guard !difference.edits.isEmpty else { return }
        spillIfOverBudget()
        let place = place(column, key)
        if column.type == .link || column.type == .mixed {
            linksChanged(
                column,
                key,
                removed: difference.removed.map { old[$0] },
                added: difference.added.map { new[$0] }
            )
        }
        if difference.isSmall(in: old.count) {
            for edit in difference.edits {
                switch edit {
                case .insert(let at, let count): splice(place, at..<at, with: Array(new[at..<at + count]))
                case .remove(let at, let count): splice(place, at..<at + count, with: [])
                case .set(let at): splice(place, at..<at + 1, with: [new[at]])
                case .move, .clear: break
                }
            }
        } else {
            splice(place, 0..<old.count, with: new)
        }
        for (edit, gone) in difference.editsWithRemoved {
            note(column, key, operation: edit, gone: gone.map { old[$0] })
        }
    }
}
