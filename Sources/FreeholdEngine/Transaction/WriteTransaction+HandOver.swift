/// Objects that are created for the upload and aren't kept in a file.
extension WriteTransaction {
    /// Removes objects of an asymmetric table from the file, with the embedded objects that they own. Only the journal keeps them, in their present
    /// state. The reader of the journal sends them.
    ///
    /// - Precondition: this transaction created them. The table is asymmetric.
    /// - Throws: `.invalidArgument` in a file without an exact journal, in which they would be lost. The transaction is unchanged then.
    /// - Complexity: O(size of the objects)
    public func handOver(_ table: Table, _ keys: [ObjectKey]) throws(EngineError) {
        precondition(table.isAsymmetric, "'\(table.name)' isn't asymmetric.")
        guard let journal, journal.isExact else {
            throw EngineError(
                .invalidArgument,
                "Objects of the asymmetric class '\(table.name)' can't be sent: the file doesn't sync.",
                path: core.path,
                table: table.name
            )
        }
        resolvePlaceholders()
        journal.handOver(table, keys, in: self)
        delete(table, keys)
    }
}

extension JournalRecorder {
    /// Records the present state of objects that the transaction created, and of the objects that they own.
    func handOver(_ table: Table, _ keys: [ObjectKey], in transaction: WriteTransaction) {
        closeRun()
        swap(&writer.bytes, &handedOver)
        isAside = true
        var open = keys.map { (table, $0) }
        while let (table, key) = open.popLast() {
            for column in table.columns {
                cells(column, [key], as: .rows, in: transaction)
                guard transaction.schema.ownsTargets(column) else { continue }
                transaction.forEachTarget(column, key) { target in
                    if let table = transaction.schema.table(id: target.tableID) { open.append((table, target.key)) }
                }
            }
        }
        isAside = false
        swap(&writer.bytes, &handedOver)
    }
}
