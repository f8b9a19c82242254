import FreeholdEngine

/// The objects of a document that have been made so far. Those of a class have consecutive keys, because nothing else
/// makes any.
final class DocumentRows {
    private struct Run {
        let first: Int64
        var count = 0
    }

    private var tables: [Int: Run] = [:]

    func didCreate(_ key: ObjectKey, in table: Table) {
        tables[table.id, default: Run(first: key.raw)].count += 1
    }

    /// Nil where the document hasn't come to the object yet.
    func row(at position: Int, in table: Table) -> ObjectKey? {
        guard let run = tables[table.id], position < run.count else { return nil }
        return ObjectKey(run.first + Int64(position))
    }
}
