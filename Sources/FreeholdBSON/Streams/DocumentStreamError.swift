/// What is wrong in a stream of documents, and where.
public struct DocumentStreamError: Error, Hashable, Sendable {
    public let code: BSONError.Code
    /// What is wrong, in a sentence.
    public let reason: String
    /// Which document it is, counted from 1.
    public let document: Int
    /// The place in the stream's bytes.
    public let offset: Int
    /// The line of the place, counted from 1. Nil for BSON.
    public let line: Int?
    /// The keys that lead to the place in the document.
    public let path: [String]
    /// Whether the reader knows where the document ends, so that it can go on with the next one.
    public let canContinue: Bool

    init(
        _ error: BSONError,
        document: Int,
        offset: Int,
        line: Int?,
        canContinue: Bool = false
    ) {
        (code, reason, path) = (error.code, error.reason, error.path)
        self.document = document
        self.offset = offset
        self.line = line
        self.canContinue = canContinue
    }
}

extension DocumentStreamError: CustomStringConvertible {
    /// The document, the place, the path and the reason. Long keys are cut.
    public var description: String {
        let place = line.map { "line \($0), byte \(offset)" } ?? "byte \(offset)"
        return "Document \(document), \(place): \(BSONError(code, reason, path: path))"
    }
}

/// How documents lie in a stream.
public enum DocumentFormat: Hashable, Sendable {
    /// BSON, one document behind the other: a collection as `mongodump` writes it.
    case bson
    /// Extended JSON, canonical or relaxed: objects one behind the other, with spaces or line ends between them or none, or one array of
    /// them; as `mongoexport` writes them with and without `--jsonArray` and `--pretty`.
    case json

    /// The format of a stream that begins with these bytes: eight are enough, but for spaces in front.
    ///
    /// - Throws: `DocumentStreamError` for compressed streams and archives, which have to be unpacked first.
    public init(first bytes: some Sequence<UInt8>) throws(DocumentStreamError) {
        let bytes = Array(bytes.prefix(8))
        func isMagic(_ magic: UInt8...) -> Bool { bytes.starts(with: magic) }
        var unpack: String?
        if isMagic(0x1F, 0x8B) { unpack = "The stream is compressed by gzip: unpack it first (gunzip)." }
        if isMagic(0x28, 0xB5, 0x2F, 0xFD) { unpack = "The stream is compressed by zstd: unpack it first (unzstd)." }
        if isMagic(0x50, 0x4B, 0x03, 0x04) { unpack = "The stream is a zip archive: unpack it first." }
        if isMagic(0x6D, 0xE2, 0x99, 0x81) {
            unpack = "The stream is an archive of mongodump: write the dump as a folder (mongodump --out)."
        }
        if let unpack {
            throw DocumentStreamError(BSONError(.unknownType, unpack), document: 1, offset: 0, line: nil)
        }
        // A length of less than 16 MiB has a zero as its last byte, and JSON has none anywhere.
        self = bytes.count > 3 && bytes[3] <= 4 && !bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? .bson : .json
    }
}

/// How a stream of documents is read.
public struct DocumentStreamOptions: Hashable, Sendable {
    /// Of each document.
    public var limits: BSONLimits
    public var duplicateKeys: BSONDuplicateKeys
    /// See ``ExtendedJSONOptions/acceptsLegacy``: `mongoexport` wrote that form before version 4.2.
    public var acceptsLegacy: Bool
    /// How many bytes are asked for at once.
    public var pieceSize: Int

    public init(
        limits: BSONLimits = BSONLimits(),
        duplicateKeys: BSONDuplicateKeys = .refuse,
        acceptsLegacy: Bool = true,
        pieceSize: Int = 1 << 18
    ) {
        self.limits = limits
        self.duplicateKeys = duplicateKeys
        self.acceptsLegacy = acceptsLegacy
        self.pieceSize = max(pieceSize, 1)
    }
}
