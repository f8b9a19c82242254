import FreeholdEngine

/// The rows that an `add` or `create` is going to store: every object of its graph, checked before any change is made.
struct GraphPlan {
    /// The target of a link.
    enum Target {
        /// An existing row.
        case row(ObjectKey, ManagedTable)
        /// An object of the plan.
        case node(Int)
    }

    /// The planned content of a property, whose objects have been found.
    enum PlannedValue {
        case value(Value)
        case link(Target?)
        case list([PlannedValue])
        case dictionary([(key: String, value: PlannedValue)])
    }

    struct Node {
        let table: ManagedTable
        /// The unmanaged object that becomes the accessor of the row, or nil if the row needs none.
        var object: ObjectBase?
        /// A Boolean value that indicates whether plain values are written directly from `object` and aren't contained
        /// in `values`.
        var writesDirectly = false
        /// A temporary object that provides default values.
        var defaults: ObjectBase?
        /// The row to update, or another node for the same row. It is nil for a new row.
        var existing: Target?
        var primaryKey: Value?
        /// The values and their properties.
        var values: [(property: Int, value: PlannedValue)] = []
        /// The index of the first value that is a default, because the caller didn't give it.
        var firstDefault = Int.max
    }

    var nodes: [Node] = []
    private var keyed: [RowIdentity: Int] = [:]

    private struct RowIdentity: Hashable {
        let table: Int
        let primaryKey: Value
    }

    static func duplicate(_ primaryKey: Value, _ table: ManagedTable) -> Realm.Error {
        Realm.Error(
            .duplicatePrimaryKey,
            "There is an object with primary key \(primaryKey) already. Choose another key, or update it with "
                + "`update: .modified`.",
            className: table.info.className,
            property: table.info.primaryKeyIndex.map { table.info.properties[$0].name }
        )
    }

    /// Finds the row of a primary key in the realm or in the plan, and records that it is planned.
    mutating func resolve(_ node: Int, primaryKey: Value, policy: Realm.UpdatePolicy) throws(Realm.Error) {
        let table = nodes[node].table
        nodes[node].primaryKey = primaryKey
        let identity = RowIdentity(table: table.table.id, primaryKey: primaryKey)
        let existing: Target? =
            if let other = keyed[identity] {
                .node(other)
            } else {
                table.core.view.find(primaryKey: primaryKey, in: table.table).map { .row($0, table) }
            }
        if existing != nil && policy == .error {
            throw Self.duplicate(primaryKey, table)
        }
        nodes[node].existing = existing
        if keyed[identity] == nil { keyed[identity] = node }
    }
}

// MARK: Checks

/// The limits of one value, which are those of RealmSwift.
enum ValueLimits {
    static let string = 16_777_199
    static let data = 16_777_200
    /// The largest number of nested collections in a mixed value.
    static let nesting = 100

    static func check(mapKey key: String, of className: String, property: String) throws(Realm.Error) {
        guard key.hasPrefix("$") || key.utf8.contains(UInt8(ascii: ".")) else { return }
        throw Realm.Error(
            .invalidValue,
            "The key \(key.debugDescription) can't be one of a map: keys have no '.' and don't begin with '$'.",
            className: className,
            property: property
        )
    }

    static func fits(_ value: Value) -> Bool {
        switch value {
        case .string(let text): text.utf8.count <= string
        case .data(let bytes): bytes.count <= data
        case .timestamp(let moment): moment.isValid
        default: true
        }
    }

    static func check(
        _ value: Value,
        optional: Bool,
        className: String,
        property: String
    ) throws(Realm.Error) {
        switch value {
        case .null where !optional:
            throw Realm.Error(
                .missingValue,
                "The value is required but is null. Give one, or make the property optional.",
                className: className,
                property: property
            )
        case .string(let text) where text.utf8.count > string:
            throw Realm.Error(
                .limitExceeded,
                "The string has \(text.utf8.count) bytes; at most \(string) can be stored.",
                className: className,
                property: property
            )
        case .data(let bytes) where bytes.count > data:
            throw Realm.Error(
                .limitExceeded,
                "The data has \(bytes.count) bytes; at most \(data) can be stored.",
                className: className,
                property: property
            )
        case .timestamp(let moment) where !moment.isValid:
            throw Realm.Error(
                .invalidValue,
                "The date isn't a moment: it is \(moment).",
                className: className,
                property: property
            )
        default: break
        }
    }
}

// MARK: Applying

extension GraphPlan {
    /// Stores the plan. The data has been checked, so an error here is an error of the file.
    ///
    /// - Returns: The key of each node's row.
    func apply(to core: RealmCore, policy: Realm.UpdatePolicy) throws(Realm.Error) -> [ObjectKey] {
        let transaction = core.requireWrite()
        do throws(EngineError) {
            var keys: [ObjectKey] = []
            keys.reserveCapacity(nodes.count)
            for node in nodes {
                switch node.existing {
                case .row(let key, _): keys.append(key)
                case .node(let other): keys.append(keys[other])
                case nil:
                    let key = try transaction.create(node.table.table, primaryKey: node.primaryKey)
                    core.didCreate(key, in: node.table.table)
                    keys.append(key)
                }
            }
            for (node, key) in zip(nodes, keys) {
                // If the owner is contained twice, the embedded row has already been replaced.
                if node.table.info.isEmbedded, !transaction.contains(node.table.table, key) { continue }
                if node.writesDirectly, let object = node.object {
                    node.table.store(object, at: key, in: transaction, withLinks: false)
                }
                let write = RowWrite(
                    transaction: transaction,
                    table: node.table,
                    key: key,
                    plan: self,
                    keys: keys,
                    isNew: node.existing == nil,
                    onlyDifferent: policy == .modified
                )
                for (property, value) in node.values { try write(property, value) }
                if transaction.isJournalled, node.firstDefault < node.values.count {
                    for (property, _) in node.values[node.firstDefault...] { write.markDefault(property) }
                }
            }
            for (node, key) in zip(nodes, keys) { node.object?._attach(to: node.table, key: key) }
            transaction.resolvePlaceholders()
            return keys
        } catch {
            throw Realm.Error(error, fileURL: core.configuration.fileURL)
        }
    }

    /// Returns a planned value in the form of the engine, for a column of the type.
    func stored(_ value: PlannedValue, as type: ColumnType, keys: [ObjectKey]) -> Value {
        switch value {
        case .value(let value): return value
        case .link(nil): return .null
        case .link(let target?):
            let (table, key) = row(of: target, keys)
            return type == .mixed ? .objectLink(ObjectLink(tableID: table.table.id, key: key)) : .link(key)
        case .list(let elements): return .list(NestedList(elements.map { stored($0, as: type, keys: keys) }))
        case .dictionary(let entries):
            return .dictionary(
                NestedDictionary(entries.map { NestedDictionary.Entry($0.key, stored($0.value, as: type, keys: keys)) })
            )
        }
    }

    private func row(of target: Target, _ keys: [ObjectKey]) -> (ManagedTable, ObjectKey) {
        switch target {
        case .row(let key, let table): (table, key)
        case .node(let node): (nodes[node].table, keys[node])
        }
    }
}

/// The write of planned values to one row.
private struct RowWrite {
    let transaction: WriteTransaction
    let table: ManagedTable
    let key: ObjectKey
    let plan: GraphPlan
    let keys: [ObjectKey]
    let isNew: Bool
    let onlyDifferent: Bool

    func callAsFunction(_ property: Int, _ value: GraphPlan.PlannedValue) throws(EngineError) {
        guard let column = table.columns[property], !column.isPrimaryKey else { return }
        switch (column.collection, value) {
        case (.list, .list(let elements)):
            try setList(column, elements.map { plan.stored($0, as: column.type, keys: keys) })
        // An empty list of a new row needs no write.
        case (.set, .list(let elements)):
            if isNew && elements.isEmpty { return }
            let values = elements.map { plan.stored($0, as: column.type, keys: keys) }
            if !isNew, onlyDifferent, transaction.set(column, key, holds: values) { return }
            try transaction.setAssign(column, key, values: values)
        case (.dictionary, .dictionary(let entries)):
            if isNew && entries.isEmpty { return }
            let values = entries.map { (key: $0.key, value: plan.stored($0.value, as: column.type, keys: keys)) }
            if !isNew, onlyDifferent, transaction.dictionary(column, key, holds: values) { return }
            try transaction.dictionaryAssign(column, key, entries: values)
        default: try set(column, plan.stored(value, as: column.type, keys: keys))
        }
    }

    /// Marks a property as a default. Collections are always empty at first, so they aren't marked.
    func markDefault(_ property: Int) {
        guard let column = table.columns[property], column.collection == .none else { return }
        transaction.markDefault(column, key)
    }

    private func set(_ column: Column, _ value: Value) throws(EngineError) {
        if isNew {
            // A new row already contains null if the column is optional.
            if value.isNull { return }
        } else if onlyDifferent && transaction.value(column, key).isIdentical(to: value) {
            return
        }
        try transaction.set(column, key, to: value)
    }

    private func isEmbedded(_ column: Column) -> Bool {
        column.targetTableID.flatMap { table.core.view.schema.table(id: $0) }?.isEmbedded ?? false
    }

    private func setList(_ column: Column, _ values: [Value]) throws(EngineError) {
        if isNew {
            if !values.isEmpty { try transaction.listAppend(column, key, values: values) }
            return
        }
        let isEmbedded = isEmbedded(column)
        guard onlyDifferent || isEmbedded else { return try transaction.listAssign(column, key, values: values) }
        // Unchanged lists aren't written, because embedded rows that leave a list are deleted.
        let old = transaction.listValues(column, key)
        let isSame = old.count == values.count && zip(old, values).allSatisfy { $0.isIdentical(to: $1) }
        if isSame { return }
        try transaction.assigning(column, of: key) { () throws(EngineError) in
            var common = 0
            while common < min(old.count, values.count), old[common].isIdentical(to: values[common]) { common += 1 }
            if common < old.count { try transaction.listRemove(column, key, range: common..<old.count) }
            if common < values.count { try transaction.listAppend(column, key, values: Array(values[common...])) }
        }
    }
}
