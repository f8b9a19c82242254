import Foundation
import Testing

@testable import FreeholdEngine

/// Random commits on a graph of objects, observed by random queries, objects and collections. Their reports are
/// compared with new runs and with walks from every element.
struct ObservationModelTests {
    struct Run: CustomStringConvertible, Sendable {
        let seed: UInt64
        let span: Int
        var description: String { "seed \(seed) span \(span)" }
    }

    static let runs: [Run] = {
        let first = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? 1
        return (first..<first + UInt64(TestBudget.cases(6, soak: 300))).map { seed in
            Run(seed: seed, span: [4, 16, 1000][Int(seed % 3)])
        }
    }()

    @Test(arguments: runs) func `observers of random graphs report the same changes as a comparison`(_ run: Run) throws
    {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.clusterSpan = run.span
        options.mapSize = 1 << 30
        var driver = try ObservationDriver(run.seed, folder.file(), options)
        try driver.run(rounds: TestBudget.cases(10, soak: 40))
        expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
    }
}

struct ObservationDriver {
    private var graph: GraphDriver
    private var predicates: RandomPredicates
    private var random: SeededRandom
    private let log: ChangeLog
    private var last: Snapshot
    private var queries: [(ObservedQuery, WatchedPaths)] = []
    private var objects: [(ObservedObject, [PropertyPath]?)] = []
    private var collections: [Watched] = []
    private(set) var problems: [String] = []

    private struct Watched {
        let column: Column
        let owner: ObjectKey
        let watched: WatchedPaths
        var list: ObservedCollection
        var dictionary: ObservedDictionary
    }

    init(_ seed: UInt64, _ path: String, _ options: Database.Options) throws {
        graph = try GraphDriver(seed: seed, path: path, options: options)
        random = SeededRandom(seed: seed &+ 77)
        try graph.run(transactions: 3, operations: 80)
        log = ChangeLog(graph.database)
        last = try graph.database.snapshot()
        predicates = RandomPredicates(schema: last.schema, random: SeededRandom(seed: seed &+ 5))
    }

    private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
    private mutating func one<T>(_ all: [T]) -> T { all.randomElement(using: &random)! }

    mutating func run(rounds: Int) throws {
        for _ in 0..<rounds where problems.isEmpty {
            while queries.count < 24 { addQuery() }
            while objects.count < 6 { addObject() }
            while collections.count < 12 { addCollection() }
            try graph.run(transactions: one([1, 1, 1, 3]), operations: one([2, 8, 60]))
            problems += graph.problems
            let next = try graph.database.snapshot()
            let changes = self.changes(to: next)
            let naive = NaiveObserver(changes, next)
            for i in queries.indices { check(i, next, changes, naive) }
            for i in objects.indices { checkObject(i, next, changes, naive) }
            for i in collections.indices { checkCollection(i, next, changes, naive) }
            last = next
            // Other observers replace them, so that more cases are tested.
            queries = queries.filter { _ in !chance(8) }
            objects.removeAll { $0.0.isDeleted }
            collections.removeAll { $0.list.isOwnerDeleted }
        }
    }

    /// From memory, from the file, or by comparison; these agree.
    private mutating func changes(to next: Snapshot) -> VersionChanges {
        let kept = log.changes(from: last, to: next)
        if kept.isCompared { problems.append("no records of \(last.version)…\(next.version)") }
        let stored =
            last.version == next.version
            ? [] : (last.version + 1...next.version).map { next.changes(ofVersion: $0)! }
        if log.records(from: last, to: next) != stored { problems.append("kept and stored records differ") }
        let compared = VersionChanges(comparing: last, with: next)
        for id in Set(kept.tables.keys).union(compared.tables.keys) {
            let a = kept.tables[id] ?? .init()
            let b = compared.tables[id] ?? .init()
            if a.inserted != b.inserted { problems.append("inserted \(a.inserted), compared: \(b.inserted)") }
            if a.deleted != b.deleted { problems.append("deleted \(a.deleted), compared: \(b.deleted)") }
            for (column, keys) in b.modified where !Set(keys).isSubset(of: a.modified[column] ?? []) {
                problems.append("column \(column) differs in \(keys), recorded: \(a.modified[column] ?? [])")
            }
        }
        return chance(4) ? compared : kept
    }

    // MARK: Paths

    private mutating func sortPath(_ table: Table) -> PropertyPath {
        var steps: [PathStep] = []
        var at = table
        while steps.count < 2, chance(3) {
            let links = at.columns.filter { $0.type == .link && $0.collection == .none }
            if links.isEmpty { break }
            let link = one(links)
            steps.append(.link(link))
            at = last.schema.table(id: link.targetTableID!)!
        }
        return PropertyPath(steps, one(at.columns.filter { $0.collection == .none }))
    }

    private mutating func watched(_ table: Table) -> WatchedPaths {
        if chance(2) { return .deep }
        if chance(4) { return .shallow }
        return .paths((0..<Int.random(in: 1..<4, using: &random)).map { _ in watchedPath(table) })
    }

    private mutating func watchedPath(_ table: Table) -> PropertyPath {
        var path = predicates.path(table)
        path.subscripts = []
        path.quantifier = .any
        return path
    }

    /// Step by step, or all at once, as if much had changed.
    private mutating func limits() -> ObservationLimits {
        ObservationLimits(rerun: chance(6) ? 0 : 1024, back: chance(4) ? 0 : 1000)
    }

    // MARK: Queries

    private mutating func addQuery() {
        let table = one(last.schema.tables)
        var query = RowQuery(table: table, stages: [])
        if !chance(4) { query.stages.append(.filter(predicates.predicate(table, depth: one([0, 1, 2])))) }
        if chance(2) {
            let keys = (0..<Int.random(in: 1..<3, using: &random)).map { _ in
                SortKey(sortPath(table), ascending: chance(2))
            }
            query.stages.append(.sort(keys))
        }
        if chance(6) { query.stages.append(.distinct([sortPath(table)])) }
        if chance(4) { query.stages.append(.offset(Int.random(in: 0..<4, using: &random))) }
        if chance(3) { query.stages.append(.limit(Int.random(in: 0..<12, using: &random))) }
        if chance(8) { query.stages.append(.filter(predicates.predicate(table, depth: 0))) }
        let watched = watched(table)
        let observed = ObservedQuery(query, from: origin(table), watching: watched, in: last, limits: limits())
        queries.append((observed, watched))
    }

    private mutating func origin(_ table: Table) -> ObservedQuery.Origin {
        guard chance(3) else { return .table }
        if chance(3) {
            let all =
                last.schema.linkColumns(to: table)
                + last.schema.tables.flatMap(\.columns).filter { $0.type == .mixed }.map {
                    $0.asBacklinkColumn(to: table)
                }
            guard let target = last.keys(table).randomElement(using: &random) else { return .table }
            // Backlinks are of the origin's table.
            let column = one(all)
            return column.tableID == table.id ? .backlinks(column, target) : .table
        }
        let columns = last.schema.linkColumns(to: table).filter { $0.collection != .none }
        guard let column = columns.randomElement(using: &random),
            let owner = last.keys(last.schema.table(of: column)).randomElement(using: &random)
        else { return .table }
        return .collection(column, owner)
    }

    private mutating func check(
        _ i: Int,
        _ next: Snapshot,
        _ changes: VersionChanges,
        _ naive: NaiveObserver
    ) {
        let old = queries[i].0
        let found = queries[i].0.advance(to: next, changes)
        let observed = queries[i].0
        let note = "version \(next.version), \(old.query.stages) from \(old.origin) watching \(queries[i].1)"
        var fresh = old.query
        if old.origin != .table { fresh.source = old.origin.source(in: next) }
        let expected = fresh.keys(in: next)
        if observed.keys.array != expected {
            problems.append("\(note): \(observed.keys.array), not \(expected), before \(old.keys.array)")
        }
        if let found, found.isEmpty { problems.append("\(note): an empty change") }
        let before = old.keys.array
        let after = observed.keys.array
        let changeset = found ?? CollectionChanges()
        let wrong = changeset.problems(from: before, to: after) { i, j in
            before[i] == after[j] && !naive.isModified(old.query.table, after[j], queries[i0(i)].1)
        }
        problems += wrong.prefix(3).map { "\(note): \($0)" }
        func i0(_: Int) -> Int { i }
        for at in changeset.modifications where !naive.isModified(old.query.table, before[at], queries[i].1) {
            problems.append("\(note): \(before[at]) isn't modified")
        }
        // In the order of keys, no object moves.
        guard old.origin == .table,
            !old.query.stages.contains(where: { if case .sort = $0 { true } else { false } })
        else { return }
        if Set(changeset.deletions.map { before[$0] }) != Set(before).subtracting(after) {
            problems.append("\(note): moves in an unsorted result")
        }
    }

    // MARK: Objects

    private mutating func addObject() {
        let table = one(last.schema.tables)
        guard let key = last.keys(table).randomElement(using: &random) else {
            // A table can be empty; then an object that was never there is watched.
            objects.append((ObservedObject(table, ObjectKey(1 << 20), in: last), nil))
            return
        }
        let paths = chance(2) ? nil : (0..<Int.random(in: 1..<4, using: &random)).map { _ in watchedPath(table) }
        objects.append((ObservedObject(table, key, paths: paths, in: last), paths))
    }

    private mutating func checkObject(
        _ i: Int,
        _ next: Snapshot,
        _ changes: VersionChanges,
        _ naive: NaiveObserver
    ) {
        let old = objects[i].0
        let found = objects[i].0.advance(to: next, changes)
        var expected: ObservedObject.Change?
        if !old.isDeleted, !next.contains(old.table, old.key) {
            expected = .deleted
        } else if !old.isDeleted {
            let paths = objects[i].1
            let columns = old.table.columns.map(\.id).filter { id in
                let isWatched = paths?.contains { path in
                    switch path.steps.first {
                    case nil: path.column?.id == id
                    case .link(let link), .element(let link, _): link.id == id
                    case .backlink: false
                    }
                }
                return isWatched ?? true && changes.tables[old.table.id]?.modified[id]?.contains(old.key) ?? false
            }
            let fired = (paths ?? []).indices.filter { naive.isModified(old.table, old.key, paths![$0]) }
            if !columns.isEmpty || !fired.isEmpty { expected = .modified(columns: columns, paths: fired) }
        }
        if found != expected {
            problems.append("\(next.version), \(old.table) \(old.key): \(found as Any), not \(expected as Any)")
        }
    }

    // MARK: Collections

    private mutating func addCollection() {
        let columns = last.schema.tables.filter { last.count($0) > 0 }.flatMap(\.columns).filter {
            $0.collection != .none
        }
        // Every table except the embedded ones has some objects most of the time.
        guard let column = columns.randomElement(using: &random) else {
            let column = one(last.schema.tables[0].columns.filter { $0.collection == .list })
            return add(column, ObjectKey(1 << 20), .deep)
        }
        let owner = one(last.keys(last.schema.table(of: column)))
        let target = column.targetTableID.flatMap(last.schema.table(id:))
        add(column, owner, target.map { watched($0) } ?? .deep)
    }

    private mutating func add(_ column: Column, _ owner: ObjectKey, _ watched: WatchedPaths) {
        collections.append(
            Watched(
                column: column,
                owner: owner,
                watched: watched,
                list: ObservedCollection(column, of: owner, watching: watched, in: last, limits: limits()),
                dictionary: ObservedDictionary(column, of: owner, watching: watched, in: last, limits: limits())
            )
        )
    }

    private mutating func checkCollection(
        _ i: Int,
        _ next: Snapshot,
        _ changes: VersionChanges,
        _ naive: NaiveObserver
    ) {
        let it = collections[i]
        if it.list.isOwnerDeleted { return }
        let table = last.schema.table(of: it.column)
        let isGone = !next.contains(table, it.owner)
        let note = "\(next.version), \(table).\(it.column) of \(it.owner)"
        func isModified(_ value: Value) -> Bool {
            switch value {
            case .link(let key):
                return naive.isModified(next.schema.table(id: it.column.targetTableID!)!, key, it.watched)
            default:
                var isHit = false
                value.forEachObjectLink { link in
                    if naive.isModified(next.schema.table(id: link.tableID)!, link.key, it.watched) { isHit = true }
                }
                return isHit
            }
        }
        if it.column.collection == .dictionary {
            let found = collections[i].dictionary.advance(to: next, changes)
            _ = collections[i].list.advance(to: next, changes)
            let old = Dictionary(uniqueKeysWithValues: last.dictionaryEntries(it.column, it.owner).map { ($0, $1) })
            let new =
                isGone
                ? [:] : Dictionary(uniqueKeysWithValues: next.dictionaryEntries(it.column, it.owner).map { ($0, $1) })
            let change = found ?? DictionaryChanges()
            if Set(change.deletions) != Set(old.keys).subtracting(new.keys)
                || Set(change.insertions) != Set(new.keys).subtracting(old.keys)
            {
                problems.append("\(note): \(change) of \(old.keys) to \(new.keys)")
            }
            for (key, value) in new where old[key] != nil {
                let isSame = old[key] == value && !isModified(value)
                if !isSame, !change.modifications.contains(key) { problems.append("\(note): \(key) isn't modified") }
            }
            for list in [change.deletions, change.insertions, change.modifications]
            where zip(list, list.dropFirst()).contains(where: { Value.compareBytes($0, with: $1) >= 0 }) {
                problems.append("\(note): \(list) don't rise")
            }
            return
        }
        let found = collections[i].list.advance(to: next, changes)
        let old = last.listValues(it.column, it.owner)
        let new = isGone ? [] : next.listValues(it.column, it.owner)
        if let found, found.isEmpty, !isGone { problems.append("\(note): an empty change") }
        let wrong = (found ?? CollectionChanges()).problems(from: old, to: new) { i, j in
            old[i] == new[j] && !isModified(new[j])
        }
        problems += wrong.prefix(3).map { "\(note): \($0) \(old) → \(new)" }
    }
}
