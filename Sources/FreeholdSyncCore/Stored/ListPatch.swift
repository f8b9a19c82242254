/// The difference between a list and a later state of it: the blocks that are new or have grown, the spans between the common first spans and the
/// common last spans, and other differences.
///
/// Both states are in memory. Unchanged parts are compared, but not written.
struct ListPatch {
    private let old: ListTree
    private let new: ListTree

    /// Returns `nil` if the second list doesn't continue the first one: it was trimmed, or comes from another history.
    init?(from old: ListTree, to new: ListTree) {
        guard old.blocks.count <= new.blocks.count else { return nil }
        for index in old.blocks.indices.dropFirst() {
            guard old.blocks[index].canGrow(to: new.blocks[index]) else { return nil }
        }
        (self.old, self.new) = (old, new)
    }

    fileprivate func write(to writer: inout MetaWriter) {
        writer.append(new.assignment)
        writer.bytes.appendVarint(new.youngest)
        blocks(&writer)
        values(&writer)
        spans(&writer)
        dictionary(from: old.moved, to: new.moved, &writer) { writer, element in writer.append(element, new) }
        dictionary(from: old.positions, to: new.positions, &writer) { writer, position in
            writer.append(position.slot, new)
            writer.append(Mark(stamp: position.stamp, version: 0))
        }
        dictionary(from: old.registers, to: new.registers, &writer) { writer, register in
            writer.hiddenRegister(register)
        }
    }

    private func blocks(_ writer: inout MetaWriter) {
        let grown = old.blocks.indices.dropFirst().filter { old.blocks[$0].count < new.blocks[$0].count }
        writer.bytes.appendVarint(grown.count)
        var (last, birth) = (0, -1)
        for index in grown {
            let (before, block) = (old.blocks[index], new.blocks[index])
            writer.bytes.appendVarint(index - last - 1)
            last = index
            writer.bytes.append(block.isBackward ? 1 : 0)
            writer.bytes.appendVarint(Int(block.count - before.count))
            let births = block.laterBirths[before.laterBirths.count...]
            writer.laterBirths(births, block.ident, behind: before.count - 1, birth: &birth)
        }
        writer.bytes.appendVarint(new.blocks.count - old.blocks.count)
        for index in old.blocks.count..<new.blocks.count { writer.block(index, of: new, birth: &birth) }
    }

    private func values(_ writer: inout MetaWriter) {
        var changes: [ListTree.Slot] = []
        for index in new.blocks.indices.dropFirst() {
            let values = new.blocks[index].values
            let before = index < old.blocks.count ? old.blocks[index].values : []
            if values.isSameStorage(as: before) { continue }
            for offset in values.indices where values[offset] != (offset < before.count ? before[offset] : .null) {
                changes.append(ListTree.Slot(block: Int32(index), offset: Int32(offset)))
            }
        }
        writer.bytes.appendVarint(changes.count)
        for slot in changes {
            writer.append(slot, new)
            writer.append(new.value(slot))
        }
    }

    private func spans(_ writer: inout MetaWriter) {
        let (before, spans) = (old.plainSpans, new.plainSpans)
        var (start, end, most) = (0, 0, min(before.count, spans.count))
        while start < most, before[start] == spans[start] { start += 1 }
        most -= start
        while end < most, before[before.count - 1 - end] == spans[spans.count - 1 - end] { end += 1 }
        writer.bytes.appendVarint(start)
        writer.bytes.appendVarint(end)
        writer.spans(spans[start..<spans.count - end], of: new)
    }

    private func dictionary<Value: Equatable>(
        from old: [ListTree.Slot: Value],
        to new: [ListTree.Slot: Value],
        _ writer: inout MetaWriter,
        _ write: (inout MetaWriter, Value) -> Void
    ) {
        let removed = old.keys.filter { new[$0] == nil }.sorted()
        let changed = new.filter { old[$0.key] != $0.value }.sorted { $0.key < $1.key }
        writer.bytes.appendVarint(removed.count)
        for slot in removed { writer.append(slot, self.new) }
        writer.bytes.appendVarint(changed.count)
        for (slot, value) in changed {
            writer.append(slot, self.new)
            write(&writer, value)
        }
    }
}

extension ListTree.Block {
    /// Returns whether a block can be a later state of this one.
    fileprivate func canGrow(to new: ListTree.Block) -> Bool {
        ident == new.ident && first == new.first && parent == new.parent && isLeft == new.isLeft
            && isAssigned == new.isAssigned && isReal == new.isReal && birth == new.birth && count <= new.count
            && (isBackward == new.isBackward || count == 1 && new.count > 1)
            && (count < new.count || laterBirths.count == new.laterBirths.count)
            && new.laterBirths.starts(with: laterBirths)
    }
}

extension [SyncValue] {
    fileprivate func isSameStorage(as other: [SyncValue]) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
    }
}

/// A list to which patches are applied: its slots, without the structures that make edits fast.
struct ListParts {
    /// The list without its order.
    private(set) var list: ListTree
    private(set) var spans: [ListTree.Span]

    init(_ list: ListTree) {
        (self.list, spans) = (list, list.plainSpans)
        (self.list.leaves, self.list.groups, self.list.order) = ([], [], [])
        (self.list.authors, self.list.kids) = ([:], [:])
    }

    /// - Throws: `CodecError` if a slot isn't in exactly one span.
    fileprivate func whole(_ reader: MetaReader) throws(CodecError) -> ListTree {
        try reader.check(spans, of: list)
        var whole = ListTree()
        (whole.assignment, whole.youngest) = (list.assignment, list.youngest)
        (whole.registers, whole.moved, whole.positions) = (list.registers, list.moved, list.positions)
        for block in list.blocks.dropFirst() {
            var block = block
            (block.forks, block.home, block.laterHomes) = ([], -1, [])
            whole.adopt(block)
        }
        whole.adopt(spans)
        return whole
    }

    // MARK: Applying a patch

    fileprivate mutating func apply(_ reader: inout MetaReader) throws(CodecError) {
        list.assignment = try reader.rank()
        list.youngest = try reader.cursor.varint()
        try blocks(&reader)
        for _ in 0..<(try reader.cursor.count()) {
            let slot = try self.slot(&reader)
            list.blocks[Int(slot.block)].values[Int(slot.offset)] = try reader.cursor.exactValue()
        }
        try spans(&reader)
        try removed(&reader) { $0.moved[$1] = nil }
        for _ in 0..<(try reader.cursor.count()) {
            let slot = try self.slot(&reader)
            list.moved[slot] = try self.slot(&reader)
        }
        try removed(&reader) { $0.positions[$1] = nil }
        for _ in 0..<(try reader.cursor.count()) {
            let (element, slot) = (try self.slot(&reader), try self.slot(&reader))
            list.positions[element] = ListTree.Position(stamp: try reader.mark().stamp, slot: slot)
        }
        try removed(&reader) { $0.registers[$1] = nil }
        for _ in 0..<(try reader.cursor.count()) {
            let slot = try self.slot(&reader)
            list.registers[slot] = try reader.hiddenRegister()
        }
    }

    /// Reads a slot of the list. The root isn't one.
    private func slot(_ reader: inout MetaReader) throws(CodecError) -> ListTree.Slot {
        let slot = try reader.slot(list)
        guard slot.block > 0 else { throw reader.error("The root isn't an element") }
        return slot
    }

    private mutating func removed(
        _ reader: inout MetaReader,
        _ remove: (inout ListTree, ListTree.Slot) -> Void
    ) throws(CodecError) {
        for _ in 0..<(try reader.cursor.count()) { remove(&list, try slot(&reader)) }
    }

    private mutating func blocks(_ reader: inout MetaReader) throws(CodecError) {
        var birth: Int64 = -1
        var total = list.blocks.dropFirst().reduce(Int64(0)) { $0 + Int64($1.count) }
        var index: UInt64 = 0
        for _ in 0..<(try reader.cursor.count()) {
            let step = try reader.cursor.varint()
            guard step < UInt64(list.blocks.count) - index - 1 else { throw reader.error("There is no such block") }
            index += step + 1
            let isBackward = try reader.cursor.byte() != 0
            let count = Int64(clamping: try reader.cursor.varint())
            guard count >= 1, count <= MetaReader.greatestSlotCount - total else {
                throw reader.error("A block has \(count) more slots")
            }
            total += count
            var block = list.blocks[Int(index)]
            let range = block.count..<block.count + Int32(count)
            let births = try reader.laterBirths(block.ident, in: range, birth: &birth)
            (block.isBackward, block.count) = (isBackward, range.upperBound)
            block.laterBirths += births
            list.blocks[Int(index)].values = []
            block.values += Array(repeating: .null, count: Int(count))
            list.blocks[Int(index)] = block
        }
        for _ in 0..<(try reader.cursor.count()) {
            var block = try reader.block(of: list, birth: &birth, total: &total)
            block.values = Array(repeating: .null, count: Int(block.count))
            list.blocks.append(block)
        }
    }

    private mutating func spans(_ reader: inout MetaReader) throws(CodecError) {
        let (start, end) = (try reader.cursor.varint(), try reader.cursor.varint())
        guard start <= UInt64(spans.count), end <= UInt64(spans.count) - start else {
            throw reader.error("A list has fewer spans")
        }
        let middle = try reader.spans(of: list)
        spans.replaceSubrange(Int(start)..<spans.count - Int(end), with: middle)
    }
}

/// A state of an object as the difference to an earlier state: the object without its long lists, and for each long list the difference to the list
/// in the earlier state.
package struct StoredDifference: Sendable {
    package let rest: StoredObject
    package let lists: [UInt8]

    package init(rest: StoredObject, lists: [UInt8]) { (self.rest, self.lists) = (rest, lists) }
}

extension MergedObject {
    /// The minimum number of elements of a list that stores treat as long.
    public static let longList = 1_024

    /// Returns the object in the form of a difference to an earlier state. Returns `nil` if no long list continues a list of
    /// that state.
    /// - Parameter count: The minimum number of elements of a long list.
    /// - Complexity: O(*n*) for *n* slots with small constants. The cost of the additional data in the result isn't included
    package func stored(_ key: PrimaryKey, after earlier: MergedObject, lists count: Int) -> StoredDifference? {
        var rest = self
        var patches: [(name: SyncString, patch: ListPatch)] = []
        for (name, list) in lists(ofAtLeast: count) {
            guard let old = earlier.list(name), let patch = ListPatch(from: old, to: list) else { continue }
            patches.append((name, patch))
            rest.setList(ListTree(), of: name)
        }
        if patches.isEmpty { return nil }
        var writer = MetaWriter()
        writer.bytes.appendVarint(patches.count)
        for (name, patch) in patches {
            writer.append(name)
            patch.write(to: &writer)
        }
        var lists: [UInt8] = []
        lists.appendVarint(writer.marks.count)
        writer.appendMarks(to: &lists, since: 0)
        writer.appendNames(to: &lists)
        return StoredDifference(rest: rest.stored(key), lists: lists + writer.bytes)
    }
}

/// An object to which a series of differences is applied. Each is the difference to the preceding state.
package struct PatchedObject {
    private var object: MergedObject
    private var lists: [SyncString: ListParts] = [:]

    package init(_ object: MergedObject) { self.object = object }

    /// - Throws: `CodecError` if the difference is damaged, or belongs to another state. Then the object can't be used.
    package mutating func apply(_ difference: StoredDifference) throws(CodecError) {
        let result = difference.lists.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in try apply(difference, MetaReader(ByteCursor(bytes))) }
        }
        try result.get()
    }

    private mutating func apply(_ difference: StoredDifference, _ reader: MetaReader) throws(CodecError) {
        var reader = reader
        let count = try reader.cursor.count()
        try reader.readMarks(count, since: 0)
        try reader.readNames()
        let rest = try MergedObject(difference.rest)
        var patched: [SyncString: ListParts] = [:]
        for _ in 0..<(try reader.cursor.count()) {
            let name = try reader.name()
            guard rest.list(name) != nil,
                var parts = lists.removeValue(forKey: name) ?? object.list(name).map(ListParts.init)
            else { throw reader.error("There is no such list") }
            try parts.apply(&reader)
            patched[name] = parts
        }
        guard reader.cursor.remaining == 0 else { throw reader.error("Bytes follow the stored form") }
        (object, lists) = (rest, patched)
    }

    /// Returns the object after all differences.
    ///
    /// - Throws: `CodecError` if the differences were damaged.
    package func finished() throws(CodecError) -> MergedObject {
        var object = object
        // The reader reads nothing. It is only needed for the check of the spans.
        let reader = MetaReader(ByteCursor(UnsafeRawBufferPointer(start: nil, count: 0)))
        for (name, parts) in lists { object.setList(try parts.whole(reader), of: name) }
        return object
    }
}
