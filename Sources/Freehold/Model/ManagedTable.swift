import CFreeholdShims
import FreeholdEngine

/// The data of a table that managed reads need. It is behind one raw pointer, so that a read counts no references.
struct TableState {
    /// The `fh_thread_id()` of the realm's thread. It is 0 if only the slow path can check the place (actors, queues).
    var thread: UInt
    /// The version of the realm's state. It is 0, which is never a stamp, if the realm has advanced and the table
    /// hasn't been updated yet.
    var version: UInt64
    /// The directory of the column's leaves in the snapshot, by property. It is null inside a write transaction, and
    /// before the property's first read at a version.
    var columns: UnsafeMutablePointer<UnsafePointer<UnsafeRawPointer?>?>
    /// The table, or nil for objects to which key paths are applied.
    var table: Unmanaged<ManagedTable>?
    // References that the table and its core hold strongly, for use without reference counting.
    var core: Unmanaged<RealmCore>?
    /// The core's view at `version`.
    var view: Unmanaged<DataView>?
    /// The columns by property.
    var columnReferences: UnsafeMutablePointer<Unmanaged<Column>?>?
    /// The view, if it is a write transaction.
    var transaction: Unmanaged<WriteTransaction>?
    /// A Boolean value that indicates whether leaves can be cached. They can't be cached inside write transactions.
    var hasLeaves = false
}

/// A table of a realm. It creates the accessors of its rows, and contains their shared data.
///
/// The table lives as long as its core.
final class ManagedTable {
    /// The reference isn't counted, because the table lives as long as its core, and counting would slow down each
    /// write.
    unowned(unsafe) let core: RealmCore
    @exclusivity(unchecked) private(set) var table: Table
    let info: ClassInfo
    // The data for the creation of accessors. It is copied here so that creating an accessor counts no references of
    // the class, which all threads share.
    private let template: AccessorTemplate?
    let primaryKeyStorage: DirectStorage?
    private let primaryKeyIndex: Int
    /// The columns by property. They are nil for linking objects.
    @exclusivity(unchecked) private(set) var columns: [Column?]
    let state: UnsafeMutablePointer<TableState>
    let clusterSpan: Int
    private let columnCount: Int
    /// Tables live as long as the core, so these references needn't be counted.
    @exclusivity(unchecked) private var targets: [Unmanaged<ManagedTable>?]
    /// ⌈2⁶⁴ / clusterSpan⌉, for the engine's division of keys. It is 0 for clusters of one object.
    let reciprocal: UInt64

    /// - Parameter table: A table with a column of the required type for each property of the class.
    init(core: RealmCore, table: Table, info: ClassInfo, clusterSpan: Int) {
        self.core = core
        self.table = table
        self.info = info
        template = info.template
        primaryKeyStorage = info.primaryKeyStorage
        primaryKeyIndex = info.primaryKeyIndex ?? 0
        self.clusterSpan = clusterSpan
        reciprocal = clusterSpan == 1 ? 0 : UInt64.max / UInt64(clusterSpan) + 1
        columns = info.properties.map { $0.isComputed ? nil : table.column(named: $0.columnName) }
        columnCount = max(info.properties.count, 1)
        targets = Array(repeating: nil, count: columnCount)
        let leaves = UnsafeMutablePointer<UnsafePointer<UnsafeRawPointer?>?>.allocate(capacity: columnCount)
        leaves.initialize(repeating: nil, count: columnCount)
        state = .allocate(capacity: 1)
        let references = UnsafeMutablePointer<Unmanaged<Column>?>.allocate(capacity: columnCount)
        references.initialize(repeating: nil, count: columnCount)
        state.initialize(to: TableState(thread: core.tableToken, version: 0, columns: leaves))
        state.pointee.table = Unmanaged.passUnretained(self)
        state.pointee.core = Unmanaged.passUnretained(core)
        state.pointee.columnReferences = references
        referToColumns()
    }

    deinit {
        state.pointee.columns.deallocate()
        state.pointee.columnReferences?.deallocate()
        state.deallocate()
    }

    private func referToColumns() {
        guard let references = state.pointee.columnReferences else { return }
        for (i, column) in columns.enumerated() { references[i] = column.map { Unmanaged.passUnretained($0) } }
    }

    /// Adopts the table of another schema of the file, after another realm, another process or a migration has changed
    /// it.
    ///
    /// - Returns: `true` if the tables differ.
    func rebind(to schema: DatabaseSchema) -> Bool {
        guard let stored = schema.table(id: table.id), stored !== table else { return false }
        table = stored
        columns = info.properties.map { $0.isComputed ? nil : stored.column(named: $0.columnName) }
        referToColumns()
        return true
    }

    /// Returns a Boolean value that indicates whether another schema of the file has the same table with all columns
    /// that are in use.
    func fits(_ schema: DatabaseSchema) -> Bool {
        guard let stored = schema.table(id: table.id) else { return false }
        if stored === table { return true }
        return stored.isEmbedded == table.isEmbedded && stored.isAsymmetric == table.isAsymmetric
            && stored.primaryKey?.id == table.primaryKey?.id
            && columns.allSatisfy { column in
                guard let column else { return true }
                guard let found = stored.columns.first(where: { $0.id == column.id }) else { return false }
                return found.name == column.name && found.type == column.type && found.collection == column.collection
                    && found.isOptional == column.isOptional && found.targetTableID == column.targetTableID
            }
    }

    /// Prepares the table for use by several threads, by computing the values that a live table computes on demand.
    func freeze() {
        sync()
        for property in info.properties where property.target != nil || property.targetName != nil {
            if info.dynamic == nil { _ = target(of: property.index) }
        }
    }

    /// Invalidates all stamps of accessors and all cached leaves. The method must be called whenever
    /// `core.stateVersion` changes.
    func invalidate() { state.pointee.version = 0 }

    /// Updates the state to the realm's version.
    @inline(__always)
    func sync() {
        if state.pointee.version != core.stateVersion { learnState() }
    }

    @inline(never)
    private func learnState() {
        let view = core.view
        state.pointee.columns.update(repeating: nil, count: columnCount)
        state.pointee.thread = core.tableToken
        // The core holds its view as long as the version is valid.
        state.pointee.view = Unmanaged.passUnretained(view)
        state.pointee.transaction = core.transaction.map { Unmanaged.passUnretained($0) }
        // Several threads may read a frozen object at the same time, so no leaves are cached for it.
        state.pointee.hasLeaves = core.transaction == nil && !core.isFrozen
        state.pointee.version = core.stateVersion
    }

    /// Caches the directory of a column's leaves for the fast path.
    @inline(never)
    func learnLeaves(_ property: Int) {
        if let column = columns[property] { state.pointee.columns[property] = core.view.leafChunks(column) }
    }

    /// Returns a Boolean value that indicates whether a row still exists. The accessor saw it at an earlier version.
    func isLive(_ key: ObjectKey, since stamp: UInt64) -> Bool {
        core.view.contains(table, key) && !core.wasInvalidated(stamp: stamp, table, key)
    }

    /// Returns the key if the row exists.
    func living(_ key: ObjectKey) -> ObjectKey? {
        core.verifyThread()
        sync()
        return core.view.contains(table, key) ? key : nil
    }

    /// Returns the target table of a link property, or the origin table of a linking-objects property. Traps if the
    /// class isn't in the realm's schema, which opening the realm has checked.
    func target(of property: Int) -> ManagedTable {
        if let known = targets[property] { return known.takeUnretainedValue() }
        let link = info.properties[property]
        let found =
            info.dynamic == nil
            ? link.target.flatMap { core.table(for: $0) }
            : link.targetName.flatMap { core.dynamicTable(named: $0) }
        guard let found else {
            programmerError(
                "\(info.className).\(info.properties[property].name) links to a class that isn't in the realm's schema"
            )
        }
        // Frozen tables cache all targets in advance, except those of dynamic objects.
        if !core.isFrozen || info.dynamic == nil { targets[property] = Unmanaged.passUnretained(found) }
        return found
    }

    /// Returns the origin table of a linking-objects property, and the column of its links.
    ///
    /// - Parameter origin: The name of the property in the origin table.
    func inverse(of property: Int, from origin: String) -> (table: ManagedTable, column: Column) {
        let table = target(of: property)
        guard let index = table.info.index(named: origin), let column = table.columns[index] else {
            programmerError("\(table.info.className).\(origin) isn't in the realm's schema")
        }
        return (table, column.asBacklinkColumn(to: self.table))
    }

    /// Returns the content for a stored value of a property or of one of its elements.
    func content(of value: Value, _ property: Int) -> _StoredContent {
        switch value {
        case .null where info.properties[property].shape.type == .object: return .object(nil)
        case .link(let key): return .object(target(of: property).object(key))
        case .objectLink(let link): return linked(link).map { .object($0) } ?? .value(value)
        case .list(let list): return .list(list.values.map { content(of: $0, property) })
        case .dictionary(let dictionary):
            return .dictionary(dictionary.entries.map { _StoredEntry($0.key, content(of: $0.value, property)) })
        default: return .value(value)
        }
    }

    /// Returns the accessor of an existing row.
    func object(_ key: ObjectKey) -> ObjectBase {
        sync()
        return object(key, stamp: state.pointee.version)
    }

    /// Returns the accessor of the row with an integer primary key, or nil if it doesn't exist.
    func object(primaryKey key: Int64) -> ObjectBase? {
        sync()
        let state = state
        var found: ObjectKey?
        if state.pointee.transaction == nil, let view = state.pointee.view,
            let column = state.pointee.columnReferences.unsafelyUnwrapped[primaryKeyIndex]
        {
            found = view._withUnsafeGuaranteedRef { view in
                column._withUnsafeGuaranteedRef { view.find(key, primaryKey: $0) }
            }
        } else {
            found = core.view.find(primaryKey: key, in: table)
        }
        return found.map { object($0, stamp: state.pointee.version) }
    }

    /// Returns the accessor of a row that existed at the version.
    @inline(__always)
    func object(_ key: ObjectKey, stamp: UInt64) -> ObjectBase {
        let object = template?.make() ?? info.makeAccessor()
        object._core = core
        object._state = state
        object._place(self, key, stamp: stamp)
        if template == nil { info.markManaged(object) }
        return object
    }

    /// Returns the table for an unmanaged object that is to become the accessor of one of its rows. An object of the
    /// Swift class can be added to a table of dynamic objects, and the reverse. Returns nil if only the values of the
    /// object can be adopted.
    func adopting(_ object: ObjectBase) -> ManagedTable? {
        if type(of: object) == info.cls { return info.dynamic == nil || object._info === info ? self : nil }
        guard let typed = core.table(for: type(of: object)), typed.table.id == table.id else { return nil }
        return typed
    }

    /// Returns a Boolean value that indicates whether the object is an existing row to which a link of the property can
    /// lead.
    @inline(__always)
    func isTarget(_ object: ObjectBase, of property: Int) -> Bool {
        object._core != nil && object._state == target(of: property).state && (object._isCurrent || object._isLive())
    }
}

extension ObjectBase {
    /// Makes the object the accessor of an existing row.
    final func _bind(_ table: ManagedTable, _ key: ObjectKey) {
        _core = table.core
        _state = table.state
        _place(table, key, stamp: table.state.pointee.version)
    }

    @inline(__always)
    final func _place(_ table: ManagedTable, _ key: ObjectKey, stamp: UInt64) {
        let raw = UInt64(bitPattern: key.raw)
        let cluster = table.reciprocal == 0 ? raw : raw.multipliedFullWidth(by: table.reciprocal).high
        _rawKey = key.raw
        _cluster = Int(truncatingIfNeeded: cluster)
        _slot = Int(truncatingIfNeeded: raw &- cluster &* UInt64(truncatingIfNeeded: table.clusterSpan))
        _stamp = stamp
    }

    /// Converts an unmanaged object to the accessor of the row that was created for it. Its collections remain the same
    /// instances and become those of the row. Their unmanaged content is dropped.
    final func _attach(to table: ManagedTable, key: ObjectKey) {
        table.sync()
        _bind(table, key)
        table.info.adopt(self)
        _unmanagedError = nil
        _extra?.kept = [:]
        _didBecomeManaged()
    }
}
