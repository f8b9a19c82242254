/// The stored content, which includes links to placeholders. They have negative keys (`ObjectKey.isPlaceholder`) in the place of the object's own
/// key.
extension DataView {
    /// Returns the number of placeholders of a class.
    /// - Complexity: O(1)
    public func placeholderCount(_ table: Table) -> Int { schema.placeholders(of: table.id).map(count) ?? 0 }

    /// Returns the primary key of the object that a placeholder stands for, or `nil` if the placeholder doesn't exist.
    /// - Complexity: O(1)
    public func primaryKey(ofPlaceholder key: ObjectKey, in table: Table) -> Value? {
        guard key.isPlaceholder, let placeholders = schema.placeholders(of: table.id),
            contains(placeholders, key.placeholder)
        else { return nil }
        return value(placeholders.columns[0], key.placeholder)
    }

    /// Returns the key of the placeholder for an object, or `nil` if it doesn't exist.
    /// - Complexity: O(log n)
    public func placeholder(primaryKey: Value, in table: Table) -> ObjectKey? {
        schema.placeholders(of: table.id).flatMap { find(primaryKey: primaryKey, in: $0) }
            .map { ObjectKey(placeholder: $0) }
    }

    /// Returns whether a property has links to placeholders.
    /// - Complexity: O(1) if no property of its class has any, otherwise O(log n + links)
    public func hasPlaceholders(_ column: Column, _ key: ObjectKey) -> Bool { !hiddenLinks(column, key).isEmpty }

    /// Returns the stored value of a single-valued property.
    public func storedValue(_ column: Column, _ key: ObjectKey) -> Value {
        let shown = value(column, key)
        guard let kept = hiddenLinks(column, key).elements.first?.kept else { return shown }
        return kept.whole(shown, of: column, in: schema)
    }

    /// Returns the number of elements of a list, set or dictionary, including hidden ones.
    public func storedCount(_ column: Column, _ key: ObjectKey) -> Int {
        listCount(column, key) + hiddenLinks(column, key).hiddenCount
    }

    /// Returns all elements of a list, including hidden ones.
    /// - Complexity: O(n)
    public func storedListValues(_ column: Column, _ key: ObjectKey) -> [Value] {
        let shown = listValues(column, key)
        let links = hiddenLinks(column, key)
        if links.isEmpty { return shown }
        var out: [Value] = []
        var next = 0
        for element in links.elements {
            let run = min(element.position - out.count, shown.count - next)
            if run > 0 {
                out += shown[next..<next + run]
                next += run
            }
            if element.isHidden {
                out.append(element.kept.whole(.null, of: column, in: schema))
            } else if next < shown.count {
                out.append(element.kept.whole(shown[next], of: column, in: schema))
                next += 1
            }
        }
        return out + shown[next...]
    }

    /// Returns all values of a set: the visible ones in their order, followed by links to placeholders.
    /// - Complexity: O(n)
    public func storedSetValues(_ column: Column, _ key: ObjectKey) -> [Value] {
        listValues(column, key) + hiddenLinks(column, key).elements.map { $0.kept.whole(.null, of: column, in: schema) }
    }

    /// Returns all entries of a dictionary, including hidden ones, in ascending order of the keys' bytes.
    /// - Complexity: O(n)
    public func storedDictionaryEntries(_ column: Column, _ key: ObjectKey) -> [(key: String, value: Value)] {
        var entries = dictionaryEntries(column, key)
        let links = hiddenLinks(column, key)
        if links.isEmpty { return entries }
        for element in links.elements {
            if element.isHidden {
                entries.append((element.name, element.kept.whole(.null, of: column, in: schema)))
            } else if let i = entries.firstIndex(where: { Value.compareBytes($0.key, with: element.name) == 0 }) {
                entries[i].value = element.kept.whole(entries[i].value, of: column, in: schema)
            }
        }
        return entries.sorted { Value.compareBytes($0.key, with: $1.key) < 0 }
    }

    /// Returns the position of the i-th visible element among all elements of a list.
    /// - Complexity: O(links to placeholders)
    public func storedIndex(_ column: Column, _ key: ObjectKey, ofShown i: Int) -> Int {
        hiddenLinks(column, key).stored(ofShown: i)
    }

    /// Returns the number of visible elements before a position in a list. For a visible element, this is its visible index.
    /// - Complexity: O(links to placeholders)
    public func shownIndex(_ column: Column, _ key: ObjectKey, ofStored i: Int) -> Int {
        hiddenLinks(column, key).shown(before: i)
    }
}
