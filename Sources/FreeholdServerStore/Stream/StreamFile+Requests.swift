internal import FreeholdEngine
internal import FreeholdSyncCore

extension StreamFile {
    func perform(_ request: ServerStoreRequest.Kind) throws -> ServerStoreAnswer {
        switch request {
        case .bind(let query): return .bind(try read { try $0.bind(query) })
        case .makeFile(let user, let secret, let parents, let clock):
            let file = try write { transaction in
                try stream(transaction)
                    .makeFile(user: user, secret: secret, parents: parents, clock: clock, in: transaction)
            }
            return file.map { .file($0) } ?? .failed(.unavailable("The stream has no numbers left for files."))
        case .openWriter(let secret):
            let file = try openWriter(secret)
            return file.map { .file($0) } ?? .failed(.unavailable("The stream has no numbers left for files."))
        case .noteFile(let ident, let acknowledged, let leastBase, let time):
            try write { transaction in
                try stream(transaction)
                    .note(ident, acknowledged: acknowledged, leastBase: leastBase, time: time, in: transaction)
            }
            return .done
        case .noteQueries(let ident, let queries, let isComplete):
            try write { try stream($0).note(ident, queries, isComplete: isComplete, in: $0) }
            return .done
        case .noteFront(let ident, let bytes):
            try noteFront(ident, bytes)
            return .done
        case .read(let query): return .rows(try read { try $0.rows(query) })
        case .commit(let commit): return try self.commit(commit) ? .done : .failed(.moved)
        case .stage(let ident, let part):
            return try write { try stream($0).stage(ident, part, in: $0) }
                ? .done : .failed(.unavailable("A part before this one is missing."))
        case .parts(let name): return .parts(try read { try $0.parts(name) })
        case .dropParts(let name):
            try write { try stream($0).dropParts(name, in: $0) }
            return .done
        case .keepPart(let ident, let part, let time):
            return try write { try stream($0).keep(part, of: ident, time, in: $0) }
                ? .done : .failed(.unavailable("A part before this one is missing."))
        case .keptParts(let ident): return .keptParts(try read { try $0.keptBytes(ident) })
        case .trimParts(let time):
            if try read({ try $0.hasParts(before: time) }) {
                try write { try stream($0).trimParts(before: time, in: $0) }
            }
            return .done
        case .trimFiles(let unused, let idle):
            if try read({ !$0.unusedFiles(unused: unused, idle: idle).isEmpty }) {
                try write { transaction in
                    let stream = try stream(transaction)
                    let rows = stream.unusedFiles(unused: unused, idle: idle)
                    transaction.delete(stream.tables.hidden.file, rows)
                }
            }
            return .done
        case .trimWriters(let secret):
            try trimWriters(keeping: secret)
            return .done
        case .step(let cursor, let count, let end):
            return .step(try read { try $0.step(after: cursor, objects: count, through: end) })
        case .page(let name, let key, let version, let count):
            return .page(try page(name, after: key, at: version, count))
        case .keys(let keys, let name, let version): return .page(try page(name, keys: keys, at: version))
        case .objects(let names, let version):
            let objects = try read { stream in
                version >= stream.head.logStart ? try stream.objects(names, at: version) : nil
            }
            return .objects(objects?.filter { $0.value.isAlive })
        case .trim(let log, let horizon): return .head(try trim(log: log, horizon: horizon))
        }
    }

    /// Returns a page of the objects with some keys, from the newest version, or from present rows and the log.
    private func page(_ name: SyncString, keys: [PrimaryKey], at version: StreamVersion) throws -> ObjectPage? {
        let snapshot = try database.snapshot()
        return try read(snapshot) { stream in
            guard version >= stream.head.logStart, version <= stream.head.version else { return nil }
            guard version < stream.head.version else { return try stream.page(name, keys: keys) }
            var changes = past.withLock { $0.changes(behind: version) }
            defer { past.withLock { $0.keep(changes) } }
            return try stream.page(name, keys: keys, &changes)
        }
    }

    /// Returns a page of a version, from a held version if possible, and otherwise from present rows and the log. The
    /// first page of the newest version holds that version.
    private func page(
        _ name: SyncString,
        after key: PrimaryKey?,
        at version: StreamVersion,
        _ count: Int
    ) throws -> ObjectPage? {
        let snapshot = try database.snapshot()
        let head = try read(snapshot) { $0.head }
        guard version >= head.logStart, version <= head.version else { return nil }
        let now = options.clock()
        var pinned = past.withLock { $0.pinned(version, at: now) }
        if pinned == nil, version == head.version {
            past.withLock {
                $0.pin(version, snapshot, at: now, fileBytes: database.fileBytes, in: options.pins)
            }
            pinned = snapshot
        }
        if let pinned {
            return try read(pinned, horizon: head.horizon) { try $0.page(name, after: key, max(count, 0)) }
        }
        var changes = past.withLock { $0.changes(behind: version) }
        let page = try read(snapshot) { try $0.page(name, after: key, max(count, 0), &changes) }
        past.withLock { $0.keep(changes) }
        return page
    }
}
