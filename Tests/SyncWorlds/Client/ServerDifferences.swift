import FreeholdSyncCore

/// The updates that a server would send of an object, computed naively from the oracle's copies.
struct ServerDifferences {
    /// Puts the whole content of an object into words.
    static func whole(_ object: Incarnation) -> ObjectUpdate.Content {
        let differ = ServerDifferences(old: nil, new: object)
        return .whole(version: object.changed, born: object.born, differ.fields(object.record))
    }

    /// Returns the differences from an earlier copy of the same incarnation.
    static func difference(from old: Incarnation, to new: Incarnation) -> ObjectUpdate.Content {
        let differ = ServerDifferences(old: old, new: new)
        let fields = differ.fields(from: old.record, to: new.record)
        return .difference(version: new.changed, base: old.changed, fields)
    }

    let old: Incarnation?
    let new: Incarnation

    // MARK: Whole

    private func fields(_ record: Record) -> [ConfirmedField] {
        record.sorted { $0.key < $1.key }.map { ConfirmedField($0.key, content($0.value)) }
    }

    private func content(_ field: Field) -> ConfirmedContent {
        switch field {
        case .value(let register): content(register)
        case .list(let list): .list(runs(list.alive, list))
        case .set(let set): .set(values(of: set).values.map { $0 })
        case .dictionary(let entries):
            .dictionary(
                entries.registers.sorted { $0.key < $1.key }.compactMap { key, register in
                    register.value == nil ? nil : ConfirmedEntry(key, content(register))
                }
            )
        }
    }

    private func content(_ register: Register?) -> ConfirmedContent {
        switch register?.value {
        case .plain(let value)?: return .value(value)
        case .instance(let id)?:
            let version = register!.writes.last { $0.act == .set(.instance(id)) }!.version
            let made = Made(version: version, number: id.number)
            return .embedded(ConfirmedInstance(made: made, fields: fields(new.instances[id] ?? [:])))
        case nil: return .value(.null)
        }
    }

    private func runs(_ slots: [SlotList.Slot], _ list: SlotList) -> [ElementRun] {
        var runs: [ElementRun] = []
        var last: SlotList.Slot?
        for slot in slots {
            let element = content(list.elements[slot.element]?.value)
            let isMoved = slot.element != slot.id
            let origin = isMoved ? list.slots[slot.element].map { Made(version: $0.born, number: $0.id.number) } : nil
            if let old = last, !isMoved, old.element == old.id, old.born == slot.born, old.id.ident == slot.id.ident {
                let (count, run) = (runs[runs.count - 1].elements.count, runs[runs.count - 1])
                let canFall = count == 1 || run.isFalling
                let canRise = count == 1 || !run.isFalling
                if canFall, old.id.number == slot.id.number + 1 {
                    runs[runs.count - 1].isFalling = true
                    runs[runs.count - 1].elements.append(element)
                    last = slot
                    continue
                }
                if canRise, old.id.number + 1 == slot.id.number {
                    runs[runs.count - 1].elements.append(element)
                    last = slot
                    continue
                }
            }
            runs.append(
                ElementRun(made: Made(version: slot.born, number: slot.id.number), origin: origin, [element])
            )
            last = slot
        }
        return runs
    }

    private func values(of set: Entries<SetElement>) -> [SetElement: SyncValue] {
        set.registers.compactMapValues { if case .plain(let value)? = $0.value { value } else { nil } }
    }

    // MARK: Differences

    private func fields(from old: Record, to new: Record) -> [FieldDifference] {
        new.sorted { $0.key < $1.key }.compactMap { name, field in
            difference(from: old[name], to: field).map { FieldDifference(name, $0) }
        }
    }

    private func difference(from old: Field?, to new: Field) -> ContentDifference? {
        switch (old, new) {
        case (.value(let old)?, .value(let new)): return difference(from: old, to: new)
        case (.list(let old)?, .list(let new)) where !old.alive.isEmpty: return difference(from: old, to: new)
        case (.set(let old)?, .set(let new)):
            let (a, b) = (values(of: old), values(of: new))
            let removed = a.filter { b[$0.key] == nil }.map(\.value)
            let inserted = b.filter { a[$0.key] != $0.value }.map(\.value)
            return removed.isEmpty && inserted.isEmpty ? nil : .set(SetDifference(removed: removed, inserted: inserted))
        case (.dictionary(let old)?, .dictionary(let new)):
            var difference = DictionaryDifference()
            for (key, register) in old.registers where register.value != nil && new.registers[key]?.value == nil {
                difference.removed.append(key)
            }
            for (key, register) in new.registers where register.value != nil {
                let content = self.difference(from: old.registers[key], to: register)
                if let content { difference.changed.append(DictionaryDifference.Entry(key, content)) }
            }
            return difference.removed.isEmpty && difference.changed.isEmpty ? nil : .dictionary(difference)
        default: return .whole(content(new))
        }
    }

    private func difference(from old: Register?, to new: Register) -> ContentDifference? {
        switch (old?.value, new.value) {
        case (.plain(let a)?, .plain(let b)?):
            if a == b { return nil }
            let nested = Self.nested(a, b)
            return nested.isEmpty ? .whole(.value(b)) : .nested(nested)
        case (.instance(let a)?, .instance(let b)?) where a == b:
            let fields = fields(from: self.old?.instances[a] ?? [:], to: self.new.instances[b] ?? [:])
            return fields.isEmpty ? nil : .instance(fields)
        case (nil, nil): return nil
        default: return .whole(content(new))
        }
    }

    /// Returns nothing if the values have nothing in common.
    private static func nested(_ a: SyncValue, _ b: SyncValue) -> [NestedDifference] {
        guard case .dictionary(let a) = a, case .dictionary(let b) = b else { return [] }
        var differences: [NestedDifference] = []
        for entry in a.entries where b[entry.key] == nil {
            differences.append(NestedDifference(path: [entry.key], value: nil))
        }
        for entry in b.entries where a[entry.key] != entry.value {
            let inner = a[entry.key].map { nested($0, entry.value) } ?? []
            if inner.isEmpty {
                differences.append(NestedDifference(path: [entry.key], value: entry.value))
            } else {
                differences += inner.map { NestedDifference(path: [entry.key] + $0.path, value: $0.value) }
            }
        }
        return differences
    }

    private func difference(from old: SlotList, to new: SlotList) -> ContentDifference? {
        let before = old.alive
        let places = Dictionary(uniqueKeysWithValues: before.enumerated().map { ($0.element.element, $0.offset) })
        var difference = ListDifference(pieces: [])
        var fresh: [SlotList.Slot] = []
        func flush() {
            difference.pieces += runs(fresh, new).map { .new($0) }
            fresh = []
        }
        for (index, slot) in new.alive.enumerated() {
            guard let place = places[slot.element] else {
                fresh.append(slot)
                continue
            }
            flush()
            if case .kept(let start, let count)? = difference.pieces.last, start + count == place {
                difference.pieces[difference.pieces.count - 1] = .kept(start: start, count: count + 1)
            } else {
                difference.pieces.append(.kept(start: place, count: 1))
            }
            let register = new.elements[slot.element]?.value ?? Register()
            if let content = self.difference(from: old.elements[slot.element]?.value, to: register) {
                difference.edits.append(ListDifference.Edit(index: index, content: content))
            }
        }
        flush()
        if difference.edits.isEmpty, difference.pieces == [.kept(start: 0, count: before.count)] { return nil }
        return .list(difference)
    }
}
