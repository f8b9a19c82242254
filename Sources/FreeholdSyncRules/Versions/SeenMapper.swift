import FreeholdEngine
import FreeholdSyncCore

/// Shows elements of lists as a version does, in stored names: so lists from before the horizon are compared with those of today, which may
/// hold more than their author was shown.
struct SeenMapper: Sendable {
    let map: VersionMap

    /// - Parameter place: of the list, in stored names.
    func seen(_ element: SyncValue, at place: Place) -> SyncValue {
        guard let property = property(at: place) else { return element }
        return seen(element, property)
    }

    private func property(at place: Place) -> PropertyMap? {
        guard var owner = map.stored(place.object.className) else { return nil }
        var property: PropertyMap?
        for step in place.path {
            switch step {
            case .property(let name):
                guard let found = owner.stored(name) else { return nil }
                property = found
            case .instance:
                guard let inner = map.embedded(property) else { return nil }
                owner = inner
            case .element, .entry, .nested: break
            }
        }
        return property
    }

    func seen(_ element: SyncValue, _ property: PropertyMap) -> SyncValue {
        switch element {
        case .null: property.fill(isElement: true) ?? .null
        case .embedded(let embedded): .embedded(EmbeddedValue(number: 0, fields: fields(embedded.fields, property)))
        default: property.numbers?.shown(element) ?? element
        }
    }

    /// What a version shows of an embedded object without having been told: null, zero and the like are left out.
    private func fields(_ fields: [NewField], _ owner: PropertyMap) -> [NewField] {
        guard let inner = map.embedded(owner) else { return [] }
        return fields.compactMap { field -> NewField? in
            guard let property = inner.stored(field.name) else { return nil }
            switch field.content {
            case .value(.null): return nil
            case .value(.embedded(let embedded)):
                let value = EmbeddedValue(number: 0, fields: self.fields(embedded.fields, property))
                return NewField(field.name, .value(.embedded(value)))
            case .value(let value):
                let shown = property.numbers?.shown(value) ?? value
                let isUntold = property.collection == .none && shown == property.fill
                return isUntold ? nil : NewField(field.name, .value(shown))
            case .list(_, let elements):
                let seen = elements.map { self.seen($0, property) }
                return seen.isEmpty ? nil : NewField(field.name, .list(first: 0, seen))
            case .set, .dictionary: return field
            }
        }
        .sorted { $0.name < $1.name }
    }
}

/// Makes a version's names of stored ones in a part of a change that is handed back.
struct HandedBackMapper {
    let map: VersionMap

    /// Only lists are handed back in part: what of it can be done is done.
    func mapped(_ change: Change) -> Change {
        guard case .remove(let old, let references) = change, let place = place(old) else { return change }
        return .remove(place, references)
    }

    private func place(_ place: Place) -> Place? {
        guard let found = map.stored(place.object.className) else { return nil }
        var owner = found
        var steps: [Place.Step] = []
        var property: PropertyMap?
        for step in place.path {
            switch step {
            case .property(let name):
                guard let found = owner.stored(name) else { return nil }
                property = found
                steps.append(.property(found.name))
            case .instance:
                guard let inner = map.embedded(property) else { return nil }
                owner = inner
                steps.append(step)
            case .element, .entry, .nested: steps.append(step)
            }
        }
        return Place(ObjectName(found.name, place.object.key), steps)
    }
}
