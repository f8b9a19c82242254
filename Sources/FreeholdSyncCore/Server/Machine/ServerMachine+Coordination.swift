/// The parts of the machine that a node needs to share the merges of streams with other nodes. A machine that isn't coordinated merges
/// everything itself.
extension ServerMachine {
    /// Returns and removes the signals for the coordination of nodes since the last call, in order. Only a machine with
    /// `ServerConfiguration.isCoordinated` has any.
    ///
    /// - Complexity: O(1)
    public mutating func takeSignals() -> [StreamSignal] {
        defer { signals = [] }
        return signals
    }

    /// The names of the streams of which the machine has a state, in no order.
    public var knownStreams: some Sequence<StreamName> { streams.keys }

    /// Returns the head up to which the sessions of the node have everything. Returns `nil` if the machine has no state of the stream.
    ///
    /// - Complexity: O(1)
    public func publishedHead(of name: StreamName) -> StreamHead? { streams[name]?.head }

    /// Returns the commits of the node's sessions that aren't answered and that don't belong to a group, in order.
    ///
    /// - Complexity: O(commits in the queue)
    public func forwards(of name: StreamName) -> [ForwardedCommit] {
        streams[name]?.queue.compactMap { $0.origin == nil && $0.submission == nil ? ForwardedCommit($0) : nil } ?? []
    }

    /// Returns whether commits of the stream wait or are being merged.
    ///
    /// - Complexity: O(1)
    public func hasCommits(_ name: StreamName) -> Bool {
        guard let stream = streams[name] else { return writers[name]?.waiting.isEmpty == false }
        return stream.group != nil || !stream.queue.isEmpty || writers[name]?.waiting.isEmpty == false
    }

    /// Returns whether the stream has sessions, or binds that wait.
    ///
    /// - Complexity: O(1)
    public func hasSessions(_ name: StreamName) -> Bool {
        streams[name].map { !$0.sessions.isEmpty || !$0.waiting.isEmpty } ?? false
    }

    /// Returns whether the machine merges the commits of a stream.
    package func merges(_ name: StreamName) -> Bool { role(of: name) == .merging }

    func role(of name: StreamName) -> StreamRole {
        roles[name] ?? (configuration.isCoordinated ? .forwarding : .merging)
    }

    mutating func signal(_ signal: StreamSignal) {
        if configuration.isCoordinated { signals.append(signal) }
    }

    mutating func take(_ command: StreamCommand) {
        switch command {
        case .role(let name, let role): take(role, name)
        case .forwarded(let name, let origin, let commits):
            guard streams[name] != nil else { return signal(.discarded(name)) }
            for commit in commits { enqueue(forwarded: commit, origin, name) }
        case .returnForwards(let name): removeForwards(name)
        case .forwardFailed(let name, let commit, let fault, let text):
            guard let item = waitingCommit(commit, name) else { return }
            end(currentSession(of: item, name), fault, text)
        case .forwardDone(let name, let commit, let version):
            // The answer is in a step that the node reads. If the node has published it already, the session missed it.
            guard let item = waitingCommit(commit, name), let head = streams[name]?.head, head.version >= version else {
                return look(name)
            }
            end(currentSession(of: item, name), .transient(after: 0), "The answer to a commit is missing.")
        }
    }

    private func waitingCommit(_ commit: PartName, _ name: StreamName) -> QueuedCommit? {
        streams[name]?.queue.first { $0.ident == commit.ident && $0.commit.number == commit.commit && $0.origin == nil }
    }

    private mutating func take(_ role: StreamRole, _ name: StreamName) {
        // The read of the first head may have failed, so a repeated command reads it again.
        guard self.role(of: name) != role || role == .merging && streams[name] == nil else { return }
        roles[name] = role == .merging ? role : nil
        streams[name]?.isKept = role == .merging
        switch role {
        case .merging:
            if streams[name] == nil { request(name, .read(RowQuery()), .firstHead(name)) } else { startGroup(name) }
        case .forwarding:
            failSubmissions(name)
            removeForwards(name)
            // The clients of sessions that have ended have the commits in their journals.
            let ended = streams[name]?.queue.filter { sessions[$0.session] == nil } ?? []
            if !ended.isEmpty {
                streams[name]?.queue.removeAll { item in
                    ended.contains { $0.ident == item.ident && $0.session == item.session }
                }
                recountQueue(name)
            }
            if let group = streams[name]?.group, group.retryAt != nil { requeue(name) }
            if streams[name]?.isUnused == true { streams[name] = nil }
        }
    }

    private mutating func enqueue(forwarded: ForwardedCommit, _ origin: ForwardOrigin, _ name: StreamName) {
        var item = QueuedCommit(
            session: SessionKey(connection: 0, number: SessionNumber(rawValue: 0)),
            submission: nil,
            ident: forwarded.ident,
            secret: forwarded.secret,
            user: forwarded.user,
            rights: configuration.apps[name.app]?.rights?(forwarded.user, name.value),
            commit: forwarded.commit,
            lensed: forwarded.lensed,
            hash: forwarded.hash,
            previous: forwarded.previous,
            wasSplit: forwarded.wasSplit,
            oldLists: forwarded.oldLists
        )
        (item.front, item.origin) = (forwarded.front, origin)
        enqueue(item, name)
    }

    private mutating func removeForwards(_ name: StreamName) {
        guard streams[name]?.queue.contains(where: { $0.origin != nil }) == true else { return }
        streams[name]?.queue.removeAll { $0.origin != nil }
        recountQueue(name)
    }

    private mutating func recountQueue(_ name: StreamName) {
        let changes = streams[name]?.queue.reduce(0) { $0 + max($1.commit.changes.count, 1) } ?? 0
        streams[name]?.queuedChanges = changes
        streams[name]?.separate = 0
    }

    /// Fails the submissions of a stream in which the node doesn't merge any more. Their numbers are given at the merge, so another node
    /// can't find out whether a commit whose result isn't known has one of them.
    private mutating func failSubmissions(_ name: StreamName) {
        for item in streams[name]?.queue ?? [] where item.submission != nil {
            fail(item, .transient(after: 1_000), "Another node merges now.", name)
        }
        streams[name]?.queue.removeAll { $0.submission != nil }
        recountQueue(name)
        failWaiting(name)
    }

    /// Puts the commits of a group back into the queue, because the node doesn't merge any more and the group wasn't written, as far as the
    /// node knows. If it was written, the log has the answers.
    mutating func requeue(_ name: StreamName) {
        guard let group = streams[name]?.group else { return }
        streams[name]?.group = nil
        for item in group.items where item.submission != nil {
            fail(item, .transient(after: 1_000), "Another node merges now.", name)
        }
        let own = group.items.filter { item in
            guard item.submission == nil, item.origin == nil, let session = sessions[item.session] else { return false }
            return item.commit.number > session.acknowledged
        }
        streams[name]?.queue.insert(contentsOf: own, at: 0)
        recountQueue(name)
        if let known = streams[name]?.known { streams[name]?.forgetRows(known) }
        if !own.isEmpty { signal(.commitsWait(name)) }
        if streams[name]?.isUnused == true { streams[name] = nil }
    }

    /// Removes the waiting commits of a file whose answers the node has read in the log, and returns their credit to the client.
    mutating func removeAnswered(_ key: SessionKey, through number: UInt64) {
        guard let session = sessions[key], role(of: session.stream) == .forwarding,
            let queue = streams[session.stream]?.queue, !queue.isEmpty
        else { return }
        let isDone = { (item: QueuedCommit) in
            item.ident == session.ident && item.submission == nil && item.commit.number <= number
        }
        let done = queue.filter(isDone)
        guard !done.isEmpty else { return }
        streams[session.stream]?.queue.removeAll(where: isDone)
        recountQueue(session.stream)
        for item in done { release(currentSession(of: item, session.stream), item.sent, wasSplit: item.wasSplit) }
    }

    /// Removes the waiting commits of a session that ended at a node that forwards. The client has them in its journal.
    mutating func removeWaiting(_ session: Session) {
        guard role(of: session.stream) == .forwarding, streams[session.stream]?.queue.isEmpty == false else { return }
        streams[session.stream]?.queue.removeAll { $0.session == session.key && $0.submission == nil }
        recountQueue(session.stream)
    }
}
