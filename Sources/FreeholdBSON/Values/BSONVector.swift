/// The numbers of a binary value with subtype 9, in BSON's packed form for similarity searches.
public enum BSONVector: Hashable, Sendable {
    case int8([Int8])
    case float32([Float])
    /// Bits, beginning with the highest of the first byte. The last `padding` bits, 0 to 7, aren't part of the vector
    /// and are 0.
    case packedBit(bytes: [UInt8], padding: Int)

    fileprivate static let int8Type: UInt8 = 0x03
    fileprivate static let packedBitType: UInt8 = 0x10
    fileprivate static let float32Type: UInt8 = 0x27
}

extension BSONBinary {
    /// Creates a binary value with subtype 9 from a vector.
    ///
    /// - Throws: ``BSONError/Code/invalidVector`` if a padding isn't in 0 to 7, has no byte to pad, or hides bits that
    ///   are set.
    public init(_ vector: BSONVector) throws(BSONError) {
        var bytes: [UInt8]
        switch vector {
        case .int8(let numbers):
            bytes = [BSONVector.int8Type, 0]
            bytes += numbers.lazy.map { UInt8(bitPattern: $0) }
        case .float32(let numbers):
            bytes = [BSONVector.float32Type, 0]
            bytes.reserveCapacity(2 + 4 * numbers.count)
            for number in numbers { withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 } }
        case .packedBit(let packed, let padding):
            guard let small = UInt8(exactly: padding) else { throw Self.badPadding(padding) }
            bytes = [BSONVector.packedBitType, small]
            bytes += packed
        }
        self.init(bytes: bytes, subtype: .vector)
        _ = try self.vector()
    }

    /// Returns the vector of a value with subtype 9.
    ///
    /// - Throws: ``BSONError/Code/invalidVector`` for another subtype, an unknown type of number, an incomplete last
    ///   number, and a padding that is out of range or hides bits that are set.
    /// - Complexity: O(*n*).
    public func vector() throws(BSONError) -> BSONVector {
        guard subtype == .vector else {
            throw BSONError(.invalidVector, "A vector has subtype 9, not \(subtype.rawValue)")
        }
        guard bytes.count >= 2 else { throw BSONError(.invalidVector, "A vector begins with a type and a padding") }
        let padding = Int(bytes[1])
        guard padding == 0 || bytes[0] == BSONVector.packedBitType else {
            throw BSONError(.invalidVector, "Only a vector of bits may have padding")
        }
        let packed = bytes[2...]
        switch bytes[0] {
        case BSONVector.int8Type:
            return .int8(packed.map { Int8(bitPattern: $0) })
        case BSONVector.float32Type:
            guard packed.count % 4 == 0 else {
                throw BSONError(.invalidVector, "\(packed.count) bytes aren't a whole number of floats")
            }
            let numbers = packed.withUnsafeBytes { raw in
                stride(from: 0, to: raw.count, by: 4).map { offset in
                    Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                }
            }
            return .float32(numbers)
        case BSONVector.packedBitType:
            guard padding <= 7, padding == 0 || !packed.isEmpty else { throw Self.badPadding(padding) }
            if let last = packed.last, last & (1 << padding - 1) != 0 {
                throw BSONError(.invalidVector, "Bits of the padding are set")
            }
            return .packedBit(bytes: Array(packed), padding: padding)
        default:
            throw BSONError(.invalidVector, "\(bytes[0]) stands for no type of number")
        }
    }

    private static func badPadding(_ padding: Int) -> BSONError {
        BSONError(.invalidVector, "A padding of \(padding) bits: 0 to 7 are possible, and only 0 without bytes")
    }
}
