import FreeholdEngine

extension RealmCore {
    /// Adds an unmanaged object with everything unmanaged that it links to, or nothing of it: what is wrong with the
    /// data is recorded.
    ///
    /// - Returns: Whether the object is managed now.
    @discardableResult
    func addGraph(_ object: ObjectBase, policy: Realm.UpdatePolicy = .error) -> Bool {
        let transaction = requireWrite()
        if policy == .error, addDirectly(object, transaction) { return true }
        do throws(Realm.Error) {
            if try addFlat(object, policy, transaction) { return true }
            var planner = AddPlanner(core: self, policy: policy)
            guard case .node = try planner.target(of: object) else { return true }
            try planner.finish()
            _ = try planner.plan.apply(to: self, policy: policy)
            return true
        } catch {
            record(error)
            return false
        }
    }

    /// Adds the unmanaged ones of several objects, or none of them: see ``addGraph(_:policy:)``.
    ///
    /// - Returns: Whether all of them are managed now.
    func addGraphs(_ objects: [ObjectBase]) -> Bool {
        _ = requireWrite()
        do throws(Realm.Error) {
            var planner = AddPlanner(core: self, policy: .error)
            for object in objects where object._core == nil { _ = try planner.target(of: object) }
            try planner.finish()
            _ = try planner.plan.apply(to: self, policy: .error)
            return true
        } catch {
            record(error)
            return false
        }
    }
}

extension RealmCore {
    /// Adds a new object that links to nothing, without a plan. False where it takes one.
    private func addFlat(
        _ object: ObjectBase,
        _ policy: Realm.UpdatePolicy,
        _ transaction: WriteTransaction
    ) throws(Realm.Error) -> Bool {
        guard policy == .error, !object._isManaged else { return false }
        let writer = writer(for: requireTable(for: type(of: object)))
        guard writer.references.isEmpty else { return false }
        if let error = object._unmanagedError { throw error }
        try writer.check(object)
        let table = writer.table
        do throws(EngineError) {
            let key = try transaction.create(table.table, primaryKey: writer.primaryKey(of: object))
            didCreate(key, in: table.table)
            try writer.write(object, into: key, transaction)
            writer.attach(object, key)
            return true
        } catch  where error.code == .duplicatePrimaryKey {
            throw GraphPlan.duplicate(writer.primaryKey(of: object)!, table)
        } catch {
            throw Realm.Error(error, className: table.info.className, fileURL: configuration.fileURL)
        }
    }
}

/// Plans the rows of a graph of unmanaged objects, each object before those that it links to.
struct AddPlanner {
    let core: RealmCore
    let policy: Realm.UpdatePolicy
    var plan = GraphPlan()
    private var planned: [ObjectIdentifier: Int] = [:]
    /// Nodes whose values are still to be read, the next one last.
    private var open: [Int] = []

    init(core: RealmCore, policy: Realm.UpdatePolicy) {
        self.core = core
        self.policy = policy
    }

    /// The row or node of an object; a new node's values are planned later, so that no depth of links matters.
    mutating func target(of object: ObjectBase) throws(Realm.Error) -> GraphPlan.Target {
        if object._isManaged {
            core.requireOwn(object, "added or linked")
            return .row(object._key)
        }
        if let node = planned[ObjectIdentifier(object)] { return .node(node) }
        if let error = object._unmanagedError { throw error }
        let table = core.requireTable(for: type(of: object))
        let node = plan.nodes.count
        plan.nodes.append(GraphPlan.Node(table: table, object: object))
        planned[ObjectIdentifier(object)] = node
        open.append(node)
        return .node(node)
    }

    /// Plans the values of all open nodes.
    mutating func finish() throws(Realm.Error) {
        while let node = open.popLast() {
            let first = open.count
            try planValues(of: node)
            // The first link's object next.
            open[first...].reverse()
        }
    }

    private mutating func planValues(of node: Int) throws(Realm.Error) {
        let table = plan.nodes[node].table
        let object = plan.nodes[node].object!
        let info = table.info
        let writer = core.writer(for: table)
        try writer.check(object)
        if let key = writer.primaryKey(of: object) { try plan.resolve(node, primaryKey: key, policy: policy) }
        var values: [(property: Int, value: GraphPlan.PlannedValue)] = []
        if plan.nodes[node].existing == nil {
            plan.nodes[node].writer = writer
        } else {
            values = writer.values(of: object)
        }
        for property in writer.references {
            let index = property.index
            switch info.content(of: object, at: index) {
            case .computed, .value, .object(nil): values.append((index, .link(nil)))
            case .object(let linked?):
                core.requireClass(linked, property, info)
                values.append((index, .link(try target(of: linked))))
            case .values(let elements):
                for element in elements {
                    try ValueLimits.check(
                        element,
                        optional: property.shape.isOptional,
                        className: info.className,
                        property: property.name
                    )
                }
                values.append((index, .values(elements)))
            case .objects(let objects):
                var targets: [GraphPlan.Target] = []
                targets.reserveCapacity(objects.count)
                for linked in objects {
                    core.requireClass(linked, property, info)
                    targets.append(try target(of: linked))
                }
                values.append((index, .links(targets)))
            }
        }
        plan.nodes[node].values = values
    }
}

extension RealmCore {
    /// A link leads to rows of one table, so that a subclass's object, which is a row of another, doesn't fit.
    @inline(__always)
    func requireClass(_ object: ObjectBase, _ property: PropertyInfo, _ info: ClassInfo) {
        if type(of: object) == property.target { return }
        programmerError(
            "\(info.className).\(property.name) holds objects of class \(property.target!.className()) and can't be "
                + "given one of its subclass \(type(of: object).className()), which has a table of its own."
        )
    }

    /// Traps unless the object is a living one of this realm.
    func requireOwn(_ object: ObjectBase, _ use: String) {
        let name = type(of: object).className()
        guard object._core === self else {
            if object._core == nil {
                programmerError("An unmanaged \(name) can't be \(use). Add it to \(self) first.")
            }
            programmerError(
                "A \(name) of another realm can't be \(use) in \(self). Find it in this realm by its primary key, or "
                    + "make a copy with `create(_:value:)`."
            )
        }
        if object.isInvalidated {
            programmerError(
                "A \(name) that was deleted from its realm can't be \(use). Check `isInvalidated` before using an "
                    + "object that something else may delete."
            )
        }
    }
}
