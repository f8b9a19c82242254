/// A scan for a condition on strings or data.
final class BytesScan: ColumnScan {
    private let bytes: BytesCondition?
    private let matchesAny: Bool
    /// The folded bytes of a leaf.
    private var scratch: UnsafeMutableRawBufferPointer
    /// The folded bytes of a value that isn't ASCII.
    private var foldedValue: [UInt8] = []
    private static let slack = 16

    override init(view: DataView, column: Column, condition: ValueTest) {
        bytes = condition.bytesCondition(column.type)
        matchesAny = bytes == nil && condition.matchesAnyBytes(column.type)
        scratch = .init(start: nil, count: 0)
        super.init(view: view, column: column, condition: condition)
    }

    deinit { scratch.deallocate() }

    override var cost: Int {
        switch bytes?.test {
        case nil: 1
        case .equal, .beginsWith, .endsWith: bytes!.fold != nil ? 40 : 30
        case .contains: 100
        case .oneOf: 100
        case .range: 150
        case .like: 400
        case .matches: 4000
        }
    }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        guard let bytes else { return MaskKernels.set(mask, count: n, to: matchesAny) }
        let end = leaf.offset(n)
        let readable = leaf.offset(leaf.count)
        if let fold = bytes.fold {
            let source = leaf.bytesArea.assumingMemoryBound(to: UInt8.self)
            let isASCII: Bool
            if fold.ignoresCase {
                reserve(end)
                let folded = (scratch.baseAddress! + Self.slack).assumingMemoryBound(to: UInt8.self)
                isASCII = FoldKernels.foldASCII(source, end, into: folded)
                run(bytes.test, leaf, area: UnsafeRawPointer(folded), readable: end + Self.slack, into: mask, count: n)
            } else {
                isASCII = FoldKernels.isASCII(UnsafeRawBufferPointer(start: source, count: end))
                run(bytes.test, leaf, area: leaf.bytesArea, readable: readable, into: mask, count: n)
            }
            if !isASCII {
                for i in 0..<n {
                    let value = leaf.bytes(i)
                    if FoldKernels.isASCII(value) { continue }
                    foldedValue.removeAll(keepingCapacity: true)
                    fold.append(value, to: &foldedValue)
                    mask[i] = foldedValue.withUnsafeBytes { bytes.test.matches($0) } ? 1 : 0
                }
            }
        } else {
            run(bytes.test, leaf, area: leaf.bytesArea, readable: readable, into: mask, count: n)
        }
        if bytes.isNegated { MaskKernels.complement(mask, n) }
        if let references = leaf.referenceBitmap {
            for i in 0..<n where LeafEncoder.bit(references, i) {
                let reference = leaf.reference(i)
                guard view.hasLongBytes(column.segment(.blobs), reference) else {
                    mask[i] = 0
                    continue
                }
                let value = view.longBytes(column.segment(.blobs), reference)
                mask[i] = value.withUnsafeBytes { bytes.matches($0) } ? 1 : 0
            }
        }
    }

    private func run(
        _ test: BytesTest,
        _ leaf: Leaf,
        area: UnsafeRawPointer,
        readable: Int,
        into mask: Mask,
        count n: Int
    ) {
        let offsets = leaf.valuesPointer
        if leaf.width == 2 {
            Self.runShort(
                test,
                BytesColumn(
                    offsets: offsets.assumingMemoryBound(to: UInt16.self),
                    area: area,
                    readable: readable,
                    count: leaf.count
                ),
                count: n,
                into: mask
            )
        } else {
            Self.runLong(
                test,
                BytesColumn(
                    offsets: offsets.assumingMemoryBound(to: UInt32.self),
                    area: area,
                    readable: readable,
                    count: leaf.count
                ),
                count: n,
                into: mask
            )
        }
    }

    private static func runShort(_ test: BytesTest, _ column: BytesColumn<UInt16>, count n: Int, into mask: Mask) {
        BytesKernels.run(test, column, count: n, into: mask)
    }

    private static func runLong(_ test: BytesTest, _ column: BytesColumn<UInt32>, count n: Int, into mask: Mask) {
        BytesKernels.run(test, column, count: n, into: mask)
    }

    private func reserve(_ size: Int) {
        guard scratch.count < size + 2 * Self.slack else { return }
        scratch.deallocate()
        scratch = .allocate(byteCount: 2 * size + 2 * Self.slack, alignment: 16)
        scratch.initializeMemory(as: UInt8.self, repeating: 0)
    }
}
