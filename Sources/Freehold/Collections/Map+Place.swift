import FreeholdEngine

// The entries of a managed map, which is in a column of dictionaries or inside a mixed value.
extension CollectionPlace {
    private func dictionary(of nested: NestedCollection) -> NestedDictionary {
        if case .dictionary(let found)? = nested.value(table, column, of: owner) { found } else { NestedDictionary([]) }
    }

    var entryCount: Int {
        if let nested { return dictionary(of: nested).entries.count }
        return view.dictionaryCount(column, owner)
    }

    var keys: [String] {
        if let nested { return dictionary(of: nested).entries.map(\.key) }
        return view.dictionaryKeys(column, owner)
    }

    var entries: [(key: String, value: Value)] {
        if let nested { return dictionary(of: nested).entries.map { ($0.key, $0.value) } }
        return view.dictionaryEntries(column, owner)
    }

    func value(forKey name: String) -> Value? {
        if let nested { return dictionary(of: nested)[name] }
        return view.dictionaryValue(column, owner, forKey: name)
    }

    func element<Element: RealmCollectionValue>(_ value: Value, forKey name: String) -> Element {
        guard Element.self is AnyRealmValue.Type else { return element(value) }
        let any =
            nested?.element(value, in: table, of: owner, property: property)
            ?? AnyRealmValue(value, MixedHome(table, owner, property: property, place: .entry(name)))
        return any as! Element
    }

    /// Returns a Boolean value that indicates whether the collection is already the value of the key. Assigning it
    /// again changes nothing.
    func isThere(_ any: AnyRealmValue?, forKey name: String) -> Bool {
        guard let id = any?.nested?.id else { return false }
        return value(forKey: name)?.nestedID == id
    }

    // MARK: Changing

    private func edit(
        _ transaction: WriteTransaction,
        _ nested: NestedCollection,
        body: (inout NestedDictionary) -> Void
    ) throws(EngineError) {
        try nested.update(transaction, table: table, column: column, owner: owner) { value throws(EngineError) in
            value.editDictionary(body)
        }
    }

    func set(_ value: Value, forKey name: String, _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.dictionarySet(column, owner, forKey: name, to: value) }
        try edit(transaction, nested) { $0[name] = value }
    }

    func remove(forKey name: String, _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else {
            transaction.dictionaryRemove(column, owner, forKey: name)
            return
        }
        if value(forKey: name) != nil { try edit(transaction, nested) { $0[name] = nil } }
    }

    func clear(_ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return transaction.dictionaryClear(column, owner) }
        try edit(transaction, nested) { $0 = NestedDictionary([]) }
    }

    func merge(_ entries: [(key: String, value: Value)], _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.dictionaryMerge(column, owner, entries: entries) }
        try edit(transaction, nested) { for entry in entries { $0[entry.key] = entry.value } }
    }

    func assign(_ entries: [(key: String, value: Value)], _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.dictionaryAssign(column, owner, entries: entries) }
        try edit(transaction, nested) { $0 = NestedDictionary(entries.map { .init($0.key, $0.value) }) }
    }
}

extension Map {
    var nested: NestedCollection? { home?.nested }

    /// The content of a managed map of mixed values, without creating collections.
    var managedContent: _StoredContent? {
        guard let at = place() else { return nil }
        return .dictionary(at.entries.map { _StoredEntry($0.key, at.table.content(of: $0.value, at.property)) })
    }
}
