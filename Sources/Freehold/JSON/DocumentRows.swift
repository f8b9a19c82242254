import FreeholdEngine

/// The objects of a document that have been created so far. The keys of a class's objects are consecutive, because no
/// other code creates objects during the import.
final class DocumentRows {
    private struct Run {
        let first: Int64
        var count = 0
    }

    private var tables: [Int: Run] = [:]

    func didCreate(_ key: ObjectKey, in table: Table) {
        tables[table.id, default: Run(first: key.raw)].count += 1
    }

    /// Returns the key of an object, or nil if the object hasn't been read yet.
    func row(at position: Int, in table: Table) -> ObjectKey? {
        guard let run = tables[table.id], position < run.count else { return nil }
        return ObjectKey(run.first + Int64(position))
    }
}
