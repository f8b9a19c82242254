/// A set of objects by table, which may contain duplicates. It takes 8 bytes for each insertion, or for each object if there are many insertions.
struct MentionedObjects {
    fileprivate struct Keys {
        var keys: [ObjectKey] = []
        /// The number of keys at which duplicates are removed.
        var limit = 1 << 16
    }

    private var tables: [Int: Keys] = [:]

    mutating func insert(_ object: JournalObject) { insert(object.tableID, object.key) }

    /// Inserts an object.
    /// - Complexity: O(1) on average.
    mutating func insert(_ table: Int, _ key: ObjectKey) { tables[table, default: Keys()].insert(key) }

    var tableIDs: [Int] { tables.keys.sorted() }

    /// Returns the keys of a table in ascending order, without duplicates. It also removes them from the set.
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
