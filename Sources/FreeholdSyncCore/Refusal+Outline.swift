/// Refusals of large changes are sent and stored without the content of the changes, because the author has it.
extension Refusal {
    /// The refusal without the content of its change, and with at most 1 KiB of the object's key.
    var outline: Refusal {
        var short = self
        (short.change, short.isOutline) = (change.outline, true)
        return short
    }

    /// Returns the refusal with the change of the author's commit.
    ///
    /// - Returns: The same refusal if the commit doesn't have the change.
    func with(changeOf own: Commit) -> Refusal {
        guard own.number == commit, own.changes.indices.contains(index) else { return self }
        var whole = self
        (whole.change, whole.isOutline) = (own.changes[index], false)
        return whole
    }

    /// Returns the refusal with its content, if the content was left out.
    func completed(by own: Commit) -> Refusal { isOutline ? with(changeOf: own) : self }
}

extension [Refusal] {
    /// The maximum size of the refused changes in an answer, in bytes.
    private static var most: UInt64 { 1 << 20 }

    /// The refusals, without the content of their changes if that content is larger than 1 MiB.
    ///
    /// - Complexity: O(size of the changes)
    var bounded: [Refusal] {
        var size: UInt64 = 0
        for refusal in self {
            size = size.addingOrMax(refusal.change.estimatedSize).addingOrMax(refusal.change.nameSize)
            if size > Self.most { return map(\.outline) }
        }
        return self
    }
}

extension Change {
    /// The size of the names in the change, in bytes. The estimated size of a change doesn't include them.
    fileprivate var nameSize: UInt64 {
        var size = object.key.textSize + UInt64(object.className.string.utf8.count)
        for case .property(let name) in place?.path ?? [] { size += UInt64(name.string.utf8.count) }
        switch self {
        case .create(_, let fields): return size + fields.nameSize
        case .set(_, let value, _): return size + value.nameSize
        case .insert(_, _, _, let values), .assignList(_, _, _, _, let values):
            return size + values.reduce(0) { $0 + $1.nameSize }
        case .assignDictionary(_, _, let dictionary):
            return size + dictionary.entries.reduce(0) { $0 + $1.value.nameSize }
        default: return size
        }
    }

    /// The change without its content. It has the kind of the change, its object and the property that it is about.
    fileprivate var outline: Change {
        let name = ObjectName(object.className, object.key.beginning)
        switch self {
        case .create: return .create(name, [])
        case .delete(_, let cause): return .delete(name, cause)
        default:
            let property = place?.path.first.map { [$0.beginning] } ?? []
            return .set(Place(name, property), .null, .real)
        }
    }
}

extension [NewField] {
    fileprivate var nameSize: UInt64 {
        reduce(0) { sum, field in
            let sum = sum + UInt64(field.name.string.utf8.count)
            switch field.content {
            case .value(let value): return sum + value.nameSize
            case .list(_, let values), .set(let values): return values.reduce(sum) { $0 + $1.nameSize }
            case .dictionary(let dictionary): return dictionary.entries.reduce(sum) { $0 + $1.value.nameSize }
            }
        }
    }
}

extension SyncValue {
    /// The size of names in embedded objects, in bytes.
    fileprivate var nameSize: UInt64 { if case .embedded(let new) = self { new.fields.nameSize } else { 0 } }
}

extension Place.Step {
    fileprivate var beginning: Place.Step {
        if case .property(let name) = self { .property(name.beginning) } else { self }
    }
}

extension PrimaryKey {
    fileprivate var textSize: UInt64 { if case .string(let text) = self { UInt64(text.string.utf8.count) } else { 16 } }

    fileprivate var beginning: PrimaryKey { if case .string(let text) = self { .string(text.beginning) } else { self } }
}

extension SyncString {
    /// The first characters of the text, up to 1 KiB.
    fileprivate var beginning: SyncString {
        guard string.utf8.count > 1_024 else { return self }
        return SyncString(String(decoding: string.utf8.prefix(1_021), as: UTF8.self))
    }
}
