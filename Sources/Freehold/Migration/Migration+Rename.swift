import FreeholdEngine

extension Migration {
    /// Renames a property. Its values are kept, without a cost.
    ///
    /// The method can't make an optional property required, and can't change a type. Copy the values instead. The
    /// opening throws for such a mistake, for a missing class or property, and if the new class still has a property
    /// with the old name.
    ///
    /// - Parameters:
    ///   - typeName: The class's name in the file or in Swift.
    ///   - oldName: The name in the file.
    ///   - newName: The name in Swift or in the file.
    /// - Complexity: O(1), or O(n) if a required property becomes optional.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        let transaction = new.requireWrite()
        func refuse(_ text: String) {
            new.record(
                Realm.Error(
                    .schemaMismatch,
                    "Property '\(typeName).\(oldName)' can't become '\(newName)': \(text).",
                    className: typeName,
                    property: oldName
                )
            )
        }
        guard let object = newSchema[typeName] else { return refuse("the new schema has no such class") }
        guard let table = transaction.schema.table(named: object.className),
            let stored = old.view.schema.table(id: table.id)
        else { return refuse("the old schema has no such class") }
        guard let column = stored.column(named: oldName) ?? oldColumn(named: oldName, object, stored) else {
            return refuse("the old class has no property '\(oldName)'")
        }
        guard let property = object[newName], let spec = property.columnSpec else {
            return refuse("the new class has no property '\(newName)' that is stored")
        }
        // The name in the file is the same, so no data has to move.
        if column.name == spec.name { return }
        if object.allProperties.contains(where: { $0.columnName == column.name && !$0.isComputed }) {
            return refuse("the new class still has '\(column.name)'")
        }
        change(object.className, oldName) { () throws(EngineError) in
            try transaction.renameColumn(table, from: column.name, to: spec)
        }
    }

    /// Returns the old column, also by the Swift name that the new class has for the old property.
    private func oldColumn(named name: String, _ object: ObjectSchema, _ stored: Table) -> Column? {
        object[name].flatMap { stored.column(named: $0.columnName) }
    }

    /// Renames a class. Its objects and all links to them are kept, at no cost except for other changes of the class.
    ///
    /// Call the method before the class is read or written under its new name. The opening throws if the class is
    /// missing, or if objects exist under the new name.
    ///
    /// - Parameters:
    ///   - oldName: The name in the file.
    ///   - newName: The name in Swift or in the file.
    public func renameClass(from oldName: String, to newName: String) {
        let transaction = new.requireWrite()
        func refuse(_ text: String) {
            new.record(
                Realm.Error(
                    .schemaMismatch,
                    "Class '\(oldName)' can't become '\(newName)': \(text).",
                    className: oldName
                )
            )
        }
        guard let object = newSchema[newName] else { return refuse("the new schema has no '\(newName)'") }
        // The name in the file is the same, so no data has to move.
        if object.className == oldName { return }
        guard old.view.schema.table(named: oldName) != nil else { return refuse("the old schema has no such class") }
        if newSchema.objectSchema.contains(where: { $0.className == oldName }) {
            return refuse("the new schema still has '\(oldName)'")
        }
        change(oldName, nil) { () throws(EngineError) in
            try transaction.renameTable(from: oldName, to: object.className, specs: specs)
            let plan = try transaction.extendSchema(to: specs, suspendsPrimaryKeys: true)
            try DefaultValues.fill(plan, newSchema, in: transaction, progress: progress)
        }
        new.forgetDynamicTables()
    }

    private func change(_ className: String, _ property: String?, body: () throws(EngineError) -> Void) {
        do throws(EngineError) {
            try body()
        } catch {
            new.record(Realm.Error(error, className: className, property: property))
        }
        new.didChangeSchema()
    }
}
