import FreeholdEngine

/// An object inside a migration: of the old realm or of the new one, known by the names of its properties.
public typealias MigrationObject = DynamicObject

/// What a program does when its classes have changed: see ``Realm/Configuration/migrationBlock``.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// Is given each object of a class: as it was, and as it is now.
public typealias MigrationObjectEnumerateBlock = (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// A file on its way from one version of the classes to the next; given to the migration block, of use only there.
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
/// The old objects show the file as it was, under its old schema, and can't be changed. The new ones have all
/// properties of the new classes, with what could be kept of their values; primary keys can be written, and are
/// checked at the end. Both are known by name only. Where a new one is given a link to an old one, it links to what that
/// has become.
///
/// All of it is one write transaction. Bad data, two objects with one primary key, a full disk or the end of the process
/// leave the file as it was; the errors are thrown where the realm is opened.
///
/// Not thread-safe: it belongs to the thread that runs the block.
public final class Migration {
    /// The classes as they are in the file, those without a Swift class with them.
    public let oldSchema: Schema
    /// The classes of the configuration.
    public let newSchema: Schema

    let old: RealmCore
    let new: RealmCore
    let specs: [TableSpec]
    let progress: MigrationProgress.Meter
    /// Classes that go when the block is over, by their tables' ids.
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

    /// Calls the block with every object of a class, in the order in which they were added: as it was and as it is now.
    ///
    /// Objects of a class that is new have no old one, those of a class that has gone no new one. Objects that are made
    /// meanwhile aren't visited, those that were deleted aren't either. A class that is in neither schema has no objects.
    /// After bad data the rest is left out, because everything will be rolled back.
    ///
    /// - Parameter typeName: The class's name in the file or in Swift.
    /// - Parameter block: Gets each object as it was and as it is now.
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
            // The block may have renamed or deleted; the table then knows.
            if let newTable, !new.view.contains(newTable.table, key) { continue }
            block(
                oldTable.map { $0.object(key) as! MigrationObject },
                newTable.map { $0.object(key) as! MigrationObject }
            )
        }
        progress.report(keys.count)
    }

    /// Makes an object of a class from plain data, as ``Realm/create(_:value:update:)`` does. Bad data makes the opening
    /// throw.
    ///
    /// - Precondition: the new schema has the class, and it isn't embedded.
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
    /// - Returns: Whether there is such a class in the file.
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

    /// Gives the migration up: the file stays as it was, and the opening throws the error (as the cause of a
    /// `Realm.Error`, if it isn't one). The first error counts.
    public func fail(_ error: any Error) {
        new.record(error as? Realm.Error ?? Realm.Error(.fail, "The migration was given up: \(error)", cause: error))
    }

    // MARK: Classes

    /// Nil where the new schema lacks the class.
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
    /// In a migration, what an old object has become; nil where it was deleted. Any other object itself.
    func successor(of object: ObjectBase) -> ObjectBase? {
        guard let predecessor, object._core === predecessor, let old = object._table else { return object }
        let stored = view.schema
        guard let table = stored.table(id: old.table.id), view.contains(table, object._key) else { return nil }
        return dynamicTable(table, in: stored)?.object(object._key)
    }
}

@available(*, unavailable, message: "A migration belongs to the thread that runs the block")
extension Migration: Sendable {}
