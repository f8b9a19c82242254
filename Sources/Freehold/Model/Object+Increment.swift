extension ThreadConfined where Self: ObjectBase {
    /// Adds a number to an integer property, such as a counter.
    ///
    /// ```swift
    /// try realm.write {
    ///     page.increment(\.visits, by: 1)
    ///     player.increment(\.lives, by: -1)
    /// }
    /// ```
    /// The result is that of `page.visits += 1`, but the addition itself is recorded. Sync sums the increments of
    /// several devices. If several devices assign a value instead, sync keeps one of the values.
    ///
    /// Sums of 64 bits wrap around. If a narrower type (`Int8` to `Int32`) can't represent the sum, it isn't stored,
    /// and the write throws `invalidValue`. Adding 0 changes nothing. Otherwise, observers, indexes and unique
    /// constraints treat the increment like an assignment. An increment of a primary key makes the write throw.
    ///
    /// In an unmanaged object, the increment is an addition. An overflow is a programmer error, like with `+`.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a `@Persisted` integer of the object, or of an object to which to-one links lead
    ///     (`\.owner!.visits`).
    ///   - amount: The number to add. A negative number is subtracted.
    /// - Returns: The sum, or the value of the property if the sum can't be stored.
    /// - Precondition: If the object is managed, it isn't deleted, a write transaction is open, and the call runs on
    ///   the realm's thread.
    /// - Complexity: O(1), plus the cost of indexes at commit.
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

    /// Adds a number to an optional integer property, like the other `increment`. A `nil` value stays `nil`.
    ///
    /// - Returns: The sum, or `nil` if the property is `nil`.
    @discardableResult
    public func increment<Number: _PersistableInteger>(
        _ keyPath: ReferenceWritableKeyPath<Self, Number?>,
        by amount: Number = 1
    ) -> Number? { _increment(along: IntegerPath.names(keyPath), by: amount) }

    /// Adds a number to an integer property that is given by its name, for any object and for a ``DynamicObject``
    /// without a Swift class. A `nil` value stays `nil`.
    ///
    /// - Returns: The sum, or `nil` if the property is `nil`.
    /// - Precondition: The class has an integer property of that name, which isn't an enum or a custom type.
    @discardableResult
    public func increment(_ propertyName: String, by amount: Int = 1) -> Int? {
        if let dynamic = _beyondClass(propertyName) { return dynamic.increment(propertyName, by: amount) }
        let index = _propertyIndex(named: propertyName)
        let info = _info
        guard let bounds = info.properties[index].integerBounds else {
            programmerError(
                "\(info.className).\(info.properties[index].name) isn't an integer, so that nothing can be added to it. Assign it."
            )
        }
        return _increment(index, by: Int64(amount), in: bounds).map { Int($0) }
    }
}
