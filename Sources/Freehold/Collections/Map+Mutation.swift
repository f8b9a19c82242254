import FreeholdEngine

// Changing a map. Each call changes everything it is asked to or nothing; a managed map is changed inside a write
// transaction only.

extension Map {
    @_specialize(where Key == String, Value == String)
    @_specialize(where Key == String, Value == Int)
    @_specialize(where Key == String, Value == Double)
    func set(_ value: Value, _ key: Key) {
        let name = key._rlmMapKey
        guard let at = place() else { return items.set(value, name) }
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
    /// - Returns: the value that it had; nil if there was no such key.
    @discardableResult
    public func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let old = self[key]
        set(value, key)
        return old
    }

    /// Removes an entry. An object stays in the realm, an embedded one is deleted.
    ///
    /// - Complexity: O(log n)
    public func removeObject(for key: Key) {
        let name = key._rlmMapKey
        guard let at = place() else {
            items[name] = nil
            return
        }
        _ = at.change { tx throws(EngineError) in try at.remove(forKey: name, tx) }
    }

    /// Removes an entry. - Returns: the value that it had; nil if there was no such key.
    @discardableResult
    public func removeValue(forKey key: Key) -> Value? {
        let old = self[key]
        removeObject(for: key)
        return old
    }

    /// Removes all entries. Objects stay in the realm, embedded ones are deleted.
    public func removeAll() {
        guard let at = place() else {
            items.removeAll()
            return
        }
        _ = at.change { tx throws(EngineError) in try at.clear(tx) }
    }

    // MARK: Merging

    /// Puts in the entries of a dictionary or of pairs; where there is a value for the key already, what `combine`
    /// makes of that and the new one.
    ///
    /// - Complexity: O(k log n) for few entries, O(n + k log k) for many
    public func merge<S: Sequence>(
        _ entries: S,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        try put(entries.map { ($0.key, $0.value) }, combine)
    }

    /// Puts in pairs; see the other `merge`.
    public func merge<S: Sequence>(
        _ entries: S,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows where S.Element == (Key, Value) {
        try put(Array(entries), combine)
    }

    /// Puts in the entries of another map; see the other `merge`.
    public func merge(
        _ other: Map,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows {
        try put(other.map { ($0.key, $0.value) }, combine)
    }

    /// The entries of this and another map or dictionary, as a plain dictionary.
    public func merging<S: Sequence>(
        _ entries: S,
        uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows -> [Key: Value] where S.Element == (key: Key, value: Value) {
        try dictionary.merging(entries.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// The entries of this and another map, as a plain dictionary.
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
        // What results is known before anything changes.
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
            for entry in sorted { items[entry.key] = entry.value }
            return
        }
        write(sorted.map { ($0.key, Value._rlmContent($0.value)) }, at) { tx, entries throws(EngineError) in
            try at.merge(entries, tx)
        }
    }

    private func write(
        _ entries: [(key: String, content: _StoredContent)],
        _ at: CollectionPlace,
        _ body: (WriteTransaction, [(key: String, value: FreeholdEngine.Value)]) throws(EngineError) -> Void
    ) {
        guard entries.allSatisfy({ at.accepts(key: $0.key) }) else { return }
        // What is there already isn't stored again: an embedded object would be copied.
        let new = entries.filter { !at.isThere($0.content, forKey: $0.key) }
        guard let values = at.stored(new.map(\.content)) else { return }
        _ = at.change { tx throws(EngineError) in
            try body(tx, Array(zip(new, values)).map { (key: $0.key, value: $1) })
        }
    }

    // MARK: Assigning

    /// What assignment to a map property does: takes the entries of another map. Of itself: nothing.
    func assign(_ other: Map) {
        if isSame(as: other) { return }
        guard case .dictionary(let entries) = other.content else { return }
        assign(entries, values: { other.map { ($0.key._rlmMapKey, $0.value) } })
    }

    /// - Parameter values: the same for an unmanaged map.
    func assign(_ entries: [_StoredEntry], values: () -> [(String, Value)]) {
        guard let at = place() else {
            let values = values()
            items.removeAll()
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
    /// Whether a map can have that key; if not, that is recorded.
    fileprivate func accepts(key: String) -> Bool {
        do throws(Realm.Error) {
            try ValueLimits.check(mapKey: key, table.info.className, info.name)
            return true
        } catch {
            record(error)
            return false
        }
    }

    /// Whether that is the embedded object that the key holds already: to assign it again changes nothing.
    fileprivate func isThere(_ content: _StoredContent, forKey key: String) -> Bool {
        guard case .object(let object?) = content, object._core === table.core, let target = elementTable,
            target.info.isEmbedded, object._state == target.state
        else { return false }
        return view.dictionaryValue(column, owner, forKey: key) == .link(object._key)
    }
}
