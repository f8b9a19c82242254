import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The signature of a ``HookSink``'s request, which proves its origin: the header
/// `Freehold-Signature: t=SECONDS,v1=HEX`.
///
/// `HEX` is the HMAC-SHA256, with the secret as its key, of the seconds since 1970, a dot, the `Idempotency-Key`, a
/// dot, and the body. The header has one `v1` for each secret, so that secrets can be exchanged. The time lets
/// receivers refuse old requests that an attacker repeats.
public enum HookSignature {
    /// Returns the value of the header.
    public static func header(secrets: [String], time: Int64, key: String, body: [UInt8]) -> String {
        (["t=\(time)"] + secrets.map { "v1=" + code(secret: $0, time: time, key: key, body: body) })
            .joined(separator: ",")
    }

    /// Returns whether a header is valid, for receivers in Swift and for tests.
    ///
    /// - Parameters:
    ///   - now: The time in seconds since 1970.
    ///   - tolerance: The maximum difference between the header's time and `now`, in seconds.
    /// - Complexity: O(*n*). The duration doesn't depend on the place at which the codes differ.
    public static func isValid(
        _ header: String,
        secret: String,
        key: String,
        body: [UInt8],
        now: Int64,
        tolerance: Int64 = 300
    ) -> Bool {
        var time: Int64?
        var codes: [String] = []
        for part in header.split(separator: ",").prefix(20) {
            if part.hasPrefix("t=") { time = Int64(part.dropFirst(2)) }
            if part.hasPrefix("v1=") { codes.append(String(part.dropFirst(3))) }
        }
        guard let time, time >= now - tolerance, time <= now + tolerance else { return false }
        let message = message(time, key, body)
        return codes.contains { code in
            guard let bytes = bytes(code) else { return false }
            return HMAC<SHA256>.isValidAuthenticationCode(
                bytes,
                authenticating: message,
                using: SymmetricKey(data: Data(secret.utf8))
            )
        }
    }

    private static func code(secret: String, time: Int64, key: String, body: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: message(time, key, body),
            using: SymmetricKey(data: Data(secret.utf8))
        )
        return code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func message(_ time: Int64, _ key: String, _ body: [UInt8]) -> Data {
        Data("\(time).\(key).".utf8) + Data(body)
    }

    private static func bytes(_ hex: String) -> Data? {
        let digits = Array(hex.utf8)
        guard digits.count == 64 else { return nil }
        var data = Data()
        for index in stride(from: 0, to: 64, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            data.append(byte)
        }
        return data
    }
}
