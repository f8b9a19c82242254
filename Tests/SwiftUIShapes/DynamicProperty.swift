// The interfaces of SwiftUI that the module FreeholdSwiftUI and its tests use, for systems without SwiftUI. It draws nothing.
// `ViewHost` evaluates views as SwiftUI does: it installs their dynamic properties, calls `body`, and evaluates a view again
// after one of its objects has changed.
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch

/// A property of a view that the host installs before it evaluates `body`.
public protocol DynamicProperty {
    /// Called before each evaluation of `body`.
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

/// The place of a dynamic property in a tree of views. It keeps its contents while the view is evaluated again.
final class Place {
    var contents: Any?
    /// The object to which the place has subscribed.
    var observed: AnyObject?
    var subscription: AnyCancellable?
}

/// A dynamic property that the host connects to its place.
@MainActor
protocol InstalledProperty {
    func install(at place: Place, for host: any PlaceHost, _ environment: EnvironmentValues)
}

/// The part of the host that properties use.
@MainActor
protocol PlaceHost: AnyObject, Sendable {
    /// Requests another evaluation of the views.
    func invalidate()
}
