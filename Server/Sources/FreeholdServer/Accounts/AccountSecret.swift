package import Foundation

/// Secrets of accounts. The store only contains their hashes.
package enum AccountSecret {
    /// Returns 256 random bits, as letters and digits of Base64 for URLs.
    package static func make() -> String {
        var source = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &source) }
        return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// Returns an identifier in the format of an `ObjectId`: four bytes of time, and eight random bytes.
    package static func identifier(_ now: Date = Date()) -> String {
        let seconds = UInt32(clamping: Int64(now.timeIntervalSince1970))
        let chance = UInt64.random(in: .min ... .max)
        return hexadecimal(UInt64(seconds), 8) + hexadecimal(chance, 16)
    }

    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 24 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func hexadecimal(_ number: UInt64, _ width: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(width - text.count, 0)) + text
    }

    /// Returns whether two texts are equal. For texts of one length, the duration doesn't depend on their content.
    static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (a, b) in zip(left, right) { difference |= a ^ b }
        return difference == 0
    }

    static func equal(_ left: String, _ right: String) -> Bool { equal(Array(left.utf8), Array(right.utf8)) }
}
