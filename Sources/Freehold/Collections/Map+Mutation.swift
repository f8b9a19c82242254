import FreeholdEngine

// Changes of a map. Each call makes all of its changes or none. A managed map can be changed only inside a write
// transaction.

extension Map {
    @_specialize(where Key == String, Value == String)
    @_specialize(where Key == String, Value == Int)
    @_specialize(where Key == String, Value == Double)
    func set(_ value: Value, _ key: Key) {
        let name = key._rlmMapKey
        guard let at = place() else {
            if kept != nil { kept!.set(Value._rlmContent(value), name) } else { items.set(value, name) }
            return
        }
        _ = at.table.core.requireWrite()
        if at.isThere(value as? AnyRealmValue, forKey: name) { return }
        set(Value._rlmContent(value), forKey: name, at)
    }

    func set(_ content: _StoredContent, forKey name: String, _ at: CollectionPlace) {
        guard at.accepts(key: name), !at.isThere(content, forKey: name), let values = at.stored([content]) else {
            return
        }
        _ = at.change { tx throws(EngineError) in
            try at.set(values[0], forKey: name, tx)
        }
    }

    /// Sets the value of a key.
    ///
    /// - Returns: The previous value, or `nil` if the map didn't contain the key.
    @discardableResult
    public func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let old = self[key]
        set(value, key)
        return old
    }

    /// Removes an entry. An object stays in the realm, but an embedded object is deleted.
    ///
    /// - Complexity: O(log n)
    public func removeObject(for key: Key) {
        let name = key._rlmMapKey
        guard let at = place() else {
            items[name] = nil
            kept?[name] = nil
            return
        }
        _ = at.change { tx throws(EngineError) in try at.remove(forKey: name, tx) }
    }

    /// Removes an entry.
    ///
    /// - Returns: The previous value, or `nil` if the map didn't contain the key.
    @discardableResult
    public func removeValue(forKey key: Key) -> Value? {
        let old = self[key]
        removeObject(for: key)
        return old
    }

    /// Removes all entries. Objects stay in the realm, but embedded objects are deleted.
    public func removeAll() {
        guard let at = place() else {
            items.removeAll()
            kept = nil
            return
        }
        _ = at.change { tx throws(EngineError) in try at.clear(tx) }
    }

    // MARK: Merging

    /// Adds the entries of a dictionary or of pairs. For keys that the map contains already, `combine` returns the new
    /// value.
    ///
    /// - Complexity: O(k log n) for few entries, O(n + k log k) for many
    public func merge<S: Sequence>(
        _ entries: S,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        try put(entries.map { ($0.key, $0.value) }, combine)
    }

    /// Adds the entries of a sequence of pairs, like the other `merge`.
    public func merge<S: Sequence>(
        _ entries: S,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows where S.Element == (Key, Value) {
        try put(Array(entries), combine)
    }

    /// Adds the entries of another map, like the other `merge`.
    public func merge(
        _ other: Map,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows {
        try put(other.map { ($0.key, $0.value) }, combine)
    }

    /// Returns a plain dictionary with the entries of this map and of another map or dictionary.
    public func merging<S: Sequence>(
        _ entries: S,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows -> [Key: Value] where S.Element == (key: Key, value: Value) {
        try dictionary.merging(entries.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// Returns a plain dictionary with the entries of this map and of another map.
    public func merging(
        _ other: Map,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows -> [Key: Value] {
        try dictionary.merging(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    private var dictionary: [Key: Value] {
        Dictionary(map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    private func put(_ entries: [(Key, Value)], _ combine: (Value, Value) throws -> Value) rethrows {
        if let at = place() { _ = at.table.core.requireWrite() }
        // The result is computed before the map is changed.
        var result = UnmanagedMap<Value>()
        for (key, value) in entries {
            let name = key._rlmMapKey
            if let current = result[name] ?? self[key] {
                result[name] = try combine(current, value)
            } else {
                result[name] = value
            }
        }
        let sorted = result.sorted
        guard let at = place() else {
            for entry in sorted {
                if kept != nil {
                    kept!.set(Value._rlmContent(entry.value), entry.key)
                } else {
                    items[entry.key] = entry.value
                }
            }
            return
        }
        write(sorted.map { ($0.key, Value._rlmContent($0.value)) }, at: at) { tx, entries throws(EngineError) in
            try at.merge(entries, tx)
        }
    }

    private func write(
        _ entries: [(key: String, content: _StoredContent)],
        at: CollectionPlace,
        body: (WriteTransaction, [(key: String, value: FreeholdEngine.Value)]) throws(EngineError) -> Void
    ) {
        guard entries.allSatisfy({ at.accepts(key: $0.key) }) else { return }
        // Values that are already stored under their keys aren't stored again, because an embedded object would be
        // copied.
        let new = entries.filter { !at.isThere($0.content, forKey: $0.key) }
        guard let values = at.stored(new.map(\.content)) else { return }
        _ = at.change { tx throws(EngineError) in
            try body(tx, Array(zip(new, values)).map { (key: $0.key, value: $1) })
        }
    }

    // MARK: Assigning

    /// Implements assignment to a map property: replaces the entries with those of another map. Does nothing if both
    /// are the same map.
    func assign(_ other: Map) {
        if isSame(as: other) { return }
        guard case .dictionary(let entries) = other.content else { return }
        if Value._rlmShape.isPartial, home == nil, assignContents(.dictionary(entries)) { return }
        assign(entries, values: { other.map { ($0.key._rlmMapKey, $0.value) } })
    }

    /// - Parameter values: Returns the same entries for an unmanaged map.
    func assign(_ entries: [_StoredEntry], values: () -> [(String, Value)]) {
        guard let at = place() else {
            let values = values()
            items.removeAll()
            kept = nil
            for (key, value) in values { items[key] = value }
            return
        }
        _ = at.table.core.requireWrite()
        guard entries.allSatisfy({ at.accepts(key: $0.key) }), let values = at.stored(entries.map(\.content)) else {
            return
        }
        _ = at.change { tx throws(EngineError) in
            try at.assign(Array(zip(entries, values)).map { (key: $0.key, value: $1) }, tx)
        }
    }
}

extension CollectionPlace {
    /// Returns a Boolean value that indicates whether the key is valid. An invalid key is recorded as an error.
    fileprivate func accepts(key: String) -> Bool {
        do throws(Realm.Error) {
            try ValueLimits.check(mapKey: key, of: table.info.className, property: info.name)
            return true
        } catch {
            record(error)
            return false
        }
    }

    /// Returns a Boolean value that indicates whether the content is the embedded object that is already stored under
    /// the key. Assigning it again changes nothing.
    fileprivate func isThere(_ content: _StoredContent, forKey key: String) -> Bool {
        guard case .object(let object?) = content, object._core === table.core, let target = elementTable,
            target.info.isEmbedded, object._state == target.state
        else { return false }
        return view.dictionaryValue(column, owner, forKey: key) == .link(object._key)
    }
}
