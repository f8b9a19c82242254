import CFreeholdShims
public import FreeholdEngine
public import Foundation

// Reads of stored properties. The fast path reads the leaf directly from the directory of the snapshot. It requires
// that the accessor's stamp is the version of the table, and that the thread is the realm's. Otherwise `_prepareRead`
// and the engine are used.

extension ObjectBase {
    /// Returns the column's leaf for the cluster of this object, or nil if the fast path can't be used.
    @inline(__always) final func _leaf(_ key: Int) -> Leaf? {
        let state = _state.unsafelyUnwrapped
        guard _stamp == state.pointee.version, state.pointee.thread == fh_thread_id(),
            let chunks = state.pointee.columns[key],
            let chunk = fh_load_acquire(chunks + (_cluster >> LeafChunk.shift))
        else { return nil }
        let leaves = chunk.assumingMemoryBound(to: UnsafeRawPointer?.self)
        return fh_load_acquire(leaves + (_cluster & (LeafChunk.capacity - 1))).map(Leaf.init)
    }

    /// A Boolean value that indicates whether the object is known to exist at the realm's present state, and the thread
    /// is the realm's.
    @inline(__always) final var _isCurrent: Bool {
        let state = _state.unsafelyUnwrapped
        return _stamp == state.pointee.version && state.pointee.thread == fh_thread_id()
    }

    /// Starts a slow read: checks the thread, the version, and whether the object still exists. Returns nil if the
    /// object records a key path. The core holds the returned references.
    @inline(__always) final func _prepareRead(_ key: Int) -> (view: Unmanaged<DataView>, column: Unmanaged<Column>)? {
        let state = _state.unsafelyUnwrapped
        if !_isCurrent || (state.pointee.hasLeaves && state.pointee.columns[key] == nil) {
            guard _becomeCurrent(key) else { return nil }
        }
        guard let column = state.pointee.columnReferences.unsafelyUnwrapped[key], let view = state.pointee.view else {
            programmerError("\(type(of: self)) has a property without a column in this realm")
        }
        return (view, column)
    }

    @inline(never) private final func _becomeCurrent(_ key: Int) -> Bool {
        guard let table = _table else {
            if _kept(key) == nil { _record(key) }
            return false
        }
        _verifyLive(table)
        if let tracker = table.core.tracker { table.track(tracker, object: _rawKey, property: key) }
        if table.state.pointee.hasLeaves { table.learnLeaves(key) }
        return true
    }

    /// Traps on the wrong thread and for deleted objects. Adopts the realm's version.
    final func _verifyLive(_ table: ManagedTable) {
        let state = table.state
        if state.pointee.thread != fh_thread_id() { table.core.verifyThread() }
        table.sync()
        guard _stamp != state.pointee.version else { return }
        guard table.isLive(_key, since: _stamp) else {
            programmerError(
                "Object has been deleted or invalidated: this \(table.info.className) was deleted from its realm, or the realm was invalidated. Check `isInvalidated` before using an object that something else may delete."
            )
        }
        _stamp = state.pointee.version
    }

    /// Returns a Boolean value that indicates whether the row still exists.
    final func _isLive() -> Bool {
        guard let table = _table else { return true }
        table.core.verifyThread()
        table.sync()
        if let tracker = table.core.tracker { tracker.accessLife(table.table.id, _rawKey) }
        if _stamp == table.state.pointee.version { return true }
        guard table.isLive(_key, since: _stamp) else { return false }
        _stamp = table.state.pointee.version
        return true
    }
}

extension ObjectBase {
    @inline(__always) final func _linkTarget(_ key: Int) -> ManagedTable {
        _state.unsafelyUnwrapped.pointee.table.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.target(of: key) }
    }
}

@usableFromInline @inline(never)
func _fhReadInt(_ object: ObjectBase, _ key: Int) -> Int64 {
    if let leaf = object._leaf(key) {
        let slot = object._slot
        if leaf.flags == 0, slot < leaf.count { return leaf.int(slot) }
    }
    return slowInt(object, key) ?? 0
}

@usableFromInline @inline(never)
func _fhReadOptionalInt(_ object: ObjectBase, _ key: Int) -> Int64? {
    if let leaf = object._leaf(key) {
        let slot = object._slot
        if leaf.flags & ~Leaf.Flag.nulls == 0, slot < leaf.count { return leaf.isNull(slot) ? nil : leaf.int(slot) }
    }
    return slowInt(object, key)
}

@inline(never) private func slowInt(_ object: ObjectBase, _ key: Int) -> Int64? {
    guard let at = object._prepareRead(key) else { return nil }
    if let transaction = object._state.unsafelyUnwrapped.pointee.transaction {
        let changed = transaction._withUnsafeGuaranteedRef { transaction in
            at.column._withUnsafeGuaranteedRef {
                transaction.decodedInt($0, cluster: object._cluster, slot: object._slot)
            }
        }
        if let changed { return changed }
    }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readInt($0, object._key) }
    }
}

@usableFromInline @inline(never)
func _fhReadBool(_ object: ObjectBase, _ key: Int) -> Bool {
    if let leaf = object._leaf(key) {
        let slot = object._slot
        if leaf.flags == 0, slot < leaf.count { return leaf.bool(slot) }
    }
    return slowBool(object, key) ?? false
}

@usableFromInline @inline(never)
func _fhReadOptionalBool(_ object: ObjectBase, _ key: Int) -> Bool? { slowBool(object, key) }

@inline(never) private func slowBool(_ object: ObjectBase, _ key: Int) -> Bool? {
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readBool($0, object._key) }
    }
}

@usableFromInline @inline(never)
func _fhReadDouble(_ object: ObjectBase, _ key: Int) -> Double {
    if let leaf = object._leaf(key) {
        let slot = object._slot
        if leaf.flags == 0, slot < leaf.count { return leaf.double(slot) }
    }
    return slowDouble(object, key) ?? 0
}

@usableFromInline @inline(never)
func _fhReadOptionalDouble(_ object: ObjectBase, _ key: Int) -> Double? {
    if let leaf = object._leaf(key) {
        let slot = object._slot
        if leaf.flags & ~Leaf.Flag.nulls == 0, slot < leaf.count { return leaf.isNull(slot) ? nil : leaf.double(slot) }
    }
    return slowDouble(object, key)
}

@inline(never) private func slowDouble(_ object: ObjectBase, _ key: Int) -> Double? {
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readDouble($0, object._key) }
    }
}

@usableFromInline @inline(never)
func _fhReadFloat(_ object: ObjectBase, _ key: Int) -> Float? {
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readFloat($0, object._key) }
    }
}

@usableFromInline @inline(never)
func _fhReadString(_ object: ObjectBase, _ key: Int) -> String? {
    if let leaf = object._leaf(key) {
        let slot = object._slot
        // Split leaves use the slow path.
        if leaf.flags & ~(Leaf.Flag.nulls | Leaf.Flag.references) == 0, slot < leaf.count {
            if leaf.isNull(slot) { return nil }
            if !leaf.isReference(slot) { return String(decoding: leaf.bytes(slot), as: UTF8.self) }
        }
    }
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readString($0, object._key) }
    }
}

@usableFromInline @inline(never)
func _fhReadData(_ object: ObjectBase, _ key: Int) -> Data? {
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readData($0, object._key) }
    }
}

@usableFromInline @inline(never)
func _fhReadDate(_ object: ObjectBase, _ key: Int) -> Date? {
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readTimestamp($0, object._key) }
    }?.date
}

@usableFromInline @inline(never)
func _fhReadDecimal128(_ object: ObjectBase, _ key: Int) -> Decimal128? {
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readDecimal128($0, object._key) }
    }
}

@usableFromInline @inline(never)
func _fhReadObjectId(_ object: ObjectBase, _ key: Int) -> ObjectId? {
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readObjectId($0, object._key) }
    }
}

@usableFromInline @inline(never)
func _fhReadUUID(_ object: ObjectBase, _ key: Int) -> UUID? {
    guard let at = object._prepareRead(key) else { return nil }
    return at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readUUID($0, object._key) }
    }
}

/// Returns the accessor of the linked object.
@usableFromInline @inline(never)
func _fhReadLink(_ object: ObjectBase, _ key: Int) -> ObjectBase? {
    if let leaf = object._leaf(key) {
        let slot = object._slot
        if leaf.flags == 0, slot < leaf.count {
            guard let target = leaf.link(slot) else { return nil }
            return object._linkTarget(key).object(target)
        }
    }
    if object._core == nil, let next = object._recordLink(key) { return next }
    guard let at = object._prepareRead(key) else { return nil }
    let target = at.view._withUnsafeGuaranteedRef { view in
        at.column._withUnsafeGuaranteedRef { view.readLink($0, object._key) }
    }
    guard let target else { return nil }
    return object._linkTarget(key).object(target)
}
