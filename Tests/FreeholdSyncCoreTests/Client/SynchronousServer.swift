import FreeholdSyncCore

/// A simple server: it keeps every version whole, sends naive differences, and answers at once. The merge and the oracle run side
/// by side.
struct SynchronousServer {
    private(set) var oracle = Oracle()
    private(set) var merged: MergedStream
    private(set) var epoch: UInt64 = 1
    private var lastIdent: UInt32 = 0
    private var comparesMerge = true
    var now: Int64 = 1_000_000
    private var files: [FileIdent: File] = [:]
    private var sessions: [Int: Session] = [:]
    /// What doesn't agree.
    private(set) var problems: [String] = []
    private(set) var counts: [String: Int] = [:]

    struct File {
        let secret: FileSecret
        var hashes: [RunningHash] = []
        var queries: Queries?
        var parts: [UploadedCommit] = []
    }

    /// A connection of a client.
    struct Session {
        let number: SessionNumber
        var ident: FileIdent
        var cursor: StreamVersion?
        /// What the client holds of the view, and in which version.
        var holds: [ObjectName: StreamVersion] = [:]
        var queries: Queries?
        var answers: [Oracle.Answer] = []
        /// Objects of a bootstrap that are still to come.
        var rest: [ObjectName]?
        var begin: BootstrapBegin?
        var last: ObjectName?
    }

    init(rules: OracleRules) {
        oracle.rules = rules
        merged = MergedStream(rules)
    }

    var version: StreamVersion { oracle.version }
    /// The merge holds what the oracle holds.
    var agrees: Bool { !comparesMerge || merged.stored() == oracle.stored() }

    func cursor(_ version: StreamVersion) -> Cursor {
        Cursor(epoch: epoch, version: version, hash: RunningHash(high: epoch, low: version))
    }

    func session(_ client: Int) -> Session? { sessions[client] }

    mutating func disconnect(_ client: Int) { sessions[client] = nil }

    private mutating func note(_ text: String) { counts[text, default: 0] += 1 }

    // MARK: Views

    /// Whether an object of a version is in the view of some queries.
    static func matches(_ name: ObjectName, _ object: Incarnation, _ queries: Queries?) -> Bool {
        guard object.died == nil else { return false }
        return queries?.queries.contains { query in
            guard query.className == name.className else { return false }
            switch query.condition {
            case "TRUEPREDICATE": return true
            case "key < 3":
                if case .int(let key) = name.key { return key < 3 }
                return false
            default:
                // An even g, or none.
                guard case .value(let register)? = object.record["g"], case .plain(.int(let g))? = register.value else {
                    return true
                }
                return g % 2 == 0
            }
        } ?? false
    }

    func view(_ queries: Queries?, at version: StreamVersion) -> [ObjectName: StreamVersion] {
        oracle.copies[Int(version)].filter { Self.matches($0.key, $0.value, queries) }.mapValues(\.changed)
    }

    private func checksums(_ session: Session) -> Checksums {
        var sums: [SyncString: ClassChecksum] = ["Thing": ClassChecksum(className: "Thing")]
        for (name, version) in session.holds { sums[name.className]?.add(name.key, version: version) }
        return Checksums(view: session.queries?.version ?? 0, classes: sums.sorted { $0.key < $1.key }.map(\.value))
    }

    // MARK: Messages

    mutating func receive(_ message: ClientMessage, from client: Int, _ random: inout SeededRandom) -> [ServerMessage] {
        switch message {
        case .hello:
            return [.welcome(Welcome(limits: MessageLimits(messageBytes: 1_200), serverTime: now, credit: 4_000))]
        case .ping(let ping): return [.pong(Pong(deviceTime: ping.deviceTime, serverTime: now))]
        case .bind(let number, let bind): return self.bind(bind, number, client)
        default: break
        }
        guard var session = sessions[client] else { return [] }
        sessions[client] = nil
        let answers = receive(message, &session, &random)
        sessions[client] = session
        return answers
    }

    private mutating func receive(
        _ message: ClientMessage,
        _ session: inout Session,
        _ random: inout SeededRandom
    ) -> [ServerMessage] {
        switch message {
        case .upload(let number, let upload):
            for commit in upload.commits { take(commit, &session) }
            return [.credit(number, bytes: upload.commits.reduce(0) { $0 + $1.commit.estimatedSize })]
        case .queries(let number, let queries):
            if files[session.ident]?.queries?.version ?? 0 < queries.version { files[session.ident]?.queries = queries }
            if queries.version < session.queries?.version ?? 0 { return [] }
            session.queries = queries
            return beginBootstrap(&session, after: nil, since: nil, held: [:], number)
        case .resume(let number, let resume):
            note("resumes")
            guard let cursor = resume.cursor, cursor.epoch == epoch, session.rest == nil else { return [] }
            if !resume.compare.isEmpty {
                note("comparisons")
                return compare(resume.compare, &session, number)
            }
            session.cursor = cursor.version
            session.holds = view(session.queries, at: cursor.version)
            for held in resume.held where session.holds[held.name] != nil { session.holds[held.name] = held.version }
            return []
        case .fetch(let number, let names):
            note("fetches")
            guard let version = session.cursor, session.rest == nil else { return [] }
            let updates = names.map { name -> ObjectUpdate in
                guard let object = oracle.copies[Int(version)][name], Self.matches(name, object, session.queries) else {
                    session.holds[name] = nil
                    return ObjectUpdate(name.key, .erased)
                }
                session.holds[name] = object.changed
                return ObjectUpdate(name.key, ServerDifferences.whole(object))
            }
            return acknowledge(&session, upTo: version) + [
                .changes(
                    number,
                    Changes(
                        from: cursor(version),
                        to: cursor(version),
                        clock: oracle.clocks[Int(version)],
                        classes: [ClassBatch(className: "Thing", objects: updates)]
                    )
                )
            ]
        case .mark(let number, let id):
            return finish(&session) + [.marked(number, id, version)]
        default: return []
        }
    }

    // MARK: Binding

    private mutating func bind(_ bind: Bind, _ number: SessionNumber, _ client: Int) -> [ServerMessage] {
        if let cursor = bind.cursor, cursor != self.cursor(cursor.version) || cursor.version > version {
            note("replaced stores")
            return [.error(number, ErrorMessage(.storeReplaced, text: "another history"))]
        }
        var bound = Bound(schema: .accepted, epoch: epoch, acknowledged: 0, start: .nothing)
        var ident = bind.file?.ident ?? FileIdent(rawValue: 0)
        if bind.file == nil || files[ident] == nil {
            ident = newFile(nil, &bound)
        } else if let file = files[ident] {
            let known = Int(bind.journal.acknowledged)
            var common = known
            for hash in bind.journal.pending where common < file.hashes.count && file.hashes[common] == hash {
                common += 1
            }
            if common < min(file.hashes.count, known + bind.journal.pending.count)
                || file.hashes.count > known + bind.journal.pending.count
            {
                note("forks")
                let old = oracle.files[ident]?.answers ?? []
                let answers = old.filter { $0.commit > bind.journal.acknowledged && $0.commit <= common }
                bound.fork = Fork(common: UInt64(common), answers: answers.isEmpty ? nil : ack(answers))
                ident = newFile(file.queries, &bound)
            }
        }
        let answered = oracle.files[ident]?.lastCommit ?? 0
        bound.acknowledged = answered
        var session = Session(number: number, ident: ident)
        session.queries = files[ident]?.queries
        if bound.fork == nil {
            session.answers = (oracle.files[ident]?.answers ?? []).filter { $0.commit > bind.journal.acknowledged }
        }
        var messages: [ServerMessage] = []
        let held = Dictionary(bind.held.map { ($0.name, $0.version) }, uniquingKeysWith: { a, _ in a })
        if let queries = session.queries, let cursor = bind.cursor, bind.view == queries.version, bind.bootstrap == nil
        {
            session.cursor = cursor.version
            session.holds = view(queries, at: cursor.version)
            bound.start = .resume(checksums(session))
            for (name, version) in held where session.holds[name] != nil { session.holds[name] = version }
        } else if let queries = session.queries, queries.version == bind.bootstrap?.queryVersion {
            note("resumed bootstraps")
            bound.start = .bootstrap
            session.cursor = bind.cursor?.version
            let position = bind.bootstrap!
            messages = beginBootstrap(
                &session,
                after: position.last,
                since: position.cursor.version,
                held: held,
                number
            )
        } else if session.queries != nil, bind.queryVersion == session.queries?.version || bind.cursor == nil {
            bound.start = .bootstrap
            messages = beginBootstrap(&session, after: nil, since: nil, held: held, number)
        } else {
            session.cursor = bind.cursor?.version
        }
        sessions[client] = session
        var answers: [ServerMessage] = []
        var own = sessions[client]!
        answers = acknowledge(&own, upTo: version)
        sessions[client] = own
        return [.bound(number, bound)] + answers + messages
    }

    private mutating func newFile(_ queries: Queries?, _ bound: inout Bound) -> FileIdent {
        lastIdent += 1
        let ident = FileIdent(rawValue: lastIdent)
        let secret = FileSecret(high: 1, low: UInt64(ident.rawValue))
        files[ident] = File(secret: secret, queries: queries)
        bound.file = FileIdentity(ident: ident, secret: secret)
        return ident
    }

    // MARK: Commits

    private mutating func take(_ uploaded: UploadedCommit, _ session: inout Session) {
        var commit = uploaded.commit
        if let part = uploaded.part {
            var parts = files[session.ident]!.parts.filter { $0.commit.number == commit.number }
            if part.index != parts.count { parts = [] }
            parts.append(uploaded)
            files[session.ident]!.parts = parts
            guard part.isLast, parts.count == Int(part.index) + 1 else { return }
            note("split commits")
            commit = Commit(
                number: commit.number,
                clock: commit.clock,
                base: commit.base,
                seen: parts.reduce(into: [:]) { $0.merge($1.commit.seen) { $1 } },
                schemaVersion: commit.schemaVersion,
                changes: parts.flatMap(\.commit.changes)
            )
        }
        let isNew = commit.number == files[session.ident]!.hashes.count + 1
        do {
            let answer = try oracle.apply(commit, from: session.ident, serverNow: now)
            let own = !comparesMerge ? nil : try merged.apply(.arrival(session.ident, commit, serverNow: now))
            if comparesMerge, own?.version != answer.version || own?.refusals.count != answer.refusals.count {
                problems.append("the merge answers otherwise than the oracle")
            }
            // What names elements of a refused create is malformed, too.
            if !oracle.rules.isRefusing, answer.refusals.contains(where: { $0.reason == .malformed }) {
                problems.append("malformed: \(answer.refusals.map(\.description))")
            }
            if !answer.refusals.isEmpty { note("commits with refusals") }
            guard isNew else {
                note("resends")
                return
            }
            files[session.ident]!.hashes.append(uploaded.hash)
            session.answers.append(answer)
        } catch {
            problems.append("\(session.ident) sent what can't be: \(error), \(commit)")
        }
    }

    private func ack(_ answers: [Oracle.Answer], restored: [ClassBatch] = []) -> Ack {
        Ack(
            first: answers[0].commit,
            versions: answers.map(\.version),
            clock: answers[answers.count - 1].clock,
            refusals: answers.flatMap(\.refusals),
            restored: restored
        )
    }

    /// The answers to commits that took versions up to this one.
    private mutating func acknowledge(_ session: inout Session, upTo version: StreamVersion) -> [ServerMessage] {
        let answers = session.answers.filter { $0.version <= version }
        guard !answers.isEmpty else { return [] }
        session.answers.removeAll { $0.version <= version }
        var restored: [ObjectUpdate] = []
        for refusal in answers.flatMap(\.refusals) {
            guard case .delete(let name, _) = refusal.change, session.rest == nil, session.cursor != nil else {
                continue
            }
            guard let object = oracle.objects[name], Self.matches(name, object, session.queries),
                !restored.contains(where: { $0.key == name.key })
            else { continue }
            // Own later work must not be in it before its answer.
            guard session.answers.isEmpty else { continue }
            note("restored objects")
            restored.append(ObjectUpdate(name.key, ServerDifferences.whole(object)))
            session.holds[name] = object.changed
        }
        let batches = restored.isEmpty ? [] : [ClassBatch(className: "Thing", objects: restored)]
        return [.ack(session.number, ack(answers, restored: batches))]
    }

    // MARK: Downloads

    private func update(_ name: ObjectName, at version: StreamVersion, _ session: Session) -> ObjectUpdate? {
        let held = session.holds[name]
        guard let object = oracle.copies[Int(version)][name], Self.matches(name, object, session.queries) else {
            return held == nil ? nil : ObjectUpdate(name.key, .erased)
        }
        guard let held else { return ObjectUpdate(name.key, ServerDifferences.whole(object)) }
        if held >= object.changed { return nil }
        guard object.born <= held, let old = oracle.copies[Int(held)][name] else {
            return ObjectUpdate(name.key, ServerDifferences.whole(object))
        }
        return ObjectUpdate(name.key, ServerDifferences.difference(from: old, to: object))
    }

    private mutating func send(_ names: [ObjectName], at version: StreamVersion, _ session: inout Session)
        -> [ClassBatch]
    {
        var updates: [ObjectUpdate] = []
        for name in names {
            guard let update = update(name, at: version, session) else { continue }
            updates.append(update)
            session.holds[name] = update.content == .erased ? nil : oracle.copies[Int(version)][name]?.changed
        }
        return updates.isEmpty ? [] : [ClassBatch(className: "Thing", objects: updates)]
    }

    /// Sends what happened up to a version.
    mutating func push(_ client: Int, upTo version: StreamVersion, split: Bool = false) -> [ServerMessage] {
        guard var session = sessions[client], session.rest == nil, let from = session.cursor, version > from else {
            return []
        }
        let answers = acknowledge(&session, upTo: version)
        let names = Set(session.holds.keys).union(oracle.copies[Int(version)].keys).sorted()
        var groups = [names]
        if split, names.count > 1 { groups = [Array(names[..<(names.count / 2)]), Array(names[(names.count / 2)...])] }
        var messages: [ServerMessage] = []
        for (index, group) in groups.enumerated() {
            let classes = send(group, at: version, &session)
            let isLast = index == groups.count - 1
            messages.append(
                .changes(
                    session.number,
                    Changes(
                        from: cursor(from),
                        to: cursor(version),
                        clock: oracle.clocks[Int(version)],
                        classes: classes,
                        continues: !isLast,
                        checksums: isLast ? checksums(session) : nil
                    )
                )
            )
        }
        session.cursor = version
        sessions[client] = session
        return answers + messages
    }

    mutating func acknowledgeAll(_ client: Int) -> [ServerMessage] {
        guard var session = sessions[client] else { return [] }
        defer { sessions[client] = session }
        return acknowledge(&session, upTo: version)
    }

    /// Everything that is there.
    private mutating func finish(_ session: inout Session) -> [ServerMessage] {
        var messages: [ServerMessage] = []
        while session.rest != nil { messages += continueBootstrap(&session, count: 10) }
        sessions[-1] = session
        messages += push(-1, upTo: version)
        session = sessions.removeValue(forKey: -1)!
        return messages + acknowledge(&session, upTo: version)
    }

    private func compare(_ classes: [SyncString], _ session: inout Session, _ number: SessionNumber) -> [ServerMessage]
    {
        let version = session.cursor ?? 0
        session.holds = view(session.queries, at: version)
        let objects = session.holds.sorted { $0.key < $1.key }.map {
            ObjectUpdate($0.key.key, .present(version: $0.value))
        }
        let position = BootstrapPosition(
            cursor: cursor(version),
            queryVersion: 0,
            last: ObjectName("Thing", .null)
        )
        let chunk = BootstrapChunk(
            classes: [ClassBatch(className: "Thing", objects: objects)],
            covers: [KeyRange(className: "Thing")],
            position: position
        )
        return [.bootstrapChunk(number, chunk)]
    }

    // MARK: Bootstraps

    private mutating func beginBootstrap(
        _ session: inout Session,
        after last: ObjectName?,
        since: StreamVersion?,
        held: [ObjectName: StreamVersion],
        _ number: SessionNumber
    ) -> [ServerMessage] {
        note("bootstraps")
        let queries = session.queries!
        let before = acknowledge(&session, upTo: version)
        let begin = BootstrapBegin(
            cursor: cursor(version),
            queryVersion: queries.version,
            view: queries.version,
            objects: UInt64(view(queries, at: version).count),
            bytes: 0
        )
        session.begin = begin
        let all = Set(view(queries, at: version).keys).union(held.keys).sorted()
        session.rest = all.filter { name in last.map { name > $0 } ?? true }
        session.last = last
        let known = session.holds.isEmpty ? held : session.holds
        session.holds = known.filter { held[$0.key] != nil || session.cursor != nil }
        var messages: [ServerMessage] = before + [.bootstrapBegin(number, begin)]
        if let last, let since {
            // What changed in what the client has got.
            let names = all.filter { $0 <= last && (oracle.copies[Int(version)][$0]?.changed ?? 0) > since }
            let kept = view(queries, at: version).filter { $0.key <= last && $0.value <= since }
            let classes = send(names, at: version, &session)
            for (name, version) in kept { session.holds[name] = version }
            let gone = oracle.copies[Int(version)].keys.filter { $0 <= last && session.holds[$0] == nil }
            let erased = gone.sorted().map { ObjectUpdate($0.key, .erased) }
            let batch = [
                ClassBatch(
                    className: "Thing",
                    objects: (classes.first?.objects ?? [])
                        + erased.filter { new in
                            !(classes.first?.objects.contains { $0.key == new.key } ?? false)
                        }
                )
            ]
            let position = BootstrapPosition(cursor: begin.cursor, queryVersion: queries.version, last: last)
            messages.append(.bootstrapChunk(number, BootstrapChunk(classes: batch, position: position)))
        }
        return messages
    }

    mutating func continueBootstrap(_ client: Int, count: Int) -> [ServerMessage] {
        guard var session = sessions[client], session.rest != nil else { return [] }
        defer { sessions[client] = session }
        return continueBootstrap(&session, count: count)
    }

    private mutating func continueBootstrap(_ session: inout Session, count: Int) -> [ServerMessage] {
        guard let rest = session.rest, let begin = session.begin else { return [] }
        let names = Array(rest.prefix(count))
        let isLast = names.count == rest.count
        let classes = send(names, at: begin.cursor.version, &session)
        // What the client holds unchanged has to be named in a range.
        var batch = classes.first ?? ClassBatch(className: "Thing", objects: [])
        for name in names where session.holds[name] != nil && !batch.objects.contains(where: { $0.key == name.key }) {
            batch.objects.append(ObjectUpdate(name.key, .present(version: session.holds[name]!)))
        }
        let range = KeyRange(className: "Thing", after: session.last?.key, through: isLast ? nil : names.last?.key)
        session.last = names.last ?? session.last
        session.rest = isLast ? nil : Array(rest.dropFirst(count))
        let position = BootstrapPosition(
            cursor: begin.cursor,
            queryVersion: begin.queryVersion,
            last: session.last ?? ObjectName("Thing", .null)
        )
        var messages: [ServerMessage] = [
            .bootstrapChunk(session.number, BootstrapChunk(classes: [batch], covers: [range], position: position))
        ]
        if isLast {
            let held = view(session.queries, at: begin.cursor.version)
            session.holds = held
            session.cursor = begin.cursor.version
            session.begin = nil
            messages.append(
                .bootstrapEnd(
                    session.number,
                    BootstrapEnd(
                        cursor: begin.cursor,
                        queryVersion: begin.queryVersion,
                        clock: oracle.clocks[Int(begin.cursor.version)],
                        checksums: checksums(session)
                    )
                )
            )
        }
        return messages
    }

    // MARK: Other histories

    /// The store was replaced by an empty one with what is there now: another epoch.
    mutating func replace(keeping version: StreamVersion) {
        epoch += 1
        oracle = oracle.upTo(version)
        comparesMerge = false
        sessions = [:]
        files = [:]
    }
}

extension OracleRules {
    /// Something may be refused.
    fileprivate var isRefusing: Bool { !unique.isEmpty || !denying.isEmpty }
}
