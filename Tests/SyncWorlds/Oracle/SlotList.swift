import FreeholdSyncCore

/// A list as a tree of slots: sync-design.md, section 6.
struct SlotList: Hashable {
    enum Side: Hashable { case left, right }

    /// A place where an element is or was.
    struct Slot: Hashable {
        let id: OwnID
        /// The parent, or `nil` for the root, which precedes every slot.
        var parent: OwnID?
        var side: Side
        let stamp: Stamp
        let element: OwnID
        let born: StreamVersion
        /// `nil` while the element is in the slot. Equals `born` for a slot that was never alive.
        var died: StreamVersion?
    }

    struct Element: Hashable {
        var value: Register
        var position: OwnID
        /// The time of the placement.
        var placed: Stamp
        let born: StreamVersion
        var died: StreamVersion?
        /// The rank of the assignment that brought it, if one did.
        let assignment: Rank?
    }

    private(set) var slots: [OwnID: Slot] = [:]
    private(set) var elements: [OwnID: Element] = [:]
    private(set) var assigned: Rank?

    // MARK: Order

    private struct Branch: Hashable {
        let parent: OwnID?
        let side: Side
    }

    /// Every slot, dead ones included: left children, the slot, right children; siblings by (clock, ident, number).
    var order: [Slot] {
        let branches = Dictionary(grouping: slots.values) { Branch(parent: $0.parent, side: $0.side) }
            .mapValues { $0.sorted { ($0.stamp, $0.id.number) < ($1.stamp, $1.id.number) } }
        func subtree(_ slot: Slot) -> [Slot] {
            children(slot.id, .left) + [slot] + children(slot.id, .right)
        }
        func children(_ parent: OwnID?, _ side: Side) -> [Slot] {
            (branches[Branch(parent: parent, side: side)] ?? []).flatMap(subtree)
        }
        return children(nil, .right)
    }

    /// The stored slots, those with elements.
    var alive: [Slot] { order.filter { $0.died == nil } }

    /// The new slot is the right child of the left neighbour. If the right neighbour is in the right subtree of the
    /// left one, it is the left child of the right neighbour.
    private func branch(after left: OwnID?, before right: OwnID?) -> Branch {
        if let right, isInRightSubtree(right, of: left) { return Branch(parent: right, side: .left) }
        return Branch(parent: left, side: .right)
    }

    private func isInRightSubtree(_ id: OwnID, of ancestor: OwnID?) -> Bool {
        guard let slot = slots[id] else { return false }
        if slot.parent == ancestor { return slot.side == .right }
        return slot.parent.map { isInRightSubtree($0, of: ancestor) } ?? false
    }

    // MARK: Edits

    /// - Parameter isDead: Whether the insert was refused. Its slots exist nevertheless, as places for neighbouring
    ///   elements.
    mutating func insert(
        _ values: [(id: OwnID, value: Stored)],
        after left: OwnID?,
        before right: OwnID?,
        rank: Rank,
        version: StreamVersion,
        isDead: Bool = false,
        isAssigned: Bool = false
    ) throws {
        var left = left
        for (id, value) in values {
            guard slots[id] == nil else { throw Dropped(reason: .malformed) }
            let branch = branch(after: left, before: right)
            let died = isDead ? version : nil
            var register = Register()
            register.write(Register.Write(rank: rank, version: version, act: .set(value)))
            slots[id] = Slot(
                id: id,
                parent: branch.parent,
                side: branch.side,
                stamp: rank.stamp,
                element: id,
                born: version,
                died: died
            )
            elements[id] = Element(
                value: register,
                position: id,
                placed: rank.stamp,
                born: version,
                died: died,
                assignment: isAssigned ? rank : nil
            )
            left = id
        }
    }

    mutating func write(_ write: Register.Write, to element: OwnID) { elements[element]?.value.write(write) }

    mutating func remove(_ element: OwnID, version: StreamVersion) {
        guard let position = elements[element]?.position, elements[element]?.died == nil else { return }
        elements[element]?.died = version
        slots[position]?.died = version
    }

    /// The later move wins. The slot of a move that loses, or was refused, is dead from birth.
    mutating func move(
        _ element: OwnID,
        after left: OwnID?,
        before right: OwnID?,
        as id: OwnID,
        stamp: Stamp,
        version: StreamVersion,
        isDead: Bool = false
    ) throws {
        guard let old = elements[element], slots[id] == nil else { throw Dropped(reason: .malformed) }
        let branch = branch(after: left, before: right)
        let wins = !isDead && old.died == nil && stamp >= old.placed
        slots[id] = Slot(
            id: id,
            parent: branch.parent,
            side: branch.side,
            stamp: stamp,
            element: element,
            born: version,
            died: wins ? nil : version
        )
        guard wins else { return }
        slots[old.position]?.died = version
        elements[element]?.position = id
        elements[element]?.placed = stamp
    }

    /// Takes away what the author saw, wherever it is now.
    mutating func clear(sparing hidden: Set<OwnID>, seen: Seen, version: StreamVersion) {
        for (id, element) in elements where !hidden.contains(id) && seen.includes(element.born, id.ident) {
            remove(id, version: version)
        }
    }

    /// Clears the list and inserts the values. The later of two assignments replaces the other: the elements of an
    /// earlier one are removed, too, and the new ones are dead from the start if a later one arrived before.
    mutating func assign(
        _ values: [(id: OwnID, value: Stored)],
        after left: OwnID?,
        before right: OwnID?,
        rank: Rank,
        version: StreamVersion,
        sparing hidden: Set<OwnID>,
        seen: Seen
    ) throws {
        clear(sparing: hidden, seen: seen, version: version)
        for (id, element) in elements where !hidden.contains(id) {
            if let assignment = element.assignment, assignment < rank { remove(id, version: version) }
        }
        let isDead = assigned.map { $0 > rank } ?? false
        try insert(
            values,
            after: left,
            before: right,
            rank: rank,
            version: version,
            isDead: isDead,
            isAssigned: true
        )
        assigned = max(assigned ?? rank, rank)
    }

    mutating func mergeNeighbouringAdds() {
        for id in elements.keys { elements[id]?.value.mergeNeighbouringAdds() }
    }

    // MARK: The horizon

    /// Removes slots that were dead at the horizon and rewrites the rest as a chain, each the right child of the one
    /// before. A list with a slot that was born behind the horizon isn't changed.
    mutating func trim(horizon: StreamVersion) {
        guard slots.values.allSatisfy({ $0.born <= horizon }) else { return }
        var last: OwnID?
        var kept: [OwnID: Slot] = [:]
        for var slot in order where slot.died.map({ $0 > horizon }) ?? true {
            slot.parent = last
            slot.side = .right
            last = slot.id
            kept[slot.id] = slot
        }
        slots = kept
        let used = Set(kept.values.map(\.element))
        elements = elements.filter { used.contains($0.key) }
    }
}
