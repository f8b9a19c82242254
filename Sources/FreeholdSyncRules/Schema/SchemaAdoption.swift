public import FreeholdEngine

/// What becomes of a server's schema when a client comes with its own.
///
/// A client may know fewer classes and properties than the server. What it knows has to be the same; what only it knows is adopted in
/// development mode, and refused by name in production. One client's refusal changes nothing for others.
public struct SchemaAdoption: Sendable {
    public enum Mode: Hashable, Sendable {
        case development
        case production
    }

    /// The server's classes afterwards: the old ones if anything is refused.
    public let tables: [TableSpec]
    /// Whether the client can go on.
    public var isAccepted: Bool { refused.isEmpty }
    /// What the server takes over.
    public let adopted: [SchemaChange]
    /// What the client can't go on with, both declarations in it.
    public let refused: [SchemaChange]

    /// - Throws: `RuleError` for classes of the client that can't be synced, or that can't with the server's (see ``SchemaCheck``).
    /// - Complexity: O(*n* log *n*) for *n* properties.
    public init(
        server: [TableSpec],
        client: [TableSpec],
        mode: Mode,
        limits: RuleLimits = RuleLimits()
    ) throws(RuleError) {
        try SchemaCheck.check(client, limits: limits)
        let changes = SchemaChange.changes(from: server, to: client).filter { !$0.isRemoval }
        refused = mode == .production ? changes : changes.filter { $0.kind == .breaking }
        adopted = refused.isEmpty ? changes : []
        guard refused.isEmpty, !changes.isEmpty else {
            tables = server
            return
        }
        let known = Dictionary(client.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var tables: [TableSpec] = []
        var names: Set<String> = []
        for var table in server {
            names.insert(table.name)
            let columns = Set(table.columns.map(\.name))
            table.columns += known[table.name]?.synced.columns.filter { !columns.contains($0.name) } ?? []
            tables.append(table)
        }
        tables += client.filter { !names.contains($0.name) }.map(\.synced)
        try SchemaCheck.check(tables, limits: limits)
        self.tables = tables
    }
}
