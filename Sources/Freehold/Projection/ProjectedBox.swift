import Foundation

/// The elements of a projected collection, independent of the class of their objects.
protocol ProjectedBox<Value>: AnyObject {
    associatedtype Value: RealmCollectionValue

    var count: Int { get }
    subscript(i: Int) -> Value { get set }
    func makeIterator() -> AnyIterator<Value>
    func index(matching predicate: NSPredicate) -> Int?
    func appending<Next: RealmCollectionValue>(_ next: KeyPath<Value, Next>) -> any ProjectedBox<Next>
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var core: RealmCore? { get }
    /// Returns the location of a value that is made from another box.
    func location<Found>(_ make: @escaping (any ProjectedBox<Value>) -> Found) -> _Location
    /// The stored property of the elements, or nil if they don't read exactly one stored property of the objects.
    var origin: KeyPathOrigin? { get }
    /// Traps if one of the key paths of the objects can't be observed.
    func check(_ keyPaths: [String])
    func following(_ keyPaths: [String]) -> Observation.Start
}

/// A projected collection of any type, as the value of a key path.
protocol ProjectedElements {
    var elementOrigin: KeyPathOrigin? { get }
}

extension ProjectedCollection: ProjectedElements {
    var elementOrigin: KeyPathOrigin? { box.origin }
}

/// The properties of the objects of a collection.
final class ElementsBox<Object: ObjectBase, Value: RealmCollectionValue>: ProjectedBox {
    private let base: AnyRealmCollection<Object>
    private let keyPath: KeyPath<Object, Value>

    init(_ base: AnyRealmCollection<Object>, _ keyPath: KeyPath<Object, Value>) {
        self.base = base
        self.keyPath = keyPath
    }

    var count: Int { base.count }

    subscript(i: Int) -> Value {
        get { base[i][keyPath: keyPath] }
        set {
            if base[i]._assign(newValue, to: keyPath) { return }
            let name = Object.className()
            let path = origin.map { $0.names.joined(separator: ".") } ?? "…"
            programmerError(
                "An element of ProjectedCollection<\(Value.self)> can't be assigned: its key path can be read only, as it is "
                    + "made of \(name).\(path). Assign that property of the \(name)."
            )
        }
    }

    func makeIterator() -> AnyIterator<Value> {
        var objects = base.makeIterator()
        return AnyIterator { [keyPath] in objects.next().map { $0[keyPath: keyPath] } }
    }

    func index(matching predicate: NSPredicate) -> Int? { base.index(matching: predicate) }

    func appending<Next: RealmCollectionValue>(_ next: KeyPath<Value, Next>) -> any ProjectedBox<Next> {
        ElementsBox<Object, Next>(base, keyPath.appending(path: next))
    }

    var realm: Realm? { base.realm }
    var isInvalidated: Bool { base.isInvalidated }
    var core: RealmCore? { base._confinedCore }

    func location<Found>(_ make: @escaping (any ProjectedBox<Value>) -> Found) -> _Location {
        let keyPath = keyPath
        return base._rlmLocation.map { (base: AnyRealmCollection<Object>) in make(ElementsBox(base, keyPath)) }
    }

    var origin: KeyPathOrigin? { KeyPathOrigin.of(keyPath) }

    func check(_ keyPaths: [String]) {
        guard let table = base._source?.table else { return }
        for keyPath in keyPaths { _ = table.observedPath(keyPath) }
    }

    func following(_ keyPaths: [String]) -> Observation.Start { base.following(keyPaths) }
}
