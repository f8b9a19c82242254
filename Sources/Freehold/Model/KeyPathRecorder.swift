import Synchronization

/// Notes the properties that a key path reads, to learn its name.
final class KeyPathRecorder {
    var names: [String] = []
    /// Two properties of one object were read: the key path runs through a computed property.
    var isAmbiguous = false

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

/// Names of key paths that have been asked for.
private struct KeyPathNames: @unchecked Sendable {
    // Sendable in fact: key paths are immutable, and those that are kept here name stored properties.
    var byKeyPath: [AnyKeyPath: String] = [:]
}

private let keyPathNames = Mutex(KeyPathNames())

/// The dotted name of a key path through persisted properties: `"dog.name"` for `\Person.dog?.name`.
///
/// - Precondition: the key path leads through persisted properties only.
/// - Complexity: a dictionary lookup after the first time.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
    let box = KeyPathBox(keyPath: keyPath)
    if let known = keyPathNames.withLock({ $0.byKeyPath[box.keyPath] }) { return known }
    // The compiler (6.3) lets members of types pass that are no objects: those of a custom type behind a query's path.
    guard let root = type(of: box.keyPath).rootType as? AnyClass, root is ObjectBase.Type else {
        programmerError(
            "A key path of \(type(of: box.keyPath).rootType) was used where an object's is needed: conditions on a custom "
                + "type's members go through `persistableValue`"
        )
    }
    let recorder = KeyPathRecorder()
    let info = ClassInfo.of(T.self)
    let object = unsafeDowncast(recorder.object(of: info), to: T.self)
    _ = object[keyPath: keyPath]
    if recorder.names.isEmpty || recorder.isAmbiguous {
        programmerError(
            "A key path of \(info.className) doesn't lead to a persisted property: key paths for queries, sorting and observation go through @Persisted properties only"
        )
    }
    let name = recorder.names.joined(separator: ".")
    keyPathNames.withLock { $0.byKeyPath[box.keyPath] = name }
    return name
}

private struct KeyPathBox: @unchecked Sendable {
    let keyPath: AnyKeyPath
}
