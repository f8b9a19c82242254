import FreeholdSyncCore

/// Does the changes of one commit to one object.
struct ObjectEditor {
    var object: Incarnation
    /// The object as its author saw it, without the author's own pending work.
    let confirmed: Incarnation?
    let seen: Seen
    let stamp: Stamp
    let version: StreamVersion
    /// The change was refused. It only leaves dead slots.
    var isRefused = false

    private func rank(_ origin: Origin) -> Rank { Rank(isReal: origin == .real, stamp: stamp) }

    private func write(_ act: Register.Act, _ origin: Origin = .real, at path: [SyncString] = []) -> Register.Write {
        Register.Write(rank: rank(origin), version: version, path: path, act: act)
    }

    mutating func perform(_ change: Change) throws {
        switch change {
        case .create, .delete: throw Dropped(reason: .malformed)
        case .set(let place, let value, let origin):
            let target = try resolve(place)
            let stored = try store(value)
            if case .instance = stored, !target.path.isEmpty { throw Dropped(reason: .malformed) }
            try object.write(write(.set(stored), origin, at: target.path), to: target)
        case .increment(let place, let number):
            let target = try resolve(place)
            try object.write(write(.add(number), at: target.path), to: target)
        case .removeEntry(let place):
            let target = try resolve(place)
            guard target.holder.isEntry || !target.path.isEmpty else { throw Dropped(reason: .malformed) }
            try object.write(write(.remove, at: target.path), to: target)

        case .insert, .remove, .move, .clearList, .assignList: try performOnList(change)

        case .insertIntoSet(let place, let values):
            let target = try resolve(place)
            var set = try object.set(target)
            for value in values { set.write(write(.set(.plain(value))), to: try Self.element(value)) }
            object.put(.set(set), at: target)
        case .removeFromSet(let place, let values):
            let target = try resolve(place)
            var set = try object.set(target)
            for value in values { set.write(write(.remove), to: try Self.element(value)) }
            object.put(.set(set), at: target)
        case .clearSet(let place, let hidden):
            let target = try resolve(place)
            var set = try object.set(target)
            set.clear(sparing: try Self.elements(hidden), seen: seen)
            object.put(.set(set), at: target)
        case .assignSet(let place, let hidden, let values):
            try assignSet(resolve(place), sparing: Self.elements(hidden), values, .real)

        case .clearDictionary(let place, let hidden):
            let target = try resolve(place)
            var entries = try object.dictionary(target)
            entries.clear(sparing: Set(hidden), seen: seen)
            object.put(.dictionary(entries), at: target)
        case .assignDictionary(let place, let hidden, let value):
            try assignDictionary(resolve(place), sparing: Set(hidden), value, .real)
        }
    }

    private mutating func performOnList(_ change: Change) throws {
        switch change {
        case .insert(let place, let gap, let first, let values):
            let target = try resolve(place)
            let values = try own(first, values)
            var list = try object.list(target)
            try list.insert(
                values,
                after: try slot(gap.after, in: target),
                before: try slot(gap.before, in: target),
                rank: rank(.real),
                version: version,
                isDead: isRefused
            )
            object.put(.list(list), at: target)
        case .remove(let place, let references):
            let target = try resolve(place)
            var list = try object.list(target)
            for reference in references { list.remove(try element(reference, in: target), version: version) }
            object.put(.list(list), at: target)
        case .move(let place, let reference, let gap, let number):
            let target = try resolve(place)
            var list = try object.list(target)
            try list.move(
                try element(reference, in: target),
                after: try slot(gap.after, in: target),
                before: try slot(gap.before, in: target),
                as: OwnID(ident: seen.ident, number: number),
                stamp: stamp,
                version: version,
                isDead: isRefused
            )
            object.put(.list(list), at: target)
        case .clearList(let place, let hidden):
            let target = try resolve(place)
            var list = try object.list(target)
            list.clear(sparing: try elements(hidden, in: target), seen: seen, version: version)
            object.put(.list(list), at: target)
        case .assignList(let place, _, let gap, let first, let values) where isRefused:
            try perform(.insert(place, gap, first: first, values))
        case .assignList(let place, let hidden, let gap, let first, let values):
            try assignList(resolve(place), sparing: hidden, gap, own(first, values), .real)
        default: throw Dropped(reason: .malformed)
        }
    }

    // MARK: Making

    /// Writes the fields of a new object or instance.
    mutating func fill(_ owner: OwnID?, with fields: [NewField]) throws {
        for field in fields {
            let target = Target(owner: owner, property: field.name)
            switch field.content {
            case .value(let value): try object.write(write(.set(store(value)), field.origin), to: target)
            // A new object has empty collections by itself.
            case .list(_, let values) where values.isEmpty: object.put(.list(try object.list(target)), at: target)
            case .set(let values) where values.isEmpty: object.put(.set(try object.set(target)), at: target)
            case .dictionary(let value) where value.entries.isEmpty:
                object.put(.dictionary(try object.dictionary(target)), at: target)
            case .list(let first, let values):
                try assignList(target, sparing: [], Gap(after: nil, before: nil), own(first, values), field.origin)
            case .set(let values): try assignSet(target, sparing: [], values, field.origin)
            case .dictionary(let value): try assignDictionary(target, sparing: [], value, field.origin)
            }
        }
    }

    /// An embedded object becomes an instance.
    private mutating func store(_ value: SyncValue) throws -> Stored {
        guard case .embedded(let embedded) = value else { return .plain(value) }
        let id = OwnID(ident: seen.ident, number: embedded.number)
        guard object.instances[id] == nil else { throw Dropped(reason: .malformed) }
        object.instances[id] = [:]
        try fill(id, with: embedded.fields)
        return .instance(id)
    }

    /// New elements with their numbers.
    private mutating func own(_ first: OwnNumber, _ values: [SyncValue]) throws -> [(id: OwnID, value: Stored)] {
        try values.enumerated().map { index, value in
            (id: OwnID(ident: seen.ident, number: first &+ OwnNumber(index)), value: try store(value))
        }
    }

    private mutating func assignList(
        _ target: Target,
        sparing hidden: [ElementReference],
        _ gap: Gap,
        _ values: [(id: OwnID, value: Stored)],
        _ origin: Origin
    ) throws {
        var list = try object.list(target)
        try list.assign(
            values,
            after: try slot(gap.after, in: target),
            before: try slot(gap.before, in: target),
            rank: rank(origin),
            version: version,
            sparing: try elements(hidden, in: target),
            seen: seen
        )
        object.put(.list(list), at: target)
    }

    private mutating func assignSet(
        _ target: Target,
        sparing hidden: Set<SetElement>,
        _ values: [SyncValue],
        _ origin: Origin
    ) throws {
        var set = try object.set(target)
        let values = try values.map { (key: try Self.element($0), value: Stored.plain($0)) }
        set.assign(values, rank: rank(origin), version: version, sparing: hidden, seen: seen)
        object.put(.set(set), at: target)
    }

    private mutating func assignDictionary(
        _ target: Target,
        sparing hidden: Set<SyncString>,
        _ value: SyncDictionary,
        _ origin: Origin
    ) throws {
        var entries = try object.dictionary(target)
        let values = try value.entries.map { (key: $0.key, value: try store($0.value)) }
        entries.assign(values, rank: rank(origin), version: version, sparing: hidden, seen: seen)
        object.put(.dictionary(entries), at: target)
    }

    private static func element(_ value: SyncValue) throws -> SetElement {
        guard let element = SetElement(value) else { throw Dropped(reason: .malformed) }
        return element
    }

    private static func elements(_ values: [SyncValue]) throws -> Set<SetElement> { Set(try values.map(element)) }

    // MARK: References

    private func resolve(_ place: Place) throws -> Target {
        guard case .property(let name)? = place.path.first else { throw Dropped(reason: .malformed) }
        var target = Target(property: name)
        for step in place.path.dropFirst() {
            switch step {
            case .element(let reference) where target.holder == .property && target.path.isEmpty:
                target.holder = .element(try element(reference, in: target))
            case .entry(let key) where target.holder == .property && target.path.isEmpty:
                target.holder = .entry(key)
            case .nested(let key): target.path.append(key)
            case .instance(let reference) where target.path.isEmpty:
                target = Target(owner: try instance(reference, at: target), property: "")
            case .property(let name) where target.owner != nil && target.property == "":
                target.property = name
            default: throw Dropped(reason: .malformed)
            }
        }
        guard target.property != "" else { throw Dropped(reason: .malformed) }
        return target
    }

    /// Returns the embedded object that the author meant, if the place still contains it.
    private func instance(_ reference: InstanceReference, at target: Target) throws -> OwnID {
        let id: OwnID
        switch reference {
        case .own(let number): id = OwnID(ident: seen.ident, number: number)
        case .known: throw Dropped(reason: .malformed)
        case .confirmed:
            guard case .instance(let found)? = try confirmed?.register(target).value else {
                throw Dropped(reason: .malformed)
            }
            id = found
        }
        if case .element(let element) = target.holder, try object.list(target).elements[element]?.died != nil {
            throw Dropped(reason: .instanceGone)
        }
        guard try object.register(target).value == .instance(id) else { throw Dropped(reason: .instanceGone) }
        return id
    }

    /// Returns the slot that the author meant. `nil` represents the list's start or end.
    private func slot(_ reference: ElementReference?, in target: Target) throws -> OwnID? {
        guard let reference else { return nil }
        switch reference {
        case .own(let number):
            let id = OwnID(ident: seen.ident, number: number)
            guard try object.list(target).slots[id] != nil else { throw Dropped(reason: .malformed) }
            return id
        case .made: throw Dropped(reason: .malformed)
        case .confirmed(let index):
            let alive = try confirmed?.list(target).alive ?? []
            // The author may have seen another incarnation, whose slots aren't in this list.
            guard alive.indices.contains(index), try object.list(target).slots[alive[index].id] != nil else {
                throw Dropped(reason: .malformed)
            }
            return alive[index].id
        }
    }

    private func elements(_ references: [ElementReference], in target: Target) throws -> Set<OwnID> {
        Set(try references.map { try element($0, in: target) })
    }

    /// The element that stood in the slot that the author meant.
    private func element(_ reference: ElementReference, in target: Target) throws -> OwnID {
        guard let id = try slot(reference, in: target), let slot = try object.list(target).slots[id] else {
            throw Dropped(reason: .malformed)
        }
        return slot.element
    }
}

extension Target.Holder {
    var isEntry: Bool { if case .entry = self { true } else { false } }
}
