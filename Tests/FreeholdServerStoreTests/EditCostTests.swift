import Foundation
import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The cost of commits at a server: it grows with the number of edits, and not with the product of that number and the size of the object.
@Suite(.serialized) struct EditCostTests {
    static let name = ObjectName("Thing", 1)

    // MARK: The schema

    @Test(arguments: [true, false])
    func `The growth of classes and columns takes linear time`(areClasses: Bool) throws {
        func cost(_ count: Int) throws -> Double {
            var server = try CostServer()
            defer { server.remove() }
            let changes = (0..<count).map { index -> Change in
                areClasses
                    ? .create(ObjectName(SyncString("Class\(index)"), 1), [NewField("n", .value(1))])
                    : .create(
                        ObjectName(SyncString("Class\(index % 5)"), .int(Int64(index / 5))),
                        (0..<20).map { NewField(SyncString("field\(index / 5)_\($0)"), .value(1)) }
                    )
            }
            return try server.commit(changes).store
        }
        let count = areClasses ? 200 : 50
        let small = try CPUTime.least { try cost(count) }
        let large = try CPUTime.least { try cost(count * 4) }
        print("growth of \(areClasses ? "classes" : "columns"): \(small), 4 times as many: \(large)")
        expect(CPUTime.isLinear(small, large), "\(small) \(large)")
    }

    @Test func `Links to missing objects of many classes take linear time`() throws {
        func cost(_ count: Int) throws -> Double {
            var server = try CostServer()
            defer { server.remove() }
            let classes = (0..<count).map { SyncString("Class\($0)") }
            _ = try server.commit(classes.map { .create(ObjectName($0, 1), []) })
            let changes = classes.indices.map { index -> Change in
                let target = ObjectName(classes[(index + 1) % count], 2)
                return .create(ObjectName(classes[index], 3), [NewField("link", .value(.link(target)))])
            }
            return try server.commit(changes).store
        }
        let small = try CPUTime.least { try cost(100) }
        let large = try CPUTime.least { try cost(400) }
        print("links: \(small), 4 times as many: \(large)")
        // A schema with one more table has copies of the lists of all tables.
        expect(CPUTime.isLinear(small, large, factor: 6), "\(small) \(large)")
    }

    // MARK: Edits

    /// Returns one commit with `count` edits of a value with `size` members.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var size = 0
        let create: @Sendable (_ size: Int) -> [NewField]
        let edit: @Sendable (_ index: Int, _ size: Int) -> Change
    }

    static func key(_ index: Int) -> SyncString { SyncString("key\(index)") }
    static func place(_ path: Place.Step...) -> Place { Place(name, path) }
    @Sendable static func set(_ size: Int) -> [NewField] { [NewField("set", .set((0..<size).map { .int(Int64($0)) }))] }
    @Sendable static func entries(_ size: Int) -> [NewField] {
        [NewField("dictionary", .dictionary(SyncDictionary((0..<size).map { (key($0), .int(1)) })))]
    }
    @Sendable static func mixed(_ size: Int) -> [NewField] {
        let inner = SyncDictionary((0..<size).map { (key($0), .int(1)) })
        return [NewField("mixed", .value(.dictionary(SyncDictionary([("a", .dictionary(inner))]))))]
    }
    @Sendable static func list(_ size: Int) -> [NewField] {
        [NewField("list", .list(first: 1, (0..<size).map { .int(Int64($0)) }))]
    }

    static let cases: [Case] = [
        Case(testDescription: "inserts into a set", create: set) {
            .insertIntoSet(place(.property("set")), [.int(Int64($1 + $0))])
        },
        Case(testDescription: "removals from a set", create: set) { index, _ in
            .removeFromSet(place(.property("set")), [.int(Int64(index))])
        },
        Case(testDescription: "clears of a set", create: set) { index, size in
            index % 2 == 0
                ? .clearSet(place(.property("set")), hidden: [])
                : .insertIntoSet(place(.property("set")), [.int(Int64(index))])
        },
        Case(testDescription: "new entries", create: entries) {
            .set(place(.property("dictionary"), .entry(key($1 + $0))), 1, .real)
        },
        Case(testDescription: "removed entries", create: entries) { index, _ in
            .removeEntry(place(.property("dictionary"), .entry(key(index))))
        },
        Case(testDescription: "nested entries", create: mixed) {
            .set(place(.property("mixed"), .nested("a"), .nested(key($0))), .int(Int64($1)), .real)
        },
        Case(testDescription: "new nested entries", create: mixed) {
            .set(place(.property("mixed"), .nested("a"), .nested(key($0 + $1))), .int(Int64($1)), .real)
        },
        Case(testDescription: "removed nested entries", create: mixed) { index, _ in
            .removeEntry(place(.property("mixed"), .nested("a"), .nested(key(index))))
        },
        Case(testDescription: "nested entries and their dictionary in turns", create: mixed) { index, _ in
            index % 2 == 0
                ? .set(place(.property("mixed"), .nested("a")), .dictionary(SyncDictionary([("x", 1)])), .real)
                : .set(place(.property("mixed"), .nested("a"), .nested(key(index))), 2, .real)
        },
        Case(testDescription: "increments of nested entries", create: mixed) { index, _ in
            .increment(place(.property("mixed"), .nested("a"), .nested(key(index))), 1)
        },
        Case(testDescription: "inserts into a list", create: list) { index, size in
            .insert(
                place(.property("list")),
                Gap(after: .confirmed(index * 7 % (size - 1)), before: .confirmed(index * 7 % (size - 1) + 1)),
                first: OwnNumber(size + index + 1),
                [.int(Int64(index))]
            )
        },
        Case(testDescription: "clears of a list", create: list) { index, size in
            index % 2 == 0
                ? .clearList(place(.property("list")), hidden: [])
                : .insert(
                    place(.property("list")),
                    Gap(after: nil, before: nil),
                    first: OwnNumber(size + index + 1),
                    [.int(Int64(index))]
                )
        },
    ]

    @Test(arguments: cases) func `A commit of many edits takes linear time`(item: Case) throws {
        func cost(_ count: Int) throws -> CostServer.Costs {
            var server = try CostServer()
            defer { server.remove() }
            _ = try server.commit([.create(Self.name, item.create(count))])
            return try server.commit((0..<count).map { item.edit($0, count) })
        }
        func pairs(_ small: CostServer.Costs, _ large: CostServer.Costs) -> [(String, Double, Double)] {
            [
                ("merge", small.merge, large.merge), ("step", small.step, large.step),
                ("store", small.store, large.store), ("read", small.read, large.read),
            ]
        }
        let count = 1_500
        var (small, large) = (try cost(count), try cost(count * 4))
        // Other work on the machine can only make a measurement larger.
        for _ in 0..<3 where !pairs(small, large).allSatisfy({ CPUTime.isLinear($1, $2) }) {
            large = large.least(try cost(count * 4))
        }
        print("\(item.testDescription): \(small), 4 times as many of 4 times as many: \(large)")
        for (name, small, large) in pairs(small, large) {
            expect(CPUTime.isLinear(small, large), "\(item.testDescription), \(name): \(small) \(large)")
        }
    }
}

/// A stream's store and what a server's machine does with a commit, without sessions.
struct CostServer {
    /// Seconds of processor time.
    struct Costs: CustomStringConvertible {
        var merge = 0.0
        /// The part that sessions receive.
        var step = 0.0
        var store = 0.0
        /// One read of the objects from the file, afterwards.
        var read = 0.0

        /// Returns the smaller one of each figure.
        func least(_ other: Costs) -> Costs {
            Costs(
                merge: min(merge, other.merge),
                step: min(step, other.step),
                store: min(store, other.store),
                read: min(read, other.read)
            )
        }

        var description: String {
            [("merge", merge), ("step", step), ("store", store), ("read", read)]
                .map { "\($0.0) \(Int($0.1 * 1e6)) µs" }.joined(separator: ", ")
        }
    }

    private let folder = NSTemporaryDirectory() + "freehold-cost-" + UUID().uuidString
    private let store: FileServerStore
    private let merge = StreamMerge(MergeRules())
    private let view: View
    private var ident = FileIdent(rawValue: 1)
    private var rows: StoreRows
    private(set) var number: UInt64 = 0
    private(set) var messages: [ClassBatch] = []

    init(_ classes: [SyncString] = ["Thing"]) throws {
        var options = FileServerStore.Options()
        options.mapSize = 1 << 30
        store = try FileServerStore(at: folder, epoch: 1, options: options)
        view = View(
            Queries(version: 1, queries: classes.map { ClassQuery(className: $0, condition: "TRUEPREDICATE") }),
            QueryMatcher()
        )
        rows = StoreRows(head: StreamHead(epoch: 1))
        let secret = SecretHash(FileSecret(high: 1, low: 1))
        guard case .file(let row) = perform(.makeFile(user: "anna", secret: secret, parents: [], clock: .zero)) else {
            return
        }
        ident = row.ident
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private func perform(_ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
        store.perform(ServerStoreRequest(StreamDriver.stream, kind))
    }

    private mutating func read(_ query: RowQuery) {
        guard case .rows(let new) = perform(.read(query)) else { return }
        if new.head != rows.head { rows = StoreRows(head: new.head) }
        rows.objects.merge(new.objects) { $1 }
        rows.files.merge(new.files) { $1 }
        rows.clocks.merge(new.clocks) { $1 }
    }

    /// - Parameter seen: The version that the author saw, or `nil` for the newest.
    mutating func commit(_ changes: [Change], clock: Int64? = nil, seen: StreamVersion? = nil) throws -> Costs {
        number += 1
        var costs = Costs()
        let base = seen ?? rows.head.version
        let commit = Commit(
            number: number,
            clock: Clock(milliseconds: clock ?? Int64(number) * 60_000),
            base: base,
            seen: base == 0 ? [:] : Dictionary(changes.map { ($0.object, base) }) { first, _ in first },
            changes: changes
        )
        while true {
            var transaction = GroupTransaction(rows)
            do {
                transaction.commitHash = RunningHash.empty.appending([1], salt: number)
                let start = CPUTime.now
                let answer = try merge.apply(commit, from: ident, now: Int64(number) * 60_000, to: &transaction)
                costs.merge = CPUTime.now - start
                expectEqual(answer.refusals.count, 0)
            } catch let missing as RowsMissing {
                read(missing.query)
                continue
            }
            transaction.forgetRows()
            var stored = StoreCommit(expected: transaction.expected, head: transaction.head)
            stored.entries = transaction.entries
            stored.objects = transaction.objects.map { ($0.name, $0.after) }
            stored.files = transaction.files
            stored.answers = transaction.answers
            let (answer, seconds) = CPUTime.spent { perform(.commit(stored)) }
            guard case .done = answer else { throw CostError(answer: "\(answer)") }
            costs.store = seconds
            let step = StreamStep(
                from: transaction.expected.cursor,
                to: transaction.head.cursor,
                clock: transaction.head.clock,
                objects: transaction.objects.map { ObjectStep(name: $0.name, before: $0.before, after: $0.after) },
                horizon: 0
            )
            (messages, costs.step) = CPUTime.spent {
                var work = ServerWork(
                    user: "",
                    StepWork(step, view, told: step.from, partedBytes: .max),
                    objectSteps: .max
                )
                return if case .step(let done) = work.finish() { done.views.flatMap(\.batches) } else { [] }
            }
            rows.head = transaction.head
            for changed in transaction.objects { rows.objects[changed.name] = .some(changed.after) }
            for (ident, file) in transaction.files { rows.files[ident] = file }
            var query = RowQuery()
            query.objects = Set(changes.map(\.object))
            costs.read = CPUTime.spent { perform(.read(query)) }.seconds
            return costs
        }
    }
}

struct CostError: Error {
    let answer: String
}
