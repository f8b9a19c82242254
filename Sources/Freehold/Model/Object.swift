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
/// A new object is ordinary memory. `realm.add(person)` inside a write transaction makes it, and all it links to,
/// rows of the realm; objects that a realm returns are such rows from the start. Managed objects read and write the
/// file directly, are changed only inside write transactions, and stay on their realm's thread, queue or actor.
open class Object: ObjectBase {
    public override init() { super.init() }

    /// An unmanaged object with the values of a dictionary (by property name), an array (in the order of the
    /// properties) or another object. Properties that aren't mentioned keep their default values. An object of another
    /// class must have every stored property of this one.
    ///
    /// If a value doesn't fit its property, the object keeps its default values and the error, which adding it to a
    /// realm then reports. ``init(validating:)`` throws it instead.
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

    /// The name of the property by which objects of the class are told apart; the usual way to declare it is
    /// `@Persisted(primaryKey: true)`.
    open class func primaryKey() -> String? { nil }

    /// Names of properties to be indexed; the usual way to declare one is `@Persisted(indexed: true)`.
    open class func indexedProperties() -> [String] { [] }

    /// Objects of a class with a primary key hash by it, managed or not. One that was deleted has no key any more and
    /// hashes by what it was, so that a set of objects that something else deletes needn't end the process.
    open override var hash: Int {
        guard let key = _info.primaryKeyIndex, !isInvalidated else { return _identityHash }
        return _info.value(of: self, at: key).hashValue
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

extension ObjectBase {
    /// The realm that the object is in; nil for unmanaged and for deleted objects.
    ///
    /// Elsewhere than where the realm is used it is the one thing that may be asked of an object: nothing but whether two
    /// objects have the same realm can be learnt of it there, and not whether the object still lives.
    public final var realm: Realm? {
        _core.flatMap { $0.handle { !_isLive() } }
    }

    /// What is stored of the object's class.
    public final var objectSchema: ObjectSchema { ObjectSchema(_info) }

    /// What is stored of a model class; nil for the library's own classes, of which nothing is.
    public static func sharedSchema() -> ObjectSchema? { Discovery.isRoot(self) ? nil : ObjectSchema(self) }

    /// Whether both are the same row of the same realm, or the same unmanaged instance.
    public final func isSameObject(as object: ObjectBase?) -> Bool {
        guard let object else { return false }
        return _isSameRow(as: object)
    }

    final func _propertyIndex(named name: String) -> Int {
        guard let index = _info.index(named: name) else { _info.noProperty(named: name) }
        return index
    }

    /// The dynamic object of the row, if its table has a property of that name that the class doesn't declare.
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

/// An object that lists of views can tell apart by its identity.
public protocol ObjectKeyIdentifiable: Identifiable {
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// The row for managed objects, the instance for others. Not stable between runs.
    public var id: UInt64 { UInt64(truncatingIfNeeded: _identityHash) }
}
