import FreeholdEngine

/// The tables of classes, and the tables of dynamic objects.
extension RealmCore {
    func makeTables(_ stored: DatabaseSchema, clusterSpan: Int) {
        let classes = schema.classes
        tables.reserveCapacity(classes.count)
        tablesByClass.reserveCapacity(classes.count)
        tablesByID.reserveCapacity(classes.count)
        tablesByName.reserveCapacity(classes.count)
        for info in classes {
            guard let table = stored.table(named: info.tableName) else { continue }
            let managed = ManagedTable(core: self, table: table, info: info, clusterSpan: clusterSpan)
            tables.append(managed)
            tablesByClass[ObjectIdentifier(info.cls)] = managed
            tablesByID[table.id] = managed
            tablesByName[info.tableName] = managed
        }
    }

    @inline(__always)
    func table(for cls: ObjectBase.Type) -> ManagedTable? {
        let id = ObjectIdentifier(cls)
        return lastClass == id ? lastTable : find(id)
    }

    @inline(never)
    private func find(_ id: ObjectIdentifier) -> ManagedTable? {
        guard let found = tablesByClass[id] else { return nil }
        if isFrozen { return found }
        lastClass = id
        lastTable = found
        return found
    }

    /// Returns the table of a class by its name in the file or otherwise in Swift.
    func table(named name: String) -> ManagedTable? { schema[name].flatMap { tablesByName[$0.className] } }
    var classNames: [String] { Array(tablesByName.keys) }
    func table(id: Int) -> ManagedTable? { tablesByID[id] }

    /// Returns the table with the id, with dynamic objects if it has no Swift class.
    func anyTable(id: Int) -> ManagedTable? {
        if let table = table(id: id) { return table }
        let stored = view.schema
        return stored.table(id: id).flatMap { dynamicTable($0, in: stored) }
    }

    /// Returns the table of a class with dynamic objects, by the class's name in the file or otherwise in Swift.
    /// Includes classes that exist only in the file.
    func dynamicTable(named name: String) -> ManagedTable? {
        let stored = view.schema
        let tableName = schema[name]?.className ?? name
        return stored.table(named: tableName).flatMap { dynamicTable($0, in: stored) }
    }

    func dynamicTable(_ table: Table, in stored: DatabaseSchema) -> ManagedTable? {
        exclusively { makeDynamicTable(table, in: stored) }
    }

    private func makeDynamicTable(_ table: Table, in stored: DatabaseSchema) -> ManagedTable? {
        if let known = dynamicTables[table.id] { return known }
        guard let info = dynamicInfo(named: table.name, in: stored) else { return nil }
        let made = ManagedTable(core: self, table: table, info: info, clusterSpan: clusterSpan)
        if isFrozen { made.freeze() }
        dynamicTables[table.id] = made
        return made
    }

    private func dynamicInfo(named name: String, in stored: DatabaseSchema) -> ClassInfo? {
        if let info = dynamicCatalogue?.info(named: name) { return info }
        // The file has classes that were added after the catalogue was made.
        let made = DynamicCatalogue(schema, stored: Schema(stored))
        dynamicCatalogue?.clear()
        dynamicCatalogue = made
        return made.info(named: name)
    }

    func requireTable(for cls: ObjectBase.Type) -> ManagedTable {
        if let table = table(for: cls) { return table }
        programmerError(
            "Class \(cls.className()) isn't in the schema of \(name). Add it to `objectTypes` of the configuration."
        )
    }

    /// Returns the table for objects of this object's class.
    func requireTable(of object: ObjectBase) -> ManagedTable { requireTable(of: object._info) }

    func requireTable(of info: ClassInfo) -> ManagedTable {
        guard info.dynamic != nil else { return requireTable(for: info.cls) }
        if let table = dynamicTable(named: info.tableName) { return table }
        programmerError("Class \(info.className) isn't in \(name). Add it to the schema of its configuration.")
    }

    /// Forgets the dynamic tables after classes have changed their names. The tables stay alive for their accessors.
    func forgetDynamicTables() {
        formerTables += dynamicTables.values
        dynamicTables = [:]
    }
}
