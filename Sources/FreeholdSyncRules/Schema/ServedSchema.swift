public import FreeholdEngine
public import FreeholdSyncCore

/// An app's schema as a server has it, and what becomes of files that come with their own.
public struct ServedSchema: Sendable {
    public private(set) var tables: [TableSpec]
    public let mode: SchemaAdoption.Mode
    private let limits: RuleLimits
    /// Of files that can go on with the classes as they are.
    private var accepted: Set<RunningHash> = []

    private static let capacity = 10_000

    public init(_ tables: [TableSpec], mode: SchemaAdoption.Mode, limits: RuleLimits = RuleLimits()) {
        (self.tables, self.mode, self.limits) = (tables, mode, limits)
    }

    /// What becomes of a file. In development mode its new classes and properties are taken over.
    ///
    /// - Returns: the verdict, and what was taken over.
    /// - Complexity: O(1) for a schema that was accepted before, else O(*n* log *n*) for *n* properties.
    public mutating func judge(_ claim: SchemaClaim) -> (verdict: SchemaVerdict, adopted: [SchemaChange]) {
        if accepted.contains(claim.hash) { return (.accepted, []) }
        // A file may have no classes at all; then there is nothing to send.
        guard !claim.documents.isEmpty || claim.hash == .empty else { return (.documentsNeeded, []) }
        do throws(RuleError) {
            let client = try claim.tables(limits: limits)
            guard SchemaClaim.hash(claim.documents) == claim.hash else {
                throw RuleError([], "The hash isn't that of the documents.")
            }
            let adoption = try SchemaAdoption(server: tables, client: client, mode: mode, limits: limits)
            guard adoption.isAccepted else { return (.refused(adoption.refused.map(\.problem)), []) }
            if !adoption.adopted.isEmpty { tables = adoption.tables }
            if accepted.count >= Self.capacity { accepted = [] }
            accepted.insert(claim.hash)
            return (.accepted, adoption.adopted)
        } catch {
            let problem = SchemaProblem(
                className: SyncString(error.path.first ?? ""),
                property: error.path.count > 1 ? SyncString(error.path[1]) : nil,
                text: SyncString(error.reason)
            )
            return (.refused([problem]), [])
        }
    }
}

extension SchemaChange {
    /// What a client is told.
    fileprivate var problem: SchemaProblem {
        let place = property.map { "\(className).\($0)" } ?? className
        let text: String
        switch kind {
        case .additive: text = "\(place) isn't in the app's schema\(new.map { " ('\($0)')" } ?? "")."
        case .breaking: text = "\(self)."
        }
        return SchemaProblem(
            className: SyncString(className),
            property: property.map { SyncString($0) },
            text: SyncString(text)
        )
    }
}
