/// A live collection whose kind doesn't matter: results, a list, a set or linking objects.
///
/// ```swift
/// func show(_ dogs: AnyRealmCollection<Dog>) { … }
/// show(AnyRealmCollection(person.dogs))
/// ```
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
    public typealias Index = Int
    public typealias Iterator = RLMIterator<Element>
    public typealias SubSequence = Slice<AnyRealmCollection<Element>>

    private let box: CollectionBox<Element>

    private init(_ box: CollectionBox<Element>) { self.box = box }

    public init<C: RealmCollection>(_ base: C) where C.Element == Element { box = TypedCollectionBox(base) }

    public var realm: Realm? { box.realm }
    public var isInvalidated: Bool { box.isInvalidated }
    public var count: Int { box.count }
    public var isEmpty: Bool { box.isEmpty }
    public var first: Element? { box.first }
    public var last: Element? { box.last }
    public subscript(i: Int) -> Element { box[i] }
    public func index(of object: Element) -> Int? { box.index(of: object) }
    public func makeIterator() -> RLMIterator<Element> { box.makeIterator() }
    public var _source: _CollectionSource? { box.source }
    public var _rlmLocation: _Location { box.location.map { (box: CollectionBox<Element>) in Self(box) } }
    public var _values: _ValueSource<Element>? { box.values }
    public var description: String { box.description }

    /// Whether both stand for the same collection.
    public static func == (a: Self, b: Self) -> Bool { a.box === b.box || a.box.isEqual(to: b.box) }
}

extension AnyRealmCollection: _ConfinedCollection { var _core: RealmCore? { box.core } }

private class CollectionBox<Element: RealmCollectionValue> {
    var realm: Realm? { fatalError("abstract") }
    var isInvalidated: Bool { fatalError("abstract") }
    var count: Int { fatalError("abstract") }
    var isEmpty: Bool { fatalError("abstract") }
    var first: Element? { fatalError("abstract") }
    var last: Element? { fatalError("abstract") }
    subscript(i: Int) -> Element { fatalError("abstract") }
    func index(of object: Element) -> Int? { fatalError("abstract") }
    func makeIterator() -> RLMIterator<Element> { fatalError("abstract") }
    var source: _CollectionSource? { fatalError("abstract") }
    var values: _ValueSource<Element>? { fatalError("abstract") }
    var description: String { fatalError("abstract") }
    func isEqual(to other: CollectionBox<Element>) -> Bool { fatalError("abstract") }
    /// Finds another box.
    var location: _Location { fatalError("abstract") }
    var core: RealmCore? { fatalError("abstract") }
}

private final class TypedCollectionBox<C: RealmCollection>: CollectionBox<C.Element> {
    private let base: C

    init(_ base: C) { self.base = base }

    override var realm: Realm? { base.realm }
    override var isInvalidated: Bool { base.isInvalidated }
    override var count: Int { base.count }
    override var isEmpty: Bool { base.isEmpty }
    override var first: C.Element? { base.first }
    override var last: C.Element? { base.last }
    override subscript(i: Int) -> C.Element { base[i] }
    override func index(of object: C.Element) -> Int? { base.index(of: object) }
    override func makeIterator() -> RLMIterator<C.Element> { base.makeIterator() }
    override var source: _CollectionSource? { base._source }
    override var values: _ValueSource<C.Element>? { base._values }
    override var description: String { base.description }
    override var location: _Location { base._rlmLocation.map { (base: C) in TypedCollectionBox(base) } }
    override var core: RealmCore? { base._confinedCore }

    override func isEqual(to other: CollectionBox<C.Element>) -> Bool {
        (other as? TypedCollectionBox<C>).map { $0.base == base } ?? false
    }
}
