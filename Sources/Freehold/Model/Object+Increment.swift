extension ThreadConfined where Self: ObjectBase {
    /// Adds to an integer property: a counter.
    ///
    /// ```swift
    /// try realm.write {
    ///     page.increment(\.visits, by: 1)
    ///     player.increment(\.lives, by: -1)
    /// }
    /// ```
    /// It does what `page.visits += 1` does, and says more: that something is added, whatever there is. Synchronisation,
    /// which isn't built yet, will sum what several devices add, while of two values that were set it keeps one.
    ///
    /// Sums beyond 64 bits wrap around. One that a narrower type can't hold (`Int8` to `Int32`) isn't stored: the write
    /// throws `invalidValue`. To add 0 changes nothing; else observers, indexes and unique constraints see what they see
    /// when the property is assigned. A primary key can't be added to, which the write throws.
    ///
    /// In an unmanaged object it is an addition, for which a sum that the type can't hold is a programmer error, as it is
    /// with `+`.
    ///
    /// - Parameters:
    ///   - keyPath: leads to a `@Persisted` integer of the object, or of one that to-one links lead to (`\.owner!.visits`).
    ///   - amount: is subtracted where it is negative.
    /// - Returns: the sum; where it can't be stored, the property's value.
    /// - Precondition: inside a write transaction, on the realm's thread, and the object wasn't deleted, if it is managed.
    /// - Complexity: O(1), plus what indexes cost at commit.
    @discardableResult
    public func increment<Number: _PersistableInteger>(
        _ keyPath: ReferenceWritableKeyPath<Self, Number>,
        by amount: Number = 1
    ) -> Number {
        let names = IntegerPath.names(keyPath)
        guard let sum = _increment(along: names, by: amount) else {
            programmerError(
                "\(_info.className).\(names.joined(separator: ".")) can't be added to: a link on the way is nil. Assign an "
                    + "object first."
            )
        }
        return sum
    }

    /// Adds to an optional integer property, as the other `increment` does. Nil stays nil.
    ///
    /// - Returns: the sum; nil where the property is nil.
    @discardableResult
    public func increment<Number: _PersistableInteger>(
        _ keyPath: ReferenceWritableKeyPath<Self, Number?>,
        by amount: Number = 1
    ) -> Number? { _increment(along: IntegerPath.names(keyPath), by: amount) }

    /// Adds to an integer property by its name, as the others do: of any object, and of a ``DynamicObject`` whose class
    /// has none in Swift. Nil stays nil.
    ///
    /// - Returns: the sum; nil where the property is nil.
    /// - Precondition: the class has an integer property of that name. Enums and custom types are none.
    @discardableResult
    public func increment(_ propertyName: String, by amount: Int = 1) -> Int? {
        if let dynamic = _beyondClass(propertyName) { return dynamic.increment(propertyName, by: amount) }
        let index = _propertyIndex(named: propertyName)
        let info = _info
        guard let bounds = info.properties[index].integerBounds else {
            programmerError(
                "\(info.className).\(info.properties[index].name) is no integer, so that nothing can be added to it. Assign it."
            )
        }
        return _increment(index, by: Int64(amount), in: bounds).map { Int($0) }
    }
}
