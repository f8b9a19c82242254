/// The commits of submissions get their numbers when they are merged. The elements and embedded objects that they create also get their numbers then.
extension Commit {
    /// Returns the commit under another number. The upper 32 bits of its own numbers become the commit's number, so that no other commit of
    /// the file has one of them.
    ///
    /// - Complexity: O(size of the changes)
    func renumbered(to number: UInt64) -> Commit {
        guard number != self.number else { return self }
        return Commit(
            number: number,
            clock: clock,
            base: base,
            seen: seen,
            schemaVersion: schemaVersion,
            changes: changes.map { $0.renumbered { $0 & 0xFFFF_FFFF | number << 32 } }
        )
    }
}

/// A conversion of an own number to a new one.
private typealias Numbering = (OwnNumber) -> OwnNumber

extension Change {
    fileprivate func renumbered(_ new: Numbering) -> Change {
        switch self {
        case .create(let name, let fields): .create(name, fields.map { $0.renumbered(new) })
        case .delete: self
        case .removeEntry(let place): .removeEntry(place.renumbered(new))
        case .set(let place, let value, let origin): .set(place.renumbered(new), value.renumbered(new), origin)
        case .increment(let place, let amount): .increment(place.renumbered(new), amount)
        case .insert(let place, let gap, let first, let values):
            .insert(place.renumbered(new), gap.renumbered(new), first: new(first), values.map { $0.renumbered(new) })
        case .remove(let place, let elements):
            .remove(place.renumbered(new), elements.map { $0.renumbered(new) })
        case .move(let place, let element, let gap, let number):
            .move(place.renumbered(new), element.renumbered(new), gap.renumbered(new), number: new(number))
        case .clearList(let place, let hidden):
            .clearList(place.renumbered(new), hidden: hidden.map { $0.renumbered(new) })
        case .assignList(let place, let hidden, let gap, let first, let values):
            .assignList(
                place.renumbered(new),
                hidden: hidden.map { $0.renumbered(new) },
                gap.renumbered(new),
                first: new(first),
                values.map { $0.renumbered(new) }
            )
        // Sets have no elements with numbers.
        case .insertIntoSet(let place, let values): .insertIntoSet(place.renumbered(new), values)
        case .removeFromSet(let place, let values): .removeFromSet(place.renumbered(new), values)
        case .clearSet(let place, let hidden): .clearSet(place.renumbered(new), hidden: hidden)
        case .assignSet(let place, let hidden, let values): .assignSet(place.renumbered(new), hidden: hidden, values)
        case .clearDictionary(let place, let hidden): .clearDictionary(place.renumbered(new), hidden: hidden)
        case .assignDictionary(let place, let hidden, let values):
            .assignDictionary(place.renumbered(new), hidden: hidden, values.renumbered(new))
        }
    }
}

extension Place {
    fileprivate func renumbered(_ new: Numbering) -> Place {
        let path = path.map { step in
            switch step {
            case .element(let element): Step.element(element.renumbered(new))
            case .instance(.own(let number)): Step.instance(.own(new(number)))
            case .property, .entry, .nested, .instance(.confirmed), .instance(.known): step
            }
        }
        return Place(object, path)
    }
}

extension ElementReference {
    fileprivate func renumbered(_ new: Numbering) -> ElementReference {
        if case .own(let number) = self { .own(new(number)) } else { self }
    }
}

extension Gap {
    fileprivate func renumbered(_ new: Numbering) -> Gap {
        Gap(after: after?.renumbered(new), before: before?.renumbered(new))
    }
}

extension NewField {
    fileprivate func renumbered(_ new: Numbering) -> NewField {
        let content: NewContent =
            switch content {
            case .value(let value): .value(value.renumbered(new))
            case .list(let first, let values): .list(first: new(first), values.map { $0.renumbered(new) })
            case .set: content
            case .dictionary(let values): .dictionary(values.renumbered(new))
            }
        return NewField(name, content, origin)
    }
}

extension SyncValue {
    /// Embedded objects have numbers. They aren't inside of mixed values.
    fileprivate func renumbered(_ new: Numbering) -> SyncValue {
        guard case .embedded(let value) = self else { return self }
        return .embedded(EmbeddedValue(number: new(value.number), fields: value.fields.map { $0.renumbered(new) }))
    }
}

extension SyncDictionary {
    fileprivate func renumbered(_ new: Numbering) -> SyncDictionary {
        let isPlain = entries.allSatisfy { if case .embedded = $0.value { false } else { true } }
        guard !isPlain else { return self }
        return SyncDictionary(rising: entries.map { Entry(key: $0.key, value: $0.value.renumbered(new)) })
    }
}
