#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine

/// The checksums of a view's content. If a sum differs from the client's, the client has wrong objects of the class and
/// requests a comparison by keys.
public struct Checksums: Hashable, Sendable {
    /// The view of the checksums. They can't be compared with those of another view.
    public var view: UInt64
    /// The checksums of the classes by rising names, including classes without objects.
    public var classes: [ClassChecksum]

    public init(view: UInt64, classes: [ClassChecksum]) {
        self.view = view
        self.classes = classes
    }
}

/// The number of objects of a class in a view, and the wrapping sum of their hashes.
///
/// The order of `add` and `remove` doesn't matter, because each reverts the other.
public struct ClassChecksum: Hashable, Sendable {
    public let className: SyncString
    public private(set) var count: UInt64
    public private(set) var sum: UInt64

    public init(className: SyncString, count: UInt64 = 0, sum: UInt64 = 0) {
        self.className = className
        self.count = count
        self.sum = sum
    }

    /// - Parameter version: The version of the object's last change that is visible to the session.
    public mutating func add(_ key: PrimaryKey, version: StreamVersion) {
        count &+= 1
        sum &+= Self.hash(key, version)
    }

    public mutating func remove(_ key: PrimaryKey, version: StreamVersion) {
        count &-= 1
        sum &-= Self.hash(key, version)
    }

    /// Returns the hash of one object: FNV-1a over the kind and the bytes of the key and over the version, which is
    /// then mixed. `docs/sync-protocol.md` describes each step.
    public static func hash(_ key: PrimaryKey, _ version: StreamVersion) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        func add(_ word: UInt64) {
            for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
        switch key {
        case .null: add(UInt8(0))
        case .int(let value):
            add(UInt8(1))
            add(UInt64(bitPattern: value))
        case .string(let value):
            add(UInt8(2))
            for byte in value.string.utf8 { add(byte) }
        case .objectId(let value):
            add(UInt8(3))
            value.withUnsafeBytes { for byte in $0 { add(byte) } }
        case .uuid(let value):
            add(UInt8(4))
            withUnsafeBytes(of: value.uuid) { for byte in $0 { add(byte) } }
        }
        add(version)
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ hash >> 33
    }
}
