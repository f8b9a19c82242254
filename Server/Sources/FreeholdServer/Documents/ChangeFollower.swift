import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules
import Synchronization

/// The delivery of a stream's changes to one client. The client receives the changes that its user may see. Rights are evaluated again for each
/// commit.
///
/// Heads and steps are read once for all followers of a stream (`FollowedStream`). Position, rights and condition are the follower's own.
actor ChangeFollower {
    private let node: ServerNode
    private let access: StreamAccess
    private let identity: Identity
    private let seat: ChangeSeat
    private let className: String?
    private let query: String
    private let tokens: EventTokens
    private let isCanonical: Bool
    private var cursor = Cursor(epoch: 0, version: 0, hash: .empty)
    private var token: ResumeToken?
    private var waiting: [String] = []
    /// The number of texts at the beginning of ``waiting`` that were sent.
    private var sent = 0
    /// The time at which a comment is sent to the client, unless events are sent before.
    private var quietUntil: Int64?
    private var hasGreeted = false
    /// A Boolean value that indicates whether the condition can't be evaluated for an object, which ends the stream.
    private var hasFailed = false
    /// Counts the texts that wait.
    private let memory: MemoryAccount?
    private let followed: FollowedStream

    /// The milliseconds after which a waiting follower checks its rights and its token.
    private static let lookInterval: Int64 = 1_000
    /// The number of milliseconds without events after which a comment is sent.
    private static let quietTime: Int64 = 15_000

    init(
        _ node: ServerNode,
        _ access: StreamAccess,
        _ identity: Identity,
        className: String?,
        query: String,
        _ tokens: EventTokens,
        _ request: DocumentRequest
    ) {
        (self.node, self.access, self.identity, self.tokens) = (node, access, identity, tokens)
        seat = node.seats.take(identity)
        followed = node.followed.enter(access.stream, node)
        memory = request.memory
        (self.className, self.query) = (className, query)
        isCanonical = request.parameters["canonical"] == "true"
    }

    deinit { node.followed.leave(access.stream) }

    func begin(at cursor: Cursor) {
        self.cursor = cursor
        followed.note(cursor)
    }

    /// - Returns: `false` if the log doesn't reach back to the token, or if the store has been replaced.
    func begin(behind token: ResumeToken) async throws -> Bool {
        (cursor, self.token) = (token.cursor, token)
        guard let head = await node.head(of: access.stream) else { throw DocumentFailure.unavailable }
        followed.note(head.cursor)
        if head.cursor == token.cursor { return true }
        guard token.cursor.epoch == head.epoch else { return false }
        let request = ServerStoreRequest(access.stream, .step(after: token.cursor, objects: 1))
        guard case .step(let step) = await node.read(request) else { throw DocumentFailure.unavailable }
        return step != nil
    }

    /// Returns the next events as text, or a comment if there are none for a while. Returns `nil` at the end: the user may not see the stream any
    /// more, the log-in has ended, the log was cut, or an error was sent.
    func next() async -> String? {
        while !Task.isCancelled {
            if let text = takeWaiting() {
                memory?.add(-text.utf8.count, of: .documents)
                return text
            }
            if hasFailed { return nil }
            guard !node.isDraining, !node.isStopped.load(ordering: .acquiring), isGood,
                let now = node.access(identity.user, access.stream.app.string, access.stream.value)
            else { return nil }
            guard followed.isBehind(cursor) else {
                if let text = await pause() { return text }
                continue
            }
            guard case .step(let answer) = await followed.step(after: cursor) else {
                if let text = await pause(hasFailed: true) { return text }
                continue
            }
            guard let step = answer else { return nil }
            guard step.to != cursor else {
                if let text = await pause(hasFailed: true) { return text }
                continue
            }
            let (access, token, className, query) = (now, self.token, className, query)
            let found = try? await node.work.run(for: access.user) {
                Self.events(of: step, access, behind: token, className: className, query: query)
            }
            guard let found else { return nil }
            take(found, of: step, access)
            quietUntil = nil
        }
        return nil
    }

    /// Returns the next waiting text. Sent texts aren't removed from the array one by one, because a commit may have many events, and each removal
    /// would move all later texts.
    private func takeWaiting() -> String? {
        guard sent < waiting.count else { return nil }
        let text = waiting[sent]
        waiting[sent] = ""
        sent += 1
        if sent == waiting.count { (waiting, sent) = ([], 0) }
        return text
    }

    private var isGood: Bool {
        guard !seat.isOver else { return false }
        guard let expires = identity.expires else { return true }
        return expires > node.secondsSince1970
    }

    /// Returns the events of a step, and the error if the condition can't be evaluated for one of the objects.
    private static func events(
        of step: StreamStep,
        _ access: StreamAccess,
        behind token: ResumeToken?,
        className: String?,
        query: String
    ) -> (events: [ChangeEvent], failure: DocumentFailure?) {
        var sights: [SyncString: DocumentSight?] = [:]
        var failure: DocumentFailure?
        func shown(_ stored: SyncString) -> SyncString? { access.lens.map { $0.down(className: stored) } ?? stored }
        func sight(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent]? {
            guard failure?.code != DocumentFailure.tooExpensive.code, let known = shown(name.className),
                className == nil || known.string == className
            else { return nil }
            let sight = sights[name.className] ?? (try? access.sight(known.string, query))
            sights[name.className] = sight
            var used = 0
            do { return try sight?.contents(name.key, contents, adding: &used) } catch let error as ConditionError {
                failure = failure ?? .bad(error.text.string)
            } catch {
                failure = .tooExpensive
            }
            return nil
        }
        let events = ChangeEvent.events(
            of: step,
            stream: access.stream,
            behind: token,
            sight: sight,
            className: { shown($0) ?? $0 }
        )
        return (events, failure)
    }

    private func take(
        _ found: (events: [ChangeEvent], failure: DocumentFailure?),
        of step: StreamStep,
        _ access: StreamAccess
    ) {
        (cursor, token) = (step.to, nil)
        for event in found.events {
            guard let id = try? tokens.text(event.token) else { continue }
            let document = event.document(app: access.stream.app.string, token: id)
            guard let text = try? document.extendedJSON(isCanonical ? .canonical : .relaxed) else { continue }
            let line = "id: \(id)\nevent: \(event.operation.rawValue)\ndata: \(text)\n\n"
            // One event may exceed the share. The events before it are sent, so that the client can continue after them.
            if memory?.add(line.utf8.count, of: .documents) == false, !waiting.isEmpty {
                memory?.add(-line.utf8.count, of: .documents)
                waiting.append(DocumentFailure.overShare.event)
                hasFailed = true
                return
            }
            waiting.append(line)
        }
        guard let failure = found.failure else { return }
        hasFailed = true
        let document: BSONDocument = ["error": .string(failure.text), "error_code": .string(failure.code)]
        if let text = try? document.extendedJSON() { waiting.append("event: error\ndata: \(text)\n\n") }
    }

    /// Waits for another head, or for a moment if the store has failed.
    ///
    /// - Returns: A comment at the beginning, so that the client knows that it is connected. A comment at intervals, so that both sides detect a
    ///   dead connection. Otherwise `nil`.
    private func pause(hasFailed: Bool = false) async -> String? {
        guard hasGreeted else {
            hasGreeted = true
            return ": here\n\n"
        }
        let now = node.now()
        let end = quietUntil ?? now + Self.quietTime
        quietUntil = end
        await followed.wait(at: hasFailed ? nil : cursor, until: min(end, now + Self.lookInterval))
        guard node.now() >= end else { return nil }
        quietUntil = nil
        return ": nothing new\n\n"
    }
}

/// The tokens of a user's change stream, as texts.
struct EventTokens: Sendable {
    let stream: StreamName
    let positions: SealedPositions
    let context: SealedPositions.Context

    func text(_ token: ResumeToken) throws -> String { try positions.seal(token.bytes, context) }

    /// Returns the token of a text, or `nil` if it doesn't belong to this stream and user.
    ///
    /// Servers of earlier versions sent tokens without encryption. Such a token only counts up to its commit, so that events of the next commit
    /// may be repeated. If the number of objects in it were used, a user could find the position of a shown object among the hidden ones.
    func token(_ text: String) -> ResumeToken? {
        guard text.first == SealedPositions.mark else { return ResumeToken(text, of: stream)?.atCommit }
        return positions.open(text, context).flatMap { ResumeToken($0, of: stream) }
    }
}
