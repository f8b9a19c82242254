#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdRealmWire
internal import FreeholdSyncCore

// Names, keys and plain values in the forms of the two protocols.

extension WireText {
    init(_ text: SyncString) { self.init(text.string) }

    /// The text, or `nil` if the bytes aren't valid UTF-8.
    var sync: SyncString? { String(validating: bytes, as: UTF8.self).map { SyncString($0) } }
}

extension WireKey {
    init(_ key: PrimaryKey) {
        switch key {
        case .null: self = .null
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(WireText(value))
        case .objectId(let value): self = .objectID(WireObjectID(value))
        case .uuid(let value): self = .uuid(WireUUID(value))
        }
    }

    /// The key, or `nil` if it is a text of invalid UTF-8.
    var sync: PrimaryKey? {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): value.sync.map { .string($0) }
        case .objectID(let value): .objectId(value.sync)
        case .uuid(let value): .uuid(value.sync)
        }
    }
}

extension WireObject {
    init(_ className: SyncString, _ key: PrimaryKey) { self.init(table: WireText(className), key: WireKey(key)) }

    init(_ name: ObjectName) { self.init(name.className, name.key) }

    /// The name of the object, or `nil` if it contains invalid UTF-8.
    var sync: ObjectName? {
        guard let table = table.sync, let key = key.sync else { return nil }
        return ObjectName(table, key)
    }
}

extension WireObjectID {
    init(_ id: ObjectId) {
        var bytes = [UInt8](repeating: 0, count: ObjectId.byteCount)
        bytes.withUnsafeMutableBytes { id.copyBytes(to: $0.baseAddress!) }
        self.init(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes[8...].reduce(0) { $0 << 8 | UInt32($1) }
        )
    }

    var sync: ObjectId {
        let bytes =
            (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) }
            + (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
        return bytes.withUnsafeBytes { ObjectId(bytes: $0) }
    }
}

extension WireUUID {
    init(_ id: UUID) {
        let bytes = withUnsafeBytes(of: id.uuid) { Array($0) }
        self.init(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
        )
    }

    var sync: UUID {
        var bytes = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { target in
            for index in 0..<8 {
                target[index] = UInt8(truncatingIfNeeded: high >> (56 - 8 * UInt64(index)))
                target[index + 8] = UInt8(truncatingIfNeeded: low >> (56 - 8 * UInt64(index)))
            }
        }
        return UUID(uuid: bytes)
    }
}

extension WireDate {
    /// Both parts have the same sign on the wire.
    init(_ time: Timestamp) {
        let nanoseconds = min(max(time.nanoseconds, 0), 999_999_999)
        if time.seconds < 0, nanoseconds > 0 {
            self.init(seconds: time.seconds + 1, nanoseconds: nanoseconds - 1_000_000_000)
        } else {
            self.init(seconds: time.seconds, nanoseconds: nanoseconds)
        }
    }

    var sync: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds) }
}

extension WireDecimal {
    /// The two forms have equal parts, so that each encoding is kept.
    init(_ value: Decimal128) {
        self.init(
            high: value.hi & 0x1_FFFF_FFFF_FFFF,
            low: value.lo,
            exponent: Int32(value.hi >> 49 & 0x3FFF) + Self.leastExponent,
            isNegative: value.hi >> 63 == 1
        )
    }

    var sync: Decimal128 {
        let biased = UInt64(truncatingIfNeeded: Int64(exponent) - Int64(Self.leastExponent)) & 0x3FFF
        return Decimal128(lo: low, hi: (isNegative ? 1 << 63 : 0) | biased << 49 | high & 0x1_FFFF_FFFF_FFFF)
    }
}

extension Payload {
    /// Creates a plain value or a link. `nil` for collections and embedded objects.
    init?(_ value: SyncValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(WireText(value))
        case .data(let value): self = .data(Array(value))
        case .date(let value): self = .date(WireDate(value))
        case .objectId(let value): self = .objectID(WireObjectID(value))
        case .uuid(let value): self = .uuid(WireUUID(value))
        case .decimal128(let value): self = .decimal(WireDecimal(value))
        case .link(let name): self = .link(WireObject(name))
        case .list, .dictionary, .embedded: return nil
        }
    }

    /// The plain value, or `nil` for collections, embedded objects and invalid texts.
    var sync: SyncValue? {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .string(let value): value.sync.map { .string($0) }
        case .data(let value): .data(Data(value))
        case .date(let value): .date(value.sync)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal128(value.sync)
        case .link(let object): object.sync.map { .link($0) }
        case .objectID(let value): .objectId(value.sync)
        case .uuid(let value): .uuid(value.sync)
        case .list, .dictionary, .erased, .object: nil
        }
    }
}
