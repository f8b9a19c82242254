import FreeholdEngine

// Increments of integers in lists and maps. Sets don't have them, because a value of a set isn't a counter.

extension List where Element: _PersistableInteger {
    /// Adds a number to the i-th element, with the rules of an object's `increment(_:by:)`. Sums of 64 bits wrap
    /// around. If a narrower type can't represent the sum, the write throws, and an unmanaged list traps.
    ///
    /// - Returns: The sum, or the element if the sum can't be stored.
    /// - Precondition: `0 <= i < count`. If the list is managed, a write transaction is open.
    /// - Complexity: O(log n), plus the size of one chunk.
    @discardableResult
    public func increment(at i: Int, by amount: Element = 1) -> Element {
        add(Int64(truncatingIfNeeded: amount), at: i, IntegerBounds(Element.self)).map { Element._narrow($0) } ?? 0
    }
}

extension List {
    /// Adds a number to the i-th element, like the other `increment`. A `nil` element stays `nil`.
    ///
    /// - Returns: The sum, or `nil` if the element is `nil`.
    @discardableResult
    public func increment<Number: _PersistableInteger>(at i: Int, by amount: Number = 1) -> Number?
    where Element == Number? {
        add(Int64(truncatingIfNeeded: amount), at: i, IntegerBounds(Number.self)).map { Number._narrow($0) }
    }

    private func add(_ amount: Int64, at i: Int, _ bounds: IntegerBounds) -> Int64? {
        checkElement(i, of: count)
        guard let at = place() else {
            guard case .value(.int(let old)) = Element._rlmContent(items[i]) else { return nil }
            let sum = bounds.plainSum(old, plus: amount, place: "Element \(i) of a \(typeName)")
            if let element = Element._rlmFromContent(.value(.int(sum))) { items[i] = element }
            return sum
        }
        _ = at.table.core.requireWrite()
        guard case .int(let old) = at.value(i) else { return nil }
        guard bounds.sum(old, amount) != nil else {
            at.table.core.record(
                Realm.Error(
                    .invalidValue,
                    "element \(i): \(bounds.problem(old, plus: amount))",
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
    /// Adds a number to the value of a key, with the rules of an object's `increment(_:by:)`. Sums of 64 bits wrap
    /// around. If a narrower type can't represent the sum, the write throws, and an unmanaged map traps.
    ///
    /// The method doesn't create an entry for a missing key. To create one, set it, for example with `map[key, default:
    /// 0] += 1`.
    ///
    /// - Returns: The sum, or the value if the sum can't be stored, or `nil` if the map doesn't contain the key.
    /// - Precondition: If the map is managed, a write transaction is open.
    /// - Complexity: O(log n), plus the size of one chunk.
    @discardableResult
    public func increment(_ key: Key, by amount: Value = 1) -> Value? {
        add(Int64(truncatingIfNeeded: amount), to: key, within: IntegerBounds(Value.self)).map { Value._narrow($0) }
    }
}

extension Map {
    /// Adds a number to the value of a key, like the other `increment`. Null stays null.
    ///
    /// - Returns: The sum, or `nil` if the value is null or the map doesn't contain the key.
    @discardableResult
    public func increment<Number: _PersistableInteger>(_ key: Key, by amount: Number = 1) -> Number?
    where Value == Number? {
        add(Int64(truncatingIfNeeded: amount), to: key, within: IntegerBounds(Number.self)).map { Number._narrow($0) }
    }

    private func add(_ amount: Int64, to key: Key, within bounds: IntegerBounds) -> Int64? {
        let name = key._rlmMapKey
        guard let at = place() else {
            guard let value = items[name], case .value(.int(let old)) = Value._rlmContent(value) else { return nil }
            let sum = bounds.plainSum(old, plus: amount, place: "The value of '\(name)' of a \(typeName)")
            if let value = Value._rlmFromContent(.value(.int(sum))) { items[name] = value }
            return sum
        }
        _ = at.table.core.requireWrite()
        guard case .int(let old)? = at.value(forKey: name) else { return nil }
        guard bounds.sum(old, amount) != nil else {
            at.record(
                Realm.Error(
                    .invalidValue,
                    "the value of '\(name)': \(bounds.problem(old, plus: amount))",
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
