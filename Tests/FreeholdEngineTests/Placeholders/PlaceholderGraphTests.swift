import FreeholdEngine
import TestScript
import Testing

/// The work of the processes of `PlaceholderProcessTests`, in one process.
struct PlaceholderGraphTests {
    @Test(arguments: 1...UInt64(TestBudget.cases(7, soak: 200))) func `the graph script leaves the described content`(
        seed: UInt64
    ) throws {
        let folder = try ChildFolder()
        let database = try Database.open(at: folder.file("graph.realm"))
        let script = GraphScript(seed: seed)
        var graph = GraphScript.Graph()
        for _ in 0..<40 {
            let before = graph
            let steps = script.steps(on: graph)
            try script.commit(to: database, &graph)
            let found = GraphScript.Graph(try database.snapshot())
            guard found != graph.shown else { continue }
            let differing = graph.shown.nodes.filter { found.nodes[$0.key] != $0.value }
            Issue.record(
                "\(steps)\n expected \(differing), found \(differing.map { ($0.key, found.nodes[$0.key]) }), before \(differing.map { ($0.key, before.nodes[$0.key]) })"
            )
            return
        }
    }
}
