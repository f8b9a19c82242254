import Synchronization

/// Notes the properties that a key path reads, to learn its name.
final class KeyPathRecorder {
    var names: [String] = []
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
        recorder.names.append(ClassInfo.of(type(of: self)).properties[key].name)
    }

    /// The object that the rest of a key path goes through; nil if this isn't a recorder's.
    @inline(never) final func _recordLink(_ key: Int) -> ObjectBase? {
        guard let recorder = _extra?.recorder else { return nil }
        _record(key)
        guard let target = ClassInfo.of(type(of: self)).properties[key].target else { return nil }
        return recorder.object(of: ClassInfo.of(target))
    }
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
struct KeyPathReading: @unchecked Sendable {
    // Sendable in fact: key paths are immutable, and those that are kept here capture names and key paths only.
    let names: [String]
    /// Of the elements of a collection: how many of the names lead to that.
    let collectionNames: Int?
    /// What the projected properties that were read project.
    let projected: [AnyKeyPath]
    /// Whether the key path gives what is stored; of objects' own key paths that is taken for granted.
    let isStored: Bool

    var name: String { names.joined(separator: ".") }

    /// Nil unless it is one stored property.
    init?<T>(of keyPath: PartialKeyPath<T>, in type: any RecordedRoot.Type) {
        let recorder = KeyPathRecorder()
        let object = type.recorded(by: recorder) as! T
        let value = object[keyPath: keyPath]
        if recorder.names.isEmpty || recorder.isAmbiguous { return nil }
        projected = recorder.projected
        if let elements = value as? any ProjectedElements {
            guard let origin = elements.elementOrigin else { return nil }
            collectionNames = recorder.names.count
            names = recorder.names + origin.names
        } else {
            collectionNames = nil
            names = recorder.names
        }
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

/// Key paths that have been asked for.
private struct KnownReadings: @unchecked Sendable {
    var byKeyPath: [AnyKeyPath: KeyPathReading] = [:]
}

private let knownReadings = Mutex(KnownReadings())

/// What a key path reads.
///
/// - Precondition: the key path leads through persisted properties only.
/// - Complexity: a dictionary lookup after the first time.
func keyPathReading<T>(_ keyPath: PartialKeyPath<T>) -> KeyPathReading {
    let box = KeyPathBox(keyPath: keyPath)
    if let known = knownReadings.withLock({ $0.byKeyPath[box.keyPath] }) { return known }
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
    knownReadings.withLock { $0.byKeyPath[box.keyPath] = reading }
    return reading
}

/// The dotted name of a key path through persisted properties: `"dog.name"` for `\Person.dog?.name`, or for what a
/// projection makes of it.
///
/// - Precondition: the key path leads through persisted properties only.
/// - Complexity: a dictionary lookup after the first time.
public func _name<T: KeypathSortable>(for keyPath: PartialKeyPath<T>) -> String { storedReading(keyPath).name }

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
