/// Objects that are made to be sent, and that no file keeps.
extension WriteTransaction {
    /// Takes objects of an asymmetric table out of the file, with the embedded ones that they own: the journal has them as they are now,
    /// and nothing else of the file does. Whoever reads the journal sends them.
    ///
    /// - Precondition: this transaction made them. The table is asymmetric.
    /// - Throws: `.invalidArgument` in a file without an exact journal, where they would be lost; nothing has changed then.
    /// - Complexity: O(size of the objects)
    public func handOver(_ table: Table, _ keys: [ObjectKey]) throws(EngineError) {
        precondition(table.isAsymmetric, "'\(table.name)' isn't asymmetric.")
        guard let journal, journal.isExact else {
            throw EngineError(
                .invalidArgument,
                "Nobody sends objects of the asymmetric class '\(table.name)': the file doesn't sync.",
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
    /// Objects that the transaction made, and what they own, are taken down as they are now.
    func handOver(_ table: Table, _ keys: [ObjectKey], in transaction: WriteTransaction) {
        closeRun()
        swap(&writer.bytes, &handedOver)
        isAside = true
        var open = keys.map { (table, $0) }
        while let (table, key) = open.popLast() {
            for column in table.columns {
                cells(column, [key], as: .rows, transaction)
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
