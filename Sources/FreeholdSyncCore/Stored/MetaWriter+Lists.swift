internal import FreeholdBSON
internal import FreeholdEngine

/// The flags in the first byte of a block, in `meta`.
struct BlockHead: OptionSet {
    let rawValue: UInt8

    static let isBackward = BlockHead(rawValue: 1)
    static let isAssigned = BlockHead(rawValue: 2)
    static let isReal = BlockHead(rawValue: 4)
    static let isLeft = BlockHead(rawValue: 8)
    /// The block has the same file as the block before it, and its first number is the next one.
    static let continues = BlockHead(rawValue: 16)
    static let isSingle = BlockHead(rawValue: 32)
    /// The parent of the block is the last slot of the block before it.
    static let hangsOnLast = BlockHead(rawValue: 64)
    static let hasLaterBirths = BlockHead(rawValue: 128)
}

/// The state of a span, in the lowest bits of its first number in `meta`.
enum SpanFate: UInt64 {
    case alive = 0
    case deadFromBirth = 1
    /// The span died at the same version as the last dead span before it.
    case diedAsBefore = 2
    case died = 3

    static let whole: UInt64 = 4
    static let bits: UInt64 = 3
}

extension MetaWriter {
    /// - Returns: The elements in their order, for the document.
    mutating func list(_ list: ListTree) -> [BSONValue] {
        append(list.assignment)
        bytes.appendVarint(list.youngest)
        blocks(list)
        spans(list.plainSpans[...], of: list)
        slots(list)
        return elements(list)
    }

    private mutating func blocks(_ list: ListTree) {
        bytes.appendVarint(list.blocks.count - 1)
        var birth = -1
        for index in list.blocks.indices.dropFirst() { block(index, of: list, birth: &birth) }
    }

    /// - Parameter birth: The number of the last birth's mark.
    mutating func block(_ index: Int, of list: ListTree, birth: inout Int) {
        let (block, last) = (list.blocks[index], list.blocks[index - 1])
        var head: BlockHead = []
        if block.isBackward { head.insert(.isBackward) }
        if block.isAssigned { head.insert(.isAssigned) }
        if block.isReal { head.insert(.isReal) }
        if block.isLeft { head.insert(.isLeft) }
        if block.ident == last.ident, block.first == last.first &+ OwnNumber(last.count) { head.insert(.continues) }
        if block.count == 1 { head.insert(.isSingle) }
        if Int(block.parent.block) == index - 1, block.parent.offset == last.count - 1 { head.insert(.hangsOnLast) }
        if !block.laterBirths.isEmpty { head.insert(.hasLaterBirths) }
        bytes.append(head.rawValue)
        if !head.contains(.continues) {
            bytes.appendVarint(UInt64(block.ident.rawValue))
            bytes.appendVarint(block.first)
        }
        if !head.contains(.isSingle) { bytes.appendVarint(Int(block.count)) }
        if !head.contains(.hangsOnLast) { append(block.parent, list) }
        self.birth(block.birth, block.ident, &birth)
        guard head.contains(.hasLaterBirths) else { return }
        laterBirths(block.laterBirths[...], block.ident, behind: 0, birth: &birth)
    }

    /// Writes births with rising offsets.
    ///
    /// - Parameter offset: An offset before the first birth.
    mutating func laterBirths(
        _ births: ArraySlice<ListTree.Birth>,
        _ ident: FileIdent,
        behind offset: Int32,
        birth: inout Int
    ) {
        bytes.appendVarint(births.count)
        var offset = offset
        for later in births {
            bytes.appendVarint(Int(later.offset - offset))
            offset = later.offset
            self.birth(later, ident, &birth)
        }
    }

    /// Births are mostly in the order of their commits, and so are marks. The differences of their numbers are
    /// therefore small.
    private mutating func birth(_ birth: ListTree.Birth, _ ident: FileIdent, _ last: inout Int) {
        let number = mark(Mark(stamp: Stamp(clock: birth.clock, ident: ident), version: birth.version))
        bytes.appendVarint(Int64(number - last - 1).zigzag)
        last = number
    }

    mutating func append(_ slot: ListTree.Slot, _ list: ListTree) {
        bytes.appendVarint(Int(slot.block))
        if list.blocks[Int(slot.block)].count > 1 { bytes.appendVarint(Int(slot.offset)) }
    }

    mutating func spans(_ spans: ArraySlice<ListTree.Span>, of list: ListTree) {
        bytes.appendVarint(spans.count)
        var (block, died): (Int32, StreamVersion) = (0, 0)
        for span in spans {
            let fate: SpanFate =
                switch span.died {
                case .max: .alive
                case 0: .deadFromBirth
                case died: .diedAsBefore
                default: .died
                }
            let isWhole = span.start == 0 && span.count == list.blocks[Int(span.block)].count
            let step = Int64(span.block - block - 1).zigzag
            bytes.appendVarint(step << 3 | (isWhole ? SpanFate.whole : 0) | fate.rawValue)
            if !isWhole {
                bytes.appendVarint(Int(span.start))
                bytes.appendVarint(Int(span.count))
            }
            if fate == .died { bytes.appendVarint(span.died) }
            if fate != .alive, fate != .deadFromBirth { died = span.died }
            block = span.block
        }
    }

    /// Writes the moved elements, and the values of slots that no element shows.
    private mutating func slots(_ list: ListTree) {
        bytes.appendVarint(list.moved.count)
        for (slot, element) in list.moved.sorted(by: { $0.key < $1.key }) {
            append(slot, list)
            append(element, list)
        }
        bytes.appendVarint(list.positions.count)
        for (element, position) in list.positions.sorted(by: { $0.key < $1.key }) {
            append(element, list)
            append(position.slot, list)
            append(Mark(stamp: position.stamp, version: 0))
        }
        let shown = list.shownSlots
        var hidden: [(ListTree.Slot, SyncValue)] = []
        var place = 0
        for block in list.blocks.indices.dropFirst() {
            for (offset, value) in list.blocks[block].values.enumerated() {
                defer { place += 1 }
                if shown[place] || value == .null { continue }
                hidden.append((ListTree.Slot(block: Int32(block), offset: Int32(offset)), value))
            }
        }
        bytes.appendVarint(hidden.count)
        for (slot, value) in hidden {
            append(slot, list)
            append(value)
        }
    }

    private mutating func elements(_ list: ListTree) -> [BSONValue] {
        let alive = list.aliveElements
        let isPlain = list.registers.isEmpty
        var shown = alive.map { isPlain || list.registers[$0] == nil ? BSONValue(list.value($0)) : .null }
        // The rules by which values are restored, if their types alone aren't enough. Equal rules form runs.
        var runs: [(held: MetaHeld, className: SyncString?, range: Range<Int>)] = []
        for (index, element) in alive.enumerated() where isPlain || list.registers[element] == nil {
            let value = list.value(element)
            let held = value.storedAs
            guard held != .plain else { continue }
            let className: SyncString? = if case .link(let name) = value { name.className } else { nil }
            if let last = runs.last, last.range.upperBound == index, last.held == held, last.className == className {
                runs[runs.count - 1].range = last.range.lowerBound..<index + 1
            } else {
                runs.append((held, className, index..<index + 1))
            }
        }
        bytes.appendVarint(runs.count)
        var next = 0
        for run in runs {
            bytes.append(run.held.rawValue)
            bytes.appendVarint(run.range.lowerBound - next)
            bytes.appendVarint(run.range.count)
            next = run.range.upperBound
            if let className = run.className { append(className) }
            for index in run.range {
                switch list.value(alive[index]) {
                case .date(let value) where run.held == .date: bytes.appendVarint(Int(value.nanoseconds % 1_000_000))
                case let value where run.held == .exact: append(value)
                default: break
                }
            }
        }
        let places = list.registers.isEmpty ? [:] : Dictionary(uniqueKeysWithValues: zip(alive, alive.indices))
        bytes.appendVarint(list.registers.count)
        for (slot, register) in list.registers.sorted(by: { $0.key < $1.key }) {
            append(slot, list)
            if let place = places[slot] {
                shown[place] = self.register(register) ?? .null
            } else {
                hiddenRegister(register)
            }
        }
        return shown
    }
}

extension ListTree {
    /// A Boolean value for each slot, in the order of the blocks, that indicates whether the document shows the value that its block has. An element
    /// with a register also has the value from before the register, which isn't shown.
    fileprivate var shownSlots: [Bool] {
        var starts: [Int] = [0]
        starts.reserveCapacity(blocks.count + 1)
        starts.append(0)
        for block in blocks.dropFirst() { starts.append(starts[starts.count - 1] + Int(block.count)) }
        var shown = [Bool](repeating: false, count: starts[starts.count - 1])
        forEachElement { shown[starts[Int($0.block)] + Int($0.offset)] = true }
        for element in registers.keys { shown[starts[Int(element.block)] + Int(element.offset)] = false }
        return shown
    }

    /// The elements in their order. Each is the slot that its insert created.
    var aliveElements: [Slot] {
        var elements: [Slot] = []
        elements.reserveCapacity(count)
        forEachElement { elements.append($0) }
        return elements
    }
}

extension ListTree.Slot: Comparable {
    static func < (a: ListTree.Slot, b: ListTree.Slot) -> Bool { (a.block, a.offset) < (b.block, b.offset) }
}
