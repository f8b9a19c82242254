/// A scan for a condition on collections, which reads each row's collection in place without creating an array.
class CollectionScan: PlanNode {
    enum Part { case values, keys }

    let column: Column
    private let part: Part
    private let table: Table

    /// - Parameter part: the part of a dictionary that the condition is on.
    init(view: DataView, column: Column, part: Part = .values) {
        self.column = column
        self.part = part
        table = view.schema.table(of: column)
        super.init(view: view)
    }

    override var cost: Int { 300 }

    /// Returns whether a collection has an element that matches.
    func hasMatch(_ list: StoredList) -> Bool { fatalError("abstract") }

    override func test(_ key: ObjectKey) -> Bool {
        switch part {
        case .values: view.withList(column, key) { hasMatch($0) }
        case .keys: view.withDictionary(column, key) { hasMatch($0.keys) }
        }
    }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        MaskKernels.set(mask, count: n, to: true)
        narrow(cluster, mask, count: n, scratch: mask)
    }

    override func narrow(_ cluster: Int, _ mask: Mask, count n: Int, scratch: Mask) {
        view.forEachCollection(column, table, cluster: cluster, count: n, mask: mask) { slot, list in
            if !hasMatch(part == .keys ? list.keys! : list.values) { mask[slot] = 0 }
        }
    }
}

extension DataView {
    /// Calls `body` with the collection of each slot of a cluster whose byte is 1, except empty collections. Clears the bytes of dead slots, and
    /// those of empty collections unless empty collections match.
    @inline(__always)
    func forEachCollection(
        _ column: Column,
        _ table: Table,
        cluster: Int,
        count n: Int,
        mask: Mask,
        emptyMatches: Bool = false,
        body: (_ slot: Int, _ list: (keys: StoredList?, values: StoredList)) -> Void
    ) {
        let presence = presence(table, cluster: cluster)
        let blobs = column.segment(.blobs)
        forEachLeaf(column, cluster: cluster, count: n) { leaf, start, m in
            let stored = min(leaf?.count ?? 0, m)
            if !emptyMatches { MaskKernels.set(mask + start + stored, count: m - stored, to: false) }
            guard let leaf else { return }
            for i in 0..<stored where mask[start + i] != 0 {
                let slot = start + i
                let bytes = leaf.bytes(i)
                guard presence.map({ LeafEncoder.bit($0, slot) }) ?? true else {
                    mask[slot] = 0
                    continue
                }
                guard bytes.count > 0 else {
                    if !emptyMatches { mask[slot] = 0 }
                    continue
                }
                if column.collection == .dictionary {
                    let dictionary =
                        leaf.isReference(i)
                        ? StoredDictionary(reference: bytes, blobs: blobs)
                        : StoredDictionary(inline: bytes, type: column.type)
                    body(slot, (dictionary.keys, dictionary.values))
                } else if leaf.isReference(i) {
                    let r = leaf.reference(i)
                    body(slot, (nil, .large(CountedTree(segment: blobs, root: r.block, count: Int(r.length)))))
                } else {
                    body(slot, (nil, .inline(InlineList(bytes, type: column.type))))
                }
            }
        }
    }
}

/// A scan for collections with an element, or dictionaries with a key, that meets a condition.
final class ElementScan: CollectionScan {
    /// The kernel for the chunks of large collections.
    private let kernel: ColumnScan
    private let condition: ValueTest
    private let matchesNull: Bool
    private let buffer: MaskBuffer
    private let ints: RangeSet<Int64>
    private let doubles: RangeSet<Double>
    private let bytes: BytesCondition?
    private let matchesAnyBytes: Bool

    /// - Parameter kernel: a scan for the elements' type.
    init(view: DataView, column: Column, part: Part = .values, kernel: ColumnScan) {
        self.kernel = kernel
        condition = kernel.condition
        matchesNull = condition.matchesNull
        buffer = MaskBuffer(span: ChunkBuilder.maximumCount)
        let type = kernel.column.type
        ints = type == .int ? condition.intRanges : type == .link ? condition.storedLinkRanges : .none
        doubles = type == .double ? condition.doubleRanges : .none
        let isBytes = type == .string || type == .data
        bytes = isBytes ? condition.bytesCondition(type) : nil
        matchesAnyBytes = isBytes && bytes == nil && condition.matchesAnyBytes(type)
        super.init(view: view, column: column, part: part)
    }

    override func hasMatch(_ list: StoredList) -> Bool {
        switch list {
        case .inline(let inline): return hasMatch(inline)
        case .large(let tree):
            var found = false
            tree.forEachChunk(from: 0, in: view) { chunk, _, count in
                let type = kernel.column.type
                let leaf = view.chunk(chunk, count, of: tree, type: type, isOptional: kernel.column.isOptional)
                if leaf.isBlank { return false }
                kernel.fill(leaf, buffer.mask, count: count)
                found = !MaskKernels.isEmpty(buffer.mask, count)
                return !found
            }
            return found
        }
    }

    private func hasMatch(_ list: InlineList) -> Bool {
        let n = list.count
        switch kernel.column.type {
        case .int:
            for i in 0..<n where list.isNull(i) ? matchesNull : ints.contains(list.int(i)) { return true }
            return false
        case .link:
            for i in 0..<n where list.isNull(i) ? matchesNull : ints.contains(list.int(i) &+ 1) { return true }
            return false
        case .double:
            for i in 0..<n {
                guard case .double(let x) = list.value(i) else {
                    if matchesNull { return true }
                    continue
                }
                if x.isNaN ? doubles.isNegated : doubles.contains(x) { return true }
            }
            return false
        case .string, .data:
            return !list.forEachBytes { value in
                guard let value else { return !matchesNull }
                return !(bytes?.matches(value) ?? matchesAnyBytes)
            }
        default:
            return !view.forEachValue(of: .inline(list), type: kernel.column.type, isOptional: true) {
                !condition.matches($0)
            }
        }
    }
}

/// A scan for a condition on the value at one place of a collection. The value is null if the place is missing.
final class SubscriptScan: PlanNode {
    private let column: Column
    private let table: Table
    private let place: Subscript
    private let name: [UInt8]
    private let condition: (Value) -> Bool
    private let matchesNull: Bool

    /// - Parameter place: a place with a single value.
    init(view: DataView, column: Column, _ place: Subscript, _ condition: @escaping (Value) -> Bool) {
        self.column = column
        self.place = place
        self.condition = condition
        table = view.schema.table(of: column)
        matchesNull = condition(.null)
        if case .key(let name) = place { self.name = Array(name.utf8) } else { name = [] }
        super.init(view: view)
    }

    override var cost: Int { 400 }

    override func test(_ key: ObjectKey) -> Bool { condition(view.element(column, key, place: place)) }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        MaskKernels.set(mask, count: n, to: true)
        narrow(cluster, mask, count: n, scratch: mask)
    }

    override func narrow(_ cluster: Int, _ mask: Mask, count n: Int, scratch: Mask) {
        view.forEachCollection(column, table, cluster: cluster, count: n, mask: mask, emptyMatches: matchesNull) {
            slot,
            list in
            let count = view.count(of: list.values)
            let index = list.keys.map { self.index(in: $0) } ?? place.position(in: count)
            guard let index else {
                if !matchesNull { mask[slot] = 0 }
                return
            }
            let value = view.value(of: list.values, at: index, type: column.type, isOptional: column.isOptional)
            if !condition(value) { mask[slot] = 0 }
        }
    }

    /// Returns the position of the key in a dictionary.
    private func index(in keys: StoredList) -> Int? {
        guard case .key(let name) = place else { return nil }
        guard case .inline(let inline) = keys else {
            let found = view.sortedPlace(of: .string(name), in: keys, type: .string, isOptional: false)
            return found.isFound ? found.index : nil
        }
        var i = 0
        let goesOn = inline.forEachBytes { bytes in
            if let bytes, self.name.withUnsafeBytes({ Value.compareBytes($0, with: bytes) == 0 }) { return false }
            i += 1
            return true
        }
        return goesOn ? nil : i
    }
}

/// A scan for collections of links with a target that matches.
final class LinksScan: CollectionScan {
    private let contains: (ObjectKey) -> Bool

    init(view: DataView, column: Column, _ contains: @escaping (ObjectKey) -> Bool) {
        self.contains = contains
        super.init(view: view, column: column)
    }

    override func hasMatch(_ list: StoredList) -> Bool { !view.forEachLink(of: list) { !contains($0) } }
}

extension Column {
    /// A column that stands for the keys of a dictionary column.
    var keysColumn: Column {
        Column(
            id: id,
            index: index,
            tableID: tableID,
            name: name,
            type: .string,
            isOptional: false,
            collection: .none,
            targetTableID: nil,
            indexKind: .none,
            isPrimaryKey: false,
            firstSegment: firstSegment
        )
    }
}
