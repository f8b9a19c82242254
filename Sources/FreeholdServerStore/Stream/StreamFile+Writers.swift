internal import FreeholdEngine
internal import FreeholdSyncCore

/// The files under which submissions are written. Their users are empty.
extension StreamFile {
    /// Returns the file of submissions with a secret. The file is created if it is missing.
    /// - Returns: The file, or `nil` if the stream has no free numbers for files.
    func openWriter(_ secret: SecretHash) throws -> FileRow? {
        if let known = try read({ try $0.writer(secret) }) { return known }
        return try write { transaction in
            var stream = try stream(transaction)
            // Another process may have created the file since the first search.
            if let known = try stream.writer(secret) { return known }
            if stream.tables.hidden.writer == nil {
                _ = try transaction.addHiddenTable(HiddenTables.writerSpec)
                stream = try self.stream(transaction)
            }
            guard let table = stream.tables.hidden.writer else { throw StoreDamage("The table of writers is missing.") }
            let file = try stream.makeFile(user: "", secret: secret, parents: [], clock: .zero, in: transaction)
            guard let file else { return nil }
            transaction.setInt(table.columns[0], try transaction.create(table), to: Int64(file.ident.rawValue))
            return file
        }
    }

    /// Removes the files of submissions that have another secret and no answer after the horizon.
    func trimWriters(keeping secret: SecretHash) throws {
        guard try read({ try !$0.oldWriters(keeping: secret).isEmpty }) else { return }
        try write { transaction in
            let stream = try stream(transaction)
            let rows = try stream.oldWriters(keeping: secret)
            let hidden = stream.tables.hidden
            transaction.delete(hidden.file, rows)
            guard let table = hidden.writer else { return }
            let idents = Set(rows.map { $0.raw + 1 })
            let named = transaction.keys(table).filter { row in
                transaction.readInt(table.columns[0], row).map { idents.contains($0) } ?? true
            }
            transaction.delete(table, Array(named))
        }
    }
}

extension StreamView {
    /// Returns the file of submissions with a secret, or `nil` if it is missing.
    ///
    /// - Complexity: O(files of submissions that were requested by secrets)
    func writer(_ secret: SecretHash) throws -> FileRow? {
        guard let table = tables.hidden.writer else { return nil }
        for row in view.keys(table) {
            guard let ident = view.readInt(table.columns[0], row).flatMap({ UInt32(exactly: $0) }) else { continue }
            if let file = try file(FileIdent(rawValue: ident)), file.user == "", file.secret == secret { return file }
        }
        return nil
    }

    /// Returns the rows of the files of submissions that no process uses: files with other secrets, of servers before their restart, and of imports.
    /// Since the horizon, no commit was added to these files, and their answers weren't requested. A file that is the parent of another file isn't
    /// removed.
    ///
    /// - Complexity: O(files)
    func oldWriters(keeping secret: SecretHash) throws -> [ObjectKey] {
        var old: [ObjectKey] = []
        for row in view.keys(tables.hidden.file) where view.readString(column(.user), row) ?? "" == "" {
            let ident = FileIdent(rawValue: UInt32(truncatingIfNeeded: row.raw + 1))
            guard let file = try file(ident), file.isOldWriter(keeping: secret) else { continue }
            let count = view.listCount(column(.answers), row)
            guard try count == 0 || answer(count - 1, row).answer.version <= head.horizon else { continue }
            old.append(row)
        }
        guard !old.isEmpty else { return [] }
        var parents: Set<Int64> = []
        for row in view.keys(tables.hidden.file) where view.listCount(column(.parents), row) > 0 {
            for parent in try StoredParents.parents(view.pieces(column(.parents), row)) {
                parents.insert(Int64(parent.ident.rawValue) - 1)
            }
        }
        return old.filter { !parents.contains($0.raw) }
    }
}
