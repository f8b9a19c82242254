/// A key of the environment.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// The values that a view passes to the views in it.
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    public init() {}

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)].map { $0 as! K.Value } ?? key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

/// A value of the environment.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private final class Box: @unchecked Sendable {
        var environment = EnvironmentValues()
    }

    private let box = Box()
    private let keyPath: KeyPath<EnvironmentValues, Value>

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

    public var wrappedValue: Value { box.environment[keyPath: keyPath] }
}

extension Environment: @unchecked Sendable where Value: Sendable {}

extension Environment: InstalledProperty {
    func install(at place: Place, for host: any PlaceHost, _ environment: EnvironmentValues) {
        box.environment = environment
    }
}
