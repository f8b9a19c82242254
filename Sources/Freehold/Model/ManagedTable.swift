import CFreeholdShims
import FreeholdEngine

/// What a managed read needs to know of its table, behind one raw pointer so that a read counts no references.
struct TableState {
    /// `fh_thread_id()` of the realm's thread; 0 where only the slow path can tell (actors, queues).
    var thread: UInt
    /// Of the realm's state; 0 when it has moved on and the table hasn't looked yet. Never a stamp then.
    var version: UInt64
    /// By property: the directory of the column's leaves in the snapshot; null inside a write transaction, and
    /// until the property's first read at a version.
    var columns: UnsafeMutablePointer<UnsafePointer<UnsafeRawPointer?>?>
    /// Nil on the instances that key paths are applied to.
    var table: Unmanaged<ManagedTable>?
    // What the table and its core hold strongly, to be used without counting references.
    var core: Unmanaged<RealmCore>?
    /// The core's view at `version`.
    var view: Unmanaged<DataView>?
    /// By property.
    var columnReferences: UnsafeMutablePointer<Unmanaged<Column>?>?
    /// The same, if it is a write transaction.
    var transaction: Unmanaged<WriteTransaction>?
    /// Whether leaves can be learnt: outside write transactions.
    var hasLeaves = false
}

/// One table of one realm: makes the accessors of its rows, and keeps what they share.
///
/// Lives as long as its core.
final class ManagedTable {
    /// Not counted: the table lives as long as its core, and counting would be the cost of every write.
    unowned(unsafe) let core: RealmCore
    @exclusivity(unchecked) private(set) var table: Table
    let info: ClassInfo
    // What accessors are made with, here so that nothing of the class is counted, which all threads share.
    private let template: AccessorTemplate?
    let primaryKeyStorage: DirectStorage?
    private let primaryKeyIndex: Int
    /// By property; nil for linking objects.
    @exclusivity(unchecked) private(set) var columns: [Column?]
    let state: UnsafeMutablePointer<TableState>
    let clusterSpan: Int
    private let columnCount: Int
    /// Tables live as long as the core, so that they need not be counted here.
    @exclusivity(unchecked) private var targets: [Unmanaged<ManagedTable>?]
    /// ⌈2⁶⁴ / clusterSpan⌉, as the engine divides keys; 0 for clusters of one object.
    let reciprocal: UInt64

    /// - Parameter table: must have a column of the type asked for, for every property of the class.
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

    /// Takes the table as another schema of the file has it, after another realm or process, or a migration, has changed it.
    ///
    /// - Returns: Whether anything differs.
    func rebind(to schema: DatabaseSchema) -> Bool {
        guard let stored = schema.table(id: table.id), stored !== table else { return false }
        table = stored
        columns = info.properties.map { $0.isComputed ? nil : stored.column(named: $0.columnName) }
        referToColumns()
        return true
    }

    /// Whether another schema of the file still has the table and every column that is in use, as they are.
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

    /// Learns now what a live table learns when it is asked, because several threads may ask at once.
    func freeze() {
        sync()
        for property in info.properties where property.target != nil || property.targetName != nil {
            if info.dynamic == nil { _ = target(of: property.index) }
        }
    }

    /// To be called whenever `core.stateVersion` changes: no accessor's stamp fits any more, and no leaf is known.
    func invalidate() { state.pointee.version = 0 }

    /// Brings the state to the realm's version.
    @inline(__always)
    func sync() {
        if state.pointee.version != core.stateVersion { learnState() }
    }

    @inline(never)
    private func learnState() {
        let view = core.view
        state.pointee.columns.update(repeating: nil, count: columnCount)
        state.pointee.thread = core.tableToken
        // The core holds its view for as long as its version stands.
        state.pointee.view = Unmanaged.passUnretained(view)
        state.pointee.transaction = core.transaction.map { Unmanaged.passUnretained($0) }
        // What frozen objects read may be read by several threads at once, so that nothing is remembered for them.
        state.pointee.hasLeaves = core.transaction == nil && !core.isFrozen
        state.pointee.version = core.stateVersion
    }

    /// The directory of a column's leaves, remembered for the fast path.
    @inline(never)
    func learnLeaves(_ property: Int) {
        if let column = columns[property] { state.pointee.columns[property] = core.view.leafChunks(column) }
    }

    /// Whether the row that an accessor saw at an earlier version still exists.
    func isLive(_ key: ObjectKey, since stamp: UInt64) -> Bool {
        core.view.contains(table, key) && !core.wasInvalidated(stamp: stamp, table, key)
    }

    /// The key, if there is such a row.
    func living(_ key: ObjectKey) -> ObjectKey? {
        core.verifyThread()
        sync()
        return core.view.contains(table, key) ? key : nil
    }

    /// The table that a link property points to, or whose links a linking-objects property follows back. Traps if
    /// the class isn't in the realm's schema, which opening has excluded.
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
        // Frozen tables have all of them, but for those of dynamic objects.
        if !core.isFrozen || info.dynamic == nil { targets[property] = Unmanaged.passUnretained(found) }
        return found
    }

    /// The table whose links a linking-objects property follows back, and the column that they are of.
    ///
    /// - Parameter origin: the name of the property there.
    func inverse(of property: Int, from origin: String) -> (table: ManagedTable, column: Column) {
        let table = target(of: property)
        guard let index = table.info.index(named: origin), let column = table.columns[index] else {
            programmerError("\(table.info.className).\(origin) isn't in the realm's schema")
        }
        return (table, column.asBacklinkColumn(to: self.table))
    }

    /// What a stored value of a property, or of one of its elements, stands for.
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

    /// The accessor of a row that lives.
    func object(_ key: ObjectKey) -> ObjectBase {
        sync()
        return object(key, stamp: state.pointee.version)
    }

    /// The accessor of the row with that primary key, which is one of integers; nil if there is none.
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

    /// The accessor of a row that was seen to live at that version.
    @inline(__always)
    func object(_ key: ObjectKey, stamp: UInt64) -> ObjectBase {
        let object = template?.make() ?? info.makeAccessor()
        object._core = core
        object._state = state
        object._place(self, key, stamp: stamp)
        if template == nil { info.markManaged(object) }
        return object
    }

    /// The same table in the terms of an unmanaged object that is to become the accessor of one of its rows: an object
    /// of the Swift class may be given to a dynamic one, and the other way round. Nil where its class is known in other
    /// terms than the table, so that only its values can be taken.
    func adopting(_ object: ObjectBase) -> ManagedTable? {
        if type(of: object) == info.cls { return info.dynamic == nil || object._info === info ? self : nil }
        guard let typed = core.table(for: type(of: object)), typed.table.id == table.id else { return nil }
        return typed
    }

    /// Whether the object is a living row that a link of this table's property can lead to.
    @inline(__always)
    func isTarget(_ object: ObjectBase, of property: Int) -> Bool {
        object._core != nil && object._state == target(of: property).state && (object._isCurrent || object._isLive())
    }
}

extension ObjectBase {
    /// Makes this the accessor of a row. The row lives.
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

    /// Turns an unmanaged object into the accessor of the row that was made for it. Its collections stay the same
    /// instances and become those of the row; what they held is dropped.
    final func _attach(to table: ManagedTable, key: ObjectKey) {
        table.sync()
        _bind(table, key)
        table.info.adopt(self)
        _unmanagedError = nil
    }
}
