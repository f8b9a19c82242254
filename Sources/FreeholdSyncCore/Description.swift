extension ObjectName: CustomStringConvertible {
    public var description: String { "\(className) \(key)" }
}

extension PrimaryKey: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "null"
        case .int(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .objectId(let value): "\(value)"
        case .uuid(let value): "\(value)"
        }
    }
}

extension SyncValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)f"
        case .double(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .data(let value): "data(\(value.map { String($0, radix: 16) }.joined(separator: " ")))"
        case .date(let value): "\(value)"
        case .objectId(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .decimal128(let value): "\(value)m"
        case .link(let value): "→\(value)"
        case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        case .dictionary(let value): value.description
        case .embedded(let value): value.description
        }
    }
}

extension SyncDictionary: CustomStringConvertible {
    public var description: String {
        "{\(entries.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
    }
}

extension EmbeddedValue: CustomStringConvertible {
    public var description: String { "instance \(number) (\(fields.map(\.description).joined(separator: ", ")))" }
}

extension NewField: CustomStringConvertible {
    public var description: String { "\(name): \(content)\(origin == .byDefault ? " by default" : "")" }
}

extension NewContent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .value(let value): value.description
        case .list(let first, let values): "list from \(first) \(values)"
        case .set(let values): "set \(values)"
        case .dictionary(let value): value.description
        }
    }
}

extension ElementReference: CustomStringConvertible {
    public var description: String {
        switch self {
        case .confirmed(let index): "[\(index)]"
        case .own(let number): "own \(number)"
        case .made(let made): "\(made.number) of v\(made.version)"
        }
    }
}

extension Gap: CustomStringConvertible {
    public var description: String {
        "between \(after?.description ?? "start") and \(before?.description ?? "end")"
    }
}

extension Place: CustomStringConvertible {
    public var description: String {
        let steps = path.map { step in
            switch step {
            case .property(let name): ".\(name)"
            case .element(let reference): "@\(reference)"
            case .entry(let key): "{\(key)}"
            case .nested(let key): "/\(key)"
            case .instance(.confirmed): "!"
            case .instance(.known): ".known"
            case .instance(.own(let number)): "!\(number)"
            }
        }
        return "\(object)\(steps.joined())"
    }
}

extension Change: CustomStringConvertible {
    public var description: String {
        switch self {
        case .create(let name, let fields): "create \(name) \(fields)"
        case .delete(let name, .edit): "delete \(name)"
        case .delete(let name, .cascade(let cause)): "delete \(name) because of \(cause)"
        case .set(let place, let value, let origin): "\(place) = \(value)\(origin == .byDefault ? " by default" : "")"
        case .increment(let place, let number): "\(place) += \(number)"
        case .insert(let place, let gap, let first, let values): "\(place) insert \(gap), from \(first): \(values)"
        case .remove(let place, let elements): "\(place) remove \(elements)"
        case .move(let place, let element, let gap, let number): "\(place) move \(element) \(gap), as \(number)"
        case .clearList(let place, let hidden): "\(place) clear\(Self.sparing(hidden))"
        case .assignList(let place, let hidden, let gap, let first, let values):
            "\(place) assign\(Self.sparing(hidden)) \(gap), from \(first): \(values)"
        case .insertIntoSet(let place, let values): "\(place) insert values \(values)"
        case .removeFromSet(let place, let values): "\(place) remove values \(values)"
        case .clearSet(let place, let hidden): "\(place) clear set\(Self.sparing(hidden))"
        case .assignSet(let place, let hidden, let values): "\(place) assign set\(Self.sparing(hidden)) \(values)"
        case .removeEntry(let place): "\(place) remove entry"
        case .clearDictionary(let place, let hidden): "\(place) clear dictionary\(Self.sparing(hidden))"
        case .assignDictionary(let place, let hidden, let value): "\(place) assign\(Self.sparing(hidden)) \(value)"
        }
    }

    private static func sparing(_ hidden: [some CustomStringConvertible]) -> String {
        hidden.isEmpty ? "" : " sparing \(hidden)"
    }
}

extension Commit: CustomStringConvertible {
    /// One line for the commit, and one for each change.
    public var description: String {
        let seen = seen.map { "\($0.key) at \($0.value)" }.sorted().joined(separator: ", ")
        let head = "commit \(number) at \(clock), base \(base), schema \(schemaVersion), saw (\(seen))"
        return ([head] + changes.map { "    \($0)" }).joined(separator: "\n")
    }
}

extension Refusal: CustomStringConvertible {
    public var description: String { "commit \(commit), change \(index), \(reason): \(change)" }
}
