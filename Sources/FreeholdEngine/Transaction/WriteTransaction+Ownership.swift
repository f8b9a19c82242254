/// Embedded objects. Each of them belongs to exactly one link and is deleted with it.
///
/// An edit records the embedded objects that gained or lost their link. At its end, the objects that lost their link are deleted. An edit that moves
/// an object to another place therefore keeps it.
extension WriteTransaction {
    /// Records that an embedded object gained or lost a link.
    /// - Precondition: the column links to an embedded table.
    func ownershipChanged(_ column: Column, _ target: ObjectKey, by delta: Int) {
        let id = column.targetTableID!
        if delta > 0, tables[id]?.unowned.remove(target.raw) == true { return }
        let link = ObjectLink(tableID: id, key: target)
        let net = (ownership[link] ?? 0) + delta
        ownership[link] = net == 0 ? nil : net
    }

    /// Deletes embedded objects without a link, and the objects that follow deleted ones. It is called at the end of every edit that may have removed
    /// a link or deleted an object. Public edits call it, but their steps don't.
    @inline(__always)
    func deleteOrphans() {
        if !ownership.isEmpty || !followers.isEmpty { deleteOrphansNow() }
    }

    /// Deletes the recorded objects level by level, so that the depth of the nesting doesn't matter.
    @inline(never)
    private func deleteOrphansNow() {
        var hasDeleted = false
        let cause = journal?.cause
        journal?.cause = .cascade
        defer {
            if let cause { journal?.cause = cause }
            if hasDeleted { didCascade?() }
        }
        while !ownership.isEmpty || !followers.isEmpty {
            if deleteFollowers() { hasDeleted = true }
            let changes = ownership
            ownership = [:]
            var orphans: [Int: [ObjectKey]] = [:]
            for (link, delta) in changes where delta < 0 { orphans[link.tableID, default: []].append(link.key) }
            if !orphans.isEmpty { hasDeleted = true }
            for (id, keys) in orphans {
                let table = currentSchema.table(id: id)!
                noteFollowers(table, keys)
                delete(table, keys.sorted(), incoming: []) {}
            }
        }
    }

    /// Removes the embedded objects without links from the transaction's list, so that the commit keeps them. A caller that writes in several
    /// transactions passes them to the next one (`wait(for:)`). Until then, the file contains objects that it must not contain permanently.
    package func takeUnowned() -> UnownedObjects {
        var objects = UnownedObjects()
        for case let overlay? in tables where !overlay.unowned.isEmpty {
            objects.keys[overlay.table.id] = overlay.unowned
            overlay.unowned = KeyBits()
        }
        return objects
    }

    /// Adds embedded objects of an earlier transaction to this one's list. They may be linked, and are deleted at the end of the transaction if they
    /// aren't.
    ///
    /// - Precondition: the transaction hasn't created embedded objects yet.
    package func wait(for objects: UnownedObjects) {
        for (id, keys) in objects.keys {
            guard let table = currentSchema.table(id: id) else { continue }
            overlay(table).unowned = keys
        }
    }

    /// Deletes the embedded objects that were created and never linked.
    func deleteUnowned() {
        for case let overlay? in tables where !overlay.unowned.isEmpty {
            delete(overlay.table, overlay.unowned.sorted().map { ObjectKey($0) }, incoming: []) { deleteOrphans() }
        }
    }

    /// Throws an error if an edit of a link column may not add links to embedded objects.
    /// - Parameter removed: the links that the edit removes first.
    /// - Throws: `.invalidArgument` for an object that has an owner, or that would own itself.
    func checkOwners(
        _ column: Column,
        _ key: ObjectKey,
        added: [Value],
        removed: () -> [Value] = { [] }
    ) throws(EngineError) {
        guard column.type == .link, currentSchema.ownsTargets(column), !added.isEmpty else { return }
        let target = currentSchema.table(id: column.targetTableID!)!
        let unowned = tables[target.id]?.unowned ?? KeyBits()
        var seen: Set<ObjectKey> = []
        var leaving: Set<Value>?
        for case .link(let child) in added {
            guard seen.insert(child).inserted else { throw hasOwner(column, child) }
            if unowned.contains(child.raw) {
                if isAbove(target, child, column: column, origin: key) {
                    throw EngineError(
                        .invalidArgument,
                        "'\(column.name)' can't hold the embedded object \(child), which would own itself."
                    )
                }
                continue
            }
            if leaving == nil { leaving = Set(removed()) }
            guard leaving!.contains(.link(child)) else { throw hasOwner(column, child) }
        }
    }

    private func hasOwner(_ column: Column, _ child: ObjectKey) -> EngineError {
        EngineError(
            .invalidArgument,
            "'\(column.name)' can't hold the embedded object \(child): it has an owner. Store a copy of it."
        )
    }

    /// Returns whether an object without an owner is the given embedded object, or owns it directly or indirectly.
    private func isAbove(_ table: Table, _ key: ObjectKey, column: Column, origin: ObjectKey) -> Bool {
        var (place, below) = (currentSchema.table(of: column), origin)
        if place.id == table.id, below == key { return true }
        // An object without embedded objects can't own another one. In the usual case, this test makes the search for owners unnecessary.
        guard table.columns.contains(where: { currentSchema.ownsTargets($0) && ownsAny($0, key) }) else { return false }
        while let owner = owner(place, below) {
            (place, below) = (currentSchema.table(of: owner.column), owner.key)
            if place.id == table.id, below == key { return true }
        }
        return false
    }

    private func ownsAny(_ column: Column, _ key: ObjectKey) -> Bool {
        column.collection == .none ? readLink(column, key) != nil : listCount(column, key) > 0
    }
}

/// The embedded objects that a transaction created and that have no links, by table.
package struct UnownedObjects: Sendable {
    fileprivate(set) var keys: [Int: KeyBits] = [:]
    package var isEmpty: Bool { keys.isEmpty }
    package init() {}
}
