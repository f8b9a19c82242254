/// The base class of models.
///
/// ```swift
/// class Person: Object {
///     @Persisted(primaryKey: true) var _id: ObjectId
///     @Persisted var name = ""
///     @Persisted var dogs: List<Dog>
/// }
/// ```
///
/// A new object exists only in memory. `realm.add(person)` inside a write transaction stores the object, and all
/// objects to which it links, as rows of the realm. Objects that a realm returns are stored already. Managed objects
/// read and write the file directly. They can be changed only inside write transactions, and used only on the thread,
/// queue or actor of their realm.
open class Object: ObjectBase {
    public override init() { super.init() }

    /// Creates an unmanaged object with the values of a dictionary (by property name), an array (in the order of the
    /// properties) or another object. Properties without a value keep their defaults. An object of another class must
    /// have all stored properties of this class.
    ///
    /// If a value doesn't fit its property, the object keeps its default values and the error. Adding it to a realm
    /// then reports the error. ``init(validating:)`` throws it instead.
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

    /// Returns the name of the primary key property, which identifies the objects of the class. The usual declaration
    /// is `@Persisted(primaryKey: true)`.
    open class func primaryKey() -> String? { nil }

    /// Returns the names of indexed properties. The usual declaration is `@Persisted(indexed: true)`.
    open class func indexedProperties() -> [String] { [] }

    /// The hash of the object. It is the hash of the primary key if the class has one, for managed and unmanaged
    /// objects. The hash of a deleted object depends on its former identity, so that a set of objects remains usable
    /// after one of them was deleted.
    open override var hash: Int {
        guard let key = _info.primaryKeyIndex, !isInvalidated else { return _identityHash }
        return _info.value(of: self, at: key).hashValue
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

extension ObjectBase {
    /// The realm of the object, or `nil` for an unmanaged or deleted object.
    ///
    /// This is the only property that may be read at a place where the realm can't be used. There, it only shows
    /// whether two objects have the same realm, not whether the object still exists.
    public final var realm: Realm? {
        _core.flatMap { $0.handle { !_isLive() } }
    }

    /// The schema of the object's class.
    public final var objectSchema: ObjectSchema { ObjectSchema(_info) }

    /// Returns the schema of a model class, or `nil` for the base classes of the library, which aren't stored.
    public static func sharedSchema() -> ObjectSchema? { Discovery.isRoot(self) ? nil : ObjectSchema(self) }

    /// Returns a Boolean value that indicates whether both are the same row of the same realm, or the same unmanaged
    /// instance.
    public final func isSameObject(as object: ObjectBase?) -> Bool {
        guard let object else { return false }
        return _isSameRow(as: object)
    }

    final func _propertyIndex(named name: String) -> Int {
        guard let index = _info.index(named: name) else { _info.noProperty(named: name) }
        return index
    }

    /// Returns the dynamic object of the row, if its table has a property of that name that the class doesn't declare.
    final func _beyondClass(_ name: String) -> DynamicObject? {
        guard let table = _table, table.info.dynamic == nil, table.info.index(named: name) == nil else { return nil }
        _verifyLive(table)
        let dynamic = table.dynamic
        return dynamic.info.index(named: name) == nil ? nil : dynamic.object(_key) as? DynamicObject
    }

    final func _value(named name: String) -> Any? {
        if let dynamic = _beyondClass(name) { return dynamic._value(named: name) }
        let index = _propertyIndex(named: name)
        return _info.properties[index].access.any(of: self, at: _info.properties[index])
    }

    final func _setValue(_ value: Any?, named name: String) {
        if let dynamic = _beyondClass(name) { return dynamic._setValue(value, named: name) }
        let info = _info
        let property = info.properties[_propertyIndex(named: name)]
        do throws(Realm.Error) {
            let field = try ValueConversion.field(value, of: property, in: info, copiesOthers: false)
            try ObjectPopulation.assign(field, to: property, of: self)
        } catch {
            if let core = _core { core.record(error) } else if _unmanagedError == nil { _unmanagedError = error }
        }
    }
}

/// An object with a stable identity for lists of views.
public protocol ObjectKeyIdentifiable: Identifiable {
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// An identifier of the row, for a managed object, or of the instance otherwise. It isn't stable between runs of
    /// the program.
    public var id: UInt64 { UInt64(truncatingIfNeeded: _identityHash) }
}
