#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The slots of a hash table with open addressing. At most half of the slots are used.
struct HashSlots: Sendable {
    /// The index of a stored value, or -1 for a free slot.
    private var slots: [Int32]
    private let mask: Int

    init(capacity: Int) {
        var size = 4
        while size < 2 * capacity { size <<= 1 }
        slots = [Int32](repeating: -1, count: size)
        mask = size - 1
    }

    /// Returns a hash in which differences of few bits are spread over all bits.
    @inline(__always)
    static func mix(_ a: UInt64, with b: UInt64 = 0) -> UInt64 {
        let product = (a ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: b ^ 0xbf58_476d_1ce4_e5b9)
        return product.high ^ product.low
    }

    /// Returns the stored index for which `isEqual` returns true.
    @inline(__always)
    func find(_ hash: UInt64, _ isEqual: (Int) -> Bool) -> Int? {
        var i = Int(truncatingIfNeeded: hash) & mask
        return slots.withUnsafeBufferPointer { slots in
            while slots[i] >= 0 {
                if isEqual(Int(slots[i])) { return Int(slots[i]) }
                i = (i &+ 1) & mask
            }
            return nil
        }
    }

    mutating func insert(_ index: Int, _ hash: UInt64) {
        var i = Int(truncatingIfNeeded: hash) & mask
        while slots[i] >= 0 { i = (i &+ 1) & mask }
        slots[i] = Int32(index)
    }
}

/// A set of strings or of data values.
struct BytesSet: Sendable, RandomAccessCollection {
    private var slots: HashSlots
    /// The bytes of all values, one after the other.
    private var bytes: [UInt8] = []
    private var ends: [Int] = [0]
    /// Bit `n & 63` is set if a value has `n` bytes.
    private var lengths: UInt64 = 0

    init(_ all: [[UInt8]]) {
        slots = HashSlots(capacity: all.count)
        for value in all {
            let isThere = value.withUnsafeBytes { contains($0) }
            if isThere { continue }
            let hash = value.withUnsafeBytes { Self.hash($0) }
            slots.insert(ends.count - 1, hash)
            bytes += value
            ends.append(bytes.count)
            lengths |= 1 << UInt64(value.count & 63)
        }
    }

    func contains(_ value: UnsafeRawBufferPointer) -> Bool {
        if lengths >> UInt64(value.count & 63) & 1 == 0 { return false }
        return bytes.withUnsafeBytes { bytes in
            slots.find(Self.hash(value)) { i in
                let start = ends[i]
                let count = ends[i + 1] - start
                return count == value.count
                    && (count == 0 || memcmp(bytes.baseAddress! + start, value.baseAddress!, count) == 0)
            } != nil
        }
    }

    // MARK: Removal of duplicates

    var startIndex: Int { 0 }
    var endIndex: Int { ends.count - 1 }
    subscript(i: Int) -> [UInt8] { Array(bytes[ends[i]..<ends[i + 1]]) }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(bytes.count)
        var i = 0
        while i + 8 <= bytes.count {
            hash = HashSlots.mix(hash, with: bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            i += 8
        }
        var rest: UInt64 = 0
        while i < bytes.count {
            rest = rest << 8 | UInt64(bytes[i])
            i += 1
        }
        return HashSlots.mix(hash, with: rest)
    }
}

/// A large set of integers, as a bitmap if the integers are close together, and as a hash table otherwise.
struct IntSet: Sendable {
    private let base: Int64
    private let bits: [UInt64]
    private let slots: HashSlots
    private let values: [Int64]

    /// - Parameter values: in ascending order, not empty.
    init(_ values: [Int64]) {
        let span = values.last!.subtractingReportingOverflow(values.first!)
        base = values.first!
        if !span.overflow, span.partialValue < max(1 << 16, 512 * values.count) {
            var bits = [UInt64](repeating: 0, count: Int(span.partialValue) >> 6 + 1)
            for value in values {
                let place = Int(value - base)
                bits[place >> 6] |= 1 << UInt64(place & 63)
            }
            self.bits = bits
            self.values = []
            slots = HashSlots(capacity: 0)
        } else {
            bits = []
            self.values = values
            var slots = HashSlots(capacity: values.count)
            for (i, value) in values.enumerated() { slots.insert(i, HashSlots.mix(UInt64(bitPattern: value))) }
            self.slots = slots
        }
    }

    /// Sets `mask[i]` to whether the set contains the i-th integer.
    @inline(__always)
    func fill(_ mask: Mask, _ n: Int, isNegated: Bool, value: (Int) -> Int64) {
        let found: UInt8 = isNegated ? 0 : 1
        if bits.isEmpty {
            values.withUnsafeBufferPointer { values in
                for i in 0..<n {
                    let x = value(i)
                    let isIn = slots.find(HashSlots.mix(UInt64(bitPattern: x))) { values[$0] == x } != nil
                    mask[i] = isIn ? found : found ^ 1
                }
            }
            return
        }
        let limit = UInt64(bits.count) << 6
        bits.withUnsafeBufferPointer { bits in
            for i in 0..<n {
                let place = UInt64(bitPattern: value(i) &- base)
                let isIn = place < limit && bits[Int(truncatingIfNeeded: place >> 6)] >> (place & 63) & 1 != 0
                mask[i] = isIn ? found : found ^ 1
            }
        }
    }
}

/// A large set of values of 12 or 16 bytes, stored as two words each.
struct WordsSet: Sendable {
    private var slots: HashSlots
    private var values: [(UInt64, UInt64)] = []

    init(_ all: [(UInt64, UInt64)]) {
        slots = HashSlots(capacity: all.count)
        for value in all where !contains(value.0, and: value.1) {
            slots.insert(values.count, HashSlots.mix(value.0, with: value.1))
            values.append(value)
        }
    }

    func contains(_ a: UInt64, and b: UInt64) -> Bool {
        values.withUnsafeBufferPointer { values in
            slots.find(HashSlots.mix(a, with: b)) { values[$0].0 == a && values[$0].1 == b } != nil
        }
    }
}
