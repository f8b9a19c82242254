public import Foundation

public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable {
    let text: String
    public init(_ value: String) { text = value }
    public init(stringLiteral value: String) { text = value }
}

public struct Text: _BodilessView, PrimitiveView {
    let text: String
    public init(_ key: LocalizedStringKey) { text = key.text }
    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) { text = String(content) }
    public init(verbatim content: String) { text = content }
    func elements(_ evaluation: Evaluation) -> [Element] { [Element(.text, text)] }
}

public struct ProgressView: _BodilessView, PrimitiveView {
    private let fraction: Double?
    public init() { fraction = nil }
    public init(_ progress: Progress) { fraction = progress.fractionCompleted }
    func elements(_ evaluation: Evaluation) -> [Element] {
        [Element(.progress, fraction.map { "\($0)" } ?? "")]
    }
}

public struct Button<Label: View>: _BodilessView, PrimitiveView {
    private let action: @MainActor () -> Void
    private let label: Label

    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        (self.action, self.label) = (action, label())
    }

    func elements(_ evaluation: Evaluation) -> [Element] {
        let text = evaluation.evaluate(label, "label").map(\.text).joined(separator: " ")
        return [Element(.button, text, action: action)]
    }
}

extension Button where Label == Text {
    public init(_ title: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
}

public struct TextField<Label: View>: _BodilessView, PrimitiveView {
    private let label: Label
    private let text: Binding<String>

    func elements(_ evaluation: Evaluation) -> [Element] {
        let name = evaluation.evaluate(label, "label").map(\.text).joined(separator: " ")
        return [Element(.field, name, value: .text(text))]
    }
}

extension TextField where Label == Text {
    public init(_ title: LocalizedStringKey, text: Binding<String>) { (label, self.text) = (Text(title), text) }
}

public struct Toggle<Label: View>: _BodilessView, PrimitiveView {
    private let label: Label
    private let isOn: Binding<Bool>

    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) { (self.isOn, self.label) = (isOn, label()) }

    func elements(_ evaluation: Evaluation) -> [Element] {
        let name = evaluation.evaluate(label, "label").map(\.text).joined(separator: " ")
        return [Element(.toggle, name, value: .flag(isOn))]
    }
}

extension Toggle where Label == Text {
    public init(_ title: LocalizedStringKey, isOn: Binding<Bool>) { self.init(isOn: isOn) { Text(title) } }
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) { self.init(isOn: isOn) { Text(title) } }
}

/// A container whose elements are those of its contents.
public struct VStack<Content: View>: _BodilessView, PrimitiveView {
    private let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    func elements(_ evaluation: Evaluation) -> [Element] { evaluation.evaluate(content, "stack") }
}

public struct HStack<Content: View>: _BodilessView, PrimitiveView {
    private let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    func elements(_ evaluation: Evaluation) -> [Element] { evaluation.evaluate(content, "stack") }
}

public struct Group<Content: View>: _BodilessView, PrimitiveView {
    private let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    func elements(_ evaluation: Evaluation) -> [Element] { evaluation.evaluate(content, "group") }
}

public struct Form<Content: View>: _BodilessView, PrimitiveView {
    private let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    func elements(_ evaluation: Evaluation) -> [Element] { evaluation.evaluate(content, "form") }
}

public struct NavigationStack<Content: View>: _BodilessView, PrimitiveView {
    private let content: Content
    public init(@ViewBuilder root: () -> Content) { content = root() }
    func elements(_ evaluation: Evaluation) -> [Element] { evaluation.evaluate(content, "root") }
}

public struct List<SelectionValue, Content: View>: _BodilessView, PrimitiveView {
    private let content: Content
    func elements(_ evaluation: Evaluation) -> [Element] { evaluation.evaluate(content, "list") }
}

extension List where SelectionValue == Never {
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

public struct Section<Parent: View, Content: View>: _BodilessView, PrimitiveView {
    private let header: Parent
    private let content: Content

    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {
        (self.content, self.header) = (content(), header())
    }

    func elements(_ evaluation: Evaluation) -> [Element] {
        let title = evaluation.evaluate(header, "header").map(\.text).joined(separator: " ")
        return [Element(.header, title)] + evaluation.evaluate(content, "content")
    }
}

extension Section where Parent == Text {
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.init(content: content) { Text(title) }
    }
}

/// A link whose destination is evaluated at once, so that tests see its elements.
public struct NavigationLink<Label: View, Destination: View>: _BodilessView, PrimitiveView {
    private let label: Label
    private let destination: Destination

    public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {
        (self.destination, self.label) = (destination(), label())
    }

    func elements(_ evaluation: Evaluation) -> [Element] {
        evaluation.evaluate(label, "label") + evaluation.evaluate(destination, "destination")
    }
}
