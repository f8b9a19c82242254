@testable import FreeholdSyncCore

/// What a simulated world remembers of what was done, and what must hold (sync-design.md, section 12).
struct SimulatedChecks {
    let profile: SimulatedProfile
    private var oracle = Oracle()
    private var uploads: [RunningHash: [UploadedCommit]] = [:]
    private var clocks: [FileIdent: Clock] = [:]
    private var lastNow: Int64 = 0
    /// Elements of lists: inserted, removed, of lost files, and of work that two files have without a common hash.
    private var inserted: Set<MergedContent> = []
    private var removed: Set<MergedContent> = []
    private var maybeGone: Set<MergedContent> = []
    private var maybeTwice: Set<MergedContent> = []
    /// Removals were reported, or may be forgotten by a store.
    private var mayReturn = false
    /// The sum of all increments, and how much less or more may be right.
    private var sum: Int64 = 0
    /// The sum of the increments of programs without a file, which a store that goes back forgets.
    private var submitted: Int64 = 0
    private var maybeLess: Int64 = 0
    private var maybeMore: Int64 = 0
    private var logged: Set<ObjectName> = []
    /// A file was copied before it had a number.
    private var isFree = false
    private var history = History()
    /// The histories of backups, by the hashes of their heads.
    private var histories: [RunningHash: History] = [:]
    /// The commits that other copies of their files had sent before. The step can be on its way when the answer is made.
    private var adopted: Set<PartName> = []

    /// The commits of files in the history of a store, and the hashes of its versions.
    private struct History {
        var stored: [FileIdent: [UInt64: StoredAnswer]] = [:]
        var hashes: [StreamVersion: RunningHash] = [:]
    }

    init(_ profile: SimulatedProfile, _ seed: UInt64) {
        self.profile = profile
        oracle.rules.asymmetric = ["Log"]
        oracle.rules.refusesWholeCommits = profile.refusesWhole
        if profile.refusals > 0 {
            oracle.rules.unique = [("Thing", ["mail"])]
            oracle.rules.forbids = Self.forbids(profile.refusals, seed)
        }
    }

    var kinds: [EditGenerator.Kind] {
        switch profile.work {
        case .elements: [.insert, .insert, .remove, .move]
        case .links: EditGenerator.Kind.links
        // The versions have no class for what links lead to there.
        case _ where profile.hasVersions: EditGenerator.Kind.allCases
        default: EditGenerator.Kind.allCases + [.makeTarget, .changeTarget, .removeTarget]
        }
    }

    /// The first asks for everything.
    static func queries(_ index: Int) -> [ClassQuery] {
        [ClassQuery(className: "Thing", condition: ["all", "mail == 1", "count == 0"][index])]
    }

    /// What links lead to comes into views and leaves them.
    func queries(_ index: Int) -> [ClassQuery] {
        switch profile.work {
        case .links:
            Self.queries(0) + [ClassQuery(className: "Other", condition: ["all", "mail == 1", "mail == 2"][index])]
        case .everything: Self.queries(index) + [ClassQuery(className: "Other", condition: "all")]
        default: Self.queries(index)
        }
    }

    static func forbids(_ percent: Int, _ seed: UInt64) -> @Sendable (FileIdent, Commit, ObjectName) -> Bool {
        { ident, commit, name in
            guard commit.number > 1, case .int(let key) = name.key else { return false }
            var random = SeededRandom(seed: seed ^ UInt64(ident.rawValue) << 40 ^ commit.number << 20 ^ UInt64(key))
            return random.next() % 100 < UInt64(percent)
        }
    }

    // MARK: Submissions

    /// Counts an increment that was done.
    ///
    /// - Parameter isOld: A Boolean value that indicates whether the store was replaced since it was asked for.
    mutating func countSubmitted(_ amount: Int64, mayBeGone isOld: Bool) {
        sum += amount
        if isOld { maybeLess += amount } else { submitted += amount }
    }

    /// Counts an increment that was done, or not.
    mutating func maybeCount(_ amount: Int64) { maybeMore += amount }

    // MARK: Work

    mutating func edits(_ client: inout SimulatedWorld.Client, _ random: inout SeededRandom) -> [LocalEdit] {
        let objects = client.store.data.objects.filter { $0.key.className != "Log" }
        let name = objects.keys.filter { $0.className == "Thing" }.sorted().randomElement(using: &random)
        switch profile.work {
        case .everything: return client.generator.transaction(on: objects, &random)
        case .elements, .links: return name == nil ? [] : client.generator.transaction(on: objects, &random)
        case .fields:
            guard let name, random.chance(90), objects.count < 6 || random.chance(99) else {
                guard case .int(let key) = client.generator.value() else { return [] }
                let fields: [SyncString: MergedContent] = ["f": .value(client.generator.value())]
                return [.create(ObjectName("Thing", .int(key)), fields, defaults: [])]
            }
            let place = LocalPlace(name, random.chance(50) ? "f" : "g")
            return [.set(place, .value(client.generator.value()), .real)]
        case .counters:
            guard let name, case .value(.int)? = objects[name]?["count"] else { return [] }
            return [.increment(LocalPlace(name, "count"), .random(in: 1...9, using: &random))]
        case .asymmetric:
            guard case .int(let key) = client.generator.value() else { return [] }
            if random.chance(30), let name { return [.set(LocalPlace(name, "f"), .value(.int(key)), .real)] }
            return [.create(ObjectName("Log", .int(key)), ["f": .value(.int(key))], defaults: [])]
        }
    }

    mutating func note(_ edits: [LocalEdit], _ world: SimulatedWorld, _ index: Int) {
        inserted.formUnion(world.clients[index].generator.inserted)
        removed.formUnion(world.clients[index].generator.removed)
        for case .increment(_, let number) in edits where profile.work == .counters { sum += number }
        for case .create(let name, _, _) in edits where name.className == "Log" { logged.insert(name) }
    }

    mutating func note(_ upload: Upload) {
        guard profile.hasOracle else { return }
        for commit in upload.commits {
            let index = Int(commit.part?.index ?? 0)
            var parts = uploads[commit.hash] ?? []
            parts = Array(parts.prefix(index)) + [commit]
            uploads[commit.hash] = parts
        }
    }

    mutating func note(_ refusals: [Refusal]) {
        for refusal in refusals {
            switch refusal.change {
            case .remove, .move: mayReturn = true
            default: break
            }
        }
    }

    // MARK: Files and stores that change

    /// Records the data that may be lost with the client's file, and the work that may be done twice because the new
    /// file has it without a hash.
    mutating func willReplace(_ client: inout SimulatedWorld.Client, by data: MemoryClientStore.Data) {
        client.seen = [:]
        let own = client.store.data
        let (ownLists, ownSum) = Self.pending(own, after: own.state.acknowledged)
        maybeGone.formUnion(ownLists)
        maybeLess += ownSum
        // Copies of a file that never had a number share none, and recovered work gets its hash when it is sent.
        let isShared =
            data.state.file == nil || data.commits.values.contains { $0.hash == nil } || !data.state.recovery.isEmpty
        if isShared {
            let (lists, sum) = Self.pending(data, after: data.state.acknowledged)
            maybeTwice.formUnion(lists)
            maybeMore += sum
        }
        mayReturn = true
        // Two files that both make an object, since no hash says that they are one, may set its counter twice.
        if data.state.acknowledged == 0 || data.state.file == nil { maybeLess += self.sum }
        if data.state.file == nil { isFree = true }
    }

    private static func pending(
        _ data: MemoryClientStore.Data,
        after number: UInt64
    ) -> (elements: Set<MergedContent>, sum: Int64) {
        var (elements, sum) = (Set<MergedContent>(), Int64(0))
        for entry in data.commits.values where entry.commit.number > number {
            for change in entry.commit.changes {
                if case .insert(_, _, _, let values) = change { elements.formUnion(values.map { .value($0) }) }
                if case .increment(_, let number) = change { sum += number }
                if case .create(_, let fields) = change {
                    for case .list(_, let values) in fields.map(\.content) {
                        elements.formUnion(values.map { .value($0) })
                    }
                }
            }
        }
        for edit in data.local.flatMap(\.edits) {
            if case .insert(_, _, let contents) = edit { elements.formUnion(contents) }
            if case .increment(_, let number) = edit { sum += number }
            if case .create(_, let fields, _) = edit, case .list(let contents)? = fields["list"] {
                elements.formUnion(contents)
            }
        }
        return (elements, sum)
    }

    /// Records the history of a backup, which a store may return to after it had another history.
    mutating func wasBackedUp(_ store: some WorldStore) {
        histories[store.head(of: SimulatedWorld.stream).hash] = history
    }

    mutating func wasReplaced(_ store: some WorldStore) {
        // A store can forget removals that no client has any more.
        mayReturn = true
        maybeLess += submitted
        submitted = 0
        clocks = [:]
        let head = store.head(of: SimulatedWorld.stream)
        lastNow = head.now
        if let kept = histories[head.hash] {
            history = kept
        } else {
            history.stored = history.stored.mapValues { $0.filter { $0.value.answer.version <= head.version } }
            history.hashes = history.hashes.filter { $0.key <= head.version }
        }
    }

    /// Records the effects of a store that returned to an abandoned history. The work of a file in it, which the file
    /// also sent to the other history under another number, is done twice, and no hash shows that.
    mutating func maySendAgain(_ data: MemoryClientStore.Data) {
        var (elements, sum) = Self.pending(data, after: 0)
        for edit in data.state.recovery.flatMap(\.edits) {
            if case .insert(_, _, let contents) = edit { elements.formUnion(contents) }
            if case .increment(_, let number) = edit { sum += number }
        }
        maybeTwice.formUnion(elements)
        maybeMore += sum
    }

    // MARK: Commits

    mutating func committed(_ commit: StoreCommit) -> [String] {
        var problems: [String] = []
        if commit.head.now < lastNow { problems.append("the server's time went back") }
        lastNow = commit.head.now
        for (ident, answers) in commit.answers {
            for answer in answers {
                history.stored[ident, default: [:]][answer.answer.commit] = answer
                if let last = clocks[ident], answer.answer.clock <= last { problems.append("a clock of \(ident) fell") }
                clocks[ident] = answer.answer.clock
            }
        }
        for entry in commit.entries { history.hashes[entry.version] = entry.hash }
        let made = Set(commit.entries.map(\.author))
        for (ident, answers) in commit.answers {
            let names = answers.map { PartName(ident: ident, commit: $0.answer.commit) }
            adopted.formUnion(names.filter { !made.contains($0) })
        }
        guard profile.hasOracle else { return problems }
        for entry in commit.entries {
            let ident = entry.author.ident
            guard let answer = commit.answers[ident]?.first(where: { $0.answer.commit == entry.author.commit }),
                let parts = uploads[answer.hash], let whole = parts.count == 1 ? parts[0].commit : Commit(parts)
            else {
                problems.append("a commit that nobody sent")
                continue
            }
            do {
                let expected = try oracle.apply(whole, from: ident, serverNow: entry.time)
                let answer = answer.answer
                if expected.version != answer.version || expected.clock != answer.clock
                    || expected.refusals != answer.refusals
                {
                    problems.append("the answer is \(answer), expected \(expected)")
                }
            } catch { problems.append("the oracle says \(error)") }
        }
        return problems
    }

    // MARK: Messages of nodes

    /// Returns what is wrong with what one event made of a world in which no session is behind.
    func reads(of actions: [ServerAction]) -> [String] {
        var counts: [Cursor: Int] = [:]
        for case .request(_, let request) in actions {
            if case .step(let cursor, _, _) = request.kind { counts[cursor, default: 0] += 1 }
        }
        // Binds that waited for one head read what each of them missed.
        let bound = actions.count { if case .send(_, .bound) = $0 { true } else { false } }
        return counts.values.filter { $0 > 1 + bound }.map { "\($0) sessions read one step" }
    }

    /// Returns what is wrong with a message to a client.
    func received(_ message: ServerMessage, _ data: MemoryClientStore.Data) -> [String] {
        guard let ident = data.state.file?.ident, let commits = history.stored[ident] else { return [] }
        switch message {
        case .changes(_, let changes):
            // What nodes that don't know of it yet send of a history that was left isn't compared.
            guard history.hashes[changes.to.version] == changes.to.hash else { return [] }
            let own = commits.values.map(\.answer).filter {
                $0.commit > data.state.acknowledged && !adopted.contains(PartName(ident: ident, commit: $0.commit))
            }
            let early = own.filter { $0.version > changes.from.version && $0.version <= changes.to.version }
            return early.map { "its commit \($0.commit) came before the answer" }
        case .ack(_, let ack):
            guard ack.first == data.state.acknowledged + 1 else { return [] }
            return ack.versions.enumerated().compactMap { index, version in
                let number = ack.first + UInt64(index)
                guard let known = commits[number], known.answer.version == version,
                    let hash = data.commits[number]?.hash, hash != known.hash
                else { return nil }
                return "its commit \(number) got the answer to another one"
            }
        default: return []
        }
    }

    // MARK: After each transaction of a client

    func check(_ world: SimulatedWorld, _ index: Int, _ request: StoreRequest) -> [String] {
        let (client, data) = (world.clients[index], world.clients[index].store.data)
        var problems: [String] = []
        // While transactions of the app aren't resolved, objects also show what their work replaces.
        for (name, shadow) in data.shadows where data.local.isEmpty && !data.state.isReset {
            let (shown, expected) = (plain(data.objects[name]), plain(shadow.contents))
            if shown != expected {
                problems.append("client \(index) shows \(name) as \(shown ?? [:]), its shadow says \(expected ?? [:])")
            }
        }
        guard profile.work == .fields else { return problems }
        for (name, contents) in data.objects {
            for property: SyncString in ["f", "g"] {
                guard let value = contents[property], value != .value(.null) else { continue }
                let seen = client.seen[.init(name: name, property: property)] ?? []
                if seen.last != value, seen.contains(value) {
                    problems.append("client \(index) shows \(property) of \(name) as \(value) again, after \(seen)")
                }
            }
        }
        return problems
    }

    func remember(_ client: inout SimulatedWorld.Client) {
        guard profile.work == .fields else { return }
        for (name, contents) in client.store.data.objects {
            for property: SyncString in ["f", "g"] {
                let key = SimulatedWorld.Watched(name: name, property: property)
                guard let value = contents[property], client.seen[key]?.last != value else { continue }
                client.seen[key, default: []].append(value)
            }
        }
    }

    func plain(_ contents: [SyncString: MergedContent]?) -> [SyncString: Content]? {
        contents.map { Content.withoutEmpty($0.mapValues(Content.init)) }
    }

    func shown(_ client: SimulatedWorld.Client) -> [ObjectName: [SyncString: Content]] {
        client.store.data.objects.compactMapValues(plain)
    }

    private static func elements(of lost: LostWork) -> Set<MergedContent> {
        switch lost {
        case .refused: []
        case .discarded(let commit):
            Set(
                commit.changes.flatMap { change -> [MergedContent] in
                    guard case .insert(_, _, _, let values) = change else { return [] }
                    return values.map { .value($0) }
                }
            )
        case .misplaced(let edits):
            Set(
                edits.flatMap { edit -> [MergedContent] in
                    guard case .insert(_, _, let contents) = edit else { return [] }
                    return contents
                }
            )
        }
    }

    private static func increments(of lost: LostWork) -> Int64 {
        switch lost {
        case .refused: 0
        case .discarded(let commit):
            commit.changes.reduce(0) { sum, change in
                if case .increment(_, let number) = change { sum + number } else { sum }
            }
        case .misplaced(let edits):
            edits.reduce(0) { sum, edit in
                if case .increment(_, let number) = edit { sum + number } else { sum }
            }
        }
    }

    // MARK: At rest

    func end(_ world: SimulatedWorld) -> [String] {
        var problems: [String] = []
        let contents = world.store.contents(of: SimulatedWorld.stream)
        for index in world.clients.indices { problems += end(world, index, contents) }
        let stored = contents.mapValues { plain($0.contents) ?? [:] }
        if profile.hasOracle, oracle.stored() != stored { problems.append("the store isn't what the oracle says") }
        if profile.work == .elements || profile.work == .links { problems += elements(contents, world) }
        if profile.work == .counters {
            let total = contents.values.reduce(Int64(0)) { sum, object in
                if case .value(.int(let number))? = object.contents["count"] { sum + number } else { sum }
            }
            // What couldn't be done again in another history was handed to the app.
            let lost = world.clients.flatMap(\.store.data.lost).reduce(Int64(0)) { $0 + Self.increments(of: $1) }
            if !isFree, total < sum - maybeLess - lost || total > sum + maybeMore {
                problems.append("\(total) was counted, not \(sum) (−\(maybeLess + lost), +\(maybeMore))")
            }
        }
        if profile.work == .asymmetric {
            let there = Set(world.store.ingested(of: SimulatedWorld.stream).keys)
            if there != logged { problems.append("\(logged.subtracting(there)) of a create-only class is lost") }
        }
        if !world.submissions.isEmpty { problems.append("\(world.submissions.keys.sorted()) have no answers") }
        for (number, node) in world.nodes.enumerated() {
            problems += node.machine.unfinishedWork.map { "node \(number): \($0)" }
        }
        return problems
    }

    /// What a client must show, and the versions that it must hold.
    private func expected(
        _ world: SimulatedWorld,
        _ index: Int,
        _ contents: [ObjectName: MergedObject],
        _ queries: [ClassQuery]
    ) -> (shown: [ObjectName: [SyncString: Content]], versions: [ObjectName: StreamVersion]) {
        let role = world.profile.hasRoles ? world.roles[SimulatedWorld.user(index)] : SimulatedRole()
        if world.profile.hasVersions {
            let isNew = world.schemaVersion(index) > 0
            let all = SimulatedVersions.expected(contents, queries, role, isNew: isNew)
            return (all.mapValues { plain($0.fields) ?? [:] }, all.mapValues(\.version))
        }
        var visible = contents.filter { name, object in
            queries.contains { query in
                query.className == name.className
                    && (try? SimpleMatcher().compile(name.className, query.condition))?.matches(name, object.contents)
                        == true
            }
        }
        visible = visible.filter { $0.key.className != "Thing" || role.canRead($0.value.contents) }
        let expected = visible.reduce(into: [ObjectName: [SyncString: Content]]()) { all, entry in
            let hidden = entry.key.className == "Thing" ? role.hiddenFields : []
            let shown: [SyncString: MergedContent] = entry.value.contents.filter { !hidden.contains($0.key) }
            all[entry.key] = plain(shown) ?? [:]
        }
        let versions = visible.reduce(into: [:]) { $0[$1.key] = $1.value.version(role.mask(of: $1.key.className)) }
        return (expected, versions)
    }

    private func end(
        _ world: SimulatedWorld,
        _ index: Int,
        _ contents: [ObjectName: MergedObject]
    ) -> [String] {
        var problems: [String] = []
        let data = world.clients[index].store.data
        guard let set = data.state.querySets.last else { return ["client \(index) has no queries"] }
        let (expected, versions) = expected(world, index, contents, set.queries)
        let shown = shown(world.clients[index])
        if shown != expected {
            let different = Set(shown.keys).union(expected.keys).filter { shown[$0] != expected[$0] }.sorted()
            for name in different {
                let (a, b) = (shown[name].map { "\($0)" } ?? "nothing", expected[name].map { "\($0)" } ?? "nothing")
                problems.append("client \(index) shows \(name) as \(a), expected \(b)")
            }
        }
        if data.versions != versions { problems.append("client \(index) holds other versions") }
        if !data.shadows.isEmpty || !data.local.isEmpty || data.state.firstPending <= data.state.lastCommit {
            problems.append("client \(index) still has pending work: \(data.shadows.keys) \(data.state)")
        }
        if set.state != .complete { problems.append("client \(index): \(set.state)") }
        if !data.state.wanted.isEmpty { problems.append("client \(index) wants \(data.state.wanted)") }
        return problems
    }

    private func elements(_ contents: [ObjectName: MergedObject], _ world: SimulatedWorld) -> [String] {
        var shown: [MergedContent] = []
        for object in contents.values {
            for property: SyncString in ["list", "friends"] {
                if case .list(let elements)? = object.contents[property] { shown += elements }
            }
        }
        var problems: [String] = []
        let counts = Dictionary(shown.map { ($0, 1) }, uniquingKeysWith: +)
        for (element, count) in counts where count > 1 && !maybeTwice.contains(element) {
            problems.append("\(element) is there \(count) times")
        }
        // What couldn't be done again in another history was handed to the app.
        let handed = Set(world.clients.flatMap(\.store.data.lost).flatMap(Self.elements))
        let lost = inserted.subtracting(removed).subtracting(maybeGone).subtracting(shown).subtracting(handed)
        if !lost.isEmpty { problems.append("\(lost) is lost") }
        let undead = removed.intersection(shown)
        if !undead.isEmpty, !mayReturn { problems.append("\(undead) was removed and is there") }
        return problems
    }
}
