/// A server's store in memory, for tests and small tools. Like a database, it performs each request completely or not
/// at all.
///
/// A copy of the value is a backup of the store.
public struct MemoryServerStore: Sendable {
    struct Stream: Sendable {
        var head: StreamHead
        var objects: [ObjectName: MergedObject] = [:]
        /// The names of all objects in rising order, including deleted ones.
        var names: [ObjectName] = []
        var ingested: [ObjectName: [NewField]] = [:]
        /// The commits after `head.logStart`.
        var log: [LogEntry] = []
        /// A mark for each version, from 0 on. It remains after the commit was removed from the log.
        var marks: [Mark]
        var files: [FileIdent: FileRow] = [:]
        var answers: [FileIdent: [StoredAnswer]] = [:]
        var parts: [PartName: [UploadedCommit]] = [:]
        var staged: [FileIdent: (message: PartedMessage, bytes: [UInt8], time: Int64)] = [:]
        var lastIdent: UInt32 = 0
        /// The number of bytes that the commits of each user have added.
        var users: [SyncString: UInt64] = [:]
    }

    struct Mark: Sendable {
        let hash: RunningHash
        let clock: Clock
        let time: Int64
    }

    private(set) var streams: [StreamName: Stream] = [:]
    private var epoch: UInt64

    public init(epoch: UInt64) { self.epoch = epoch }

    /// Assigns a new epoch to all streams. A program that copies a store must call this method on the copy.
    public mutating func wasCopied(epoch: UInt64) {
        self.epoch = epoch
        for name in streams.keys { streams[name]?.head.epoch = epoch }
    }

    /// Returns the live objects of a stream, without those of asymmetric classes.
    public func contents(of stream: StreamName) -> [ObjectName: MergedObject] {
        streams[stream]?.objects.filter { $0.value.isAlive } ?? [:]
    }

    public func head(of stream: StreamName) -> StreamHead { streams[stream]?.head ?? StreamHead(epoch: epoch) }

    public func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { streams[stream]?.ingested ?? [:] }

    /// Returns the amount of data that is removed in the course of time: the number of commits in the log, of deleted
    /// objects, and of answers to some files.
    package func kept(in stream: StreamName, of files: [FileIdent]) -> (log: Int, deleted: Int, answers: [Int]) {
        guard let stream = streams[stream] else { return (0, 0, []) }
        let answers = files.map { stream.answers[$0]?.count ?? 0 }
        return (stream.log.count, stream.objects.count { !$0.value.isAlive }, answers)
    }

    /// Returns the rows of files.
    public func files(of stream: StreamName) -> [FileIdent: FileRow] { streams[stream]?.files ?? [:] }

    /// Performs a request.
    public mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
        var stream =
            streams.removeValue(forKey: request.stream)
            ?? Stream(head: StreamHead(epoch: epoch), marks: [Mark(hash: .empty, clock: .zero, time: 0)])
        defer { streams[request.stream] = stream }
        return stream.perform(request.kind)
    }

    /// Stores a commit without a comparison of the head and the files with the expected ones. Simulators use this method to show that the comparisons
    /// are needed.
    package mutating func take(unchecked commit: StoreCommit, of stream: StreamName) -> ServerStoreAnswer {
        guard let files = streams[stream]?.files, commit.files.keys.allSatisfy({ files[$0] != nil }) else {
            return .failed(.moved)
        }
        return streams[stream]?.store(commit) ?? .failed(.moved)
    }
}

extension MemoryServerStore.Stream {
    mutating func perform(_ request: ServerStoreRequest.Kind) -> ServerStoreAnswer {
        switch request {
        case .bind(let query): return .bind(bind(query))
        case .makeFile(let user, let secret, let parents, let clock):
            return makeFile(user, secret, parents: parents, clock: clock)
        case .openWriter(let secret):
            let known = files.values.first { $0.user == "" && $0.secret == secret }
            return known.map { .file($0) } ?? makeFile("", secret)
        case .noteFile(let ident, let acknowledged, let leastBase, let time):
            files[ident]?.leastBase = leastBase
            files[ident]?.time = time
            let (kept, horizon) = (answers[ident] ?? [], head.horizon)
            let known = kept.prefix { $0.answer.commit < acknowledged && $0.answer.version <= horizon }.count
            if known > 0 { answers[ident]?.removeFirst(known) }
            return .done
        case .noteQueries(let ident, let queries, let isComplete):
            let classes = queries.queries.map(\.className)
            if isComplete {
                files[ident]?.classes = Set(classes)
                files[ident]?.subscribed = queries
                files[ident]?.pending = nil
            } else {
                files[ident]?.pending = queries
                files[ident]?.classes.formUnion(classes)
            }
            return .done
        case .noteFront(let ident, let bytes):
            files[ident]?.front = FrontRow.stored(bytes, version: 0)
            return .done
        case .read(let query):
            let bytes = query.objects.reduce(0) { $0 + (objects[$1]?.estimatedBytes ?? 0) }
            return bytes <= query.mostBytes ? .rows(rows(query)) : .failed(.limit(query.limitText))
        case .commit(let commit): return take(commit)
        case .stage(let ident, let part):
            let name = PartName(ident: ident, commit: part.commit.number)
            let index = Int(part.part?.index ?? 0)
            let known = parts[name] ?? []
            guard index <= known.count else { return .failed(.unavailable("A part before this one is missing.")) }
            parts[name] = known[..<index] + [part]
            return .done
        case .parts(let name): return .parts(parts[name] ?? [])
        case .dropParts(let name):
            parts[name] = nil
            return .done
        case .keepPart(let ident, let part, let time):
            return keep(part, of: ident, time) ? .done : .failed(.unavailable("A part before this one is missing."))
        case .keptParts(let ident): return .keptParts(staged[ident]?.bytes)
        case .trimParts(let time):
            staged = staged.filter { $0.value.time >= time }
            parts = parts.filter { name, _ in (files[name.ident]?.time ?? 0) >= time }
            return .done
        case .trimFiles(let unused, let idle):
            files = files.filter { _, file in
                let time = file.subscribed == nil ? unused : idle
                return file.last > 0 || !file.parents.isEmpty || file.time == 0 || file.time >= time
            }
            return .done
        case .trimWriters(let secret):
            let named = Set(files.values.flatMap { $0.parents.map(\.ident) })
            for (ident, file) in files where file.isOldWriter(keeping: secret) && !named.contains(ident) {
                guard (answers[ident]?.last?.answer.version ?? 0) <= head.horizon else { continue }
                (files[ident], answers[ident]) = (nil, nil)
            }
            return .done
        case .step(let cursor, let objects, let version):
            return .step(step(after: cursor, objects: objects, through: version))
        case .page(let name, let key, let version, let count):
            return .page(page(name, after: key, at: version, count))
        case .keys(let keys, let className, let version):
            guard version >= head.logStart, version <= head.version else { return .page(nil) }
            let past = images(after: version)
            var page = ObjectPage(objects: [], isLast: true, horizon: head.horizon)
            let sorted = Set(keys).sorted()
            var bytes = 0
            for key in sorted {
                let name = ObjectName(className, key)
                guard let known = objects[name] else { continue }
                let object: MergedObject? = past[name] ?? known
                guard let object, object.isAlive else { continue }
                page.objects.append((name, object))
                bytes += object.estimatedBytes
                guard bytes < ObjectPage.mostBytes || key == sorted.last else {
                    page.through = key
                    break
                }
            }
            return .page(page)
        case .objects(let names, let version):
            guard version >= head.logStart else { return .objects(nil) }
            var found: [ObjectName: MergedObject] = [:]
            let past = images(after: version)
            for name in names {
                if let object = past[name] ?? objects[name], object.isAlive { found[name] = object }
            }
            return .objects(found)
        case .trim(let log, let horizon):
            trim(log: log, horizon: horizon)
            return .head(head)
        }
    }

    private mutating func makeFile(
        _ user: SyncString,
        _ secret: SecretHash,
        parents: [FileParent] = [],
        clock: Clock = .zero
    ) -> ServerStoreAnswer {
        guard lastIdent < .max else { return .failed(.unavailable("The stream has no numbers left for files.")) }
        lastIdent += 1
        var file = FileRow(ident: FileIdent(rawValue: lastIdent), user: user, secret: secret, parents: parents)
        file.clock = clock
        files[file.ident] = file
        return .file(file)
    }

    private mutating func keep(_ part: MessagePart, of ident: FileIdent, _ time: Int64) -> Bool {
        guard let file = files[ident] else { return false }
        if part.offset == 0 {
            staged[ident] = nil
            let entries = staged.filter { files[$0.key]?.user == file.user }.map { other, kept in
                StagedParts.Entry(ident: other, count: kept.message.count, time: kept.time)
            }
            for other in StagedParts.evicted(entries, for: part.message.count) { staged[other] = nil }
            staged[ident] = (part.message, part.bytes, time)
            return true
        }
        guard let kept = staged[ident], kept.message == part.message, UInt64(kept.bytes.count) == part.offset else {
            return false
        }
        staged[ident] = (part.message, kept.bytes + part.bytes, time)
        return true
    }

    private func bind(_ query: FileQuery) -> FileAnswer {
        let kept = query.ident.flatMap { answers[$0] } ?? []
        let file = query.ident.flatMap { files[$0] }
        let known = kept.first { $0.answer.commit == query.acknowledged }
        var hash = known?.hash
        if let file, file.last == query.acknowledged { hash = file.hash }
        if query.acknowledged == 0 { hash = .empty }
        var answer = FileAnswer(
            head: head,
            file: file,
            answers: kept.filter { $0.answer.commit > query.acknowledged },
            known: known,
            hash: hash,
            cursor: query.cursor.flatMap(self.hash),
            bootstrap: query.bootstrap.flatMap(self.hash)
        )
        answer.staged = query.ident.flatMap { staged[$0] }.map { kept in
            PartialMessage(message: kept.message, received: UInt64(kept.bytes.count))
        }
        return answer
    }

    private func hash(at version: StreamVersion) -> RunningHash? {
        version <= head.version ? marks[Int(version)].hash : nil
    }

    private func rows(_ query: RowQuery) -> StoreRows {
        var rows = StoreRows(head: head)
        for name in query.objects { rows.objects[name] = .some(objects[name]) }
        for ident in query.files { rows.files[ident] = files[ident] }
        for name in query.answers {
            rows.answers[name] = answers[name.ident]?.first { $0.answer.commit == name.commit }
        }
        rows.asked = query.answers
        for version in query.clocks where version <= head.version {
            rows.clocks[version] = marks[Int(version)].clock
        }
        for link in query.links {
            rows.links[link] = objects.compactMap { name, object in
                name.className == link.property.className && object.isAlive
                    && object.links(to: link.target, by: link.property.property) ? name : nil
            }
        }
        for holder in query.holders {
            rows.holders[holder] = objects.compactMap { name, object in
                name.className == holder.className && object.isAlive ? name : nil
            }
        }
        for ident in query.copies { rows.copies[ident] = copies(of: ident) }
        for user in query.users { rows.users[user] = users[user] ?? 0 }
        rows.known = query.known.flatMap(hash)
        return rows
    }

    private func copies(of ident: FileIdent) -> [RunningHash: CopiedCommit] {
        let line = Set(files[ident]?.parents.map(\.ident) ?? [])
        var copies: [RunningHash: CopiedCommit] = [:]
        for (other, file) in files where other != ident && file.parents.contains(where: { line.contains($0.ident) }) {
            for answer in answers[other] ?? [] { copies[answer.hash] = CopiedCommit(other, answer) }
        }
        return copies
    }

    private mutating func take(_ commit: StoreCommit) -> ServerStoreAnswer {
        guard commit.expected.cursor == head.cursor, commit.expected.horizon == head.horizon else {
            return .failed(.moved)
        }
        guard commit.fits({ ident in files[ident].map { ($0.secret, $0.last) } }) else { return .failed(.moved) }
        return store(commit)
    }

    fileprivate mutating func store(_ commit: StoreCommit) -> ServerStoreAnswer {
        var next = commit.head
        (next.horizon, next.logStart) = (head.horizon, head.logStart)
        head = next
        log += commit.entries
        marks += commit.entries.map { .init(hash: $0.hash, clock: $0.clock, time: $0.time) }
        for (name, object) in commit.objects {
            guard objects.updateValue(object, forKey: name) == nil else { continue }
            if let last = names.last, name < last {
                names.insert(name, at: names.partitioned { $0 > name })
            } else {
                names.append(name)
            }
        }
        for (name, fields) in commit.ingested where ingested[name] == nil { ingested[name] = fields }
        for (ident, row) in commit.files {
            files[ident]?.last = row.last
            files[ident]?.hash = row.hash
            files[ident]?.clock = row.clock
            files[ident]?.parents = row.parents
            if !row.front.isEmpty { files[ident]?.front = row.front }
        }
        for (ident, new) in commit.answers { answers[ident, default: []] += new }
        for (user, growth) in commit.growth { users[user] = (users[user] ?? 0).adding(growth: growth) }
        for name in commit.finishedParts {
            parts[name] = nil
            if let number = staged[name.ident]?.message.number, number <= name.commit { staged[name.ident] = nil }
        }
        return .done
    }

    // MARK: Earlier versions

    /// Returns the states at a version of the objects that have changed since.
    private func images(after version: StreamVersion) -> [ObjectName: MergedObject?] {
        var images: [ObjectName: MergedObject?] = [:]
        for entry in log where entry.version > version {
            for change in entry.changes where images[change.name] == nil { images[change.name] = .some(change.object) }
        }
        return images
    }

    private func step(after cursor: Cursor, objects count: Int, through end: StreamVersion?) -> StreamStep? {
        guard cursor.epoch == head.epoch, cursor.version >= head.logStart, hash(at: cursor.version) == cursor.hash
        else { return nil }
        var order: [ObjectName] = []
        var before: [ObjectName: MergedObject?] = [:]
        var (last, commits, bytes, further) = (cursor.version, [StepCommit](), 0, 0)
        for entry in log where entry.version > cursor.version {
            if order.count >= count || entry.version > end ?? .max { break }
            if bytes >= StreamStep.mostBytes {
                guard further < StreamStep.mostFurtherWeight,
                    entry.changes.allSatisfy({ before[$0.name] != nil })
                else { break }
                further += StreamStep.weight(ofFurther: entry.changes.lazy.map { before[$0.name] ?? nil }, bytes: 0)
            }
            for change in entry.changes where before[change.name] == nil {
                before[change.name] = .some(change.object)
                order.append(change.name)
                bytes += (change.object?.estimatedBytes ?? 0) + (objects[change.name]?.estimatedBytes ?? 0)
            }
            last = entry.version
            if let answer = answer(to: entry.author) { commits.append(StepCommit(entry.author.ident, answer)) }
        }
        let later = images(after: last)
        return StreamStep(
            from: cursor,
            to: Cursor(epoch: head.epoch, version: last, hash: marks[Int(last)].hash),
            clock: marks[Int(last)].clock,
            objects: order.map {
                ObjectStep(name: $0, before: before[$0] ?? nil, after: later[$0] ?? self.objects[$0])
            },
            commits: commits,
            horizon: head.horizon,
            head: head
        )
    }

    /// Returns the stored answer to a commit, or `nil` if it isn't stored. The answers to all commits in the log are stored.
    private func answer(to commit: PartName) -> StoredAnswer? {
        guard let kept = answers[commit.ident] else { return nil }
        let index = kept.partitioned { $0.answer.commit >= commit.commit }
        return index < kept.count && kept[index].answer.commit == commit.commit ? kept[index] : nil
    }

    private func page(_ name: SyncString, after: PrimaryKey?, at version: StreamVersion, _ count: Int) -> ObjectPage? {
        guard version >= head.logStart, version <= head.version else { return nil }
        let later = images(after: version)
        var page = ObjectPage(objects: [], isLast: true, horizon: head.horizon)
        var index = names.partitioned { other in
            other.className == name ? after.map { other.key > $0 } ?? true : other.className > name
        }
        var bytes = 0
        while index < names.count, names[index].className == name {
            if page.objects.count == count || bytes >= ObjectPage.mostBytes {
                page.isLast = false
                break
            }
            if let object = later[names[index]] ?? objects[names[index]], object.isAlive {
                page.objects.append((names[index], object))
                bytes += object.estimatedBytes
            }
            index += 1
        }
        return page
    }

    // MARK: Upkeep

    private mutating func trim(log time: Int64, horizon old: Int64) {
        let behind = marks.partitioned { $0.time >= time }
        let start = StreamVersion(max(behind - 1, 0))
        if start > head.logStart {
            head.logStart = start
            log.removeAll { $0.version <= start }
        }
        // Deletions before the horizon are no longer stored. A client whose cursor is older than the log compares keys with the server.
        var horizon = min(StreamVersion(max(marks.partitioned { $0.time >= old } - 1, 0)), head.logStart)
        for file in files.values where file.time >= old { horizon = min(horizon, file.leastBase ?? horizon) }
        guard horizon > head.horizon else { return }
        head.horizon = horizon
        for (name, var object) in objects {
            if object.trim(horizon: horizon) {
                objects[name] = object
            } else {
                objects[name] = nil
                names.remove(at: names.partitioned { $0 >= name })
            }
        }
        // Before-images must not name slots and objects that were removed at the horizon either.
        log = log.map { entry in
            LogEntry(
                version: entry.version,
                hash: entry.hash,
                clock: entry.clock,
                time: entry.time,
                author: entry.author,
                changes: entry.changes.map { change in
                    guard var object = change.object else { return change }
                    return BeforeImage(name: change.name, object: object.trim(horizon: horizon) ? object : nil)
                }
            )
        }
    }
}
