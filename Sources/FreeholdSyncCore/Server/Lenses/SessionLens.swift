/// The translation between the stored objects and the apps of one version of a schema (sync-design.md, section 11).
///
/// Rows, merges, rights and views only use stored names, which never change. A lens translates at the edge of a
/// session: messages from the client with `up`, messages to the client with `down`. The owner of an app's schema
/// versions supplies the lens. A lens must always give the same results.
///
/// Commits are translated separately. A commit names the version under which it was written, which may be older than
/// the session's version. A refused change is returned in the form in which its author wrote it. Parts of a commit may
/// wait in the store.
public protocol SessionLens: Sendable {
    /// The identity of the lens. Lenses with equal identities give equal results in all processes, so that their
    /// sessions share views and messages.
    var identity: RunningHash { get }

    /// A number for the differences between stored and shown objects. 0 if there are none. A client that returns with
    /// another number, or with another schema of its own, receives all of its objects again. A change that only adds to
    /// the version must therefore keep the number.
    var shown: UInt32 { get }

    /// A number for the translation of conditions, except for renamed names. 0 if there is none. Queries are stored in
    /// their translated form. If a new schema version changes the number, a returning client has to send its queries
    /// again, and compares its objects by keys.
    var conditions: UInt32 { get }

    /// Returns the stored name of a class. Returns `nil` if the version doesn't have the class.
    func up(className: SyncString) -> SyncString?

    /// Checks a query against the classes of the version.
    ///
    /// - Throws: `ConditionError`, with a position in the client's text.
    func check(_ query: ClassQuery) throws(ConditionError)

    /// Translates a query into stored names.
    ///
    /// - Throws: `ConditionError` for a query that names a class or property that the version doesn't have. Its
    ///   position is in the client's text.
    func up(_ query: ClassQuery) throws(ConditionError) -> ClassQuery

    /// Translates a commit into stored names.
    ///
    /// - Parameter oldLists: The lists that the commit's author saw, if the commit is from before the horizon.
    func up(_ commit: Commit, _ oldLists: [OldList]) -> LensedCommit

    /// Translates batches for the client. Classes and fields are sorted by their translated names. Classes and fields
    /// that the version doesn't have are left out.
    func down(_ batches: [ClassBatch]) -> [ClassBatch]

    /// Translates a message for the client. Refused changes aren't translated, because they are already in the form of
    /// their author.
    ///
    /// - Returns: `nil` if the message contains nothing for the version.
    func down(_ message: ServerMessage) -> ServerMessage?

    /// Translates the error of a query in stored names.
    func down(_ error: QueryError) -> QueryError
}

/// A commit in stored names, together with the original commit of its author.
public struct LensedCommit: Sendable {
    /// The commit in stored names. It has one change for each change of the author.
    public let commit: Commit
    public let oldLists: [OldList]
    public let original: Commit

    /// The indices of changes that name classes or properties that the author's version doesn't have. These changes
    /// aren't applied. The changes in their place name nothing that exists.
    public let malformed: Set<Int>

    /// For increments of a stored null, the value that the author was shown instead of null.
    public let fills: [Int: SyncValue]

    /// Returns the form in which the author's version shows an element of a list, in stored names. Lists from before
    /// the horizon are compared in this form.
    let seen: @Sendable (Place, SyncValue) -> SyncValue
    /// Returns a change in stored names in the form in which the author would write it.
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

    /// Returns the commit under another number: see `Commit.renumbered(to:)`.
    func renumbered(to number: UInt64) -> LensedCommit {
        LensedCommit(
            commit.renumbered(to: number),
            original: original.renumbered(to: number),
            oldLists: oldLists,
            malformed: malformed,
            fills: fills,
            seen: seen,
            handedBack: handedBack
        )
    }

    /// Returns the change for a refusal: the author's own change, or a part of it.
    ///
    /// - Parameter part: The refused part in stored names. `nil` for the whole change.
    func refused(_ index: Int, _ part: Change?) -> Change {
        if let part, part != commit.changes[index] { return handedBack(part) }
        return original.changes[index]
    }
}

extension SessionLens {
    public func check(_ query: ClassQuery) throws(ConditionError) {}

    /// Returns the stored name of an object, or `nil` if the version doesn't have the class.
    public func up(_ name: ObjectName) -> ObjectName? {
        up(className: name.className).map { ObjectName($0, name.key) }
    }

    func up(_ held: [HeldObject]) -> [HeldObject] {
        held.compactMap { object in up(object.name).map { HeldObject(name: $0, version: object.version) } }
    }

    /// Returns the position in stored names, or `nil` if the version doesn't have its class.
    func up(_ position: BootstrapPosition) -> BootstrapPosition? {
        up(position.last).map {
            BootstrapPosition(cursor: position.cursor, queryVersion: position.queryVersion, last: $0)
        }
    }

    /// Returns the queries that can be translated, and the errors of the others.
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
    /// The errors of the queries that couldn't be translated, in the client's names.
    var errors: [QueryError] = []
    /// The indices of these queries among those of their class, in rising order.
    var skipped: [SyncString: [UInt64]] = [:]
}
