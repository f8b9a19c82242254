/// An object that a view observes.
@propertyWrapper @preconcurrency @MainActor
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
    /// The bindings to the properties of the object.
    @dynamicMemberLookup @preconcurrency @MainActor
    public struct Wrapper {
        let object: ObjectType

        public subscript<Subject>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> { Binding(of: object, keyPath) }
    }

    public var wrappedValue: ObjectType

    public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
    public init(initialValue: ObjectType) { self.wrappedValue = initialValue }

    public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }
}

extension ObservedObject: InstalledProperty {
    func install(at place: Place, for host: any PlaceHost, _ environment: EnvironmentValues) {
        observe(wrappedValue, at: place, for: host)
    }
}

/// An object that a view creates when it first appears, and keeps.
@propertyWrapper @preconcurrency @MainActor
public struct StateObject<ObjectType: ObservableObject>: DynamicProperty {
    private final class Box {
        let make: () -> ObjectType
        var object: ObjectType?

        init(_ make: @escaping () -> ObjectType) { self.make = make }
    }

    private nonisolated(unsafe) let box: Box

    public nonisolated init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) { box = Box(thunk) }

    public var wrappedValue: ObjectType {
        if let object = box.object { return object }
        let object = box.make()
        box.object = object
        return object
    }

    public var projectedValue: ObservedObject<ObjectType>.Wrapper {
        ObservedObject<ObjectType>.Wrapper(object: wrappedValue)
    }
}

extension StateObject: InstalledProperty {
    func install(at place: Place, for host: any PlaceHost, _ environment: EnvironmentValues) {
        if place.contents == nil { place.contents = box.object ?? box.make() }
        box.object = (place.contents as! ObjectType)
        observe(wrappedValue, at: place, for: host)
    }
}

/// Subscribes to an object, unless the place has the subscription already.
@MainActor
private func observe<Object: ObservableObject>(_ object: Object, at place: Place, for host: any PlaceHost) {
    if let observed = place.observed, observed === object { return }
    place.observed = object
    place.subscription = object.objectWillChange.sink { [weak host] _ in
        MainActor.assumeIsolated { host?.invalidate() }
    }
}

extension Binding {
    /// Creates a binding to a property of an object.
    init<Object: AnyObject>(of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
        let target = Target(object: object, keyPath: keyPath)
        self.init(get: { target.value }, set: { target.value = $0 })
    }
}

private final class Target<Object: AnyObject, Value>: @unchecked Sendable {
    private let object: Object
    private let keyPath: ReferenceWritableKeyPath<Object, Value>

    init(object: Object, keyPath: ReferenceWritableKeyPath<Object, Value>) {
        (self.object, self.keyPath) = (object, keyPath)
    }

    var value: Value {
        get { object[keyPath: keyPath] }
        set { object[keyPath: keyPath] = newValue }
    }
}
