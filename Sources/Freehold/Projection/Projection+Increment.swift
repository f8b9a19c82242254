extension ProjectionObservable {
    /// Adds to an integer that is projected, with the rules of an object's `increment(_:by:)`.
    ///
    /// - Returns: the sum; where it can't be stored, the property's value.
    /// - Precondition: the property shows what is stored, and isn't made of it by an expression.
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

    /// Adds to an optional integer that is projected, as the other `increment` does. Nil stays nil: also that of a link on
    /// the way.
    ///
    /// - Returns: the sum; nil where the property is nil.
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
