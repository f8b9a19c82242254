extension ServerMessage {
    /// The approximate size of the message in bytes. It is never 0.
    public var estimatedSize: UInt64 {
        switch self {
        case .changes(_, let changes): 64 + changes.classes.estimatedSize
        case .bootstrapChunk(_, let chunk): 64 + chunk.classes.estimatedSize
        case .part(_, let part): 64 + UInt64(part.bytes.count)
        case .ack(_, let ack): 32 + UInt64(ack.versions.count) * 2 + ack.restored.estimatedSize
        default: 32
        }
    }
}

extension [ClassBatch] {
    var estimatedSize: UInt64 { reduce(0) { $1.objects.reduce($0 + 16) { $0 + $1.estimatedSize } } }
}

extension ObjectUpdate {
    var estimatedSize: UInt64 {
        let own: UInt64 = contested.isEmpty ? 24 : 24 + 16 * UInt64(contested.count)
        return switch content {
        case .whole(_, _, let fields): own + fields.reduce(0) { $0 + 4 + $1.content.estimatedSize }
        case .difference(_, _, let fields): own + fields.reduce(0) { $0 + 4 + $1.content.estimatedSize }
        case .present, .erased: own
        }
    }
}

extension ConfirmedContent {
    var estimatedSize: UInt64 {
        switch self {
        case .value(let value): value.estimatedLength
        case .embedded(let instance): instance.fields.reduce(8) { $0 + 4 + $1.content.estimatedSize }
        case .list(let runs): runs.reduce(4) { $1.elements.reduce($0 + 8) { $0 + $1.estimatedSize } }
        case .set(let values): values.reduce(4) { $0 + $1.estimatedLength }
        case .dictionary(let entries):
            entries.reduce(4) { $0 + UInt64($1.key.string.utf8.count) + $1.content.estimatedSize }
        }
    }
}

extension ContentDifference {
    var estimatedSize: UInt64 {
        switch self {
        case .whole(let content): return content.estimatedSize
        case .instance(let fields): return fields.reduce(4) { $0 + 4 + $1.content.estimatedSize }
        case .list(let list):
            let pieces = list.pieces.reduce(UInt64(4)) { sum, piece in
                if case .new(let run) = piece {
                    run.elements.reduce(sum + 8) { $0 + $1.estimatedSize }
                } else {
                    sum + 6
                }
            }
            return list.edits.reduce(pieces) { $0 + 4 + $1.content.estimatedSize }
        case .set(let set): return (set.removed + set.inserted).reduce(4) { $0 + $1.estimatedLength }
        case .dictionary(let dictionary):
            let removed = dictionary.removed.reduce(UInt64(4)) { $0 + UInt64($1.string.utf8.count) }
            return dictionary.changed.reduce(removed) {
                $0 + UInt64($1.key.string.utf8.count) + $1.content.estimatedSize
            }
        case .nested(let entries): return entries.reduce(4) { $0 + 8 + ($1.value?.estimatedLength ?? 0) }
        }
    }
}

extension SyncValue {
    var estimatedLength: UInt64 {
        switch self {
        case .null, .bool: 1
        case .string(let text): 2 + UInt64(text.string.utf8.count)
        case .data(let data): 2 + UInt64(data.count)
        case .list(let values): values.reduce(2) { $0 + $1.estimatedLength }
        case .dictionary(let dictionary):
            dictionary.entries.reduce(2) { $0 + UInt64($1.key.string.utf8.count) + $1.value.estimatedLength }
        default: 12
        }
    }
}
