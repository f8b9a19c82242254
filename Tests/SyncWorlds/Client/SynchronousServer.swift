import FreeholdSyncCore

/// A simple server: it keeps every version whole, sends naive differences, and answers at once. The merge and the oracle run side
/// by side.
struct SynchronousServer {
    private(set) var oracle = Oracle()
    private(set) var merged: MergedStream
    private(set) var epoch: UInt64 = 1
    var lastIdent: UInt32 = 0
    var comparesMerge = true
    var now: Int64 = 1_000_000
    var files: [FileIdent: File] = [:]
    var sessions: [Int: Session] = [:]
    /// The contradictions that were found.
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
        /// The objects of the view that the client holds, with their versions.
        var holds: [ObjectName: StreamVersion] = [:]
        var queries: Queries?
        var answers: [Oracle.Answer] = []
        /// The objects of a bootstrap that haven't been sent yet.
        var rest: [ObjectName]?
        var begin: BootstrapBegin?
        var last: ObjectName?
    }

    init(rules: OracleRules) {
        oracle.rules = rules
        merged = MergedStream(rules)
    }

    var version: StreamVersion { oracle.version }
    /// Checks that the merge has the content of the oracle.
    var agrees: Bool { !comparesMerge || merged.stored() == oracle.stored() }

    func cursor(_ version: StreamVersion) -> Cursor {
        Cursor(epoch: epoch, version: version, hash: RunningHash(high: epoch, low: version))
    }

    func session(_ client: Int) -> Session? { sessions[client] }

    mutating func disconnect(_ client: Int) { sessions[client] = nil }

    mutating func note(_ text: String) { counts[text, default: 0] += 1 }

    // MARK: Views

    /// Returns whether an object of a version is in the view of some queries.
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

    func checksums(_ session: Session) -> Checksums {
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

    mutating func receive(
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

    mutating func bind(_ bind: Bind, _ number: SessionNumber, _ client: Int) -> [ServerMessage] {
        if let cursor = bind.cursor, cursor != self.cursor(cursor.version) || cursor.version > version {
            note("replaced stores")
            return [.error(number, ErrorMessage(.storeReplaced, text: "another history"))]
        }
        var bound = Bound(schema: .accepted, epoch: epoch, acknowledged: 0, start: .nothing)
        var ident = bind.file?.ident ?? FileIdent(rawValue: 0)
        if bind.file == nil || files[ident] == nil {
            ident = newFile(nil, &bound)
            if bind.isReset { bound.fork = Fork(common: 0) }
        } else if bind.isReset, let file = files[ident] {
            let known = Int(bind.journal.acknowledged)
            let common = bind.journal.pending.enumerated().last { index, hash in
                known + index < file.hashes.count && file.hashes[known + index] == hash
            }
            let number = common.map { known + $0.offset + 1 } ?? 0
            if number == 0 || number < file.hashes.count {
                bound.fork = Fork(common: UInt64(number))
                ident = newFile(file.queries, &bound)
            }
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
        if bound.fork == nil, !bind.isReset {
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

    mutating func newFile(_ queries: Queries?, _ bound: inout Bound) -> FileIdent {
        lastIdent += 1
        let ident = FileIdent(rawValue: lastIdent)
        let secret = FileSecret(high: 1, low: UInt64(ident.rawValue))
        files[ident] = File(secret: secret, queries: queries)
        bound.file = FileIdentity(ident: ident, secret: secret)
        return ident
    }

    // MARK: Commits

    mutating func take(_ uploaded: UploadedCommit, _ session: inout Session) {
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
            // An edit that names elements of a refused create is malformed, too.
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

    func ack(_ answers: [Oracle.Answer], restored: [ClassBatch] = []) -> Ack {
        Ack(
            first: answers[0].commit,
            versions: answers.map(\.version),
            clock: answers[answers.count - 1].clock,
            refusals: answers.flatMap(\.refusals),
            restored: restored
        )
    }

    /// Returns the answers to commits with versions up to this one.
    mutating func acknowledge(_ session: inout Session, upTo version: StreamVersion) -> [ServerMessage] {
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

    // MARK: Other histories

    /// Replaces the store by an empty one with the present content, under another epoch.
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
