extension ListTree {
    /// Rewrites the tree as a chain, without what was dead at the horizon, if nothing was made since (sync-design.md, sections 6 and 8).
    ///
    /// Whatever comes later was made by authors who saw all of the chain, and ranks above it. So clocks and births are forgotten, and each
    /// element is named after the slot that it stands in. Births become 0, and not the version of the youngest slot: that one can be of work
    /// that was refused, and so be younger than what an author who saw all of the list says of the object.
    ///
    /// - Complexity: O(*n*)
    mutating func trim(horizon: StreamVersion) {
        guard youngest <= horizon, blocks.count > 1 else { return }
        var chain = ListTree()
        chain.assignment = assignment
        var last = Slot.root
        forEachSpan { span in
            guard span.died > horizon else { return }
            forEachSlot(span) { slot in
                last = chain.append(self, slot, span.died, behind: last)
            }
        }
        chain.youngest = youngest
        self = chain
    }

    private mutating func append(_ old: ListTree, _ slot: Slot, _ died: StreamVersion, behind last: Slot) -> Slot {
        let (block, element) = (old.blocks[Int(slot.block)], old.moved[slot] ?? slot)
        let home = old.blocks[Int(element.block)]
        let author = Author(stamp: Stamp(clock: .zero, ident: block.ident), version: 0, seen: 0)
        let new = make(
            [old.value(element)],
            Spot(parent: last, isLeft: false),
            first: block.first + OwnNumber(slot.offset),
            author,
            origin: home.isReal ? .real : .byDefault,
            isAssigned: home.isAssigned,
            isAlive: true
        )
        if died != .max { kill(new, died) }
        registers[new] = old.registers[element]
        return new
    }
}
