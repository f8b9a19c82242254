public import NIOHTTP1

/// The program behind a listener: groups of routes, and the rules for all of them.
///
///     var application = HTTPApplication(groups: [documents, accounts, health])
///     application.middleware = [TracingMiddleware()]
///     let listener = try await HTTPListener.listen(application, host: "127.0.0.1", port: 8_080, group: threads)
///
/// The connections check the form, the size and the speed of requests before a handler sees them.
public struct HTTPApplication: Sendable {
    /// The groups of routes. The first group whose root is a prefix of the path answers a request. If no root matches, the last group answers.
    public var groups: [HTTPGroup]
    public var limits = HTTPLimits()
    /// The steps around each handler, the outermost first.
    public var middleware: [any HTTPMiddleware] = []
    /// The observers, which receive a record of each answered request.
    public var observers: [any HTTPObserver] = []
    /// The proxies that are trusted to name a client's address and a request's identifier.
    public var proxies = TrustedProxies.none
    /// The web pages of other origins that may send requests. `nil` permits none.
    public var origins: HTTPOrigins?
    /// A closure that decides, with the head, whether a request is answered.
    public var allows: @Sendable (HTTPHeaders) -> Bool = { _ in true }
    /// A closure that returns whether connections may wait for further requests.
    public var keepsConnections: @Sendable () -> Bool = { true }
    /// A closure that creates the budget of a request.
    public var budget: @Sendable () -> (any HTTPBudget)? = { nil }

    public init(groups: [HTTPGroup]) { self.groups = groups }

    func group(_ head: HTTPRequestHead) -> HTTPGroup? { groups.first { head.uri.hasPrefix($0.root) } ?? groups.last }

    /// Calls a handler through all middleware, and returns the answer.
    func answer(_ request: HTTPRequest, _ handler: @escaping @Sendable (HTTPRequest) async -> HTTPAnswer) async
        -> HTTPAnswer
    {
        var next = handler
        for step in middleware.reversed() {
            let inner = next
            next = { await step.answer($0, next: inner) }
        }
        return await next(request)
    }
}
