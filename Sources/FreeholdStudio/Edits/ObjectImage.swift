import FreeholdEngine

/// An object with all of its values and the links to it, from which it can be created again after a deletion.
struct ObjectImage: Sendable {
    /// A value of the image. Embedded objects are a part of the image, because they are deleted with their owner.
    indirect enum Content: Sendable {
        case value(Value)
        case embedded(ObjectImage)
        case list([Content])
        case map([(key: String, value: Content)])
    }

    /// A link to the object from another one.
    struct Origin: Sendable {
        enum Place: Sendable {
            case property
            case element(Int)
            case member
            case entry(String)
        }

        let className: String
        let property: String
        let key: ObjectKey
        let place: Place
    }

    let className: String
    let key: ObjectKey
    let primaryKey: Value?
    let fields: [(property: String, content: Content)]
    let origins: [Origin]

    /// The maximum number of incoming links of an object whose deletion can be undone.
    static let mostOrigins = 10_000

    /// - Parameter depth: The maximum number of levels of embedded objects.
    /// - Returns: `nil` if the image would be too large.
    init?(_ table: Table, _ key: ObjectKey, in view: DataView, _ facts: SchemaFacts, depth: Int = 32) {
        guard depth > 0 else { return nil }
        var fields: [(property: String, content: Content)] = []
        for column in table.columns where !column.isPrimaryKey {
            guard let content = Self.content(column, key, in: view, facts, depth: depth) else { return nil }
            fields.append((column.name, content))
        }
        guard let origins = table.isEmbedded ? [] : Self.origins(table, key, in: view, facts) else { return nil }
        self.className = table.name
        self.key = key
        self.fields = fields
        self.origins = origins
        primaryKey = table.primaryKey.map { view.value($0, key) }
    }

    private static func content(
        _ column: Column,
        _ key: ObjectKey,
        in view: DataView,
        _ facts: SchemaFacts,
        depth: Int
    ) -> Content? {
        let owned = view.schema.ownsTargets(column) ? column.targetTableID.flatMap { view.schema.table(id: $0) } : nil
        func content(_ value: Value) -> Content? {
            guard let owned, case .link(let target) = value else { return .value(value) }
            return ObjectImage(owned, target, in: view, facts, depth: depth - 1).map { .embedded($0) }
        }
        switch column.collection {
        case .none: return content(view.value(column, key))
        case .list, .set:
            let parts = view.listValues(column, key).map(content)
            return parts.contains { $0 == nil } ? nil : .list(parts.compactMap { $0 })
        case .dictionary:
            let parts = StagedValue.entries(column, key, in: view).map { ($0.key, content($0.value)) }
            return parts.contains { $0.1 == nil } ? nil : .map(parts.map { ($0.0, $0.1!) })
        }
    }

    private static func origins(
        _ table: Table,
        _ key: ObjectKey,
        in view: DataView,
        _ facts: SchemaFacts
    ) -> [Origin]? {
        var out: [Origin] = []
        for column in facts.incoming(table) where view.backlinkCount(column, key) > 0 {
            guard out.count + view.backlinkCount(column, key) <= mostOrigins else { return nil }
            // Links inside mixed values aren't restored one by one.
            guard column.type == .link else { return nil }
            let name = view.schema.table(of: column).name
            for origin in Set(view.backlinks(column, key)).sorted() {
                let places: [Origin.Place]
                switch column.collection {
                case .none: places = [.property]
                case .set: places = [.member]
                case .list:
                    let targets = view.listLinks(column, origin)
                    places = targets.indices.filter { targets[$0] == key }.map { .element($0) }
                case .dictionary:
                    places = StagedValue.entries(column, origin, in: view)
                        .filter { $0.value == .link(key) }.map { .entry($0.key) }
                }
                out += places.map { Origin(className: name, property: column.name, key: origin, place: $0) }
            }
        }
        return out
    }

    // MARK: Creation

    /// The keys that objects have after their restoration, by table id and former key.
    typealias Restored = [ObjectLink: ObjectKey]

    /// Creates the object again, with its values, its embedded objects and the links to it.
    ///
    /// - Parameter restored: The objects that were restored before. This object and its embedded objects are added.
    /// - Throws: The errors of the transaction. Links whose other side doesn't exist any more are left out.
    func create(in transaction: WriteTransaction, _ restored: inout Restored) throws -> ObjectKey {
        guard let table = transaction.schema.table(named: className) else {
            throw StudioError(.notFound, "The file has no class '\(className)'.")
        }
        let made = try transaction.create(table, primaryKey: primaryKey)
        let earlier = restored
        restored[ObjectLink(tableID: table.id, key: key)] = made
        for (name, content) in fields {
            guard let column = table.column(named: name) else { continue }
            try Self.write(content, column, made, in: transaction, restored: &restored)
        }
        for origin in origins {
            guard let from = transaction.schema.table(named: origin.className),
                let column = from.column(named: origin.property)
            else { continue }
            let former = ObjectLink(tableID: from.id, key: origin.key)
            let owner = restored[former] ?? origin.key
            // The links of this object and its embedded objects are values of the image.
            let isOwn = restored[former] != nil && earlier[former] == nil
            guard !isOwn, transaction.contains(from, owner) else { continue }
            switch origin.place {
            case .property:
                if transaction.value(column, owner).isNull { try transaction.set(column, owner, to: .link(made)) }
            case .element(let i):
                let place = min(i, transaction.listCount(column, owner))
                try transaction.listInsert(column, owner, at: place, value: .link(made))
            case .member: _ = try transaction.setInsert(column, owner, value: .link(made))
            case .entry(let name): try transaction.dictionarySet(column, owner, forKey: name, to: .link(made))
            }
        }
        return made
    }

    private static func write(
        _ content: Content,
        _ column: Column,
        _ key: ObjectKey,
        in transaction: WriteTransaction,
        restored: inout Restored
    ) throws {
        switch content {
        case .list(let parts):
            let values = try parts.map { try value($0, column, in: transaction, &restored) }.filter {
                column.type != .link || !$0.isNull
            }
            if column.collection == .set {
                try transaction.setAssign(column, key, values: values)
            } else {
                try transaction.listAssign(column, key, values: values)
            }
        case .map(let parts):
            for part in parts {
                let value = try value(part.value, column, in: transaction, &restored)
                try transaction.dictionarySet(column, key, forKey: part.key, to: value)
            }
        case .value, .embedded:
            try transaction.set(column, key, to: try value(content, column, in: transaction, &restored))
        }
    }

    private static func value(
        _ content: Content,
        _ column: Column,
        in transaction: WriteTransaction,
        _ restored: inout Restored
    ) throws -> Value {
        switch content {
        case .embedded(let image): return .link(try image.create(in: transaction, &restored))
        case .value(.link(let target)):
            guard let table = column.targetTableID.flatMap({ transaction.schema.table(id: $0) }) else { return .null }
            let target = restored[ObjectLink(tableID: table.id, key: target)] ?? target
            return transaction.contains(table, target) ? .link(target) : .null
        case .value(let value):
            let known = restored
            return value.mapLinks(to: nil) { known[ObjectLink(tableID: $0, key: $1)] ?? $1 }
        case .list, .map: return .null
        }
    }
}
