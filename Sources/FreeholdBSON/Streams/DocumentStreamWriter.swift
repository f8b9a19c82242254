/// A writer of documents to a stream of bytes, one by one: a dump, lines of JSON, an array.
///
/// ```swift
/// var writer = DocumentStreamWriter(.lines(.canonical)) { bytes in … }
/// for document in documents { try writer.write(document) }
/// try writer.end()
/// ```
public struct DocumentStreamWriter {
    public enum Form: Hashable, Sendable {
        /// The format of a collection from `mongodump`.
        case bson
        /// One document in each line, the format of `mongoexport`.
        case lines(ExtendedJSONFormat)
        /// An array with one element in each line, the format of `mongoexport --jsonArray`.
        case array(ExtendedJSONFormat)
    }

    /// The number of written documents.
    public private(set) var count = 0
    private let form: Form
    private let limits: BSONLimits
    private let pieceSize: Int
    private let put: (UnsafeRawBufferPointer) throws -> Void
    private var bytes: [UInt8] = []

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - form: The form of the written documents.
    ///   - limits: The limits of each document.
    ///   - pieceSize: The number of bytes that are collected before they are passed on.
    ///   - put: A closure that receives the next bytes and must accept all of them.
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

    /// Writes a document.
    ///
    /// - Throws: `BSONError` for a document that can't be written, of which no part is then in the stream; errors of
    ///   `put`.
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

    /// Passes on the remaining bytes. No document may be written afterwards.
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
