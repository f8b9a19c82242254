import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Subscriptions whose conditions name keys, and those for which an object with a link has no answer.
struct KeyedQueriesTests {
    /// A store that records its requests.
    private struct NotingStore: WorldStore {
        final class Notes {
            var scans: [SyncString] = []
            var keys: [[PrimaryKey]] = []
        }

        var store = MemoryServerStore(epoch: 7)
        let notes = Notes()

        mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
            switch request.kind {
            case .page(let name, _, _, _): notes.scans.append(name)
            case .keys(let keys, _, _): notes.keys.append(keys)
            default: break
            }
            return store.perform(request)
        }

        func contents(of stream: StreamName) -> [ObjectName: MergedObject] { store.contents(of: stream) }
        func head(of stream: StreamName) -> StreamHead { store.head(of: stream) }
        func files(of stream: StreamName) -> [FileIdent: FileRow] { store.files(of: stream) }
        func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { store.ingested(of: stream) }
        func reopen() {}
        var problems: [String] { [] }
    }

    private func bench(
        _ store: some WorldStore = MemoryServerStore(epoch: 7),
        schema: ConditionSchema? = nil
    ) -> ServerBench {
        ServerBench(store: store, matcher: QueryMatcher()) { configuration in
            configuration.apps["app"]?.schema = { schema }
            configuration.chunkObjects = 3
        }
    }

    private func query(_ condition: String, of className: SyncString = "A") -> ClassQuery {
        ClassQuery(className: className, condition: SyncString(condition))
    }

    private func fill(_ bench: inout ServerBench, _ count: Int64) -> Int {
        let author = bench.add([query("TRUEPREDICATE")])
        let changes = (1...count).map { number in
            Change.create(ObjectName("A", .int(number)), [NewField("n", .value(.int(number % 2)))])
        }
        bench.commit(author, changes)
        return author
    }

    private func keys(_ bench: ServerBench, _ client: Int) -> [PrimaryKey] {
        expectEqual(bench.clients[client].mistakes, [])
        return bench.clients[client].objects.keys.map(\.key).sorted()
    }

    @Test(
        arguments: [
            ("_id == 7", [7]), ("_id IN {9, 7, 70, 3, 4, 5}", [3, 4, 5, 7, 9]), ("_id == 7 AND n == 0", []),
            ("_id > 17", [18, 19, 20]), ("_id BETWEEN {2, 4}", [2, 3, 4]), ("NOT (_id > 2 OR _id == 1)", [2]),
            ("_id != 1 AND _id < 4", [2, 3]), ("_id == 3 OR _id == 5", [3, 5]), ("_id == 'x'", []),
        ] as [(String, [PrimaryKey])]
    )
    func `a subscription by keys has the objects, also after changes`(condition: String, expected: [PrimaryKey]) {
        var bench = bench()
        let author = fill(&bench, 20)
        let client = bench.add([query(condition)])
        expectEqual(keys(bench, client), expected)
        // Objects that are deleted and created again leave the view and enter it.
        for key in [2, 3, 7, 18] as [PrimaryKey] { bench.commit(author, [.delete(ObjectName("A", key), .edit)]) }
        expectEqual(keys(bench, client), expected.filter { ![2, 3, 7, 18].contains($0) })
        for key in [2, 3, 7, 18] as [PrimaryKey] {
            bench.commit(author, [.create(ObjectName("A", key), [NewField("n", .value(1))])])
        }
        expectEqual(keys(bench, client), condition.contains("n == 0") ? [] : expected)
        bench.disconnect(client)
        bench.commit(author, [.set(Place(ObjectName("A", 7), "n"), 5, .real)])
        bench.connect(client)
        expectEqual(keys(bench, client), condition.contains("n == 0") ? [] : expected)
    }

    @Test func `equality on the key reads these objects and no others`() {
        let store = NotingStore()
        var bench = bench(store)
        _ = fill(&bench, 50)
        store.notes.scans = []
        let client = bench.add([query("_id == 7"), query("_id IN {8, 90, 9, 10, 91}")])
        expectEqual(keys(bench, client), [7, 8, 9, 10])
        expectEqual(store.notes.scans, [])
        expectEqual(store.notes.keys, [[7, 8, 9], [10, 90, 91]])
        // Another set of keys reads both.
        store.notes.keys = []
        bench.clients[client].queries = Queries(version: 2, queries: [query("_id == 7 OR _id == 12")])
        bench.say(client, .queries(1, bench.clients[client].queries))
        expectEqual(keys(bench, client), [7, 12])
        expectEqual(store.notes.scans, [])
        // Conditions of other kinds need all objects.
        bench.clients[client].queries = Queries(version: 3, queries: [query("_id == 7"), query("n == 0 AND _id > 46")])
        bench.say(client, .queries(1, bench.clients[client].queries))
        expectEqual(keys(bench, client), [7, 48, 50])
        expect(!store.notes.scans.isEmpty)
    }

    @Test func `a file that comes back with unknown objects keeps those of its keys only`() {
        var bench = bench()
        let author = fill(&bench, 20)
        let client = bench.add([query("_id IN {3, 4, 5, 6, 7}")])
        bench.disconnect(client)
        bench.commit(author, [.delete(ObjectName("A", 4), .edit)])
        // The node and the client both lose their knowledge of each other.
        bench.clients[client].view = 1
        bench.clients[client].completed = 0
        bench.connect(client)
        expectEqual(keys(bench, client), [3, 5, 6, 7])
    }

    @Test func `a change of an object concerns the views that name its key, and no others`() throws {
        var bench = bench()
        let author = fill(&bench, 20)
        let clients = (1...20).map { bench.add([query("_id == \($0)")], isRecording: true) }
        let counts = clients.map { bench.clients[$0].received.count }
        bench.commit(author, [.set(Place(ObjectName("A", 7), "n"), 5, .real)])
        for (index, client) in clients.enumerated() where index != 6 {
            expectEqual(bench.clients[client].received.count, counts[index])
        }
        expect(bench.clients[clients[6]].received.count > counts[6])
    }

    private let linked = ObjectName("A", 100)

    private func link() -> [Change] {
        [
            .create(linked, [NewField("n", .value(1)), NewField("owner", .value(.link(ObjectName("P", 1))))]),
            .create(ObjectName("P", 1), [NewField("name", .value("Ann"))]),
        ]
    }

    @Test func `a condition through a link is refused by name where an object has the link`() {
        var bench = bench()
        let author = fill(&bench, 5)
        bench.commit(author, link())
        let client = bench.add([query("n == 0"), query("owner.name == 'Ann' AND n == 1")])
        expectEqual(bench.clients[client].queryErrors.count, 1)
        let error = bench.clients[client].queryErrors.first
        expectEqual(error?.text, "A condition through the link 'owner' isn't served.")
        expectEqual(error?.className, "A")
        expectEqual(error?.index, 1)
        expectEqual(error?.version, 1)
        // The other objects are served.
        expectEqual(keys(bench, client), [2, 4])
    }

    @Test func `the first object with a link refuses the condition, once`() {
        var bench = bench()
        let author = fill(&bench, 5)
        let client = bench.add([query("owner.name == 'Ann'")])
        let away = bench.add([query("owner.name == 'Bob'")])
        expectEqual(bench.clients[client].queryErrors, [])
        bench.disconnect(away)
        bench.commit(author, link())
        expectEqual(
            bench.clients[client].queryErrors.map(\.text),
            ["A condition through the link 'owner' isn't served."]
        )
        bench.commit(author, [.set(Place(linked, "n"), 2, .real)])
        expectEqual(bench.clients[client].queryErrors.count, 1)
        bench.connect(away)
        expectEqual(bench.clients[away].queryErrors.count, 1)
    }

    @Test func `a schema refuses a condition when it is subscribed to`() {
        let tables = [
            TableSpec(
                "A",
                columns: [
                    ColumnSpec("_id", .int), ColumnSpec("n", .int),
                    ColumnSpec("owner", .link, optional: true, target: "P"),
                ],
                primaryKey: "_id"
            ), TableSpec("P", columns: [ColumnSpec("_id", .int), ColumnSpec("name", .string)], primaryKey: "_id"),
        ]
        var bench = bench(schema: ConditionSchema(tables))
        _ = fill(&bench, 5)
        let client = bench.add([
            query("owner.name == 'Ann'"), query("n == 0"), query("nosuch == 1"), query("n == 'x'"),
        ])
        expectEqual(bench.clients[client].queryErrors.map(\.index), [0, 2, 3])
        expectEqual(keys(bench, client), [2, 4])
    }
}
