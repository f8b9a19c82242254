internal import FreeholdEngine
internal import FreeholdSyncCore

/// What was at earlier versions: from rows of today and the log's before-images, or from a version that is held.
extension StreamView {
    /// What changed behind a cursor.
    func step(after cursor: Cursor, objects count: Int, through end: StreamVersion? = nil) throws -> StreamStep? {
        guard cursor.epoch == head.epoch, cursor.version >= head.logStart, mark(cursor.version)?.hash == cursor.hash
        else { return nil }
        var order: [ObjectName] = []
        var before: [ObjectName: MergedObject?] = [:]
        var authors: [FileIdent: UInt64] = [:]
        var last = cursor.version
        while last < min(head.version, max(end ?? .max, cursor.version)), order.count < count {
            let images = try images(last + 1)
            last += 1
            for (index, name) in images.names.enumerated() where before[name] == nil {
                before[name] = .some(try images.object(index, horizon: reader.horizon))
                order.append(name)
            }
            let author = author(last)
            authors[author.ident] = author.commit
        }
        let after = try objects(order, at: last)
        return StreamStep(
            cursor,
            self.cursor(last),
            clock: mark(last)?.clock ?? .zero,
            order.map { ObjectStep($0, before: before[$0] ?? nil, after: after[$0] ?? nil) },
            authors: authors,
            horizon: reader.horizon
        )
    }

    /// Objects as they were at a version, dead ones too.
    func objects(_ names: [ObjectName], at version: StreamVersion) throws -> [ObjectName: MergedObject] {
        var found: [ObjectName: MergedObject] = [:]
        var changed: Set<ObjectName> = []
        for name in names {
            let object = try object(name)
            // Who deletes a dead object once more is noted without changing it.
            let isOld = object.map { $0.isAlive && $0.changed <= version } ?? false
            if version < head.version, !isOld { changed.insert(name) }
            found[name] = object
        }
        var next = min(version, head.version) + 1
        while !changed.isEmpty, next <= head.version {
            let images = try images(next)
            for (index, name) in images.names.enumerated() where changed.remove(name) != nil {
                found[name] = try images.object(index, horizon: reader.horizon)
            }
            next += 1
        }
        return found
    }

    // MARK: Pages

    /// Live objects of this version, of rows and beside them, by rising keys. A few more than asked for at most.
    func living(_ className: SyncString, after key: PrimaryKey?, _ count: Int) throws -> LivingObjects {
        var living = LivingObjects()
        if let table = tables.table(of: className) { try living.add(table, self, after: key, count) }
        let others = others
        for row in others.rows(of: className) where others.isAlive(row) {
            let (name, object) = try others.object(row)
            guard let object, key.map({ name.key > $0 }) ?? true else { continue }
            living.objects.append((name, object))
        }
        living.sort(count)
        return living
    }

    func page(_ className: SyncString, after key: PrimaryKey?, _ count: Int) throws -> ObjectPage {
        let living = try living(className, after: key, count + 1)
        let isLast = living.objects.count <= count
        return ObjectPage(Array(living.objects.prefix(count)), isLast: isLast, horizon: reader.horizon)
    }

    /// The live objects with one of the keys, as they were at a version.
    ///
    /// - Complexity: O(log *n*) for each key, and what was committed since.
    func page(_ className: SyncString, keys: [PrimaryKey], at version: StreamVersion) throws -> ObjectPage {
        let names = Set(keys).sorted().map { ObjectName(className, $0) }
        let found = try self.objects(names, at: version)
        var objects: [(name: ObjectName, object: MergedObject)] = []
        for name in names {
            // Objects that the horizon has taken are missing at every version.
            guard let object = found[name], object.isAlive,
                try version == head.version || self.object(name) != nil
            else { continue }
            objects.append((name, object))
        }
        return ObjectPage(objects, isLast: true, horizon: reader.horizon)
    }

    /// A page at an earlier version.
    func page(
        _ className: SyncString,
        after key: PrimaryKey?,
        _ count: Int,
        _ past: inout PastChanges
    ) throws -> ObjectPage {
        try past.advance(self)
        let changed = past.keys(of: className, behind: key)
        var (start, next) = (key, 0)
        var objects: [(name: ObjectName, object: MergedObject)] = []
        while objects.count <= count {
            let living = try living(className, after: start, count + 1)
            let end = living.isLast ? nil : living.objects.last?.name.key
            let first = next
            while next < changed.count, end.map({ changed[next] <= $0 }) ?? true { next += 1 }
            let keys = Set(changed[first..<next])
            var candidates = living.objects.filter { !keys.contains($0.name.key) }
            for key in changed[first..<next] {
                let name = ObjectName(className, key)
                // What the horizon has taken isn't there at any version.
                guard let object = try past.object(name, self) ?? nil, object.isAlive, try self.object(name) != nil
                else {
                    continue
                }
                candidates.append((name, object))
            }
            candidates.sort { $0.name.key < $1.name.key }
            objects += candidates
            guard let end else { break }
            start = end
        }
        return ObjectPage(Array(objects.prefix(count)), isLast: objects.count <= count, horizon: reader.horizon)
    }
}

/// Objects of a class in a range of keys.
struct LivingObjects {
    var objects: [(name: ObjectName, object: MergedObject)] = []
    /// There are no more.
    var isLast = true

    /// Those of rows; at least so many, if there are.
    mutating func add(_ table: ClassTable, _ stream: StreamView, after key: PrimaryKey?, _ count: Int) throws {
        guard let column = table.key else { return }
        let (view, className) = (stream.view, SyncString(table.table.name))
        let values = ValueReader(view: view, tables: stream.tables)
        var start = key
        while objects.count < count {
            guard let predicate = Self.predicate(column, behind: start) else { return }
            let query = FreeholdEngine.RowQuery(
                table: table.table,
                predicate: predicate,
                sort: [SortKey(column)],
                limit: count
            )
            let rows = query.keys(in: view)
            for row in rows {
                let key = try values.key(table, row)
                start = key
                guard let object = try stream.reader.object(table, row, key) else { continue }
                objects.append((ObjectName(className, key), object))
            }
            if rows.count < count { return }
        }
        isLast = false
    }

    /// Nil if no key of the column lies behind the key.
    private static func predicate(_ column: Column, behind key: PrimaryKey?) -> Predicate? {
        let path = PropertyPath(column)
        switch (key, column.type) {
        case (nil, _): return .constant(true)
        case (.null, _): return .comparison(path, .notEqual, .null)
        case (.int(let value), .int): return .comparison(path, .greater, .int(value))
        case (.string(let value), .string): return .comparison(path, .greater, .string(value.string))
        case (.objectId(let value), .objectId): return .comparison(path, .greater, .objectId(value))
        case (.uuid(let value), .uuid): return .comparison(path, .greater, .uuid(value))
        // Keys of one type lie before those of another.
        case (let key?, .int): return key < .int(.min) ? .constant(true) : nil
        case (let key?, .string): return key < .string("") ? .constant(true) : nil
        case (.int, .objectId), (.string, .objectId), (.int, .uuid), (.string, .uuid), (.objectId, .uuid):
            return .constant(true)
        default: return nil
        }
    }

    mutating func sort(_ count: Int) {
        objects.sort { $0.name.key < $1.name.key }
        guard objects.count > count else { return }
        objects.removeLast(objects.count - count)
        isLast = false
    }
}
