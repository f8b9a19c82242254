public import Foundation

/// What a view shows.
public struct Element {
    public enum Kind: Sendable { case text, title, button, field, toggle, header, progress, rows, search }
    public enum Value {
        case text(Binding<String>)
        case flag(Binding<Bool>)
    }

    public let kind: Kind
    public let text: String
    public var value: Value?
    public var action: (@MainActor () -> Void)?
    public var edits: RowEdits?

    init(
        _ kind: Kind,
        _ text: String,
        value: Value? = nil,
        action: (@MainActor () -> Void)? = nil,
        edits: RowEdits? = nil
    ) {
        (self.kind, self.text, self.value, self.action, self.edits) = (kind, text, value, action, edits)
    }
}

/// One evaluation of the views of a host.
@MainActor
struct Evaluation {
    let host: any PlaceKeeper
    var environment: EnvironmentValues
    var path: String

    func evaluate(_ view: any View, _ name: String) -> [Element] {
        var inner = self
        inner.path += "/" + name
        func evaluated<V: View>(_ view: V) -> [Element] {
            if let primitive = view as? any PrimitiveView { return primitive.elements(inner) }
            inner.install(view, inner.path)
            return inner.evaluate(view.body, "\(V.self)")
        }
        return evaluated(view)
    }

    /// Connects the dynamic properties of a value to their places, and those in them.
    private func install(_ value: Any, _ path: String) {
        for child in Mirror(reflecting: value).children {
            guard let label = child.label, var property = child.value as? any DynamicProperty else { continue }
            let path = "\(path).\(label)"
            if let installed = property as? any InstalledProperty {
                installed.install(at: host.place(path), for: host, environment)
            } else {
                install(property, path)
            }
            property.update()
        }
    }
}

/// A host that keeps the places of its views.
@MainActor
protocol PlaceKeeper: PlaceHost {
    func place(_ path: String) -> Place
}

/// Evaluates a view, and again after its objects have changed.
@MainActor
public final class ViewHost<Root: View>: PlaceKeeper {
    private let make: () -> Root
    private let environment: EnvironmentValues
    private var places: [String: Place] = [:]
    private var used: Set<String> = []
    /// A Boolean value that indicates whether the elements are those of an earlier state.
    public private(set) var isInvalid = true
    private var last: [Element] = []
    /// The number of evaluations of the whole tree.
    public private(set) var evaluations = 0

    /// - Parameter make: Creates the view. It is called for each evaluation, as the `body` of an outer view would be.
    public init(environment: EnvironmentValues = EnvironmentValues(), _ make: @escaping () -> Root) {
        (self.environment, self.make) = (environment, make)
    }

    func place(_ path: String) -> Place {
        used.insert(path)
        if let place = places[path] { return place }
        let place = Place()
        places[path] = place
        return place
    }

    func invalidate() { isInvalid = true }

    /// The present elements. They are evaluated if necessary.
    public var elements: [Element] {
        if isInvalid {
            isInvalid = false
            evaluations += 1
            used = []
            last = Evaluation(host: self, environment: environment, path: "").evaluate(make(), "root")
            // A view that has disappeared loses its state.
            places = places.filter { used.contains($0.key) }
        }
        return last
    }

    /// The state of the views that `wait(until:)` has waited for too long.
    public struct WaitedTooLong: Error, CustomStringConvertible {
        public let description: String
    }

    /// Waits until the views show a state. Throws an error after a minute.
    public func wait(until condition: (ViewHost) -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        var looks = 0
        while !condition(self) {
            looks += 1
            // On a busy machine, the main actor has few turns in a minute.
            if looks >= 3_000, ContinuousClock.now > end {
                throw WaitedTooLong(description: "\(elements.map { "\($0.kind) \($0.text)" })")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    // MARK: The user

    public func texts(_ kind: Element.Kind = .text) -> [String] {
        elements.filter { $0.kind == kind }.map(\.text)
    }

    public func tap(_ title: String, at number: Int = 0) {
        let buttons = elements.filter { $0.kind == .button && $0.text == title }
        buttons[number].action!()
    }

    public func field(_ name: String, at number: Int = 0) -> Binding<String> {
        let fields = elements.filter { [.field, .search].contains($0.kind) && $0.text == name }
        guard case .text(let binding)? = fields[number].value else { fatalError("No field \(name)") }
        return binding
    }

    public func toggle(_ name: String, at number: Int = 0) -> Binding<Bool> {
        let toggles = elements.filter { $0.kind == .toggle && $0.text == name }
        guard case .flag(let binding)? = toggles[number].value else { fatalError("No toggle \(name)") }
        return binding
    }

    public func deleteRows(_ rows: IndexSet, list number: Int = 0) {
        elements.filter { $0.kind == .rows }[number].edits!.delete!(rows)
    }

    public func moveRows(_ rows: IndexSet, to destination: Int, list number: Int = 0) {
        elements.filter { $0.kind == .rows }[number].edits!.move!(rows, destination)
    }
}
