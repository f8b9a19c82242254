import Synchronization

/// A property of a class of projections.
struct ProjectedProperty {
    let name: String
    let keyPath: AnyKeyPath
    /// The names from the object's class to the property, separated by dots: `"address.city"`.
    let path: String
    /// A Boolean value that indicates whether the property shows the stored value. Otherwise it is computed from it.
    let isStored: Bool
    private let read: (ObjectBase) -> Any?

    fileprivate init?(_ name: String, _ projected: any AnyProjected) {
        guard let origin = projected.origin else { return nil }
        self.name = name
        keyPath = projected.projectedKeyPath
        path = origin.names.joined(separator: ".")
        isStored = origin.isStored
        read = projected.read
    }

    /// Returns the value for an object. It is also nil if an optional has no value.
    func value(of root: ObjectBase) -> Any? { read(root) }
}

/// The properties of a class of projections. They are determined once, by reflection and by reading the projected key
/// paths of a recording object.
final class ProjectionSchema: Sendable {
    let className: String
    private let rootName: String
    /// The properties of superclasses first, and those of each class in the order of declaration.
    nonisolated(unsafe) let properties: [ProjectedProperty]
    /// The reason why a property can't be projected. The first use of the class reports it.
    private let problem: String?

    private static let known = Mutex<[ObjectIdentifier: ProjectionSchema]>([:])
    /// The class that was last found to be valid. It avoids the lock when many projections are created.
    private static let lastRight = Atomic<UInt>(0)

    /// - Precondition: Each projected property reads exactly one stored property.
    /// - Complexity: O(1) after the first call.
    static func of(_ type: any AnyProjection.Type) -> ProjectionSchema {
        let id = ObjectIdentifier(type)
        let schema = known.withLock { $0[id] } ?? found(type)
        if let problem = schema.problem { programmerError(problem) }
        return schema
    }

    /// Traps if a property can't be projected.
    @inline(__always)
    static func check(_ type: any AnyProjection.Type) {
        let id = UInt(bitPattern: ObjectIdentifier(type))
        if lastRight.load(ordering: .relaxed) == id { return }
        _ = of(type)
        lastRight.store(id, ordering: .relaxed)
    }

    private static func found(_ type: any AnyProjection.Type) -> ProjectionSchema {
        // The schema is made outside the lock, because the initialiser of the class is code of the program.
        let made = ProjectionSchema(type)
        return known.withLock { known in
            let id = ObjectIdentifier(type)
            if let first = known[id] { return first }
            known[id] = made
            return made
        }
    }

    private init(_ type: any AnyProjection.Type) {
        className = "\(type)"
        rootName = type.rootClass.className()
        var mirrors: [Mirror] = []
        var next: Mirror? = Mirror(reflecting: type.recorded(by: KeyPathRecorder()))
        while let mirror = next {
            mirrors.append(mirror)
            next = mirror.superclassMirror
        }
        var properties: [ProjectedProperty] = []
        var wrong: String?
        for child in mirrors.reversed().flatMap(\.children) {
            guard let projected = child.value as? any AnyProjected, let label = child.label else { continue }
            let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
            if let property = ProjectedProperty(name, projected) {
                properties.append(property)
            } else if wrong == nil {
                wrong = name
            }
        }
        self.properties = properties
        problem = wrong.map { [className, rootName] name in
            "\(className).\(name) doesn't project a stored property of \(rootName): its key path reads none that is "
                + "@Persisted, or several. Project each property that is needed, and compute from these in the projection."
        }
    }

    func property(named name: String) -> ProjectedProperty? { properties.first { $0.name == name } }
    func property(projecting keyPath: AnyKeyPath) -> ProjectedProperty? { properties.first { $0.keyPath == keyPath } }

    /// Returns a Boolean value that indicates whether the properties show stored values.
    func areStored(_ keyPaths: [AnyKeyPath]) -> Bool {
        keyPaths.allSatisfy { property(projecting: $0)?.isStored ?? false }
    }

    // MARK: Observation

    /// A property whose changes an observer receives.
    struct Watched {
        /// The name in the report.
        let name: String
        /// The path from the object's class.
        let path: String
        let value: (ObjectBase) -> Any?

        fileprivate init(_ property: ProjectedProperty, path: String? = nil) {
            name = property.name
            self.path = path ?? property.path
            value = property.value
        }

        fileprivate init(path: String) {
            name = String(path.prefix { $0 != "." })
            self.path = path
            value = { [name] in $0._value(named: name) }
        }
    }

    /// - Parameter keyPaths: The names of projected properties or of the object's own properties. If nil, all projected
    ///   properties are used.
    func watched(_ keyPaths: [String]?) -> [Watched] {
        guard let keyPaths else { return properties.map { Watched($0) } }
        return keyPaths.flatMap { keyPath -> [Watched] in
            let first = keyPath.prefix { $0 != "." }
            if let property = property(named: String(first)) {
                return [Watched(property, path: property.path + keyPath.dropFirst(first.count))]
            }
            return watched(path: keyPath)
        }
    }

    /// - Parameter keyPaths: The key paths of the projection.
    func watched<P>(_ keyPaths: [PartialKeyPath<P>]) -> [Watched] {
        keyPaths.flatMap { keyPath -> [Watched] in
            let reading = keyPathReading(keyPath)
            if let projected = reading.projected.first, let property = property(projecting: projected) {
                return [Watched(property, path: reading.name)]
            }
            return watched(path: reading.name)
        }
    }

    /// Returns the projected properties that show a property of the object, or the property itself if it isn't
    /// projected.
    func watched(path: String) -> [Watched] {
        let showing = properties.filter { $0.path == path }
        return showing.isEmpty ? [Watched(path: path)] : showing.map { Watched($0) }
    }
}

/// A `Projected` of any type.
private protocol AnyProjected {
    var projectedKeyPath: AnyKeyPath { get }
    /// The stored property, or nil if the key path doesn't read exactly one stored property.
    var origin: KeyPathOrigin? { get }
    func read(_ root: ObjectBase) -> Any?
}

extension Projected: AnyProjected {
    fileprivate var origin: KeyPathOrigin? {
        guard let reading = KeyPathReading(of: keyPath, in: Root.self) else { return nil }
        if reading.collectionNames == nil { return KeyPathOrigin.of(keyPath) }
        let elements: Any = Root.recorded(by: KeyPathRecorder())[keyPath: keyPath]
        let isStored = (elements as? any ProjectedElements)?.elementOrigin?.isStored ?? false
        return KeyPathOrigin(names: reading.names, isStored: isStored)
    }

    fileprivate func read(_ root: ObjectBase) -> Any? {
        let value: Any = unsafeDowncast(root, to: Root.self)[keyPath: keyPath]
        return (value as? any OptionalProtocol).map(\._rlmAnyWrapped) ?? value
    }
}
