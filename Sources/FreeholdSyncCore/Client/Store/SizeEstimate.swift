/// The approximate number of bytes that a commit takes in a message. The estimate is rather too high than too low.
extension Commit {
    public var estimatedSize: UInt64 {
        UInt64(32 + seen.count * 24) + changes.reduce(0) { $0 &+ $1.estimatedSize }
    }
}

extension [OldList] {
    var estimatedSize: UInt64 {
        reduce(0) { $0 &+ 24 &+ $1.elements.reduce(4) { $0 &+ ($1?.estimatedSize ?? 1) } }
    }
}

extension UInt64 {
    func addingOrMax(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension Change {
    public var estimatedSize: UInt64 {
        let path = place.map { $0.path.reduce(0) { $0 + $1.estimatedSize } } ?? 0
        return 24 + path + contentSize
    }

    private var contentSize: UInt64 {
        switch self {
        case .create(_, let fields): fields.reduce(0) { $0 + $1.estimatedSize }
        case .delete, .increment, .removeEntry: 8
        case .set(_, let value, _): value.estimatedSize
        case .insert(_, _, _, let values): values.estimatedSize + 24
        case .remove(_, let references): UInt64(references.count) * 4
        case .move: 32
        case .clearList(_, let hidden): UInt64(hidden.count) * 4
        case .assignList(_, let hidden, _, _, let values): UInt64(hidden.count) * 4 + values.estimatedSize + 24
        case .insertIntoSet(_, let values), .removeFromSet(_, let values): values.estimatedSize
        case .clearSet(_, let hidden): hidden.estimatedSize
        case .assignSet(_, let hidden, let values): hidden.estimatedSize + values.estimatedSize
        case .clearDictionary(_, let hidden): hidden.reduce(0) { $0 + UInt64($1.string.utf8.count) + 4 }
        case .assignDictionary(_, let hidden, let value):
            hidden.reduce(0) { $0 + UInt64($1.string.utf8.count) + 4 } + SyncValue.dictionary(value).estimatedSize
        }
    }
}

extension Place.Step {
    fileprivate var estimatedSize: UInt64 {
        switch self {
        case .property: 4
        case .element, .instance: 8
        case .entry(let key), .nested(let key): UInt64(key.string.utf8.count) + 4
        }
    }
}

extension NewField {
    fileprivate var estimatedSize: UInt64 {
        switch content {
        case .value(let value): 4 + value.estimatedSize
        case .list(_, let values), .set(let values): 12 + values.estimatedSize
        case .dictionary(let value): 4 + SyncValue.dictionary(value).estimatedSize
        }
    }
}

extension SyncValue {
    fileprivate var estimatedSize: UInt64 {
        switch self {
        case .null, .bool: 1
        case .int, .float, .double, .date: 12
        case .objectId, .uuid, .decimal128: 17
        case .string(let text): UInt64(text.string.utf8.count) + 4
        case .data(let data): UInt64(data.count) + 4
        case .link: 24
        case .list(let values): values.estimatedSize + 4
        case .dictionary(let dictionary):
            dictionary.entries.reduce(4) { $0 + UInt64($1.key.string.utf8.count) + 4 + $1.value.estimatedSize }
        case .embedded(let value): value.fields.reduce(12) { $0 + $1.estimatedSize }
        }
    }
}

extension [SyncValue] {
    fileprivate var estimatedSize: UInt64 { reduce(4) { $0 + $1.estimatedSize } }
}
