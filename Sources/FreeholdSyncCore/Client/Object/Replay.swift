/// Applies pending changes to the confirmed state. The result is the state that the client shows (sync-design.md,
/// section 2).
///
/// It does what the server would do if the pending work arrived after all other work. Pending values of this file
/// therefore win, and objects that other files deleted stay deleted.
struct Replay: Sendable {
    /// The properties of the object. `nil` if the object doesn't exist.
    var fields: ClientFields?
    let born: StreamVersion
    /// The last version at which an answered create of this file took part in creating an object of this name.
    let created: StreamVersion
    /// A Boolean value that indicates whether a pending create of this file took part in creating the object.
    private var isOwn = false
    /// A Boolean value that indicates whether a pending change of this file deleted the object.
    private var isDeleted = false
    /// A Boolean value that indicates whether changes only add dead slots to lists. That is the case for answered work
    /// whose elements later work may name.
    var isDead = false

    init(_ fields: ClientFields?, born: StreamVersion, created: StreamVersion) {
        (self.fields, self.born, self.created) = (fields, born, created)
    }

    mutating func perform(_ pending: PendingChange) {
        let change = pending.change
        if isDead {
            switch change {
            case .insert, .move, .assignList: break
            default: return
            }
        }
        switch change {
        case .create(_, let new):
            if fields != nil {
                merge(new)
            } else if isDeleted || !pending.isBeforeErasure {
                fields = ClientFields().filled(with: new)
            } else {
                return
            }
            isOwn = true
        case .delete:
            guard isKnown(to: pending) else { return }
            fields = nil
            isDeleted = true
        default:
            guard isKnown(to: pending), let path = change.place?.path, var fields else { return }
            self.fields = nil
            let editor = PlaceEditor(seen: pending.seen ?? 0)
            editor.edit(path[...], in: &fields) { place, nested in
                self.perform(pending, on: &place, nested)
            }
            self.fields = fields
        }
    }

    private func isKnown(to pending: PendingChange) -> Bool {
        isOwn || born <= max(pending.seen ?? 0, created)
    }

    /// Applies a create to an object that exists already, field by field. Defaults don't replace values.
    private mutating func merge(_ new: [NewField]) {
        for field in new {
            let old = fields?[field.name]
            if field.origin == .byDefault, old.map({ !$0.isEmpty }) ?? false { continue }
            var node = ClientNode(field.content)
            if case .list(var list) = node, case .list(let old)? = old {
                list.nextNumber = old.nextNumber
                list.names = old.names
                let own = Set(list.slots.map(\.id))
                for var slot in old.slots where !own.contains(slot.id) {
                    slot.node = nil
                    list.slots.append(slot)
                }
                node = .list(list)
            }
            fields?[field.name] = node
        }
    }

    // MARK: Values

    private func perform(_ pending: PendingChange, on place: inout ClientNode?, _ nested: [SyncString]) {
        switch pending.change {
        case .create, .delete: break
        case .set(_, let value, let origin):
            if nested.isEmpty {
                if origin == .byDefault, let place, !place.isEmpty { return }
                place = ClientNode(value)
            } else if case .value(var old)? = place {
                if origin == .byDefault, old.nested(nested[...]) != nil { return }
                // The value has one owner while it changes, so that nothing is copied.
                place = nil
                _ = old.replace(nested[...], by: value)
                place = .value(old)
            }
        case .increment(_, let number):
            guard case .value(var old)? = place, var sum = old.nested(nested[...]) else { return }
            place = nil
            sum.add(number)
            if nested.isEmpty { old = sum } else { _ = old.replace(nested[...], by: sum) }
            place = .value(old)
        case .removeEntry:
            if nested.isEmpty {
                place = nil
            } else if case .value(var old)? = place {
                place = nil
                _ = old.replace(nested[...], by: nil)
                place = .value(old)
            }
        case .insert, .remove, .move, .clearList, .assignList:
            if case .list? = place {} else if let place, !place.isEmpty { return }
            var list = place.takeList() ?? ClientList()
            list.perform(pending.change, seen: pending.seen ?? 0, isDead: isDead)
            place = .list(list)
        case .insertIntoSet, .removeFromSet, .clearSet, .assignSet:
            var set = place.takeSet() ?? [:]
            perform(pending, on: &set)
            place = .set(set)
        case .clearDictionary, .assignDictionary:
            var entries = place.takeEntries() ?? [:]
            for key in pending.taken.keys { entries[key] = nil }
            if case .assignDictionary(_, _, let value) = pending.change {
                for entry in value.entries { entries[entry.key] = ClientNode(entry.value) }
            }
            place = .dictionary(entries)
        }
    }

    private func perform(_ pending: PendingChange, on set: inout [SetElement: SyncValue]) {
        for element in pending.taken.elements { set[element] = nil }
        switch pending.change {
        case .insertIntoSet(_, let values), .assignSet(_, _, let values):
            for value in values { if let element = SetElement(value) { set[element] = value } }
        case .removeFromSet(_, let values):
            for value in values { if let element = SetElement(value) { set[element] = nil } }
        default: break
        }
    }
}

/// Finds the place of a change in the fields of an object.
struct PlaceEditor {
    /// The version to which `.confirmed` refers.
    let seen: StreamVersion

    /// Calls a closure with the content at a place. It does nothing if the place doesn't exist any more.
    ///
    /// - Parameter body: Receives the content of the place, which is `nil` if the place is empty, and the keys that
    ///   lead on into a mixed value.
    func edit(
        _ path: ArraySlice<Place.Step>,
        in fields: inout ClientFields,
        _ body: (inout ClientNode?, [SyncString]) -> Void
    ) {
        guard case .property(let name)? = path.first else { return }
        var node = fields.removeValue(forKey: name)
        edit(path.dropFirst(), in: &node, body)
        if let node { fields[name] = node }
    }

    private func edit(
        _ path: ArraySlice<Place.Step>,
        in node: inout ClientNode?,
        _ body: (inout ClientNode?, [SyncString]) -> Void
    ) {
        switch path.first {
        case nil: body(&node, [])
        case .property: break
        case .nested:
            var keys: [SyncString] = []
            for case .nested(let key) in path { keys.append(key) }
            if keys.count == path.count { body(&node, keys) }
        case .element(let reference):
            guard var list = node.takeList() else { return }
            defer { node = .list(list) }
            guard let id = list.slotID(reference, seen: seen), let index = list.element(id).flatMap(list.place)
            else { return }
            edit(path.dropFirst(), in: &list.slots[node: index], body)
        case .entry(let key):
            if case .dictionary? = node {} else if let node, !node.isEmpty { return }
            var entries = node.takeEntries() ?? [:]
            var inner = entries.removeValue(forKey: key)
            edit(path.dropFirst(), in: &inner, body)
            entries[key] = inner
            node = .dictionary(entries)
        case .instance(let reference):
            guard case .instance(var instance)? = node else { return }
            switch reference {
            case .own(let number): guard instance.number == number else { return }
            case .confirmed: guard instance.since <= seen else { return }
            case .known: return
            }
            edit(path.dropFirst(), in: &instance.fields, body)
            node = .instance(instance)
        }
    }
}
