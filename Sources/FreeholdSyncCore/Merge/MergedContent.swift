/// The readable content of a merged object: values without stamps (sync-design.md, section 5). Links are included even
/// if their target doesn't exist.
public enum MergedContent: Hashable, Sendable {
    case value(SyncValue)
    case embedded([SyncString: MergedContent])
    case list([MergedContent])
    case set([SetElement: SyncValue])
    case dictionary([SyncString: MergedContent])
}

extension MergedContent {
    /// A Boolean value that indicates whether the content is an empty collection, as in a new object.
    var isEmptyCollection: Bool {
        switch self {
        case .value, .embedded: false
        case .list(let elements): elements.isEmpty
        case .set(let elements): elements.isEmpty
        case .dictionary(let entries): entries.isEmpty
        }
    }

    /// Returns the part of the content that another content of the same field doesn't have. Returns `nil` if the other
    /// content has all of it.
    func lost(in other: MergedContent?) -> MergedContent? {
        switch (self, other) {
        case (.list(let elements), _):
            var left: [MergedContent: Int] = [:]
            if case .list(let others)? = other { for element in others { left[element, default: 0] += 1 } }
            let rest = elements.filter { element in
                left[element, default: 0] -= 1
                return left[element]! < 0
            }
            return rest.isEmpty ? nil : .list(rest)
        case (.set(let elements), _):
            var others: [SetElement: SyncValue] = [:]
            if case .set(let elements)? = other { others = elements }
            let rest = elements.filter { others[$0.key] == nil }
            return rest.isEmpty ? nil : .set(rest)
        case (.dictionary(let entries), _):
            var others: [SyncString: MergedContent] = [:]
            if case .dictionary(let entries)? = other { others = entries }
            let rest = entries.filter { others[$0.key] != $0.value }
            return rest.isEmpty ? nil : .dictionary(rest)
        case (.value(.null), _): return nil
        default: return self == other ? nil : self
        }
    }

    /// Returns whether the content has a link to the object.
    func links(to name: ObjectName) -> Bool {
        switch self {
        case .value(let value): value.links(to: name)
        case .embedded(let properties): properties.values.contains { $0.links(to: name) }
        case .list(let elements): elements.contains { $0.links(to: name) }
        case .set(let elements): elements.values.contains { $0.links(to: name) }
        case .dictionary(let entries): entries.values.contains { $0.links(to: name) }
        }
    }
}

extension SyncValue {
    func links(to name: ObjectName) -> Bool {
        switch self {
        case .link(let other): other == name
        case .list(let values): values.contains { $0.links(to: name) }
        case .dictionary(let dictionary): dictionary.entries.contains { $0.value.links(to: name) }
        default: false
        }
    }
}

extension Register.Held {
    /// The content, or `nil` for an absent value.
    var content: MergedContent? {
        switch self {
        case .absent: nil
        case .value(let value): .value(value)
        case .instance(let instance): .embedded(instance.record.contents)
        }
    }
}

extension Record {
    /// Returns the content that was written to a field. Returns `nil` for a default.
    func written(_ name: SyncString) -> MergedContent? {
        guard let field = fields[name] else { return nil }
        if case .register(let register) = field, !(register.mark ?? base).isReal, !register.hasEdits { return nil }
        return field.content
    }

    var contents: [SyncString: MergedContent] {
        var contents: [SyncString: MergedContent] = [:]
        contents.reserveCapacity(fields.count)
        for entry in fields { if let content = entry.value.content { contents[entry.name] = content } }
        return contents
    }
}

extension Record.Field {
    var content: MergedContent? {
        switch self {
        case .register(let register): register.value.content
        case .list(let list): .list(list.contents)
        case .set(let set):
            .set(set.present.compactMapValues { if case .value(let value) = $0 { value } else { nil } })
        case .dictionary(let dictionary): .dictionary(dictionary.present.compactMapValues(\.content))
        case .moved: nil
        }
    }
}
