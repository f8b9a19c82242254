/// Rights that change while sessions are bound.
extension ServerMachine {
    /// Applies new rights of users to their sessions. Sessions receive the difference, and those that may not be bound any more end.
    ///
    /// - Complexity: O(sessions, waiting commits, and the sizes of the queries of the users' sessions).
    mutating func followRights(of users: Set<SyncString>?) {
        for key in sessions.keys.sorted() {
            guard let session = sessions[key], let user = connections[key.connection]?.user,
                users?.contains(user) ?? true
            else { continue }
            guard let app = configuration.apps[session.stream.app], app.allows(user, session.stream.value) else {
                end(key, .forbidden, "The user may not use this.")
                continue
            }
            sessions[key]?.rights = app.rights?(user, session.stream.value)
            sessions[key]?.rightsChanges += 1
            follow(key)
        }
        for name in streams.keys {
            guard let count = streams[name]?.queue.count else { continue }
            for index in 0..<count {
                guard let session = streams[name].flatMap({ sessions[$0.queue[index].session] }) else { continue }
                streams[name]?.queue[index].rights = session.rights
            }
        }
    }

    /// Begins a bootstrap if the view of a session has changed.
    private mutating func follow(_ key: SessionKey) {
        guard let session = sessions[key] else { return }
        // Queries that are being compiled are compiled again, for the new rights.
        defer { if let queries = session.subscribing { subscribe(key, queries) } }
        let held: (queries: Queries, view: View)
        switch session.state {
        // The bind is completed with the new rights.
        case .binding: return
        case .bootstrap(let bootstrap) where !bootstrap.isComparison: held = (bootstrap.queries, bootstrap.new)
        case .idle, .live, .behind, .catchingUp, .bootstrap:
            guard let queries = session.queries else { return }
            held = (queries, session.view)
        }
        let view = view(of: held.queries, session)
        guard view.identity != held.view.identity else { return }
        send(key, .notice(key.number, Notice(.viewChanged)))
        // The view takes effect at once, so that objects which the user may no longer see aren't sent while queries are compiled.
        let number = session.subscriptions + 1
        sessions[key]?.subscriptions = number
        subscribe(key, held.queries, views: [view], number: number)
    }
}
