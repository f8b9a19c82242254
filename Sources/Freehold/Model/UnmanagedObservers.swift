/// An object that is informed about an unmanaged object. Bindings to views use it.
package protocol UnmanagedObserver: AnyObject {
    /// Called after a property of the object was assigned.
    func didAssign()
    /// Called when a realm has added the object. The write transaction is still open, and its end may undo the addition.
    func didBecomeManaged()
}

/// The observers of one unmanaged object. It doesn't keep them alive.
final class UnmanagedObservers {
    private struct Entry {
        weak var observer: (any UnmanagedObserver)?
    }

    private var entries: [Entry] = []

    func add(_ observer: any UnmanagedObserver) {
        entries.removeAll { $0.observer == nil }
        entries.append(Entry(observer: observer))
    }

    func remove(_ observer: any UnmanagedObserver) {
        entries.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// The observers that are alive. An observer may add and remove observers while it is called.
    var all: [any UnmanagedObserver] { entries.compactMap(\.observer) }
}

extension ObjectBase {
    /// Informs the observer about assignments to properties until a realm adds the object. Changes inside a collection
    /// of the object aren't reported, and neither are those of a dynamic object.
    ///
    /// The wrapper of an observed property has a mark, so that assignments to other objects cost nothing more than a
    /// test of a value that they have read already.
    ///
    /// - Precondition: The object is unmanaged.
    package final func _addUnmanagedObserver(_ observer: any UnmanagedObserver) {
        if _core != nil { programmerError("An observer of unmanaged objects was added to a managed object.") }
        let info = _info
        // The properties of dynamic objects have no wrappers.
        guard info.dynamic == nil else { return }
        if _extra == nil { _extra = ObjectExtra() }
        let observers = _extra!.observers ?? UnmanagedObservers()
        _extra!.observers = observers
        observers.add(observer)
        for property in info.properties where !property.isComputed {
            let meta = _fieldAddress(property.metaOffset)
            meta.storeBytes(of: meta.load(as: UInt32.self) | Persisted<Int>.observedBit, as: UInt32.self)
        }
    }

    /// Ends what `_addUnmanagedObserver` began.
    package final func _removeUnmanagedObserver(_ observer: any UnmanagedObserver) {
        _extra?.observers?.remove(observer)
    }

    /// Reports an assignment to a property with a mark.
    @inline(never) @usableFromInline final func _didAssignObserved() {
        guard _core == nil, let observers = _extra?.observers else { return }
        for observer in observers.all { observer.didAssign() }
    }

    /// Reports that a realm has added the object. The observers aren't called again.
    final func _didBecomeManaged() {
        guard let observers = _extra?.observers else { return }
        _extra!.observers = nil
        for observer in observers.all { observer.didBecomeManaged() }
    }
}

extension Realm {
    /// A Boolean value that indicates whether changes can be delivered where this realm is, and whether the realm
    /// changes at all.
    package var _isObservable: Bool { !core.isFrozen && !core.configuration.readOnly && core.mailbox != nil }
}
