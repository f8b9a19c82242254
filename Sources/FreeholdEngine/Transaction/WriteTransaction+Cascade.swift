/// Deletions that the rules of links extend or deny.
extension WriteTransaction {
    /// Records the objects that the rules delete together with the given ones. `deleteOrphans` then deletes them.
    func noteFollowers(_ table: Table, _ keys: some Sequence<ObjectKey>) {
        guard let columns = currentSchema.deletions[table.id] else { return }
        for key in keys where contains(table, key) {
            for column in columns.cascading {
                forEachTarget(column, key) { followers[$0.tableID, default: []].insert($0.key) }
            }
            for column in columns.cascadingOrigins where backlinkCount(column, key) > 0 {
                followers[column.tableID, default: []].formUnion(backlinks(column, key))
            }
        }
    }

    /// Deletes the recorded objects.
    /// - Returns: whether an object was deleted.
    func deleteFollowers() -> Bool {
        let noted = followers
        followers = [:]
        var hasDeleted = false
        for (id, keys) in noted.sorted(by: { $0.key < $1.key }) {
            guard let table = currentSchema.table(id: id) else { continue }
            let living = keys.filter { contains(table, $0) }.sorted()
            if living.isEmpty { continue }
            hasDeleted = true
            noteFollowers(table, living)
            leaveCollections(table, living)
            delete(table, living, incoming: currentSchema.linkColumns(to: table)) {}
        }
        return hasDeleted
    }

    /// Throws an error if the rules of links deny the deletion of the objects.
    ///
    /// - Throws: `.deletionDenied` if a link with a denying rule connects one of the objects, or one that would be deleted with them, with an object
    ///   that would remain.
    /// - Complexity: O(1) if no link of the schema denies deletions, otherwise O(objects that would be deleted).
    public func checkDeletable(_ table: Table, _ keys: [ObjectKey]) throws(EngineError) {
        try checkDeletable([table.id: keys])
    }

    /// Like `checkDeletable(_:_:)`, for objects of several tables that are deleted together. The keys are grouped by the ids of the tables.
    public func checkDeletable(_ keys: @autoclosure () -> [Int: [ObjectKey]]) throws(EngineError) {
        guard currentSchema.hasDenials else { return }
        resolvePlaceholders()
        let going = closure(of: keys())
        for (id, keys) in going {
            guard let columns = currentSchema.deletions[id], let table = currentSchema.table(id: id) else { continue }
            for key in keys {
                for column in columns.denying {
                    var staying = 0
                    forEachTarget(column, key) { if going[$0.tableID]?.contains($0.key) != true { staying += 1 } }
                    if staying > 0 { throw denial(table, column, verb: "links to", count: staying) }
                }
                for column in columns.denyingOrigins where backlinkCount(column, key) > 0 {
                    let origins = Set(backlinks(column, key)).subtracting(going[column.tableID] ?? [])
                    if !origins.isEmpty { throw denial(table, column, verb: "is linked to by", count: origins.count) }
                }
            }
        }
    }

    private func denial(_ table: Table, _ column: Column, verb: String, count: Int) -> EngineError {
        EngineError(
            .deletionDenied,
            "The object of '\(table.name)' can't be deleted: by '\(currentSchema.table(of: column).name).\(column.name)', "
                + "whose rule is to deny it, it \(verb) \(count == 1 ? "an object" : "\(count) objects"). "
                + "Take the link away, or delete both together.",
            path: core.path,
            table: table.name,
            columns: [column.name]
        )
    }

    /// Returns the objects and all objects that would be deleted with them.
    private func closure(of keys: [Int: [ObjectKey]]) -> [Int: Set<ObjectKey>] {
        var going: [Int: Set<ObjectKey>] = [:]
        var open: [ObjectLink] = []
        func add(_ link: ObjectLink) {
            guard let table = currentSchema.table(id: link.tableID), contains(table, link.key),
                going[link.tableID, default: []].insert(link.key).inserted
            else { return }
            open.append(link)
        }
        for (id, keys) in keys { for key in keys { add(ObjectLink(tableID: id, key: key)) } }
        while let next = open.popLast() {
            let table = currentSchema.table(id: next.tableID)!
            for column in table.columns where column.rules.targets == .cascade || currentSchema.ownsTargets(column) {
                forEachTarget(column, next.key, body: add)
            }
            for column in currentSchema.deletions[next.tableID]?.cascadingOrigins ?? []
            where backlinkCount(column, next.key) > 0 {
                for origin in backlinks(column, next.key) { add(ObjectLink(tableID: column.tableID, key: origin)) }
            }
        }
        return going
    }
}
