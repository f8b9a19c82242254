import FreeholdEngine
import FreeholdSyncCore

/// What a user may do with a stream, by a program without a file.
struct StreamAccess: Sendable {
    let stream: StreamName
    let user: SyncString
    /// Nil: everything may be seen.
    let rights: (any SessionRights)?
    /// The app's classes; none if nobody said.
    let tables: [TableSpec]
    let matcher: any ConditionMatcher

    /// - Throws: `ConditionError`
    func sight(_ className: String, _ query: String) throws(ConditionError) -> ObjectSight {
        try ObjectSight(SyncString(className), SyncString(query), matcher, rights)
    }
}

extension ServerNode {
    /// - Returns: nil if the user may not bind the stream, or there is no such app.
    func access(_ user: String, _ app: String, _ value: SyncValue?) -> StreamAccess? {
        guard let known = self.app(SyncString(app)) else { return nil }
        let (name, server) = (SyncString(user), known.serverApp())
        guard server.allows(name, value) else { return nil }
        return StreamAccess(
            stream: StreamName(app: SyncString(app), value: value),
            user: name,
            rights: server.rights?(name, value),
            tables: known.served?.tables ?? [],
            matcher: conditions
        )
    }

    /// The head of a stream. Nil if the store can't be reached.
    func head(of stream: StreamName) async -> StreamHead? {
        guard case .rows(let rows) = await read(ServerStoreRequest(stream, .read(RowQuery()))) else {
            return nil
        }
        return rows.head
    }
}
