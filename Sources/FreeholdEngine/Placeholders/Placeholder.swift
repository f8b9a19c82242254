/// Placeholders stand for objects that links lead to and that aren't there (yet): known by their class and primary key.
///
/// Nothing that reads objects meets them: a to-one link to one reads as nil, lists, sets and dictionaries leave it out, a link
/// inside a mixed value reads as null. What is left out keeps its place, beside the collection, and appears there when the
/// object is made. Whoever needs the whole asks for what is *stored*: `storedValue`, `storedListValues`, and edits by
/// `setStored`, `storedListInsert` and so on, whose positions count the elements that aren't shown.
///
/// A placeholder is an object of a hidden table of its class (`@placeholders:ID`), its key there the number `k` of the key
/// `-1 - k`. Links to placeholders of one property of one object are a row of a hidden table of that object's class
/// (`@links:ID`), in mixed values: so the inverse of mixed links finds them when the object comes.
extension ObjectKey {
    /// A Boolean value that indicates whether it stands for an object that isn't there: see `WriteTransaction.reference(to:primaryKey:)`.
    public var isPlaceholder: Bool { raw < 0 }

    init(placeholder: ObjectKey) { self.init(-1 - placeholder.raw) }

    /// Of a placeholder: its key in the hidden table.
    var placeholder: ObjectKey { ObjectKey(-1 - raw) }
}

extension TableSpec {
    static let placeholderPrefix = "@placeholders:"
    static let linksPrefix = "@links:"

    /// - Precondition: the table has a primary key.
    static func placeholders(of table: Table) -> TableSpec {
        let key = table.primaryKey!
        return TableSpec(
            placeholderPrefix + String(table.id),
            columns: [ColumnSpec("key", key.type, optional: key.isOptional)],
            primaryKey: "key"
        )
    }

    /// Of the objects of a table, where they link to placeholders.
    static func links(of table: Table) -> TableSpec {
        TableSpec(
            linksPrefix + String(table.id),
            columns: [
                ColumnSpec("object", .int, indexed: true), ColumnSpec("column", .int),
                ColumnSpec("positions", .int, collection: .list), ColumnSpec("names", .string, collection: .list),
                ColumnSpec("values", .mixed, collection: .list),
            ]
        )
    }
}

extension Table {
    /// Returns the id in a hidden table's name, of the table that it belongs to.
    func owner(_ prefix: String) -> Int? {
        guard isHidden, name.hasPrefix(prefix) else { return nil }
        return Int(name.dropFirst(prefix.count))
    }
}

extension Value {
    /// A Boolean value that indicates whether a link to a placeholder is in it.
    var hasPlaceholders: Bool {
        if case .link(let key) = self { return key.isPlaceholder }
        var found = false
        forEachObjectLink { if $0.key.isPlaceholder { found = true } }
        return found
    }

    /// What is shown of it: null for each link to a placeholder.
    var shown: Value {
        switch self {
        case .link(let key) where key.isPlaceholder: return .null
        case .objectLink(let link) where link.key.isPlaceholder: return .null
        case .list(var list):
            for i in list.values.indices { list.values[i] = list.values[i].shown }
            return .list(list)
        case .dictionary(var dictionary):
            for entry in dictionary.entries { dictionary[entry.key] = entry.value.shown }
            return .dictionary(dictionary)
        default: return self
        }
    }

    /// A Boolean value that indicates whether it is a link to a placeholder, and nothing else: a collection doesn't show such an element.
    var isPlaceholder: Bool {
        switch self {
        case .link(let key): key.isPlaceholder
        case .objectLink(let link): link.key.isPlaceholder
        default: false
        }
    }
}

/// What is kept of a value beside the object: its links to placeholders. Where these are inside of lists and dictionaries, so
/// much of these as leads there, all else null.
struct KeptLinks: Equatable {
    var value: Value

    /// - Returns: nil where the value has no links to placeholders.
    init?(of given: Value, _ column: Column, _ schema: DatabaseSchema) {
        value = Self.kept(given, column, schema)
        if value.isNull { return nil }
    }

    init(stored value: Value) { self.value = value }

    /// A Boolean value that indicates whether it is a link, not one inside of something.
    var isWhole: Bool { if case .objectLink = value { true } else { false } }

    private static func kept(_ given: Value, _ column: Column, _ schema: DatabaseSchema) -> Value {
        func link(_ table: Int?, _ key: ObjectKey) -> Value {
            guard key.isPlaceholder, let table = table.flatMap(schema.placeholders) else { return .null }
            return .objectLink(ObjectLink(tableID: table.id, key: key.placeholder))
        }
        switch given {
        case .link(let key): return link(column.targetTableID, key)
        case .objectLink(let target): return link(target.tableID, target.key)
        case .list(let list):
            guard given.hasPlaceholders else { return .null }
            return .list(NestedList(list.values.map { kept($0, column, schema) }))
        case .dictionary(let dictionary):
            let entries = dictionary.entries.filter(\.value.hasPlaceholders)
            if entries.isEmpty { return .null }
            return .dictionary(
                NestedDictionary(entries.map { .init($0.key, kept($0.value, column, schema)) })
            )
        default: return .null
        }
    }

    /// What is shown, with these links in it.
    func whole(_ shown: Value, _ column: Column, _ schema: DatabaseSchema) -> Value {
        linking(shown, column, schema) { ObjectKey(placeholder: $0.key) }
    }

    /// What is then shown: links to the objects that came where null stood for them.
    ///
    /// - Parameter come: by table of placeholders, their keys there.
    func showing(
        _ shown: Value,
        _ come: [Int: [ObjectKey: ObjectKey]],
        _ column: Column,
        _ schema: DatabaseSchema
    ) -> Value {
        linking(shown, column, schema) { come[$0.tableID]?[$0.key] }
    }

    /// What is shown, with a link in the place of each of these for which there is a key.
    private func linking(
        _ shown: Value,
        _ column: Column,
        _ schema: DatabaseSchema,
        _ key: (ObjectLink) -> ObjectKey?
    ) -> Value {
        Self.replace(shown, value) { link in
            guard let key = key(link), let owner = schema.table(id: link.tableID)?.owner(TableSpec.placeholderPrefix)
            else { return nil }
            return column.type == .link ? .link(key) : .objectLink(ObjectLink(tableID: owner, key: key))
        }
    }

    private static func replace(_ shown: Value, _ kept: Value, _ link: (ObjectLink) -> Value?) -> Value {
        switch (kept, shown) {
        case (.objectLink(let target), _): return link(target) ?? shown
        case (.list(let kept), .list(var list)) where kept.values.count == list.values.count:
            for i in kept.values.indices { list.values[i] = replace(list.values[i], kept.values[i], link) }
            return .list(list)
        case (.dictionary(let kept), .dictionary(var dictionary)):
            for entry in kept.entries {
                if let value = dictionary[entry.key] {
                    dictionary[entry.key] = replace(value, entry.value, link)
                }
            }
            return .dictionary(dictionary)
        default: return shown
        }
    }

    /// What is kept after an edit inside of the shown value: a link stays where null still stands in its place. Of a list the
    /// elements are known by equal ones before and behind them.
    ///
    /// - Returns: nil where nothing is.
    func after(_ old: Value, _ new: Value) -> KeptLinks? {
        let value = Self.after(value, old, new)
        return value.isNull ? nil : KeptLinks(stored: value)
    }

    private static func after(_ kept: Value, _ old: Value, _ new: Value) -> Value {
        switch (kept, old, new) {
        case (.objectLink, _, .null): return kept
        case (.list(let kept), .list(let old), .list(let new)):
            guard kept.values.count == old.values.count else { return .null }
            let (a, b) = (old.values, new.values)
            let room = min(a.count, b.count)
            var head = 0
            while head < room, a[head] == b[head] { head += 1 }
            var tail = 0
            while tail < room - head, a[a.count - 1 - tail] == b[b.count - 1 - tail] { tail += 1 }
            var out = [Value](repeating: .null, count: b.count)
            for i in 0..<head { out[i] = kept.values[i] }
            for i in 0..<tail { out[b.count - 1 - i] = kept.values[a.count - 1 - i] }
            if a.count == b.count {
                for i in head..<a.count - tail { out[i] = after(kept.values[i], a[i], b[i]) }
            }
            return out.allSatisfy(\.isNull) ? .null : .list(NestedList(out))
        case (.dictionary(let kept), .dictionary(let old), .dictionary(let new)):
            var out: [NestedDictionary.Entry] = []
            for entry in kept.entries {
                guard let a = old[entry.key], let b = new[entry.key] else { continue }
                let value = after(entry.value, a, b)
                if !value.isNull { out.append(.init(entry.key, value)) }
            }
            return out.isEmpty ? .null : .dictionary(NestedDictionary(out))
        default: return .null
        }
    }

    /// The same with objects in the place of placeholders that came, or `nil` if none is left.
    ///
    /// - Parameter come: by table of placeholders, their keys there.
    func without(_ come: [Int: [ObjectKey: ObjectKey]]) -> KeptLinks? {
        let value = Self.without(value, come)
        return value.isNull ? nil : KeptLinks(stored: value)
    }

    private static func without(_ kept: Value, _ come: [Int: [ObjectKey: ObjectKey]]) -> Value {
        switch kept {
        case .objectLink(let link): return come[link.tableID]?[link.key] == nil ? kept : .null
        case .list(let list):
            let values = list.values.map { without($0, come) }
            return values.allSatisfy(\.isNull) ? .null : .list(NestedList(values))
        case .dictionary(let dictionary):
            let entries = dictionary.entries.map { NestedDictionary.Entry($0.key, without($0.value, come)) }
                .filter { !$0.value.isNull }
            return entries.isEmpty ? .null : .dictionary(NestedDictionary(entries))
        default: return .null
        }
    }
}
