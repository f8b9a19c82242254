import CFreeholdShims
import FreeholdEngine

// Unmanaged objects and collections hold each other, in chains of any length. The destruction of their classes is flattened, so
// that the stack doesn't limit the length.

/// An unmanaged object is going to hold the other one.
@usableFromInline
func _fhWillHold(_ object: AnyObject) { fh_flatten(Unmanaged.passUnretained(object).toOpaque()) }

enum Destruction {
    /// An unmanaged collection is going to be destroyed with its elements.
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
