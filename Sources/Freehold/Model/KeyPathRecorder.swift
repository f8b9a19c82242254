import CFreeholdShims
import Synchronization

/// An object that records the properties that a key path reads, to determine the path's name.
final class KeyPathRecorder {
    var names: [String] = []
    /// The names, with the elements of collections on the key path, such as `kids[0]`.
    var placedNames: [String] = []
    /// A Boolean value that indicates whether the last read was that of a collection, and the class of its elements if
    /// they are objects.
    fileprivate var collection: (isOpen: Bool, target: ObjectBase.Type?) = (false, nil)
    /// A Boolean value that indicates whether the key path read two properties of one object, so that it leads through
    /// a computed property.
    var isAmbiguous = false
    /// The key paths of the projected properties that were read.
    var projected: [AnyKeyPath] = []

    /// A state whose version never equals that of a table, so that each read takes the slow path and finds the
    /// recorder.
    nonisolated(unsafe) static let state: UnsafeMutablePointer<TableState> = {
        let state = UnsafeMutablePointer<TableState>.allocate(capacity: 1)
        let columns = UnsafeMutablePointer<UnsafePointer<UnsafeRawPointer?>?>.allocate(capacity: 1)
        columns.initialize(to: nil)
        state.initialize(to: TableState(thread: 0, version: 0, columns: columns))
        return state
    }()

    /// Returns an object whose properties record their reads.
    func object(of info: ClassInfo) -> ObjectBase {
        let object = info.makeAccessor()
        object._state = Self.state
        object._stamp = 1
        object._extra = ObjectExtra()
        object._extra!.recorder = self
        for property in info.properties {
            let address = object._fieldAddress(property.metaOffset)
            address.storeBytes(of: 0x8000_0000 | UInt32(property.index), as: UInt32.self)
        }
        return object
    }

    /// Restarts the recording with an object whose properties may have been read before.
    func restart(at object: ObjectBase) {
        object._rawKey = -1
        names = []
        placedNames = []
        isAmbiguous = false
        projected = []
    }
}

extension ObjectBase {
    @inline(never) final func _record(_ key: Int) {
        guard let recorder = _extra?.recorder else {
            programmerError("\(type(of: self)): a managed property of an object without a realm was read")
        }
        if _rawKey != -1 { recorder.isAmbiguous = true }
        _rawKey = 0
        let property = ClassInfo.of(type(of: self)).properties[key]
        recorder.names.append(property.name)
        recorder.placedNames.append(property.name)
        recorder.collection = (property.isCollection || property.isComputed, property.target)
    }

    /// Returns the object for the rest of a key path, or nil if no key path is recorded.
    @inline(never) final func _recordLink(_ key: Int) -> ObjectBase? {
        guard let recorder = _extra?.recorder else { return nil }
        _record(key)
        guard let target = ClassInfo.of(type(of: self)).properties[key].target else { return nil }
        return recorder.object(of: ClassInfo.of(target))
    }
}

extension KeyPathRecorder {
    /// The number of key paths that all threads are applying now.
    private static let count = Atomic<Int>(0)

    private struct Box: @unchecked Sendable {
        // Only the code of one key path uses it.
        let recorder: KeyPathRecorder
    }

    @TaskLocal private static var current: Box?

    /// Applies a key path that may access elements of collections.
    func recording<R>(_ body: () -> R) -> R {
        Self.count.wrappingAdd(1, ordering: .relaxed)
        defer { Self.count.wrappingSubtract(1, ordering: .relaxed) }
        return Self.$current.withValue(Box(recorder: self), operation: body)
    }

    /// Returns the element for the rest of a key path that accesses an element of a recorded collection, like
    /// `\.kids[0].name`. Returns nil if no key path is being applied.
    @inline(never)
    static func element<Element: RealmCollectionValue>(_ place: @autoclosure () -> String) -> Element? {
        guard count.load(ordering: .relaxed) > 0, let recorder = current?.recorder, recorder.collection.isOpen,
            !recorder.placedNames.isEmpty
        else { return nil }
        recorder.collection.isOpen = false
        recorder.placedNames[recorder.placedNames.count - 1] += "[\(place())]"
        if let target = recorder.collection.target,
            let object = recorder.object(of: ClassInfo.of(target)) as? Element
        {
            return object
        }
        return Element._rlmDefaultValue()
    }

    /// Returns a key of a map in the notation of key paths.
    static func place(_ key: String) -> String { key.contains("'") ? "\"\(key)\"" : "'\(key)'" }
}

/// A type from which key paths for queries, sorts, sections, aggregates and observation can start: objects and their
/// projections.
public protocol KeypathSortable {}

/// A type to which a key path can be applied, to determine the properties that it reads.
protocol RecordedRoot: KeypathSortable {
    static func recorded(by recorder: KeyPathRecorder) -> Self
    /// The name of the type in errors.
    static var recordedName: String { get }
}

extension ObjectBase: RecordedRoot {
    static func recorded(by recorder: KeyPathRecorder) -> Self {
        unsafeDowncast(recorder.object(of: ClassInfo.of(self)), to: self)
    }

    static var recordedName: String { ClassInfo.of(self).className }
}

/// The stored property that a key path reads, possibly through links.
final class KeyPathReading: @unchecked Sendable {
    // The class is safe to share between threads: key paths are immutable, and the stored ones capture only names and
    // key paths.
    let names: [String]
    /// The `names`, joined by dots.
    let name: String
    /// The names with the elements of collections, such as `kids[0]`, which `names` omits.
    let placedNames: [String]
    /// The number of names that lead to the collection, if the key path reads its elements.
    let collectionNames: Int?
    /// The key paths of the projected properties that were read.
    let projected: [AnyKeyPath]
    /// A Boolean value that indicates whether the key path returns the stored value. It is true for all key paths of
    /// objects.
    let isStored: Bool

    var placedName: String { placedNames.joined(separator: ".") }

    /// Returns nil if the key path doesn't read exactly one stored property.
    init?<T>(of keyPath: PartialKeyPath<T>, in type: any RecordedRoot.Type) {
        let recorder = KeyPathRecorder()
        let object = type.recorded(by: recorder) as! T
        let value = recorder.recording { object[keyPath: keyPath] }
        if recorder.names.isEmpty || recorder.isAmbiguous { return nil }
        projected = recorder.projected
        if let elements = value as? any ProjectedElements {
            guard let origin = elements.elementOrigin else { return nil }
            collectionNames = recorder.names.count
            names = recorder.names + origin.names
            placedNames = recorder.placedNames + origin.names
        } else {
            collectionNames = nil
            names = recorder.names
            placedNames = recorder.placedNames
        }
        name = names.joined(separator: ".")
        guard let projection = type as? any AnyProjection.Type else {
            isStored = true
            return
        }
        isStored =
            collectionNames == nil
            ? KeyPathOrigin.givesStored(
                names,
                of: projection.rootClass,
                as: Swift.type(of: keyPath).valueType,
                isWritable: false
            ) { (projection.projecting($0) as! T)[keyPath: keyPath] as Any }
            : ProjectionSchema.of(projection).areStored(projected)
    }
}

/// A cache of key paths. Several caches exist for threads that use key paths at the same time, because a shared lock
/// and shared reference counts would cause contention.
private final class KnownReadings: Sendable {
    private struct Tables: @unchecked Sendable {
        var byKeyPath: [AnyKeyPath: KeyPathReading] = [:]
        /// The readings by instance. A key path literal without arguments has one instance, which is found without a
        /// comparison of paths.
        var byInstance: [ObjectIdentifier: (keyPath: AnyKeyPath, reading: KeyPathReading)] = [:]
    }

    private static let maximumInstances = 4096
    private static let all = (0..<16).map { _ in KnownReadings() }

    private let tables = Mutex(Tables())

    static var ofThisThread: KnownReadings { all[Int(truncatingIfNeeded: fh_thread_serial() & 15)] }

    func reading(of box: KeyPathBox) -> KeyPathReading? {
        tables.withLock { tables in
            let instance = ObjectIdentifier(box.keyPath)
            if let known = tables.byInstance[instance] { return known.reading }
            guard let known = tables.byKeyPath[box.keyPath] else { return nil }
            if tables.byInstance.count < Self.maximumInstances { tables.byInstance[instance] = (box.keyPath, known) }
            return known
        }
    }

    func keep(_ reading: KeyPathReading, of box: KeyPathBox) {
        tables.withLock { $0.byKeyPath[box.keyPath] = reading }
    }
}

/// Returns the reading of a key path.
///
/// - Precondition: The key path leads only through persisted properties.
/// - Complexity: A dictionary look-up after the first call.
func keyPathReading<T>(_ keyPath: PartialKeyPath<T>) -> KeyPathReading {
    let box = KeyPathBox(keyPath: keyPath)
    let known = KnownReadings.ofThisThread
    if let reading = known.reading(of: box) { return reading }
    // The compiler (6.3) accepts members of types that aren't objects, such as those of a custom type in a query's
    // path.
    guard let root = type(of: box.keyPath).rootType as? any RecordedRoot.Type else {
        programmerError(
            "A key path of \(type(of: box.keyPath).rootType) was used where an object's is needed: conditions on a custom "
                + "type's members go through `persistableValue`"
        )
    }
    guard let reading = KeyPathReading(of: keyPath, in: root) else {
        programmerError(
            "A key path of \(root.recordedName) doesn't lead to a persisted property: key paths for queries, sorting and observation go through @Persisted properties only"
        )
    }
    known.keep(reading, of: box)
    return reading
}

/// Returns the dotted name of a key path through persisted properties: `"dog.name"` for `\Person.dog?.name`. For a
/// projection, it is the name of the projected property.
///
/// - Precondition: The key path leads only through persisted properties.
/// - Complexity: A dictionary look-up after the first call.
public func _name<T: KeypathSortable>(for keyPath: PartialKeyPath<T>) -> String { storedReading(keyPath).name }

/// Returns the name with the elements of collections on the key path, for use in sorts: `"kids[0].name"` for
/// `\Person.kids[0].name`. In observation and conditions, the key path refers to any element.
func placedName<T: KeypathSortable>(for keyPath: PartialKeyPath<T>) -> String { storedReading(keyPath).placedName }

/// Returns the reading of a key path for conditions and sorts, which can use only stored values.
func storedReading<T: KeypathSortable>(_ keyPath: PartialKeyPath<T>) -> KeyPathReading {
    let reading = keyPathReading(keyPath)
    if reading.isStored { return reading }
    programmerError(
        "A key path of \((T.self as? any RecordedRoot.Type)?.recordedName ?? "\(T.self)") can't be used in a query or sort: what "
            + "it gives is made of '\(reading.name)' by an expression, which only Swift knows. Use '\(reading.name)', or "
            + "filter and sort an array."
    )
}

private struct KeyPathBox: @unchecked Sendable {
    let keyPath: AnyKeyPath
}
