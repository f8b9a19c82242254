import FreeholdEngine

/// The base class of objects that belong to another object and are deleted with it.
///
/// ```swift
/// class Address: EmbeddedObject {
///     @Persisted var street = ""
///     @Persisted var city = ""
/// }
/// class Person: Object {
///     @Persisted var home: Address?
///     @Persisted var formerHomes: List<Address>
///     @Persisted var homesByName: Map<String, Address?>
/// }
/// ```
///
/// A managed embedded object has exactly one owner: a property, a list or a map of an object, which may itself be
/// embedded. It is deleted when its owner is deleted, or when it is overwritten or removed. It can't exist alone:
/// `realm.add` adds it with its owner, and `realm.objects` returns only objects of classes that inherit from
/// ``Object``.
///
/// An unmanaged embedded object becomes managed when it is assigned or added to a managed owner. A managed embedded
/// object is copied instead, with all objects that it owns, and the original stays at its place. Classes of embedded
/// objects can't have a primary key, and can't be elements of sets.
open class EmbeddedObject: ObjectBase {
    public override init() { super.init() }

    /// Creates an unmanaged object with the values of a dictionary (by property name), an array (in the order of the
    /// properties) or another object. Properties without a value keep their defaults. An object of another class must
    /// have all stored properties of this class.
    ///
    /// If a value doesn't fit its property, the object keeps its default values and the error. Adding its owner to a
    /// realm then reports the error. ``init(validating:)`` throws it instead.
    public convenience init(value: Any) {
        self.init()
        do throws(Realm.Error) {
            try ObjectPopulation.populate(self, with: value)
        } catch {
            _unmanagedError = error
        }
    }

    /// Creates an object like ``init(value:)``, except that it throws a `Realm.Error` with the class and property if a
    /// value doesn't fit.
    public convenience init(validating value: Any) throws {
        self.init()
        try ObjectPopulation.populate(self, with: value)
    }

    /// The value of the property with the name. Numbers and strings are returned as they are stored, links as objects,
    /// collections as collections, and null as `nil`. An assigned value is converted like in ``init(value:)``.
    ///
    /// - Precondition: The class has a property of that name.
    open subscript(key: String) -> Any? {
        get { _value(named: key) }
        set { _setValue(newValue, named: key) }
    }
}

/// The access of embedded objects to their owner. The members belong to a protocol so that models can have properties
/// with these names.
public protocol _OwnedObject {}
extension EmbeddedObject: _OwnedObject {}

extension _OwnedObject where Self: EmbeddedObject {
    /// The object that owns this one, or `nil` for an unmanaged or deleted object.
    ///
    /// If a class has a property of this name, use ``EmbeddedObject/owner(of:)`` instead.
    ///
    /// - Complexity: O(number of properties that can contain objects of this class).
    public var parent: ObjectBase? { EmbeddedObject.owner(of: self)?.object }

    /// The Swift name of the owner's property that contains this object, or `nil` for an unmanaged or deleted object.
    public var parentProperty: String? { EmbeddedObject.owner(of: self)?.property }
}

extension EmbeddedObject {
    /// Returns the owner of an embedded object, and the Swift name of the property that contains the object. Returns
    /// `nil` for an unmanaged or deleted object.
    ///
    /// - Complexity: O(number of properties that can contain objects of this class).
    public static func owner(of object: EmbeddedObject) -> (object: ObjectBase, property: String?)? {
        guard let table = object._table else { return nil }
        table.core.verifyThread()
        guard object._isLive(), let owner = table.core.view.owner(table.table, object._key),
            let origin = table.core.table(id: owner.column.tableID)
        else { return nil }
        let property = origin.info.properties.first { origin.columns[$0.index]?.id == owner.column.id }
        return (origin.object(owner.key), property?.name)
    }
}
