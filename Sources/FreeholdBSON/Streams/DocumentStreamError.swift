/// An error in a stream of documents, with its position.
public struct DocumentStreamError: Error, Hashable, Sendable {
    public let code: BSONError.Code
    /// A sentence that describes the error.
    public let reason: String
    /// The number of the document, counted from 1.
    public let document: Int
    /// The position in the bytes of the stream.
    public let offset: Int
    /// The line of the position, counted from 1. It is `nil` for BSON.
    public let line: Int?
    /// The keys that lead to the position in the document.
    public let path: [String]
    /// A Boolean value that indicates whether the reader can continue with the next document, because it knows the end
    /// of this one.
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
    /// The document, the position, the path and the reason. Long keys are shortened.
    public var description: String {
        let place = line.map { "line \($0), byte \(offset)" } ?? "byte \(offset)"
        return "Document \(document), \(place): \(BSONError(code, reason, path: path))"
    }
}

/// The format of documents in a stream.
public enum DocumentFormat: Hashable, Sendable {
    /// BSON, one document after another: the format of a collection from `mongodump`.
    case bson
    /// Extended JSON, canonical or relaxed. It is a sequence of objects with or without white space between them, or
    /// one array of objects. `mongoexport` writes these forms with and without `--jsonArray` and `--pretty`.
    case json

    /// Determines the format of a stream from its first bytes. Eight bytes are sufficient, apart from leading spaces.
    ///
    /// - Throws: `DocumentStreamError` for compressed streams and archives, which must be decompressed first.
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
        // A length of less than 16 MiB has a zero as its last byte, and JSON never contains a zero.
        self = bytes.count > 3 && bytes[3] <= 4 && !bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? .bson : .json
    }
}

/// The options for reading a stream of documents.
public struct DocumentStreamOptions: Hashable, Sendable {
    /// The limits of each document.
    public var limits: BSONLimits
    public var duplicateKeys: BSONDuplicateKeys
    /// See ``ExtendedJSONOptions/acceptsLegacy``. `mongoexport` wrote that form before version 4.2.
    public var acceptsLegacy: Bool
    /// The number of bytes that are requested at once.
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
