/// An array in the form of the file: a header of eight bytes, and the elements after it.
///
/// `FileNodes.node` creates nodes, and has checked that all of their bytes exist.
struct Node {
    /// The meaning of the width.
    enum WidthKind: UInt8 {
        case bits = 0
        /// The number of bytes of an element.
        case bytes = 1
        /// The count is a number of bytes.
        case blob = 2
    }

    let data: UnsafeRawPointer
    let offset: Int
    let count: Int
    let width: Int
    let kind: WidthKind
    let flags: UInt8

    /// A Boolean value that indicates whether the elements of a tree's node are also nodes.
    var isInner: Bool { flags & 0x80 != 0 }
    var hasRefs: Bool { flags & 0x40 != 0 }
    /// A flag whose meaning depends on the stored data.
    var isMarked: Bool { flags & 0x20 != 0 }

    static let headerSize = 8

    var byteCount: Int {
        switch kind {
        case .bits: (count * width + 7) >> 3
        case .bytes: count * width
        case .blob: count
        }
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: data, count: byteCount) }

    /// Returns the i-th integer, which is signed from eight bits on.
    ///
    /// - Precondition: `0 <= i < count`, and the width is a number of bits.
    @inline(__always)
    func int(_ i: Int) -> Int64 {
        switch width {
        case 0: 0
        case 1: Int64(data.load(fromByteOffset: i >> 3, as: UInt8.self) >> UInt8(i & 7) & 1)
        case 2: Int64(data.load(fromByteOffset: i >> 2, as: UInt8.self) >> UInt8((i & 3) << 1) & 3)
        case 4: Int64(data.load(fromByteOffset: i >> 1, as: UInt8.self) >> UInt8((i & 1) << 2) & 15)
        case 8: Int64(data.load(fromByteOffset: i, as: Int8.self))
        case 16: Int64(Int16(littleEndian: data.loadUnaligned(fromByteOffset: i << 1, as: Int16.self)))
        case 32: Int64(Int32(littleEndian: data.loadUnaligned(fromByteOffset: i << 2, as: Int32.self)))
        default: Int64(littleEndian: data.loadUnaligned(fromByteOffset: i << 3, as: Int64.self))
        }
    }

    /// Returns the i-th integer, which is unsigned at any width.
    ///
    /// - Precondition: The preconditions of `int`.
    func unsigned(_ i: Int) -> UInt64 {
        let value = UInt64(bitPattern: int(i))
        return width >= 64 ? value : value & (1 << UInt64(width) &- 1)
    }

    /// The kinds of elements of an array that may contain references.
    enum Slot {
        case none
        case number(Int64)
        case ref(UInt64)
    }

    func slot(_ i: Int) -> Slot {
        guard i < count else { return .none }
        let raw = int(i)
        if raw == 0 { return .none }
        return raw & 1 == 1 ? .number(raw >> 1) : .ref(UInt64(bitPattern: raw))
    }

    func ref(_ i: Int) -> UInt64? { if case .ref(let ref) = slot(i) { ref } else { nil } }
    func number(_ i: Int) -> Int64? { if case .number(let number) = slot(i) { number } else { nil } }
}
