import CryptoExtras
import Foundation

/// The hash of a password, in the server's own form or in a form of other servers. Users that were imported have the
/// latter until their first log-in.
enum StoredPassword: Sendable {
    case scrypt(PasswordHash)
    case pbkdf2(PBKDF2Hash)
    case bcrypt(BcryptHash)

    /// - Returns: `nil` for a text in an unknown form, and for a hash whose check would take too long.
    init?(text: String) {
        if let hash = PasswordHash(text: text) {
            self = .scrypt(hash)
        } else if let hash = PBKDF2Hash(text: text) {
            self = .pbkdf2(hash)
        } else if let hash = BcryptHash(text: text) {
            self = .bcrypt(hash)
        } else {
            return nil
        }
    }

    func matches(_ password: String) -> Bool {
        switch self {
        case .scrypt(let hash): hash.matches(password)
        case .pbkdf2(let hash): hash.matches(password)
        case .bcrypt(let hash): hash.matches(password)
        }
    }
}

/// A hash by PBKDF2 (RFC 8018): `pbkdf2-sha256$rounds$salt$hash`, with the salt and the hash in Base64. The function is
/// `sha1`, `sha256`, `sha384` or `sha512`.
struct PBKDF2Hash: Hashable, Sendable {
    let function: KDF.Insecure.PBKDF2.HashFunction
    let rounds: Int
    let salt: [UInt8]
    let hash: [UInt8]

    private static let functions: [String: KDF.Insecure.PBKDF2.HashFunction] = [
        "pbkdf2-sha1": .insecureSHA1, "pbkdf2-sha256": .sha256, "pbkdf2-sha384": .sha384, "pbkdf2-sha512": .sha512,
    ]

    init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let function = Self.functions[parts[0]], let rounds = Int(parts[1]),
            (1...5_000_000).contains(rounds), let salt = Data(base64Encoded: parts[2]), salt.count <= 1_024,
            let hash = Data(base64Encoded: parts[3]), (16...128).contains(hash.count)
        else { return nil }
        (self.function, self.rounds, self.salt, self.hash) = (function, rounds, Array(salt), Array(hash))
    }

    func matches(_ password: String) -> Bool {
        let bytes = Array(password.utf8)
        // HMAC appends bytes 0 to short keys, so a password with such an end would match, too.
        guard !bytes.contains(0) else { return false }
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
            from: bytes,
            salt: salt,
            using: function,
            outputByteCount: hash.count,
            unsafeUncheckedRounds: rounds
        )
        guard let key else { return false }
        return AccountSecret.equal(hash, key.withUnsafeBytes { Array($0) })
    }
}

/// A hash by bcrypt (Provos and Mazières, 1999): `$2b$`, `$2a$` or `$2y$`, two digits of the cost, `$`, 22 characters of
/// the salt and 31 of the hash.
struct BcryptHash: Hashable, Sendable {
    /// The largest cost. A greater one would occupy the server for seconds at each attempt.
    static let mostCost = 14

    let cost: Int
    let salt: [UInt8]
    let hash: [UInt8]

    init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]), parts[2].utf8.count == 2,
            let cost = Int(parts[2]), (4...Self.mostCost).contains(cost), parts[3].utf8.count == 53,
            let salt = Self.bytes(parts[3].prefix(22)), let hash = Self.bytes(parts[3].dropFirst(22))
        else { return nil }
        (self.cost, self.salt, self.hash) = (cost, salt, hash)
    }

    func matches(_ password: String) -> Bool {
        // A password with a NUL would end there in other programs.
        let bytes = Array(password.utf8)
        guard !bytes.contains(0) else { return false }
        return AccountSecret.equal(hash, Blowfish.bcrypt(password: bytes, salt: salt, cost: cost))
    }

    private static let digits = Array("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Returns the whole bytes of a text in bcrypt's own Base64.
    private static func bytes(_ text: Substring) -> [UInt8]? {
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        for character in text.utf8 {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            (bits, count) = (bits << 6 | UInt32(digit), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= 1 << UInt32(count) - 1
        }
        return bytes
    }
}
