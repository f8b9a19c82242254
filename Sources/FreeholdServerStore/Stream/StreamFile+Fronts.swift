internal import FreeholdEngine
internal import FreeholdSyncCore

/// The storage of the bytes that front ends store with their files.
extension StreamFile {
    /// Stores bytes of a front end. Nothing is stored for a file that doesn't exist.
    func noteFront(_ ident: FileIdent, _ bytes: [UInt8]) throws {
        try write { transaction in
            let stream = try streamWithFronts(transaction)
            guard stream.fileRow(ident) != nil else { return }
            try stream.setFront(FrontRow.stored(bytes, version: 0), of: ident, in: transaction)
        }
    }

    /// Returns the stream with the table of the bytes. The table is created if it is missing.
    func streamWithFronts(_ transaction: WriteTransaction) throws -> StreamView {
        let known = try stream(transaction)
        guard known.tables.hidden.front == nil else { return known }
        _ = try transaction.addHiddenTable(HiddenTables.frontSpec)
        return try stream(transaction)
    }
}

extension StreamView {
    /// Returns the version of the commit that wrote the bytes of a front end, followed by the bytes. Returns an empty
    /// array if none are stored.
    func front(of ident: FileIdent) -> [UInt8] {
        guard let table = tables.hidden.front,
            let row = view.find(primaryKey: .int(Int64(ident.rawValue)), in: table)
        else { return [] }
        return view.pieces(table.columns[1], row)
    }

    func setFront(_ bytes: [UInt8], of ident: FileIdent, in transaction: WriteTransaction) throws {
        guard let table = tables.hidden.front else { return }
        let key = Value.int(Int64(ident.rawValue))
        let row = try view.find(primaryKey: key, in: table) ?? transaction.create(table, primaryKey: key)
        try transaction.setPieces(table.columns[1], row, to: bytes)
    }
}
