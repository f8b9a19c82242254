import FreeholdEngine

/// Plans the rows that plain data stands for: dictionaries by property name, arrays in the order of the properties,
/// other objects (copied), nested as they like.
struct CreatePlanner {
    let core: RealmCore
    let policy: Realm.UpdatePolicy
    var plan = GraphPlan()
    private var copied: [CopySource: Int] = [:]
    /// Nodes whose values are still to be planned, the next one last.
    private var open: [(node: Int, values: ConvertedObject)] = []

    init(core: RealmCore, policy: Realm.UpdatePolicy) {
        self.core = core
        self.policy = policy
    }

    mutating func plan(_ value: Any, for table: ManagedTable) throws(Realm.Error) -> GraphPlan.Target {
        let target: GraphPlan.Target
        if let object = value as? ObjectBase {
            if object._isManaged && object.isInvalidated {
                programmerError("A \(type(of: object)) that was deleted from its realm can't be copied.")
            }
            if policy != .error, object._core === core, type(of: object) == table.info.cls { return .row(object._key) }
            target = .node(try copy(object, table))
        } else {
            target = .node(try add(ValueConversion.object(value, table.info), table))
        }
        while let (node, values) = open.popLast() {
            let first = open.count
            try planValues(of: node, values)
            // The first link's object next.
            open[first...].reverse()
        }
        return target
    }

    // MARK: Nodes

    private mutating func target(
        of link: ConvertedLink,
        _ table: ManagedTable
    ) throws(Realm.Error) -> GraphPlan.Target {
        switch link {
        case .nested(let values): return .node(try add(values, table))
        case .object(let object):
            if object._core === core {
                core.requireOwn(object, "linked")
                return .row(object._key)
            }
            return .node(try copy(object, table))
        }
    }

    private mutating func copy(_ object: ObjectBase, _ table: ManagedTable) throws(Realm.Error) -> Int {
        let source = CopySource(object)
        if let node = copied[source] { return node }
        if let error = object._unmanagedError { throw error }
        let node = try add(ValueConversion.object(object, table.info), table)
        copied[source] = node
        return node
    }

    private mutating func add(_ values: ConvertedObject, _ table: ManagedTable) throws(Realm.Error) -> Int {
        let node = plan.nodes.count
        plan.nodes.append(GraphPlan.Node(table: table))
        open.append((node, values))
        guard let index = table.info.primaryKeyIndex else { return node }
        // The row to update is looked for at once, so that a second mention of it finds the first.
        var key = values.primaryKey
        if key == nil {
            let defaults = table.info.makeUnmanaged()
            plan.nodes[node].defaults = defaults
            if case .value(let value) = table.info.content(of: defaults, at: index) { key = value }
        }
        guard let key else { return node }
        try check(key, table.info.properties[index], table)
        try plan.resolve(node, primaryKey: key, policy: policy)
        return node
    }

    // MARK: Values

    private mutating func planValues(of node: Int, _ given: ConvertedObject) throws(Realm.Error) {
        let table = plan.nodes[node].table
        let info = table.info
        var values: [(property: Int, value: GraphPlan.PlannedValue)] = []
        values.reserveCapacity(info.properties.count)
        for (index, field) in given.fields where index != info.primaryKeyIndex {
            values.append((index, try planned(field, info.properties[index], table)))
        }
        // An updated row keeps what isn't mentioned.
        if plan.nodes[node].existing == nil && given.fields.count < info.properties.count {
            let mentioned = Set(given.fields.map(\.property))
            let defaults = plan.nodes[node].defaults ?? info.makeUnmanaged()
            for property in info.properties
            where !property.isComputed && property.index != info.primaryKeyIndex && !mentioned.contains(property.index)
            {
                let content = info.content(of: defaults, at: property.index)
                guard let field = ConvertedField(content) else { continue }
                values.append((property.index, try planned(field, property, table)))
            }
        }
        plan.nodes[node].values = values
        plan.nodes[node].defaults = nil
    }

    private mutating func planned(
        _ field: ConvertedField,
        _ property: PropertyInfo,
        _ table: ManagedTable
    ) throws(Realm.Error) -> GraphPlan.PlannedValue {
        switch field {
        case .value(let value):
            try check(value, property, table)
            return .value(value)
        case .values(let values):
            for value in values { try check(value, property, table) }
            return .values(values)
        case .link(nil): return .link(nil)
        case .link(let link?): return .link(try target(of: link, core.requireTable(for: property.target!)))
        case .links(let links):
            let targetTable = core.requireTable(for: property.target!)
            var targets: [GraphPlan.Target] = []
            targets.reserveCapacity(links.count)
            for link in links { targets.append(try target(of: link, targetTable)) }
            return .links(targets)
        }
    }

    private func check(_ value: Value, _ property: PropertyInfo, _ table: ManagedTable) throws(Realm.Error) {
        try ValueLimits.check(
            value,
            optional: property.shape.isOptional,
            className: table.info.className,
            property: property.name
        )
    }
}

/// What tells apart the objects that are copied. Of a row each read makes another accessor.
private enum CopySource: Hashable {
    case instance(ObjectIdentifier)
    case row(realm: ObjectIdentifier, table: Int, key: Int64)

    init(_ object: ObjectBase) {
        if let core = object._core, let table = object._table {
            self = .row(realm: ObjectIdentifier(core), table: table.table.id, key: object._rawKey)
        } else {
            self = .instance(ObjectIdentifier(object))
        }
    }
}

extension ConvertedField {
    /// What a property of an unmanaged object holds; nil for linking objects.
    fileprivate init?(_ content: PropertyContent) {
        switch content {
        case .value(let value): self = .value(value)
        case .object(let object): self = .link(object.map { .object($0) })
        case .values(let values): self = .values(values)
        case .objects(let objects): self = .links(objects.map { .object($0) })
        case .computed: return nil
        }
    }
}

extension ClassInfo {
    /// A new unmanaged object with default values.
    func makeUnmanaged() -> ObjectBase { cls.init(_freehold: _HiddenInitializer()) }
}
