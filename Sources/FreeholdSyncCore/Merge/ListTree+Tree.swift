extension ListTree {
    /// The place of a slot in the tree.
    struct Spot {
        let parent: Slot
        let isLeft: Bool
    }

    /// Returns the place in the tree of a slot that is inserted between two others. It is the right child of the left
    /// neighbour, except if the right neighbour is in the right subtree of the left one. Then it is the left child of
    /// the right neighbour.
    mutating func spot(_ gap: Gap, _ author: Author) -> Spot? {
        var (left, right) = (Slot.root, Slot?.none)
        if let after = gap.after {
            guard let slot = find(after, author) else { return nil }
            left = slot
        }
        if let before = gap.before {
            guard let slot = find(before, author) else { return nil }
            right = slot
        }
        guard let right, isRight(right, of: left) else { return Spot(parent: left, isLeft: false) }
        return Spot(parent: right, isLeft: true)
    }

    /// Returns whether a slot is in the right subtree of another one.
    private func isRight(_ slot: Slot, of ancestor: Slot) -> Bool {
        if ancestor == .root { return true }
        let top = blocks[Int(ancestor.block)]
        if slot.block == ancestor.block { return !top.isBackward && slot.offset > ancestor.offset }
        var block = slot.block
        guard blocks[Int(block)].depth > top.depth else { return false }
        while blocks[Int(block)].depth > top.depth + 1 {
            let jump = blocks[Int(block)].jump
            block = blocks[Int(jump)].depth > top.depth ? jump : blocks[Int(block)].parent.block
        }
        let found = blocks[Int(block)]
        guard found.parent.block == ancestor.block else { return false }
        if found.parent.offset == ancestor.offset { return !found.isLeft }
        return !top.isBackward && found.parent.offset > ancestor.offset
    }

    /// Returns the next slot of the same block if it is a child on the given side.
    private func continuation(_ slot: Slot, isLeft: Bool) -> Slot? {
        let block = blocks[Int(slot.block)]
        guard block.isBackward == isLeft, slot.offset + 1 < block.count else { return nil }
        return Slot(block: slot.block, offset: slot.offset + 1)
    }

    /// The place in the list at which a new child is inserted.
    enum Anchor {
        case start
        case after(Slot)
        case before(Slot)
    }

    private func anchor(_ spot: Spot, _ order: Order) -> Anchor {
        let kids = kids[Kin(slot: spot.parent, isLeft: spot.isLeft)] ?? []
        let next = kids.partitioned { self.order(Slot(block: $0, offset: 0)) > order }
        let continuation = continuation(spot.parent, isLeft: spot.isLeft)
        var previous = next > 0 ? Slot(block: kids[next - 1], offset: 0) : nil
        if let continuation, self.order(continuation) < order,
            previous.map({ self.order($0) < self.order(continuation) }) ?? true
        {
            previous = continuation
        }
        if let previous { return .after(end(of: previous, isLeft: false)) }
        guard spot.isLeft else { return spot.parent == .root ? .start : .after(spot.parent) }
        let first = kids.first.map { Slot(block: $0, offset: 0) }
        switch (first, continuation) {
        case (nil, nil): return .before(spot.parent)
        case (let slot?, nil), (nil, let slot?): return .before(end(of: slot, isLeft: true))
        case (let a?, let b?): return .before(end(of: self.order(a) < self.order(b) ? a : b, isLeft: true))
        }
    }

    /// Returns the last slot of a slot's subtree, or the first one if `isLeft` is true.
    private func end(of slot: Slot, isLeft: Bool) -> Slot {
        var slot = slot
        search: while true {
            let block = blocks[Int(slot.block)]
            if block.count > 1, block.isBackward == isLeft {
                for fork in block.forks[block.forks.partitioned(where: { $0 >= slot.offset })...] {
                    let kids = kids[Kin(slot: Slot(block: slot.block, offset: fork), isLeft: isLeft)]!
                    let kid = Slot(block: isLeft ? kids[0] : kids[kids.count - 1], offset: 0)
                    let isEnd = order(kid) < order(Slot(block: slot.block, offset: fork + 1))
                    if isEnd == isLeft {
                        slot = kid
                        continue search
                    }
                }
                slot = Slot(block: slot.block, offset: block.count - 1)
            }
            guard let kids = kids[Kin(slot: slot, isLeft: isLeft)] else { return slot }
            slot = Slot(block: isLeft ? kids[0] : kids[kids.count - 1], offset: 0)
        }
    }

    // MARK: Making slots

    /// Creates slots. The first one is at the given place, and each further one is the right child of the one before
    /// it.
    ///
    /// - Returns: The first slot.
    mutating func make(
        _ values: [SyncValue],
        _ spot: Spot,
        first: OwnNumber,
        _ author: Author,
        origin: Origin = .real,
        isAssigned: Bool = false,
        isAlive: Bool
    ) -> Slot {
        youngest = author.version
        let (died, count) = (isAlive ? StreamVersion.max : 0, Int32(values.count))
        let order = Order(clock: author.stamp.clock, ident: author.ident, number: first)
        let anchor = anchor(spot, order)
        let plain = values.map { if case .embedded = $0 { SyncValue.null } else { $0 } }
        let slot: Slot
        if extends(spot, count, first, author, origin, isAssigned) {
            let index = Int(spot.parent.block)
            slot = Slot(block: spot.parent.block, offset: blocks[index].count)
            if count > 0, blocks[index].count == 1 { blocks[index].isBackward = spot.isLeft }
            blocks[index].count += count
            blocks[index].values += plain
            if (blocks[index].laterBirths.last ?? blocks[index].birth).version != author.version {
                let birth = Birth(offset: slot.offset, clock: author.stamp.clock, version: author.version)
                blocks[index].laterBirths.append(birth)
            }
        } else {
            slot = Slot(block: Int32(blocks.count), offset: 0)
            add(plain, spot, first, author, origin, isAssigned)
        }
        let span = Span(
            block: slot.block,
            start: slot.offset,
            count: count,
            died: died,
            youngest: author.version
        )
        insert(span, anchor, author.version)
        guard isAlive else { return slot }
        for (index, value) in values.enumerated() {
            guard case .embedded = value else { continue }
            let own = Slot(block: slot.block, offset: slot.offset + Int32(index))
            registers[own] = Register(Register.Held(value, mark(own), author), nil)
        }
        return slot
    }

    /// Returns whether new slots can be added to the block of their parent.
    private func extends(
        _ spot: Spot,
        _ count: Int32,
        _ first: OwnNumber,
        _ author: Author,
        _ origin: Origin,
        _ isAssigned: Bool
    ) -> Bool {
        let block = blocks[Int(spot.parent.block)]
        return spot.parent != .root && block.ident == author.ident && spot.parent.offset == block.count - 1
            && first == block.first + OwnNumber(block.count) && (block.count == 1 || block.isBackward == spot.isLeft)
            && (!spot.isLeft || count == 1) && block.isReal == (origin == .real) && block.isAssigned == isAssigned
            && block.count < .max - count && kids[Kin(slot: spot.parent, isLeft: spot.isLeft)] == nil
    }

    private mutating func add(
        _ values: [SyncValue],
        _ spot: Spot,
        _ first: OwnNumber,
        _ author: Author,
        _ origin: Origin,
        _ isAssigned: Bool
    ) {
        let (index, jump) = (Int32(blocks.count), jump(below: spot.parent.block))
        blocks.append(
            Block(
                ident: author.ident,
                first: first,
                count: Int32(values.count),
                isAssigned: isAssigned,
                isReal: origin == .real,
                parent: spot.parent,
                isLeft: spot.isLeft,
                depth: blocks[Int(spot.parent.block)].depth + 1,
                jump: jump,
                birth: Birth(offset: 0, clock: author.stamp.clock, version: author.version),
                values: values
            )
        )
        let place = authors[author.ident]?.partitioned { blocks[Int($0)].first > first } ?? 0
        authors[author.ident, default: []].insert(index, at: place)
        attach(index, spot)
    }

    /// Returns the value of `jump` for a block under another one.
    func jump(below parent: Int32) -> Int32 {
        let above = blocks[Int(parent)]
        let (jump, beyond) = (blocks[Int(above.jump)], blocks[Int(blocks[Int(above.jump)].jump)])
        return above.depth - jump.depth == jump.depth - beyond.depth ? jump.jump : parent
    }

    mutating func attach(_ index: Int32, _ spot: Spot) {
        let kin = Kin(slot: spot.parent, isLeft: spot.isLeft)
        let order = order(Slot(block: index, offset: 0))
        let place = kids[kin]?.partitioned { self.order(Slot(block: $0, offset: 0)) > order } ?? 0
        kids[kin, default: []].insert(index, at: place)
        guard continuation(spot.parent, isLeft: spot.isLeft) != nil else { return }
        let parent = Int(spot.parent.block)
        let fork = blocks[parent].forks.partitioned { $0 >= spot.parent.offset }
        guard fork == blocks[parent].forks.count || blocks[parent].forks[fork] != spot.parent.offset else { return }
        blocks[parent].forks.insert(spot.parent.offset, at: fork)
    }
}
