/// Reading of dictionaries. Positions are those of the keys in ascending order of their bytes. The functions for lists can also read a column of
/// dictionaries. They return the values in this order.
extension DataView {
    /// Calls `body` with the dictionary of an object. The bytes are valid during the call.
    func withDictionary<R>(_ column: Column, _ key: ObjectKey, body: (StoredDictionary) -> R) -> R {
        var (cluster, slot) = locate(key)
        let blobs = column.segment(.blobs)
        if let buffer = unretainedBuffer(column, cluster: cluster) {
            return buffer._withUnsafeGuaranteedRef { buffer in
                let bytes = buffer.bytes(slot)
                return body(
                    buffer.isReference(slot)
                        ? StoredDictionary(reference: bytes, blobs: blobs)
                        : StoredDictionary(inline: bytes, type: column.type)
                )
            }
        }
        guard let leaf = locatedLeaf(column, cluster: cluster, slot: &slot) else {
            return body(StoredDictionary(inline: UnsafeRawBufferPointer(start: nil, count: 0), type: column.type))
        }
        let bytes = leaf.bytes(slot)
        return body(
            leaf.isReference(slot)
                ? StoredDictionary(reference: bytes, blobs: blobs)
                : StoredDictionary(inline: bytes, type: column.type)
        )
    }

    /// Returns the number of entries.
    /// - Complexity: O(1).
    public func dictionaryCount(_ column: Column, _ key: ObjectKey) -> Int {
        withDictionary(column, key) { count(of: $0.keys) }
    }

    /// Returns the i-th key. `i` must be within bounds.
    /// - Complexity: O(log n).
    public func dictionaryKey(_ column: Column, _ key: ObjectKey, at i: Int) -> String {
        withDictionary(column, key) { string(of: $0.keys, at: i) }
    }

    /// Returns the value of the i-th key. `i` must be within bounds.
    /// - Complexity: O(log n).
    public func dictionaryValue(_ column: Column, _ key: ObjectKey, at i: Int) -> Value {
        withDictionary(column, key) {
            value(of: $0.values, at: i, type: column.type, isOptional: column.isOptional)
        }
    }

    /// Returns the value of a key, which may be null, or `nil` if the key is missing.
    /// - Complexity: O(log n).
    public func dictionaryValue(_ column: Column, _ key: ObjectKey, forKey name: String) -> Value? {
        withDictionary(column, key) { dictionary in
            let place = place(of: name, in: dictionary)
            guard place.isFound else { return nil }
            return value(of: dictionary.values, at: place.index, type: column.type, isOptional: column.isOptional)
        }
    }

    /// Returns the position of a key, or `nil` if the key is missing.
    /// - Complexity: O(log n).
    public func dictionaryIndex(_ column: Column, _ key: ObjectKey, of name: String) -> Int? {
        withDictionary(column, key) { dictionary in
            let place = place(of: name, in: dictionary)
            return place.isFound ? place.index : nil
        }
    }

    /// Returns all keys.
    /// - Complexity: O(n).
    public func dictionaryKeys(_ column: Column, _ key: ObjectKey) -> [String] {
        withDictionary(column, key) { strings(of: $0.keys) }
    }

    /// Returns all values in the order of the keys.
    /// - Complexity: O(n).
    public func dictionaryValues(_ column: Column, _ key: ObjectKey) -> [Value] {
        withDictionary(column, key) { values(of: $0.values, type: column.type, isOptional: column.isOptional) }
    }

    /// Returns all keys with their values.
    /// - Complexity: O(n).
    public func dictionaryEntries(_ column: Column, _ key: ObjectKey) -> [(key: String, value: Value)] {
        withDictionary(column, key) { dictionary in
            let values = values(of: dictionary.values, type: column.type, isOptional: column.isOptional)
            return Array(zip(strings(of: dictionary.keys), values)).map { (key: $0.0, value: $0.1) }
        }
    }

    // MARK: Parts of collections

    /// Returns the elements at these positions, which must be within bounds. For a dictionary, these are values.
    /// - Complexity: O(log n + length).
    public func listValues(_ column: Column, _ key: ObjectKey, in range: Range<Int>) -> [Value] {
        withList(column, key) { values(of: $0, in: range, type: column.type, isOptional: column.isOptional) }
    }

    /// Returns the entries at these positions, which must be within bounds.
    /// - Complexity: O(log n + length).
    public func dictionaryEntries(
        _ column: Column,
        _ key: ObjectKey,
        in range: Range<Int>
    ) -> [(key: String, value: Value)] {
        withDictionary(column, key) { dictionary in
            let names = values(of: dictionary.keys, in: range, type: .string, isOptional: false)
            let values = values(of: dictionary.values, in: range, type: column.type, isOptional: column.isOptional)
            return zip(names, values).map { name, value in (key: Self.string(name), value: value) }
        }
    }

    private func values(
        of list: StoredList,
        in range: Range<Int>,
        type: ColumnType,
        isOptional: Bool
    ) -> [Value] {
        guard !range.isEmpty else { return [] }
        switch list {
        case .inline(let inline): return Array(inline.values()[range])
        case .large(let tree):
            var out: [Value] = []
            tree.forEachChunk(from: range.lowerBound, in: self) { chunk, start, count in
                let leaf = self.chunk(chunk, count, of: tree, type: type, isOptional: isOptional)
                for slot in max(range.lowerBound - start, 0)..<min(range.upperBound - start, count) {
                    out.append(value(type, leaf, slot: slot, isOptional: isOptional, blobs: tree.segment))
                }
                return start + count < range.upperBound
            }
            return out
        }
    }

    // MARK: Keys

    func place(of name: String, in dictionary: StoredDictionary) -> (index: Int, isFound: Bool) {
        sortedPlace(of: .string(name), in: dictionary.keys, type: .string, isOptional: false)
    }

    private func string(of keys: StoredList, at i: Int) -> String {
        Self.string(value(of: keys, at: i, type: .string, isOptional: false))
    }

    func strings(of keys: StoredList) -> [String] {
        values(of: keys, type: .string, isOptional: false).map(Self.string)
    }

    private static func string(_ value: Value) -> String {
        if case .string(let name) = value { name } else { "" }
    }
}
