extension SessionRights {
    /// Returns the field that a change names and that the user has no right to read, with dots before the names of
    /// fields of embedded objects. Returns `nil` if the change names no such field.
    ///
    /// Such a change is refused for each value. If only changes that alter the field were refused, a user could find
    /// out its value by guessing. A new object has no values yet, so its fields are compared instead.
    ///
    /// - Parameter exists: A Boolean value that indicates whether the object existed before the commit.
    func hiddenField(of change: Change, exists: Bool) -> SyncString? {
        guard let mask = mask(of: change.object.className), !mask.showsAll else { return nil }
        switch change {
        case .delete: return nil
        case .create(_, let fields):
            return exists ? fields.first { $0.origin == .real && mask.hides($0, isOfObject: true) }?.name : nil
        default:
            guard let place = change.place, mask.hides(place.path[...], change.values) else { return nil }
            let names = place.path.compactMap { if case .property(let name) = $0 { name.string } else { nil } }
            return SyncString(names.joined(separator: "."))
        }
    }
}

extension FieldMask {
    fileprivate func hides(_ path: ArraySlice<Place.Step>, _ values: [SyncValue]) -> Bool {
        var mask = self
        for (depth, step) in path.enumerated() {
            guard case .property(let name) = step else { continue }
            mask = depth == 0 ? mask.ofObject(name) : mask[name]
        }
        return mask.hides(values)
    }

    /// Returns whether nothing of the place is visible, or whether a value names hidden fields.
    private func hides(_ values: [SyncValue]) -> Bool {
        if showsAll { return false }
        return !showsSome || values.contains(where: hides)
    }

    private func hides(_ value: SyncValue) -> Bool {
        guard case .embedded(let new) = value else { return false }
        return new.fields.contains { $0.origin == .real && hides($0, isOfObject: false) }
    }

    fileprivate func hides(_ field: NewField, isOfObject: Bool) -> Bool {
        let mask = isOfObject ? ofObject(field.name) : self[field.name]
        switch field.content {
        case .value(let value): return mask.hides([value])
        case .list(_, let values), .set(let values): return mask.hides(values)
        case .dictionary(let dictionary): return mask.hides(dictionary.entries.map(\.value))
        }
    }
}

extension Change {
    /// The values that the change writes.
    fileprivate var values: [SyncValue] {
        switch self {
        case .set(_, let value, _): [value]
        case .insert(_, _, _, let values), .assignList(_, _, _, _, let values), .insertIntoSet(_, let values),
            .assignSet(_, _, let values):
            values
        case .assignDictionary(_, _, let dictionary): dictionary.entries.map(\.value)
        default: []
        }
    }
}
