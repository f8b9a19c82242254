import FreeholdBSON

/// The state of an app's import from another server.
///
/// Until the import is over, the server refuses log-ins to the app. A client that could connect earlier would remove
/// objects that aren't imported yet, and drop its own unsent work on them.
public struct AppTransfer: Hashable, Sendable {
    /// A step of an import. The steps have this order.
    public enum Step: String, Sendable, CaseIterable {
        case documents, users, over
    }

    /// The next step. An import that was interrupted begins with it.
    public var next: Step
    /// The name of the imported project.
    public var project: String

    public init(next: Step, project: String) { (self.next, self.project) = (next, project) }

    public var isOver: Bool { next == .over }

    var document: BSONDocument { ["next": .string(next.rawValue), "project": .string(project)] }

    /// Returns `nil` for a document that doesn't contain a state.
    init?(_ document: BSONDocument) {
        guard let next = document["next"]?.stringValue.flatMap(Step.init(rawValue:)) else { return nil }
        self.init(next: next, project: document["project"]?.stringValue ?? "")
    }
}
