/// Translations for sessions whose app has another version of the schema than the stored one.
extension ServerMachine {
    /// Returns a bind in stored names.
    static func stored(_ bind: Bind, _ session: Session) -> Bind {
        var bind = bind
        bind.view = bind.view.map { $0 ^ session.claim }
        bind.bootstrapView = bind.bootstrapView.map { $0 ^ session.claim }
        guard let lens = session.lens else { return bind }
        bind.held = lens.up(bind.held)
        if let position = bind.bootstrap {
            let known = lens.up(position)
            bind.bootstrap = known ?? position
            // The bootstrap can't continue. The client keeps the objects that it received.
            if known == nil { bind.bootstrapView = nil }
        }
        return bind
    }

    static func stored(_ resume: Resume, _ session: Session) -> Resume {
        guard let lens = session.lens else { return resume }
        var resume = resume
        resume.held = lens.up(resume.held)
        resume.compare = resume.compare.compactMap { lens.up(className: $0) }
        return resume
    }

    /// Subscribes to a query set that contains the client's names.
    mutating func take(_ queries: Queries, _ key: SessionKey) {
        guard let lens = sessions[key]?.lens else { return subscribe(key, queries) }
        guard queries.queries.count <= configuration.conditions else {
            return end(key, .query, "There are too many conditions.")
        }
        guard queries.bytes <= configuration.queryBytes else { return subscribe(key, queries) }
        let lensed = lens.up(queries)
        sessions[key]?.skippedQueries = lensed.skipped
        for error in lensed.errors { sendPlain(key, .queryError(key.number, error)) }
        // A front end's client keeps its queries if one of the new ones is invalid.
        if !lensed.errors.isEmpty, sessions[key]?.isFront == true { return }
        subscribe(key, lensed.queries)
    }

    /// Returns the view of a query set, with the rights and the lens of a session.
    func view(of queries: Queries, _ session: Session) -> View {
        let schema = configuration.apps[session.stream.app]?.schema()
        return View(queries, matcher, session.rights, session.lens, in: schema, showsStates: session.isFront)
    }

    /// Returns the work that makes the views of query sets, with the present rights of a session.
    func views(of queries: [Queries], _ session: Session) -> ViewsWork {
        Self.views(of: queries, session, matcher, in: configuration.apps[session.stream.app]?.schema())
    }

    private static func views(
        of queries: [Queries],
        _ session: Session,
        _ matcher: some ConditionMatcher,
        in schema: ConditionSchema?
    ) -> ViewsWork {
        ViewsWork(queries) { [rights = session.rights, lens = session.lens, showsStates = session.isFront] in
            View($0, matcher, rights, lens, in: schema, showsStates: showsStates)
        }
    }

    /// Sends errors for conditions that can't be evaluated for an object that has changed or is to be sent. Each condition is reported once.
    mutating func report(_ failures: [QueryPlace: ConditionError], to key: SessionKey) {
        guard !failures.isEmpty, let session = sessions[key] else { return }
        var queries = session.queries
        if case .bootstrap(let bootstrap) = session.state, !bootstrap.isComparison { queries = bootstrap.queries }
        guard let queries else { return }
        var known = session.knownFailures(of: queries.version)
        var errors: [QueryError] = []
        for (place, error) in failures where known.insert(place).inserted {
            errors.append(
                QueryError(
                    version: queries.version,
                    className: place.className,
                    index: place.index,
                    position: error.position,
                    text: error.text
                )
            )
        }
        sessions[key]?.failed = (queries.version, known)
        send(errors.sorted { ($0.className, $0.index) < ($1.className, $1.index) }, to: key)
    }

    /// Sends the errors of stored queries, with the client's names and indices.
    mutating func send(_ errors: [QueryError], to key: SessionKey) {
        guard let session = sessions[key] else { return }
        for var error in errors {
            // The client's indices include the queries that the lens couldn't translate.
            for skipped in session.skippedQueries[error.className] ?? [] where skipped <= error.index {
                error.index += 1
            }
            sendPlain(key, .queryError(key.number, session.lens?.down(error) ?? error))
        }
    }

    /// Fetches objects that a client requests by its own names. The client is informed at once that objects of unknown classes don't exist.
    mutating func take(_ names: [ObjectName], _ key: SessionKey) {
        guard let lens = sessions[key]?.lens else { return fetch(key, names) }
        let stored = names.compactMap { lens.up($0) }
        if stored.count < names.count, let session = sessions[key], let told = session.told,
            let stream = streams[session.stream]
        {
            let unknown = Set(names.filter { lens.up($0) == nil })
            let batches = [ClassBatch](unknown.map { ($0.className, ObjectUpdate($0.key, .erased)) })
            sendPlain(
                key,
                .changes(key.number, Changes(from: told, to: told, clock: stream.head.clock, classes: batches))
            )
        }
        if !stored.isEmpty { fetch(key, stored) }
    }

    /// Returns a message in the names and the view numbers of the session's client. Returns `nil` if the message contains nothing for the client.
    static func shown(_ message: ServerMessage, _ session: Session) -> ServerMessage? {
        let message = session.claim == 0 ? message : message.claimed(session.claim)
        guard let lens = session.lens else { return message }
        if session.isFront, case .bootstrapChunk(let number, var chunk) = message {
            chunk.classes = lens.downWithStates(chunk.classes)
            return .bootstrapChunk(number, chunk)
        }
        return lens.down(message)
    }

    /// Returns the number of an app's sessions, by the `schemaVersion` of their files.
    ///
    /// - Complexity: O(sessions)
    public func sessions(of app: SyncString) -> [UInt64: Int] {
        var counts: [UInt64: Int] = [:]
        for session in sessions.values where session.stream.app == app {
            counts[session.bind.schema.version, default: 0] += 1
        }
        return counts
    }

    /// Ends the sessions of an app after the versions of its schema have changed. They bind again, and continue at their cursors.
    mutating func followSchema(of app: SyncString) {
        for key in sessions.keys.sorted() where sessions[key]?.stream.app == app {
            end(key, .transient(after: 0), "The app's schema changed.")
        }
    }
}

extension Session {
    /// Returns a number of a client's schema. The numbers of the client's views are combined with it. A client that returns with another schema
    /// lacks data for which the earlier schema had no properties, although its view is the same.
    static func number(of claim: SchemaClaim) -> UInt64 {
        let low = UInt32(truncatingIfNeeded: claim.hash.low ^ claim.hash.high)
        return claim.hash == .empty ? 0 : UInt64(max(low, 1))
    }
}

extension ServerMessage {
    fileprivate func claimed(_ claim: UInt64) -> ServerMessage {
        switch self {
        case .bootstrapBegin(let session, var begin):
            begin.view ^= claim
            return .bootstrapBegin(session, begin)
        case .bootstrapEnd(let session, var end):
            end.checksums.view ^= claim
            return .bootstrapEnd(session, end)
        case .changes(let session, var changes):
            changes.checksums?.view ^= claim
            return .changes(session, changes)
        case .bound(let session, var bound):
            guard case .resume(var sums?) = bound.start else { return self }
            sums.view ^= claim
            bound.start = .resume(sums)
            return .bound(session, bound)
        default: return self
        }
    }
}
