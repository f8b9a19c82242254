public import FreeholdSyncCore

/// How apps of one version of a schema see what is stored; see ``SchemaVersions``.
///
/// **Names** are translated both ways: classes, properties, embedded ones at any depth, links, also those in mixed values. What the version
/// hasn't is left out on the way down. On the way up it has no way in: a change that names it is refused as malformed, a query that asks for
/// it is an error.
///
/// **Values** go up as they are, and are stored as they were written. On the way down null becomes what the version shows for it, and numbers
/// are shown in the version's type. Conditions ask of what the app is shown: of single values that no collection lies before; in
/// collections they ask of what is stored.
///
/// A link in a mixed value to a class that the version hasn't is shown as null; in a set it is left out.
public struct SchemaLens: SessionLens {
    /// Of the session.
    let map: VersionMap
    /// The classes of the session's version.
    private let schema: ConditionSchema
    /// Of all versions, by rising numbers: commits name theirs.
    private let maps: [VersionMap]

    /// Nil if nothing has to be done.
    init?(_ versions: SchemaVersions, for claim: UInt64) {
        if versions.versions.count == 1, versions.newest.isOwn { return nil }
        let stored = StoredTables(versions)
        maps = versions.versions.map { VersionMap($0, stored) }
        map = maps[versions.index(for: claim)]
        schema = ConditionSchema(versions.version(for: claim).tables)
    }

    /// The number of the version.
    public var number: UInt64 { map.number }
    public var identity: RunningHash { map.identity }
    public var shown: UInt32 { map.shown }
    public var conditions: UInt32 { map.conditions }

    private func map(of commit: Commit) -> VersionMap {
        maps.last { $0.number <= commit.schemaVersion } ?? maps[0]
    }

    // MARK: Up

    public func up(className: SyncString) -> SyncString? {
        guard let found = map.named(className), !found.isEmbedded else { return nil }
        return found.stored
    }

    public func check(_ query: ClassQuery) throws(ConditionError) { try schema.check(query) }

    public func up(_ query: ClassQuery) throws(ConditionError) -> ClassQuery {
        try ConditionMapper(map).mapped(query)
    }

    public func up(_ commit: Commit, _ oldLists: [OldList]) -> LensedCommit {
        UpwardMapper(map: map(of: commit)).mapped(commit, oldLists)
    }

    // MARK: Down

    public func down(_ batches: [ClassBatch]) -> [ClassBatch] {
        map.isPlain ? batches : DownwardMapper(map: map).mapped(batches)
    }

    public func down(_ message: ServerMessage) -> ServerMessage? {
        map.isPlain ? message : DownwardMapper(map: map).mapped(message)
    }

    public func down(_ error: FreeholdSyncCore.QueryError) -> FreeholdSyncCore.QueryError {
        guard let found = map.stored(error.className) else { return error }
        var error = error
        let isMapped = !map.isPlain
        error.className = found.name
        // The text that was looked at is another one.
        if isMapped { (error.position, error.text) = (0, ConditionMapper(map).shown(error.text, of: found)) }
        return error
    }
}
