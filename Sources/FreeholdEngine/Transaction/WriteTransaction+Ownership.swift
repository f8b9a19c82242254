/// Embedded objects: each belongs to exactly one link, and goes with it.
///
/// An edit notes which embedded objects gained and lost their link; when it is over, those that lost it are deleted.
/// So an edit that takes an object out and puts it in elsewhere keeps it.
extension WriteTransaction {
    /// - Precondition: the column links to an embedded table.
    func ownershipChanged(_ column: Column, _ target: ObjectKey, _ delta: Int) {
        let id = column.targetTableID!
        if delta > 0, tables[id]?.unowned.remove(target.raw) == true { return }
        let link = ObjectLink(tableID: id, key: target)
        let net = (ownership[link] ?? 0) + delta
        ownership[link] = net == 0 ? nil : net
    }

    /// At the end of every edit that may have taken an embedded object's link, or deleted something. Public edits call it, steps don't.
    @inline(__always)
    func deleteOrphans() {
        if !ownership.isEmpty || !followers.isEmpty { deleteOrphansNow() }
    }

    /// Level by level, so that the depth of the nesting doesn't matter.
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

    /// Takes the embedded objects that nothing links to yet out of the transaction, which then keeps them when it is committed.
    /// Whoever writes in parts hands them to the next one (`wait(for:)`), and to nobody else: until then the file holds objects
    /// that it mustn't.
    package func takeUnowned() -> UnownedObjects {
        var objects = UnownedObjects()
        for case let overlay? in tables where !overlay.unowned.isEmpty {
            objects.keys[overlay.table.id] = overlay.unowned
            overlay.unowned = KeyBits()
        }
        return objects
    }

    /// Makes embedded objects of an earlier part this transaction's: they may be linked to, and go with it where they aren't.
    ///
    /// - Precondition: the transaction has made no embedded objects yet.
    package func wait(for objects: UnownedObjects) {
        for (id, keys) in objects.keys {
            guard let table = currentSchema.table(id: id) else { continue }
            overlay(table).unowned = keys
        }
    }

    /// Embedded objects that were made and never linked don't outlive the transaction.
    func deleteUnowned() {
        for case let overlay? in tables where !overlay.unowned.isEmpty {
            delete(overlay.table, overlay.unowned.sorted().map { ObjectKey($0) }, incoming: []) { deleteOrphans() }
        }
    }

    /// Whether an edit of a link column may add links to embedded objects.
    /// - Parameter removed: the links that the edit takes away first.
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
                if isAbove(target, child, column, key) {
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

    /// Returns whether an object without owner is the given embedded object, or owns it at some distance.
    private func isAbove(_ table: Table, _ key: ObjectKey, _ column: Column, _ origin: ObjectKey) -> Bool {
        var (place, below) = (currentSchema.table(of: column), origin)
        if place.id == table.id, below == key { return true }
        // What owns nothing yet is above nobody; that spares the way up in the usual case.
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

/// Embedded objects that a transaction made and linked nowhere, by table.
package struct UnownedObjects: Sendable {
    fileprivate(set) var keys: [Int: KeyBits] = [:]
    package var isEmpty: Bool { keys.isEmpty }
    package init() {}
}
