/// The slots of a list, stored in pieces. A search or an edit costs O(√*n*) with small constants, and copies share the
/// unchanged pieces.
///
/// Two sequences are equal if they have equal slots in the same order. The division into pieces doesn't matter.
struct SlotSequence: Sendable {
    typealias Slot = ClientList.Slot

    private var pieces: [Piece] = []
    private(set) var count = 0

    /// The maximum number of slots of a piece.
    private static let capacity = 512

    /// A run of consecutive slots.
    private final class Piece: @unchecked Sendable {
        // It is sendable because it is only changed while one sequence references it.
        private(set) var slots: [Slot]
        /// The ids of the slots, in the order of the slots.
        private(set) var runs: [(ids: SlotRun, offset: Int)] = []
        /// The slots to which elements were moved.
        private(set) var moved: [(element: SlotID, offset: Int)] = []
        private(set) var aliveCount = 0
        private(set) var hasOwn = false
        /// A Boolean value that indicates whether an element may contain lists.
        private(set) var mayHaveLists = false

        init(_ slots: [Slot]) {
            self.slots = slots
            for offset in slots.indices { note(offset) }
        }

        private init(copyOf other: Piece) {
            (slots, runs, moved) = (other.slots, other.runs, other.moved)
            (aliveCount, hasOwn, mayHaveLists) = (other.aliveCount, other.hasOwn, other.mayHaveLists)
        }

        var copy: Piece { Piece(copyOf: self) }

        /// Updates the derived properties for the next slot.
        private func note(_ offset: Int) {
            slots.withUnsafeBufferPointer { slots in
                let id = slots[offset].id
                if let last = runs.last?.ids, last.first.isOwn == id.isOwn,
                    last.first.number &+ UInt64(last.count) == id.number
                {
                    runs[runs.count - 1].ids.count += 1
                } else {
                    runs.append((SlotRun(first: id, count: 1), offset))
                }
                if slots[offset].element != id { moved.append((slots[offset].element, offset)) }
                if id.isOwn { hasOwn = true }
                guard let node = slots[offset].node else { return }
                aliveCount += 1
                if node.mayHaveList { mayHaveLists = true }
            }
        }

        func append(_ slot: Slot) {
            slots.append(slot)
            note(slots.count - 1)
        }

        func insert(_ new: [Slot], at offset: Int) {
            if offset == slots.count { return new.forEach(append) }
            slots.insert(contentsOf: new, at: offset)
            (runs, moved, aliveCount, hasOwn, mayHaveLists) = ([], [], 0, false, false)
            for offset in slots.indices { note(offset) }
        }

        /// The node of a slot. It can be changed in place.
        subscript(node offset: Int) -> ClientNode? {
            get { slots[offset].node }
            _modify {
                let wasAlive = slots[offset].node != nil
                defer {
                    let node = slots[offset].node
                    aliveCount += (node == nil ? 0 : 1) - (wasAlive ? 1 : 0)
                    if node?.mayHaveList ?? false { mayHaveLists = true }
                }
                yield &slots[offset].node
            }
        }

        /// Returns the offsets of the slots that fulfil a condition.
        func offsets(where condition: (Slot) -> Bool) -> [Int] { slots.indices.filter { condition(slots[$0]) } }

        func offset(of id: SlotID) -> Int? {
            for run in runs where run.ids.contains(id) { return run.offset + Int(id.number - run.ids.first.number) }
            return nil
        }
    }

    init() {}

    init(_ slots: [Slot]) { append(contentsOf: slots) }

    var isEmpty: Bool { count == 0 }
    var indices: Range<Int> { 0..<count }

    /// Returns the piece that contains a slot, or the end of the last piece.
    private func locate(_ index: Int) -> (piece: Int, offset: Int) {
        var rest = index
        for piece in pieces.indices {
            let count = pieces[piece].slots.count
            if rest < count { return (piece, rest) }
            if piece == pieces.count - 1, rest == count { return (piece, rest) }
            rest -= count
        }
        preconditionFailure("There is no slot \(index).")
    }

    /// Copies a piece if another sequence references it as well.
    private mutating func own(_ piece: Int) {
        if !isKnownUniquelyReferenced(&pieces[piece]) { pieces[piece] = pieces[piece].copy }
    }

    subscript(index: Int) -> Slot {
        let (piece, offset) = locate(index)
        return pieces[piece].slots[offset]
    }

    /// The node of a slot.
    subscript(node index: Int) -> ClientNode? {
        get { self[index].node }
        _modify {
            let (piece, offset) = locate(index)
            own(piece)
            yield &pieces[piece][node: offset]
        }
    }

    // MARK: Names

    /// Returns the index of the slot with an id. The slot may be dead.
    func index(of id: SlotID) -> Int? {
        var start = 0
        for piece in pieces {
            if let offset = piece.offset(of: id) { return start + offset }
            start += piece.slots.count
        }
        return nil
    }

    /// Returns the index of the current slot of an element.
    func place(of element: SlotID) -> Int? {
        if let index = index(of: element) {
            let slot = self[index]
            if slot.element == element, slot.node != nil { return index }
        }
        var start = 0
        for piece in pieces {
            for (moved, offset) in piece.moved where moved == element && piece.slots[offset].node != nil {
                return start + offset
            }
            start += piece.slots.count
        }
        return nil
    }

    /// Returns the numbers of a range that are own numbers of slots.
    func ownNumbers(in numbers: Range<OwnNumber>) -> Set<OwnNumber> {
        var known: Set<OwnNumber> = []
        for piece in pieces where piece.hasOwn {
            for (run, _) in piece.runs where run.first.isOwn {
                let end = run.first.number &+ UInt64(run.count)
                guard run.first.number < numbers.upperBound, end > numbers.lowerBound else { continue }
                known.formUnion(
                    Swift.max(run.first.number, numbers.lowerBound)..<Swift.min(end, numbers.upperBound)
                )
            }
        }
        return known
    }

    /// The slots that this file created, in their order.
    var own: [Slot] { pieces.lazy.filter(\.hasOwn).flatMap { $0.slots.filter(\.id.isOwn) } }

    // MARK: Positions

    /// The number of elements that are shown.
    var aliveCount: Int { pieces.reduce(0) { $0 + $1.aliveCount } }

    /// Returns the indices of the elements that are shown at some positions. Returns `nil` if fewer elements are shown.
    func indices(ofAlive positions: Range<Int>) -> [Int]? {
        guard positions.lowerBound >= 0 else { return nil }
        var found: [Int] = []
        var (start, position) = (0, 0)
        for piece in pieces {
            if position >= positions.upperBound { break }
            if position + piece.aliveCount > positions.lowerBound {
                for offset in piece.slots.indices where piece.slots[offset].node != nil {
                    if position >= positions.upperBound { break }
                    if position >= positions.lowerBound { found.append(start + offset) }
                    position += 1
                }
            } else {
                position += piece.aliveCount
            }
            start += piece.slots.count
        }
        return found.count == positions.count && position >= positions.lowerBound ? found : nil
    }

    /// Returns the position of the element that is shown in a slot.
    func position(ofIndex index: Int) -> Int {
        var (rest, position) = (index, 0)
        for piece in pieces {
            guard rest < piece.slots.count else {
                (rest, position) = (rest - piece.slots.count, position + piece.aliveCount)
                continue
            }
            return piece.slots[..<rest].reduce(position) { $0 + ($1.node == nil ? 0 : 1) }
        }
        return position
    }

    /// Returns the slots in a range of indices.
    func slots(in range: Range<Int>) -> [Slot] {
        var slots: [Slot] = []
        slots.reserveCapacity(range.count)
        var start = 0
        for piece in pieces {
            let own = range.clamped(to: start..<start + piece.slots.count)
            if !own.isEmpty { slots += piece.slots[own.lowerBound - start..<own.upperBound - start] }
            start += piece.slots.count
            if start >= range.upperBound { break }
        }
        return slots
    }

    // MARK: Changing

    mutating func append(_ slot: Slot) {
        // No reference to the piece is kept here, because the piece would be copied otherwise.
        let last = pieces.count - 1
        if last >= 0, pieces[last].slots.count < Self.capacity {
            own(last)
            pieces[last].append(slot)
        } else {
            pieces.append(Piece([slot]))
        }
        count += 1
    }

    mutating func append(contentsOf slots: [Slot]) {
        if slots.count < Self.capacity / 4 { return slots.forEach { append($0) } }
        for start in stride(from: 0, to: slots.count, by: Self.capacity) {
            pieces.append(Piece(Array(slots[start..<Swift.min(start + Self.capacity, slots.count)])))
        }
        count += slots.count
    }

    /// Appends the elements that another sequence shows at some positions.
    mutating func append(alive positions: Range<Int>, of other: SlotSequence) {
        var position = 0
        for piece in other.pieces {
            let end = position + piece.aliveCount
            defer { position = end }
            if end <= positions.lowerBound { continue }
            if position >= positions.upperBound { break }
            if position >= positions.lowerBound, end <= positions.upperBound, piece.aliveCount == piece.slots.count,
                piece.aliveCount >= Self.capacity / 8
            {
                pieces.append(piece)
                count += piece.slots.count
                continue
            }
            var own = position
            for slot in piece.slots where slot.node != nil {
                if positions.contains(own) { append(slot) }
                own += 1
            }
        }
    }

    mutating func insert(_ slot: Slot, at index: Int) { insert(contentsOf: [slot], at: index) }

    mutating func insert(contentsOf slots: [Slot], at index: Int) {
        guard index < count else { return append(contentsOf: slots) }
        guard !slots.isEmpty else { return }
        count += slots.count
        let (piece, offset) = locate(index)
        if pieces[piece].slots.count + slots.count <= Self.capacity {
            own(piece)
            pieces[piece].insert(slots, at: offset)
            return
        }
        let old = pieces[piece].slots
        let all = old[..<offset] + slots + old[offset...]
        let size = Self.capacity / 2
        let new = stride(from: 0, to: all.count, by: size).map { start in
            Piece(Array(all[start..<Swift.min(start + size, all.count)]))
        }
        pieces.replaceSubrange(piece...piece, with: new)
    }

    /// Marks the slots that fulfil a condition as dead.
    mutating func empty(where isEmptied: (Slot) -> Bool) {
        for piece in pieces.indices where pieces[piece].aliveCount > 0 {
            let emptied = pieces[piece].offsets { $0.node != nil && isEmptied($0) }
            if emptied.isEmpty { continue }
            own(piece)
            for offset in emptied { pieces[piece][node: offset] = nil }
        }
    }

    /// Calls a closure with the node of each slot. The closure may change it.
    ///
    /// - Parameter onlyLists: A Boolean value that indicates whether pieces without lists are skipped.
    mutating func forEachNode(onlyLists: Bool = false, _ body: (inout ClientNode?) -> Void) {
        for piece in pieces.indices where !onlyLists || pieces[piece].mayHaveLists {
            own(piece)
            for offset in pieces[piece].slots.indices { body(&pieces[piece][node: offset]) }
        }
    }

    // MARK: Comparing

    /// Returns the slots at the start and at the end that lie in pieces which both sequences share.
    func shared(with other: SlotSequence) -> (start: SharedSlots, end: SharedSlots) {
        var (start, end) = (SharedSlots(), SharedSlots())
        let most = Swift.min(pieces.count, other.pieces.count)
        var index = 0
        while index < most, pieces[index] === other.pieces[index] {
            start.add(slots: pieces[index].slots.count, alive: pieces[index].aliveCount)
            index += 1
        }
        var rest = most - index
        var (own, theirs) = (pieces.count - 1, other.pieces.count - 1)
        while rest > 0, pieces[own] === other.pieces[theirs] {
            end.add(slots: pieces[own].slots.count, alive: pieces[own].aliveCount)
            (own, theirs, rest) = (own - 1, theirs - 1, rest - 1)
        }
        return (start, end)
    }

    struct SharedSlots {
        private(set) var slots = 0
        private(set) var alive = 0

        fileprivate mutating func add(slots: Int, alive: Int) {
            self.slots += slots
            self.alive += alive
        }
    }

    /// Asserts that the derived properties match the slots.
    func checkInvariants() {
        assert(count == pieces.reduce(0) { $0 + $1.slots.count }, "The count isn't that of the slots.")
        for piece in pieces {
            assert(1...Self.capacity ~= piece.slots.count, "A piece has no slots, or too many.")
            assert(piece.aliveCount == piece.slots.count { $0.node != nil }, "Other slots are alive.")
            assert(piece.runs.reduce(0) { $0 + $1.ids.count } == piece.slots.count, "The runs have other names.")
            assert(piece.moved.count == piece.slots.count { $0.id != $0.element }, "Other slots were moved.")
        }
    }
}

extension SlotSequence: Sequence {
    struct Iterator: IteratorProtocol {
        private let pieces: [[Slot]]
        private var (piece, offset) = (0, 0)

        fileprivate init(_ pieces: [[Slot]]) { self.pieces = pieces }

        mutating func next() -> Slot? {
            guard piece < pieces.count else { return nil }
            let slot = pieces[piece][offset]
            offset += 1
            if offset == pieces[piece].count { (piece, offset) = (piece + 1, 0) }
            return slot
        }
    }

    func makeIterator() -> Iterator { Iterator(pieces.map(\.slots)) }

    var underestimatedCount: Int { count }
}

extension SlotSequence: Hashable {
    static func == (a: SlotSequence, b: SlotSequence) -> Bool {
        guard a.count == b.count else { return false }
        let (start, end) = a.shared(with: b)
        if start.slots == a.count { return true }
        let middle = start.slots..<a.count - end.slots
        return a.slots(in: middle) == b.slots(in: middle)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for slot in self { hasher.combine(slot) }
    }
}

extension SlotSequence: ExpressibleByArrayLiteral {
    init(arrayLiteral slots: Slot...) { self.init(slots) }
}

extension SlotSequence: Kept {
    func write(to bytes: inout [UInt8]) {
        // The format is that of an array.
        bytes.appendVarint(count)
        for slot in self { slot.write(to: &bytes) }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self.init(try [Slot](from: &reader))
    }
}
