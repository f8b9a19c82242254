#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine

/// The flags in the first byte of a mark, in `meta`.
private struct MarkHead: OptionSet {
    let rawValue: UInt8

    static let isReal = MarkHead(rawValue: 1)
    static let isAssigned = MarkHead(rawValue: 2)
    static let sameFile = MarkHead(rawValue: 4)
    static let hasCounter = MarkHead(rawValue: 8)
}

extension [UInt8] {
    mutating func appendMark(_ mark: Mark, after last: Mark) {
        var head: MarkHead = []
        if mark.isReal { head.insert(.isReal) }
        if mark.isAssigned { head.insert(.isAssigned) }
        if mark.stamp.ident == last.stamp.ident { head.insert(.sameFile) }
        if mark.stamp.clock.counter > 0 { head.insert(.hasCounter) }
        append(head.rawValue)
        appendVarint((mark.stamp.clock.milliseconds - last.stamp.clock.milliseconds).zigzag)
        if head.contains(.hasCounter) { appendVarint(Int(mark.stamp.clock.counter)) }
        if !head.contains(.sameFile) { appendVarint(UInt64(mark.stamp.ident.rawValue)) }
        appendVarint(Int64(bitPattern: mark.version &- last.version).zigzag)
    }

    /// Appends a value that no document shows. It begins with its kind, as in messages.
    package mutating func appendExact(_ value: SyncValue) {
        append(value.kind.rawValue)
        switch value {
        case .null, .bool: break
        case .embedded:
            // The embedded object is invalid at this place, because it is inside a mixed value.
            let root = ColumnWriter()
            var (body, names) = ([UInt8](), [SyncString: Int]())
            if (try? root.value(value, hasEmbedded: true, depth: 0)) != nil { root.append(to: &body, &names) }
            appendVarint(body.count)
            append(contentsOf: body)
        case .int(let value): appendVarint(value.zigzag)
        case .float(let value): appendFixed(UInt64(value.bitPattern), width: 4)
        case .double(let value): appendFixed(value.bitPattern, width: 8)
        case .string(let value): appendText(value)
        case .data(let value):
            appendVarint(value.count)
            append(contentsOf: value)
        case .date(let value):
            appendVarint(value.seconds.zigzag)
            appendVarint(Int(value.nanoseconds))
        case .objectId(let value): value.withUnsafeBytes { append(contentsOf: $0) }
        case .uuid(let value): Swift.withUnsafeBytes(of: value.uuid) { append(contentsOf: $0) }
        case .decimal128(let value):
            appendFixed(value.lo, width: 8)
            appendFixed(value.hi, width: 8)
        case .link(let name):
            appendText(name.className)
            appendExact(SyncValue(name.key))
        case .list(let values):
            appendVarint(values.count)
            for value in values { appendExact(value) }
        case .dictionary(let value):
            appendVarint(value.entries.count)
            for entry in value.entries {
                appendText(entry.key)
                appendExact(entry.value)
            }
        }
    }
}

extension ByteCursor {
    mutating func mark(after last: Mark) throws(CodecError) -> Mark {
        let head = MarkHead(rawValue: try byte())
        let (sum, overflow) = last.stamp.clock.milliseconds.addingReportingOverflow(Int64(zigzag: try varint()))
        guard !overflow, 0...Clock.greatestMilliseconds ~= sum else {
            throw error(.invalidNumber, "The bytes aren't a clock")
        }
        guard let counter = UInt16(exactly: head.contains(.hasCounter) ? try varint() : 0) else {
            throw error(.invalidNumber, "The bytes aren't a clock")
        }
        let ident = head.contains(.sameFile) ? last.stamp.ident : try file()
        return Mark(
            stamp: Stamp(clock: Clock(milliseconds: sum, counter: counter), ident: ident),
            version: last.version &+ UInt64(bitPattern: Int64(zigzag: try varint())),
            isReal: head.contains(.isReal),
            isAssigned: head.contains(.isAssigned)
        )
    }

    mutating func file() throws(CodecError) -> FileIdent {
        guard let raw = UInt32(exactly: try varint()) else {
            throw error(.invalidNumber, "The bytes aren't the number of a file")
        }
        return FileIdent(rawValue: raw)
    }

    package mutating func exactValue(depth: Int = 0) throws(CodecError) -> SyncValue {
        let raw = try byte()
        switch ValueKind(rawValue: raw) {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .int: return .int(Int64(zigzag: try varint()))
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try fixed(width: 4))))
        case .double: return .double(Double(bitPattern: try fixed(width: 8)))
        case .string: return .string(try text())
        case .data:
            let range = try section()
            return .data(Data(bytes[range]))
        case .date:
            let (seconds, nanoseconds) = (Int64(zigzag: try varint()), try varint())
            guard nanoseconds < 1_000_000_000 else { throw error(.invalidNumber, "The bytes aren't a date") }
            return .date(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
        case .objectId:
            let range = try take(ObjectId.byteCount)
            return .objectId(ObjectId(bytes: UnsafeRawBufferPointer(rebasing: bytes[range])))
        case .uuid:
            let range = try take(16)
            return .uuid(UUID(uuid: bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: uuid_t.self)))
        case .decimal128: return .decimal128(Decimal128(lo: try fixed(width: 8), hi: try fixed(width: 8)))
        case .link:
            let className = try text()
            let key: PrimaryKey
            switch try exactValue(depth: below(depth)) {
            case .null: key = .null
            case .int(let value): key = .int(value)
            case .string(let value): key = .string(value)
            case .objectId(let value): key = .objectId(value)
            case .uuid(let value): key = .uuid(value)
            default: throw error(.invalidValue, "The bytes aren't a key")
            }
            return .link(ObjectName(className, key))
        case .mixedList:
            let depth = try below(depth)
            var values: [SyncValue] = []
            for _ in 0..<(try count()) { values.append(try exactValue(depth: depth)) }
            return .list(values)
        case .mixedDictionary:
            let depth = try below(depth)
            var entries: [SyncDictionary.Entry] = []
            for _ in 0..<(try count()) {
                let key = try text()
                if let last = entries.last, last.key >= key {
                    throw error(.invalidValue, "A dictionary's keys don't rise")
                }
                entries.append(SyncDictionary.Entry(key: key, value: try exactValue(depth: depth)))
            }
            return .dictionary(SyncDictionary(rising: entries))
        case .embedded:
            var (inner, names) = (ByteCursor(bytes, try section()), ColumnReader.Names())
            let root = try ColumnReader(&inner, &names)
            let value = try root.value(hasEmbedded: true, depth: depth)
            try root.finish()
            return value
        default: throw error(.unknownKind, "\(raw) isn't a kind of value")
        }
    }
}
