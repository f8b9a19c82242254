import FreeholdEngine

// Objects by the names of their classes: those of the realm's schema, and those that only the file has. A class is
// named as in the file or as in Swift.

extension Realm {
    /// All objects of a class, live, lazy, in the order in which they were added. Conditions name properties by text:
    /// `where { $0["age", as: Int.self] > 5 }`.
    ///
    /// - Precondition: the file has a class of that name.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        Results(trapping: _CollectionSource(of: dynamicTable(typeName)))
    }

    /// The object of a class with that primary key, or nil.
    ///
    /// - Precondition: the file has a class of that name, whose primary key is of the key's type.
    /// - Complexity: O(log n).
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        core.object(in: dynamicTable(typeName), forPrimaryKey: key) as! DynamicObject?
    }

    /// Makes an object of a class from plain data: see ``create(_:value:update:)``.
    ///
    /// Properties that aren't mentioned get the default value of the Swift class, where there is one, else of the
    /// schema, else of their type. With bad data nothing is made, the error is kept as ``pendingError``, which the
    /// write throws, and an unmanaged object with default values is returned.
    ///
    /// - Precondition: inside a write transaction. The file has a class of that name; not that of embedded objects.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String,
        value: Any = [:] as [String: Any],
        update: UpdatePolicy = .error
    ) -> DynamicObject {
        _ = core.requireWrite()
        let table = dynamicTable(typeName)
        if table.info.isEmbedded {
            programmerError(
                "\(typeName) is a class of embedded objects, which belong to an owner. Assign the values to a property of "
                    + "it."
            )
        }
        if table.info.isAsymmetric {
            programmerError(
                "\(typeName) is asymmetric: its objects are only sent, and never in the realm. Make one with "
                    + "create(_:value:) of its Swift class."
            )
        }
        core.requireUpdatable(table, update)
        if core.endsEarly {
            let object = DynamicObject.unmanaged(table.info)
            object._unmanagedError = core.pendingError
            return object
        }
        do throws(Realm.Error) {
            var planner = GraphPlanner(core: core, policy: update, adopts: false)
            let target = try planner.target(of: value, in: table)
            try planner.finish()
            switch target {
            case .row(let key, _): return table.object(key) as! DynamicObject
            case .node(let node):
                let keys = try planner.plan.apply(to: core, policy: update)
                return table.object(keys[node]) as! DynamicObject
            }
        } catch {
            core.record(error)
            let object = DynamicObject.unmanaged(table.info)
            // Whatever is given it can't be stored either.
            object._unmanagedError = error
            return object
        }
    }

    /// The classes of the file, those without a Swift class with them, as they are stored. One may be adjusted and
    /// opened with: see ``Configuration/schema``.
    public var storedSchema: Schema {
        core.verifyThread()
        return Schema(core.view.schema)
    }

    /// The schema version of the file.
    public var storedSchemaVersion: UInt64 {
        core.verifyThread()
        return core.view.userVersion
    }

    func dynamicTable(_ typeName: String) -> ManagedTable {
        core.verifyThread()
        if let table = core.dynamicTable(named: typeName) { return table }
        let names = core.view.schema.tables.map(\.name).sorted()
        programmerError(
            "\(core) has no class '\(typeName)'. "
                + (names.isEmpty ? "It has none at all." : "It has \(names.joined(separator: ", ")).")
        )
    }
}

extension ManagedTable {
    /// The same table as one of dynamic objects.
    var dynamic: ManagedTable {
        if info.dynamic != nil { return self }
        guard let found = core.dynamicTable(table, in: core.view.schema) else {
            programmerError("\(info.className) isn't in the file any more. Open the realm anew.")
        }
        return found
    }

    /// Assigns converted content to a property of a row, whatever it is; bad data is recorded.
    func assign(_ content: _StoredContent, to property: PropertyInfo, of object: ObjectBase) {
        let transaction = object._prepareWrite(property.index).transaction.takeUnretainedValue()
        guard let column = columns[property.index] else { return }
        do throws(EngineError) {
            switch (column.collection, content) {
            case (.list, .list(let elements)):
                guard let values = core.store(elements, for: property, of: self) else { return }
                try transaction.listAssign(column, object._key, values)
            case (.set, .list(let elements)):
                guard let values = core.store(elements, for: property, of: self) else { return }
                try transaction.setAssign(column, object._key, values)
            case (.dictionary, .dictionary(let entries)):
                for entry in entries {
                    do throws(Realm.Error) {
                        try ValueLimits.check(mapKey: entry.key, info.className, property.name)
                    } catch {
                        return core.record(error)
                    }
                }
                guard let values = core.store(entries.map(\.content), for: property, of: self) else { return }
                try transaction.dictionaryAssign(column, object._key, Array(zip(entries.map(\.key), values)))
            default:
                guard let value = core.store([content], for: property, of: self)?.first else { return }
                object._writeValue(property.index, value)
            }
        } catch {
            core.record(Realm.Error(error, className: info.className, property: property.name))
        }
    }
}
