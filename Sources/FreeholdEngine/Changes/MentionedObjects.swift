/// Objects by table, each any number of times: 8 bytes for each time, and for each object where that is much.
struct MentionedObjects {
    fileprivate struct Keys {
        var keys: [ObjectKey] = []
        /// The number of keys at which those that are there more than once are dropped.
        var limit = 1 << 16
    }

    private var tables: [Int: Keys] = [:]

    mutating func insert(_ object: JournalObject) { insert(object.tableID, object.key) }

    /// - Complexity: O(1), averaged.
    mutating func insert(_ table: Int, _ key: ObjectKey) { tables[table, default: Keys()].insert(key) }

    var tableIDs: [Int] { tables.keys.sorted() }

    /// Of a table, rising, each once. They are forgotten.
    mutating func take(_ table: Int) -> [ObjectKey] {
        var keys = tables.removeValue(forKey: table)?.keys ?? []
        keys.sortUnique()
        return keys
    }
}

extension MentionedObjects.Keys {
    fileprivate mutating func insert(_ key: ObjectKey) {
        if keys.last == key { return }
        keys.append(key)
        guard keys.count >= limit else { return }
        keys.sortUnique()
        limit = max(1 << 16, 2 * keys.count)
    }
}
