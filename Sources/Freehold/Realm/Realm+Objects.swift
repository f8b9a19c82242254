import FreeholdEngine

// MARK: Reading

extension Realm {
    /// All objects of a class: live, lazy, in the order in which they were added.
    ///
    /// - Precondition: the class is in the realm's schema.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        core.verifyThread()
        return Results(trapping: _CollectionSource(of: table(type)))
    }

    /// The object with that primary key, or nil.
    ///
    /// - Precondition: the class is in the realm's schema and has a primary key of the key's type.
    /// - Complexity: O(log n).
    @inlinable
    public func object<Element: Object, KeyType>(
        ofType type: Element.Type,
        forPrimaryKey key: KeyType
    ) -> Element? {
        let found: ObjectBase?
        if KeyType.self == Int.self {
            found = _object(type, forInt: Int64(unsafeBitCast(key, to: Int.self)))
        } else if KeyType.self == String.self {
            found = _object(type, forString: unsafeBitCast(key, to: String.self))
        } else {
            found = _object(type, forAny: key)
        }
        return found.map { unsafeDowncast($0, to: Element.self) }
    }

    @usableFromInline
    func _object(_ type: Object.Type, forInt key: Int64) -> ObjectBase? {
        core.verifyThread()
        let table = core.requireTable(for: type)
        guard table.primaryKeyStorage == .int64 else { return _object(type, forAny: Int(key)) }
        return table.object(primaryKey: key)
    }

    @usableFromInline
    func _object(_ type: Object.Type, forString key: String) -> ObjectBase? {
        core.verifyThread()
        let table = core.requireTable(for: type)
        guard table.primaryKeyStorage == .string else { return _object(type, forAny: key) }
        return core.view.find(primaryKey: .string(key), in: table.table).map { table.object($0) }
    }

    @usableFromInline
    func _object(_ type: Object.Type, forAny key: Any) -> ObjectBase? {
        core.verifyThread()
        return core.object(in: core.requireTable(for: type), forPrimaryKey: key)
    }

    private func table(_ type: any RealmFetchable.Type) -> ManagedTable {
        guard let cls = type._rlmShape.target else {
            programmerError("Only objects of model classes, and projections of them, can be fetched, not \(type).")
        }
        return core.requireTable(for: cls)
    }
}

extension RealmCore {
    /// The object of that primary key; traps where the table has none, or one of another type.
    func object(in table: ManagedTable, forPrimaryKey key: Any) -> ObjectBase? {
        guard let index = table.info.primaryKeyIndex else {
            programmerError(
                "Class \(table.info.className) has no primary key. Find the object with `where`, or declare a "
                    + "property with `@Persisted(primaryKey: true)`."
            )
        }
        let property = table.info.properties[index]
        let value: Value
        if let key = key as? Int, property.shape.type == .int {
            value = .int(Int64(key))
        } else if let key = key as? String, property.shape.type == .string {
            value = .string(key)
        } else if case .value(let converted)? = try? ValueConversion.field(key, of: property, in: table.info) {
            value = converted
        } else {
            programmerError(
                "\(PlainValue.describe(key)) isn't a primary key of class \(table.info.className): "
                    + "\(property.name) is of type \(property.shape.type). Pass a key of that type."
            )
        }
        return view.find(primaryKey: value, in: table.table).map { table.object($0) }
    }
}

// MARK: Adding

extension Realm {
    /// Adds an object with everything that it links to. The object, and each unmanaged one of its graph, becomes
    /// managed; one that is managed by this realm already stays as it is.
    ///
    /// All or nothing: with bad data (a primary key that is taken, a missing value, one over the limits) nothing is
    /// added and the error is kept as ``pendingError``, which the write throws.
    ///
    /// - Parameter update: What happens if there is an object with its primary key; holds for the whole graph. For
    ///   anything but `.error` the class must have a primary key.
    /// - Parameter object: The object, with all that can be reached from it.
    /// - Precondition: inside a write transaction. The object isn't managed by another realm, nor deleted.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        _ = core.requireWrite()
        if core.endsEarly { return }
        if object._isManaged {
            core.requireOwn(object, "added")
            return
        }
        core.requireUpdatable(core.requireTable(for: type(of: object)), update)
        core.addGraph(object, policy: update)
    }

    /// Adds objects one by one: see ``add(_:update:)-(Object,_)``. Bad data of one doesn't keep the others from being
    /// added, but the write throws.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error) where S.Element: Object {
        for object in objects {
            add(object, update: update)
            // The others wouldn't be added either.
            if core.hasEndedEarly { return }
        }
    }

    /// Makes an object from plain data: a dictionary by property name, an array in the order of the properties, or
    /// another object, which is copied; one of another class must have all of the class's properties. Links and lists take
    /// the same, nested.
    ///
    /// Properties that aren't mentioned get their default value, or keep the stored one if an object is updated. Null
    /// makes a property null, or empties a collection. Keys that name no property are ignored.
    ///
    /// All or nothing: with bad data nothing is made, the error is kept as ``pendingError``, which the write throws,
    /// and an unmanaged object with default values is returned.
    ///
    /// - Parameter update: What happens if there is an object with its primary key; holds for nested data too. With
    ///   anything but `.error` an object of this realm is returned unchanged.
    /// - Parameter type: The class of the object.
    /// - Parameter value: A dictionary, an array or an object.
    /// - Precondition: inside a write transaction.
    @discardableResult
    public func create<T: Object>(_ type: T.Type, value: Any = [:] as [String: Any], update: UpdatePolicy = .error) -> T
    {
        _ = core.requireWrite()
        let table = core.requireTable(for: type)
        core.requireUpdatable(table, update)
        if core.endsEarly { return table.info.makeUnmanaged() as! T }
        do throws(Realm.Error) {
            var planner = GraphPlanner(core: core, policy: update, adopts: false)
            switch try planner.target(of: value, in: table) {
            case .row(let key, _): return value as? T ?? table.object(key) as! T
            case .node(let node):
                try planner.finish()
                let keys = try planner.plan.apply(to: core, policy: update)
                return table.object(keys[node]) as! T
            }
        } catch {
            core.record(error)
            return table.info.makeUnmanaged() as! T
        }
    }
}

extension RealmCore {
    func requireUpdatable(_ table: ManagedTable, _ policy: Realm.UpdatePolicy) {
        if policy == .error || table.info.primaryKeyIndex != nil { return }
        programmerError(
            "Class \(table.info.className) has no primary key, so that its objects can't be updated by it. Leave out "
                + "`update:`, or declare a property with `@Persisted(primaryKey: true)`."
        )
    }
}

// MARK: Deleting

extension Realm {
    /// Deletes an object, with the embedded objects that it owns. Links to it become null, lists and sets lose it,
    /// values of maps and mixed values become null, and every accessor of it becomes invalid. What the `DeleteRule`s of
    /// links say goes with it; where one denies the deletion, nothing is deleted and the ``pendingError`` says so.
    ///
    /// - Precondition: inside a write transaction; the object is a living one of this realm.
    public func delete(_ object: ObjectBase) {
        let transaction = core.requireWrite()
        if core.wasRefused(object) { return }
        core.requireOwn(object, "deleted")
        let table = object._table!.table
        guard core.mayDelete([table.id: [object._key]], transaction) else { return }
        transaction.delete(table, object._key)
        core.didDelete()
    }

    /// Deletes objects: see ``delete(_:)-(ObjectBase)``. One that is mentioned twice is deleted once.
    public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
        let transaction = core.requireWrite()
        var keys: [Int: [ObjectKey]] = [:]
        for object in objects where !core.wasRefused(object) {
            core.requireOwn(object, "deleted")
            keys[object._table!.table.id, default: []].append(object._key)
        }
        guard core.mayDelete(keys, transaction) else { return }
        let schema = core.view.schema
        for (id, keys) in keys { core.delete(keys, schema.table(id: id)!, transaction) }
    }

    /// Deletes all objects that the results have.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) { delete(objects.query) }

    /// Deletes all objects that the results of a map have.
    public func delete<Element: ObjectBase>(_ objects: Results<Element?>) { delete(objects.query) }

    private func delete(_ query: ResultsQuery) {
        let transaction = core.requireWrite()
        core.requireSame(query.core)
        let table = query.table.table
        if query.isWholeTable, !query.isInvalidated {
            guard core.mayDelete([table.id: core.view.keys(table)], transaction) else { return }
            transaction.deleteAll(table)
            return core.didDelete()
        }
        let keys = query.allKeys()
        guard core.mayDelete([table.id: keys], transaction) else { return }
        core.delete(keys, table, transaction)
    }

    /// Deletes all objects of the realm's classes, whatever the rules of their links.
    ///
    /// - Complexity: Takes milliseconds however many objects there are, where no other class of the file links to them, none of
    ///   the classes has a `DeleteRule`, nothing links to them from mixed values, and the file doesn't sync; else as deleting each.
    public func deleteAll() {
        let transaction = core.requireWrite()
        // Embedded objects go with their owners.
        let tables = core.schemaTables
        transaction.deleteAll(tables.filter { !$0.isEmbedded } + tables.filter(\.isEmbedded))
        core.didDelete()
    }
}

extension RealmCore {
    /// Those of the schema's classes, also where no Swift class stands for them.
    var schemaTables: [Table] { schema.objectSchema.compactMap { view.schema.table(named: $0.className) } }

    /// Whether no link's rule denies that objects are deleted, by their tables' ids; where one does, that is recorded.
    fileprivate func mayDelete(
        _ keys: @autoclosure () -> [Int: [ObjectKey]],
        _ transaction: WriteTransaction
    ) -> Bool {
        do throws(EngineError) {
            try transaction.checkDeletable(keys())
            return true
        } catch {
            record(Realm.Error(error))
            return false
        }
    }

    /// Whether an object may be unmanaged because adding it was refused, so that deleting it is no mistake.
    fileprivate func wasRefused(_ object: ObjectBase) -> Bool { pendingError != nil && object._core == nil }

    func delete(_ keys: [ObjectKey], _ table: Table, _ transaction: WriteTransaction) {
        if keys.isEmpty { return }
        transaction.delete(table, keys.rising())
        didDelete()
    }

    func requireSame(_ other: RealmCore) {
        if other === self { return }
        programmerError("Objects of another realm can't be deleted from \(self). Delete them from their own.")
    }
}

extension [ObjectKey] {
    /// Rising, each once. - Complexity: O(n) where they are.
    fileprivate func rising() -> [ObjectKey] {
        if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
        var keys = self
        keys.sort()
        var end = 1
        for i in 1..<keys.count where keys[i] != keys[end - 1] {
            keys[end] = keys[i]
            end += 1
        }
        keys.removeSubrange(end...)
        return keys
    }
}

extension Object: RealmFetchable {}
