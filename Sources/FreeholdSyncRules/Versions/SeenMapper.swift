import FreeholdEngine
import FreeholdSyncCore

/// Returns elements of lists in the form that a version shows, in stored names. Lists from before the horizon are
/// compared with present ones in this form, because present elements may contain more than the author was shown.
struct SeenMapper: Sendable {
    let map: VersionMap

    /// - Parameter place: The place of the list, in stored names.
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

    /// Returns the fields of an embedded object that a version shows. Values that it shows for missing fields, such as
    /// null and zero, are left out.
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

/// Translates stored names into a version's names, in a part of a refused change.
struct HandedBackMapper {
    let map: VersionMap

    /// Only changes of lists are refused in part.
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
