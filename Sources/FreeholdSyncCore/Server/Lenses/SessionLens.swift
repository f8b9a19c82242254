/// How apps of one version of a schema see what is stored (sync-design.md, section 11).
///
/// Rows, merges, rights and views know stored names only, which never change. A lens stands at a session's edge: what a client says goes up
/// through it, what it is told comes down. Who knows the versions of an app's schema makes it; it must always answer alike.
///
/// Commits have a way of their own: each names the version by which it was written, which may be older than the session's, a refused change
/// comes back as its author wrote it, and parts of a commit may wait in the store.
public protocol SessionLens: Sendable {
    /// Equal lenses show everything alike, in every process: their sessions share views and messages.
    var identity: RunningHash { get }

    /// What of objects that are there is shown otherwise than as it is stored; 0 for nothing. A client that comes back with another number, or
    /// another schema of its own, gets what it holds anew. So what only adds to a version leaves the number alone.
    var shown: UInt32 { get }

    /// What conditions become that isn't just other names; 0 for nothing. Queries are stored as they became: if a push gives another number,
    /// a client that comes back is asked for them anew, and compares its objects by keys.
    var conditions: UInt32 { get }

    /// The stored name of a class. Nil if the version has none of the name.
    func up(className: SyncString) -> SyncString?

    /// Checks a query against the classes of the version.
    ///
    /// - Throws: `ConditionError`; its position is in the client's text.
    func check(_ query: ClassQuery) throws(ConditionError)

    /// - Throws: `ConditionError` for a query that asks for what the version hasn't. Its position is in the client's text.
    func up(_ query: ClassQuery) throws(ConditionError) -> ClassQuery

    /// - Parameter oldLists: what lists were to the commit's author, if it is from before the horizon.
    func up(_ commit: Commit, _ oldLists: [OldList]) -> LensedCommit

    /// Classes come by rising names again, as do fields. What the version hasn't is left out.
    func down(_ batches: [ClassBatch]) -> [ClassBatch]

    /// What a client is told. Refused changes are left alone: they are as their author wrote them.
    ///
    /// - Returns: nil if nothing of it concerns the version.
    func down(_ message: ServerMessage) -> ServerMessage?

    /// What was wrong with a query in stored names.
    func down(_ error: QueryError) -> QueryError
}

/// A commit in stored names, and what its author called things.
public struct LensedCommit: Sendable {
    /// It has a change for each of the author's.
    public let commit: Commit
    public let oldLists: [OldList]
    public let original: Commit

    /// The changes that name what the author's version hasn't. They aren't done; what stands in their place leads nowhere.
    public let malformed: Set<Int>

    /// What an increment counts from if null is stored, since that is what its author was shown.
    public let fills: [Int: SyncValue]

    /// How the author's version shows the elements of a list, in stored names: lists from before the horizon are compared so.
    let seen: @Sendable (Place, SyncValue) -> SyncValue
    /// A change in stored names, as the author would write it.
    let handedBack: @Sendable (Change) -> Change

    public init(
        _ commit: Commit,
        original: Commit,
        oldLists: [OldList] = [],
        malformed: Set<Int> = [],
        fills: [Int: SyncValue] = [:],
        seen: @escaping @Sendable (Place, SyncValue) -> SyncValue = { $1 },
        handedBack: @escaping @Sendable (Change) -> Change = { $0 }
    ) {
        (self.commit, self.original, self.oldLists) = (commit, original, oldLists)
        (self.malformed, self.fills) = (malformed, fills)
        (self.seen, self.handedBack) = (seen, handedBack)
    }

    /// What a refusal says: the author's own change, or a part of it.
    ///
    /// - Parameter part: in stored names. Nil for all of it.
    func refused(_ index: Int, _ part: Change?) -> Change {
        if let part, part != commit.changes[index] { return handedBack(part) }
        return original.changes[index]
    }
}

extension SessionLens {
    public func check(_ query: ClassQuery) throws(ConditionError) {}

    /// Nil if the version hasn't the class.
    public func up(_ name: ObjectName) -> ObjectName? {
        up(className: name.className).map { ObjectName($0, name.key) }
    }

    func up(_ held: [HeldObject]) -> [HeldObject] {
        held.compactMap { object in up(object.name).map { HeldObject(name: $0, version: object.version) } }
    }

    /// Nil if it stands in a class that the version hasn't.
    func up(_ position: BootstrapPosition) -> BootstrapPosition? {
        up(position.last).map {
            BootstrapPosition(cursor: position.cursor, queryVersion: position.queryVersion, last: $0)
        }
    }

    /// The queries that are understood.
    func up(_ queries: Queries) -> LensedQueries {
        var all = LensedQueries(queries: Queries(version: queries.version, queries: []))
        var counts: [SyncString: UInt64] = [:]
        for query in queries.queries {
            let index = counts[query.className, default: 0]
            counts[query.className] = index + 1
            do throws(ConditionError) {
                try check(query)
                all.queries.queries.append(try up(query))
            } catch {
                if let stored = up(className: query.className) { all.skipped[stored, default: []].append(index) }
                all.errors.append(
                    QueryError(
                        version: queries.version,
                        className: query.className,
                        index: index,
                        position: error.position,
                        text: error.text
                    )
                )
            }
        }
        return all
    }
}

/// A query set in stored names.
struct LensedQueries: Sendable {
    var queries: Queries
    /// Of those that weren't understood, in the client's names.
    var errors: [QueryError] = []
    /// The places that they had among those of their class, rising.
    var skipped: [SyncString: [UInt64]] = [:]
}
