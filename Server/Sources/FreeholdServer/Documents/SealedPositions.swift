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
    /// The maximum number of bytes of a key in a position, unless the client knows a longer key.
    private static let keyBytes = 96
    /// The number of bytes of a position in addition to its key.
    private static let frameBytes = 32

    /// Returns the position after a key that was read.
    ///
    /// The length of the text depends on the keys that the client knows, and never on the key that was read. A key that is too long is shortened. The
    /// shortened text is a valid position: it is longer than the keys that the client knows, so it is after them in the order of keys.
    ///
    /// - Parameters:
    ///   - key: The key of the last object that was read. It may be hidden. It isn't before `shown`.
    ///   - shown: The key of the last object that the client receives.
    ///   - start: The key after which the request began.
    func seal(
        behind key: PrimaryKey,
        shown: PrimaryKey?,
        start: PrimaryKey?,
        _ context: Context
    ) throws -> String {
        let known = max(shown ?? .null, start ?? .null).textBytes
        // The maximum doubles with each request, so that only a few requests are needed for keys with a long common prefix.
        let most = max(Self.keyBytes, known + min(max(known, 4), 4_096))
        let document = try BSONDocument([(key: "k", value: BSONValue(key: key.cut(toBytes: most)))]).bytes()
        var size = 160
        while size < most + Self.frameBytes { size += min(size, 4_096) }
        var bytes: [UInt8] = []
        withUnsafeBytes(of: UInt64(document.count).littleEndian) { bytes += $0 }
        bytes += document
        precondition(bytes.count <= size, "A position is longer than its key allows.")
        return try seal(bytes + Array(repeating: 0, count: size - bytes.count), context)
    }

    /// Returns the key after which a page begins. Returns `nil` for a text that isn't a position of the request.
    func key(_ text: String, _ context: Context) -> PrimaryKey? {
        guard let bytes = open(text, context), bytes.count >= 8 else { return nil }
        let count = bytes[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard count <= UInt64(bytes.count - 8) else { return nil }
        let content = Array(bytes[8..<8 + Int(count)])
        // Earlier versions wrote JSON.
        let document =
            content.starts(with: Array("{\"".utf8))
            ? (try? BSONValue(extendedJSON: String(decoding: content, as: UTF8.self)))?.documentValue
            : try? BSONDocument(bytes: content)
        return document?["k"].flatMap { PrimaryKey($0) }
    }
}

extension PrimaryKey {
    /// The number of bytes of a text key, or 0 for other keys.
    fileprivate var textBytes: Int { if case .string(let text) = self { text.string.utf8.count } else { 0 } }

    /// Returns the key. A text with more than `most` bytes is shortened to at most this length.
    fileprivate func cut(toBytes most: Int) -> PrimaryKey {
        guard case .string(let text) = self, text.string.utf8.count > most else { return self }
        var short = ""
        var count = 0
        for scalar in text.string.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= most else { break }
            short.unicodeScalars.append(scalar)
        }
        return .string(SyncString(short))
    }
}
