import CryptoExtras
import Foundation
import Synchronization

/// The hash of a password: `scrypt$rounds$blockSize$parallelism$salt$hash`, with the salt and the hash in Base64.
struct PasswordHash: Hashable, Sendable {
    var rounds = 1 << 15
    var blockSize = 8
    var parallelism = 3
    var salt: [UInt8]
    var hash: [UInt8]

    /// - Throws: The errors of the derivation.
    init(_ password: String, rounds: Int = 1 << 15) throws {
        self.rounds = rounds
        var source = SystemRandomNumberGenerator()
        salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &source) }
        hash = []
        hash = try derive(password)
    }

    init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0] == "scrypt", let rounds = Int(parts[1]), let blockSize = Int(parts[2]),
            let parallelism = Int(parts[3]), let salt = Data(base64Encoded: parts[4]),
            let hash = Data(base64Encoded: parts[5]), (2...1 << 20).contains(rounds), (1...32).contains(blockSize),
            (1...16).contains(parallelism), hash.count == 32
        else { return nil }
        (self.rounds, self.blockSize, self.parallelism) = (rounds, blockSize, parallelism)
        (self.salt, self.hash) = (Array(salt), Array(hash))
    }

    var text: String {
        let (salt, hash) = (Data(salt).base64EncodedString(), Data(hash).base64EncodedString())
        return "scrypt$\(rounds)$\(blockSize)$\(parallelism)$\(salt)$\(hash)"
    }

    func matches(_ password: String) -> Bool {
        guard let other = try? derive(password) else { return false }
        return AccountSecret.equal(hash, other)
    }

    private func derive(_ password: String) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: Array(password.utf8),
            salt: salt,
            outputByteCount: 32,
            rounds: rounds,
            blockSize: blockSize,
            parallelism: parallelism
        )
        return key.withUnsafeBytes { Array($0) }
    }
}

/// A hasher of passwords with two threads of its own. Only few calls may wait, because each hash takes 32 MiB and a
/// part of a second.
final class PasswordHasher: Sendable {
    private let queue: OperationQueue
    private let waiting = Mutex(0)
    private let limit: Int
    private let rounds: Int

    /// - Parameter rounds: The number of rounds. Tests use fewer.
    init(limit: Int = 32, rounds: Int = 1 << 15) {
        (self.limit, self.rounds) = (limit, rounds)
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
    }

    /// Hashes a password.
    ///
    /// - Throws: `AccountError.tooMany` if too many calls wait.
    func hash(_ password: String) async throws -> String {
        let rounds = rounds
        return try await work { try PasswordHash(password, rounds: rounds).text }
    }

    /// Returns whether a password has a hash.
    ///
    /// - Parameter hash: The hash, or `nil` if the account doesn't exist. Then the call takes the same time and returns
    ///   `false`.
    func matches(_ password: String, _ hash: String?) async throws -> Bool {
        let rounds = rounds
        return try await work {
            guard let known = hash.flatMap(StoredPassword.init(text:)) else {
                _ = try PasswordHash(password, rounds: rounds)
                return false
            }
            return known.matches(password)
        }
    }

    private func work<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let isFree = waiting.withLock { waiting in
            if waiting >= limit { return false }
            waiting += 1
            return true
        }
        guard isFree else { throw AccountError.tooMany }
        defer { waiting.withLock { $0 -= 1 } }
        return try await withCheckedThrowingContinuation { continuation in
            queue.addOperation { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
