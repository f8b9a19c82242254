import Foundation
import FreeholdEngine
import TestRandom
import TestScript
import Testing

/// Files that another process writes, with links to missing objects and a growing schema.
struct PlaceholderProcessTests {
    private let folder = Result { try ChildFolder() }

    private static var seed: UInt64 {
        UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0..<1 << 32)
    }

    private static let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil

    @Test func `a process that writes links to missing objects is killed, and nothing is lost`() throws {
        let seed = Self.seed
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let path = try folder.get().file("graph.realm")
        let script = GraphScript(seed: seed)
        var graph = GraphScript.Graph()
        for _ in 0..<(Self.isSoak ? 200 : 8) {
            let child = try ChildProcess(["graph", path, String(seed)])
            expectEqual(child.readLine(), "ready")
            var acknowledged: Int64 = 0
            for _ in 0..<Int.random(in: 1...30, using: &random) { acknowledged = Int64(child.readLine() ?? "") ?? 0 }
            if Bool.random(using: &random) { usleep(.random(in: 0..<2000, using: &random)) }
            child.kill()
            child.wait()
            // Only a write transaction shows the last commit of a killed writer with certainty.
            let transaction = try Database.open(at: path).beginWrite()
            let found = GraphScript.Graph(transaction)
            transaction.cancel()
            expect(found.number >= acknowledged)
            while graph.number < found.number { graph.apply(script.steps(on: graph)) }
            expectEqual(found, graph.shown)
            try expectEqual(Database.open(at: path).snapshot().verify(), [])
        }
    }

    @Test func `versions of another process are whole while objects come and go and the schema grows`() throws {
        let seed = Self.seed
        print("seed \(seed)")
        let path = try folder.get().file("graph.realm")
        let script = GraphScript(seed: seed)
        var graph = GraphScript.Graph()
        var snapshot = try {
            let database = try Database.open(at: path)
            try script.commit(to: database, &graph)
            return try database.snapshot()
        }()
        let database = try Database.open(at: path)
        let table = try require(snapshot.schema.table(named: GraphScript.tableName))
        let feed = ChangeFeed(database)
        var linked = ObservedQuery(
            try RowQuery("next != nil SORT(id ASC)", of: table, in: snapshot),
            watching: .deep,
            in: snapshot
        )
        var copy = Array(linked.keys)
        let writer = try ChildProcess(["graph", path, String(seed)])
        expectEqual(writer.readLine(), "ready")
        var versions: Set<Int64> = []
        for round in 0..<(Self.isSoak ? 2000 : 60) {
            guard writer.readLine() != nil else { break }
            snapshot = try database.snapshot()
            let found = GraphScript.Graph(snapshot)
            while graph.number < found.number { graph.apply(script.steps(on: graph)) }
            expectEqual(found, graph.shown)
            versions.insert(found.number)
            let more = found.number / 7 * 7
            if more > 0 { expect(snapshot.schema.table(named: "More \(more)") != nil) }
            if let changes = linked.advance(to: snapshot, feed.changes(from: linked.snapshot, to: snapshot)) {
                for index in changes.deletions.reversed() { copy.remove(at: index) }
                for index in changes.insertions { copy.insert(linked.keys[index], at: index) }
            }
            expectEqual(copy, Array(linked.keys))
            expectEqual(copy.count, found.nodes.values.count { $0.next != nil })
            if round % 20 == 19 { expectEqual(snapshot.verify(), []) }
        }
        writer.kill()
        writer.wait()
        expect(versions.count > 3)
    }
}
