import CFreeholdShims
public import FreeholdEngine

// Writes of stored properties. Misuse traps. An invalid value is recorded in the realm, and the write throws the error.

extension ObjectBase {
    /// Starts a write: checks the thread, the existence of the object, and the write transaction. If it traps, nothing
    /// has changed.
    @inline(__always)
    final func _prepareWrite(_ key: Int) -> (transaction: Unmanaged<WriteTransaction>, column: Unmanaged<Column>) {
        let state = _state.unsafelyUnwrapped
        if !_isCurrent { _becomeCurrentForWrite(key) }
        let transaction: Unmanaged<WriteTransaction>
        if let open = state.pointee.transaction {
            state.pointee.core.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.willChange() }
            transaction = open
        } else {
            // The call traps.
            transaction = state.pointee.core.unsafelyUnwrapped._withUnsafeGuaranteedRef {
                Unmanaged.passUnretained($0.requireWrite())
            }
        }
        guard let column = state.pointee.columnReferences.unsafelyUnwrapped[key] else {
            programmerError("\(type(of: self)) has a property that can't be assigned")
        }
        return (transaction, column)
    }

    @inline(never) private final func _becomeCurrentForWrite(_ key: Int) {
        guard let table = _table else {
            programmerError("\(type(of: self)): an object that a key path is applied to can't be written")
        }
        _verifyLive(table)
        if let tracker = table.core.tracker, table.core.transaction != nil, let column = table.columns[key] {
            tracker.willAssign(table.table.id, object: _rawKey, property: column.id)
        }
    }

    @inline(__always)
    final func _write(
        _ key: Int,
        to value: @autoclosure () -> Value,
        body: (WriteTransaction, Column, ObjectKey) throws(EngineError) -> Void
    ) {
        if _extra != nil, _replaceKept(key, by: .value(value())) { return }
        let at = _prepareWrite(key)
        at.column._withUnsafeGuaranteedRef { column in
            if column.isPrimaryKey {
                _keepPrimaryKey(column, key, to: value())
                return
            }
            at.transaction._withUnsafeGuaranteedRef { transaction in
                do throws(EngineError) {
                    try body(transaction, column, _key)
                } catch {
                    _record(error, key)
                }
            }
        }
    }

    /// Checks an assignment to a primary key, which may only assign the present value.
    @inline(never)
    private final func _keepPrimaryKey(_ column: Column, _ key: Int, to value: Value) {
        guard let table = _table else { return }
        if table.core.view.value(column, _key) == value { return }
        table.core.record(
            Realm.Error(
                .primaryKeyChanged,
                "the primary key of an object that was added can't be changed; add another object, and delete this one",
                className: table.info.className,
                property: table.info.properties[key].name
            )
        )
    }

    @inline(never) final func _record(_ error: EngineError, _ key: Int) {
        guard let table = _table else { return }
        table.core.record(
            Realm.Error(error, className: table.info.className, property: table.info.properties[key].name)
        )
    }

    /// Writes a converted value.
    final func _writeValue(_ key: Int, _ value: Value) {
        _write(key, to: value) { tx, column, row throws(EngineError) in try tx.set(column, row, to: value) }
    }
}

@usableFromInline @inline(never)
func _fhWriteInt(_ object: ObjectBase, _ key: Int, to value: Int64) {
    object._write(key, to: .int(value)) { tx, column, row throws(EngineError) in tx.setInt(column, row, to: value) }
}

@usableFromInline @inline(never)
func _fhWriteBool(_ object: ObjectBase, _ key: Int, to value: Bool) {
    object._write(key, to: .bool(value)) { tx, column, row throws(EngineError) in tx.setBool(column, row, to: value) }
}

@usableFromInline @inline(never)
func _fhWriteDouble(_ object: ObjectBase, _ key: Int, to value: Double) {
    object._write(key, to: .double(value)) { tx, column, row throws(EngineError) in tx.setDouble(column, row, to: value)
    }
}

@usableFromInline @inline(never)
func _fhWriteString(_ object: ObjectBase, _ key: Int, to value: String) {
    object._write(key, to: .string(value)) { tx, column, row throws(EngineError) in
        // The general call checks the length.
        if value.utf8.count > 16_000_000 {
            try tx.set(column, row, to: .string(value))
        } else {
            tx.setString(column, row, to: value)
        }
    }
}

@usableFromInline @inline(never)
func _fhWriteNull(_ object: ObjectBase, _ key: Int) {
    object._write(key, to: .null) { tx, column, row throws(EngineError) in try tx.set(column, row, to: .null) }
}

@usableFromInline @inline(never)
func _fhWriteValue(_ object: ObjectBase, _ key: Int, to value: Value) { object._writeValue(key, value) }

/// Sets a link to an object. An unmanaged object is added to the realm. An embedded object that has an owner is copied.
@usableFromInline @inline(never)
func _fhWriteLink(_ object: ObjectBase, _ key: Int, to value: ObjectBase?) {
    if object._extra != nil, object._replaceKept(key, by: .object(value)) { return }
    let at = object._prepareWrite(key)
    var target: ObjectKey?
    if let value {
        guard let stored = object._linkTarget(key).keyOfLinked(value, from: object, key) else { return }
        target = stored
    }
    at.column._withUnsafeGuaranteedRef { column in
        at.transaction._withUnsafeGuaranteedRef { $0.setLink(column, object._key, to: target) }
    }
}

extension ManagedTable {
    /// Returns the key of an object to link to. The object belongs to the same realm, or is unmanaged and is added now.
    /// Returns nil if it couldn't be added, and the error was recorded.
    fileprivate func keyOfLinked(_ object: ObjectBase, from owner: ObjectBase, _ property: Int) -> ObjectKey? {
        guard let origin = owner._table else { return nil }
        if info.isEmbedded {
            // Assigning an embedded object to its own place changes nothing.
            if object._core === core, object._state == state, let column = origin.columns[property],
                core.view.readLink(column, owner._key) == object._key
            {
                return object._key
            }
        } else if object._core != nil {
            if object._core !== core {
                programmerError(
                    "This \(type(of: object)) is managed by another realm. Find it in this realm by its primary key."
                )
            }
            guard object._state == state || object._table?.table.id == table.id else {
                programmerError("A link to \(info.className) can't hold a \(type(of: object))")
            }
            object._verifyLive(self)
            return object._key
        }
        guard
            case .link(let key)? = core.store([.object(object)], for: origin.info.properties[property], of: origin)?[0]
        else { return nil }
        return key
    }
}
