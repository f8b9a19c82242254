import FreeholdEngine

// The elements of a managed list, which is in a column of lists or inside a mixed value.
extension List.Place {
    private func elements(of nested: NestedCollection) -> [Value] {
        nested.value(table, column, of: owner)?.listElements ?? []
    }

    var count: Int {
        if let nested { return elements(of: nested).count }
        return view.listCount(column, owner)
    }

    func value(_ i: Int) -> Value {
        if let nested { return elements(of: nested)[i] }
        return view.listValue(column, owner, at: i)
    }

    var values: [Value] {
        if let nested { return elements(of: nested) }
        return view.listValues(column, owner)
    }

    func index(of value: Value) -> Int? {
        if let nested { return elements(of: nested).firstIndex { Value.areEqual($0, value) } }
        return view.listIndex(column, owner, of: value)
    }

    private func edit(
        _ transaction: WriteTransaction,
        _ nested: NestedCollection,
        body: (inout [Value]) -> Void
    ) throws(EngineError) {
        try nested.update(transaction, table: table, column: column, owner: owner) { value throws(EngineError) in
            value.editList(body)
        }
    }

    func insert(_ values: [Value], at i: Int, _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.listInsert(column, owner, at: i, values: values) }
        if !values.isEmpty { try edit(transaction, nested) { $0.insert(contentsOf: values, at: i) } }
    }

    func append(_ values: [Value], _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.listAppend(column, owner, values: values) }
        if !values.isEmpty { try edit(transaction, nested) { $0 += values } }
    }

    func set(_ value: Value, at i: Int, _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.listSet(column, owner, at: i, to: value) }
        try edit(transaction, nested) { $0[i] = value }
    }

    func replace(_ range: Range<Int>, with values: [Value], _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else {
            try transaction.listInsert(column, owner, at: range.upperBound, values: values)
            return try transaction.listRemove(column, owner, range: range)
        }
        try edit(transaction, nested) { $0.replaceSubrange(range, with: values) }
    }

    func remove(_ range: Range<Int>, _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.listRemove(column, owner, range: range) }
        if !range.isEmpty { try edit(transaction, nested) { $0.removeSubrange(range) } }
    }

    func clear(_ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return transaction.listClear(column, owner) }
        try edit(transaction, nested) { $0 = [] }
    }

    func move(from: Int, to: Int, _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.listMove(column, owner, from: from, to: to) }
        try edit(transaction, nested) { $0.insert($0.remove(at: from), at: to) }
    }

    func swap(_ i: Int, and j: Int, in transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.listSwap(column, owner, at: i, and: j) }
        try edit(transaction, nested) { $0.swapAt(i, j) }
    }

    func assign(_ values: [Value], _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return try transaction.listAssign(column, owner, values: values) }
        try edit(transaction, nested) { $0 = values }
    }

    /// Moves the elements so that the i-th element of the result is the one at the i-th of these positions.
    func reorder(_ positions: [Int], _ transaction: WriteTransaction) throws(EngineError) {
        guard let nested else { return transaction.listReorder(column, owner, positions: positions) }
        try edit(transaction, nested) { values in
            let old = values
            values = positions.map { old[$0] }
        }
    }

    /// Returns a Boolean value that indicates whether the collection is the i-th element already. Assigning it again
    /// changes nothing.
    func isThere(_ any: AnyRealmValue?, at i: Int) -> Bool {
        guard let id = any?.nested?.id else { return false }
        return value(i).nestedID == id
    }
}

extension List {
    /// The content of a managed list of mixed values, without creating collections.
    var managedContent: _StoredContent? {
        guard let at = place() else { return nil }
        return .list(at.values.map { at.table.content(of: $0, property) })
    }
}

extension RealmCore {
    /// Returns the value with which an element is found among mixed values, or nil for a content that can't be an
    /// element.
    func sought(_ content: _StoredContent) -> Value? {
        switch content {
        case .value(let value): return value
        case .object(nil): return .null
        case .object(let object?):
            guard object._core === self, let table = object._table else { return nil }
            return .objectLink(ObjectLink(tableID: table.table.id, key: object._key))
        case .list(let contents):
            var values: [Value] = []
            for content in contents {
                guard let value = sought(content) else { return nil }
                values.append(value)
            }
            return .list(NestedList(values))
        case .dictionary(let contents):
            var entries: [NestedDictionary.Entry] = []
            for content in contents {
                guard let value = sought(content.content) else { return nil }
                entries.append(.init(content.key, value))
            }
            return .dictionary(NestedDictionary(entries))
        case .values, .computed: return nil
        }
    }
}
