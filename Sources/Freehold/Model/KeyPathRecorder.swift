import CFreeholdShims
import Synchronization

/// Notes the properties that a key path reads, to learn its name.
final class KeyPathRecorder {
    var names: [String] = []
    /// The same, with the elements of collections that the key path asked for: `kids[0]`.
    var placedNames: [String] = []
    /// Whether what was read last is a collection, and the class of its elements where these are objects.
    fileprivate var collection: (isOpen: Bool, target: ObjectBase.Type?) = (false, nil)
    /// Two properties of one object were read: the key path runs through a computed property.
    var isAmbiguous = false
    /// What the projected properties that were read project.
    var projected: [AnyKeyPath] = []

    /// Never a table's version, so that every read takes the slow path and finds the recorder.
    nonisolated(unsafe) static let state: UnsafeMutablePointer<TableState> = {
        let state = UnsafeMutablePointer<TableState>.allocate(capacity: 1)
        let columns = UnsafeMutablePointer<UnsafePointer<UnsafeRawPointer?>?>.allocate(capacity: 1)
        columns.initialize(to: nil)
        state.initialize(to: TableState(thread: 0, version: 0, columns: columns))
        return state
    }()

    /// An object whose properties note that they were read.
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

    /// Begins anew with an object of which something was read before.
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

    /// The object that the rest of a key path goes through; nil if this isn't a recorder's.
    @inline(never) final func _recordLink(_ key: Int) -> ObjectBase? {
        guard let recorder = _extra?.recorder else { return nil }
        _record(key)
        guard let target = ClassInfo.of(type(of: self)).properties[key].target else { return nil }
        return recorder.object(of: ClassInfo.of(target))
    }
}

extension KeyPathRecorder {
    /// How many key paths are being applied now, by all threads.
    private static let count = Atomic<Int>(0)

    private struct Box: @unchecked Sendable {
        // Seen by the code of one key path only.
        let recorder: KeyPathRecorder
    }

    @TaskLocal private static var current: Box?

    /// Applies a key path, elements of whose collections may be asked for.
    func recording<R>(_ body: () -> R) -> R {
        Self.count.wrappingAdd(1, ordering: .relaxed)
        defer { Self.count.wrappingSubtract(1, ordering: .relaxed) }
        return Self.$current.withValue(Box(recorder: self), operation: body)
    }

    /// What the rest of a key path goes through where it asked for an element that a recorded collection hasn't, as
    /// `\.kids[0].name` does; nil where no key path is being applied.
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

    /// A key of a map as it is written in key paths.
    static func place(_ key: String) -> String { key.contains("'") ? "\"\(key)\"" : "'\(key)'" }
}

/// What key paths for queries, sorts, sections, aggregates and observation begin with: objects, and projections of them.
public protocol KeypathSortable {}

/// What a key path can be applied to, to learn what it reads.
protocol RecordedRoot: KeypathSortable {
    static func recorded(by recorder: KeyPathRecorder) -> Self
    /// As it is called in errors.
    static var recordedName: String { get }
}

extension ObjectBase: RecordedRoot {
    static func recorded(by recorder: KeyPathRecorder) -> Self {
        unsafeDowncast(recorder.object(of: ClassInfo.of(self)), to: self)
    }

    static var recordedName: String { ClassInfo.of(self).className }
}

/// The stored property that a key path reads, perhaps behind links.
final class KeyPathReading: @unchecked Sendable {
    // Sendable in fact: key paths are immutable, and those that are kept here capture names and key paths only.
    let names: [String]
    /// `names`, joined by dots.
    let name: String
    /// The names with the elements of collections that are asked for: `kids[0]`, which `names` leaves out.
    let placedNames: [String]
    /// Of the elements of a collection: how many of the names lead to that.
    let collectionNames: Int?
    /// What the projected properties that were read project.
    let projected: [AnyKeyPath]
    /// Whether the key path gives what is stored; of objects' own key paths that is taken for granted.
    let isStored: Bool

    var placedName: String { placedNames.joined(separator: ".") }

    /// Nil unless it is one stored property.
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

/// Key paths that threads have asked for. There are several of these, for threads that ask at once: a lock and the counts of
/// references that are shared would make them wait for each other.
private final class KnownReadings: Sendable {
    private struct Tables: @unchecked Sendable {
        var byKeyPath: [AnyKeyPath: KeyPathReading] = [:]
        /// Of key paths that are literals without arguments there is one instance each, which is found without comparing paths.
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

/// What a key path reads.
///
/// - Precondition: the key path leads through persisted properties only.
/// - Complexity: a dictionary lookup after the first time.
func keyPathReading<T>(_ keyPath: PartialKeyPath<T>) -> KeyPathReading {
    let box = KeyPathBox(keyPath: keyPath)
    let known = KnownReadings.ofThisThread
    if let reading = known.reading(of: box) { return reading }
    // The compiler (6.3) lets members of types pass that are no objects: those of a custom type behind a query's path.
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

/// The dotted name of a key path through persisted properties: `"dog.name"` for `\Person.dog?.name`, or for what a
/// projection makes of it.
///
/// - Precondition: the key path leads through persisted properties only.
/// - Complexity: a dictionary lookup after the first time.
public func _name<T: KeypathSortable>(for keyPath: PartialKeyPath<T>) -> String { storedReading(keyPath).name }

/// The same with the elements of collections that the key path asks for: `"kids[0].name"` for `\Person.kids[0].name`,
/// which sorts can use. For observation and conditions the key path is about any element.
func placedName<T: KeypathSortable>(for keyPath: PartialKeyPath<T>) -> String { storedReading(keyPath).placedName }

/// The same of a key path that conditions and sorts are about, which know what is stored only.
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
