internal import FreeholdBSON

extension MetaReader {
    /// The maximum number of slots of a list. Slots of removed elements take almost no bytes in the input, so the size
    /// of the input doesn't limit the memory for them.
    static var greatestSlotCount: Int64 { 1 << 26 }

    mutating func list(_ shown: [BSONValue]) throws(CodecError) -> ListTree {
        var list = ListTree()
        list.assignment = try rank()
        list.youngest = try cursor.varint()
        try blocks(&list)
        let spans = try spans(of: list)
        try check(spans, of: list)
        list.adopt(spans)
        try slots(&list)
        try elements(&list, shown)
        return list
    }

    private mutating func blocks(_ list: inout ListTree) throws(CodecError) {
        var (birth, total): (Int64, Int64) = (-1, 0)
        for _ in 0..<(try cursor.count()) { list.adopt(try block(of: list, birth: &birth, total: &total)) }
    }

    /// Reads the next block of a list. Its slots don't have values yet.
    ///
    /// - Parameters:
    ///   - birth: The number of the mark of the birth that was read last. The function updates it.
    ///   - total: The number of slots that were read so far. The function adds the slots of the block.
    mutating func block(
        of list: ListTree,
        birth: inout Int64,
        total: inout Int64
    ) throws(CodecError) -> ListTree.Block {
        let index = list.blocks.count
        let last = list.blocks[index - 1]
        let head = BlockHead(rawValue: try cursor.byte())
        var (ident, first) = (last.ident, last.first &+ OwnNumber(last.count))
        if !head.contains(.continues) { (ident, first) = (try cursor.file(), try cursor.varint()) }
        let count = head.contains(.isSingle) ? 1 : Int64(clamping: try cursor.varint())
        guard count >= 1, count <= Self.greatestSlotCount - total else { throw error("A block has \(count) slots") }
        total += count
        let parent =
            head.contains(.hangsOnLast)
            ? ListTree.Slot(block: Int32(index - 1), offset: last.count - 1) : try slot(list)
        let firstBirth = try self.birth(0, ident, &birth)
        let later =
            head.contains(.hasLaterBirths) ? try laterBirths(ident, in: 1..<Int32(count), birth: &birth) : []
        return ListTree.Block(
            ident: ident,
            first: first,
            count: Int32(count),
            isBackward: head.contains(.isBackward),
            isAssigned: head.contains(.isAssigned),
            isReal: head.contains(.isReal),
            parent: parent,
            isLeft: head.contains(.isLeft),
            depth: list.blocks[Int(parent.block)].depth + 1,
            jump: list.jump(below: parent.block),
            birth: firstBirth,
            laterBirths: later,
            values: []
        )
    }

    /// Reads the births of a block after the first one. Their offsets are ascending and in the range.
    mutating func laterBirths(
        _ ident: FileIdent,
        in range: Range<Int32>,
        birth: inout Int64
    ) throws(CodecError) -> [ListTree.Birth] {
        var births: [ListTree.Birth] = []
        var offset = Int64(range.lowerBound) - 1
        for _ in 0..<(try cursor.count()) {
            let (sum, overflow) = offset.addingReportingOverflow(Int64(clamping: try cursor.varint()))
            guard !overflow, sum > offset, sum < range.upperBound else {
                throw error("A slot was made outside of its block")
            }
            offset = sum
            births.append(try self.birth(Int32(offset), ident, &birth))
        }
        return births
    }

    private mutating func birth(
        _ offset: Int32,
        _ ident: FileIdent,
        _ last: inout Int64
    ) throws(CodecError) -> ListTree.Birth {
        let (number, overflow) = (last + 1).addingReportingOverflow(Int64(zigzag: try cursor.varint()))
        guard !overflow, number >= 0 else { throw error("There is no mark \(number)") }
        let mark = try mark(UInt64(number))
        guard mark.stamp.ident == ident else { throw error("A slot was made by two files") }
        last = number
        return ListTree.Birth(offset: offset, clock: mark.stamp.clock, version: mark.version)
    }

    mutating func slot(_ list: ListTree) throws(CodecError) -> ListTree.Slot {
        let block = try cursor.varint()
        guard block < UInt64(list.blocks.count) else { throw error("There is no block \(block)") }
        let count = list.blocks[Int(block)].count
        let offset = count > 1 ? try cursor.varint() : 0
        guard offset < UInt64(count) else { throw error("The block \(block) has no slot \(offset)") }
        return ListTree.Slot(block: Int32(block), offset: Int32(offset))
    }

    mutating func spans(of list: ListTree) throws(CodecError) -> [ListTree.Span] {
        var spans: [ListTree.Span] = []
        var (block, died): (Int64, StreamVersion) = (0, 0)
        for _ in 0..<(try cursor.count()) {
            let head = try cursor.varint()
            block += Int64(zigzag: head >> 3) + 1
            guard 1..<Int64(list.blocks.count) ~= block, let fate = SpanFate(rawValue: head & SpanFate.bits) else {
                throw error("A span is of no block")
            }
            var (start, count) = (UInt64(0), UInt64(list.blocks[Int(block)].count))
            let whole = count
            if head & SpanFate.whole == 0 { (start, count) = (try cursor.varint(), try cursor.varint()) }
            guard start < whole, 1...whole - start ~= count else { throw error("A span goes beyond its block") }
            if fate == .died { died = try cursor.varint() }
            let end: StreamVersion =
                switch fate {
                case .alive: .max
                case .deadFromBirth: 0
                case .diedAsBefore, .died: died
                }
            let last = ListTree.Slot(block: Int32(block), offset: Int32(start) + Int32(count) - 1)
            spans.append(
                ListTree.Span(
                    block: Int32(block),
                    start: Int32(start),
                    count: Int32(count),
                    died: end,
                    youngest: list.birth(last).version
                )
            )
        }
        return spans
    }

    /// Checks that each slot is in exactly one span.
    func check(_ spans: [ListTree.Span], of list: ListTree) throws(CodecError) {
        var ends = [Int32](repeating: 0, count: list.blocks.count)
        for span in spans.sorted(by: { ($0.block, $0.start) < ($1.block, $1.start) }) {
            guard ends[Int(span.block)] == span.start else { throw error("A slot is in two spans or in none") }
            ends[Int(span.block)] += span.count
        }
        for index in list.blocks.indices.dropFirst() where ends[index] != list.blocks[index].count {
            throw error("A slot is in no span")
        }
    }

    private mutating func slots(_ list: inout ListTree) throws(CodecError) {
        for _ in 0..<(try cursor.count()) {
            let slot = try slot(list)
            list.moved[slot] = try self.slot(list)
        }
        for _ in 0..<(try cursor.count()) {
            let (element, slot) = (try slot(list), try slot(list))
            list.positions[element] = ListTree.Position(stamp: try mark().stamp, slot: slot)
        }
        list.fillValues()
        for _ in 0..<(try cursor.count()) {
            let slot = try slot(list)
            guard slot.block > 0 else { throw error("The root has a value") }
            list.blocks[Int(slot.block)].values[Int(slot.offset)] = try cursor.exactValue()
        }
    }

    private mutating func elements(_ list: inout ListTree, _ shown: [BSONValue]) throws(CodecError) {
        let alive = list.aliveElements
        guard alive.count == shown.count, alive.allSatisfy({ $0.block > 0 }) else {
            throw error("The document has \(shown.count) elements of \(alive.count)")
        }
        var values = [SyncValue?](repeating: nil, count: alive.count)
        var next = 0
        for _ in 0..<(try cursor.count()) {
            guard let held = MetaHeld(rawValue: try cursor.byte()) else { throw error("A value is of no kind") }
            let (step, count) = (try cursor.varint(), try cursor.varint())
            guard step <= UInt64(shown.count - next), count <= UInt64(shown.count - next) - step else {
                throw error("The document has too few elements")
            }
            let className = held == .link ? try name() : nil
            next += Int(step)
            for _ in 0..<count {
                values[next] = try value(shown[next], held, className)
                next += 1
            }
        }
        let count = try cursor.count()
        let places = count == 0 ? [:] : Dictionary(zip(alive, alive.indices)) { first, _ in first }
        for _ in 0..<count {
            let slot = try slot(list)
            if let place = places[slot] {
                list.registers[slot] = try register(shown[place])
            } else {
                list.registers[slot] = try hiddenRegister()
            }
        }
        let isPlain = list.registers.isEmpty
        for (index, element) in alive.enumerated() where isPlain || list.registers[element] == nil {
            guard let value = values[index] ?? shown[index].plainValue else {
                throw error("A value has a type of its own")
            }
            list.blocks[Int(element.block)].values[Int(element.offset)] = value
        }
    }
}

extension ListTree {
    /// Adds a block whose slots have no place in the list yet.
    mutating func adopt(_ block: Block) {
        let index = Int32(blocks.count)
        blocks.append(block)
        let place = authors[block.ident]?.partitioned { blocks[Int($0)].first > block.first } ?? 0
        authors[block.ident, default: []].insert(index, at: place)
        attach(index, Spot(parent: block.parent, isLeft: block.isLeft))
    }

    mutating func fillValues() {
        for index in blocks.indices.dropFirst() {
            blocks[index].values = Array(repeating: .null, count: Int(blocks[index].count))
        }
    }

    /// Distributes spans over leaves.
    mutating func adopt(_ spans: [Span]) {
        let half = Self.capacity / 2
        for start in stride(from: 0, to: spans.count, by: half) {
            let piece = Array(spans[start..<min(start + half, spans.count)])
            var summary = Summary()
            for span in piece {
                if span.died == .max { summary.alive += Int(span.count) }
                guard span.died > 0 else { continue }
                if span.died != .max { summary.changed = max(summary.changed, span.died) }
                let last = birth(Slot(block: span.block, offset: span.start + span.count - 1))
                summary.changed = max(summary.changed, last.version)
            }
            if leaves.count % half == 0 {
                order.append(Int32(groups.count))
                groups.append(Group(leaves: []))
            }
            let (leaf, group) = (Int32(leaves.count), groups.count - 1)
            groups[group].leaves.append(leaf)
            groups[group].summary.alive += summary.alive
            groups[group].summary.changed = max(groups[group].summary.changed, summary.changed)
            leaves.append(Leaf(spans: piece, group: Int32(group), summary: summary))
            for span in piece { settle(span, in: leaf) }
        }
    }
}
