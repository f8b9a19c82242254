import FreeholdEngine

extension RealmCore {
    /// Adds an unmanaged object and all unmanaged objects to which it links, or none of them. Bad data is recorded as
    /// the pending error.
    ///
    /// - Returns: `true` if the object is managed now.
    @discardableResult
    func addGraph(_ object: ObjectBase, policy: Realm.UpdatePolicy = .error) -> Bool {
        let transaction = requireWrite()
        if policy == .error, addDirectly(object, transaction) {
            transaction.resolvePlaceholders()
            return true
        }
        return add([object], policy: policy)
    }

    /// Adds the unmanaged objects among several objects, and all objects to which they link, or none of them.
    ///
    /// - Returns: `true` if all of them are managed now.
    private func add(_ objects: [ObjectBase], policy: Realm.UpdatePolicy) -> Bool {
        do throws(Realm.Error) {
            var planner = GraphPlanner(core: self, policy: policy, adopts: true)
            for object in objects where object._core == nil { _ = try planner.target(of: object) }
            try planner.finish()
            _ = try planner.plan.apply(to: self, policy: policy)
            return true
        } catch {
            record(error)
            return false
        }
    }

    /// Returns the stored forms of contents for a property or for its elements. Unmanaged objects are added, and
    /// embedded objects of another owner are copied. Returns nil, and stores nothing, if a content can't be stored. The
    /// error is recorded.
    func store(_ contents: [_StoredContent], for property: PropertyInfo, of table: ManagedTable) -> [Value]? {
        _ = requireWrite()
        do throws(Realm.Error) {
            var planner = GraphPlanner(core: self, policy: .error, adopts: true)
            var planned: [GraphPlan.PlannedValue] = []
            planned.reserveCapacity(contents.count)
            for content in contents { planned.append(try planner.element(content, of: property, in: table)) }
            try planner.finish()
            let keys = planner.plan.nodes.isEmpty ? [] : try planner.plan.apply(to: self, policy: .error)
            let type = table.columns[property.index]?.type ?? .link
            return planned.map { planner.plan.stored($0, as: type, keys: keys) }
        } catch {
            record(error)
            return nil
        }
    }
}

extension RealmCore {
    /// Traps if the object doesn't fit the property. A link leads to rows of one table, so an object of a subclass,
    /// which is a row of another table, doesn't fit.
    @inline(__always)
    func requireClass(_ object: ObjectBase, for property: PropertyInfo, in info: ClassInfo) {
        if type(of: object) == property.target && info.dynamic == nil { return }
        if info.accepts(object, for: property) { return }
        programmerError(
            "\(info.className).\(property.name) holds objects of class \(info.targetInfo(of: property)?.className ?? "") "
                + "and can't be given one of class \(object._info.className), which has a table of its own."
        )
    }

    /// Traps if the object doesn't belong to this realm or was deleted.
    func requireOwn(_ object: ObjectBase, _ use: String) {
        let name = type(of: object).className()
        guard object._core === self else {
            if object._core == nil {
                programmerError("An unmanaged \(name) can't be \(use). Add it to \(self.name) first.")
            }
            programmerError(
                "This \(name) is already managed by another realm and can't be \(use) in this one (\(self.name)). Use "
                    + "`create(_:value:)` to copy it, or find it in this realm by its primary key."
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
