/// A synced list: the tree of slots of sync-design.md, section 6.
///
/// An insert or a move creates a slot, which never changes its place. Its author placed it beside another slot, its
/// parent. The slots therefore form a tree, and the list is the tree in order from left to right (Fugue). An element is
/// named after the slot that its insert created. Its place is that slot, or the slot that its latest move created.
///
/// Slots are stored twice, both times as runs of consecutive slots of one author:
/// - as *blocks*, which are never split and contain the tree, the names and the values (`ListTree+Blocks`,
///   `ListTree+Tree`);
/// - as *spans*, which are parts of blocks in the order of the list and contain the state of the slots, alive or dead
///   (`ListTree+Sequence`).
///
/// Each insert, removal and move costs O(∛*n*) for *n* spans with small constants, independent of the history of the
/// list. The first use of an index of an old version costs a walk over the later changes. Further uses of that version
/// cost O(∛*n*), too.
struct ListTree: Sendable {
    /// The blocks. The first one is the root, which isn't a slot of the list.
    var blocks: [Block]
    /// The blocks of each author, by rising numbers.
    var authors: [FileIdent: [Int32]] = [:]
    /// The blocks beside each slot, in order, without the continuation of the slot's own block.
    var kids: [Kin: [Int32]] = [:]

    var leaves: [Leaf] = []
    var groups: [Group] = []
    /// The groups, in the order of the list.
    var order: [Int32] = []

    /// The registers of elements that were set after their insert, and of embedded objects. Other values are stored in
    /// blocks.
    var registers: [Slot: Register] = [:]
    /// The elements of slots that a move created.
    var moved: [Slot: Slot] = [:]
    /// The present places of elements that were moved.
    var positions: [Slot: Position] = [:]

    /// The rank of the assignment that won.
    var assignment: Rank?
    /// The version at which the last slot was created. Dead slots are included.
    var youngest: StreamVersion = 0

    init() { blocks = [Block.root] }

    struct Slot: Hashable, Sendable {
        let block: Int32
        let offset: Int32

        static let root = Slot(block: 0, offset: 0)
    }

    struct Position: Equatable, Sendable {
        let stamp: Stamp
        let slot: Slot
    }

    /// The number of elements.
    var count: Int { groups.reduce(0) { $0 + $1.summary.alive } }

    // MARK: Names

    /// Returns the slot of a reference. Returns `nil` if the slot never existed.
    func slot(_ reference: ElementReference, _ author: Author) -> Slot? {
        switch reference {
        case .confirmed(let index): slot(at: index, version: author.listed ?? author.seen)
        case .own(let number): slot(author.ident, number) ?? inheritedSlot(number, author)
        case .made(let made): slot(made)
        }
    }

    /// Returns the slot that the commit of a version created with a number of its author.
    ///
    /// - Complexity: O(*a* log *n*) for *a* authors
    private func slot(_ made: Made) -> Slot? {
        for ident in authors.keys {
            if let slot = slot(ident, made.number), birth(slot).version == made.version { return slot }
        }
        return nil
    }

    /// Returns the slot that a parent file of the author's file created before the copy.
    private func inheritedSlot(_ number: OwnNumber, _ author: Author) -> Slot? {
        for parent in author.parents {
            if let slot = slot(parent.ident, number), birth(slot).version <= parent.version { return slot }
        }
        return nil
    }

    /// Like `slot`, except that it stores the counts of the version.
    mutating func find(_ reference: ElementReference, _ author: Author) -> Slot? {
        if case .confirmed = reference { count(at: author.listed ?? author.seen) }
        return slot(reference, author)
    }

    /// Returns the element that was in the slot of a reference, and whether it is still in the list.
    mutating func element(_ reference: ElementReference, _ author: Author) -> (Slot, isAlive: Bool)? {
        guard let slot = find(reference, author) else { return nil }
        let element = moved[slot] ?? slot
        return (element, isAlive(element))
    }

    func isAlive(_ element: Slot) -> Bool { died(positions[element]?.slot ?? element) == .max }

    // MARK: Elements

    /// Calls a closure that edits the register of an element. For a removed element the register is empty, and its
    /// changes are discarded.
    mutating func edit(_ element: Slot, isAlive: Bool, _ body: (inout Register, Mark) -> Outcome) -> Outcome {
        let base = mark(element)
        guard isAlive else {
            var register = Register()
            return body(&register, base)
        }
        var register = registers.removeValue(forKey: element) ?? Register(.value(value(element)), nil)
        let outcome = body(&register, base)
        if register.isUntouched, case .value(let value) = register.held {
            blocks[Int(element.block)].values[Int(element.offset)] = value
        } else {
            registers[element] = register
        }
        return outcome
    }

    mutating func forEachRegister(_ body: (inout Register) -> Void) {
        for index in registers.indices { body(&registers.values[index]) }
    }

    // MARK: Reading

    /// The elements, in their order.
    ///
    /// - Complexity: O(*n*)
    var contents: [MergedContent] {
        var contents: [MergedContent] = []
        contents.reserveCapacity(count)
        forEachElement { element in
            if !registers.isEmpty, let register = registers[element] {
                contents.append(register.value.content ?? .value(.null))
            } else {
                contents.append(.value(value(element)))
            }
        }
        return contents
    }

    /// Calls a closure with the elements in their order. Each is the slot that its insert created.
    ///
    /// - Complexity: O(*n*), with look-ups only in blocks with slots that moves created
    func forEachElement(_ body: (Slot) -> Void) {
        var hasMoves = [Bool](repeating: false, count: moved.isEmpty ? 0 : blocks.count)
        for slot in moved.keys { hasMoves[Int(slot.block)] = true }
        forEachSpan { span in
            guard span.died == .max else { return }
            if !hasMoves.isEmpty, hasMoves[Int(span.block)] {
                forEachSlot(span) { body(moved[$0] ?? $0) }
            } else {
                forEachSlot(span, body)
            }
        }
    }
}
