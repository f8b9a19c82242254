import Synchronization

/// The key that each request of the page must contain: 256 random bits. The fragment of the page's address contains it. Browsers don't send the
/// fragment to servers.
public struct StudioKey: Sendable {
    private let bytes: [UInt8]

    public init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
    }

    /// The key as 64 hexadecimal digits.
    public var text: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Returns a Boolean value that indicates whether a text is the key. The duration depends only on the length of the text.
    public func matches(_ text: String) -> Bool {
        let (own, given) = (Array(self.text.utf8), Array(text.utf8))
        guard own.count == given.count else { return false }
        var difference: UInt8 = 0
        for i in own.indices { difference |= own[i] ^ given[i] }
        return difference == 0
    }
}

/// Counts attempts with wrong keys. Any thread may use it.
final class KeyAttempts: Sendable {
    private let wrong = Mutex(0)
    private let report: @Sendable () -> Void
    private static let free = 3

    /// - Parameter report: A closure that is called once, after the third wrong key.
    init(_ report: @escaping @Sendable () -> Void) { self.report = report }

    /// The milliseconds that an attempt waits before it is examined.
    var delay: Int64 { wrong.withLock { $0 >= Self.free ? 1_000 : 0 } }

    func noteWrong() {
        let count = wrong.withLock { count in
            count += 1
            return count
        }
        if count == Self.free { report() }
    }
}
