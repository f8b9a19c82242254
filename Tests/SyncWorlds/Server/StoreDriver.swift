@testable import FreeholdSyncCore

/// Commits into a store as a server's machine does, without sessions.
struct StoreDriver<Store: WorldStore> {
    static var stream: StreamName { StreamName(app: "app") }

    var store: Store
    let merge: StreamMerge
    private(set) var refusedCommits = 0
    private var idents: [FileIdent: FileIdent] = [:]

    init(_ store: Store, _ rules: MergeRules = MergeRules()) {
        self.store = store
        merge = StreamMerge(rules)
    }

    /// The number that the store assigns to a file.
    mutating func file(_ ident: FileIdent) -> FileIdent {
        if let known = idents[ident] { return known }
        let secret = SecretHash(FileSecret(high: UInt64(ident.rawValue), low: 1))
        let kind = ServerStoreRequest.Kind.makeFile(user: "anna", secret: secret, parents: [], clock: .zero)
        guard case .file(let row) = store.perform(ServerStoreRequest(Self.stream, kind)) else { return ident }
        idents[ident] = row.ident
        return row.ident
    }

    private mutating func read(_ query: RowQuery, _ rows: inout StoreRows) {
        guard case .rows(let new) = store.perform(ServerStoreRequest(Self.stream, .read(query))) else { return }
        rows.objects.merge(new.objects) { $1 }
        rows.files.merge(new.files) { $1 }
        rows.answers.merge(new.answers) { $1 }
        rows.clocks.merge(new.clocks) { $1 }
        rows.links.merge(new.links) { $1 }
        rows.holders.merge(new.holders) { $1 }
        rows.head = new.head
    }

    /// Merges commits in one transaction. Commits that are too old or too early are left out.
    ///
    /// - Returns: The answer of the store in files.
    @discardableResult
    mutating func commit(_ commits: [(FileIdent, Commit, now: Int64)]) -> ServerStoreAnswer {
        let commits = commits.map { (file($0.0), $0.1, $0.now) }
        var rows = StoreRows(head: store.head(of: Self.stream))
        while true {
            var transaction = GroupTransaction(rows)
            do {
                for (ident, commit, now) in commits {
                    do {
                        transaction.commitHash = RunningHash.empty.appending([1], salt: commit.number)
                        transaction.salt = transaction.version
                        _ = try merge.apply(commit, from: ident, now: now, to: &transaction)
                    } catch is MergeError { refusedCommits += 1 }
                }
            } catch let missing as RowsMissing {
                read(missing.query, &rows)
                continue
            } catch { return .failed(.unavailable("test")) }
            guard !transaction.entries.isEmpty else { return .done }
            var commit = StoreCommit(expected: transaction.expected, head: transaction.head)
            commit.entries = transaction.entries
            commit.objects = transaction.objects.map { ($0.name, $0.after) }
            commit.ingested = transaction.ingested
            commit.files = transaction.files
            // Every third commit is that of a front end.
            for ident in commit.files.keys where transaction.head.version % 3 == 0 {
                commit.files[ident]?.front = [UInt8](repeating: UInt8(ident.rawValue & 255), count: 12)
            }
            commit.answers = transaction.answers
            return store.perform(ServerStoreRequest(Self.stream, .commit(commit)))
        }
    }

    // MARK: Questions

    /// Asks about anything.
    mutating func ask(_ random: inout SeededRandom) {
        let head = store.head(of: Self.stream)
        let names = store.contents(of: Self.stream).keys.sorted()
        func perform(_ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
            store.perform(ServerStoreRequest(Self.stream, kind))
        }
        let version = StreamVersion.random(in: 0...head.version, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
            let query = FileQuery(ident: nil, acknowledged: 0, cursor: version)
            guard case .bind(let answer) = perform(.bind(query)), let hash = answer.cursor else { return }
            let cursor = Cursor(epoch: head.epoch, version: version, hash: hash)
            let end = random.chance(50) ? StreamVersion.random(in: 0...head.version + 1, using: &random) : nil
            _ = perform(.step(after: cursor, objects: .random(in: 1...8, using: &random), through: end))
        case 2, 3:
            guard let name = names.randomElement(using: &random) else { return }
            var key: PrimaryKey? = random.chance(30) ? name.key : nil
            let at = random.chance(50) ? head.version : version
            let count = Int.random(in: 1...5, using: &random)
            for _ in 0..<20 {
                guard case .page(let page?) = perform(.page(class: name.className, after: key, at: at, objects: count)),
                    !page.isLast, let last = page.objects.last
                else { return }
                key = last.name.key
            }
        case 4 where random.chance(50):
            let wanted = (0..<4).compactMap { _ in names.randomElement(using: &random) }
            for name in Set(wanted.map(\.className)).sorted() {
                let keys = wanted.map(\.key) + [1, "none", .null]
                _ = perform(.keys(keys, class: name, at: random.chance(50) ? head.version : version))
            }
        case 4:
            let wanted = (0..<4).compactMap { _ in names.randomElement(using: &random) }
            _ = perform(.objects(wanted + [ObjectName("Nothing", 1)], at: version))
        case 5:
            var query = RowQuery()
            query.clocks = [version]
            query.objects = Set(names.prefix(20) + [ObjectName("Thing", "none")])
            query.files = Set(idents.values)
            for ident in idents.values { query.answers.insert(PartName(ident: ident, commit: version)) }
            if let name = names.randomElement(using: &random) {
                for property in ["keeper", "mixed", "list", "link"] as [SyncString] {
                    let property = MergeRules.Property(className: "Thing", property: property)
                    query.links.insert(LinkQuery(target: name, property: property))
                }
                if case .value(let value)? = store.contents(of: Self.stream)[name]?.content("mail"),
                    let element = SetElement(value)
                {
                    query.holders.insert(
                        HolderQuery(className: name.className, values: [element], properties: ["mail"])
                    )
                }
            }
            _ = perform(.read(query))
        default:
            guard let ident = idents.values.sorted().randomElement(using: &random) else { return }
            let last = store.files(of: Self.stream)[ident]?.last ?? 0
            let acknowledged = UInt64.random(in: 0...last, using: &random)
            _ = perform(.bind(FileQuery(ident: ident, acknowledged: acknowledged, cursor: version, bootstrap: 0)))
            if random.chance(30) {
                _ = perform(
                    .noteFile(ident, acknowledged: acknowledged, leastBase: version, time: Int64(version))
                )
            }
            if random.chance(30) {
                let queries = Queries(
                    version: version,
                    queries: [ClassQuery(className: SyncString("C\(version)"), condition: "x")]
                )
                _ = perform(.noteQueries(ident, queries, isComplete: random.chance(50)))
            }
            if random.chance(30) {
                let bytes = (0..<random.number(0..<70)).map { UInt8(truncatingIfNeeded: $0 &* Int(version + 3)) }
                _ = perform(.noteFront(ident, bytes))
            }
        }
    }
}
