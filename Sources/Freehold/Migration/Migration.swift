import FreeholdEngine

/// An object in a migration. It belongs to the old or the new realm, and its properties are accessed by name.
public typealias MigrationObject = DynamicObject

/// A closure that migrates a file to new versions of its classes. See ``Realm/Configuration/migrationBlock``.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// A closure that receives each object of a class before and after the migration.
public typealias MigrationObjectEnumerateBlock = (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// The migration of a file from one version of the classes to the next. It is the argument of the migration block, and
/// is valid only in the block.
///
/// ```swift
/// configuration.schemaVersion = 3
/// configuration.migrationBlock = { migration, oldVersion in
///     if oldVersion < 2 {
///         migration.renameProperty(onType: "Person", from: "years", to: "age")
///     }
///     if oldVersion < 3 {
///         migration.enumerateObjects(ofType: "Person") { old, new in
///             new!["fullName"] = "\(old!["firstName"] as! String) \(old!["lastName"] as! String)"
///         }
///     }
/// }
/// ```
///
/// The old objects show the file before the migration, under its old schema, and can't be changed. The new objects have
/// all properties of the new classes, with all values that could be kept. Their primary keys can be changed, and are
/// checked at the end. Properties of both are accessed by name. If a link of a new object is set to an old object, it
/// links to the new object for it.
///
/// The migration is one write transaction. Bad data, two objects with one primary key, a full disk or the end of the
/// process leave the file unchanged. Opening the realm throws these errors.
///
/// A migration isn't thread-safe. It belongs to the thread that runs the block.
public final class Migration {
    /// The stored classes of the file, including those without a Swift class.
    public let oldSchema: Schema
    /// The classes of the configuration.
    public let newSchema: Schema

    let old: RealmCore
    let new: RealmCore
    let specs: [TableSpec]
    let progress: MigrationProgress.Meter
    /// The ids of the tables of classes that are removed after the block.
    private(set) var cleared: Set<Int> = []

    init(old: RealmCore, new: RealmCore, newSchema: Schema, specs: [TableSpec], progress: MigrationProgress.Meter) {
        oldSchema = old.schema
        self.newSchema = newSchema
        self.old = old
        self.new = new
        self.specs = specs
        self.progress = progress
    }

    // MARK: Objects

    /// Calls the block with each object of a class, in the order in which the objects were added.
    ///
    /// Objects of a new class have no old object, and objects of a removed class have no new object. Objects that are
    /// created or deleted during the enumeration aren't visited. If neither schema has the class, the method does
    /// nothing. After bad data, the remaining objects are skipped, because the migration will be rolled back.
    ///
    /// - Parameter typeName: The class's name in the file or in Swift.
    /// - Parameter block: A closure that receives the old and the new object.
    /// - Complexity: O(n).
    public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
        let newTable = newTable(named: typeName)
        let oldTable = oldTable(named: typeName, newTable)
        guard let keys = oldTable.map({ old.view.keys($0.table) }) ?? newTable.map({ new.view.keys($0.table) }) else {
            return
        }
        progress.begin(SchemaStep(.runBlock, typeName, objects: keys.count))
        for (i, key) in keys.enumerated() {
            if i % MigrationProgress.interval == 0 { progress.report(i) }
            if new.pendingError != nil { return }
            // The block may have renamed the class or deleted the object. The table shows this.
            if let newTable, !new.view.contains(newTable.table, key) { continue }
            block(
                oldTable.map { $0.object(key) as! MigrationObject },
                newTable.map { $0.object(key) as! MigrationObject }
            )
        }
        progress.report(keys.count)
    }

    /// Creates an object of a class from plain data, like ``Realm/create(_:value:update:)``. Bad data makes the opening
    /// throw.
    ///
    /// - Precondition: The new schema has the class, and the class isn't embedded.
    @discardableResult
    public func create(_ typeName: String, value: Any = [:] as [String: Any]) -> MigrationObject {
        _ = requireClass(typeName)
        return Realm(core: new).dynamicCreate(typeName, value: value)
    }

    /// Deletes a new object.
    public func delete(_ object: MigrationObject) {
        if object._core === old {
            programmerError("An old object of a migration can't be deleted. Delete the new one.")
        }
        Realm(core: new).delete(object)
    }

    /// Deletes all objects of a class, and the class itself if the new schema lacks it.
    ///
    /// - Returns: `true` if the file has the class.
    /// - Complexity: O(n).
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        let transaction = new.requireWrite()
        let name = newSchema[typeName]?.className ?? typeName
        guard let table = transaction.schema.table(named: name) else { return false }
        transaction.deleteAll(table)
        new.didDelete()
        if newSchema[typeName] == nil { cleared.insert(table.id) }
        return true
    }

    /// Cancels the migration. The file stays unchanged, and the opening throws the error. An error that isn't a
    /// `Realm.Error` becomes the cause of one. Only the first error counts.
    public func fail(_ error: any Error) {
        new.record(error as? Realm.Error ?? Realm.Error(.fail, "The migration was given up: \(error)", cause: error))
    }

    // MARK: Classes

    /// Returns the new table, or nil if the new schema lacks the class.
    private func newTable(named name: String) -> ManagedTable? {
        newSchema[name].flatMap { new.dynamicTable(named: $0.className) }
    }

    private func oldTable(named name: String, _ newTable: ManagedTable?) -> ManagedTable? {
        let stored = old.view.schema
        if let table = newTable.flatMap({ stored.table(id: $0.table.id) }) {
            return old.dynamicTable(table, in: stored)
        }
        return newTable == nil ? old.dynamicTable(named: newSchema[name]?.className ?? name) : nil
    }

    private func requireClass(_ name: String) -> ObjectSchema {
        if let found = newSchema[name] { return found }
        let names = newSchema.objectSchema.map(\.className).sorted()
        programmerError("The new schema has no class '\(name)'. It has \(names.joined(separator: ", ")).")
    }
}

extension RealmCore {
    /// In a migration, returns the new object for an old object, or nil if it was deleted. Returns any other object
    /// itself.
    func successor(of object: ObjectBase) -> ObjectBase? {
        guard let predecessor, object._core === predecessor, let old = object._table else { return object }
        let stored = view.schema
        guard let table = stored.table(id: old.table.id), view.contains(table, object._key) else { return nil }
        return dynamicTable(table, in: stored)?.object(object._key)
    }
}

@available(*, unavailable, message: "A migration belongs to the thread that runs the block")
extension Migration: Sendable {}
