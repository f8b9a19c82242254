#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine

/// What a view holds, summed up. A client whose sum differs has a class wrong, and compares it by keys.
public struct Checksums: Hashable, Sendable {
    /// The view that was summed up; sums of another one say nothing.
    public var view: UInt64
    /// By rising names. Classes without objects are there, too.
    public var classes: [ClassChecksum]

    public init(view: UInt64, classes: [ClassChecksum]) {
        self.view = view
        self.classes = classes
    }
}

/// The number of a class's objects in a view and the wrapping sum of their hashes.
///
/// Objects come and go in any order: `add` and `remove` are each other's inverse.
public struct ClassChecksum: Hashable, Sendable {
    public let className: SyncString
    public private(set) var count: UInt64
    public private(set) var sum: UInt64

    public init(className: SyncString, count: UInt64 = 0, sum: UInt64 = 0) {
        self.className = className
        self.count = count
        self.sum = sum
    }

    /// - Parameter version: of the last change that the session can see.
    public mutating func add(_ key: PrimaryKey, version: StreamVersion) {
        count &+= 1
        sum &+= Self.hash(key, version)
    }

    public mutating func remove(_ key: PrimaryKey, version: StreamVersion) {
        count &-= 1
        sum &-= Self.hash(key, version)
    }

    /// The hash of one object: FNV-1a over the key's kind and bytes, and the version; then mixed. `docs/sync-protocol.md` has it step by
    /// step.
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
