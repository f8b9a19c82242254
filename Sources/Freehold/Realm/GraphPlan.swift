import FreeholdEngine

/// What an `add` or `create` is going to store: every object of its graph, checked, before anything is changed.
struct GraphPlan {
    /// An object that a link leads to.
    enum Target {
        /// A row that is there.
        case row(ObjectKey)
        /// An object of the plan.
        case node(Int)
    }

    enum PlannedValue {
        case value(Value)
        case link(Target?)
        case values([Value])
        case links([Target])
    }

    struct Node {
        let table: ManagedTable
        /// The unmanaged object that becomes the accessor of the row; nil where the row needs none.
        var object: ObjectBase?
        /// Writes the plain values of `object` into a new row; nil where `values` has them.
        var writer: ObjectWriter?
        /// A throw-away object that default values are taken from.
        var defaults: ObjectBase?
        /// The row to update, or another node for the same row; nil for a new row.
        var existing: Target?
        var primaryKey: Value?
        /// By property.
        var values: [(property: Int, value: PlannedValue)] = []
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

    /// Finds the row that a primary key belongs to, in the realm or in the plan, and notes that it is planned.
    mutating func resolve(_ node: Int, primaryKey: Value, policy: Realm.UpdatePolicy) throws(Realm.Error) {
        let table = nodes[node].table
        nodes[node].primaryKey = primaryKey
        let identity = RowIdentity(table: table.table.id, primaryKey: primaryKey)
        let existing: Target? =
            if let other = keyed[identity] {
                .node(other)
            } else {
                table.core.view.find(primaryKey: primaryKey, in: table.table).map { .row($0) }
            }
        if existing != nil && policy == .error {
            throw Self.duplicate(primaryKey, table)
        }
        nodes[node].existing = existing
        if keyed[identity] == nil { keyed[identity] = node }
    }
}

// MARK: Checking

/// Limits of one value; those of RealmSwift.
enum ValueLimits {
    static let string = 16_777_199
    static let data = 16_777_200

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
        default: break
        }
    }
}

// MARK: Applying

extension GraphPlan {
    /// Stores the plan. What can be wrong with the data was checked; an error here is one of the file.
    ///
    /// - Returns: The key of each node's row.
    func apply(to core: RealmCore, policy: Realm.UpdatePolicy) throws(Realm.Error) -> [ObjectKey] {
        let transaction = core.requireWrite()
        do throws(EngineError) {
            var keys: [ObjectKey] = []
            keys.reserveCapacity(nodes.count)
            for node in nodes {
                switch node.existing {
                case .row(let key): keys.append(key)
                case .node(let other): keys.append(keys[other])
                case nil:
                    let key = try transaction.create(node.table.table, primaryKey: node.primaryKey)
                    core.didCreate(key, in: node.table.table)
                    keys.append(key)
                }
            }
            for (node, key) in zip(nodes, keys) {
                let write = RowWrite(
                    transaction: transaction,
                    table: node.table,
                    key: key,
                    keys: keys,
                    isNew: node.existing == nil,
                    onlyDifferent: policy == .modified
                )
                if let writer = node.writer { try writer.write(node.object!, into: key, transaction) }
                for (property, value) in node.values { try write(property, value) }
            }
            for (node, key) in zip(nodes, keys) {
                guard let object = node.object else { continue }
                if let writer = node.writer {
                    writer.attach(object, key)
                } else {
                    object._attach(to: node.table, key: key)
                }
            }
            return keys
        } catch {
            throw Realm.Error(error, fileURL: core.configuration.fileURL)
        }
    }
}

/// Writes planned values into one row.
private struct RowWrite {
    let transaction: WriteTransaction
    let table: ManagedTable
    let key: ObjectKey
    let keys: [ObjectKey]
    let isNew: Bool
    let onlyDifferent: Bool

    func callAsFunction(_ property: Int, _ value: GraphPlan.PlannedValue) throws(EngineError) {
        guard let column = table.columns[property], !column.isPrimaryKey else { return }
        switch value {
        case .value(let value): try set(column, value)
        case .link(let target): try set(column, target.map { .link(resolve($0)) } ?? .null)
        case .values(let values): try setList(column, values)
        case .links(let targets): try setList(column, targets.map { .link(resolve($0)) })
        }
    }

    private func resolve(_ target: GraphPlan.Target) -> ObjectKey {
        switch target {
        case .row(let key): key
        case .node(let node): keys[node]
        }
    }

    private func set(_ column: Column, _ value: Value) throws(EngineError) {
        if isNew {
            // A new row is null where it can be.
            if value.isNull { return }
        } else if onlyDifferent && transaction.value(column, key) == value {
            return
        }
        try transaction.set(column, key, value)
    }

    private func setList(_ column: Column, _ values: [Value]) throws(EngineError) {
        if !isNew {
            if onlyDifferent && transaction.listValues(column, key) == values { return }
            transaction.listClear(column, key)
        }
        if !values.isEmpty { try transaction.listAppend(column, key, values) }
    }
}
