/// The rows that a group of commits reads and writes, in the machine's memory. If a row is missing, a method throws `RowsMissing` with its name
/// before it changes anything. The machine then reads the row and repeats the call.
struct GroupTransaction: MergeStore, Sendable {
    let expected: StreamHead
    private(set) var head: StreamHead
    /// The rows that were read at the expected head.
    private var rows: StoreRows

    /// The objects that the group changed, in the order of their first change.
    private(set) var objects: [Changed] = []
    private var places: [ObjectName: Int] = [:]
    /// The earlier states of the objects that the present commit changed.
    private var images: [BeforeImage] = []

    struct Changed: Sendable {
        let name: ObjectName
        /// The state before the group.
        let before: MergedObject?
        fileprivate(set) var after: MergedObject
        /// The number of log entries at the last change.
        fileprivate var commit: Int
    }

    private(set) var ingested: [ObjectName: [NewField]] = [:]
    private(set) var files: [FileIdent: FileRow] = [:]
    private(set) var answers: [FileIdent: [StoredAnswer]] = [:]
    private(set) var entries: [LogEntry] = []
    private var clocks: [StreamVersion: Clock] = [:]

    /// The number of bytes that the group's commits add to each user. It is negative if they remove bytes.
    private(set) var growth: [SyncString: Int64] = [:]

    /// The running hash of the present commit's file, and random bits for the hash of the log.
    var commitHash = RunningHash.empty
    /// The bytes that a front end stores together with the present commit.
    var commitFront: FrontBytes?
    var salt: UInt64 = 0
    /// Rules that a test breaks.
    var broken: Set<BrokenRule> = []

    init(_ rows: StoreRows) {
        expected = rows.head
        head = rows.head
        self.rows = rows
    }

    /// Removes the rows after the merge, so that their owner can change them without a copy.
    mutating func forgetRows() { rows = StoreRows(head: expected) }

    /// The step of the stream that the group makes.
    var step: StreamStep {
        var stored: [PartName: StoredAnswer] = [:]
        for (ident, answers) in answers {
            for answer in answers { stored[PartName(ident: ident, commit: answer.answer.commit)] = answer }
        }
        return StreamStep(
            from: expected.cursor,
            to: head.cursor,
            clock: head.clock,
            objects: objects.map { ObjectStep(name: $0.name, before: $0.before, after: $0.after) },
            commits: entries.compactMap { entry in stored[entry.author].map { StepCommit(entry.author.ident, $0) } },
            horizon: head.horizon
        )
    }

    /// Returns an object in the state after the group. Returns `nil` if the group didn't change it.
    func changed(_ name: ObjectName) -> MergedObject? { places[name].map { objects[$0].after } }

    /// Returns the change of an object. Returns `nil` if the group didn't change it.
    func change(of name: ObjectName) -> Changed? { places[name].map { objects[$0] } }

    var version: StreamVersion { head.version }
    var horizon: StreamVersion { head.horizon }
    var now: Int64 { broken.contains(.sharesTime) ? 0 : head.now }

    func greatestClock(upTo version: StreamVersion) throws -> Clock {
        if broken.contains(.outrunsBase) { return .zero }
        if version >= head.version { return head.clock }
        if let clock = clocks[version] ?? rows.clocks[version] { return clock }
        if version == expected.version { return expected.clock }
        throw RowsMissing { $0.clocks = [version] }
    }

    func lastCommit(of ident: FileIdent) throws -> (number: UInt64, clock: Clock) {
        guard let file = file(ident) else { throw RowsMissing { $0.files = [ident] } }
        return (file.last, file.clock)
    }

    /// Returns the parents of a file that have commits in common with it. Parents without common commits (version 0) only serve to find copies. They
    /// are left out, because trimmed elements have the birth 0 and would seem to belong to such a parent.
    func parents(of ident: FileIdent) -> [FileParent] { file(ident)?.parents.filter { $0.version > 0 } ?? [] }

    func file(_ ident: FileIdent) -> FileRow? { files[ident] ?? rows.files[ident] }

    func answer(to commit: UInt64, of ident: FileIdent) -> MergeAnswer? { storedAnswer(to: commit, of: ident)?.answer }

    func storedAnswer(to commit: UInt64, of ident: FileIdent) -> StoredAnswer? {
        answers[ident]?.first { $0.answer.commit == commit } ?? rows.answers[PartName(ident: ident, commit: commit)]
    }

    func object(_ name: ObjectName) throws -> MergedObject? {
        if let place = places[name] { return objects[place].after }
        guard let row = rows.objects[name] else { throw RowsMissing { $0.objects = [name] } }
        return row
    }

    mutating func take(_ name: ObjectName) throws -> MergedObject? { try object(name) }

    mutating func put(_ name: ObjectName, _ object: MergedObject) throws {
        if let place = places[name] {
            if objects[place].commit != entries.count {
                images.append(BeforeImage(name: name, object: objects[place].after))
                objects[place].commit = entries.count
            }
            objects[place].after = object
            return
        }
        guard let row = rows.objects[name] else { throw RowsMissing { $0.objects = [name] } }
        images.append(BeforeImage(name: name, object: row))
        places[name] = objects.count
        objects.append(Changed(name: name, before: row, after: object, commit: entries.count))
    }

    mutating func ingest(_ name: ObjectName, _ fields: [NewField]) {
        if ingested[name] == nil { ingested[name] = fields }
    }

    // MARK: Bytes of users

    /// Returns the number of bytes that a user's commits have added, including those of the group.
    func usedBytes(of user: SyncString) throws -> UInt64 {
        guard let used = rows.users[user] else { throw RowsMissing { $0.users = [user] } }
        return used.adding(growth: growth[user] ?? 0)
    }

    /// Returns the total size of live objects, in bytes.
    func bytes(of names: Set<ObjectName>) throws -> Int64 {
        try names.reduce(0) { sum, name in
            guard let object = try object(name), object.isAlive else { return sum }
            return sum + Int64(object.estimatedBytes)
        }
    }

    /// Counts bytes that a user's commit has added.
    mutating func grow(_ user: SyncString, by bytes: Int64) { growth[user, default: 0] += bytes }

    // MARK: Copies

    /// Returns the commit of another copy of the file with the same running hash. Such a commit was made before the
    /// file was copied.
    func copied(_ hash: RunningHash, of ident: FileIdent) throws -> CopiedCommit? {
        guard let known = rows.copies[ident] else { throw RowsMissing { $0.copies = [ident] } }
        if let copied = known[hash] { return copied }
        for (other, answers) in answers where other != ident {
            if let answer = answers.first(where: { $0.hash == hash }) { return CopiedCommit(other, answer) }
        }
        return nil
    }

    /// Answers a commit that another copy of the file has already sent. The commit receives no version of its own.
    mutating func adopt(_ copied: CopiedCommit, as commit: UInt64, of ident: FileIdent) throws -> StoredAnswer {
        guard var file = file(ident) else { throw RowsMissing { $0.files = [ident] } }
        guard let other = self.file(copied.ident) else { throw RowsMissing { $0.files = [copied.ident] } }
        let known = copied.answer.answer
        let refusals = known.refusals.map { refusal in
            var own = refusal
            own.commit = commit
            return own
        }
        let answer = MergeAnswer(commit: commit, version: known.version, clock: known.clock, refusals: refusals)
        let stored = StoredAnswer(answer: answer, hash: copied.answer.hash)
        (file.last, file.hash, file.clock) = (commit, stored.hash, max(file.clock, known.clock))
        // The other copy may have adopted the commit as well. Elements have the number of the file that created them.
        let line = other.parents.map { FileParent(ident: $0.ident, version: min($0.version, known.version)) }
        for parent in (line.reversed() + [FileParent(ident: copied.ident, version: known.version)])
        where parent.ident != ident {
            let version = file.parents.first { $0.ident == parent.ident }.map { max($0.version, parent.version) }
            file.parents.removeAll { $0.ident == parent.ident }
            file.parents.insert(FileParent(ident: parent.ident, version: version ?? parent.version), at: 0)
        }
        files[ident] = file
        answers[ident, default: []].append(stored)
        return stored
    }

    mutating func finish(_ answer: MergeAnswer, of ident: FileIdent, now: Int64) throws {
        guard var file = file(ident) else { throw RowsMissing { $0.files = [ident] } }
        (file.last, file.hash, file.clock) = (answer.commit, commitHash, answer.clock)
        if let commitFront {
            file.front = FrontRow.stored(commitFront.head + commitFront.rest, version: answer.version)
        }
        files[ident] = file
        answers[ident, default: []].append(StoredAnswer(answer: answer, hash: commitHash))
        head.version = answer.version
        head.clock = max(head.clock, answer.clock)
        head.now = now
        let words = [UInt64(ident.rawValue), answer.commit, answer.clock.rawValue, commitHash.high, commitHash.low]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        head.hash = head.hash.appending(bytes, salt: salt)
        clocks[head.version] = head.clock
        entries.append(
            LogEntry(
                version: head.version,
                hash: head.hash,
                clock: head.clock,
                time: now,
                author: PartName(ident: ident, commit: answer.commit),
                changes: images
            )
        )
        images = []
    }

    func objects(linkingTo name: ObjectName, by property: MergeRules.Property) throws -> [ObjectName] {
        let query = LinkQuery(target: name, property: property)
        guard let stored = rows.links[query] else { throw RowsMissing { $0.links = [query] } }
        return stored + objects.lazy.map(\.name).filter { $0.className == property.className }
    }

    func objects(
        of className: SyncString,
        holding values: [SetElement],
        in properties: [SyncString]
    ) throws -> [ObjectName] {
        let query = HolderQuery(className: className, values: values, properties: properties)
        guard let stored = rows.holders[query] else { throw RowsMissing { $0.holders = [query] } }
        return stored + objects.lazy.map(\.name).filter { $0.className == className }
    }
}

struct RowsMissing: Error {
    var query = RowQuery()

    init(_ body: (inout RowQuery) -> Void) { body(&query) }
}

extension RowQuery {
    /// Calls a closure. If it throws `RowsMissing`, the missing rows are collected and the error isn't thrown.
    mutating func note(_ body: () throws -> Void) rethrows {
        do { try body() } catch let rows as RowsMissing { formUnion(rows.query) }
    }
}
