/// The commits of other nodes, and of other writers of the store, to a stream (sync-decisions.md, "Several nodes on one store").
///
/// A node has two heads of a stream. The known head is the newest one that the store reported. The published head is the one up to which live
/// sessions have everything. The changes between them are read once, one step at a time, and published like the steps of the node's own groups.
extension ServerMachine {
    // MARK: Heads

    /// Updates the known head with the head of rows.
    /// - Returns: `false` if the store was restored to an earlier state. The node's state of the stream is then discarded.
    @discardableResult
    mutating func learn(_ rows: StoreRows, _ name: StreamName, asked: KnownHead?) -> Bool {
        if let asked, asked.memory == streams[name]?.memory, rows.known != asked.head.hash {
            return goBack(name)
        }
        return learn(rows.head, name, asked: asked)
    }

    /// Updates the known head with a head that the store reported. Heads are compared in the order of their requests.
    /// - Parameter asked: The known head at the time of the request. An older head in the answer shows that the store was restored to an earlier
    ///   state. `nil` if the order of this answer and other answers isn't known.
    /// - Returns: `false` if the store was restored to an earlier state. The node's state of the stream is then discarded.
    @discardableResult
    mutating func learn(_ head: StreamHead, _ name: StreamName, asked: KnownHead?) -> Bool {
        guard let stream = streams[name] else { return true }
        // The request was made before the store was restored.
        if let asked, asked.memory != stream.memory { return true }
        let isInOrder = !configuration.broken.contains(.headsInOrder)
        if let known = isInOrder ? asked?.head : stream.known, !head.continues(known) { return goBack(name) }
        guard head.epoch == stream.known.epoch else { return goBack(name) }
        // A newer head was reported before this answer.
        guard head.version >= stream.known.version else { return true }
        if head.version > stream.known.version {
            streams[name]?.known = head
        } else {
            guard head.hash == stream.known.hash else { return goBack(name) }
            // A trim increases the horizon and the start of the log. In a restored store with the same version, they may be lower.
            let isNewer = head.horizon >= stream.known.horizon && head.logStart >= stream.known.logStart
            let isBack = asked.map { $0.head.cursor == head.cursor && head.horizon < $0.head.horizon } ?? false
            if isNewer || isBack { streams[name]?.known = head }
        }
        guard let known = streams[name]?.known else { return true }
        if stream.head.cursor == known.cursor { streams[name]?.head = known }
        if stream.rows.head != known { streams[name]?.forgetRows(known) }
        follow(name)
        return true
    }

    /// Discards the state of a stream, because the store is older than the node knew or has another history. Sessions end, and their next bind
    /// compares their history with the store's.
    ///
    /// - Returns: `false`
    @discardableResult
    mutating func goBack(_ name: StreamName) -> Bool {
        if configuration.broken.contains(.noticesReturn) { return true }
        guard let stream = streams.removeValue(forKey: name) else { return false }
        purposes = purposes.filter { $0.value.purpose.stream != name }
        for (number, purpose) in works.sorted(by: { $0.key < $1.key }) where purpose.stream == name {
            works[number] = nil
            actions.append(.cancelWork(number))
        }
        for key in sessions.keys.filter({ sessions[$0]?.stream == name }).sorted() {
            // In the store, the number of the file may belong to another file.
            sessions[key]?.incoming = nil
            sessions[key]?.stagedBytes = 0
            end(key, .transient(after: 0), Self.wentBack)
        }
        for item in (stream.group?.items ?? []) + stream.queue {
            guard let number = item.submission else { continue }
            actions.append(.submitted(number, .failed(.transient(after: 1_000), text: Self.wentBack)))
        }
        forgetWriter(name)
        signal(.discarded(name))
        return false
    }

    /// Checks the heads of all streams.
    package func checkHeads() {
        for stream in streams.values {
            assert(stream.known.continues(stream.head), "The published head isn't one that the store had.")
            assert(stream.rows.head.version <= stream.known.version, "Rows are of a version that isn't known.")
            let isPublished = stream.waiting.contains { $0.binding.file.head.version <= stream.head.version }
            assert(!isPublished, "A bind waits for a head that is published.")
        }
    }

    static var wentBack: SyncString { "The store has another history." }

    // MARK: Reading

    /// Requests the head of the stream, to find commits of other nodes.
    mutating func look(_ name: StreamName) {
        guard let stream = streams[name] else { return }
        if stream.sessions.isEmpty, stream.waiting.isEmpty { return request(name, .read(RowQuery()), .head(name)) }
        streams[name]?.isDue = true
        follow(name)
    }

    /// Requests the step after the published head, unless the head is the newest known one, or another step is being read or published.
    mutating func follow(_ name: StreamName) {
        guard let stream = streams[name], !stream.isReading, !stream.isPublishing else { return }
        let isBehind = stream.known.cursor != stream.head.cursor
        guard stream.isDue || isBehind else { return }
        streams[name]?.isDue = false
        if stream.sessions.isEmpty, stream.waiting.isEmpty {
            streams[name]?.head = stream.known
            return
        }
        streams[name]?.isReading = true
        request(name, .step(after: stream.head.cursor, objects: configuration.stepObjects), .follow(name))
    }

    mutating func takeFollowed(_ answer: ServerStoreAnswer, _ name: StreamName, asked: KnownHead?) {
        guard let stream = streams[name], asked?.memory == stream.memory else { return }
        // After a failure, the timer starts the next attempt.
        guard case .step(let found) = answer else {
            streams[name]?.isReading = false
            return
        }
        // The log no longer has the step, or the store was restored to an earlier state.
        guard let step = found else {
            var query = RowQuery()
            query.known = stream.head.version
            return request(name, .read(query), .gap(name, stream.head.cursor))
        }
        if let head = step.head {
            guard learn(head, name, asked: asked) else { return }
        }
        streams[name]?.isReading = false
        take(step, name)
    }

    /// Handles a missing step: ends the live sessions if commits after the published head were removed from the log.
    mutating func takeGap(
        _ answer: ServerStoreAnswer,
        _ name: StreamName,
        behind cursor: Cursor,
        asked: KnownHead?
    ) {
        guard streams[name]?.memory == asked?.memory else { return }
        streams[name]?.isReading = false
        // After a failure, the timer starts the next attempt.
        guard case .rows(let rows) = answer else { return }
        guard rows.known == cursor.hash else {
            goBack(name)
            return
        }
        // While `isReading` is set, `learn` doesn't request a step. So the missing part of the log is handled first.
        streams[name]?.isReading = true
        guard learn(rows.head, name, asked: asked) else { return }
        streams[name]?.isReading = false
        guard let stream = streams[name], rows.head.logStart > stream.head.version, !stream.isPublishing else { return }
        // The log no longer has the changes that the live sessions lack.
        streams[name]?.head = stream.known
        streams[name]?.sums.leaveBehind(stream.head.cursor)
        for key in stream.sessions.keys where sessions[key]?.isLive == true {
            sessions[key]?.cursor = stream.head.cursor
            sessions[key]?.state = .behind
            end(key, .transient(after: 0), "The client is too far behind.")
        }
        finishPublishing(name)
        for key in sessions.restless(in: name) { pump(key) }
    }

    // MARK: Steps

    /// Publishes a committed step of another node that the caller passed, or treats it as a hint.
    mutating func take(given step: StreamStep, _ name: StreamName) {
        guard let head = streams[name]?.head, var known = streams[name]?.known, step.to.version > head.version else {
            return
        }
        guard step.from == head.cursor, streams[name]?.isPublishing == false else { return look(name) }
        if step.to.version > known.version {
            (known.version, known.hash, known.clock) = (step.to.version, step.to.hash, max(known.clock, step.clock))
            known.horizon = max(known.horizon, step.horizon)
            streams[name]?.known = known
            streams[name]?.forgetRows(known)
        }
        take(step, name)
    }

    /// Publishes a step that begins at the published head.
    private mutating func take(_ step: StreamStep, _ name: StreamName) {
        guard let head = streams[name]?.head, let known = streams[name]?.known else { return }
        // A step that doesn't begin at the published head was already published, or is read again.
        guard step.from == head.cursor, step.to != step.from, streams[name]?.isPublishing == false else {
            return follow(name)
        }
        // The store was restored to a version between the two heads, and has another history after that version.
        if step.to.version == known.version, step.to != known.cursor {
            goBack(name)
            return
        }
        if configuration.broken.contains(.readsOnce) { return leaveAllBehind(step, name) }
        streams[name]?.isPublishing = true
        streams[name]?.stepBytes = StreamStep.mostBytes
        guard let views = streams[name]?.sessions.startStep(), let memory = streams[name]?.memory,
            let retired = streams[name]?.sums.retired(at: step.from)
        else { return }
        let work = StepWork(
            step,
            startClock: head.clock,
            views,
            retired: retired,
            partedBytes: configuration.partedBytes
        )
        start(work, of: "", .follow(name, memory: memory))
    }

    /// Publishes a step of other nodes after it was compared with the views of the stream's sessions.
    mutating func publishFollowed(_ work: StepWork, _ name: StreamName, memory: UInt64) {
        // No copy of the stream is kept, so that its tables aren't copied.
        guard streams[name]?.memory == memory, let step = work.contents?.step,
            let head = streams[name]?.head(at: step)
        else { return }
        publish(work, of: step, to: head, in: name)
        finishPublishing(name)
    }

    /// Answers the commits of a step, sends it to live sessions, and moves the published head.
    mutating func publish(_ work: StepWork, of step: StreamStep, to head: StreamHead, in name: StreamName) {
        streams[name]?.isPublishing = false
        streams[name]?.stepBytes = 0
        guard streams[name]?.head.cursor == step.from else { return }
        if !configuration.broken.contains(.answersFirst) { answer(step, name) }
        streams[name]?.head = head
        signal(.published(name, step))
        send(work, of: step, in: name)
        if configuration.broken.contains(.answersFirst) { answer(step, name) }
        resumeWaiting(name)
    }

    /// Reads the next step after the published head has moved.
    private mutating func finishPublishing(_ name: StreamName) {
        resumeWaiting(name)
        if streams[name]?.isUnused == true {
            streams[name] = nil
        } else {
            follow(name)
        }
    }

    /// Begins the sessions that waited for the published head.
    private mutating func resumeWaiting(_ name: StreamName) {
        guard let version = streams[name]?.head.version, let waiting = streams[name]?.waiting, !waiting.isEmpty else {
            return
        }
        streams[name]?.waiting = waiting.filter { $0.binding.file.head.version > version }
        for bind in waiting where bind.binding.file.head.version <= version {
            finish(bind.key, bind.binding, views: bind.views)
        }
    }

    /// Lets each session read the step for itself. Only tests that break the rule ``BrokenRule/readsOnce`` use this.
    private mutating func leaveAllBehind(_ step: StreamStep, _ name: StreamName) {
        guard let stream = streams[name] else { return }
        streams[name]?.head = stream.head(at: step)
        streams[name]?.sums.leaveBehind(step.from)
        for key in stream.sessions.keys {
            if sessions[key]?.isLive == true { leaveBehind(key, at: step.from) }
            pump(key)
        }
        finishPublishing(name)
    }

    // MARK: Answers

    /// Answers the commits of a step whose authors don't have the answers.
    private mutating func answer(_ step: StreamStep, _ name: StreamName) {
        var found: [SessionKey: [StepCommit]] = [:]
        for commit in step.commits {
            guard let key = streams[name]?.sessions[commit.ident] else { continue }
            found[key, default: []].append(commit)
        }
        for key in found.keys.sorted() { answer(found[key] ?? [], key) }
    }

    /// Sends the answers of commits of a session's file, except those that the client has.
    ///
    /// - Returns: false if the session ended, since a copy of the file made the commits.
    @discardableResult
    mutating func answer(_ commits: [StepCommit], _ key: SessionKey) -> Bool {
        guard let session = sessions[key] else { return false }
        let new = commits.filter { $0.ident == session.ident && $0.number > session.acknowledged }
        let areOwn = new.allSatisfy { session.hash(of: $0.number) == $0.stored.hash }
        guard areOwn || configuration.broken.contains(.comparesHashes) else {
            // The next bind finds out what the copies have in common.
            end(key, .transient(after: 0), "The file is used twice.")
            return false
        }
        acknowledge(key, new.map(\.stored))
        return sessions[key] != nil
    }

    // MARK: Commits of this node

    /// Checks that the store has a commit of this node, if a newer head was reported before the commit was confirmed.
    mutating func verify(_ cursor: Cursor, _ name: StreamName) {
        guard let stream = streams[name], stream.known.version > cursor.version else { return }
        streams[name]?.unverified.append(cursor)
        check(cursor, name)
    }

    private mutating func check(_ cursor: Cursor, _ name: StreamName) {
        var query = RowQuery()
        query.known = cursor.version
        request(name, .read(query), .check(name, cursor))
    }

    mutating func takeCheck(_ answer: ServerStoreAnswer, _ name: StreamName, cursor: Cursor, asked: KnownHead?) {
        guard streams[name]?.memory == asked?.memory, case .rows(let rows) = answer else { return }
        guard rows.known == cursor.hash else {
            goBack(name)
            return
        }
        streams[name]?.unverified.removeAll { $0 == cursor }
        learn(rows.head, name, asked: asked)
    }

    /// Repeats the check of a commit of this node after the store failed. Called by the timer.
    mutating func retryCheck(_ name: StreamName) {
        if let cursor = streams[name]?.unverified.first { check(cursor, name) }
    }
}

extension StreamHead {
    /// Returns whether the head can be that of a store which had an earlier head.
    fileprivate func continues(_ known: StreamHead) -> Bool {
        epoch == known.epoch && (version > known.version || version == known.version && hash == known.hash)
    }
}

extension StreamState {
    /// Returns the published head after a step.
    fileprivate func head(at step: StreamStep) -> StreamHead {
        guard step.to != known.cursor else { return known }
        var head = head
        (head.version, head.hash, head.clock) = (step.to.version, step.to.hash, step.clock)
        head.horizon = min(known.horizon, step.to.version)
        return head
    }
}

extension ServerMachine.Purpose {
    /// The stream that needs the answer. Nil if a session needs it, or if the answer isn't needed.
    fileprivate var stream: StreamName? {
        switch self {
        case .rows(let name), .commit(let name), .head(let name), .follow(let name), .gap(let name, _),
            .check(let name, _), .writer(let name), .firstHead(let name), .guest(let name):
            name
        case .bind, .identity, .part, .parts, .kept, .whole, .step, .page, .fetch, .note, .noteFront: nil
        }
    }
}

extension ServerMachine.WorkPurpose {
    /// The stream that the work is for. Nil if it is for a session.
    fileprivate var stream: StreamName? {
        switch self {
        case .group(let name), .publish(let name), .follow(let name, _): name
        case .page, .step, .fetch, .subscribe, .bind: nil
        }
    }
}
