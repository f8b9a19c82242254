import FreeholdEngine

// Access to objects by the names of their classes: those of the realm's schema, and those that exist only in the file.
// The name of a class may be its name in the file or in Swift.

extension Realm {
    /// Returns all objects of a class in the order in which they were added. The results are live and lazy. Conditions
    /// name properties with strings: `where { $0["age", as: Int.self] > 5 }`.
    ///
    /// - Precondition: The file has a class of that name.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        Results(trapping: _CollectionSource(of: dynamicTable(typeName)))
    }

    /// Returns the object with the primary key, or `nil` if it doesn't exist.
    ///
    /// - Precondition: The file has a class of that name, and its primary key has the type of the key.
    /// - Complexity: O(log n).
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        core.object(in: dynamicTable(typeName), forPrimaryKey: key) as! DynamicObject?
    }

    /// Creates an object of a class from plain data. See ``create(_:value:update:)``.
    ///
    /// Properties without a given value get the default of the Swift class. Without a Swift class, they get the default
    /// of the schema, or otherwise of their type. For bad data, the method creates no object, and returns an unmanaged
    /// object with default values. It stores the error as ``pendingError``, which the write throws.
    ///
    /// - Precondition: A write transaction is open. The file has a class of that name, which isn't a class of embedded
    ///   objects.
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
            // No later value makes the object storable.
            object._unmanagedError = error
            return object
        }
    }

    /// The stored classes of the file, including those without a Swift class. You can modify the schema and open a
    /// realm with it: see ``Configuration/schema``.
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
    /// The same table, with dynamic objects.
    var dynamic: ManagedTable {
        if info.dynamic != nil { return self }
        guard let found = core.dynamicTable(table, in: core.view.schema) else {
            programmerError("\(info.className) isn't in the file any more. Open the realm anew.")
        }
        return found
    }

    /// Assigns converted content to any property of a row. Bad data is recorded as the pending error.
    func assign(_ content: _StoredContent, to property: PropertyInfo, of object: ObjectBase) {
        let transaction = object._prepareWrite(property.index).transaction.takeUnretainedValue()
        guard let column = columns[property.index] else { return }
        do throws(EngineError) {
            switch (column.collection, content) {
            case (.list, .list(let elements)):
                guard let values = core.store(elements, for: property, of: self) else { return }
                try transaction.listAssign(column, object._key, values: values)
            case (.set, .list(let elements)):
                guard let values = core.store(elements, for: property, of: self) else { return }
                try transaction.setAssign(column, object._key, values: values)
            case (.dictionary, .dictionary(let entries)):
                for entry in entries {
                    do throws(Realm.Error) {
                        try ValueLimits.check(mapKey: entry.key, of: info.className, property: property.name)
                    } catch {
                        return core.record(error)
                    }
                }
                guard let values = core.store(entries.map(\.content), for: property, of: self) else { return }
                try transaction.dictionaryAssign(column, object._key, entries: Array(zip(entries.map(\.key), values)))
            default:
                guard let value = core.store([content], for: property, of: self)?.first else { return }
                object._writeValue(property.index, value)
            }
        } catch {
            core.record(Realm.Error(error, className: info.className, property: property.name))
        }
    }
}
