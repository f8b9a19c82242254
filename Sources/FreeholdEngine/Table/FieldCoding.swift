#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The conversion between `Value` and the raw bytes of leaves, buffers and inline lists.
enum FieldCoding {
    /// The length above which strings and data are stored in separate chunks, in bytes.
    static let longBytes = 2000
    /// Realm's limits for the size of a string and of data, in bytes.
    static let maximumString = 16_777_199
    static let maximumData = 16_777_200

    static func fixedValue(_ type: ColumnType, _ p: UnsafeRawPointer) -> Value {
        switch type {
        case .objectId: .objectId(ObjectId(bytes: UnsafeRawBufferPointer(start: p, count: 12)))
        case .uuid: .uuid(UUID(uuid: p.loadUnaligned(as: uuid_t.self)))
        default:
            .decimal128(
                Decimal128(
                    lo: p.loadUnaligned(as: UInt64.self),
                    hi: p.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                )
            )
        }
    }

    static func copyFixed(_ value: Value, to p: UnsafeMutableRawPointer) {
        switch value {
        case .objectId(let id): id.copyBytes(to: p)
        case .uuid(let id): p.storeBytes(of: id.uuid, as: uuid_t.self)
        case .decimal128(let d):
            p.storeBytes(of: d.lo, as: UInt64.self)
            p.storeBytes(of: d.hi, toByteOffset: 8, as: UInt64.self)
        default: break
        }
    }

    static func bytesValue(_ type: ColumnType, _ bytes: UnsafeRawBufferPointer) -> Value {
        switch type {
        case .string: .string(String(decoding: bytes, as: UTF8.self))
        case .mixed: MixedCoding.decode(bytes) ?? .null
        default: .data(Data(bytes))
        }
    }

    /// Returns the number of bytes that a value of a column of that type takes in its leaf.
    static func byteCount(_ value: Value, _ type: ColumnType) -> Int {
        switch value {
        case .null: 0
        case _ where type == .mixed: MixedCoding.encode(value).count
        case .string(let s): s.utf8.count
        case .data(let d): d.count
        default: 0
        }
    }

    static func withBytes<R>(_ value: Value, _ type: ColumnType, body: (UnsafeRawBufferPointer) -> R) -> R {
        if type == .mixed, !value.isNull { return MixedCoding.encode(value).withUnsafeBytes { body($0) } }
        switch value {
        case .string(var s): return s.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .data(let d): return d.withUnsafeBytes { body($0) }
        default: return body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Returns the value of a slot without a stored value.
    static func defaultValue(_ type: ColumnType, isOptional: Bool) -> Value {
        if isOptional || type == .link || type == .mixed { return .null }
        switch type {
        case .bool: return .bool(false)
        case .int: return .int(0)
        case .float: return .float(0)
        case .double: return .double(0)
        case .string: return .string("")
        case .data: return .data(Data())
        case .timestamp: return .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
        case .decimal128: return .decimal128(Decimal128(lo: 0, hi: 0))
        case .objectId: return .objectId(ObjectId())
        case .uuid: return .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .link, .mixed: return .null
        }
    }
}

extension Leaf {
    /// Returns the value of a slot that is neither null nor stored outside. The leaf must not be split.
    func inlineValue(_ type: ColumnType, _ slot: Int) -> Value {
        switch type {
        case .int: return .int(int(slot))
        case .link: return link(slot).map(Value.link) ?? .null
        case .bool: return .bool(bool(slot))
        case .float: return .float(float(slot))
        case .double: return .double(double(slot))
        case .timestamp:
            let t = timestamp(slot)
            return .timestamp(Timestamp(seconds: t.seconds, nanoseconds: t.nanoseconds))
        case .objectId: return FieldCoding.fixedValue(type, fixed12(slot))
        case .decimal128, .uuid: return FieldCoding.fixedValue(type, fixed16(slot))
        case .string, .data, .mixed: return FieldCoding.bytesValue(type, bytes(slot))
        }
    }
}

extension DataView {
    /// Returns the value of a buffer's slot. Long bytes are stored in the segment `blobs`.
    func value(_ type: ColumnType, _ buffer: LeafBuffer, slot: Int, blobs: UInt32) -> Value {
        if buffer.isNull(slot) { return .null }
        switch buffer.kind {
        case .ints:
            let v = buffer.int(slot)
            if type == .link { return v == 0 ? .null : .link(ObjectKey(v - 1)) }
            return .int(v)
        case .bools: return .bool(buffer.bool(slot))
        case .floats: return .float(buffer.float(slot))
        case .doubles: return .double(buffer.double(slot))
        case .timestamps:
            let t = buffer.timestamp(slot)
            return .timestamp(Timestamp(seconds: t.seconds, nanoseconds: t.nanoseconds))
        case .fixed12, .fixed16: return FieldCoding.fixedValue(type, buffer.fixed(slot))
        case .bytes:
            if buffer.isReference(slot) {
                return longBytes(blobs, buffer.reference(slot)).withUnsafeBytes { FieldCoding.bytesValue(type, $0) }
            }
            return FieldCoding.bytesValue(type, buffer.bytes(slot))
        }
    }

    /// Returns the value of a leaf's slot. The leaf must not be split.
    func value(_ type: ColumnType, _ leaf: Leaf, slot: Int, isOptional: Bool, blobs: UInt32) -> Value {
        guard slot < leaf.count else { return FieldCoding.defaultValue(type, isOptional: isOptional) }
        if leaf.isNull(slot) { return .null }
        if leaf.isReference(slot) {
            return longBytes(blobs, leaf.reference(slot)).withUnsafeBytes { FieldCoding.bytesValue(type, $0) }
        }
        return leaf.inlineValue(type, slot)
    }

    /// Returns whether the bytes of a long value are stored. Slots of deleted objects keep references to removed bytes, so a scan of all slots has to
    /// check this first.
    func hasLongBytes(_ segment: UInt32, _ reference: (block: UInt64, length: UInt64)) -> Bool {
        block(segment, reference.block) != nil
    }

    /// Returns the bytes of a value that is stored in chunks. The object must exist.
    func longBytes(_ segment: UInt32, _ reference: (block: UInt64, length: UInt64)) -> [UInt8] {
        let size = BlockLimits.twoPages
        var out: [UInt8] = []
        out.reserveCapacity(Int(min(reference.length, UInt64(FieldCoding.maximumData))))
        var number = reference.block
        while out.count < reference.length {
            let left = reference.length - UInt64(out.count)
            guard let chunk = block(segment, number), chunk.count == min(left, UInt64(size)) else {
                damaged(
                    "block \(number) of segment \(segment) isn't a part of its long value"
                )
                return out
            }
            out.append(contentsOf: chunk)
            number += 1
        }
        return out
    }
}
