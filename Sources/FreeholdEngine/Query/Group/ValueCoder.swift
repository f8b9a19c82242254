/// A coder that assigns codes to the values of one path. Equal values (see `Value.areEqual`) have the same code. Codes are counted from 0.
final class ValueCoder {
    /// The code of objects with a null link on the path, if that doesn't count as null.
    static let noLink: Int32 = -1

    private let path: PathCursor
    private let view: DataView
    private let type: ColumnType
    private let countsNoLink: Bool
    /// The value of each code.
    private(set) var values: [Value] = []
    private var nullCode: Int32 = -1
    private var words = NumberTable()
    private var bytes = BytesTable()
    private var others: [EqualValue: Int32] = [:]
    /// The codes for the numbers of `words`.
    private var wordCodes: [Int32] = []
    private var bytesCodes: [Int32] = []
    /// The codes of the objects at the end of a path through links that were read before, by object key.
    private var known: [Int32] = []
    private static let unknown: Int32 = -2

    init(_ path: PropertyPath, in view: DataView, countsNoLink: Bool) {
        self.countsNoLink = countsNoLink
        self.path = PathCursor(path, in: view)
        self.view = view
        type = self.path.isPlain ? path.column!.type : .mixed
        if self.path.isPlain, self.path.hasSteps {
            let table = view.schema.table(id: path.column!.tableID)!
            known = Array(repeating: Self.unknown, count: view.clusterCount(table) * view.clusterSpan)
        }
    }

    // MARK: Single objects

    func code(_ key: ObjectKey) -> Int32 {
        guard path.isPlain else { return path.value(key.raw).map(code(of:)) ?? noLinkCode }
        guard let target = path.resolve(key.raw) else { return noLinkCode }
        if known.isEmpty { return plainCode(target) }
        let index = Int(target)
        if known[index] == Self.unknown { known[index] = plainCode(target) }
        return known[index]
    }

    private var noLinkCode: Int32 { countsNoLink ? code(of: Value.null) : Self.noLink }

    private func plainCode(_ key: Int64) -> Int32 {
        guard let (leaf, slot) = path.values.locate(key) else { return code(of: path.values.column.defaultValue) }
        return code(leaf, slot)
    }

    private func code(_ leaf: Leaf, _ slot: Int) -> Int32 {
        switch type {
        case .link:
            let stored = leaf.int(slot)
            return stored == 0 ? code(of: .null) : code(of: UInt64(bitPattern: stored)) { .link(ObjectKey(stored - 1)) }
        case _ where leaf.isNull(slot): return code(of: .null)
        case .int:
            let value = leaf.int(slot)
            return code(of: UInt64(bitPattern: value)) { .int(value) }
        case .string where !leaf.isReference(slot):
            let found = bytes.code(leaf.bytes(slot))
            if found.isNew { bytesCodes.append(add(.string(String(decoding: leaf.bytes(slot), as: UTF8.self)))) }
            return bytesCodes[Int(found.code)]
        default:
            let column = path.values.column
            return code(
                of: view.value(type, leaf, slot: slot, isOptional: column.isOptional, blobs: column.segment(.blobs))
            )
        }
    }

    @inline(__always)
    private func code(of word: UInt64, _ value: () -> Value) -> Int32 {
        let found = words.code(word)
        if found.isNew { wordCodes.append(add(value())) }
        return wordCodes[Int(found.code)]
    }

    private func code(of value: Value) -> Int32 {
        switch value {
        case .null:
            if nullCode < 0 { nullCode = add(.null) }
            return nullCode
        case .int(let x) where type == .int: return code(of: UInt64(bitPattern: x)) { value }
        case .string(var text) where type == .string:
            let found = text.withUTF8 { bytes.code(UnsafeRawBufferPointer($0)) }
            if found.isNew { bytesCodes.append(add(value)) }
            return bytesCodes[Int(found.code)]
        default:
            if let code = others[EqualValue(value)] { return code }
            let code = add(value)
            others[EqualValue(value)] = code
            return code
        }
    }

    private func add(_ value: Value) -> Int32 {
        values.append(value)
        return Int32(values.count - 1)
    }

    // MARK: Clusters

    /// Writes the codes of a cluster's objects whose byte in the mask is 1.
    func fill(_ cluster: Int, _ mask: Mask, count n: Int, into codes: UnsafeMutablePointer<Int32>) {
        guard path.isPlain, !path.hasSteps else {
            let first = Int64(cluster * view.clusterSpan)
            MaskKernels.forEach(mask, count: n) { codes[$0] = code(ObjectKey(first &+ Int64($0))) }
            return
        }
        view.forEachLeaf(path.values.column, cluster: cluster, count: n) { leaf, slots in
            guard let leaf else {
                // The code is created only if an object has the value.
                var code: Int32?
                for slot in slots where mask[slot] != 0 {
                    code = code ?? self.code(of: path.values.column.defaultValue)
                    codes[slot] = code!
                }
                return
            }
            let (mask, codes) = (mask + slots.lowerBound, codes + slots.lowerBound)
            if type == .int, leaf.width <= 1, !leaf.hasNulls {
                fillBytes(leaf, mask, count: slots.count, into: codes)
            } else {
                MaskKernels.forEach(mask, count: slots.count) { codes[$0] = code(leaf, $0) }
            }
        }
    }

    /// Writes the codes of integers that differ only in their lowest byte.
    private func fillBytes(_ leaf: Leaf, _ mask: Mask, count n: Int, into codes: UnsafeMutablePointer<Int32>) {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { known in
            known.initialize(repeating: Self.unknown)
            let offsets = leaf.valuesPointer.assumingMemoryBound(to: UInt8.self)
            let isConstant = leaf.width == 0
            for i in 0..<n where mask[i] != 0 {
                let offset = isConstant ? 0 : Int(offsets[i])
                if known[offset] == Self.unknown {
                    let value = leaf.base &+ Int64(offset)
                    known[offset] = code(of: UInt64(bitPattern: value)) { .int(value) }
                }
                codes[i] = known[offset]
            }
        }
    }
}

extension DataView {
    /// Calls the body with the leaves of a cluster's first `n` slots, and with `nil` for slots that have the column's default. The slot
    /// `slots.lowerBound` is the leaf's first slot.
    func forEachLeaf(_ column: Column, cluster: Int, count n: Int, body: (Leaf?, _ slots: Range<Int>) -> Void) {
        func visit(_ leaf: Leaf, from start: Int, count: Int) {
            let stored = min(leaf.count, count)
            if stored > 0 { body(leaf, start..<start + stored) }
            if stored < count { body(nil, start + stored..<start + count) }
        }
        guard let address = leaf(column, cluster: cluster) else { return body(nil, 0..<n) }
        let head = Leaf(address)
        guard head.isSplit else { return visit(head, from: 0, count: n) }
        let span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: head.partsLog2)
        var start = 0
        while start < n {
            let count = min(span, n - start)
            if let part = leafPart(column, cluster: cluster, part: start / span) {
                visit(Leaf(part), from: start, count: count)
            } else {
                body(nil, start..<start + count)
            }
            start += count
        }
    }
}
