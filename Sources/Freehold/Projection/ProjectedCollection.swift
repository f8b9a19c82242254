public import Foundation

/// A property of each object of a collection: live, in the collection's order.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.friends.projectTo.firstName) var friendsNames: ProjectedCollection<String>
/// }
/// for name in projection.friendsNames { … }
/// try realm.write { projection.friendsNames[0] = "Ada" }
/// ```
///
/// Nothing is copied: each element is read when it is asked for, and assigning one changes the object's property.
/// Of links: `\Person.friends.projectTo.address.city`, where an element is nil if its object has no address.
@dynamicMemberLookup
public struct ProjectedCollection<Element: RealmCollectionValue>: RandomAccessCollection, CustomStringConvertible {
    public typealias Index = Int

    let box: any ProjectedBox<Element>

    init(_ box: any ProjectedBox<Element>) { self.box = box }

    public var startIndex: Int { 0 }
    public var endIndex: Int { box.count }
    public var count: Int { box.count }

    /// The property of the i-th object. Assigning changes that object, inside a write transaction if it is managed.
    ///
    /// - Precondition: `0 <= i < count`; to be assigned it is what is stored, and not made of it by an expression.
    public subscript(i: Int) -> Element {
        get { box[i] }
        nonmutating set { box[i] = newValue }
    }

    /// Walks the objects that are in the collection now, whatever happens to it meanwhile.
    public func makeIterator() -> AnyIterator<Element> { box.makeIterator() }

    /// The position of the first equal element; nil if there is none.
    ///
    /// - Complexity: O(n)
    public func index(of element: Element) -> Int? { firstIndex(of: element) }

    /// The position of the first object that meets the predicate, which is about the objects' properties.
    public func index(matching predicate: NSPredicate) -> Int? { box.index(matching: predicate) }

    /// The position of the first object that a query string, about the objects' properties, finds.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        box.index(matching: NSPredicate(format: predicateFormat, argumentArray: args))
    }

    /// The first 100 elements.
    public var description: String {
        CollectionDescription.text("ProjectedCollection<\(Element.self)>", count: count) { i in
            ObjectDescription.text(of: Element._rlmAny(self[i]), depth: 1)
        }
    }
}

@available(*, unavailable, message: "A projected collection belongs to its object, and with it to a realm's thread")
extension ProjectedCollection: Sendable {}

extension ProjectedCollection: ThreadConfined {
    /// The realm of the collection; nil for an unmanaged one.
    public var realm: Realm? { box.realm }
    public var isInvalidated: Bool { box.isInvalidated }
    public var _rlmLocation: _Location { box.location { Self($0) } }
}

extension ProjectedCollection: _ConfinedCollection { var _core: RealmCore? { box.core } }

// MARK: Beyond links

extension ProjectedCollection where Element: OptionalProtocol, Element.Wrapped: ObjectBase {
    /// That property of each object that the elements link to; nil where there is none.
    public subscript<Value: _RealmCollectionValueInsideOptional>(
        dynamicMember member: KeyPath<Element.Wrapped, Value>
    ) -> ProjectedCollection<Value?> {
        ProjectedCollection<Value?>(box.appending(\Element.[_rlmMember: member]))
    }

    /// That optional property of each object that the elements link to; nil where there is none.
    public subscript<Value: _RealmCollectionValueInsideOptional>(
        dynamicMember member: KeyPath<Element.Wrapped, Value?>
    ) -> ProjectedCollection<Value?> {
        ProjectedCollection<Value?>(box.appending(\Element.[_rlmOptionalMember: member]))
    }
}

extension OptionalProtocol {
    fileprivate subscript<Value>(_rlmMember member: KeyPath<Wrapped, Value>) -> Value? {
        _rlmOptional.map { $0[keyPath: member] }
    }

    fileprivate subscript<Value>(_rlmOptionalMember member: KeyPath<Wrapped, Value?>) -> Value? {
        _rlmOptional.flatMap { $0[keyPath: member] }
    }
}

/// Stands for each object of a collection, in the key path of a projected property.
///
/// `\Person.friends.projectTo.firstName` is the ``ProjectedCollection`` of the friends' first names.
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase> {
    private let base: AnyRealmCollection<Element>

    fileprivate init(_ base: AnyRealmCollection<Element>) { self.base = base }

    /// That property of each object.
    public subscript<Value: RealmCollectionValue>(
        dynamicMember member: KeyPath<Element, Value>
    ) -> ProjectedCollection<Value> {
        ProjectedCollection(ElementsBox(base, member))
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Each of the objects, to go on from to one of their properties: `friends.projectTo.firstName`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(AnyRealmCollection(self)) }
}
