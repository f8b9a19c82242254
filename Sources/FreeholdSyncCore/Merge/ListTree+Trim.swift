extension ListTree {
    /// Rewrites the tree as a chain without the slots that were dead at the horizon, if no slot was created since
    /// (sync-design.md, sections 6 and 8).
    ///
    /// The authors of later slots have seen the whole chain, so these slots rank above it. Clocks and births are
    /// therefore removed, and each element is named after its present slot. The births become 0 instead of the version
    /// of the youngest slot. The youngest slot can be part of refused work. Its version can therefore be greater than
    /// the version that an author names after seeing the whole list.
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
