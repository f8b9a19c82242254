/// A part of a user interface.
@preconcurrency @MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("Never has no body") }
}

/// A view that the host evaluates without `body`.
@MainActor
protocol PrimitiveView {
    func elements(_ evaluation: Evaluation) -> [Element]
}

/// The base of views without `body`.
public protocol _BodilessView: View where Body == Never {}

extension _BodilessView {
    public var body: Never { fatalError("\(Self.self) has no body") }
}

@resultBuilder @MainActor
public struct ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        var views: [any View] = []
        repeat views.append(each content)
        return TupleView(views)
    }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        _ConditionalContent(first)
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent(second)
    }
}

public struct EmptyView: _BodilessView, PrimitiveView {
    public init() {}
    func elements(_ evaluation: Evaluation) -> [Element] { [] }
}

public struct TupleView<T>: _BodilessView, PrimitiveView {
    private let views: [any View]
    init(_ views: [any View]) { self.views = views }

    func elements(_ evaluation: Evaluation) -> [Element] {
        views.enumerated().flatMap { number, view in evaluation.evaluate(view, "\(number)") }
    }
}

public struct _ConditionalContent<TrueContent, FalseContent>: _BodilessView, PrimitiveView {
    private let view: any View
    init(_ view: any View) { self.view = view }
    func elements(_ evaluation: Evaluation) -> [Element] { evaluation.evaluate(view, "\(type(of: view))") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("Optional has no body") }
}

extension Optional: _BodilessView, PrimitiveView where Wrapped: View {
    func elements(_ evaluation: Evaluation) -> [Element] {
        map { evaluation.evaluate($0, "some") } ?? []
    }
}

/// A view that passes values of the environment to its contents, or that adds an element for a modifier.
public struct ModifiedView<Content: View>: _BodilessView, PrimitiveView {
    let content: Content
    var environment: (inout EnvironmentValues) -> Void = { _ in }
    var extra: [Element] = []

    func elements(_ evaluation: Evaluation) -> [Element] {
        var inner = evaluation
        environment(&inner.environment)
        return extra + inner.evaluate(content, "modified")
    }
}

extension View {
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        ModifiedView(content: self, environment: { $0[keyPath: keyPath] = value })
    }

    public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
        ModifiedView(content: self, extra: [Element(.title, String(title))])
    }

    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
        TupleView<(Self, Content)>([self, content()])
    }
}
