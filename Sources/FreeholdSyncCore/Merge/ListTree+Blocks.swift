extension ListTree {
    /// A sequence of slots of one author with consecutive numbers, each the child of the one before it: its right
    /// child, or its left child in a backward block. Blocks grow at their end and are never split.
    struct Block: Sendable {
        let ident: FileIdent
        let first: OwnNumber
        var count: Int32
        /// A Boolean value that indicates whether the slots are left children. It has no meaning in a block with one
        /// slot.
        var isBackward = false
        let isAssigned: Bool
        let isReal: Bool

        /// The parent of the first slot.
        let parent: Slot
        let isLeft: Bool
        /// `depth` is the number of blocks above this one. `jump` is one of these blocks, chosen so that every ancestor
        /// can be reached in O(log *n*) steps.
        let depth: Int32
        let jump: Int32

        /// The writes that created the slots. Each birth applies to the slots from its `offset` up to the `offset` of
        /// the next birth. The versions are in rising order.
        var birth: Birth
        var laterBirths: [Birth] = []
        var values: [SyncValue]

        /// The offsets of slots that have children on the side of the next slot of the block, in rising order. The last
        /// slot of the block isn't included.
        var forks: [Int32] = []
        /// `home` is the leaf of the span that starts with the first slot. `laterHomes` are the leaves of the other
        /// spans.
        var home: Int32 = -1
        var laterHomes: [Home] = []

        static let root = Block(
            ident: .me,
            first: 0,
            count: 1,
            isAssigned: false,
            isReal: true,
            parent: .root,
            isLeft: false,
            depth: 0,
            jump: 0,
            birth: Birth(offset: 0, clock: .zero, version: 0),
            values: []
        )
    }

    struct Birth: Equatable, Sendable {
        let offset: Int32
        let clock: Clock
        let version: StreamVersion
    }

    struct Home: Sendable {
        let start: Int32
        var leaf: Int32
    }

    /// A side of a slot.
    struct Kin: Hashable, Sendable {
        let slot: Slot
        let isLeft: Bool
    }

    // MARK: Names

    func slot(_ ident: FileIdent, _ number: OwnNumber) -> Slot? {
        guard let own = authors[ident] else { return nil }
        let index = own.partitioned { blocks[Int($0)].first > number } - 1
        guard index >= 0 else { return nil }
        let offset = number - blocks[Int(own[index])].first
        guard offset < OwnNumber(blocks[Int(own[index])].count) else { return nil }
        return Slot(block: own[index], offset: Int32(offset))
    }

    /// Returns whether all of the numbers are valid and unused in the list.
    func isFree(_ ident: FileIdent, _ first: OwnNumber, count: Int) -> Bool {
        guard count < Int(Int32.max), first <= .max - OwnNumber(count) else { return false }
        guard let own = authors[ident], count > 0 else { return true }
        let index = own.partitioned { blocks[Int($0)].first >= first + OwnNumber(count) } - 1
        guard index >= 0 else { return true }
        let last = blocks[Int(own[index])]
        return last.first + OwnNumber(last.count) <= first
    }

    // MARK: The creation of slots

    func birth(_ slot: Slot) -> Birth {
        let index = Int(slot.block)
        guard let next = blocks[index].laterBirths.first, next.offset <= slot.offset else { return blocks[index].birth }
        let later = blocks[index].laterBirths
        return later[later.partitioned { $0.offset > slot.offset } - 1]
    }

    func mark(_ slot: Slot) -> Mark {
        let (block, birth) = (blocks[Int(slot.block)], birth(slot))
        return Mark(
            stamp: Stamp(clock: birth.clock, ident: block.ident),
            version: birth.version,
            isReal: block.isReal,
            isAssigned: block.isAssigned
        )
    }

    func value(_ slot: Slot) -> SyncValue { blocks[Int(slot.block)].values[Int(slot.offset)] }

    /// Returns the number of slots of a span, from its start on, that were created at or before a version.
    func countBorn(_ span: Span, at version: StreamVersion) -> Int {
        let block = Int(span.block)
        if blocks[block].birth.version > version { return 0 }
        guard let last = blocks[block].laterBirths.last, last.version > version else { return Int(span.count) }
        let later = blocks[block].laterBirths
        let index = later.partitioned { $0.version > version }
        return min(max(Int(later[index].offset - span.start), 0), Int(span.count))
    }

    /// The order of siblings.
    struct Order: Comparable {
        let clock: Clock
        let ident: FileIdent
        let number: OwnNumber

        static func < (a: Order, b: Order) -> Bool { (a.clock, a.ident, a.number) < (b.clock, b.ident, b.number) }
    }

    func order(_ slot: Slot) -> Order {
        let block = blocks[Int(slot.block)]
        return Order(clock: birth(slot).clock, ident: block.ident, number: block.first + OwnNumber(slot.offset))
    }
}

extension Array {
    /// Returns the index of the first element that fulfils a condition. All elements after that element must also
    /// fulfil it.
    func partitioned(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
