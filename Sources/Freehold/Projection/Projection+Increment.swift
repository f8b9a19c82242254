extension ProjectionObservable {
    /// Adds a number to a projected integer, with the rules of an object's `increment(_:by:)`.
    ///
    /// - Returns: The sum, or the value of the property if the sum can't be stored.
    /// - Precondition: The property shows a stored value, and isn't computed by an expression.
    @discardableResult
    public func increment<Number: _PersistableInteger>(
        _ keyPath: ReferenceWritableKeyPath<Self, Number>,
        by amount: Number = 1
    ) -> Number {
        let names = stored(keyPath)
        guard let sum = rootObject._increment(along: names, by: amount) else {
            programmerError(
                "\(Self.self) shows \(Root.className()).\(names.joined(separator: ".")), which can't be added to: a link on "
                    + "the way is nil. Assign an object first."
            )
        }
        return sum
    }

    /// Adds a number to a projected optional integer, like the other `increment`. A `nil` value stays `nil`, also if a
    /// link on the path is `nil`.
    ///
    /// - Returns: The sum, or `nil` if the property is `nil`.
    @discardableResult
    public func increment<Number: _PersistableInteger>(
        _ keyPath: ReferenceWritableKeyPath<Self, Number?>,
        by amount: Number = 1
    ) -> Number? { rootObject._increment(along: stored(keyPath), by: amount) }

    private func stored(_ keyPath: PartialKeyPath<Self>) -> [String] {
        let reading = keyPathReading(keyPath)
        if reading.isStored, reading.collectionNames == nil { return reading.names }
        programmerError(
            "A property of \(Self.self) can't be added to: what it shows is made of '\(reading.name)' by an expression. Add to "
                + "`rootObject`'s '\(reading.name)'."
        )
    }
}
