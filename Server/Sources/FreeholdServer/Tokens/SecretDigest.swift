import Crypto

package enum SecretDigest {
    /// Returns the SHA-256 hash of a text, in hexadecimal digits.
    package static func hexadecimal(_ text: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        for byte in SHA256.hash(data: Array(text.utf8)) {
            result.append(digits[Int(byte >> 4)])
            result.append(digits[Int(byte & 15)])
        }
        return String(decoding: result, as: UTF8.self)
    }
}
