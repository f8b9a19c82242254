#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine

extension ColumnWriter {
    func key(_ key: PrimaryKey) throws(CodecError) { try value(SyncValue(key), depth: 0) }

    /// - Parameter hasEmbedded: A Boolean value that indicates whether the value may be an embedded object, in the form
    ///   in which an author assigned it.
    func value(_ value: SyncValue, byDefault: Bool = false, hasEmbedded: Bool = false, depth: Int) throws(CodecError) {
        let kind = value.kind
        kinds.append(byDefault ? kind.rawValue | ValueKind.byDefault : kind.rawValue)
        switch value {
        case .null, .bool: break
        case .int(let value): int(value)
        case .double(let value): fixed(value.bitPattern)
        case .string(let value): text(value)
        case .float(let value): self[.float].fixed(UInt64(value.bitPattern), width: 4)
        case .data(let value): self[.data].data(value)
        case .date(let value):
            let dates = self[.date]
            dates.int(value.seconds)
            dates[.second].int(Int64(value.nanoseconds))
        case .objectId(let value): value.withUnsafeBytes { self[.objectId].fixed($0) }
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { self[.uuid].fixed($0) }
        case .decimal128(let value): self[.decimal].fixed(value.lo, value.hi)
        case .link(let name): try self[.link].reference(name)
        case .list(let values): try self[.mixedList].values(values, hasEmbedded: hasEmbedded, depth: below(depth))
        case .dictionary(let dictionary):
            let (group, depth) = (self[.mixedDictionary], try below(depth))
            group.number(dictionary.entries.count)
            let (keys, values) = (group[.keys], group[.values])
            for entry in dictionary.entries {
                keys.text(entry.key)
                try values.value(entry.value, hasEmbedded: hasEmbedded, depth: depth)
            }
        case .embedded(let value):
            guard hasEmbedded else {
                throw CodecError(.invalidValue, "An embedded object is where a value has to be")
            }
            let group = self[.embedded]
            group.int(value.number)
            try group[.fields].newFields(value.fields, depth: below(depth))
        }
    }

    /// Writes a count, and values in the group for values.
    func values(_ values: [SyncValue], hasEmbedded: Bool = false, depth: Int) throws(CodecError) {
        number(values.count)
        let group = self[.values]
        for value in values { try group.value(value, hasEmbedded: hasEmbedded, depth: depth) }
    }

    func newFields(_ fields: [NewField], depth: Int) throws(CodecError) {
        try record(fields, name: \.name) { (field, group) throws(CodecError) in
            let byDefault = field.origin == .byDefault
            let flag = byDefault ? ValueKind.byDefault : 0
            switch field.content {
            case .value(let value):
                try group.value(value, byDefault: byDefault, hasEmbedded: true, depth: depth)
            case .list(let first, let values):
                group.kinds.append(ValueKind.list.rawValue | flag)
                let list = group[.list]
                list.int(first)
                try list.values(values, hasEmbedded: true, depth: below(depth))
            case .set(let values):
                group.kinds.append(ValueKind.set.rawValue | flag)
                try group[.set].values(values, hasEmbedded: true, depth: below(depth))
            case .dictionary(let value):
                group.kinds.append(ValueKind.dictionary.rawValue | flag)
                try group[.dictionary].value(.dictionary(value), hasEmbedded: true, depth: depth)
            }
        }
    }
}

/// Returns the depth of values inside a value of the given depth.
func below(_ depth: Int) throws(CodecError) -> Int {
    guard depth < MessageCodec.greatestDepth else {
        throw CodecError(.tooDeep, "Values are nested deeper than \(MessageCodec.greatestDepth)")
    }
    return depth + 1
}

extension ColumnReader {
    func key() throws(CodecError) -> PrimaryKey {
        switch try valueKind(kind()) {
        case .null: return .null
        case .int: return .int(try int())
        case .string: return .string(try text())
        case .objectId: return .objectId(try self[.objectId].objectId())
        case .uuid: return .uuid(try self[.uuid].uuid())
        case let kind: throw error(.invalidValue, "A key can't be of kind \(kind.rawValue)")
        }
    }

    func objectId() throws(CodecError) -> ObjectId {
        try fixed(width: ObjectId.byteCount) { ObjectId(bytes: $0) }
    }

    func uuid() throws(CodecError) -> UUID {
        try fixed(width: 16) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    func value(hasEmbedded: Bool = false, depth: Int) throws(CodecError) -> SyncValue {
        try value(valueKind(kind()), hasEmbedded: hasEmbedded, depth: depth)
    }

    func value(_ kind: ValueKind, hasEmbedded: Bool = false, depth: Int) throws(CodecError) -> SyncValue {
        switch kind {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .int: return .int(try int())
        case .double: return .double(Double(bitPattern: try fixed()))
        case .string: return .string(try text())
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try self[.float].fixed(width: 4))))
        case .data: return .data(Data(try self[.data].data()))
        case .date:
            let dates = self[.date]
            let (seconds, nanoseconds) = (try dates.int(), try dates[.second].int())
            guard 0..<1_000_000_000 ~= nanoseconds else {
                throw error(.invalidNumber, "A date can't have \(nanoseconds) nanoseconds")
            }
            return .date(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
        case .objectId: return .objectId(try self[.objectId].objectId())
        case .uuid: return .uuid(try self[.uuid].uuid())
        case .decimal128:
            let (low, high) = try self[.decimal].fixedPair()
            return .decimal128(Decimal128(lo: low, hi: high))
        case .link: return .link(try self[.link].reference())
        case .mixedList: return .list(try self[.mixedList].values(hasEmbedded: hasEmbedded, depth: below(depth)))
        case .mixedDictionary:
            return .dictionary(try self[.mixedDictionary].dictionary(hasEmbedded: hasEmbedded, depth: below(depth)))
        case .embedded:
            guard hasEmbedded else { throw error(.invalidValue, "An embedded object is where a value has to be") }
            let group = self[.embedded]
            let number = try group.word()
            return .embedded(EmbeddedValue(number: number, fields: try group[.fields].newFields(depth: below(depth))))
        default: throw error(.invalidValue, "No value is of kind \(kind.rawValue)")
        }
    }

    private func dictionary(hasEmbedded: Bool, depth: Int) throws(CodecError) -> SyncDictionary {
        let count = try number()
        let (keys, values) = (self[.keys], self[.values])
        var entries: [SyncDictionary.Entry] = []
        entries.reserveCapacity(min(count, values.kindsLeft))
        for _ in 0..<count {
            let key = try keys.text()
            if let last = entries.last, last.key >= key { throw error(.invalidValue, "A dictionary's keys don't rise") }
            entries.append(
                SyncDictionary.Entry(key: key, value: try values.value(hasEmbedded: hasEmbedded, depth: depth))
            )
        }
        return SyncDictionary(rising: entries)
    }

    func values(hasEmbedded: Bool = false, depth: Int) throws(CodecError) -> [SyncValue] {
        let count = try number()
        let group = self[.values]
        var values: [SyncValue] = []
        values.reserveCapacity(min(count, group.kindsLeft))
        for _ in 0..<count { values.append(try group.value(hasEmbedded: hasEmbedded, depth: depth)) }
        return values
    }

    func newFields(depth: Int) throws(CodecError) -> [NewField] {
        try record { (name, group) throws(CodecError) in
            let raw = try group.kind()
            let kind = try valueKind(raw & ~ValueKind.byDefault)
            let content: NewContent
            switch kind {
            case .list:
                let list = group[.list]
                let first = try list.word()
                content = .list(first: first, try list.values(hasEmbedded: true, depth: below(depth)))
            case .set: content = .set(try group[.set].values(hasEmbedded: true, depth: below(depth)))
            case .dictionary:
                guard case .dictionary(let value) = try group[.dictionary].value(hasEmbedded: true, depth: depth) else {
                    throw group.error(.invalidValue, "A dictionary is something else")
                }
                content = .dictionary(value)
            default: content = .value(try group.value(kind, hasEmbedded: true, depth: depth))
            }
            return NewField(name, content, raw & ValueKind.byDefault != 0 ? .byDefault : .real)
        }
    }
}

extension SyncValue {
    init(_ key: PrimaryKey) {
        switch key {
        case .null: self = .null
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        }
    }

    var kind: ValueKind {
        switch self {
        case .null: .null
        case .bool(let value): value ? .yes : .no
        case .int: .int
        case .double: .double
        case .string: .string
        case .float: .float
        case .data: .data
        case .date: .date
        case .objectId: .objectId
        case .uuid: .uuid
        case .decimal128: .decimal128
        case .link: .link
        case .list: .mixedList
        case .dictionary: .mixedDictionary
        case .embedded: .embedded
        }
    }
}
