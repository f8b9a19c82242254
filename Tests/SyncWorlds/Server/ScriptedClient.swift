import FreeholdSyncCore

/// A simple file: it replays the server's messages, shows none of its own work, and resends unanswered work.
struct ScriptedClient {
    var connection: ConnectionNumber?
    var queries: Queries
    var user: SyncString = "anna"
    /// The schema of its app.
    var claim = SchemaClaim(version: 0, hash: .empty)
    var isRecording = false
    /// The received messages, if they are recorded.
    var received: [ServerMessage] = []
    var identity: FileIdentity?
    var cursor: Cursor?
    var view: UInt64?
    var completed: UInt64 = 0
    var objects: [ObjectName: (version: StreamVersion, fields: [ConfirmedField])] = [:]
    var position: BootstrapPosition?
    var begun: BootstrapBegin?
    /// The position of a bootstrap that another one replaced.
    var earlier: BootstrapPosition?
    var lastCommit: UInt64 = 0
    var acknowledged: UInt64 = 0
    var acknowledgedHash = RunningHash.empty
    var pending: [UploadedCommit] = []
    var pieces: [Changes] = []
    var window: UInt64 = 1 << 40
    var wanted: Set<ObjectName> = []
    var marks: [UInt64] = []
    var refusals: [Refusal] = []
    var forks: [Fork] = []
    var faults: [SyncFault] = []
    var queryErrors: [QueryError] = []
    var bootstraps = 0
    /// The number of checksums that it compared after a reconnection.
    var sumsChecked = 0
    var versions: [StreamVersion] = []
    /// The problems that the replay found.
    var mistakes: [String] = []

    init(queries: Queries) { self.queries = queries }

    func greeting() -> [ClientMessage] {
        var bind = Bind(app: "app", schema: claim)
        (bind.file, bind.cursor, bind.view, bind.queryVersion) = (identity, cursor, view, completed)
        bind.bootstrap = position ?? earlier
        bind.bootstrapView = position == nil ? nil : begun?.view
        bind.journal = JournalRange(
            acknowledged: acknowledged,
            hash: acknowledgedHash,
            pending: pending.map(\.hash)
        )
        return [.hello(Hello(deviceTime: 0, token: AccessToken(user))), .bind(1, bind), .credit(1, bytes: window)]
    }

    mutating func commit(_ changes: [Change], _ seen: [ObjectName: StreamVersion], _ now: Int64) -> Upload? {
        lastCommit += 1
        let base = cursor?.version ?? 0
        let commit = Commit(
            number: lastCommit,
            clock: Clock(milliseconds: now),
            base: base,
            seen: seen,
            schemaVersion: claim.version,
            changes: changes
        )
        let last = pending.last?.hash ?? acknowledgedHash
        let hash = last.appending(Array("\(lastCommit) \(changes)".utf8), salt: UInt64(now))
        pending.append(UploadedCommit(commit: commit, hash: hash))
        return connection == nil ? nil : Upload(commits: [pending[pending.count - 1]])
    }

    mutating func take(_ message: ServerMessage) -> [ClientMessage] {
        if isRecording { received.append(message) }
        switch message {
        case .bound(_, let bound):
            if let new = bound.file { identity = new }
            if let fork = bound.fork {
                forks.append(fork)
                pending.removeAll { $0.commit.number <= fork.common }
                (acknowledged, acknowledgedHash, lastCommit) = (0, .empty, 0)
                let old = pending
                pending = []
                for commit in old { _ = self.commit(commit.commit.changes, commit.commit.seen, 1) }
            }
            var answers: [ClientMessage] = []
            if case .nothing = bound.start { answers.append(.queries(1, queries)) }
            if bound.start == .bootstrap, position?.queryVersion != queries.version {
                answers.append(.queries(1, queries))
            }
            if case .resume = bound.start, completed != queries.version { answers.append(.queries(1, queries)) }
            if !wanted.isEmpty { answers.append(.fetch(1, wanted.sorted())) }
            let unsent = pending.filter { $0.commit.number > (bound.fork == nil ? bound.acknowledged : 0) }
            if !unsent.isEmpty { answers.append(.upload(1, Upload(commits: unsent))) }
            return answers
        case .ack(_, let ack):
            if ack.first != acknowledged + 1 { mistakes.append("ack \(ack.first) after \(acknowledged)") }
            for version in ack.versions where version <= cursor?.version ?? 0 {
                mistakes.append("own \(version) came before its answer")
            }
            versions += ack.versions
            refusals += ack.refusals
            if let last = pending.last(where: { $0.commit.number <= ack.last }) { acknowledgedHash = last.hash }
            acknowledged = ack.last
            pending.removeAll { $0.commit.number <= ack.last }
        case .changes(_, let changes):
            pieces.append(changes)
            guard !changes.continues else { break }
            if changes.from != cursor { mistakes.append("changes from another cursor") }
            for piece in pieces { replay(piece.classes) }
            pieces = []
            cursor = changes.to
            if let sums = changes.checksums, wanted.isEmpty {
                sumsChecked += 1
                check(sums)
            }
        case .bootstrapBegin(_, let begin):
            if let begun, begun != begin {
                // After chunks of the other bootstrap, the content is neither the old view nor the new one.
                if position != nil { view = nil }
                (earlier, position) = (position ?? earlier, nil)
            }
            begun = begin
            bootstraps += 1
        case .bootstrapChunk(_, let chunk):
            let kept = Set(chunk.classes.flatMap { batch in batch.objects.map { ObjectName(batch.className, $0.key) } })
            for range in chunk.covers {
                for name in objects.keys where name.className == range.className && !kept.contains(name) {
                    if let after = range.after, name.key <= after { continue }
                    if let through = range.through, name.key > through { continue }
                    objects[name] = nil
                }
            }
            if begun != nil { position = chunk.position }
            let lacking = replay(chunk.classes)
            return lacking.isEmpty ? [] : [.fetch(1, lacking)]
        case .bootstrapEnd(_, let end):
            (cursor, view, completed) = (end.cursor, begun?.view, end.queryVersion)
            (position, begun, earlier) = (nil, nil, nil)
            if wanted.isEmpty { check(end.checksums) }
        case .marked(_, let mark, _): marks.append(mark)
        case .queryError(_, let error): queryErrors.append(error)
        case .error(_, let error):
            faults.append(error.fault)
            connection = nil
        case .welcome, .part, .credit, .notice, .pong, .noted, .claimed: break
        }
        return []
    }

    private mutating func check(_ sums: Checksums) {
        for sum in sums.classes {
            var own = ClassChecksum(className: sum.className)
            for (name, object) in objects where name.className == sum.className {
                own.add(name.key, version: object.version)
            }
            if own != sum { mistakes.append("sum of \(sum.className)") }
        }
    }

    /// - Returns: The objects that are missing.
    @discardableResult
    private mutating func replay(_ classes: [ClassBatch]) -> [ObjectName] {
        var lacking: [ObjectName] = []
        for batch in classes {
            for object in batch.objects {
                let name = ObjectName(batch.className, object.key)
                if case .present = object.content {} else { wanted.remove(name) }
                switch object.content {
                case .whole(let version, _, let fields): objects[name] = (version, fields.map(Self.plain))
                case .erased: objects[name] = nil
                case .present(let version): if objects[name]?.version != version { lacking.append(name) }
                case .difference(let version, let base, let fields):
                    guard let old = objects[name], old.version == base else {
                        mistakes.append("\(name): base \(base), holds \(objects[name]?.version ?? 0)")
                        continue
                    }
                    objects[name] = (version, Self.apply(fields, to: old.fields))
                }
            }
        }
        wanted.formUnion(lacking)
        return lacking
    }

    // MARK: Contents

    /// An empty collection is as good as none.
    var shown: [ObjectName: [ConfirmedField]] { objects.mapValues { Self.withoutEmpty($0.fields) } }

    static func withoutEmpty(_ fields: [ConfirmedField]) -> [ConfirmedField] {
        fields.filter { field in
            switch field.content {
            case .list(let runs): !runs.allSatisfy { $0.elements.isEmpty }
            case .set(let values): !values.isEmpty
            case .dictionary(let entries): !entries.isEmpty
            // A field that isn't shown any more.
            case .value(let value): value != .null
            case .embedded: true
            }
        }
    }

    static func fields(_ object: MergedObject) -> [ConfirmedField]? {
        guard case .whole(_, _, let fields) = object.whole else { return nil }
        return fields.map(plain)
    }

    /// Returns the field without the versions of its parts.
    static func plain(_ field: ConfirmedField) -> ConfirmedField { ConfirmedField(field.name, plain(field.content)) }

    static func plain(_ content: ConfirmedContent) -> ConfirmedContent {
        switch content {
        case .value: content
        case .embedded(let instance): .embedded(ConfirmedInstance(made: nil, fields: instance.fields.map(plain)))
        case .list(let runs): .list([ElementRun(runs.flatMap { $0.elements.map(plain) })])
        case .set(let values): .set(values.sorted { "\($0)" < "\($1)" })
        case .dictionary(let entries): .dictionary(entries.map { ConfirmedEntry($0.key, plain($0.content)) })
        }
    }

    static func apply(_ differences: [FieldDifference], to fields: [ConfirmedField]) -> [ConfirmedField] {
        var new = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.content) })
        for difference in differences { new[difference.name] = apply(difference.content, to: new[difference.name]) }
        return new.map { ConfirmedField($0.key, $0.value) }.sorted { $0.name < $1.name }
    }

    static func apply(_ difference: ContentDifference, to old: ConfirmedContent?) -> ConfirmedContent {
        switch difference {
        case .whole(let content): return plain(content)
        case .instance(let fields):
            guard case .embedded(let instance)? = old else { return .value(.null) }
            return .embedded(ConfirmedInstance(made: nil, fields: apply(fields, to: instance.fields)))
        case .list(let list):
            var elements: [ConfirmedContent] = []
            if case .list(let runs)? = old { elements = runs.flatMap(\.elements) }
            var new: [ConfirmedContent] = []
            for piece in list.pieces {
                switch piece {
                case .kept(let start, let count): new += elements[start..<start + count]
                case .new(let run): new += run.elements.map(plain)
                }
            }
            for edit in list.edits { new[edit.index] = apply(edit.content, to: new[edit.index]) }
            return .list([ElementRun(new)])
        case .set(let set):
            var elements: [SetElement: SyncValue] = [:]
            if case .set(let values)? = old { for value in values { elements[SetElement(value)!] = value } }
            for value in set.removed { elements[SetElement(value)!] = nil }
            for value in set.inserted { elements[SetElement(value)!] = value }
            return .set(elements.values.sorted { "\($0)" < "\($1)" })
        case .dictionary(let dictionary):
            var entries: [SyncString: ConfirmedContent] = [:]
            if case .dictionary(let old)? = old { for entry in old { entries[entry.key] = entry.content } }
            for key in dictionary.removed { entries[key] = nil }
            for change in dictionary.changed { entries[change.key] = apply(change.content, to: entries[change.key]) }
            return .dictionary(entries.map { ConfirmedEntry($0.key, $0.value) }.sorted { $0.key < $1.key })
        case .nested: return .value(.null)
        }
    }
}
