/// The equality of values in mixed columns, and the collections inside them.
extension Value {
    /// Returns whether two values are equal in a mixed column. Numbers of all kinds are compared by exact value, and NaN equals NaN. Strings never
    /// equal data. Lists and dictionaries are compared by their content.
    ///
    /// `==` also compares the types of numbers.
    public static func areEqual(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.list(let a), .list(let b)): a.values.elementsEqual(b.values, by: areEqual)
        case (.dictionary(let a), .dictionary(let b)):
            a.entries.elementsEqual(b.entries) {
                compareBytes($0.key, with: $1.key) == 0 && areEqual($0.value, $1.value)
            }
        default: compare(a, with: b) == 0
        }
    }

    /// Feeds the hash that is consistent with `areEqual`.
    public func hashEqual(into hasher: inout Hasher) {
        switch self {
        // Equal numbers have the same nearest double.
        case .int(let value): Self.hash(Double(value), &hasher)
        case .float(let value): Self.hash(Double(value), &hasher)
        case .double(let value): Self.hash(value, &hasher)
        case .decimal128(let value): Self.hash(value.doubleValue, &hasher)
        case .list(let list):
            hasher.combine(14)
            for value in list.values { value.hashEqual(into: &hasher) }
        case .dictionary(let dictionary):
            hasher.combine(15)
            for entry in dictionary.entries {
                hasher.combine(entry.key)
                entry.value.hashEqual(into: &hasher)
            }
        default: hash(into: &hasher)
        }
    }

    private static func hash(_ number: Double, _ hasher: inout Hasher) {
        hasher.combine(ColumnType.double)
        hasher.combine(number.isNaN ? .nan : number == 0 ? 0 : number)
    }

    // MARK: Nested collections

    /// The id of a list or dictionary, or `nil` for other values.
    public var nestedID: UInt64? {
        switch self {
        case .list(let list): list.id
        case .dictionary(let dictionary): dictionary.id
        default: nil
        }
    }

    /// Returns the list or dictionary with that id, which is this value or one inside it.
    /// - Complexity: O(size)
    public func nested(_ id: UInt64) -> Value? {
        switch self {
        case .list(let list):
            if list.id == id { return self }
            for value in list.values {
                if let found = value.nested(id) { return found }
            }
        case .dictionary(let dictionary):
            if dictionary.id == id { return self }
            for entry in dictionary.entries {
                if let found = entry.value.nested(id) { return found }
            }
        default: break
        }
        return nil
    }

    /// Calls the body with each list and dictionary, which are this value and those inside it.
    func forEachNested(_ body: (Value) -> Void) {
        switch self {
        case .list(let list):
            body(self)
            for value in list.values { value.forEachNested(body) }
        case .dictionary(let dictionary):
            body(self)
            for entry in dictionary.entries { entry.value.forEachNested(body) }
        default: break
        }
    }

    /// Calls the body with each value that isn't a collection, which is this value or those inside it.
    func forEachScalar(_ body: (Value) -> Void) {
        switch self {
        case .list(let list): for value in list.values { value.forEachScalar(body) }
        case .dictionary(let dictionary): for entry in dictionary.entries { entry.value.forEachScalar(body) }
        default: body(self)
        }
    }

    /// Changes the list or dictionary with that id in place.
    ///
    /// - Parameter level: the level of this value, from 1. The body receives the level of the collection.
    /// - Returns: false if the collection wasn't found.
    mutating func updateNested(
        _ id: UInt64,
        level: Int = 1,
        _ body: (inout Value, Int) throws(EngineError) -> Void
    ) throws(EngineError) -> Bool {
        if nestedID == id {
            try body(&self, level)
            return true
        }
        switch self {
        case .list(var list):
            for i in list.values.indices {
                guard try list.values[i].updateNested(id, level: level + 1, body) else { continue }
                self = .list(list)
                return true
            }
        case .dictionary(var dictionary):
            for i in dictionary.entries.indices {
                guard try dictionary.entries[i].value.updateNested(id, level: level + 1, body) else { continue }
                self = .dictionary(dictionary)
                return true
            }
        default: break
        }
        return false
    }

    /// Updates the ids of the collections inside a changed one. Each known id is kept once.
    mutating func renumber(_ known: inout Set<UInt64>) {
        switch self {
        case .list(var list):
            list.id = known.remove(list.id) ?? 0
            for i in list.values.indices { list.values[i].renumber(&known) }
            self = .list(list)
        case .dictionary(var dictionary):
            dictionary.id = known.remove(dictionary.id) ?? 0
            for i in dictionary.entries.indices { dictionary.entries[i].value.renumber(&known) }
            self = .dictionary(dictionary)
        default: break
        }
    }
}
