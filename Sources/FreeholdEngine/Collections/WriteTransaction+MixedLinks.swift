/// Links inside mixed values. Their inverse is stored with the target's table, once for all mixed columns.
extension WriteTransaction {
    func mixedLinksChanged(_ column: Column, _ key: ObjectKey, removed: [Value], added: [Value]) {
        guard removed.contains(where: \.hasObjectLinks) || added.contains(where: \.hasObjectLinks) else { return }
        var net: [ObjectLink: Int64] = [:]
        for value in removed { value.forEachObjectLink { net[$0, default: 0] -= 1 } }
        for value in added { value.forEachObjectLink { net[$0, default: 0] += 1 } }
        let origin = MixedOrigin(column, key).code
        for (link, delta) in net where delta != 0 {
            guard let target = currentSchema.table(id: link.tableID) else { continue }
            guard link.key.raw < tableState(target).nextKey else {
                damaged("'\(column.name)' of \(key) links to \(link.key) of '\(target.name)', which was never made")
                continue
            }
            let inverse = target.mixedInverse
            let changes = backlinks(of: inverse)
            // Each link is a separate change, because settling reserves room for as many origins as there are changes.
            for _ in 0..<delta.magnitude {
                changes.add(target: link.key.raw, origin: origin, delta: delta.signum())
            }
            if changes.pending.count > linkLogLimit { crowdedBacklinks[inverse.firstSegment] = inverse }
        }
    }

    /// Throws an error if links of a mixed column can't have an inverse.
    func checkOrigin(_ column: Column) throws(EngineError) {
        let next = tableState(currentSchema.table(of: column)).nextKey
        guard MixedOrigin.fits(column), next <= 1 << MixedOrigin.keyBits else {
            throw EngineError(
                .limitExceeded,
                "'\(column.name)' can't link to objects from mixed values: a file can have that in its first 4,095 "
                    + "tables, a table in its first 8,192 columns, for its first 274,877,906,944 objects."
            )
        }
    }

    /// Returns whether mixed values may link to objects of a cluster.
    func hasMixedLinks(to table: Table, cluster: Int) -> Bool {
        guard currentSchema.hasMixedColumns else { return false }
        let inverse = table.mixedInverse
        settleBacklinks(inverse)
        return backlinkBuffer(inverse, cluster: cluster) != nil
            || block(inverse.segment(.backlinkLeaf), UInt64(cluster)) != nil
    }

    /// Removes an object from every mixed value that links to it. The links become null, and sets lose them.
    func unlinkMixed(_ table: Table, from target: ObjectKey) {
        guard currentSchema.hasMixedColumns else { return }
        let inverse = table.mixedInverse
        guard withBacklinks(inverse, target, body: { count(of: $0) }) > 0 else { return }
        let link = ObjectLink(tableID: table.id, key: target)
        var last: Int64?
        for code in withBacklinks(inverse, target, body: { ints(of: $0, type: .int) }) where code != last {
            last = code
            let origin = MixedOrigin(code)
            guard let table = currentSchema.table(id: origin.tableID), contains(table, origin.key),
                let column = table.storedColumns.first(where: { $0.id == origin.columnID && $0.type == .mixed })
            else {
                damaged("the inverse of mixed links to '\(table.name)' has origins that don't exist")
                continue
            }
            unlinkMixed(column, origin.key, link: link)
        }
    }

    private func unlinkMixed(_ column: Column, _ key: ObjectKey, link: ObjectLink) {
        switch column.collection {
        case .none:
            guard let new = value(column, key).replacing(link) else { return }
            journal?.followed(column, key, value: new, wasSet: isModified(column, key))
            keepingHiddenLinks(column, key, at: 0, replacing: value(column, key), with: new) {
                write(column, key, value: new)
            }
        case .list:
            for (i, value) in listValues(column, key).enumerated() {
                guard let new = value.replacing(link) else { continue }
                keepingHiddenLinks(column, key, at: i, replacing: value, with: new) {
                    splice(column, key, range: i..<(i + 1), with: [new])
                    note(column, key, operation: .set(at: i))
                }
            }
        case .set: setRemove(column, key, value: .objectLink(link))
        case .dictionary: dictionaryNullLinks(column, key, to: link)
        }
    }
}

extension DataView {
    /// Calls `body` with the inverse of mixed links to an object, and the range of one column's links in it.
    func withMixedRun<R>(_ column: Column, _ target: ObjectKey, body: (StoredList, Range<Int>) -> R) -> R {
        guard let table = column.targetTableID.flatMap(schema.table(id:)) else {
            preconditionFailure("backlinks of a mixed column are asked for by table: see Column.asBacklinkColumn(to:)")
        }
        return withBacklinks(table.mixedInverse, target) { list in
            func position(_ code: Int64) -> Int {
                var low = 0
                var high = count(of: list)
                while low < high {
                    let middle = (low + high) >> 1
                    if int(of: list, at: middle, type: .int) < code { low = middle + 1 } else { high = middle }
                }
                return low
            }
            let first = MixedOrigin(column, ObjectKey(0)).code
            let start = position(first)
            // The origins ascend, unless they are damaged.
            return body(list, start..<max(start, position(first + 1 << MixedOrigin.keyBits)))
        }
    }

    /// Returns the number of links to an object from link columns and mixed values.
    /// - Complexity: O(columns).
    public func backlinkCount(_ table: Table, _ target: ObjectKey) -> Int {
        schema.linkColumns(to: table).reduce(0) { $0 + backlinkCount($1, target) }
            + withBacklinks(table.mixedInverse, target) { count(of: $0) }
    }

    /// Returns the columns that link to an object, with the origins, once for each link.
    /// - Complexity: O(columns + n).
    public func allBacklinks(_ table: Table, _ target: ObjectKey) -> [(column: Column, origin: ObjectKey)] {
        var out: [(column: Column, origin: ObjectKey)] = []
        for column in schema.linkColumns(to: table) {
            for origin in backlinks(column, target) { out.append((column, origin)) }
        }
        for code in withBacklinks(table.mixedInverse, target, body: { ints(of: $0, type: .int) }) {
            let origin = MixedOrigin(code)
            guard
                let column = schema.table(id: origin.tableID)?.storedColumns.first(where: { $0.id == origin.columnID })
            else { continue }
            out.append((column.asBacklinkColumn(to: table), origin.key))
        }
        return out
    }

    /// Returns the column and the object that own an embedded object, or `nil` if it doesn't have an owner.
    /// - Complexity: O(columns).
    public func owner(_ table: Table, _ key: ObjectKey) -> (column: Column, key: ObjectKey)? {
        guard table.isEmbedded else { return nil }
        for column in schema.linkColumns(to: table) where backlinkCount(column, key) > 0 {
            return (column, backlink(column, key, at: 0))
        }
        return nil
    }
}

/// The changes of a transaction's mixed links, by the origin's table.
struct MixedLinkEdits {
    private(set) var edits: [Int: [LinkEdit]] = [:]
    private(set) var isIncomplete = false

    init(_ all: some Sequence<BacklinkChanges>) {
        for changes in all where changes.column.id == Table.mixedInverseID {
            if changes.logOverflow || changes.log.count > WriteTransaction.recordedEdits {
                isIncomplete = true
            } else {
                add(changes.log, changes.column.tableID)
            }
        }
        for table in edits.keys {
            edits[table]!.sort {
                ($0.column, $0.origin.raw, $0.targetTable, $0.target.raw)
                    < ($1.column, $1.origin.raw, $1.targetTable, $1.target.raw)
            }
        }
    }

    private mutating func add(_ log: [BacklinkChanges.Change], _ targetTable: Int) {
        let sorted = log.sorted { $0.origin != $1.origin ? $0.origin < $1.origin : $0.target < $1.target }
        var i = 0
        while i < sorted.count {
            let first = sorted[i]
            var delta = 0
            while i < sorted.count, sorted[i].origin == first.origin, sorted[i].target == first.target {
                delta += Int(sorted[i].delta)
                i += 1
            }
            guard delta != 0 else { continue }
            let origin = MixedOrigin(first.origin)
            edits[origin.tableID, default: []].append(
                LinkEdit(
                    column: origin.columnID,
                    origin: origin.key,
                    targetTable: targetTable,
                    target: ObjectKey(first.target),
                    delta: delta
                )
            )
        }
    }
}
