internal import FreeholdEngine
internal import FreeholdSyncCore

/// The state of earlier versions, computed from present rows and the before-images of the log, or read from a held
/// version.
extension StreamView {
    /// Returns the changes after a cursor.
    func step(after cursor: Cursor, objects count: Int, through end: StreamVersion? = nil) throws -> StreamStep? {
        guard cursor.epoch == head.epoch, cursor.version >= head.logStart, mark(cursor.version)?.hash == cursor.hash
        else { return nil }
        var order: [ObjectName] = []
        var before: [ObjectName: MergedObject?] = [:]
        var commits: [StepCommit] = []
        var today: [ObjectName: MergedObject?] = [:]
        var (last, bytes, further) = (cursor.version, 0, 0)
        while last < min(head.version, max(end ?? .max, cursor.version)), order.count < count {
            let isFull = bytes >= StreamStep.mostBytes
            guard !isFull || further < StreamStep.mostFurtherWeight else { break }
            let images = try images(last + 1)
            if isFull {
                guard images.names.allSatisfy({ before[$0] != nil }) else { break }
                let objects = images.names.lazy.map { before[$0] ?? nil }
                further += StreamStep.weight(ofFurther: objects, bytes: images.byteCount)
            }
            last += 1
            for (index, name) in images.names.enumerated() where before[name] == nil {
                let (image, object) = (try image(index, of: images), try object(name))
                (before[name], today[name]) = (.some(image), .some(object))
                order.append(name)
                bytes += (image?.estimatedBytes ?? 0) + (object?.estimatedBytes ?? 0)
            }
            let author = author(last)
            if let answer = try self.answer(to: author) { commits.append(StepCommit(author.ident, answer)) }
        }
        let after = try objects(order, at: last, today)
        return StreamStep(
            cursor,
            self.cursor(last),
            clock: mark(last)?.clock ?? .zero,
            order.map { ObjectStep($0, before: before[$0] ?? nil, after: after[$0] ?? nil) },
            commits: commits,
            horizon: reader.horizon,
            head: head
        )
    }

    /// Returns objects in the state of a version, including deleted ones.
    /// - Parameter today: The present objects that were already read.
    func objects(
        _ names: [ObjectName],
        at version: StreamVersion,
        _ today: [ObjectName: MergedObject?] = [:]
    ) throws -> [ObjectName: MergedObject] {
        var found: [ObjectName: MergedObject] = [:]
        var changed: Set<ObjectName> = []
        for name in names {
            let object = try today[name] ?? object(name)
            // A second deletion of a deleted object is recorded in the object without changing its version.
            let isOld = object.map { $0.isAlive && $0.changed <= version } ?? false
            if version < head.version, !isOld { changed.insert(name) }
            found[name] = object
        }
        var next = min(version, head.version) + 1
        while !changed.isEmpty, next <= head.version {
            let images = try images(next)
            for (index, name) in images.names.enumerated() where changed.remove(name) != nil {
                found[name] = try image(index, of: images)
            }
            next += 1
        }
        return found
    }

    // MARK: Pages

    /// Returns live objects of this version, from rows and other storage, by rising keys. The result can have a few
    /// more objects than requested, and is limited in size.
    func living(_ className: SyncString, after key: PrimaryKey?, _ count: Int) throws -> LivingObjects {
        var living = LivingObjects()
        if let table = tables.table(of: className) { try living.add(table, self, after: key, count) }
        try living.add(others, of: className, after: key, count)
        living.sort(count)
        return living
    }

    func page(_ className: SyncString, after key: PrimaryKey?, _ count: Int) throws -> ObjectPage {
        let living = try living(className, after: key, count + 1)
        var page = ObjectPage(living.objects, isLast: living.isLast, horizon: reader.horizon)
        page.cut(objects: count)
        return page
    }

    /// Returns the live objects of this version with one of the keys.
    ///
    /// - Complexity: O(log *n*) for each key
    func page(_ className: SyncString, keys: [PrimaryKey]) throws -> ObjectPage {
        try page(of: className, keys: keys) { try object($0) }
    }

    /// Returns the live objects with one of the keys, in the state of an earlier version.
    ///
    /// - Complexity: O(log *n*) for each key, plus O(changes that were committed since)
    func page(_ className: SyncString, keys: [PrimaryKey], _ past: inout PastChanges) throws -> ObjectPage {
        try past.advance(self)
        return try page(of: className, keys: keys) { name in
            guard let old = try past.object(name, self) else { return try object(name) }
            // Objects that the horizon has removed are missing at all versions.
            return try object(name) == nil ? nil : old
        }
    }

    private func page(
        of className: SyncString,
        keys: [PrimaryKey],
        _ object: (ObjectName) throws -> MergedObject?
    ) throws -> ObjectPage {
        var page = ObjectPage([], isLast: true, horizon: reader.horizon)
        let sorted = Set(keys).sorted()
        var bytes = 0
        for key in sorted {
            let name = ObjectName(className, key)
            guard let object = try object(name), object.isAlive else { continue }
            page.objects.append((name, object))
            bytes += object.estimatedBytes
            guard bytes < ObjectPage.mostBytes || key == sorted.last else {
                page.through = key
                break
            }
        }
        return page
    }

    /// Returns a page at an earlier version.
    func page(
        _ className: SyncString,
        after key: PrimaryKey?,
        _ count: Int,
        _ past: inout PastChanges
    ) throws -> ObjectPage {
        try past.advance(self)
        let changed = past.keys(of: className, behind: key)
        var (start, next) = (key, 0)
        var page = ObjectPage([], isLast: false, horizon: reader.horizon)
        var bytes = 0
        while page.objects.count <= count, bytes < ObjectPage.mostBytes {
            let living = try living(className, after: start, count + 1)
            var end = living.isLast ? nil : living.objects.last?.name.key
            let first = next
            var (candidates, own) = ([(name: ObjectName, object: MergedObject)](), 0)
            while next < changed.count, end.map({ changed[next] <= $0 }) ?? true {
                let name = ObjectName(className, changed[next])
                next += 1
                // Objects that the horizon has removed are missing at all versions.
                guard let object = try past.object(name, self) ?? nil, object.isAlive, try self.object(name) != nil
                else { continue }
                candidates.append((name, object))
                own += object.estimatedBytes
                guard own >= ObjectPage.mostBytes else { continue }
                let isMore =
                    next < changed.count || !living.isLast || living.objects.contains { $0.name.key > name.key }
                if isMore { end = name.key }
                break
            }
            let keys = Set(changed[first..<next])
            for living in living.objects where end.map({ living.name.key <= $0 }) ?? true {
                if !keys.contains(living.name.key) { candidates.append(living) }
            }
            candidates.sort { $0.name.key < $1.name.key }
            page.objects += candidates
            bytes += candidates.reduce(0) { $0 + $1.object.estimatedBytes }
            guard let end else {
                page.isLast = true
                break
            }
            start = end
        }
        page.cut(objects: count)
        return page
    }
}

/// Live objects of a class in a range of keys.
struct LivingObjects {
    var objects: [(name: ObjectName, object: MergedObject)] = []
    /// A Boolean value that indicates whether the class has no further objects.
    var isLast = true

    /// Adds objects of rows: at least the given number, unless the table has fewer objects or they reach the maximum
    /// size of a page.
    mutating func add(_ table: ClassTable, _ stream: StreamView, after key: PrimaryKey?, _ count: Int) throws {
        guard let column = table.key else { return }
        let (view, className) = (stream.view, SyncString(table.table.name))
        let values = ValueReader(view: view, tables: stream.tables)
        var (start, bytes) = (key, 0)
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
                bytes += object.estimatedBytes
                guard bytes < ObjectPage.mostBytes else {
                    isLast = rows.count < count && row == rows.last
                    return
                }
            }
            if rows.count < count { return }
        }
        isLast = false
    }

    /// Adds objects that aren't rows, up to the key of the last row that was added. All their keys are read first, and
    /// then at most the objects of one page.
    mutating func add(_ others: OtherObjects, of className: SyncString, after key: PrimaryKey?, _ count: Int) throws {
        var end = isLast ? nil : objects.last?.name.key
        var rows: [(key: PrimaryKey, row: ObjectKey)] = []
        for row in others.rows(of: className) where others.isAlive(row) {
            let own = try others.key(row)
            if key.map({ own > $0 }) ?? true, end.map({ own <= $0 }) ?? true { rows.append((own, row)) }
        }
        guard !rows.isEmpty else { return }
        rows.sort { $0.key < $1.key }
        var (added, bytes) = (0, 0)
        for (index, (own, row)) in rows.enumerated() {
            let (name, object) = try others.object(row)
            guard let object else { continue }
            objects.append((name, object))
            added += 1
            bytes += object.estimatedBytes
            guard added >= count || bytes >= ObjectPage.mostBytes else { continue }
            if index + 1 < rows.count || objects.contains(where: { $0.name.key > own }) || end != nil {
                (end, isLast) = (own, false)
                objects.removeAll { $0.name.key > own }
            }
            return
        }
    }

    /// Returns the predicate for keys after a key. Returns `nil` if no key of the column can be after it.
    private static func predicate(_ column: Column, behind key: PrimaryKey?) -> Predicate? {
        let path = PropertyPath(column)
        switch (key, column.type) {
        case (nil, _): return .constant(true)
        case (.null, _): return .comparison(path, .notEqual, .null)
        case (.int(let value), .int): return .comparison(path, .greater, .int(value))
        case (.string(let value), .string): return .comparison(path, .greater, .string(value.string))
        case (.objectId(let value), .objectId): return .comparison(path, .greater, .objectId(value))
        case (.uuid(let value), .uuid): return .comparison(path, .greater, .uuid(value))
        // All keys of one type are before those of the next type.
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
