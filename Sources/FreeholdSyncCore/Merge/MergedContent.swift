/// What can be read of a merged object: values, no stamps (sync-design.md, section 5). Links are there as they were written, whether their
/// object is or not.
public enum MergedContent: Hashable, Sendable {
    case value(SyncValue)
    case embedded([SyncString: MergedContent])
    case list([MergedContent])
    case set([SetElement: SyncValue])
    case dictionary([SyncString: MergedContent])
}

extension MergedContent {
    /// Whether a link to the object is in it.
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
    /// Nil if nothing is there.
    var content: MergedContent? {
        switch self {
        case .absent: nil
        case .value(let value): .value(value)
        case .instance(let instance): .embedded(instance.record.contents)
        }
    }
}

extension Record {
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
