internal import FreeholdEngine
internal import FreeholdSyncCore

extension StreamFile {
    /// Trims the log to an age and a size, moves the horizon, and releases the versions that bootstraps read.
    ///
    /// All reads trim objects to the horizon, so that only the head and the deleted objects have to be changed in one
    /// transaction. Rows are rewritten afterwards, in several transactions.
    func trim(log time: Int64, horizon old: Int64) throws -> StreamHead {
        past.withLock { $0.unpin() }
        let last = try read { stream in
            var head = stream.head
            let start = stream.firstVersion(from: time)
            head.logStart = max(head.logStart, start == 0 ? 0 : start - 1)
            if database.fileBytes > options.logBytes {
                // Clients that were connected until recently continue from the log.
                let recent = stream.firstVersion(from: head.now - 3_600_000)
                let start = min(stream.logStart(keeping: options.logBytes), recent == 0 ? 0 : recent - 1)
                head.logStart = max(head.logStart, start)
            }
            let first = stream.firstVersion(from: old)
            // Deletions before the horizon are no longer known. A client with an older cursor than the log synchronises
            // by keys.
            var horizon = min(first == 0 ? 0 : first - 1, head.logStart)
            for key in stream.view.keys(stream.tables.hidden.file) {
                guard let file = try stream.file(FileIdent(rawValue: UInt32(key.raw + 1))), file.time >= old else {
                    continue
                }
                horizon = min(horizon, file.leastBase ?? horizon)
            }
            head.horizon = max(head.horizon, horizon)
            return (old: stream.head, new: head)
        }
        guard last.old != last.new else { return last.old }
        let head = try write { transaction -> StreamHead in
            let stream = try stream(transaction)
            var head = stream.head
            (head.logStart, head.horizon) = (max(head.logStart, last.new.logStart), max(head.horizon, last.new.horizon))
            if head.logStart > stream.head.logStart {
                let log = stream.tables.hidden.log
                for (row, images) in try stream.dependents(on: head.logStart) {
                    try transaction.setPieces(log.columns[2], row, to: images)
                }
                transaction.delete(log, (stream.head.logStart..<head.logStart).map { ObjectKey(Int64($0)) })
            }
            if head.horizon > stream.head.horizon {
                transaction.delete(stream.tables.hidden.other, stream.others.dead(at: head.horizon))
            }
            StreamWriter(transaction, stream).set(head)
            return head
        }
        if head.horizon > last.old.horizon { try rewrite(behind: last.old.horizon, upTo: head.horizon) }
        return head
    }

    /// Rewrites the rows that the horizon has trimmed. Rows without changes since the last horizon were trimmed then.
    private func rewrite(behind old: StreamVersion, upTo horizon: StreamVersion) throws {
        let tables = try read { $0.tables.all.compactMap { $0.state == nil ? nil : $0.table.id } }
        for id in tables {
            let rows = try read { stream -> [ObjectKey] in
                guard let table = stream.tables[id], let state = table.state else { return [] }
                let query = FreeholdEngine.RowQuery(
                    table: table.table,
                    predicate: .comparison(PropertyPath(state.version), .greater, .int(Int64(bitPattern: old)))
                )
                return try query.keys(in: stream.view).filter { try stream.reader.plan(table, $0).isTrimmed }
            }
            for start in stride(from: 0, to: rows.count, by: 2_000) {
                try write { transaction in
                    let stream = try stream(transaction)
                    guard let table = stream.tables[id] else { return }
                    let writer = StreamWriter(transaction, stream)
                    for row in rows[start..<min(start + 2_000, rows.count)] where transaction.contains(table.table, row)
                    {
                        try writer.rewrite(table, row)
                    }
                }
            }
        }
    }

    /// Assigns a new epoch to the stream, because a copied store continues with another history.
    func setEpoch(_ epoch: UInt64) throws {
        try write { transaction in
            let stream = try stream(transaction)
            var head = stream.head
            head.epoch = epoch
            StreamWriter(transaction, stream).set(head)
        }
        past.withLock { $0 = PastStates() }
    }
}
