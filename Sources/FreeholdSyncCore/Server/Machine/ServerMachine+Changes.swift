/// Downloads: changes as they are committed, and changes that a session lacks.
extension ServerMachine {
    /// Returns the position of a session in its stream. A live session is at the published head, so that a step doesn't have to update the
    /// sessions that it doesn't concern.
    func cursor(of session: Session) -> Cursor? {
        session.isLive ? streams[session.stream]?.head.cursor : session.cursor
    }

    /// Sends a step that was compared with views to the live sessions. Sessions with equal views receive equal batches, which are made once.
    mutating func send(_ work: StepWork, of step: StreamStep, in name: StreamName) {
        streams[name]?.sums.take(step, work.members)
        var concerned: Set<ViewIdentity> = []
        for change in work.views where !change.isRetired {
            let view = change.view
            concerned.insert(view.identity)
            var sending = StepBatches(change, from: step.from, configuration)
            if let clock = work.startClock, change.parts != nil { sending.prepared = (step.from, clock) }
            for key in streams[name]?.sessions.views.sessions(of: view.identity) ?? [] {
                guard sessions[key]?.isLive == true else { continue }
                report(change.failures, to: key)
                guard let session = sessions[key], session.isLive else { continue }
                if isOpen(session) { send(key, step, in: &sending) } else { leaveBehind(key, at: step.from) }
            }
        }
        leaveNewBehind(besides: concerned, at: step.from, name)
        for key in sessions.restless(in: name) {
            guard let session = sessions[key], session.isLive else {
                pump(key)
                continue
            }
            if isOpen(session) { progress(key) } else { leaveBehind(key, at: step.to) }
        }
        // Sessions that no change concerns receive a progress message every 1,000 versions.
        let stride: StreamVersion = 1_000
        guard step.from.version / stride != step.to.version / stride else { return }
        for key in streams[name]?.sessions.keys ?? [] where sessions[key].map({ isOpen($0) }) == true {
            progress(key)
        }
    }

    /// Lets live sessions read the step from the store if the step wasn't compared with their views, which are new.
    private mutating func leaveNewBehind(besides concerned: Set<ViewIdentity>, at cursor: Cursor, _ name: StreamName) {
        for view in streams[name]?.sessions.views.added.subtracting(concerned) ?? [] {
            for key in streams[name]?.sessions.views.sessions(of: view) ?? [] where sessions[key]?.isLive == true {
                leaveBehind(key, at: cursor)
            }
        }
    }

    /// Marks a session as one that lacks changes, because the changes after a cursor can't be sent to it now.
    mutating func leaveBehind(_ key: SessionKey, at cursor: Cursor) {
        if let user = sessions[key]?.user, !isWithinShare(user) { stalled.insert(user) }
        sessions[key]?.cursor = cursor
        sessions[key]?.state = .behind
    }

    private mutating func send(_ key: SessionKey, _ step: StreamStep, in sending: inout StepBatches) {
        guard let session = sessions[key], var told = session.told else { return }
        if !session.isLive { sessions[key]?.cursor = step.to }
        sessions[key]?.noteSent(sending.batches)
        if !sending.batches.isEmpty {
            // The bytes of a large message were made for sessions that know the start of the step. Others receive that position first.
            if session.isLive, takesParts(key), let (cursor, clock) = sending.prepared, cursor != told {
                let changes = Changes(from: told, to: cursor, clock: clock, classes: [])
                sendPlain(key, .changes(key.number, changes))
                told = cursor
            }
            if takesParts(key), let (message, bytes) = sending.parts(from: told, step) {
                let parts = OutgoingParts(message, bytes, known: session.partial)
                enqueue(.parts(parts, isAck: false), key)
            } else {
                for changes in sending.messages(from: told, step) { sendPlain(key, .changes(key.number, changes)) }
            }
            sessions[key]?.told = step.to
        }
        progress(key)
    }

    /// Sends a client its position, if the client waits for it and is up to date. Sends the marks that the client has reached.
    mutating func progress(_ key: SessionKey) {
        // A client that has requested another view waits for the bootstrap of that view.
        guard let session = sessions[key], let stream = streams[session.stream], case .live = session.state,
            session.subscribing == nil, let cursor = cursor(of: session), var told = session.told
        else { return }
        let isAwaited = session.awaited > told.version || session.marks.contains { $0.version > told.version }
        if told != cursor, isAwaited || cursor.version > told.version + 1_000 {
            let changes = Changes(from: told, to: cursor, clock: stream.head.clock, classes: [])
            send(key, .changes(key.number, changes))
            told = cursor
            sessions[key]?.told = told
        }
        let reached = session.marks.filter { $0.version <= told.version }
        sessions[key]?.marks.removeAll { $0.version <= told.version }
        for mark in reached { send(key, .marked(key.number, mark.number, mark.version)) }
    }

    /// Sends the checksums of its view to a client that returned, if they are known.
    private mutating func check(_ key: SessionKey) {
        guard let session = sessions[key], session.isUnchecked, let stream = streams[session.stream],
            let told = session.told, let cursor = cursor(of: session),
            let sums = stream.sums.sums(of: session.view.identity, at: cursor, head: stream.head.cursor)
        else { return }
        var changes = Changes(from: told, to: cursor, clock: stream.head.clock, classes: [])
        changes.checksums = sums
        sessions[key]?.isUnchecked = false
        sessions[key]?.told = cursor
        send(key, .changes(key.number, changes))
    }

    /// Requests the data that a session lacks from the store, if messages may be sent to the session.
    mutating func pump(_ key: SessionKey) {
        if let user = sessions[key]?.user, !isWithinShare(user) { stalled.insert(user) }
        askFetched(key)
        guard let session = sessions[key], isOpen(session), let head = streams[session.stream]?.head else { return }
        switch session.state {
        case .behind:
            guard let cursor = session.cursor, !session.isHeldByFetch else { return }
            if cursor == head.cursor {
                sessions[key]?.state = .live
                if let views = streams[session.stream]?.sessions.views {
                    streams[session.stream]?.sums.catchUp(cursor, views)
                }
                check(key)
                return progress(key)
            }
            // The cursor belongs to another history. The next read of the head detects that.
            guard cursor.version < head.version else { return look(session.stream) }
            sessions[key]?.state = .catchingUp
            // If the client has the beginning of a message in parts, a step up to the same version makes the same message again.
            let part = session.partial?.message.number ?? 0
            let end = part > cursor.version && takesParts(key) ? min(part, head.version) : head.version
            request(
                session.stream,
                .step(after: cursor, objects: configuration.stepObjects, through: end),
                .step(key, cursor),
                of: session.user
            )
        case .bootstrap: askPage(key)
        default: break
        }
    }

    mutating func takeStep(
        _ answer: ServerStoreAnswer,
        _ key: SessionKey,
        _ cursor: Cursor,
        asked: KnownHead?
    ) {
        guard let session = sessions[key], case .catchingUp = session.state, session.cursor == cursor else { return }
        guard case .step(let answer) = answer else {
            return end(key, .transient(after: 1_000), "The store can't be reached.")
        }
        guard let step = answer else {
            // The next bind finds out whether the log was cut or the store was replaced.
            end(key, .transient(after: 0), "The client is too far behind.")
            return look(session.stream)
        }
        if let head = step.head {
            guard learn(head, session.stream, asked: asked) else { return }
        }
        if let head = streams[session.stream]?.head, step.to.version >= head.version, step.to != head.cursor {
            // The store was restored to a version between the two, and has another history after that version.
            goBack(session.stream)
            return
        }
        guard step.to != step.from else {
            // The store doesn't have the versions that the node knows. The next read of the head finds the cause.
            sessions[key]?.state = .behind
            return look(session.stream)
        }
        // Another node may have accepted a commit of the file since the session was bound, or the answer was lost.
        if !configuration.broken.contains(.answersFirst) {
            guard self.answer(step.commits, key) else { return }
        }
        let work = StepWork(
            step,
            session.view,
            told: session.told ?? step.from,
            partedBytes: configuration.partedBytes
        )
        start(work, of: session.user, .step(key, cursor))
    }

    /// Sends a step to a session that lacks changes, after the step was compared with the session's view.
    mutating func takeStep(_ work: StepWork, _ key: SessionKey, at cursor: Cursor) {
        guard let session = sessions[key], case .catchingUp = session.state, session.cursor == cursor,
            let change = work.views.first, let step = work.contents?.step
        else { return }
        // If the session's view, or the position that its client knows, has changed since the request, another request is running.
        guard change.view.identity == session.view.identity, work.told == session.told ?? step.from else { return }
        sessions[key]?.state = .behind
        streams[session.stream]?.takeLate(step, change)
        report(change.failures, to: key)
        var sending = StepBatches(change, from: session.told ?? step.from, configuration)
        send(key, step, in: &sending)
        if configuration.broken.contains(.answersFirst) { answer(step.commits, key) }
        pump(key)
    }

    // MARK: Single objects

    mutating func fetch(_ key: SessionKey, _ names: [ObjectName]) {
        guard let session = sessions[key], session.told != nil, !names.isEmpty else { return }
        guard session.fetches.names + names.count <= configuration.fetchedObjects else {
            return end(key, .tooLarge(limit: UInt64(configuration.fetchedObjects)), "Too many objects are asked for.")
        }
        // A message can contain many names, so that a client doesn't need many requests at once.
        guard session.fetches.count < 1_000 else {
            return end(key, .violation, "There are too many requests for objects.")
        }
        sessions[key]?.fetches.append(names)
        askFetched(key)
    }

    /// Requests the next page of the objects that a client asked for, if messages may be sent to the session.
    private mutating func askFetched(_ key: SessionKey) {
        if let session = sessions[key], !session.fetches.isEmpty, !isWithinShare(session.user) {
            stalled.insert(session.user)
        }
        guard let session = sessions[key], !session.isFetching, isOpen(session), let told = session.told,
            let names = session.fetches.first, let first = names.first
        else { return }
        var at = cursor(of: session) ?? told
        if session.fetchesLate {
            // The requested step will move the session's cursor.
            if case .catchingUp = session.state { return }
            if session.isLive { leaveBehind(key, at: at) }
        }
        if case .bootstrap(let bootstrap) = session.state { at = bootstrap.cursor }
        let asked = Array(names.prefix(configuration.chunkObjects).prefix { $0.className == first.className })
        sessions[key]?.isFetching = true
        let kind = ServerStoreRequest.Kind.keys(asked.map(\.key), class: first.className, at: at.version)
        request(session.stream, kind, .fetch(key, asked, at), of: session.user)
    }

    mutating func takeFetched(_ answer: ServerStoreAnswer, _ key: SessionKey, _ names: [ObjectName], _ at: Cursor) {
        guard let session = sessions[key], session.isFetching, session.fetches.first?.starts(with: names) == true
        else { return }
        guard case .page(let page?) = answer else {
            sessions[key]?.isFetching = false
            return end(key, .transient(after: 1_000), "The objects can't be read.")
        }
        var (view, current) = (session.view, cursor(of: session))
        if case .bootstrap(let bootstrap) = session.state { (view, current) = (bootstrap.new, bootstrap.cursor) }
        // The session's position has changed since the request, so the objects may be old.
        guard current == at else {
            sessions[key]?.isFetching = false
            sessions[key]?.fetchesLate = true
            return askFetched(key)
        }
        let found = Dictionary(page.objects.map { ($0.name, $0.object) }) { first, _ in first }
        let done = Array(names.prefix { name in page.through.map { name.key <= $0 } ?? true })
        start(FetchWork(view, done, found), of: session.user, .fetch(key, done, at))
    }

    /// Sends requested objects after they were compared with the view.
    mutating func takeFetched(_ work: FetchWork, _ key: SessionKey, of names: [ObjectName], at: Cursor) {
        guard let session = sessions[key], let told = session.told, let clock = streams[session.stream]?.head.clock,
            session.isFetching, session.fetches.first?.starts(with: names) == true
        else { return }
        sessions[key]?.isFetching = false
        var (view, current) = (session.view, cursor(of: session))
        if case .bootstrap(let bootstrap) = session.state { (view, current) = (bootstrap.new, bootstrap.cursor) }
        // The session's position or view has changed since the request.
        guard current == at, view.identity == work.view.identity else {
            sessions[key]?.fetchesLate = true
            return askFetched(key)
        }
        sessions[key]?.fetchesLate = false
        sessions[key]?.fetches.removeFirst(names.count)
        let batches = [ClassBatch](work.updates)
        sessions[key]?.noteSent(batches)
        // Each message can be applied alone, because it only replaces objects at the client's position.
        for piece in batches.split(bytes: configuration.chunkBytes) {
            let changes = Changes(from: told, to: told, clock: clock, classes: piece)
            send(key, .changes(key.number, changes))
        }
        pump(key)
    }
}

extension StreamState {
    fileprivate mutating func takeLate(_ step: StreamStep, _ change: ViewStep) {
        sums.takeLate(step, of: change.view.identity, change.members, head: head.cursor, views: sessions.views)
    }

    /// Replaces the view of a session.
    mutating func move(_ key: SessionKey, from old: ViewIdentity, to new: ViewSums) {
        if sessions.move(key, from: old, to: new.view) { sums.retire(old, head: head.cursor) }
        sums.put(new, head: head.cursor, sessions.views)
    }
}

/// The messages of a step for sessions with one view. They are made once for all of these sessions.
private struct StepBatches {
    /// The changes in stored names.
    let batches: [ClassBatch]
    private let lens: (any SessionLens)?
    private let showsStates: Bool
    private let chunkBytes: UInt64
    private let partedBytes: UInt64
    private var pieces: [[ClassBatch]]?
    private var isLarge: Bool?
    /// The messages in parts, by the position that sessions know.
    private var parted: [Cursor: (PartedMessage, [UInt8])] = [:]
    /// The position for which work beside the machine has made the bytes, and the greatest clock up to that position.
    var prepared: (cursor: Cursor, clock: Clock)?

    /// - Parameter told: The position for which the bytes have already been encoded.
    init(_ change: ViewStep, from told: Cursor, _ configuration: ServerConfiguration) {
        (batches, lens, chunkBytes) = (change.batches, change.view.lens, configuration.chunkBytes)
        (partedBytes, showsStates) = (configuration.partedBytes, change.view.showsStates)
        if let (message, bytes) = change.parts {
            isLarge = true
            parted[told] = (message, bytes)
        }
    }

    /// Returns the messages for clients that don't accept parts.
    mutating func messages(from told: Cursor, _ step: StreamStep) -> [Changes] {
        let pieces =
            pieces
            ?? batches.split(bytes: chunkBytes).map { piece in
                guard let lens else { return piece }
                return showsStates ? lens.downWithStates(piece) : lens.down(piece)
            }
        self.pieces = pieces
        return pieces.enumerated().map { index, piece in
            let continues = index + 1 < pieces.count
            return Changes(from: told, to: step.to, clock: step.clock, classes: piece, continues: continues)
        }
    }

    /// Returns the bytes of one message for all changes. Returns `nil` if they are small enough to be sent whole.
    mutating func parts(from told: Cursor, _ step: StreamStep) -> (PartedMessage, [UInt8])? {
        let isLarge = isLarge ?? (batches.estimatedSize > partedBytes)
        self.isLarge = isLarge
        guard isLarge else { return nil }
        if let known = parted[told] { return known }
        guard let parts = batches.parts(of: step, from: told, lens) else { return nil }
        parted[told] = parts
        return parts
    }
}

extension [ClassBatch] {
    /// Returns the contents of messages with about `bytes` bytes each. An object isn't split.
    func split(bytes: UInt64) -> [[ClassBatch]] {
        var pieces: [[ClassBatch]] = [[]]
        var size: UInt64 = 0
        for batch in self {
            for object in batch.objects {
                let own = object.estimatedSize
                if size > 0, size + own > bytes {
                    pieces.append([])
                    size = 0
                }
                size += own
                let last = pieces.count - 1
                if pieces[last].last?.className == batch.className {
                    pieces[last][pieces[last].count - 1].objects.append(object)
                } else {
                    pieces[last].append(ClassBatch(className: batch.className, objects: [object]))
                }
            }
        }
        return pieces
    }
}
