/// Writes documents one by one into a stream of bytes: a dump, lines of JSON, an array.
///
/// ```swift
/// var writer = DocumentStreamWriter(.lines(.canonical)) { bytes in … }
/// for document in documents { try writer.write(document) }
/// try writer.end()
/// ```
public struct DocumentStreamWriter {
    public enum Form: Hashable, Sendable {
        /// As `mongodump` writes a collection.
        case bson
        /// A document a line, as `mongoexport` writes them.
        case lines(ExtendedJSONFormat)
        /// An array with an element a line, as `mongoexport --jsonArray` writes one.
        case array(ExtendedJSONFormat)
    }

    /// How many documents were written.
    public private(set) var count = 0
    private let form: Form
    private let limits: BSONLimits
    private let pieceSize: Int
    private let put: (UnsafeRawBufferPointer) throws -> Void
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - limits: of each document.
    ///   - pieceSize: how many bytes are gathered before they are put.
    ///   - put: takes the next bytes, all of them.
    public init(
        _ form: Form,
        limits: BSONLimits = BSONLimits(),
        pieceSize: Int = 1 << 18,
        put: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) {
        self.form = form
        self.limits = limits
        self.pieceSize = pieceSize
        self.put = put
    }

    /// - Throws: `BSONError` for a document that can't be written, of which nothing is then in the stream, and what putting throws.
    /// - Complexity: O(size of the document).
    public mutating func write(_ document: BSONDocument) throws {
        switch form {
        case .bson: bytes += try document.bytes(limits: limits)
        case .lines(let format):
            bytes += try document.extendedJSON(format, limits: limits).utf8
            bytes.append(0x0A)
        case .array(let format):
            let text = try document.extendedJSON(format, limits: limits)
            bytes += count == 0 ? [UInt8(ascii: "[")] : [UInt8(ascii: ","), 0x0A]
            bytes += text.utf8
        }
        count += 1
        if bytes.count >= pieceSize { try flush() }
    }

    /// Puts what is left. Nothing may be written behind it.
    public mutating func end() throws {
        if case .array = form { bytes += count == 0 ? "[]\n".utf8 : "]\n".utf8 }
        try flush()
    }

    private mutating func flush() throws {
        guard !bytes.isEmpty else { return }
        try bytes.withUnsafeBytes(put)
        bytes.removeAll(keepingCapacity: true)
    }
}
