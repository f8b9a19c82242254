import Crypto
import Foundation
import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncDocuments

/// The encryption of positions before clients receive them.
///
/// A position is the place of an object in the store or in the log, which depends on objects that the client may not
/// see. A client returns it without reading it. A position is valid for one user, one stream and one request. Positions
/// of one kind have equal lengths for all objects.
struct SealedPositions: Sendable {
    /// The context of a position. A position can't be decrypted in another context.
    struct Context: Sendable {
        fileprivate let bytes: [UInt8]

        /// - Parameters:
        ///   - kind: The kind of the position.
        ///   - parts: The request that the position continues.
        init(_ kind: String, _ access: StreamAccess, _ parts: [String] = []) {
            var bytes: [UInt8] = []
            func add(_ part: [UInt8]) {
                withUnsafeBytes(of: UInt64(part.count).littleEndian) { bytes += $0 }
                bytes += part
            }
            let value =
                switch access.stream.value {
                case nil: ""
                case .string(let name)?: "=" + name.string
                case let value?: ":\(value)"
                }
            for text in [kind, access.user.string, access.stream.app.string, value] + parts { add(Array(text.utf8)) }
            self.bytes = bytes
        }
    }

    /// The first character of each position. Keys and plain tokens of earlier versions rarely begin with it.
    static let mark: Character = "~"
    private static let longest = 1 << 20
    private let key: SymmetricKey

    /// - Parameter secret: A secret of the server, from which the key is derived. If it is `nil`, positions become
    ///   invalid with the end of the process.
    init(secret: String?) {
        key =
            secret.map { secret in
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: Array(secret.utf8)),
                    info: Array("freehold positions 1".utf8),
                    outputByteCount: 32
                )
            } ?? SymmetricKey(size: .bits256)
    }

    /// Returns the key of a context. Each context has its own key, so that random nonces don't repeat, regardless of
    /// the number of positions.
    private func key(_ context: Context) -> SymmetricKey {
        SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: context.bytes, using: key))
    }

    /// Returns the text of a position: ``mark``, followed by letters, digits, `-` and `_`.
    func seal(_ position: [UInt8], _ context: Context) throws -> String {
        Self.text(try ChaChaPoly.seal(position, using: key(context)).combined)
    }

    private static func text(_ data: Data) -> String {
        let text = data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return "\(mark)" + text.replacing("=", with: "")
    }

    /// Returns the position of a text. Returns `nil` for a text that is damaged, or that belongs to another server,
    /// user, stream or request.
    func open(_ text: String, _ context: Context) -> [UInt8]? {
        guard text.first == Self.mark, text.utf8.count <= Self.longest else { return nil }
        var base64 = text.dropFirst().replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        // Each position has exactly one text.
        guard let data = Data(base64Encoded: String(base64)), Self.text(data) == text,
            let box = try? ChaChaPoly.SealedBox(combined: data),
            let bytes = try? ChaChaPoly.open(box, using: key(context))
        else { return nil }
        return [UInt8](bytes)
    }
}

extension SealedPositions {
    private static let keyBytes = 96

    /// Returns the position after a key that was read.
    ///
    /// - Parameters:
    ///   - key: The key of the last object that was read. It may be hidden.
    ///   - shown: The key of the last object that the client receives.
    ///   - start: The key after which the request began.
    func seal(
        behind key: PrimaryKey,
        shown: PrimaryKey?,
        start: PrimaryKey?,
        _ context: Context
    ) throws -> String {
        var position = key
        // The length of a long key would be visible. A prefix of the key is a valid position, too, if it isn't before
        // the client's last key.
        if position != shown, case .string(let text) = key, text.string.utf8.count > Self.keyBytes {
            var short = ""
            for scalar in text.string.unicodeScalars {
                short.unicodeScalars.append(scalar)
                guard short.utf8.count <= Self.keyBytes else {
                    short.unicodeScalars.removeLast()
                    break
                }
            }
            let least = max(shown ?? .null, start ?? .null)
            let cut = PrimaryKey.string(SyncString(short))
            position = cut > least ? cut : shown.map { $0 > start ?? .null ? $0 : key } ?? key
        }
        let text = Array(try BSONDocument([(key: "k", value: BSONValue(key: position))]).extendedJSON(.canonical).utf8)
        var size = 160
        while size < text.count + 8 { size *= 2 }
        var bytes: [UInt8] = []
        withUnsafeBytes(of: UInt64(text.count).littleEndian) { bytes += $0 }
        bytes += text
        return try seal(bytes + Array(repeating: 0, count: size - bytes.count), context)
    }

    /// Returns the key after which a page begins. Returns `nil` for a text that isn't a position of the request.
    func key(_ text: String, _ context: Context) -> PrimaryKey? {
        guard let bytes = open(text, context), bytes.count >= 8 else { return nil }
        let count = bytes[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard count <= UInt64(bytes.count - 8) else { return nil }
        let text = String(decoding: bytes[8..<8 + Int(count)], as: UTF8.self)
        return (try? BSONValue(extendedJSON: text))?.documentValue?["k"].flatMap { PrimaryKey($0) }
    }
}
