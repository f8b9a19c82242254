/// A property of a ``Projection``, which reads a key path of the object.
///
/// ```swift
/// class DogProjection: Projection<Dog> {
///     @Projected(\Dog.name) var name                                  // as it is
///     @Projected(\Dog.weight) var kilograms                           // under another name
///     @Projected(\Dog.home?.city) var city                            // through embedded and linked objects
///     @Projected(\Dog.friends.projectTo.name) var friendsNames: ProjectedCollection<String>
///     @Projected(\Dog.name.localizedUppercase) var title              // made of a property
/// }
/// ```
///
/// The key path leads through to-one links to one `@Persisted` property, and may continue from there to any Swift
/// property. If it leads to the stored value itself, the property can be assigned, and used in queries and sorts. If it
/// computes a value, the property can be read and observed.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    @usableFromInline let keyPath: KeyPath<Root, Value>

    public init(_ projectedKeyPath: KeyPath<Root, Value>) { keyPath = projectedKeyPath }

    /// The key path that is projected.
    public var projectedKeyPath: AnyKeyPath { keyPath }

    @available(*, unavailable, message: "@Projected can only be used on properties of Projection subclasses")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    // Inlined into the code of the model, like the accessors of `Persisted`. Otherwise each access would create two key
    // path objects.
    public static subscript<EnclosingSelf: Projection<Root>>(
        _enclosingInstance projection: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inlinable @inline(__always) get { projection._project(projection[keyPath: storageKeyPath].keyPath) }
        @inlinable @inline(__always) set {
            projection._assign(newValue, to: projection[keyPath: storageKeyPath].keyPath)
        }
    }
}

extension Projection {
    @usableFromInline
    final func _project<Value>(_ keyPath: KeyPath<Root, Value>) -> Value {
        if let recorder = rootObject._extra?.recorder { recorder.projected.append(keyPath) }
        return rootObject[keyPath: keyPath]
    }

    @usableFromInline
    final func _assign<Value>(_ value: Value, to keyPath: KeyPath<Root, Value>) {
        if rootObject._assign(value, to: keyPath) { return }
        let property = ProjectionSchema.of(type(of: self)).property(projecting: keyPath)
        let name = property?.name ?? "A property"
        let path = property?.path ?? "…"
        programmerError(
            "\(type(of: self)).\(name) can't be assigned: its key path can be read only, as it is made of "
                + "\(Root.className()).\(path) or leads to a collection's elements. Assign `rootObject.\(path)`, or the "
                + "elements of the collection."
        )
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// Assigns a value to the target of the key path. Returns false if that isn't a stored property.
    func _assign<Value>(_ value: Value, to keyPath: KeyPath<Self, Value>) -> Bool {
        if let writable = keyPath as? ReferenceWritableKeyPath<Self, Value> {
            self[keyPath: writable] = value
            return true
        }
        // Swift has no writable key paths through optional links.
        guard let origin = KeyPathOrigin.of(keyPath), origin.isStored, origin.names.count > 1 else { return false }
        _assign(value, along: origin.names)
        return true
    }
}

extension ObjectBase {
    /// Assigns a property to which to-one links lead.
    fileprivate final func _assign(_ value: Any, along names: [String]) {
        if let core = _core { _ = core.requireWrite() }
        var object = self
        for (i, name) in names.dropLast().enumerated() {
            guard let next = object._value(named: name) as? ObjectBase else {
                // A missing link and a null value need no assignment.
                if PlainValue.unwrap(value) == nil { return }
                let error = Realm.Error(
                    .missingValue,
                    "\(names[...i].joined(separator: ".")) is nil, so that \(names.joined(separator: ".")) can't be "
                        + "assigned: assign an object first",
                    className: _info.className,
                    property: names[0]
                )
                if let core = _core { core.record(error) } else if _unmanagedError == nil { _unmanagedError = error }
                return
            }
            object = next
        }
        object._setValue(value, named: names.last!)
    }
}
