import FreeholdEngine
import FreeholdSyncCore

/// Translates the names of a version into stored names. Names that the version doesn't have aren't translated.
struct UpwardMapper {
    let map: VersionMap

    // MARK: Commits

    func mapped(_ commit: Commit, _ oldLists: [OldList]) -> LensedCommit {
        var changes: [Change] = []
        changes.reserveCapacity(commit.changes.count)
        var malformed: Set<Int> = []
        var fills: [Int: SyncValue] = [:]
        for (index, change) in commit.changes.enumerated() {
            guard let new = mapped(change) else {
                malformed.insert(index)
                changes.append(.set(Place(nowhere(change.object), []), .null, .byDefault))
                continue
            }
            changes.append(new)
            if case .increment(let place, _) = change, let fill = fill(at: place) { fills[index] = fill }
        }
        var seen: [ObjectName: StreamVersion] = [:]
        for (name, version) in commit.seen {
            if let name = self.name(name) { seen[name] = version }
        }
        let new = Commit(
            number: commit.number,
            clock: commit.clock,
            base: commit.base,
            seen: seen,
            schemaVersion: commit.schemaVersion,
            changes: changes
        )
        let comparison = SeenMapper(map: map)
        return LensedCommit(
            new,
            original: commit,
            oldLists: oldLists.compactMap { mapped($0, comparison) },
            malformed: malformed,
            fills: fills,
            seen: { comparison.seen($1, at: $0) },
            handedBack: { [map] in HandedBackMapper(map: map).mapped($0) }
        )
    }

    /// Returns a name that no stored object has, because no class of a schema can have such a name.
    private func nowhere(_ name: ObjectName) -> ObjectName {
        ObjectName(SyncString("$.\(name.className.string)"), name.key)
    }

    private func mapped(_ list: OldList, _ comparison: SeenMapper) -> OldList? {
        guard let found = place(list.place) else { return nil }
        return OldList(
            place: found.place,
            elements: list.elements.map { element in
                element.flatMap { value($0, found) }.map { comparison.seen($0, found.property) }
            }
        )
    }

    // MARK: Names

    func name(_ name: ObjectName) -> ObjectName? {
        guard let found = map.named(name.className), !found.isEmbedded else { return nil }
        return ObjectName(found.stored, name.key)
    }

    struct FoundPlace {
        let place: Place
        let property: PropertyMap
        /// A Boolean value that indicates whether the place is an element or an entry.
        var isElement = false
        /// A Boolean value that indicates whether the place is inside of a mixed value.
        var isNested = false
    }

    func place(_ place: Place) -> FoundPlace? {
        guard let object = name(place.object), var owner = map.named(place.object.className) else { return nil }
        var steps: [Place.Step] = []
        var property: PropertyMap?
        var isInside = true
        var (isElement, isNested) = (false, false)
        for step in place.path {
            switch step {
            case .property(let name):
                guard isInside, let found = owner.named(name) else { return nil }
                (property, isInside, isElement, isNested) = (found, false, false, false)
                steps.append(.property(found.stored))
            case .instance:
                guard !isInside, let inner = map.embedded(property) else { return nil }
                (owner, isInside) = (inner, true)
                steps.append(step)
            case .element, .entry:
                isElement = true
                steps.append(step)
            case .nested:
                isNested = true
                steps.append(step)
            }
        }
        guard let property, !isInside else { return nil }
        return FoundPlace(
            place: Place(object, steps),
            property: property,
            isElement: isElement,
            isNested: isNested
        )
    }

    private func fill(at place: Place) -> SyncValue? {
        guard let found = self.place(place), !found.isNested else { return nil }
        return found.property.fill(isElement: found.isElement)
    }

    // MARK: Values

    private func value(_ value: SyncValue, _ found: FoundPlace) -> SyncValue? {
        self.value(value, found.isNested ? nil : found.property)
    }

    /// - Parameter property: The property of the value. `nil` inside of mixed values, which contain no embedded
    ///   objects.
    func value(_ value: SyncValue, _ property: PropertyMap?) -> SyncValue? {
        switch value {
        case .link(let name): return self.name(name).map { .link($0) }
        case .list(let values): return self.values(values, nil).map { .list($0) }
        case .dictionary(let dictionary): return self.dictionary(dictionary, nil).map { .dictionary($0) }
        case .embedded(let embedded):
            guard let inner = map.embedded(property) else { return nil }
            return fields(embedded.fields, inner).map {
                .embedded(EmbeddedValue(number: embedded.number, fields: $0))
            }
        default: return value
        }
    }

    private func values(_ values: [SyncValue], _ property: PropertyMap?) -> [SyncValue]? {
        var new: [SyncValue] = []
        new.reserveCapacity(values.count)
        for value in values {
            guard let value = self.value(value, property) else { return nil }
            new.append(value)
        }
        return new
    }

    private func dictionary(_ dictionary: SyncDictionary, _ property: PropertyMap?) -> SyncDictionary? {
        var new: [(key: SyncString, value: SyncValue)] = []
        for entry in dictionary.entries {
            guard let value = value(entry.value, property) else { return nil }
            new.append((key: entry.key, value: value))
        }
        return SyncDictionary(new)
    }

    private func fields(_ fields: [NewField], _ owner: ClassMap) -> [NewField]? {
        var new: [NewField] = []
        for field in fields {
            guard let property = owner.named(field.name), let content = content(field.content, property) else {
                return nil
            }
            new.append(NewField(property.stored, content, field.origin))
        }
        return new
    }

    private func content(_ content: NewContent, _ property: PropertyMap) -> NewContent? {
        switch content {
        case .value(let value): self.value(value, property).map { .value($0) }
        case .list(let first, let elements): values(elements, property).map { .list(first: first, $0) }
        case .set(let elements): values(elements, property).map { .set($0) }
        case .dictionary(let entries): dictionary(entries, property).map { .dictionary($0) }
        }
    }

    // MARK: Changes

    func mapped(_ change: Change) -> Change? {
        switch change {
        case .create(let name, let fields):
            guard let owner = map.named(name.className), let new = self.name(name) else { return nil }
            return self.fields(fields, owner).map { .create(new, $0) }
        case .delete(let name, let cause):
            guard let new = self.name(name) else { return nil }
            guard case .cascade(let other) = cause else { return .delete(new, cause) }
            return self.name(other).map { .delete(new, .cascade(of: $0)) }
        default: break
        }
        guard let old = change.place, let found = place(old) else { return nil }
        let place = found.place
        switch change {
        case .create, .delete: return nil
        case .set(_, let value, let origin): return self.value(value, found).map { .set(place, $0, origin) }
        case .increment(_, let number): return .increment(place, number)
        case .insert(_, let gap, let first, let values):
            return self.values(values, found.property).map { .insert(place, gap, first: first, $0) }
        case .remove(_, let references): return .remove(place, references)
        case .move(_, let reference, let gap, let number): return .move(place, reference, gap, number: number)
        case .clearList(_, let hidden): return .clearList(place, hidden: hidden)
        case .assignList(_, let hidden, let gap, let first, let values):
            return self.values(values, found.property).map {
                .assignList(place, hidden: hidden, gap, first: first, $0)
            }
        case .insertIntoSet(_, let values):
            return self.values(values, found.property).map { .insertIntoSet(place, $0) }
        case .removeFromSet(_, let values):
            return self.values(values, found.property).map { .removeFromSet(place, $0) }
        case .clearSet(_, let hidden):
            return spared(hidden, found.property).map { .clearSet(place, hidden: $0) }
        case .assignSet(_, let hidden, let values):
            guard let spared = spared(hidden, found.property) else { return nil }
            return self.values(values, found.property).map { .assignSet(place, hidden: spared, $0) }
        case .removeEntry: return .removeEntry(place)
        case .clearDictionary(_, let hidden): return .clearDictionary(place, hidden: hidden)
        case .assignDictionary(_, let hidden, let value):
            return dictionary(value, found.property).map { .assignDictionary(place, hidden: hidden, $0) }
        }
    }

    /// Returns the elements of a set that the author couldn't see: links to missing objects, and null if the version
    /// doesn't show it.
    private func spared(_ hidden: [SyncValue], _ property: PropertyMap) -> [SyncValue]? {
        values(hidden, property).map { property.hidesNull && !$0.contains(.null) ? $0 + [.null] : $0 }
    }
}
