import CFreeholdShims
import FreeholdEngine

// Unmanaged objects and collections can refer to each other in chains of any length. The destruction of their classes
// isn't recursive, so the stack doesn't limit the length.

/// Prepares an object that another unmanaged object is about to reference.
@usableFromInline
func _fhWillHold(_ object: AnyObject) { fh_flatten(Unmanaged.passUnretained(object).toOpaque()) }

enum Destruction {
    /// Prepares the elements of an unmanaged collection for its destruction.
    static func willDestroy<Element: RealmCollectionValue>(_ elements: [Element]) {
        if elements.isEmpty { return }
        switch Element._rlmShape.type {
        case .object, .any: for element in elements { willDestroy(Element._rlmAny(element)) }
        default: break
        }
    }

    private static func willDestroy(_ element: Any?) {
        if let element, let object = PlainValue.reference(element) { _fhWillHold(object) }
    }
}

extension AnyRealmValue {
    public static func _rlmBox(_ value: AnyRealmValue) -> AnyRealmValue {
        if case .object(let object) = value { _fhWillHold(object) }
        return value
    }
}
