#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Bytes with a subtype that specifies their meaning.
///
/// The bytes of all subtypes are kept unchanged. The old binary subtype 2 repeats its length inside. That length is
/// checked and removed by the reader, and written again.
public struct BSONBinary: Hashable, Sendable {
    /// The meaning of the bytes. All values are kept.
    public struct Subtype: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let generic = Subtype(rawValue: 0)
        public static let function = Subtype(rawValue: 1)
        /// A deprecated form of `generic`.
        public static let old = Subtype(rawValue: 2)
        /// A deprecated form of a UUID, in an order of bytes that depends on its writer.
        public static let oldUUID = Subtype(rawValue: 3)
        public static let uuid = Subtype(rawValue: 4)
        public static let md5 = Subtype(rawValue: 5)
        public static let encrypted = Subtype(rawValue: 6)
        public static let compressedColumn = Subtype(rawValue: 7)
        /// Data that must not be logged.
        public static let sensitive = Subtype(rawValue: 8)
        public static let vector = Subtype(rawValue: 9)
        /// The first of the subtypes that users define: 128 to 255.
        public static let userDefined = Subtype(rawValue: 128)
    }

    public var subtype: Subtype
    public var bytes: [UInt8]

    public init(bytes: [UInt8], subtype: Subtype = .generic) {
        self.subtype = subtype
        self.bytes = bytes
    }

    public init(_ data: Data, subtype: Subtype = .generic) { self.init(bytes: Array(data), subtype: subtype) }

    /// Creates a binary value from a UUID, with subtype 4.
    public init(_ uuid: UUID) { self.init(bytes: withUnsafeBytes(of: uuid.uuid) { Array($0) }, subtype: .uuid) }

    public var data: Data { Data(bytes) }

    /// The UUID of subtype 4, or `nil` for another subtype or a length other than 16 bytes.
    public var uuid: UUID? {
        guard subtype == .uuid, bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
