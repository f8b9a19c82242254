// The index of places. It has one entry for each object: the number of the smallest `GeoCell` around the place, encoded like an integer. Objects
// whose coordinates aren't a place have no entry.

extension DataView {
    /// Returns the index entry of an object, or `nil` if its coordinates aren't a place.
    func placeEntry(_ column: Column, _ key: ObjectKey) -> Int64? {
        guard let (longitude, latitude) = coordinates(column, key) else { return nil }
        return GeoCell.number(latitude: latitude, longitude: longitude)
    }
}

extension GeoCell {
    /// Returns `nil` for numbers that aren't a place.
    static func number(latitude: Double, longitude: Double) -> Int64? {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        return number(SphereVector(latitude: latitude, longitude: longitude))
    }
}

extension IndexOverlay {
    func insertPlace(_ key: ObjectKey, in view: DataView) {
        if let entry = view.placeEntry(column, key) { changes.insertInt(entry, key: key.raw) }
    }
}

extension WriteTransaction {
    /// Returns an object's entry before its list of coordinates changes. After the change, it is passed to `placeChanged`.
    @inline(never)
    func placeBefore(_ column: Column, _ key: ObjectKey) -> Int64? {
        isInIndex(column, key) ? placeEntry(column, key) : nil
    }

    /// Updates the index of places after a change of a list.
    @inline(never)
    func placeChanged(_ column: Column, _ key: ObjectKey, from old: Int64?) {
        guard isInIndex(column, key) else { return }
        let new = placeEntry(column, key)
        guard old != new else { return }
        let index = index(column)
        if let old { index.changes.removeInt(old, key: key.raw) }
        if let new { index.changes.insertInt(new, key: key.raw) }
    }

    /// Returns whether the object is in the index. Objects that this transaction created are added when indexes are settled.
    private func isInIndex(_ column: Column, _ key: ObjectKey) -> Bool {
        tables[column.tableID].map { key.raw < $0.unindexedFrom } ?? true
    }
}
