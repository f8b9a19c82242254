#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
public import FreeholdSyncCore

/// A place in a change stream. To those who keep it, it is a text of which they know nothing.
///
/// It isn't secret: what may be seen is decided anew whenever somebody goes on. A token that was made up is refused when the store
/// compares its hash with the log's.
public struct ResumeToken: Hashable, Sendable {
    /// Behind which commit.
    public let cursor: Cursor
    /// How many objects of the next commit were told of already.
    public let passed: Int
    private let stream: UInt64

    init(_ stream: StreamName, _ cursor: Cursor, passed: Int = 0) {
        self.cursor = cursor
        self.passed = passed
        self.stream = Self.mark(stream)
    }

    /// The place behind all that a stream has.
    public init(at cursor: Cursor, of stream: StreamName) { self.init(stream, cursor) }

    /// The token of a text.
    ///
    /// - Returns: nil for a text that is none, or that is of another stream.
    public init?(_ text: String, of stream: StreamName) {
        guard text.utf8.count <= 200 else { return nil }
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), data.count == Self.size else { return nil }
        let bytes = [UInt8](data)
        func word(_ index: Int, _ width: Int = 8) -> UInt64 {
            bytes[index..<index + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let body = bytes[..<(Self.size - 4)]
        guard bytes[0] == 1, word(Self.size - 4, 4) == Self.check(body), word(1) == Self.mark(stream) else {
            return nil
        }
        let hash = RunningHash(high: word(25), low: word(33))
        self.stream = word(1)
        cursor = Cursor(epoch: word(9), version: word(17), hash: hash)
        passed = Int(word(41, 4))
        guard Self.text(of: bytes) == text else { return nil }
    }

    /// Letters, digits, `-` and `_`.
    public var text: String {
        var bytes: [UInt8] = [1]
        for word in [stream, cursor.epoch, cursor.version, cursor.hash.high, cursor.hash.low] {
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
        }
        for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: passed >> (8 * shift))) }
        let check = Self.check(bytes[...])
        for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: check >> (8 * UInt64(shift)))) }
        return Self.text(of: bytes)
    }

    private static let size = 1 + 5 * 8 + 4 + 4

    private static func text(of bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Against slips of the hand.
    private static func check(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        RunningHash.empty.appending(Array(bytes)).low & 0xFFFF_FFFF
    }

    private static func mark(_ stream: StreamName) -> UInt64 {
        var bytes = Array(stream.app.string.utf8)
        bytes.append(0)
        if let value = stream.value { bytes.appendExact(value) }
        return RunningHash.empty.appending(bytes).high
    }
}
