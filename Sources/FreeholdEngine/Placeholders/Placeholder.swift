/// Placeholders stand for the targets of links to objects that don't exist (yet). A placeholder has a class and a primary key.
///
/// Functions that read objects don't return placeholders: a to-one link to a placeholder reads as `nil`, lists, sets and dictionaries omit it, and a
/// link inside a mixed value reads as null. An omitted element keeps its position, which is stored beside the collection, and appears there when the
/// object is created. The *stored* content includes such links. It is read by `storedValue` and `storedListValues` and edited by `setStored`,
/// `storedListInsert` and so on, whose positions count hidden elements.
///
/// A placeholder is an object of a hidden table of its class (`@placeholders:ID`). The placeholder with the key `-1 - k` has the key `k` there. The
/// links to placeholders of one object's property are a row of a hidden table of that object's class (`@links:ID`). The row contains them as mixed
/// values, so that the inverse of mixed links finds them when the object is created.
extension ObjectKey {
    /// A Boolean value that indicates whether the key stands for a missing object: see `WriteTransaction.reference(to:primaryKey:)`.
    public var isPlaceholder: Bool { raw < 0 }

    init(placeholder: ObjectKey) { self.init(-1 - placeholder.raw) }

    /// The key of a placeholder in the hidden table.
    var placeholder: ObjectKey { ObjectKey(-1 - raw) }
}

extension TableSpec {
    static let placeholderPrefix = "@placeholders:"
    static let linksPrefix = "@links:"

    /// Returns the specification of a class's hidden table of placeholders.
    /// - Precondition: the table has a primary key.
    static func placeholders(of table: Table) -> TableSpec {
        let key = table.primaryKey!
        return TableSpec(
            placeholderPrefix + String(table.id),
            columns: [ColumnSpec("key", key.type, optional: key.isOptional)],
            primaryKey: "key"
        )
    }

    /// Returns the specification of the hidden table of links from a table's objects to placeholders.
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
    /// Returns the id of the table to which a hidden table belongs, from the hidden table's name.
    func owner(_ prefix: String) -> Int? {
        guard isHidden, name.hasPrefix(prefix) else { return nil }
        return Int(name.dropFirst(prefix.count))
    }
}

extension Value {
    /// A Boolean value that indicates whether the value contains a link to a placeholder.
    var hasPlaceholders: Bool {
        if case .link(let key) = self { return key.isPlaceholder }
        var found = false
        forEachObjectLink { if $0.key.isPlaceholder { found = true } }
        return found
    }

    /// The visible value, in which links to placeholders are null.
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

    /// A Boolean value that indicates whether the value is a link to a placeholder. A collection hides such an element.
    var isPlaceholder: Bool {
        switch self {
        case .link(let key): key.isPlaceholder
        case .objectLink(let link): link.key.isPlaceholder
        default: false
        }
    }
}

/// The part of a value that is stored beside the object: its links to placeholders. If they are inside lists and dictionaries, the part contains the
/// path to them, and null for all other values.
struct KeptLinks: Equatable {
    var value: Value

    /// - Returns: `nil` if the value doesn't contain links to placeholders.
    init?(of given: Value, _ column: Column, _ schema: DatabaseSchema) {
        value = Self.kept(given, of: column, in: schema)
        if value.isNull { return nil }
    }

    init(stored value: Value) { self.value = value }

    /// A Boolean value that indicates whether the whole value is a link.
    var isWhole: Bool { if case .objectLink = value { true } else { false } }

    private static func kept(_ given: Value, of column: Column, in schema: DatabaseSchema) -> Value {
        func link(_ table: Int?, _ key: ObjectKey) -> Value {
            guard key.isPlaceholder, let table = table.flatMap(schema.placeholders) else { return .null }
            return .objectLink(ObjectLink(tableID: table.id, key: key.placeholder))
        }
        switch given {
        case .link(let key): return link(column.targetTableID, key)
        case .objectLink(let target): return link(target.tableID, target.key)
        case .list(let list):
            guard given.hasPlaceholders else { return .null }
            return .list(NestedList(list.values.map { kept($0, of: column, in: schema) }))
        case .dictionary(let dictionary):
            let entries = dictionary.entries.filter(\.value.hasPlaceholders)
            if entries.isEmpty { return .null }
            return .dictionary(
                NestedDictionary(entries.map { .init($0.key, kept($0.value, of: column, in: schema)) })
            )
        default: return .null
        }
    }

    /// Returns the visible value with these links added.
    func whole(_ shown: Value, of column: Column, in schema: DatabaseSchema) -> Value {
        linking(shown, of: column, in: schema) { ObjectKey(placeholder: $0.key) }
    }

    /// Returns the visible value after objects were created: null is replaced by the links to them.
    ///
    /// - Parameter come: the keys of the created objects by placeholder, for each table of placeholders.
    func showing(
        _ shown: Value,
        _ come: [Int: [ObjectKey: ObjectKey]],
        of column: Column,
        in schema: DatabaseSchema
    ) -> Value {
        linking(shown, of: column, in: schema) { come[$0.tableID]?[$0.key] }
    }

    /// Returns the visible value with links in the place of those for which `key` returns a key.
    private func linking(
        _ shown: Value,
        of column: Column,
        in schema: DatabaseSchema,
        key: (ObjectLink) -> ObjectKey?
    ) -> Value {
        Self.replace(shown, kept: value) { link in
            guard let key = key(link), let owner = schema.table(id: link.tableID)?.owner(TableSpec.placeholderPrefix)
            else { return nil }
            return column.type == .link ? .link(key) : .objectLink(ObjectLink(tableID: owner, key: key))
        }
    }

    private static func replace(_ shown: Value, kept: Value, link: (ObjectLink) -> Value?) -> Value {
        switch (kept, shown) {
        case (.objectLink(let target), _): return link(target) ?? shown
        case (.list(let kept), .list(var list)) where kept.values.count == list.values.count:
            for i in kept.values.indices { list.values[i] = replace(list.values[i], kept: kept.values[i], link: link) }
            return .list(list)
        case (.dictionary(let kept), .dictionary(var dictionary)):
            for entry in kept.entries {
                if let value = dictionary[entry.key] {
                    dictionary[entry.key] = replace(value, kept: entry.value, link: link)
                }
            }
            return .dictionary(dictionary)
        default: return shown
        }
    }

    /// Returns the links after an edit inside the visible value. A link remains if its place is still null. The elements of a list are matched by
    /// equal elements before and after them.
    ///
    /// - Returns: the remaining links, or `nil` if no link remains.
    func after(replacing old: Value, with new: Value) -> KeptLinks? {
        let value = Self.after(value, replacing: old, with: new)
        return value.isNull ? nil : KeptLinks(stored: value)
    }

    private static func after(_ kept: Value, replacing old: Value, with new: Value) -> Value {
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
                for i in head..<a.count - tail { out[i] = after(kept.values[i], replacing: a[i], with: b[i]) }
            }
            return out.allSatisfy(\.isNull) ? .null : .list(NestedList(out))
        case (.dictionary(let kept), .dictionary(let old), .dictionary(let new)):
            var out: [NestedDictionary.Entry] = []
            for entry in kept.entries {
                guard let a = old[entry.key], let b = new[entry.key] else { continue }
                let value = after(entry.value, replacing: a, with: b)
                if !value.isNull { out.append(.init(entry.key, value)) }
            }
            return out.isEmpty ? .null : .dictionary(NestedDictionary(out))
        default: return .null
        }
    }

    /// Returns the links without those whose objects were created, or `nil` if no link remains.
    ///
    /// - Parameter come: the keys of the created objects by placeholder, for each table of placeholders.
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
