#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import Synchronization

/// A 12-byte BSON object id. It consists of 4 bytes of seconds since 1970, 5 bytes that identify the machine and process, and a 3-byte counter. All
/// are big-endian, so ids are approximately in the order of their creation.
///
/// ```swift
/// let id = ObjectId.generate()
/// let same = try ObjectId(string: id.stringValue)
/// ```
public struct ObjectId: Hashable, Comparable, Sendable {
    /// The bytes 0–7 and 8–11 as big-endian numbers, so that comparing them compares the bytes.
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt32

    @inlinable init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// Creates an id of twelve zero bytes.
    @inlinable public init() {
        high = 0
        low = 0
    }

    /// Creates an id from twelve bytes.
    /// - Precondition: the buffer contains at least 12 bytes.
    @inlinable public init(bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= ObjectId.byteCount, "An ObjectId has 12 bytes")
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    @inlinable init(leafBytes: UnsafeRawPointer) {
        high = UInt64(bigEndian: leafBytes.loadUnaligned(as: UInt64.self))
        low = UInt32(bigEndian: leafBytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    /// Writes the twelve bytes in their order.
    @inlinable public func copyBytes(to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: high.bigEndian, as: UInt64.self)
        target.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt32.self)
    }

    /// Calls `body` with the twelve bytes in their order.
    @inlinable public func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        var words = (high.bigEndian, low.bigEndian, UInt32(0))
        return try withUnsafePointer(to: &words) { (pointer) throws(E) -> R in
            try body(UnsafeRawBufferPointer(start: pointer, count: ObjectId.byteCount))
        }
    }

    @inlinable public static func < (a: ObjectId, b: ObjectId) -> Bool {
        a.high == b.high ? a.low < b.low : a.high < b.high
    }

    public static let byteCount = 12
}

extension ObjectId {
    private static let counter = Atomic<UInt32>(UInt32.random(in: 0 ... .max))
    /// 40 random bits, created once, which stand for the machine and process of the BSON specification.
    private static let processBits = UInt64.random(in: 0..<1 << 40)

    private static func nextCount() -> UInt32 {
        counter.add(1, ordering: .relaxed).newValue & 0xFF_FFFF
    }

    private init(seconds: UInt32, processBits: UInt64, count: UInt32) {
        high = UInt64(seconds) << 32 | processBits >> 8
        low = UInt32(processBits & 0xFF) << 24 | count
    }

    /// Returns a new id with the current second. The ids of one process are unique for up to 2²⁴ calls a second.
    public static func generate() -> ObjectId {
        ObjectId(seconds: seconds(of: Date()), processBits: processBits, count: nextCount())
    }

    /// Creates an id from the given parts. Its counter follows that of the last id.
    ///
    /// - Parameters:
    ///   - timestamp: the time, which is stored to the second, between 1970 and 2106.
    ///   - machineId: a number of which the lower 24 bits are used.
    ///   - processId: a number of which the lower 16 bits are used.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let bits =
            UInt64(truncatingIfNeeded: machineId & 0xFF_FFFF) << 16
            | UInt64(truncatingIfNeeded: processId & 0xFFFF)
        self.init(seconds: Self.seconds(of: timestamp), processBits: bits, count: Self.nextCount())
    }

    private static func seconds(of date: Date) -> UInt32 {
        let seconds = date.timeIntervalSince1970
        guard seconds > 0 else { return 0 }
        return seconds >= Double(UInt32.max) ? .max : UInt32(seconds)
    }

    /// The time at which the id was created, to the second.
    public var timestamp: Date { Date(timeIntervalSince1970: Double(high >> 32)) }
}

extension ObjectId: LosslessStringConvertible {
    /// Creates an id from 24 hexadecimal digits. Any other text is a programmer error and traps.
    public init(_ text: StaticString) {
        let string = text.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        guard let id = ObjectId(Substring(string)) else {
            fatalError("Freehold: '\(string)' isn't an ObjectId: 24 hexadecimal digits are needed")
        }
        self = id
    }

    /// Creates an id from 24 hexadecimal digits in upper or lower case. Returns `nil` for any other text. For a literal, the compiler chooses the
    /// initializer that traps.
    @_disfavoredOverload public init?(_ description: String) {
        self.init(Substring(description))
    }

    private init?(_ text: Substring) {
        guard text.utf8.count == 2 * Self.byteCount else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, digit) in text.utf8.enumerated() {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            if index < 16 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
        }
        self.init(high: high, low: UInt32(low))
    }

    /// The id as 24 lower-case hexadecimal digits.
    public var stringValue: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { digits in
            withUnsafeBytes { bytes in
                for (index, byte) in bytes.enumerated() {
                    digits[2 * index] = Self.hexDigit(byte >> 4)
                    digits[2 * index + 1] = Self.hexDigit(byte & 15)
                }
            }
            return 2 * Self.byteCount
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    public var description: String { stringValue }
}

extension ObjectId: Codable {
    /// Decodes 24 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ObjectId(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text)' isn't an ObjectId: 24 hexadecimal digits are needed"
            )
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
