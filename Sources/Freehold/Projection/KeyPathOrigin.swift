import FreeholdEngine
import Foundation
import Synchronization

/// The stored property from which a key path of an object's class reads.
struct KeyPathOrigin {
    /// The names of the properties on the path, including the stored property.
    let names: [String]
    /// A Boolean value that indicates whether the key path returns the stored value itself. Otherwise it computes a
    /// value from it.
    let isStored: Bool

    private struct Known: @unchecked Sendable {
        // The key paths are safe to share between threads. See `KeyPathReading`.
        var byKeyPath: [AnyKeyPath: KeyPathOrigin] = [:]
    }

    private static let known = Mutex(Known())

    /// Returns the origin, or nil if the key path doesn't read exactly one stored property.
    ///
    /// - Complexity: A dictionary look-up after the first call.
    static func of<Root: ObjectBase, Value>(_ keyPath: KeyPath<Root, Value>) -> KeyPathOrigin? {
        let box = Box(keyPath: keyPath)
        if let known = known.withLock({ $0.byKeyPath[box.keyPath] }) { return known }
        guard let reading = KeyPathReading(of: keyPath, in: Root.self) else { return nil }
        let origin = KeyPathOrigin(
            names: reading.names,
            isStored: reading.collectionNames == nil
                && givesStored(
                    reading.names,
                    of: Root.self,
                    as: Value.self,
                    // A stored value can be assigned, an expression can't.
                    isWritable: keyPath is ReferenceWritableKeyPath<Root, Value>
                ) { (unsafeDowncast($0, to: Root.self))[keyPath: keyPath] }
        )
        known.withLock { $0.byKeyPath[box.keyPath] = origin }
        return origin
    }

    private struct Box: @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    /// Returns a Boolean value that indicates whether the key path returns the value that is stored under these names.
    /// If types aren't sufficient (`\.name.localizedUppercase` is also a `String`), the method tests it with unmanaged
    /// objects.
    ///
    /// - Parameters:
    ///   - type: The value type of the key path.
    ///   - isWritable: A Boolean value that indicates whether the key path is writable. A writable key path of the
    ///     stored type needs no test.
    static func givesStored(
        _ names: [String],
        of root: ObjectBase.Type,
        as valueType: Any.Type,
        isWritable: Bool,
        _ read: (ObjectBase) -> Any
    ) -> Bool {
        let root = ClassInfo.of(root).makeUnmanaged()
        var object = root
        for name in names.dropLast() {
            let info = object._info
            guard let property = info.index(named: name).map({ info.properties[$0] }), property.isLink,
                let target = property.target
            else { return false }
            object._setValue(ClassInfo.of(target).makeUnmanaged(), named: name)
            guard let next = object._value(named: name) as? ObjectBase else { return false }
            object = next
        }
        let info = object._info
        guard let property = info.index(named: names.last!).map({ info.properties[$0] }),
            let type = (property.access as? any TypedProperty.Type)?.valueType,
            unwrapped(type) == unwrapped(valueType)
        else { return false }
        if isWritable || property.isCollection || property.isComputed { return true }
        if property.isLink, let target = property.target {
            object._setValue(ClassInfo.of(target).makeUnmanaged(), named: property.name)
        }
        let samples = samples(of: property.shape.type)
        for sample in [nil] + samples.map({ property.access.convert($0) }) {
            // A sample that an enum or another type can't represent gives no result.
            if let sample, !property.access.assign(sample, to: object, at: property) { continue }
            if !isStored(PlainValue.unwrap(read(root)), as: property.access.content(of: object, at: property)) {
                return false
            }
        }
        return true
    }

    private static func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any OptionalProtocol.Type)?.wrappedType ?? type
    }

    private static func isStored(_ value: Any?, as stored: _StoredContent) -> Bool {
        switch (content(of: value), stored) {
        case (.value(let mine), .value(let other)): mine == other
        case (.object(let mine), .object(let other)): mine === other
        case (.value(.null), .object(nil)), (.object(nil), .value(.null)): true
        default: false
        }
    }

    private static func content(of value: Any?) -> _StoredContent? {
        func open<Value: RealmCollectionValue>(_ value: Value) -> _StoredContent { Value._rlmContent(value) }
        guard let value else { return .value(.null) }
        return (value as? any RealmCollectionValue).map { open($0) }
    }

    /// Returns sample values that most expressions change.
    private static func samples(of type: PropertyType) -> [Any] {
        switch type {
        case .int: [113, -58]
        case .bool: [true, false]
        case .string: ["  qZ é\u{301}ß\t7. "]
        case .data: [Data([3, 0, 255, 2])]
        case .date: [Date(timeIntervalSince1970: 1_234_567_890.125), Date(timeIntervalSince1970: -86_399.5)]
        case .float: [Float(-3.625), Float(77.5)]
        case .double: [-3.625, 77.5]
        case .objectId: [ObjectId.generate()]
        case .decimal128: [Decimal128(-3.625), Decimal128(77)]
        case .UUID: [UUID()]
        case .any: [AnyRealmValue.string("  qZ 7. "), AnyRealmValue.int(-58)]
        case .object, .linkingObjects: []
        }
    }
}

/// The Swift type of a property.
private protocol TypedProperty {
    static var valueType: Any.Type { get }
}

extension Persisted: TypedProperty {
    fileprivate static var valueType: Any.Type { Value.self }
}

extension OptionalProtocol {
    static var wrappedType: Any.Type { Wrapped.self }
}
