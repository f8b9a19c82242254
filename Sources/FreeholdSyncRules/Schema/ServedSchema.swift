public import FreeholdEngine
public import FreeholdSyncCore

/// The schema of an app on a server in all of its versions, with the decisions about the schemas of files.
public struct ServedSchema: Sendable {
    public private(set) var versions: SchemaVersions
    public let mode: SchemaAdoption.Mode
    private let limits: RuleLimits
    /// The schemas of files that can continue with the present classes, by the index of the version.
    private var accepted: Set<Accepted> = []
    /// The lenses, by the index of the version.
    private var lenses: [Int: SchemaLens?] = [:]

    private struct Accepted: Hashable {
        let hash: RunningHash
        let version: Int
    }

    private static let capacity = 10_000

    public init(_ versions: SchemaVersions, mode: SchemaAdoption.Mode, limits: RuleLimits = RuleLimits()) {
        (self.versions, self.mode, self.limits) = (versions, mode, limits)
    }

    /// Creates a schema with one version, in which everything is stored under its own name.
    public init(_ tables: [TableSpec], mode: SchemaAdoption.Mode, limits: RuleLimits = RuleLimits()) {
        self.init(SchemaVersions(unchecked: tables), mode: mode, limits: limits)
    }

    /// The classes of the newest version.
    public var tables: [TableSpec] { versions.newest.tables }

    /// Decides about the schema of a file. The file is compared with the version for its `schemaVersion`. It may have
    /// classes that only earlier versions have, which are left over from before an update of its app. In development
    /// mode, new classes and properties are adopted into the newest version. All other versions aren't changed.
    ///
    /// - Returns: The decision, and the adopted changes.
    /// - Complexity: O(1) for a schema that was accepted before, otherwise O(*n* log *n*) for *n* properties
    public mutating func judge(_ claim: SchemaClaim) -> (verdict: SchemaVerdict, adopted: [SchemaChange]) {
        let index = versions.index(for: claim.version)
        if accepted.contains(Accepted(hash: claim.hash, version: index)) { return (.accepted, []) }
        // A file may have no classes. Then it has no documents to send.
        guard !claim.documents.isEmpty || claim.hash == .empty else { return (.documentsNeeded, []) }
        do throws(RuleError) {
            let client = try claim.tables(limits: limits)
            guard SchemaClaim.hash(claim.documents) == claim.hash else {
                throw RuleError([], "The hash isn't that of the documents.")
            }
            let version = versions.versions[index]
            let adoption = try SchemaAdoption(
                server: version.tables,
                client: client.filter { !isLeftOver($0, index) },
                mode: index == versions.versions.count - 1 ? mode : .production,
                limits: limits
            )
            guard adoption.isAccepted else {
                return (.refused(adoption.refused.map { $0.problem(version, versions) }), [])
            }
            if !adoption.adopted.isEmpty { try grow(adoption.tables) }
            if accepted.count >= Self.capacity { accepted = [] }
            accepted.insert(Accepted(hash: claim.hash, version: index))
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

    /// Returns whether a class is left over from before an update of the file's app. A file keeps such classes. It
    /// receives none of their objects, and only sends work from before the update. They have no effect on the decision.
    private func isLeftOver(_ table: TableSpec, _ index: Int) -> Bool {
        let name = SyncString(table.name)
        guard !versions.versions[index].tables.contains(where: { SyncString($0.name) == name }) else { return false }
        let columns = table.synced.columns
        return versions.versions[..<index].contains { version in
            version.tables.contains { old in
                SyncString(old.name) == name && old.isEmbedded == table.isEmbedded
                    && old.isAsymmetric == table.isAsymmetric && columns.allSatisfy { old.columns.contains($0) }
            }
        }
    }

    private mutating func grow(_ tables: [TableSpec]) throws(RuleError) {
        let push: SchemaPush
        do throws(SchemaPushError) {
            push = try versions.pushing(tables, as: versions.newest.number, limits: limits)
        } catch {
            let problem = error.problems.first
            throw RuleError([problem?.className, problem?.property].compactMap { $0 }, problem?.reason ?? "")
        }
        (versions, lenses) = (push.versions, [:])
    }

    /// Returns the lens for a file's app. Returns `nil` if the app sees everything in its stored form.
    ///
    /// - Complexity: O(1), except for the first file of a version
    public mutating func lens(for claim: SchemaClaim) -> SchemaLens? {
        let index = versions.index(for: claim.version)
        if let known = lenses[index] { return known }
        let lens = versions.lens(for: claim.version)
        lenses[index] = .some(lens)
        return lens
    }
}

extension SchemaChange {
    /// Returns the problem for the client.
    fileprivate func problem(_ version: SchemaVersion, _ versions: SchemaVersions) -> SchemaProblem {
        let isOld = version.number != versions.newest.number
        let place = property.map { "\(className).\($0)" } ?? className
        var text = "\(self)"
        // A class or property of the client that the server doesn't have.
        if kind == .additive { text = "\(place) isn't in the app's schema\(new.map { " ('\($0)')" } ?? "")" }
        text += isOld ? " (in version \(version.number) of the schema)." : "."
        return SchemaProblem(
            className: SyncString(className),
            property: property.map { SyncString($0) },
            text: SyncString(text)
        )
    }
}
