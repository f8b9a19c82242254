public import FreeholdEngine

/// The comparison of a server's schema with that of a client.
///
/// A client may have fewer classes and properties than the server. Those that both have must be equal. Those that only
/// the client has are adopted in development mode, and refused by name in production. The refusal of one client has no
/// effect on other clients.
public struct SchemaAdoption: Sendable {
    public enum Mode: Hashable, Sendable {
        case development
        case production
    }

    /// The server's classes after the comparison. They are the old ones if anything is refused.
    public let tables: [TableSpec]
    /// A Boolean value that indicates whether the client can continue.
    public var isAccepted: Bool { refused.isEmpty }
    /// The changes that the server adopts.
    public let adopted: [SchemaChange]
    /// The changes with which the client can't continue. They contain both declarations.
    public let refused: [SchemaChange]

    /// - Throws: `RuleError` for classes of the client that can't be synced, or can't be synced together with those of
    ///   the server (see ``SchemaCheck``).
    /// - Complexity: O(*n* log *n*) for *n* properties
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
