/// A stored property of an ``Object``.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(primaryKey: true) var _id: ObjectId
///     @Persisted(indexed: true) var name = ""
///     @Persisted var age: Int
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
///
/// The initial value of a property without a default is zero, empty or `nil`. For a `Date` it is the current time, and
/// for an `ObjectId` or `UUID` a new identifier. Properties of the class without `@Persisted` aren't stored.
///
/// Assigning to a collection copies the elements. The property still returns the same collection instance.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
    @usableFromInline var value: Value._Storage
    /// Bit 31: managed. Bit 22: an unmanaged object with observers. In new objects, bits 20 and 21: delete rule, bit 19: index of places, bit 18: full-text index,
    /// bit 17: indexed, bit 16: primary key. Bits 0…15: the index of the property in managed objects, or the number of
    /// its mapped name in the instance that the library inspects.
    @usableFromInline var meta: UInt32

    @usableFromInline static var managedBit: UInt32 { @inlinable @inline(__always) get { 0x8000_0000 } }
    @usableFromInline static var indexedBit: UInt32 { @inlinable @inline(__always) get { 0x0002_0000 } }
    @usableFromInline static var primaryBit: UInt32 { @inlinable @inline(__always) get { 0x0001_0000 } }

    @usableFromInline static var observedBit: UInt32 { @inlinable @inline(__always) get { 0x0040_0000 } }
    @usableFromInline static var fullTextBit: UInt32 { @inlinable @inline(__always) get { 0x0004_0000 } }
    @usableFromInline static var placesBit: UInt32 { @inlinable @inline(__always) get { 0x0008_0000 } }

    @inlinable init(_storage: Value._Storage, meta: UInt32) {
        value = _storage
        self.meta = meta
    }

    /// Creates a property with the default value of its type.
    @inlinable public init() { self.init(_storage: Value._rlmInitialStorage(), meta: 0) }

    /// Creates a property with a default value. The compiler uses this initialiser for `name = x` before
    /// `super.init()`, which it wouldn't do for an autoclosure.
    @inlinable public init(wrappedValue value: Value) { self.init(_storage: Value._rlmBox(value), meta: 0) }

    /// Creates a property with an index for equality queries.
    @inlinable public init(indexed: Bool) where Value.PersistedType: _Indexable {
        self.init()
        if indexed { meta = Self.indexedBit }
    }

    @inlinable public init(wrappedValue value: Value, indexed: Bool)
    where Value.PersistedType: _Indexable {
        self.init(wrappedValue: value)
        if indexed { meta = Self.indexedBit }
    }

    /// Creates the primary key, which identifies the objects of the class. A class has at most one. It can't change
    /// after the object was added.
    @inlinable public init(primaryKey: Bool) where Value.PersistedType: _PrimaryKey {
        self.init()
        if primaryKey { meta = Self.primaryBit }
    }

    @inlinable public init(wrappedValue value: Value, primaryKey: Bool)
    where Value.PersistedType: _PrimaryKey {
        self.init(wrappedValue: value)
        if primaryKey { meta = Self.primaryBit }
    }

    /// Creates linking objects: the objects whose property of that name links to this one.
    @inlinable public init(originProperty: String) where Value: LinkingObjectsProtocol {
        self.init(wrappedValue: Value(fromType: Value._rlmOriginType, property: originProperty))
    }

    @available(*, unavailable, message: "@Persisted can only be used on properties of Object subclasses")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    // Both accessors must be inlined into the code of the model. Otherwise each access would create two key path
    // objects and interpret them. All slow code is in functions that aren't generic.
    public static subscript<EnclosingSelf: ObjectBase>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inlinable @inline(__always) get {
            let meta = object[keyPath: storageKeyPath].meta
            if meta & managedBit != 0 { return Value._rlmGet(object, Int(truncatingIfNeeded: meta & 0xffff)) }
            if let value = Value._rlmUnbox(object[keyPath: storageKeyPath].value) { return value }
            let fresh = Value._rlmDefaultValue()
            object[keyPath: storageKeyPath].value = Value._rlmBox(fresh)
            return fresh
        }
        @inlinable @inline(__always) set {
            let meta = object[keyPath: storageKeyPath].meta
            // Code that can trap runs before the storage is accessed.
            if meta & managedBit != 0 {
                Value._rlmSet(object, Int(truncatingIfNeeded: meta & 0xffff), to: newValue)
                return
            }
            if Value._rlmCopiesOnAssignment {
                if let value = Value._rlmUnbox(object[keyPath: storageKeyPath].value) {
                    Value._rlmAssign(value, to: newValue)
                } else {
                    let fresh = Value._rlmDefaultValue()
                    object[keyPath: storageKeyPath].value = Value._rlmBox(fresh)
                    Value._rlmAssign(fresh, to: newValue)
                }
            } else {
                object[keyPath: storageKeyPath].value = Value._rlmBox(newValue)
            }
            if meta & observedBit != 0 { object._didAssignObserved() }
        }
    }
}
