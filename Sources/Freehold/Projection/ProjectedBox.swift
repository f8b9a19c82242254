import Foundation

/// The elements of a projected collection, whatever objects they are properties of.
class ProjectedBox<Value: RealmCollectionValue> {
    var count: Int { fatalError("abstract") }
    subscript(i: Int) -> Value {
        get { fatalError("abstract") }
        set { fatalError("abstract") }
    }
    func makeIterator() -> AnyIterator<Value> { fatalError("abstract") }
    func index(matching predicate: NSPredicate) -> Int? { fatalError("abstract") }
    func appending<Next: RealmCollectionValue>(_ next: KeyPath<Value, Next>) -> ProjectedBox<Next> {
        fatalError("abstract")
    }
    var realm: Realm? { fatalError("abstract") }
    var isInvalidated: Bool { fatalError("abstract") }
    var core: RealmCore? { fatalError("abstract") }
    /// Finds another box.
    var location: _Location { fatalError("abstract") }
    /// Nil where the elements aren't about one stored property of the objects.
    var origin: KeyPathOrigin? { fatalError("abstract") }
    /// Traps where one of the key paths of the objects can't be observed.
    func check(_ keyPaths: [String]) { fatalError("abstract") }
    func following(_ keyPaths: [String]) -> Observation.Start { fatalError("abstract") }
}

/// Of any type, as a value that a key path leads to.
protocol ProjectedElements {
    var elementOrigin: KeyPathOrigin? { get }
}

extension ProjectedCollection: ProjectedElements {
    var elementOrigin: KeyPathOrigin? { box.origin }
}

/// Properties of the objects of a collection.
final class ElementsBox<Object: ObjectBase, Value: RealmCollectionValue>: ProjectedBox<Value> {
    private let base: AnyRealmCollection<Object>
    private let keyPath: KeyPath<Object, Value>

    init(_ base: AnyRealmCollection<Object>, _ keyPath: KeyPath<Object, Value>) {
        self.base = base
        self.keyPath = keyPath
    }

    override var count: Int { base.count }

    override subscript(i: Int) -> Value {
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

    override func makeIterator() -> AnyIterator<Value> {
        var objects = base.makeIterator()
        return AnyIterator { [keyPath] in objects.next().map { $0[keyPath: keyPath] } }
    }

    override func index(matching predicate: NSPredicate) -> Int? { base.index(matching: predicate) }

    override func appending<Next: RealmCollectionValue>(_ next: KeyPath<Value, Next>) -> ProjectedBox<Next> {
        ElementsBox<Object, Next>(base, keyPath.appending(path: next))
    }

    override var realm: Realm? { base.realm }
    override var isInvalidated: Bool { base.isInvalidated }
    override var core: RealmCore? { base._confinedCore }

    override var location: _Location {
        let keyPath = keyPath
        return base._rlmLocation.map { (base: AnyRealmCollection<Object>) in ElementsBox(base, keyPath) }
    }

    override var origin: KeyPathOrigin? { KeyPathOrigin.of(keyPath) }

    override func check(_ keyPaths: [String]) {
        guard let table = base._source?.table else { return }
        for keyPath in keyPaths { _ = table.observedPath(keyPath) }
    }

    override func following(_ keyPaths: [String]) -> Observation.Start { base.following(keyPaths) }
}
