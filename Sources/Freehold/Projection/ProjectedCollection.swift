public import Foundation

/// A live collection of one property of each object of a collection, in the order of that collection.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.friends.projectTo.firstName) var friendsNames: ProjectedCollection<String>
/// }
/// for name in projection.friendsNames { … }
/// try realm.write { projection.friendsNames[0] = "Ada" }
/// ```
///
/// The collection copies no values. Each element is read on demand, and assigning an element changes the property of
/// the object. The path may continue through links: in `\Person.friends.projectTo.address.city`, an element is `nil` if
/// its object has no address.
@dynamicMemberLookup
public struct ProjectedCollection<Element: RealmCollectionValue>: RandomAccessCollection, CustomStringConvertible {
    public typealias Index = Int

    let box: any ProjectedBox<Element>

    init(_ box: any ProjectedBox<Element>) { self.box = box }

    public var startIndex: Int { 0 }
    public var endIndex: Int { box.count }
    public var count: Int { box.count }

    /// The property of the i-th object. Assigning it changes the object. If the object is managed, this requires a
    /// write transaction.
    ///
    /// - Precondition: `0 <= i < count`. An assigned property is a stored value, and isn't computed by an expression.
    public subscript(i: Int) -> Element {
        get { box[i] }
        nonmutating set { box[i] = newValue }
    }

    /// Returns an iterator over the present objects of the collection. Later changes of the collection don't affect it.
    public func makeIterator() -> AnyIterator<Element> { box.makeIterator() }

    /// Returns the position of the first equal element, or `nil` if none is equal.
    ///
    /// - Complexity: O(n)
    public func index(of element: Element) -> Int? { firstIndex(of: element) }

    /// Returns the position of the first object that matches the predicate, which refers to the objects' properties.
    public func index(matching predicate: NSPredicate) -> Int? { box.index(matching: predicate) }

    /// Returns the position of the first object that matches a query string, which refers to the objects' properties.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        box.index(matching: NSPredicate(format: predicateFormat, argumentArray: args))
    }

    /// A text with the first 100 elements.
    public var description: String {
        CollectionDescription.text("ProjectedCollection<\(Element.self)>", count: count) { i in
            ObjectDescription.text(of: Element._rlmAny(self[i]), depth: 1)
        }
    }
}

@available(*, unavailable, message: "A projected collection belongs to its object, and with it to a realm's thread")
extension ProjectedCollection: Sendable {}

extension ProjectedCollection: ThreadConfined {
    /// The realm of the collection, or `nil` for an unmanaged collection.
    public var realm: Realm? { box.realm }
    public var isInvalidated: Bool { box.isInvalidated }
    public var _rlmLocation: _Location { box.location { Self($0) } }
}

extension ProjectedCollection: _ConfinedCollection { var _core: RealmCore? { box.core } }

// MARK: Properties of linked objects

extension ProjectedCollection where Element: OptionalProtocol, Element.Wrapped: ObjectBase {
    /// The property of each object to which the elements link, or `nil` for elements without an object.
    public subscript<Value: _RealmCollectionValueInsideOptional>(
        dynamicMember member: KeyPath<Element.Wrapped, Value>
    ) -> ProjectedCollection<Value?> {
        ProjectedCollection<Value?>(box.appending(\Element.[_rlmMember: member]))
    }

    /// The optional property of each object to which the elements link, or `nil` for elements without an object.
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

/// A placeholder for each object of a collection, in the key path of a projected property.
///
/// `\Person.friends.projectTo.firstName` is the ``ProjectedCollection`` of the friends' first names.
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase> {
    private let base: AnyRealmCollection<Element>

    fileprivate init(_ base: AnyRealmCollection<Element>) { self.base = base }

    /// The property of each object.
    public subscript<Value: RealmCollectionValue>(
        dynamicMember member: KeyPath<Element, Value>
    ) -> ProjectedCollection<Value> {
        ProjectedCollection(ElementsBox(base, member))
    }
}

extension RealmCollection where Element: ObjectBase {
    /// A placeholder for each of the objects, from which a key path continues to a property:
    /// `friends.projectTo.firstName`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(AnyRealmCollection(self)) }
}
