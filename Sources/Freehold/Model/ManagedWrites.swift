import CFreeholdShims
public import FreeholdEngine

// Writing a stored property. Misuse traps; what is wrong with the value is recorded with the realm and thrown by
// the write.

extension ObjectBase {
    /// What every write begins with: the thread, the object's life, the write transaction. Nothing has changed when
    /// it traps.
    @inline(__always)
    final func _prepareWrite(_ key: Int) -> (transaction: Unmanaged<WriteTransaction>, column: Unmanaged<Column>) {
        let state = _state.unsafelyUnwrapped
        if !_isCurrent { _becomeCurrentForWrite(key) }
        let transaction: Unmanaged<WriteTransaction>
        if let open = state.pointee.transaction {
            state.pointee.core.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.willChange() }
            transaction = open
        } else {
            // Traps.
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
            tracker.willAssign(table.table.id, _rawKey, column.id)
        }
    }

    @inline(__always)
    final func _write(
        _ key: Int,
        _ value: @autoclosure () -> Value,
        _ body: (WriteTransaction, Column, ObjectKey) throws(EngineError) -> Void
    ) {
        let at = _prepareWrite(key)
        at.column._withUnsafeGuaranteedRef { column in
            if column.isPrimaryKey {
                _keepPrimaryKey(column, key, value())
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

    /// A primary key may be assigned the value that it has.
    @inline(never)
    private final func _keepPrimaryKey(_ column: Column, _ key: Int, _ value: Value) {
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
        _write(key, value) { tx, column, row throws(EngineError) in try tx.set(column, row, value) }
    }
}

@usableFromInline @inline(never)
func _fhWriteInt(_ object: ObjectBase, _ key: Int, _ value: Int64) {
    object._write(key, .int(value)) { tx, column, row throws(EngineError) in tx.setInt(column, row, value) }
}

@usableFromInline @inline(never)
func _fhWriteBool(_ object: ObjectBase, _ key: Int, _ value: Bool) {
    object._write(key, .bool(value)) { tx, column, row throws(EngineError) in tx.setBool(column, row, value) }
}

@usableFromInline @inline(never)
func _fhWriteDouble(_ object: ObjectBase, _ key: Int, _ value: Double) {
    object._write(key, .double(value)) { tx, column, row throws(EngineError) in tx.setDouble(column, row, value) }
}

@usableFromInline @inline(never)
func _fhWriteString(_ object: ObjectBase, _ key: Int, _ value: String) {
    object._write(key, .string(value)) { tx, column, row throws(EngineError) in
        // The general call checks the length.
        if value.utf8.count > 16_000_000 {
            try tx.set(column, row, .string(value))
        } else {
            tx.setString(column, row, value)
        }
    }
}

@usableFromInline @inline(never)
func _fhWriteNull(_ object: ObjectBase, _ key: Int) {
    object._write(key, .null) { tx, column, row throws(EngineError) in try tx.set(column, row, .null) }
}

@usableFromInline @inline(never)
func _fhWriteValue(_ object: ObjectBase, _ key: Int, _ value: Value) { object._writeValue(key, value) }

/// Links to another object, which is added to the realm if it is in none. An embedded object that has an owner is
/// copied.
@usableFromInline @inline(never)
func _fhWriteLink(_ object: ObjectBase, _ key: Int, _ value: ObjectBase?) {
    let at = object._prepareWrite(key)
    var target: ObjectKey?
    if let value {
        guard let stored = object._linkTarget(key).keyOfLinked(value, from: object, key) else { return }
        target = stored
    }
    at.column._withUnsafeGuaranteedRef { column in
        at.transaction._withUnsafeGuaranteedRef { $0.setLink(column, object._key, target) }
    }
}

extension ManagedTable {
    /// The key of an object that is to be linked: of the same realm, or else of none and now added. Nil when
    /// adding it failed, which has been recorded.
    fileprivate func keyOfLinked(_ object: ObjectBase, from owner: ObjectBase, _ property: Int) -> ObjectKey? {
        guard let origin = owner._table else { return nil }
        if info.isEmbedded {
            // To assign it to where it is changes nothing.
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
