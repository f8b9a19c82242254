import FreeholdEngine

/// The base class of objects that are only sent: measurements, events, logs.
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
/// They are for realms that sync. What is made in a write goes to the server, whenever that can be reached, whatever happens to the
/// program until then. It never comes back: the realm has no objects of the class, so there is nothing to read, to query, to observe, to
/// subscribe to or to link to. Objects of such a class may own embedded objects and link to objects of the realm.
///
/// The class needs a primary key; two objects with the same one count once.
open class AsymmetricObject: ObjectBase {
    public override init() { super.init() }

    /// An unmanaged object with the values of a dictionary (by property name), an array (in the order of the
    /// properties) or another object. Properties that aren't mentioned keep their default values. An object of another
    /// class must have every stored property of this one.
    ///
    /// If a value doesn't fit its property, the object keeps its default values and the error, which creating one of it
    /// in a realm then reports. ``init(validating:)`` throws it instead.
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

    /// A property's value by its name: numbers and texts as they are stored, links as objects, collections as
    /// collections, nil for null. What is assigned is converted as in ``init(value:)``.
    ///
    /// - Precondition: the class has a property of that name.
    open subscript(key: String) -> Any? {
        get { _value(named: key) }
        set { _setValue(newValue, named: key) }
    }
}

extension Realm {
    /// Makes an object to be sent, from plain data: see ``create(_:value:update:)``. It isn't in the realm, at no time.
    ///
    /// All or nothing: with bad data nothing is made, and the error is kept as ``pendingError``, which the write throws.
    ///
    /// - Precondition: inside a write transaction, of a realm that syncs.
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
    /// The schema without classes whose objects are only sent.
    var withoutAsymmetricClasses: Schema {
        objectSchema.contains(where: \.isAsymmetric) ? Schema(objectSchema.filter { !$0.isAsymmetric }) : self
    }
}
