extension WriteTransaction {
    /// Reorders the elements of a list. The new i-th element is the one that was at `positions[i]`. Links and embedded objects don't change, because
    /// no element is added or removed.
    ///
    /// - Precondition: `positions` contains each position exactly once.
    /// - Complexity: O(n)
    package func listReorder(_ column: Column, _ key: ObjectKey, positions: [Int]) {
        let old = listValues(column, key)
        precondition(positions.count == old.count, "\(positions.count) positions for \(old.count) elements")
        guard positions != Array(old.indices) else { return }
        if columnOverlay(column).hasHiddenLinks { reorderHiddenLinks(column, key, positions: positions) }
        spillIfOverBudget()
        let entry = column.hasIndex ? placeBefore(column, key) : nil
        splice(place(column, key), 0..<old.count, with: positions.map { old[$0] })
        if column.hasIndex { placeChanged(column, key, from: entry) }
        note(column, key, operation: .clear(count: old.count))
        note(column, key, operation: .insert(at: 0, count: old.count))
    }
}
