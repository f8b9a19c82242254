#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension BSONDocument {
    /// Creates a document from bytes, which must be exactly one document.
    ///
    /// Keys of arrays are ignored and options of regular expressions are sorted, like the specification requires. All
    /// other bytes are returned unchanged by ``bytes(limits:)``.
    ///
    /// The bytes needn't be trusted: a wrong length allocates no memory, and the memory of the result is proportional
    /// to the number of bytes.
    ///
    /// - Throws: `BSONError` with the position.
    /// - Complexity: O(*n*).
    public init(
        bytes: [UInt8],
        limits: BSONLimits = BSONLimits(),
        duplicateKeys: BSONDuplicateKeys = .refuse
    ) throws(BSONError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(BSONError) in try BSONDocument(buffer, limits: limits, duplicateKeys: duplicateKeys) }
        }
        self = try result.get()
    }

    /// Creates a document from data. See ``init(bytes:limits:duplicateKeys:)``.
    public init(
        data: Data,
        limits: BSONLimits = BSONLimits(),
        duplicateKeys: BSONDuplicateKeys = .refuse
    ) throws(BSONError) {
        let result = data.withUnsafeBytes { buffer in
            Result { () throws(BSONError) in try BSONDocument(buffer, limits: limits, duplicateKeys: duplicateKeys) }
        }
        self = try result.get()
    }

    /// Creates a document from a borrowed buffer. See ``init(bytes:limits:duplicateKeys:)``.
    public init(
        _ buffer: UnsafeRawBufferPointer,
        limits: BSONLimits = BSONLimits(),
        duplicateKeys: BSONDuplicateKeys = .refuse
    ) throws(BSONError) {
        var reader = BSONReader(buffer, limits, duplicateKeys: duplicateKeys)
        self = try reader.readDocument()
    }

    /// Returns the bytes of the document. Equal documents have equal bytes.
    ///
    /// - Throws: `BSONError` with the path if a key or a regular expression contains a NUL, or if the document exceeds
    ///   the depth or the size.
    /// - Complexity: O(*n*).
    public func bytes(limits: BSONLimits = BSONLimits()) throws(BSONError) -> [UInt8] {
        var writer = BSONWriter(self, limits)
        return try writer.write()
    }

    /// Returns the document as data. See ``bytes(limits:)``.
    public func data(limits: BSONLimits = BSONLimits()) throws(BSONError) -> Data { Data(try bytes(limits: limits)) }
}
