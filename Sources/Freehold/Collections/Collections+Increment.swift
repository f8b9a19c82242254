import FreeholdEngine

// Adding to the integers of lists and maps. Sets have none of it: a value of a set is no counter.

extension List where Element: _PersistableInteger {
    /// Adds to the i-th element, with the rules of an object's `increment(_:by:)`: sums of 64 bits
    /// wrap around, and where a narrower type can't hold one, the write throws; in an unmanaged list that traps.
    ///
    /// - Returns: the sum; where it can't be stored, the element.
    /// - Precondition: `0 <= i < count`; inside a write transaction, if the list is managed.
    /// - Complexity: O(log n), plus the size of one chunk.
    @discardableResult
    public func increment(at i: Int, by amount: Element = 1) -> Element {
        add(Int64(truncatingIfNeeded: amount), at: i, IntegerBounds(Element.self)).map { Element._narrow($0) } ?? 0
    }
}

extension List {
    /// Adds to the i-th element, as the other `increment` does. Nil stays nil.
    ///
    /// - Returns: the sum; nil where the element is nil.
    @discardableResult
    public func increment<Number: _PersistableInteger>(at i: Int, by amount: Number = 1) -> Number?
    where Element == Number? {
        add(Int64(truncatingIfNeeded: amount), at: i, IntegerBounds(Number.self)).map { Number._narrow($0) }
    }

    private func add(_ amount: Int64, at i: Int, _ bounds: IntegerBounds) -> Int64? {
        checkElement(i, count)
        guard let at = place() else {
            guard case .value(.int(let old)) = Element._rlmContent(items[i]) else { return nil }
            let sum = bounds.plainSum(old, amount, "Element \(i) of a \(typeName)")
            if let element = Element._rlmFromContent(.value(.int(sum))) { items[i] = element }
            return sum
        }
        _ = at.table.core.requireWrite()
        guard case .int(let old) = at.value(i) else { return nil }
        guard bounds.sum(old, amount) != nil else {
            at.table.core.record(
                Realm.Error(
                    .invalidValue,
                    "element \(i): \(bounds.problem(old, amount))",
                    className: placeName?.className,
                    property: placeName?.property
                )
            )
            return old
        }
        var sum: Int64? = old
        change(at) { tx throws(EngineError) in sum = try tx.listIncrement(at.column, owner, at: i, by: amount) }
        return sum
    }
}

extension Map where Value: _PersistableInteger {
    /// Adds to the value of a key, with the rules of an object's `increment(_:by:)`: sums of 64 bits
    /// wrap around, and where a narrower type can't hold one, the write throws; in an unmanaged map that traps.
    ///
    /// A key that isn't there stays so: to make an entry is to set it, as `map[key, default: 0] += 1` does.
    ///
    /// - Returns: the sum; where it can't be stored, the value; nil where there is no such key.
    /// - Precondition: inside a write transaction, if the map is managed.
    /// - Complexity: O(log n), plus the size of one chunk.
    @discardableResult
    public func increment(_ key: Key, by amount: Value = 1) -> Value? {
        add(Int64(truncatingIfNeeded: amount), key, IntegerBounds(Value.self)).map { Value._narrow($0) }
    }
}

extension Map {
    /// Adds to the value of a key, as the other `increment` does. Null stays null.
    ///
    /// - Returns: the sum; nil where the value is null, and where there is no such key.
    @discardableResult
    public func increment<Number: _PersistableInteger>(_ key: Key, by amount: Number = 1) -> Number?
    where Value == Number? {
        add(Int64(truncatingIfNeeded: amount), key, IntegerBounds(Number.self)).map { Number._narrow($0) }
    }

    private func add(_ amount: Int64, _ key: Key, _ bounds: IntegerBounds) -> Int64? {
        let name = key._rlmMapKey
        guard let at = place() else {
            guard let value = items[name], case .value(.int(let old)) = Value._rlmContent(value) else { return nil }
            let sum = bounds.plainSum(old, amount, "The value of '\(name)' of a \(typeName)")
            if let value = Value._rlmFromContent(.value(.int(sum))) { items[name] = value }
            return sum
        }
        _ = at.table.core.requireWrite()
        guard case .int(let old)? = at.value(forKey: name) else { return nil }
        guard bounds.sum(old, amount) != nil else {
            at.record(
                Realm.Error(
                    .invalidValue,
                    "the value of '\(name)': \(bounds.problem(old, amount))",
                    className: at.table.info.className,
                    property: at.info.name
                )
            )
            return old
        }
        return at.change { tx throws(EngineError) in
            try tx.dictionaryIncrement(at.column, at.owner, forKey: name, by: amount)
        } ?? old
    }
}
