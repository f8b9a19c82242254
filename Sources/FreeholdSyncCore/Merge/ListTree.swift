/// A synced list: the tree of slots of sync-design.md, section 6.
///
/// A slot is made by an insert or a move and stays where it is. Its author put it beside another slot, its parent, so the slots are a
/// tree, and the list is the tree read from left to right (Fugue). An element is named after the slot that its insert made. It stands in
/// that slot or in the one that the latest move made.
///
/// Slots are kept twice, both times as runs of consecutive slots of one author:
/// - as *blocks*, never split, which hold the tree, the names and the values (`ListTree+Blocks`, `ListTree+Tree`);
/// - as *spans*, pieces of blocks in the order of the list, which know what is alive (`ListTree+Sequence`).
///
/// Each insert, removal and move costs O(∛*n*) for *n* spans, with small constants, however the list was made. An index of an old version
/// costs a walk over what changed since, once, and then as little.
struct ListTree: Sendable {
    /// The first one is the root, which is no slot of the list.
    var blocks: [Block]
    /// The blocks of each author, by rising numbers.
    var authors: [FileIdent: [Int32]] = [:]
    /// The blocks beside each slot, in order, as far as they aren't the slot's own continuation.
    var kids: [Kin: [Int32]] = [:]

    var leaves: [Leaf] = []
    var groups: [Group] = []
    /// The groups, as they follow each other in the list.
    var order: [Int32] = []

    /// What an element was set to, and embedded objects. Other values lie in blocks.
    var registers: [Slot: Register] = [:]
    /// Of slots that a move made: their elements.
    var moved: [Slot: Slot] = [:]
    /// Of elements that were moved: where they are.
    var positions: [Slot: Position] = [:]

    /// The rank of the assignment that stands.
    var assignment: Rank?
    /// The version at which the last slot was made, dead ones included.
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

    /// How many elements there are.
    var count: Int { groups.reduce(0) { $0 + $1.summary.alive } }

    // MARK: Names

    /// The slot that a reference means. Nil if it never was.
    func slot(_ reference: ElementReference, _ author: Author) -> Slot? {
        switch reference {
        case .confirmed(let index): slot(at: index, version: author.listed ?? author.seen)
        case .own(let number): slot(author.ident, number) ?? inheritedSlot(number, author)
        }
    }

    /// A slot that a file made before the author's was copied from it.
    private func inheritedSlot(_ number: OwnNumber, _ author: Author) -> Slot? {
        for parent in author.parents {
            if let slot = slot(parent.ident, number), birth(slot).version <= parent.version { return slot }
        }
        return nil
    }

    /// As `slot`, and remembers what it counted.
    mutating func find(_ reference: ElementReference, _ author: Author) -> Slot? {
        if case .confirmed = reference { count(at: author.listed ?? author.seen) }
        return slot(reference, author)
    }

    /// The element that stood in the slot that a reference means, and whether it still is in the list.
    mutating func element(_ reference: ElementReference, _ author: Author) -> (Slot, isAlive: Bool)? {
        guard let slot = find(reference, author) else { return nil }
        let element = moved[slot] ?? slot
        return (element, isAlive(element))
    }

    func isAlive(_ element: Slot) -> Bool { died(positions[element]?.slot ?? element) == .max }

    // MARK: Elements

    /// Works on the register of an element. That of one that is gone is empty, and forgotten.
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

    /// The elements in order.
    ///
    /// - Complexity: O(*n*)
    var contents: [MergedContent] {
        var contents: [MergedContent] = []
        contents.reserveCapacity(count)
        forEachSpan { span in
            guard span.died == .max else { return }
            forEachSlot(span) { slot in
                let element = moved.isEmpty ? slot : moved[slot] ?? slot
                if let register = registers[element] {
                    contents.append(register.value.content ?? .value(.null))
                } else {
                    contents.append(.value(value(element)))
                }
            }
        }
        return contents
    }
}
