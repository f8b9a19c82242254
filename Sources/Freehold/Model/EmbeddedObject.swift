import FreeholdEngine

/// The base class of objects that belong to another object, and go with it.
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
/// A managed embedded object has exactly one owner: a property, a list or a map of an object, which may be embedded
/// itself. It is deleted when its owner is, when it is overwritten or removed, and never lives alone: `realm.add`
/// takes its owner, and `realm.objects` gives only objects of classes that derive from ``Object``.
///
/// An unmanaged embedded object becomes managed where it is put. One that is managed already, anywhere, is copied with
/// all that it owns; the original stays where it is. Classes of embedded objects have no primary key and can't be
/// elements of sets.
open class EmbeddedObject: ObjectBase {
    public override init() { super.init() }

    /// An unmanaged object with the values of a dictionary (by property name), an array (in the order of the
    /// properties) or another object. Properties that aren't mentioned keep their default values. An object of another
    /// class must have every stored property of this one.
    ///
    /// If a value doesn't fit its property, the object keeps its default values and the error, which adding its owner
    /// to a realm then reports. ``init(validating:)`` throws it instead.
    public convenience init(value: Any) {
        self.init()
        do throws(Realm.Error) {
            try ObjectPopulation.populate(self, with: value)
        } catch {
            _unmanagedError = error
        }
    }

    /// The same as ``init(value:)``, but throws a `Realm.Error` that names class and property if a value doesn't
    /// fit.
    public convenience init(validating value: Any) throws {
        self.init()
        try ObjectPopulation.populate(self, with: value)
    }

    /// A property's value by its name: numbers and texts as they are stored, links as objects, collections as
    /// collections, nil for null. What is assigned is converted as in ``init(value:)``.
    ///
    /// - Precondition: the class has a property of that name.
    open subscript(key: String) -> Any? {
        get { _value(named: key) }
        set { _setValue(newValue, named: key) }
    }
}

/// What embedded objects can say of their owner. Members of a protocol, so that models may have properties of these
/// names.
public protocol _OwnedObject {}
extension EmbeddedObject: _OwnedObject {}

extension _OwnedObject where Self: EmbeddedObject {
    /// The object that owns this one; nil for an unmanaged and for a deleted object.
    ///
    /// A class with a property of this name has ``EmbeddedObject/owner(of:)`` in its place.
    ///
    /// - Complexity: O(number of properties that hold objects of this class).
    public var parent: ObjectBase? { EmbeddedObject.owner(of: self)?.object }

    /// The name in Swift of the owner's property that this object is in; nil for an unmanaged and for a deleted object.
    public var parentProperty: String? { EmbeddedObject.owner(of: self)?.property }
}

extension EmbeddedObject {
    /// The object that owns an embedded one, and the name in Swift of the property that it is in; nil for an unmanaged
    /// and for a deleted object.
    ///
    /// - Complexity: O(number of properties that hold objects of this class).
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
