// The only file that uses the library of ciphers. The package's trait `Encryption`, which is enabled by default, adds this library. Without it,
// encrypted files are refused.
#if Encryption
    internal import Crypto

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    struct SecretKey: Sendable {
        fileprivate let key: SymmetricKey
    }

    enum BlockCryptography {
        static let isAvailable = true

        /// Returns the key of a file, by the extract step of HKDF.
        static func extract(_ key: EncryptionKey, salt: [UInt8]) -> SecretKey {
            let material = key.withUnsafeBytes { SymmetricKey(data: $0) }
            let code = HKDF<SHA256>.extract(inputKeyMaterial: material, salt: salt)
            return code.withUnsafeBytes { SecretKey(key: SymmetricKey(data: $0)) }
        }

        /// Returns a key for one purpose, by the expand step of HKDF.
        static func expand(_ key: SecretKey, _ purpose: [UInt8]) -> SecretKey {
            SecretKey(key: HKDF<SHA256>.expand(pseudoRandomKey: key.key, info: purpose, outputByteCount: 32))
        }

        /// Returns the HMAC-SHA-256 of the bytes.
        static func code(of bytes: UnsafeRawBufferPointer, _ key: SecretKey) -> [UInt8] {
            HMAC<SHA256>.authenticationCode(for: bytes, using: key.key).withUnsafeBytes { Array($0) }
        }

        /// Returns whether a code is that of the bytes. The comparison takes constant time.
        static func isValid(_ code: [UInt8], of bytes: UnsafeRawBufferPointer, _ key: SecretKey) -> Bool {
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key.key)
        }

        /// Encrypts bytes with AES-256-GCM: writes the nonce (12 bytes), the ciphertext and the tag (16 bytes).
        static func seal(
            _ plain: UnsafeRawBufferPointer,
            _ key: SecretKey,
            nonce: UnsafeRawBufferPointer,
            authenticating associated: UnsafeRawBufferPointer,
            into out: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.seal(plain, using: key.key, nonce: nonce, authenticating: associated),
                let combined = box.combined, combined.count == out.count
            else { return false }
            combined.withUnsafeBytes { out.copyMemory(from: $0) }
            return true
        }

        /// Decrypts the bytes that `seal` wrote. Returns false if they were changed.
        static func open(
            _ sealed: UnsafeRawBufferPointer,
            _ key: SecretKey,
            authenticating associated: UnsafeRawBufferPointer,
            into out: UnsafeMutableRawBufferPointer
        ) -> Bool {
            let start = UnsafeMutableRawPointer(mutating: sealed.baseAddress!)
            let data = Data(bytesNoCopy: start, count: sealed.count, deallocator: .none)
            guard let box = try? AES.GCM.SealedBox(combined: data),
                let plain = try? AES.GCM.open(box, using: key.key, authenticating: associated),
                plain.count == out.count
            else { return false }
            plain.withUnsafeBytes { out.copyMemory(from: $0) }
            return true
        }
    }
#else
    struct SecretKey: Sendable {}

    /// These functions are never called, because a `FileCipher` isn't created.
    enum BlockCryptography {
        static let isAvailable = false

        static func extract(_ key: EncryptionKey, salt: [UInt8]) -> SecretKey { SecretKey() }
        static func expand(_ key: SecretKey, _ purpose: [UInt8]) -> SecretKey { SecretKey() }
        static func code(of bytes: UnsafeRawBufferPointer, _ key: SecretKey) -> [UInt8] { [] }
        static func isValid(_ code: [UInt8], of bytes: UnsafeRawBufferPointer, _ key: SecretKey) -> Bool { false }

        static func seal(
            _ plain: UnsafeRawBufferPointer,
            _ key: SecretKey,
            nonce: UnsafeRawBufferPointer,
            authenticating associated: UnsafeRawBufferPointer,
            into out: UnsafeMutableRawBufferPointer
        ) -> Bool { false }

        static func open(
            _ sealed: UnsafeRawBufferPointer,
            _ key: SecretKey,
            authenticating associated: UnsafeRawBufferPointer,
            into out: UnsafeMutableRawBufferPointer
        ) -> Bool { false }
    }
#endif
