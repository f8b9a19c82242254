internal import FreeholdBSON
internal import FreeholdEngine
internal import FreeholdSyncCore

extension RowWriter {
    /// Writes a list. If the old list is known, only the differences are written.
    func putList(
        _ elements: [MergedContent],
        _ shown: BSONValue?,
        _ column: Column,
        _ owned: ClassTable?,
        _ row: ObjectKey,
        old: MergedContent?
    ) throws -> Bool {
        guard case .array(let documents)? = shown, documents.count == elements.count else { return false }
        var range = 0..<transaction.storedCount(column, row)
        var (start, end) = (0, elements.count)
        if case .list(let old)? = old, old.count == range.count {
            while start < end, start < old.count, old[start] == elements[start] { start += 1 }
            var oldEnd = old.count
            while end > start, oldEnd > start, old[oldEnd - 1] == elements[end - 1] {
                (end, oldEnd) = (end - 1, oldEnd - 1)
            }
            range = start..<oldEnd
        }
        var values: [Value] = []
        // All elements are checked before any object is created.
        for element in elements[start..<end] {
            switch element {
            case .embedded: if owned == nil { return false }
            case .value(let value):
                guard owned == nil, let value = try fitting(value, column) else { return false }
                values.append(value)
            default: return false
            }
        }
        if !range.isEmpty { try transaction.storedListRemove(column, row, range: range) }
        if let owned {
            for index in start..<end {
                guard case .embedded(let fields) = elements[index] else { continue }
                values.append(.link(try make(owned, fields, documents[index])))
            }
            if !values.isEmpty { try transaction.listInsert(column, row, at: start, values: values) }
            return true
        }
        guard !values.isEmpty else { return true }
        return (try? transaction.storedListInsert(column, row, at: start, values: values)) != nil
    }

    func putDictionary(
        _ entries: [SyncString: MergedContent],
        _ shown: BSONValue?,
        _ column: Column,
        _ owned: ClassTable?,
        _ row: ObjectKey
    ) throws -> Bool {
        guard case .document(let document)? = shown, document.count == entries.count else { return false }
        var values: [(key: String, value: Value)] = []
        for (key, content) in entries {
            // The engine doesn't support the key, or treats it as equal to another one.
            guard StoredKeys.isKey(key.string) else { return false }
            switch content {
            case .embedded: if owned == nil { return false }
            case .value(let value):
                guard owned == nil || value == .null, let value = try fitting(value, column) else { return false }
                values.append((key: key.string, value: value))
            default: return false
            }
        }
        guard Set(entries.keys.map(\.string)).count == entries.count else { return false }
        guard (try? transaction.storedDictionaryAssign(column, row, entries: values)) != nil else { return false }
        guard let owned else { return transaction.storedCount(column, row) == entries.count }
        for element in document {
            guard case .embedded(let fields)? = entries[SyncString(element.key)] else { continue }
            let made = try make(owned, fields, element.value)
            try transaction.dictionarySet(column, row, forKey: element.key, to: .link(made))
        }
        return true
    }
}

enum StoredKeys {
    static func isKey(_ key: String) -> Bool {
        key.utf8.first != UInt8(ascii: "$") && !key.utf8.contains(UInt8(ascii: ".")) && key.utf8.count < 1 << 20
    }
}
