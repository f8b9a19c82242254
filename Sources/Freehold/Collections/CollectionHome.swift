import FreeholdEngine

/// The property of a row to which a managed set or map belongs.
struct CollectionHome {
    /// A reference that keeps the table alive.
    let core: RealmCore
    unowned(unsafe) let table: ManagedTable
    let owner: ObjectKey
    let property: Int
    /// The identity of a collection inside a mixed value, or nil for a property.
    let nested: NestedCollection?
    /// The state version at which the owner was last known to exist.
    private var stamp: UInt64

    init(_ table: ManagedTable, _ owner: ObjectKey, property: Int, nested: NestedCollection? = nil) {
        self.nested = nested
        core = table.core
        self.table = table
        self.owner = owner
        self.property = property
        stamp = table.state.pointee.version
    }

    /// Returns the place of the collection. Traps on the wrong thread and if the owner was deleted.
    mutating func place(of typeName: @autoclosure () -> String) -> CollectionPlace {
        guard isOwnerLive() else {
            programmerError(
                "The \(table.info.className) that this \(typeName()) belongs to was deleted from its realm, or the realm was invalidated. Check `isInvalidated` first."
            )
        }
        if let tracker = core.tracker { table.track(tracker, object: owner.raw, property: property) }
        let column = table.columns[property]!
        if let nested, nested.value(table, column, of: owner) == nil {
            programmerError(
                "This \(typeName()) was inside of \(table.info.className).\(table.info.properties[property].name), where it has been overwritten or removed. Check `isInvalidated` first."
            )
        }
        return CollectionPlace(
            view: core.view,
            column: column,
            table: table,
            owner: owner,
            property: property,
            nested: nested
        )
    }

    /// Returns a Boolean value that indicates whether the owner exists.
    private mutating func isOwnerLive() -> Bool {
        core.verifyThread()
        table.sync()
        if stamp == table.state.pointee.version { return true }
        guard table.isLive(owner, since: stamp) else { return false }
        stamp = table.state.pointee.version
        return true
    }

    mutating func isLive() -> Bool {
        guard isOwnerLive() else { return false }
        guard let nested, let column = table.columns[property] else { return true }
        return nested.value(table, column, of: owner) != nil
    }

    func isSame(as other: CollectionHome) -> Bool {
        table === other.table && owner == other.owner && property == other.property && nested?.id == other.nested?.id
    }
}

/// A managed collection that can be read or changed. The value is valid during one call.
struct CollectionPlace {
    let view: DataView
    let column: Column
    let table: ManagedTable
    let owner: ObjectKey
    let property: Int
    let nested: NestedCollection?

    var info: PropertyInfo { table.info.properties[property] }

    /// The class and property, for errors.
    var name: String { "\(table.info.className).\(info.name)" }

    /// The table of the elements, for a collection of objects.
    var elementTable: ManagedTable? { column.type == .link ? table.target(of: property) : nil }

    func element<Element: RealmCollectionValue>(_ value: Value) -> Element {
        let content = table.content(of: value, property)
        return Element._element(content, in: self.table.core)
    }

    /// Runs an engine call inside the open write transaction. Errors of the data are recorded.
    func change<R>(_ body: (WriteTransaction) throws(EngineError) -> R) -> R? {
        let transaction = table.core.requireWrite()
        do throws(EngineError) {
            return try body(transaction)
        } catch {
            record(Realm.Error(error, className: table.info.className, property: info.name))
            return nil
        }
    }

    func record(_ error: Realm.Error) { table.core.record(error) }

    /// Returns the stored forms of elements. Unmanaged objects are added to the realm. Returns nil if an element can't
    /// be stored. The error is recorded.
    func stored(_ contents: [_StoredContent]) -> [Value]? {
        var values: [Value] = []
        values.reserveCapacity(contents.count)
        for content in contents {
            switch content {
            case .value(let value): values.append(value)
            case .object(let object?)
            where column.type == .link && table.isTarget(object, of: property)
                && !table.target(of: property).info.isEmbedded:
                values.append(.link(object._key))
            default: return table.core.store(contents, for: info, of: table)
            }
        }
        return values
    }

    /// Returns the value with which an element is found, or nil for a content that can't be an element. Traps for an
    /// object of another realm.
    func sought(_ content: _StoredContent) -> Value? {
        switch content {
        case .value(let value): return value
        case .object(nil): return .null
        case .object(let object?):
            guard let core = object._core, let origin = object._table else { return nil }
            guard core === table.core else {
                programmerError(
                    "\(name) was compared with a \(type(of: object)) of another realm. Find it in this realm by its primary key."
                )
            }
            if column.type == .mixed {
                return .objectLink(ObjectLink(tableID: origin.table.id, key: object._key))
            }
            return origin === elementTable ? .link(object._key) : nil
        case .values, .list, .dictionary, .computed: return nil
        }
    }
}
