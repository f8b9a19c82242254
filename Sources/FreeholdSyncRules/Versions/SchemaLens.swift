public import FreeholdSyncCore

/// The translation between stored data and the apps of one version of a schema. See ``SchemaVersions``.
///
/// **Names** are translated in both directions: classes, properties including embedded ones, and links including those
/// in mixed values. Data that the version doesn't have is left out on the way to the client. On the way to the server,
/// a change that names it is refused as malformed, and a query that uses it is an error.
///
/// **Values** are stored in the form in which they are written. On the way to the client, null is replaced by the
/// version's fill, and numbers have the version's type. Conditions are about the values that the app is shown, for
/// single values that aren't behind a collection. In collections, conditions are about the stored values.
///
/// A link in a mixed value to a class that the version doesn't have is shown as null. In a set it is left out.
public struct SchemaLens: SessionLens {
    /// The map of the session's version.
    let map: VersionMap
    /// The classes of the session's version.
    private let schema: ConditionSchema
    /// The maps of all versions, by rising numbers. A commit names its version.
    private let maps: [VersionMap]

    /// Returns `nil` if no translation is necessary.
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

    // MARK: Toward the server

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

    // MARK: Toward the client

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
        // The position is about the translated text, so it is removed.
        if isMapped { (error.position, error.text) = (0, ConditionMapper(map).shown(error.text, of: found)) }
        return error
    }
}
