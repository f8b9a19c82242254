/// A value that a view keeps.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    /// The value outside a view, or the link to the view's place.
    private final class Box: @unchecked Sendable {
        var initial: Value
        var place: Place?
        weak var host: (any PlaceHost)?

        init(_ initial: Value) { self.initial = initial }

        var value: Value {
            get { place.map { $0.contents as! Value } ?? initial }
            set {
                if let place { place.contents = newValue } else { initial = newValue }
                let host = host
                MainActor.assumeIsolated { host?.invalidate() }
            }
        }
    }

    private let box: Box

    public init(wrappedValue value: Value) { box = Box(value) }
    public init(initialValue value: Value) { box = Box(value) }

    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        let box = box
        return Binding(get: { box.value }, set: { box.value = $0 })
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

extension State: Sendable where Value: Sendable {}

extension State: InstalledProperty {
    func install(at place: Place, for host: any PlaceHost, _ environment: EnvironmentValues) {
        if place.contents == nil { place.contents = .some(box.initial) }
        (box.place, box.host) = (place, host)
    }
}
