/// Edits of dictionaries. A dictionary is a list of keys and a list of values, which are edited at the same positions.
extension WriteTransaction {
    /// Sets the value of a key, and adds the key if it is missing.
    ///
    /// - Throws: like `set`, and `.invalidArgument` for a key that contains '.' or begins with '$'. The transaction is unchanged then.
    /// - Complexity: O(log n), plus the size of two chunks.
    public func dictionarySet(
        _ column: Column,
        _ key: ObjectKey,
        forKey name: String,
        to value: Value
    ) throws(EngineError) {
        try checkDictionary(column, key)
        try checkEntry(name, value, in: column)
        try checkOwners(column, key, added: [value]) { [dictionaryValue(column, key, forKey: name) ?? .null] }
        dropHiddenEntries(column, key, names: [name])
        set(name, to: value, in: column, of: key)
        deleteOrphans()
    }

    /// Replaces the value of the existing i-th key by a value that has been checked.
    func replaceEntry(_ column: Column, _ key: ObjectKey, at i: Int, with value: Value) {
        splice(column, key, range: i..<(i + 1), keys: nil, values: [value])
        note(column, key, operation: .set(at: i))
    }

    /// Sets the values of several keys, in this order.
    /// - Complexity: O(k log n) for few entries, O(n + k log k) for many.
    public func dictionaryMerge(
        _ column: Column,
        _ key: ObjectKey,
        entries: [(key: String, value: Value)]
    ) throws(EngineError) {
        try checkDictionary(column, key)
        for entry in entries { try checkEntry(entry.key, entry.value, in: column) }
        if currentSchema.ownsTargets(column) {
            let new = Self.unique(entries)
            try checkOwners(column, key, added: new.map(\.value)) {
                new.compactMap { dictionaryValue(column, key, forKey: $0.key) }
            }
        }
        dropHiddenEntries(column, key, names: entries.map(\.key))
        if Self.areFew(entries.count, of: dictionaryCount(column, key)) {
            for entry in entries { set(entry.key, to: entry.value, in: column, of: key) }
        } else {
            let old = dictionaryEntries(column, key)
            replace(column, key, old: old, with: Self.unique(old + entries))
        }
        deleteOrphans()
    }

    /// Removes a key and its value.
    /// - Returns: whether the key existed.
    /// - Complexity: O(log n), plus the size of two chunks.
    @discardableResult
    public func dictionaryRemove(_ column: Column, _ key: ObjectKey, forKey name: String) -> Bool {
        guard column.collection == .dictionary, contains(currentSchema.table(of: column), key),
            let i = dictionaryIndex(column, key, of: name)
        else { return false }
        dropHiddenEntries(column, key, names: [name])
        splice(column, key, range: i..<(i + 1), keys: [], values: [])
        note(column, key, operation: .remove(at: i, count: 1), gone: [.string(name)])
        deleteOrphans()
        return true
    }

    /// Replaces the dictionary's entries by the given ones, which can be in any order. If a key occurs several times, the last one counts. Entries
    /// that the dictionary already contains aren't recorded as changes.
    /// - Complexity: O(n + k log k).
    public func dictionaryAssign(
        _ column: Column,
        _ key: ObjectKey,
        entries: [(key: String, value: Value)]
    ) throws(EngineError) {
        try checkDictionary(column, key)
        for entry in entries { try checkEntry(entry.key, entry.value, in: column) }
        let (old, new) = (dictionaryEntries(column, key), Self.unique(entries))
        try checkOwners(column, key, added: new.map(\.value)) { old.map(\.value) }
        try assigning(column, of: key) { () throws(EngineError) in
            keepHiddenEntries(column, key)
            dropHiddenEntries(column, key, names: new.map(\.key))
            replace(column, key, old: old, with: new)
            deleteOrphans()
        }
    }

    /// Returns whether a dictionary contains exactly these entries.
    /// - Complexity: O(n + k log k).
    package func dictionary(
        _ column: Column,
        _ key: ObjectKey,
        holds entries: [(key: String, value: Value)]
    ) -> Bool {
        let (old, new) = (dictionaryEntries(column, key), Self.unique(entries))
        return old.count == new.count && zip(old, new).allSatisfy { $0.key == $1.key && $0.value == $1.value }
    }

    public func dictionaryClear(_ column: Column, _ key: ObjectKey) {
        guard column.collection == .dictionary else { return }
        dictionaryClear(column, key, isRecorded: true)
        deleteOrphans()
    }

    func dictionaryClear(_ column: Column, _ key: ObjectKey, isRecorded: Bool) {
        let count = dictionaryCount(column, key)
        guard count > 0 else { return }
        keepHiddenEntries(column, key)
        splice(column, key, range: 0..<count, keys: [], values: [])
        if isRecorded { note(column, key, operation: .clear(count: count)) }
    }

    /// Sets the values that link to a deleted object to null.
    /// - Complexity: O(n).
    func dictionaryNullLinks(_ column: Column, _ key: ObjectKey, to target: ObjectKey) {
        let found = withDictionary(column, key) { dictionary in
            ints(of: dictionary.values, type: .link).enumerated().filter { $0.element == target.raw }.map(\.offset)
        }
        // A null is read as an invalid key, or as 0 in a list with a separate null bitmap.
        for i in found where dictionaryValue(column, key, at: i) == .link(target) {
            splice(column, key, range: i..<(i + 1), keys: nil, values: [.null])
            note(column, key, operation: .set(at: i))
        }
    }

    /// Sets links to a deleted object in mixed values to null.
    /// - Complexity: O(n).
    func dictionaryNullLinks(_ column: Column, _ key: ObjectKey, to link: ObjectLink) {
        for (i, value) in dictionaryValues(column, key).enumerated() {
            guard let new = value.replacing(link) else { continue }
            keepingHiddenLinks(column, key, at: i, replacing: value, with: new) {
                splice(column, key, range: i..<(i + 1), keys: nil, values: [new])
                note(column, key, operation: .set(at: i))
            }
        }
    }

    /// Sets the values that link to one of several objects to null.
    /// - Complexity: O(n).
    func dictionaryNullLinks(_ column: Column, _ key: ObjectKey, to targets: Set<ObjectKey>) {
        let old = dictionaryEntries(column, key)
        let new = old.map { entry in
            if case .link(let target) = entry.value, targets.contains(target) {
                return (key: entry.key, value: Value.null)
            }
            return entry
        }
        replace(column, key, old: old, with: new)
    }

    // MARK: Steps

    private func checkDictionary(_ column: Column, _ key: ObjectKey) throws(EngineError) {
        guard column.collection == .dictionary else {
            throw EngineError(.invalidArgument, "'\(column.name)' isn't a dictionary.")
        }
        guard contains(currentSchema.table(of: column), key) else { throw missingObject(column, key) }
    }

    private func checkEntry(_ name: String, _ value: Value, in column: Column) throws(EngineError) {
        try checkKey(name, column)
        try checkElement(value, column)
    }

    func checkKey(_ name: String, _ column: Column) throws(EngineError) {
        if let problem = StoredDictionary.problem(withKey: name) {
            throw EngineError(problem.code, "'\(column.name)': \(problem.message)")
        }
    }

    private func set(_ name: String, to value: Value, in column: Column, of key: ObjectKey) {
        if newerChunk != nil, setOpen(name, to: value, in: column, of: key) { return }
        let place = withDictionary(column, key) { self.place(of: name, in: $0) }
        let i = place.index
        if place.isFound {
            splice(column, key, range: i..<(i + 1), keys: nil, values: [value])
            note(column, key, operation: .set(at: i))
        } else {
            splice(column, key, range: i..<i, keys: [.string(name)], values: [value])
            note(column, key, operation: .insert(at: i, count: 1))
        }
    }

    /// Sets the value of a key inside the open chunks of a large dictionary's keys and values.
    ///
    /// - Returns: false, without changes, if the key's place isn't inside them.
    private func setOpen(_ name: String, to value: Value, in column: Column, of key: ObjectKey) -> Bool {
        guard column.type != .link, column.type != .mixed, journal == nil else { return false }
        spillIfOverBudget()
        let place = dictionaryPlace(column, key)
        guard place.values.buffer.isReference(place.values.slot),
            case (.large(var keyTree), .large(var valueTree)) = large(place),
            let keys = openChunk(place.keys.blobs, root: keyTree.root),
            let values = openChunk(place.values.blobs, root: valueTree.root),
            let found = FieldCoding.withBytes(.string(name), .string, body: { keys.buffer.place(ofBytes: $0) }),
            found.isFound || found.slot > 0 || keys.start == 0,
            found.slot < keys.buffer.count || keys.end == keyTree.count
        else { return false }
        let at = keys.start + found.slot
        let slots = at - values.start..<at - values.start + (found.isFound ? 1 : 0)
        guard let valueWeight = weight(of: values, column.type, without: slots, with: [value]) else { return false }
        if found.isFound {
            edit(values, column.type, slots: slots, with: [value], weight: valueWeight)
            note(column, key, operation: .set(at: at))
            return true
        }
        let keySlots = found.slot..<found.slot
        guard let keyWeight = weight(of: keys, .string, without: keySlots, with: [.string(name)]) else { return false }
        edit(keys, .string, slots: keySlots, with: [.string(name)], weight: keyWeight)
        edit(values, column.type, slots: slots, with: [value], weight: valueWeight)
        keyTree.countBehind(by: 1)
        valueTree.countBehind(by: 1)
        storeReference(place, keys: keyTree, values: valueTree)
        note(column, key, operation: .insert(at: at, count: 1))
        return true
    }

    /// Returns the entries sorted by key. If a key occurs several times, only the last entry is returned.
    static func unique(_ entries: [(key: String, value: Value)]) -> [(key: String, value: Value)] {
        if entries.count == 1 { return entries }
        if entries.count == 2 {
            let order = Value.compareBytes(entries[0].key, with: entries[1].key)
            if order != 0 { return order < 0 ? entries : [entries[1], entries[0]] }
        }
        var out: [(key: String, value: Value)] = []
        out.reserveCapacity(entries.count)
        for entry in entries.sorted(by: { Value.compareBytes($0.key, with: $1.key) < 0 }) {
            if let last = out.last, Value.compareBytes(last.key, with: entry.key) == 0 {
                out[out.count - 1].value = entry.value
            } else {
                out.append(entry)
            }
        }
        return out
    }

    /// Replaces the old entries by new ones. Both are sorted and without duplicates.
    private func replace(
        _ column: Column,
        _ key: ObjectKey,
        old: [(key: String, value: Value)],
        with new: [(key: String, value: Value)]
    ) {
        let difference = SortedDifference(old: old.count, new: new.count) {
            Value.compareBytes(old[$0].key, with: new[$1].key)
        } isSame: {
            old[$0].value.isIdentical(to: new[$1].value)
        }
        guard !difference.edits.isEmpty else { return }
        spillIfOverBudget()
        let place = dictionaryPlace(column, key)
        if column.type == .link || column.type == .mixed {
            linksChanged(
                column,
                key,
                removed: difference.removed.map { old[$0].value },
                added: difference.added.map { new[$0].value }
            )
        }
        func splice(_ range: Range<Int>, _ part: ArraySlice<(key: String, value: Value)>, isNew: Bool) {
            self.splice(place, range, keys: isNew ? part.map { .string($0.key) } : nil, values: part.map(\.value))
        }
        if difference.isSmall(in: old.count) {
            for edit in difference.edits {
                switch edit {
                case .insert(let at, let count): splice(at..<at, new[at..<at + count], isNew: true)
                case .remove(let at, let count): splice(at..<at + count, [], isNew: true)
                case .set(let at): splice(at..<at + 1, new[at...at], isNew: false)
                case .move, .clear: break
                }
            }
        } else {
            splice(0..<old.count, new[...], isNew: true)
        }
        for (edit, gone) in difference.editsWithRemoved {
            note(column, key, operation: edit, gone: gone.map { .string(old[$0].key) })
        }
    }

    // MARK: Storage

    /// The slot of a dictionary, once as the place of its keys and once as the place of its values.
    private struct DictionaryPlace {
        let keys: ListPlace
        let values: ListPlace
    }

    private func dictionaryPlace(_ column: Column, _ key: ObjectKey) -> DictionaryPlace {
        let values = place(column, key)
        let keys = ListPlace(
            buffer: values.buffer,
            slot: values.slot,
            type: .string,
            isOptional: false,
            blobs: values.blobs
        )
        return DictionaryPlace(keys: keys, values: values)
    }

    /// Replaces a range of a dictionary, and updates the inverse of links. `keys` is `nil` if the keys remain.
    private func splice(_ column: Column, _ key: ObjectKey, range: Range<Int>, keys: [Value]?, values: [Value]) {
        spillIfOverBudget()
        let place = dictionaryPlace(column, key)
        if column.type == .link || column.type == .mixed {
            let old = range.isEmpty ? [] : listValues(column, key, in: range)
            linksChanged(column, key, removed: old, added: values)
        }
        splice(place, range, keys: keys, values: values)
    }

    private func splice(_ place: DictionaryPlace, _ range: Range<Int>, keys: [Value]?, values: [Value]) {
        let (buffer, slot, type) = (place.values.buffer, place.values.slot, place.values.type)
        guard buffer.isReference(slot) else {
            let stored = StoredDictionary(inline: buffer.bytes(slot), type: type)
            let isInline = withUnsafeTemporaryAllocation(byteCount: StoredDictionary.room, alignment: 8) { room in
                guard let size = stored.splice(range, keys: keys, values: values, to: room.baseAddress!) else {
                    return false
                }
                buffer.setBytes(slot, UnsafeRawBufferPointer(start: room.baseAddress!, count: size))
                return true
            }
            if isInline { return }
            var allKeys = self.values(of: stored.keys, type: .string, isOptional: false)
            var allValues = self.values(of: stored.values, type: type, isOptional: place.values.isOptional)
            if let keys { allKeys.replaceSubrange(range, with: keys) }
            allValues.replaceSubrange(range, with: values)
            store(place, keys: allKeys, values: allValues)
            return
        }
        guard case (.large(var keyTree), .large(var valueTree)) = large(place) else { return }
        if range.count == keyTree.count {
            let newKeys = keys ?? self.values(of: .large(keyTree), type: .string, isOptional: false)
            free(place)
            store(place, keys: newKeys, values: values)
            return
        }
        if let keys { spliceTree(&keyTree, place.keys, range: range, with: keys) }
        spliceTree(&valueTree, place.values, range: range, with: values)
        if keyTree.count <= 32, !range.isEmpty {
            let allKeys = self.values(of: .large(keyTree), type: .string, isOptional: false)
            let allValues = self.values(of: .large(valueTree), type: type, isOptional: place.values.isOptional)
            if let bytes = StoredDictionary.encode(keys: allKeys, values: allValues, type: type) {
                freeTree(keyTree, place.keys)
                freeTree(valueTree, place.values)
                bytes.withUnsafeBytes { buffer.setBytes(slot, $0) }
                return
            }
        }
        storeReference(place, keys: keyTree, values: valueTree)
    }

    private func large(_ place: DictionaryPlace) -> (StoredList, StoredList) {
        let stored = StoredDictionary(
            reference: place.values.buffer.bytes(place.values.slot),
            blobs: place.values.blobs
        )
        return (stored.keys, stored.values)
    }

    private func free(_ place: DictionaryPlace) {
        guard case (.large(let keys), .large(let values)) = large(place) else { return }
        freeTree(keys, place.keys)
        freeTree(values, place.values)
        place.values.buffer.setBytes(place.values.slot, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Stores the sorted entries of an empty dictionary with plain values.
    func store(_ entries: [(key: String, value: Value)], in column: Column, _ key: ObjectKey) {
        let place = dictionaryPlace(column, key)
        splice(place, 0..<0, keys: entries.map { .string($0.key) }, values: entries.map(\.value))
    }

    private func store(_ place: DictionaryPlace, keys: [Value], values: [Value]) {
        if let bytes = StoredDictionary.encode(keys: keys, values: values, type: place.values.type) {
            bytes.withUnsafeBytes { place.values.buffer.setBytes(place.values.slot, $0) }
        } else {
            storeReference(place, keys: makeTree(place.keys, keys), values: makeTree(place.values, values))
        }
    }

    private func storeReference(_ place: DictionaryPlace, keys: CountedTree, values: CountedTree) {
        let (buffer, slot) = (place.values.buffer, place.values.slot)
        withUnsafeBytes(of: (keys.root.littleEndian, UInt64(keys.count).littleEndian, values.root.littleEndian)) {
            if buffer.isReference(slot), buffer.bytes(slot).elementsEqual($0) { return }
            buffer.setBytes(slot, $0, isReference: true)
        }
    }
}
