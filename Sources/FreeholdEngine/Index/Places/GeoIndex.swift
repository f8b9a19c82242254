// The index of places has one entry an object: the number of the smallest `GeoCell` around the place, in the encoding
// of an integer. Objects whose coordinates are no place have none.

extension DataView {
    /// What the index has of an object, or `nil` if its coordinates are no place.
    func placeEntry(_ column: Column, _ key: ObjectKey) -> Int64? {
        guard let (longitude, latitude) = coordinates(column, key) else { return nil }
        return GeoCell.number(latitude: latitude, longitude: longitude)
    }
}

extension GeoCell {
    /// Nil for numbers that are no place.
    static func number(latitude: Double, longitude: Double) -> Int64? {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        return number(SphereVector(latitude: latitude, longitude: longitude))
    }
}

extension IndexOverlay {
    func insertPlace(_ key: ObjectKey, in view: DataView) {
        if let entry = view.placeEntry(column, key) { changes.insertInt(entry, key.raw) }
    }
}

extension WriteTransaction {
    /// Returns the entry that an object has before its list of coordinates changes: for `placeChanged`, after it has.
    @inline(never)
    func placeBefore(_ column: Column, _ key: ObjectKey) -> Int64? {
        isInIndex(column, key) ? placeEntry(column, key) : nil
    }

    /// Keeps the index of places in step with a list.
    @inline(never)
    func placeChanged(_ column: Column, _ key: ObjectKey, from old: Int64?) {
        guard isInIndex(column, key) else { return }
        let new = placeEntry(column, key)
        guard old != new else { return }
        let index = index(column)
        if let old { index.changes.removeInt(old, key.raw) }
        if let new { index.changes.insertInt(new, key.raw) }
    }

    /// Objects made by this transaction come into indexes when these are settled.
    private func isInIndex(_ column: Column, _ key: ObjectKey) -> Bool {
        tables[column.tableID].map { key.raw < $0.unindexedFrom } ?? true
    }
}
