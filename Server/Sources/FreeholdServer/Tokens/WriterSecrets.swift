import Crypto
public import FreeholdSyncCore

/// The secrets of the files under which a store's submissions are written, derived from a secret of the server. All processes that have that secret
/// derive the same secrets.
public struct WriterSecrets: Sendable {
    private let key: SymmetricKey

    /// - Parameter secret: A secret of the server; see `ServerSecret`.
    public init(secret: String) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(secret.utf8)),
            info: Array("freehold writers 1".utf8),
            outputByteCount: 32
        )
    }

    /// Returns the secret of a stream's file.
    public func secret(of stream: StreamName) -> FileSecret {
        let value =
            switch stream.value {
            case nil: ""
            case .string(let name)?: "=" + name.string
            case let value?: ":\(value)"
            }
        // The name of an app can't contain NUL, so the text is unambiguous.
        let name = Array("\(stream.app.string)\0\(value)".utf8)
        let words = HMAC<SHA256>.authenticationCode(for: name, using: key).prefix(16).map { UInt64($0) }
        func word(_ bytes: ArraySlice<UInt64>) -> UInt64 { bytes.reduce(0) { $0 << 8 | $1 } }
        return FileSecret(high: word(words[..<8]), low: word(words[8...]))
    }
}
