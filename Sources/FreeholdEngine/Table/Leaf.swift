/// The stored values of one column in one cluster, read in place.
///
/// ```
/// 0 u8 codec   1 u8 width   2 u8 flags   3 u8 log2(parts)   4 u32 count   8 i64 base
/// 16: null bitmap (if any), reference bitmap (if any), then the values; all little-endian and 8-aligned
/// ```
/// - Integers and links are `base &+` an unsigned offset of `width` bytes. With width 0, all values are `base`. With width 8, they are raw. A link is
///   0 (none) or the target's key + 1.
/// - Booleans are a bitmap. Floats, doubles, decimals, object ids and UUIDs are their bytes.
/// - Timestamps are seconds like integers, padded to eight bytes, followed by 32-bit nanoseconds if any aren't zero.
/// - Strings, data and inline lists are `count + 1` offsets of `width` bytes, padded to eight bytes, followed by the bytes.
/// - A split leaf is a head without values. Its parts are separate leaves.
///
/// Slots from `count` on, and columns without a leaf, have the column's default. The values in slots of deleted objects are arbitrary. Null slots
/// contain zero bits. The address is aligned to eight bytes. The accessors don't check `slot < count`.
///
/// The type is public so that getters of objects can be inlined, because `package` functions aren't inlined into other modules.
@frozen public struct Leaf {
    public let address: UnsafeRawPointer

    @inlinable public static var headerSize: Int { 16 }
    /// A bit of the codec byte that is set for an inline list. The other bits are the element's type.
    static let listCodec: UInt8 = 0x40

    public enum Flag {
        @inlinable public static var nulls: UInt8 { 1 }
        @inlinable public static var split: UInt8 { 2 }
        @inlinable public static var references: UInt8 { 4 }
        @inlinable public static var nanoseconds: UInt8 { 8 }
    }

    @inlinable @inline(__always) public init(_ address: UnsafeRawPointer) { self.address = address }

    @inline(__always) var codec: UInt8 { address.load(as: UInt8.self) }
    @inlinable @inline(__always) public var width: Int { Int(address.load(fromByteOffset: 1, as: UInt8.self)) }
    @inlinable @inline(__always) public var flags: UInt8 { address.load(fromByteOffset: 2, as: UInt8.self) }
    /// The logarithm of the number of parts of a split leaf, which is `1 << partsLog2`.
    @inline(__always) var partsLog2: Int { Int(address.load(fromByteOffset: 3, as: UInt8.self)) }
    /// The number of slots that the leaf covers, from 0.
    @inlinable @inline(__always) public var count: Int { Int(address.load(fromByteOffset: 4, as: UInt32.self)) }
    @inlinable @inline(__always) public var base: Int64 { address.load(fromByteOffset: 8, as: Int64.self) }

    @inlinable @inline(__always) public var hasNulls: Bool { flags & Flag.nulls != 0 }
    @inline(__always) var isSplit: Bool { flags & Flag.split != 0 }
    @inlinable @inline(__always) public var hasReferences: Bool { flags & Flag.references != 0 }
    @inline(__always) var hasNanoseconds: Bool { flags & Flag.nanoseconds != 0 }

    /// Returns the number of slots that each part of a split leaf covers. The last parts may cover fewer.
    @inline(__always)
    static func partSpan(clusterSpan: Int, partsLog2: Int) -> Int {
        (clusterSpan + (1 << partsLog2) - 1) >> partsLog2
    }

    // MARK: Bitmaps

    @inlinable @inline(__always) public var bitmapSize: Int { ((count + 63) >> 6) << 3 }

    /// A bitmap in which the bits of null slots are set, or `nil` if no slot is null.
    @inlinable @inline(__always) public var nullBitmap: UnsafePointer<UInt64>? {
        hasNulls ? (address + Leaf.headerSize).assumingMemoryBound(to: UInt64.self) : nil
    }

    /// A bitmap in which the bits of values that are stored outside are set, or `nil` if no value is.
    @inlinable @inline(__always) public var referenceBitmap: UnsafePointer<UInt64>? {
        guard hasReferences else { return nil }
        return (address + (Leaf.headerSize + (hasNulls ? bitmapSize : 0))).assumingMemoryBound(to: UInt64.self)
    }

    /// The address of the values. For strings, it is that of their offsets.
    @inlinable @inline(__always) public var valuesPointer: UnsafeRawPointer {
        let f = flags
        let bitmaps = Int(f & 1) + Int((f >> 2) & 1)
        return address + (Leaf.headerSize + bitmaps * bitmapSize)
    }

    @inlinable @inline(__always) public func isNull(_ slot: Int) -> Bool {
        guard let bits = nullBitmap else { return false }
        return bits[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }

    @inlinable @inline(__always) public func isReference(_ slot: Int) -> Bool {
        guard let bits = referenceBitmap else { return false }
        return bits[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }

    // MARK: Values

    /// Returns an integer, a link in its stored form, or a timestamp's seconds.
    @inlinable @inline(__always) public func int(_ slot: Int) -> Int64 {
        let p = valuesPointer
        switch width {
        case 0: return base
        case 1: return base &+ Int64(p.load(fromByteOffset: slot, as: UInt8.self))
        case 2: return base &+ Int64(p.load(fromByteOffset: slot << 1, as: UInt16.self))
        case 4: return base &+ Int64(p.load(fromByteOffset: slot << 2, as: UInt32.self))
        default: return p.load(fromByteOffset: slot << 3, as: Int64.self)
        }
    }

    /// Returns the target's key, or `nil` for null.
    @inlinable @inline(__always) public func link(_ slot: Int) -> ObjectKey? {
        let raw = int(slot)
        return raw == 0 ? nil : ObjectKey(raw &- 1)
    }

    @inlinable @inline(__always) public func bool(_ slot: Int) -> Bool {
        let word = valuesPointer.load(fromByteOffset: (slot >> 6) << 3, as: UInt64.self)
        return word >> UInt64(slot & 63) & 1 != 0
    }

    @inline(__always) func float(_ slot: Int) -> Float {
        valuesPointer.load(fromByteOffset: slot << 2, as: Float.self)
    }

    @inlinable @inline(__always) public func double(_ slot: Int) -> Double {
        valuesPointer.load(fromByteOffset: slot << 3, as: Double.self)
    }

    @inline(__always) func timestamp(_ slot: Int) -> (seconds: Int64, nanoseconds: Int32) {
        (int(slot), nanosecondsPointer.map { Int32(bitPattern: $0[slot]) } ?? 0)
    }

    /// The nanoseconds of a timestamp leaf, or `nil` if all of them are zero.
    @inline(__always) var nanosecondsPointer: UnsafePointer<UInt32>? {
        guard hasNanoseconds else { return nil }
        return (valuesPointer + (count * width + 7) & ~7).assumingMemoryBound(to: UInt32.self)
    }

    /// Returns the bytes of an object id.
    @inline(__always) func fixed12(_ slot: Int) -> UnsafeRawPointer { valuesPointer + slot * 12 }

    /// Returns the bytes of a UUID or a decimal (`lo`, `hi`).
    @inline(__always) func fixed16(_ slot: Int) -> UnsafeRawPointer { valuesPointer + slot << 4 }

    // MARK: Bytes

    /// The address of the byte at offset 0.
    @inlinable @inline(__always) public var bytesArea: UnsafeRawPointer {
        valuesPointer + ((count + 1) * width + 7) & ~7
    }

    /// Returns the start of the slot's bytes in the bytes area. `offset(count)` is the area's length.
    @inlinable @inline(__always) public func offset(_ slot: Int) -> Int {
        width == 2
            ? Int(valuesPointer.load(fromByteOffset: slot << 1, as: UInt16.self))
            : Int(valuesPointer.load(fromByteOffset: slot << 2, as: UInt32.self))
    }

    /// Returns the slot's bytes in the leaf. For a reference, these are its 16 bytes.
    @inlinable @inline(__always) public func bytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let start = offset(slot)
        return UnsafeRawBufferPointer(start: bytesArea + start, count: offset(slot + 1) - start)
    }

    /// Returns the reference in a slot whose value is stored outside: the first block (or the list's root) and the length in bytes (or elements).
    @inline(__always) func reference(_ slot: Int) -> (block: UInt64, length: UInt64) {
        let p = bytesArea + offset(slot)
        return (p.loadUnaligned(as: UInt64.self), p.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
}
