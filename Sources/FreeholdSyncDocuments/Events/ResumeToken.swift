#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
public import FreeholdSyncCore

/// A position in a change stream.
///
/// The position counts all objects that a commit changed, also those that its reader may not see. A server that hides objects therefore encrypts
/// ``bytes`` before it sends a token to a reader, and accepts a plain ``text`` only for ``atCommit``. The reader's rights are evaluated again when
/// the reader continues. A forged token is refused, because the store compares its hash with the hash of the log.
public struct ResumeToken: Hashable, Sendable {
    /// The commit after which the reader continues.
    public let cursor: Cursor
    /// The number of objects of the next commit whose events the reader has received.
    public let passed: Int
    private let stream: UInt64

    init(_ stream: StreamName, _ cursor: Cursor, passed: Int = 0) {
        self.init(mark: Self.mark(stream), cursor, passed: passed)
    }

    private init(mark: UInt64, _ cursor: Cursor, passed: Int) {
        self.cursor = cursor
        self.passed = passed
        stream = mark
    }

    /// The position after the last whole commit. A reader that continues there receives all events of the next commit.
    public var atCommit: ResumeToken { ResumeToken(mark: stream, cursor, passed: 0) }

    /// Creates the position after everything in a stream.
    public init(at cursor: Cursor, of stream: StreamName) { self.init(stream, cursor) }

    /// Creates a token from its text.
    ///
    /// - Returns: `nil` for a text that isn't a token, or that belongs to another stream.
    public init?(_ text: String, of stream: StreamName) {
        guard text.utf8.count <= 200 else { return nil }
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64) else { return nil }
        self.init([UInt8](data), of: stream)
        guard self.text == text else { return nil }
    }

    /// The token of its ``bytes``.
    /// - Returns: `nil` for bytes that aren't a token, or that are a token of another stream.
    public init?(_ bytes: [UInt8], of stream: StreamName) {
        guard bytes.count == Self.size else { return nil }
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
    }

    /// The token as a text of letters, digits, `-` and `_`.
    public var text: String { Self.text(of: bytes) }

    /// The position as bytes. All positions have the same number of bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [1]
        for word in [stream, cursor.epoch, cursor.version, cursor.hash.high, cursor.hash.low] {
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
        }
        for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: passed >> (8 * shift))) }
        let check = Self.check(bytes[...])
        for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: check >> (8 * UInt64(shift)))) }
        return bytes
    }

    private static let size = 1 + 5 * 8 + 4 + 4

    private static func text(of bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns a check sum that detects typing errors.
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
