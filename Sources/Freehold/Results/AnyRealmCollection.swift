/// A live collection of any kind: results, a list, a set or linking objects.
///
/// ```swift
/// func show(_ dogs: AnyRealmCollection<Dog>) { … }
/// show(AnyRealmCollection(person.dogs))
/// ```
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
    public typealias Index = Int
    public typealias Iterator = RLMIterator<Element>
    public typealias SubSequence = Slice<AnyRealmCollection<Element>>

    private let base: any RealmCollection<Element>

    public init<C: RealmCollection>(_ base: C) where C.Element == Element { self.base = base }

    public var realm: Realm? { base.realm }
    public var isInvalidated: Bool { base.isInvalidated }
    public var count: Int { base.count }
    public var isEmpty: Bool { base.isEmpty }
    public var first: Element? { base.first }
    public var last: Element? { base.last }
    public subscript(i: Int) -> Element { base[i] }
    public func index(of object: Element) -> Int? { base.index(of: object) }
    public func makeIterator() -> RLMIterator<Element> { base.makeIterator() }
    public var _source: _CollectionSource? { base._source }
    public var _values: _ValueSource<Element>? { base._values }
    public var description: String { base.description }

    public var _rlmLocation: _Location {
        func location<C: RealmCollection<Element>>(_ base: C) -> _Location {
            base._rlmLocation.map { (base: C) in Self(base) }
        }
        return location(base)
    }

    /// Returns a Boolean value that indicates whether both wrap the same collection of the same kind.
    public static func == (a: Self, b: Self) -> Bool {
        func isEqual<C: RealmCollection<Element>>(_ base: C) -> Bool { b.base as? C == base }
        return isEqual(a.base)
    }
}

extension AnyRealmCollection: _ConfinedCollection { var _core: RealmCore? { base._confinedCore } }
