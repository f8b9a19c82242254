#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension BSONDocument {
    /// The document of these bytes, which have to be one whole document and nothing else.
    ///
    /// Keys of arrays are ignored and options of regular expressions sorted, as the specification asks; everything else
    /// comes back as the same bytes from ``bytes(limits:)``.
    ///
    /// - Throws: `BSONError` with the place. Any bytes are safe to read: a wrong length allocates nothing, and what is
    ///   read takes memory in proportion to the bytes.
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

    /// The document of this data; see ``init(bytes:limits:duplicateKeys:)``.
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

    /// The document of bytes that are only lent; see ``init(bytes:limits:duplicateKeys:)``.
    public init(
        _ buffer: UnsafeRawBufferPointer,
        limits: BSONLimits = BSONLimits(),
        duplicateKeys: BSONDuplicateKeys = .refuse
    ) throws(BSONError) {
        var reader = BSONReader(buffer, limits, duplicateKeys)
        self = try reader.readDocument()
    }

    /// The document as bytes. Equal documents give the same bytes.
    ///
    /// - Throws: `BSONError` with the path if a key or a regular expression has a NUL in it, or if the document is nested
    ///   too deeply or gets too large.
    /// - Complexity: O(*n*).
    public func bytes(limits: BSONLimits = BSONLimits()) throws(BSONError) -> [UInt8] {
        var writer = BSONWriter(self, limits)
        return try writer.write()
    }

    /// The document as data; see ``bytes(limits:)``.
    public func data(limits: BSONLimits = BSONLimits()) throws(BSONError) -> Data { Data(try bytes(limits: limits)) }
}
