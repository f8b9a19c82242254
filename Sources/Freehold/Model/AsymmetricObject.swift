import FreeholdEngine

/// The base class of objects that are only sent to a server, such as measurements, events and logs.
///
/// ```swift
/// class Reading: AsymmetricObject {
///     @Persisted(primaryKey: true) var _id: ObjectId
///     @Persisted var celsius = 0.0
/// }
/// try realm.write {
///     realm.create(Reading.self, value: ["celsius": 21.5])
/// }
/// ```
///
/// Asymmetric objects require a realm that syncs. An object that is created in a write is sent when the server can be
/// reached, even if the program ends before. The realm itself has no objects of the class, so they can't be read,
/// queried, observed, subscribed to or linked to. Objects of such a class may own embedded objects and link to objects
/// of the realm.
///
/// The class needs a primary key. Two objects with the same primary key count as one.
open class AsymmetricObject: ObjectBase {
    public override init() { super.init() }

    /// Creates an unmanaged object with the values of a dictionary (by property name), an array (in the order of the
    /// properties) or another object. Properties without a value keep their defaults. An object of another class must
    /// have all stored properties of this class.
    ///
    /// If a value doesn't fit its property, the object keeps its default values and the error. Creating such an object
    /// in a realm then reports the error. ``init(validating:)`` throws it instead.
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

    /// The value of the property with the name. Numbers and strings are returned as they are stored, links as objects,
    /// collections as collections, and null as `nil`. An assigned value is converted like in ``init(value:)``.
    ///
    /// - Precondition: The class has a property of that name.
    open subscript(key: String) -> Any? {
        get { _value(named: key) }
        set { _setValue(newValue, named: key) }
    }
}

extension Realm {
    /// Creates an object that is sent, from plain data. See ``create(_:value:update:)``. The realm never contains the
    /// object.
    ///
    /// For bad data, the method creates nothing, and stores the error as ``pendingError``, which the write throws.
    ///
    /// - Precondition: A write transaction of a realm that syncs is open.
    public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [:] as [String: Any]) {
        let transaction = core.requireWrite()
        let table = core.requireTable(for: type)
        if core.endsEarly { return }
        do throws(Realm.Error) {
            var planner = GraphPlanner(core: core, policy: .error, adopts: false)
            guard case .node(let node) = try planner.target(of: value, in: table) else { return }
            try planner.finish()
            let keys = try planner.plan.apply(to: core, policy: .error)
            do throws(EngineError) { try transaction.handOver(table.table, [keys[node]]) } catch {
                throw Realm.Error(error, fileURL: configuration.fileURL)
            }
            core.didDelete()
        } catch {
            core.record(error)
        }
    }
}

extension Schema {
    /// The schema without the classes of asymmetric objects.
    var withoutAsymmetricClasses: Schema {
        objectSchema.contains(where: \.isAsymmetric) ? Schema(objectSchema.filter { !$0.isAsymmetric }) : self
    }
}
