import FreeholdEngine

// MARK: Reading

extension Realm {
    /// Returns all objects of a class in the order in which they were added. The results are live and lazy.
    ///
    /// - Precondition: The realm's schema contains the class.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        core.verifyThread()
        return Results(trapping: _CollectionSource(of: table(type)))
    }

    /// Returns the object with the primary key, or `nil` if it doesn't exist.
    ///
    /// - Precondition: The realm's schema contains the class, whose primary key has the type of the key.
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
    /// Returns the object with the primary key. Traps if the table has no primary key, or one of another type.
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
    /// Adds an object and all objects to which it links. The object and each unmanaged object of its graph become
    /// managed. Objects that this realm already manages stay unchanged.
    ///
    /// The method adds all objects or none. Bad data is a duplicate primary key, a missing value, or a value that
    /// exceeds a limit. For bad data, the method adds nothing and stores the error as ``pendingError``, which the write
    /// throws.
    ///
    /// - Parameter update: The policy for an object whose primary key exists already. It applies to the whole graph.
    ///   For policies except `.error`, the class must have a primary key.
    /// - Parameter object: The object to add, with all objects that can be reached from it.
    /// - Precondition: A write transaction is open. The object isn't deleted, and no other realm manages it.
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

    /// Adds objects one by one. See ``add(_:update:)-(Object,_)``. Bad data of one object doesn't prevent the addition
    /// of the remaining objects, but the write throws.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error) where S.Element: Object {
        for object in objects {
            add(object, update: update)
            // The remaining objects wouldn't be added either.
            if core.hasEndedEarly { return }
        }
    }

    /// Creates an object from plain data.
    ///
    /// The data is a dictionary by property name, an array in the order of the properties, or another object, which is
    /// copied. An object of another class must have all properties of the class. Links and lists take the same kinds of
    /// data, nested.
    ///
    /// Properties without a given value get their default value, or keep the stored value if an object is updated. Null
    /// makes a property null, or empties a collection. Keys that aren't names of properties are ignored.
    ///
    /// The method creates all objects or none. For bad data, it creates nothing and returns an unmanaged object with
    /// default values. It stores the error as ``pendingError``, which the write throws.
    ///
    /// - Parameter update: The policy for an object whose primary key exists already. It applies to nested data too.
    ///   With policies except `.error`, an object of this realm is returned unchanged.
    /// - Parameter type: The class of the object.
    /// - Parameter value: A dictionary, an array or an object.
    /// - Precondition: A write transaction is open.
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
    /// Deletes an object and the embedded objects that it owns.
    ///
    /// Links to the object become null. It is removed from lists and sets. Values of maps and mixed values that link to
    /// it become null. All its accessors become invalid. The method also deletes the objects that the `DeleteRule`s of
    /// links require. If a rule denies the deletion, nothing is deleted, and ``pendingError`` contains the reason.
    ///
    /// - Precondition: A write transaction is open. The object belongs to this realm and isn't deleted.
    public func delete(_ object: ObjectBase) {
        let transaction = core.requireWrite()
        if core.wasRefused(object) { return }
        core.requireOwn(object, "deleted")
        let table = object._table!.table
        guard core.mayDelete([table.id: [object._key]], transaction) else { return }
        transaction.delete(table, object._key)
        core.didDelete()
    }

    /// Deletes objects. See ``delete(_:)-(ObjectBase)``. The sequence may contain an object several times.
    public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
        let transaction = core.requireWrite()
        var keys: [Int: [ObjectKey]] = [:]
        for object in objects where !core.wasRefused(object) {
            core.requireOwn(object, "deleted")
            keys[object._table!.table.id, default: []].append(object._key)
        }
        guard core.mayDelete(keys, transaction) else { return }
        let schema = core.view.schema
        for (id, keys) in keys { core.delete(keys, of: schema.table(id: id)!, in: transaction) }
    }

    /// Deletes all objects of the results.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) { delete(objects.query) }

    /// Deletes all objects in the results of a map.
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
        core.delete(keys, of: table, in: transaction)
    }

    /// Deletes all objects of the realm's classes, regardless of the delete rules of their links.
    ///
    /// - Complexity: Some milliseconds for any number of objects, if no other class of the file links to them, none of
    ///   the classes has a `DeleteRule`, no mixed value links to them, and the file doesn't sync. Otherwise the cost of
    ///   deleting each object.
    public func deleteAll() {
        let transaction = core.requireWrite()
        // Embedded objects are deleted with their owners.
        let tables = core.schemaTables
        transaction.deleteAll(tables.filter { !$0.isEmbedded } + tables.filter(\.isEmbedded))
        core.didDelete()
    }
}

extension RealmCore {
    /// The tables of the schema's classes, including classes without a Swift class.
    var schemaTables: [Table] { schema.objectSchema.compactMap { view.schema.table(named: $0.className) } }

    /// Returns a Boolean value that indicates whether the delete rules allow the deletion of the objects. The keys are
    /// grouped by table id. A denial is recorded as the pending error.
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

    /// Returns a Boolean value that indicates whether the object may be unmanaged because adding it was refused.
    /// Deleting it isn't a mistake then.
    fileprivate func wasRefused(_ object: ObjectBase) -> Bool { pendingError != nil && object._core == nil }

    func delete(_ keys: [ObjectKey], of table: Table, in transaction: WriteTransaction) {
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
    /// Returns the keys in ascending order, without duplicates.
    ///
    /// - Complexity: O(n) if the keys are in ascending order.
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
