import FreeholdEngine

/// A planner of the rows for unmanaged objects and plain data, and for all objects to which they link. Each object is
/// planned before the objects to which it links. The depth of the graph isn't limited.
struct GraphPlanner {
    let core: RealmCore
    let policy: Realm.UpdatePolicy
    /// A Boolean value that indicates whether unmanaged objects become the accessors of their rows (`add`). If false,
    /// they are copied (`create`).
    let adopts: Bool
    var plan = GraphPlan()
    private var known: [ObjectIdentity: Int] = [:]
    /// The nodes whose values aren't planned yet. The last node is the next one.
    private var open: [(node: Int, source: Source)] = []

    /// The node whose values are being planned.
    private var current: Int?
    /// A Boolean value that indicates whether those values belong to another object, so that its embedded objects are
    /// copied.
    private var isCopying = false
    /// For nodes of embedded objects: the identity of the source, and the node of the owner.
    private var origins: [Int: (source: ObjectIdentity, owner: Int?)] = [:]

    private enum Source {
        case object(ObjectBase)
        case values(_ObjectValues)
    }

    init(core: RealmCore, policy: Realm.UpdatePolicy, adopts: Bool) {
        self.core = core
        self.policy = policy
        self.adopts = adopts
    }

    /// Plans all open nodes.
    mutating func finish() throws(Realm.Error) {
        while let (node, source) = open.popLast() {
            let first = open.count
            current = node
            if case .values(let values) = source { isCopying = values.isCopy } else { isCopying = false }
            switch source {
            case .object(let object): try planValues(of: node, object)
            case .values(let values): try planValues(of: node, values)
            }
            // The object of the first link is next.
            open[first...].reverse()
        }
        current = nil
        isCopying = false
    }

    // MARK: Objects

    /// Returns the row or node of an object to add.
    mutating func target(of object: ObjectBase) throws(Realm.Error) -> GraphPlan.Target {
        if object._isManaged {
            core.requireOwn(object, "added or linked")
            return .row(object._key, object._table!)
        }
        let identity = ObjectIdentity(object)
        if let node = known[identity] { return .node(node) }
        if let error = object._unmanagedError { throw error }
        let table = core.requireTable(of: object)
        guard let own = table.adopting(object) else { return .node(try copy(object, table)) }
        let node = append(GraphPlan.Node(table: own, object: object), .object(object))
        known[identity] = node
        return .node(node)
    }

    /// Returns the row or node for an argument of `create`.
    mutating func target(of value: Any, in table: ManagedTable) throws(Realm.Error) -> GraphPlan.Target {
        guard let object = PlainValue.object(value) else {
            return .node(try add(ValueConversion.object(value, table.info), table))
        }
        if object._isManaged && object.isInvalidated {
            programmerError("A \(type(of: object)) that was deleted from its realm can't be copied.")
        }
        if policy != .error, object._core === core, object._table?.table.id == table.table.id {
            return .row(object._key, table)
        }
        return .node(try copy(object, table))
    }

    /// Plans an object with converted values.
    mutating func plan(_ values: _ObjectValues, in table: ManagedTable) throws(Realm.Error) {
        _ = try add(values, table)
    }

    /// Plans the update of an existing row. Its primary key stays unchanged.
    mutating func plan(_ values: _ObjectValues, inPlaceOf row: ObjectKey, in table: ManagedTable) {
        _ = append(GraphPlan.Node(table: table, existing: .row(row, table)), .values(values))
    }

    private mutating func append(_ node: GraphPlan.Node, _ source: Source) -> Int {
        plan.nodes.append(node)
        open.append((plan.nodes.count - 1, source))
        return plan.nodes.count - 1
    }

    /// Returns a node for a copy of the object. All references to the object share one node, unless each needs its own.
    private mutating func copy(
        _ object: ObjectBase,
        _ table: ManagedTable,
        inPlaceOf existing: GraphPlan.Target? = nil
    ) throws(Realm.Error) -> Int {
        let identity = ObjectIdentity(object)
        if !table.info.isEmbedded, let node = known[identity] { return node }
        if let error = object._unmanagedError { throw error }
        let node = try add(ValueConversion.object(object, table.info), table, inPlaceOf: existing)
        if !table.info.isEmbedded { known[identity] = node }
        return node
    }

    private mutating func add(
        _ values: _ObjectValues,
        _ table: ManagedTable,
        inPlaceOf existing: GraphPlan.Target? = nil
    ) throws(Realm.Error) -> Int {
        let node = append(GraphPlan.Node(table: table, existing: existing), .values(values))
        guard let index = table.info.primaryKeyIndex else { return node }
        // The row to update is determined now, so that a second reference to it finds the first.
        var key = values.primaryKey
        if key == nil {
            let defaults = table.info.makeUnmanaged()
            plan.nodes[node].defaults = defaults
            key = table.info.value(of: defaults, at: index)
        }
        guard let key else { return node }
        try check(key, of: table.info.properties[index], in: table.info)
        try plan.resolve(node, primaryKey: key, policy: policy)
        return node
    }

    /// Returns the target of a property's link.
    ///
    /// - Parameter existing: The embedded row that exists already and is updated in place.
    private mutating func link(
        _ content: _StoredContent,
        of property: PropertyInfo,
        in table: ManagedTable,
        inPlaceOf existing: GraphPlan.Target?
    ) throws(Realm.Error) -> GraphPlan.PlannedValue {
        switch content {
        case .object(let given?):
            let target = table.target(of: property.index)
            guard let object = target.info.isEmbedded ? given : core.successor(of: given) else { return .link(nil) }
            core.requireClass(object, for: property, in: table.info)
            guard target.info.isEmbedded else { return .link(try linked(object, target)) }
            let identity = ObjectIdentity(object)
            if object._core == nil, adopts, !isCopying, known[identity] == nil, let own = target.adopting(object) {
                if let error = object._unmanagedError { throw error }
                let node = append(
                    GraphPlan.Node(table: own, object: object, existing: existing),
                    .object(object)
                )
                known[identity] = node
                origins[node] = (identity, current)
                return .link(.node(node))
            }
            // The object already has an owner, or belongs to another object.
            if object.isInvalidated {
                programmerError("A \(type(of: object)) that was deleted from its realm can't be copied.")
            }
            if object._core == nil { try checkRing(object, identity) }
            let node = try copy(object, target, inPlaceOf: existing)
            origins[node] = (identity, current)
            return .link(.node(node))
        case .values(let values):
            return .link(.node(try add(values, table.target(of: property.index), inPlaceOf: existing)))
        default: return .link(nil)
        }
    }

    /// Throws if an unmanaged embedded object contains itself. Copying it would never end.
    private func checkRing(_ object: ObjectBase, _ identity: ObjectIdentity) throws(Realm.Error) {
        var owner = current
        while let node = owner, let origin = origins[node] {
            if origin.source == identity { throw EmbeddedObject._ownsItself(object) }
            owner = origin.owner
        }
    }

    private mutating func linked(
        _ object: ObjectBase,
        _ table: ManagedTable
    ) throws(Realm.Error) -> GraphPlan.Target {
        if adopts { return try target(of: object) }
        if object._core === core {
            core.requireOwn(object, "linked")
            return .row(object._key, table)
        }
        return .node(try copy(object, table))
    }

    // MARK: Values

    /// Plans the values of an unmanaged object that becomes the accessor of its row.
    private mutating func planValues(of node: Int, _ object: ObjectBase) throws(Realm.Error) {
        let table = plan.nodes[node].table
        let info = table.info
        let address = object._fieldAddress(0)
        for direct in info.directProperties where direct.isPlain {
            if object._kept(direct.index) == nil, direct.fits(address, table) { continue }
            try check(info.value(of: object, at: direct.index), of: info.properties[direct.index], in: info)
        }
        if let index = info.primaryKeyIndex {
            try plan.resolve(node, primaryKey: info.value(of: object, at: index), policy: policy)
        }
        plan.nodes[node].writesDirectly = plan.nodes[node].existing == nil && !object._keepsContents
        var values: [(property: Int, value: GraphPlan.PlannedValue)] = []
        for direct in info.directProperties where !(direct.isPlain && plan.nodes[node].writesDirectly) {
            let property = info.properties[direct.index]
            if property.isComputed || property.isPrimaryKey { continue }
            let content = info.content(of: object, at: property.index)
            values.append((property.index, try planned(content, of: property, in: table, node: node)))
        }
        plan.nodes[node].values = values
    }

    /// Plans converted values for a new or updated row.
    private mutating func planValues(of node: Int, _ given: _ObjectValues) throws(Realm.Error) {
        let table = plan.nodes[node].table
        let info = table.info
        var values: [(property: Int, value: GraphPlan.PlannedValue)] = []
        values.reserveCapacity(info.properties.count)
        for (index, content) in given.fields where index != info.primaryKeyIndex {
            values.append((index, try planned(content, of: info.properties[index], in: table, node: node)))
        }
        // An updated row keeps the values of properties that aren't given.
        if plan.nodes[node].existing == nil && given.fields.count < info.properties.count {
            let mentioned = Set(given.fields.map(\.property))
            plan.nodes[node].firstDefault = values.count
            let defaults = plan.nodes[node].defaults ?? info.makeUnmanaged()
            for property in info.properties
            where !property.isComputed && property.index != info.primaryKeyIndex && !mentioned.contains(property.index)
            {
                let content = info.content(of: defaults, at: property.index)
                values.append((property.index, try planned(content, of: property, in: table, node: node)))
            }
        }
        plan.nodes[node].values = values
        plan.nodes[node].defaults = nil
    }

    private mutating func planned(
        _ content: _StoredContent,
        of property: PropertyInfo,
        in table: ManagedTable,
        node: Int
    ) throws(Realm.Error) -> GraphPlan.PlannedValue {
        let there = EmbeddedRows(of: property, table, plan.nodes[node].existing, policy: policy)
        switch content {
        case .list(let elements) where property.isCollection:
            var planned: [GraphPlan.PlannedValue] = []
            planned.reserveCapacity(elements.count)
            for (i, element) in elements.enumerated() {
                planned.append(try self.element(element, of: property, in: table, inPlaceOf: there.row(at: i)))
            }
            return .list(planned)
        case .dictionary(let entries) where property.isCollection:
            var planned: [(key: String, value: GraphPlan.PlannedValue)] = []
            planned.reserveCapacity(entries.count)
            for entry in entries {
                try ValueLimits.check(mapKey: entry.key, of: table.info.className, property: property.name)
                let row = there.row(forKey: entry.key)
                planned.append((entry.key, try element(entry.content, of: property, in: table, inPlaceOf: row)))
            }
            return .dictionary(planned)
        default: return try element(content, of: property, in: table, inPlaceOf: there.row(at: 0))
        }
    }

    /// Returns the planned value of a property, or of one element of a collection.
    mutating func element(
        _ content: _StoredContent,
        of property: PropertyInfo,
        in table: ManagedTable,
        inPlaceOf existing: GraphPlan.Target? = nil
    ) throws(Realm.Error) -> GraphPlan.PlannedValue {
        switch property.shape.type {
        case .object: return try link(content, of: property, in: table, inPlaceOf: existing)
        case .any: return try mixed(content, of: property, in: table, depth: 1)
        default:
            guard case .value(let value) = content else { return .link(nil) }
            try check(value, of: property, in: table.info)
            return .value(value)
        }
    }

    private mutating func mixed(
        _ content: _StoredContent,
        of property: PropertyInfo,
        in table: ManagedTable,
        depth: Int
    ) throws(Realm.Error) -> GraphPlan.PlannedValue {
        switch content {
        case .value(let value):
            try ValueLimits.check(
                value,
                optional: true,
                className: table.info.className,
                property: property.name
            )
            return .value(value)
        case .object(nil), .computed: return .value(.null)
        case .object(let given?):
            guard let object = core.successor(of: given) else { return .value(.null) }
            if object is EmbeddedObject {
                throw Realm.Error(
                    .invalidValue,
                    "an embedded object can't be the value of a mixed property: it has one owner, whose property names "
                        + "its class",
                    className: table.info.className,
                    property: property.name
                )
            }
            return .link(try linked(object, core.requireTable(of: object)))
        case .values(let values):
            return .link(.node(try add(values, core.requireTable(of: values.info))))
        case .list(let elements):
            try checkNesting(property, in: table, depth: depth)
            var planned: [GraphPlan.PlannedValue] = []
            planned.reserveCapacity(elements.count)
            for element in elements { planned.append(try mixed(element, of: property, in: table, depth: depth + 1)) }
            return .list(planned)
        case .dictionary(let entries):
            try checkNesting(property, in: table, depth: depth)
            var planned: [(key: String, value: GraphPlan.PlannedValue)] = []
            planned.reserveCapacity(entries.count)
            for entry in entries {
                try ValueLimits.check(mapKey: entry.key, of: table.info.className, property: property.name)
                planned.append((entry.key, try mixed(entry.content, of: property, in: table, depth: depth + 1)))
            }
            return .dictionary(planned)
        }
    }

    // MARK: Checks

    private func checkNesting(_ property: PropertyInfo, in table: ManagedTable, depth: Int) throws(Realm.Error) {
        if property.shape.collection == .set {
            throw Realm.Error(
                .invalidValue,
                "a set can't hold lists or dictionaries",
                className: table.info.className,
                property: property.name
            )
        }
        if depth > ValueLimits.nesting {
            throw Realm.Error(
                .limitExceeded,
                "the value is nested deeper than \(ValueLimits.nesting) levels",
                className: table.info.className,
                property: property.name
            )
        }
    }

    private func check(_ value: Value, of property: PropertyInfo, in info: ClassInfo) throws(Realm.Error) {
        try ValueLimits.check(
            value,
            optional: property.shape.isOptional,
            className: info.className,
            property: property.name
        )
    }
}

/// The existing embedded rows of a property of an updated object. They are updated in place instead of replaced.
private struct EmbeddedRows {
    private let table: ManagedTable?
    private let rows: [ObjectKey?]
    private let byName: [String: ObjectKey]

    init(
        of property: PropertyInfo,
        _ owner: ManagedTable,
        _ existing: GraphPlan.Target?,
        policy: Realm.UpdatePolicy
    ) {
        var rows: [ObjectKey?] = []
        var byName: [String: ObjectKey] = [:]
        guard property.shape.type == .object, owner.target(of: property.index).info.isEmbedded,
            case .row(let key, _)? = existing, let column = owner.columns[property.index]
        else {
            table = nil
            self.rows = []
            self.byName = [:]
            return
        }
        let view = owner.core.view
        switch column.collection {
        case .none: rows = [view.readLink(column, key)]
        case .dictionary where policy == .modified:
            for (name, value) in view.dictionaryEntries(column, key) {
                if case .link(let row) = value { byName[name] = row }
            }
        case .list where policy == .modified: rows = view.listLinks(column, key)
        default: break
        }
        table = owner.target(of: property.index)
        self.rows = rows
        self.byName = byName
    }

    func row(at i: Int) -> GraphPlan.Target? {
        guard let table, i < rows.count, let key = rows[i] else { return nil }
        return .row(key, table)
    }

    func row(forKey name: String) -> GraphPlan.Target? {
        guard let table, let key = byName[name] else { return nil }
        return .row(key, table)
    }
}

/// The identity of an object. It is the row for managed objects, because each read of a row can make another accessor.
private enum ObjectIdentity: Hashable {
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
