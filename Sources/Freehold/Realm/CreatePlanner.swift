import FreeholdEngine

/// Plans the rows that plain data stands for: dictionaries by property name, arrays in the order of the properties,
/// other objects (copied), nested as they like.
struct CreatePlanner {
    let core: RealmCore
    let policy: Realm.UpdatePolicy
    var plan = GraphPlan()
    private var copied: [ObjectIdentifier: Int] = [:]
    /// Nodes whose values are still to be planned, the next one last.
    private var open: [(node: Int, input: Input)] = []

    /// What one row's values are taken from.
    private enum Input {
        case dictionary([String: Any])
        case array([Any])
        case object(ObjectBase)
    }

    init(core: RealmCore, policy: Realm.UpdatePolicy) {
        self.core = core
        self.policy = policy
    }

    mutating func plan(_ value: Any, for table: ManagedTable) throws(Realm.Error) -> GraphPlan.Target {
        let target = try self.target(of: value, in: table, isRoot: true, property: nil)
        while let (node, input) = open.popLast() {
            let first = open.count
            try planValues(of: node, input)
            open[first...].reverse()
        }
        return target
    }

    // MARK: Nodes

    private mutating func target(
        of value: Any, in table: ManagedTable, isRoot: Bool, property: (ClassInfo, PropertyInfo)?
    ) throws(Realm.Error) -> GraphPlan.Target {
        let input: Input
        if let object = value as? ObjectBase {
            if object._isManaged && object.isInvalidated {
                programmerError("A \(table.info.className) that was deleted from its realm can't be copied.")
            }
            if object._core === core, type(of: object) == table.info.cls, !isRoot || policy != .error {
                return .row(object._key)
            }
            if let node = copied[ObjectIdentifier(object)] { return .node(node) }
            if let error = object._unmanagedError { throw error }
            input = .object(object)
        } else if let dictionary = PlainInput.dictionary(value) {
            input = .dictionary(dictionary)
        } else if let array = value as? [Any] {
            input = .array(array)
        } else {
            throw Realm.Error(
                .invalidValue,
                "\(PlainInput.describe(value)) can't become an object of class \(table.info.className). Give a "
                    + "dictionary, an array or an object.",
                className: property?.0.className ?? table.info.className, property: property?.1.name)
        }
        if case .array(let array) = input, array.count > table.info.properties.count {
            throw Realm.Error(
                .invalidValue,
                "\(array.count) values were given for \(table.info.properties.count) properties.",
                className: table.info.className)
        }
        let node = plan.nodes.count
        plan.nodes.append(GraphPlan.Node(table: table))
        if case .object(let object) = input { copied[ObjectIdentifier(object)] = node }
        try resolvePrimaryKey(of: node, &plan, input)
        open.append((node, input))
        return .node(node)
    }

    /// The row to update is looked for at once, so that a second mention of it finds the first.
    private func resolvePrimaryKey(of node: Int, _ plan: inout GraphPlan, _ input: Input) throws(Realm.Error) {
        let table = plan.nodes[node].table
        guard let index = table.info.primaryKeyIndex else { return }
        let property = table.info.properties[index]
        let column = table.columns[index]!
        let value: Value
        switch try given(property, input, table.info) {
        case .missing:
            guard case .value(let initial) = table.info.content(of: table.info.makeUnmanaged(), at: index) else {
                return
            }
            value = initial
        case .plain(let any): value = try PlainInput.scalar(any, property, table.info)
        case .content(.value(let copied)): value = copied
        case .content: return
        }
        try ValueLimits.check(
            value, optional: column.isOptional, className: table.info.className, property: property.name)
        try plan.resolve(node, primaryKey: value, policy: policy)
    }

    // MARK: Values

    private enum Given {
        case missing
        case plain(Any?)
        case content(PropertyContent)
    }

    private func given(
        _ property: PropertyInfo, _ input: Input, _ target: ClassInfo
    ) throws(Realm.Error) -> Given {
        switch input {
        case .dictionary(let dictionary):
            guard let value = dictionary[property.name] else { return .missing }
            return .plain(PlainInput.unwrap(value))
        case .array(let array):
            return property.index < array.count ? .plain(PlainInput.unwrap(array[property.index])) : .missing
        case .object(let object):
            let info = object._info
            if info === target {
                return .content(info.content(of: object, at: property.index))
            }
            guard let index = info.index(named: property.name) else { return .missing }
            return .content(info.content(of: object, at: index))
        }
    }

    private mutating func planValues(of node: Int, _ input: Input) throws(Realm.Error) {
        let table = plan.nodes[node].table
        let info = table.info
        var defaults: ObjectBase?
        for property in info.properties {
            guard let column = table.columns[property.index], !column.isPrimaryKey else { continue }
            let value: GraphPlan.PlannedValue?
            switch try given(property, input, table.info) {
            case .missing:
                // An updated row keeps what isn't mentioned.
                if plan.nodes[node].existing != nil { continue }
                if defaults == nil { defaults = info.makeUnmanaged() }
                value = try planned(info.content(of: defaults!, at: property.index), property, table)
            case .content(let content): value = try planned(content, property, table)
            case .plain(let any): value = try planned(any, property, column, table)
            }
            if let value { plan.nodes[node].values.append((property.index, value)) }
        }
    }

    private mutating func planned(
        _ content: PropertyContent, _ property: PropertyInfo, _ table: ManagedTable
    ) throws(Realm.Error) -> GraphPlan.PlannedValue? {
        let info = table.info
        let optional = table.columns[property.index]!.isOptional
        switch content {
        case .computed: return nil
        case .value(let value):
            try ValueLimits.check(value, optional: optional, className: info.className, property: property.name)
            return .value(value)
        case .object(nil): return .link(nil)
        case .object(let object?):
            return .link(try target(of: object, in: targetTable(property, table), isRoot: false, property: nil))
        case .values(let values):
            for value in values {
                try ValueLimits.check(value, optional: optional, className: info.className, property: property.name)
            }
            return .values(values)
        case .objects(let objects):
            let targetTable = targetTable(property, table)
            var targets: [GraphPlan.Target] = []
            for object in objects {
                targets.append(try target(of: object, in: targetTable, isRoot: false, property: nil))
            }
            return .links(targets)
        }
    }

    private mutating func planned(
        _ any: Any?, _ property: PropertyInfo, _ column: Column, _ table: ManagedTable
    ) throws(Realm.Error) -> GraphPlan.PlannedValue {
        let info = table.info
        if property.isLink {
            guard let any else { return .link(nil) }
            let targetTable = targetTable(property, table)
            return .link(try target(of: any, in: targetTable, isRoot: false, property: (info, property)))
        }
        guard property.isCollection else {
            let value = try PlainInput.scalar(any, property, info)
            try ValueLimits.check(value, optional: column.isOptional, className: info.className, property: property.name)
            return .value(value)
        }
        let elements = try PlainInput.elements(any, property, info)
        if property.shape.type == .object {
            let targetTable = targetTable(property, table)
            var targets: [GraphPlan.Target] = []
            for element in elements {
                guard let element else { throw PlainInput.nullElement(property, info) }
                targets.append(try target(of: element, in: targetTable, isRoot: false, property: (info, property)))
            }
            return .links(targets)
        }
        var values: [Value] = []
        for element in elements {
            let value = try PlainInput.scalar(element, property, info)
            try ValueLimits.check(value, optional: column.isOptional, className: info.className, property: property.name)
            values.append(value)
        }
        return .values(values)
    }

    private func targetTable(_ property: PropertyInfo, _ table: ManagedTable) -> ManagedTable {
        core.requireTable(for: property.target!)
    }
}
