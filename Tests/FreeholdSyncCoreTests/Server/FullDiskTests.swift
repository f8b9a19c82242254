import TestExpectations
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The work of devices while the server's disk is full.
struct FullDiskTests {
    /// A store that can't write.
    private struct FullStore: WorldStore {
        var memory = MemoryServerStore(epoch: 7)
        var isFull = false
        var refused = 0
        let problems: [String] = []

        mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
            guard isFull else { return memory.perform(request) }
            switch request.kind {
            case .makeFile, .noteFile, .noteQueries, .noteFront, .commit, .stage, .dropParts, .keepPart, .trimParts,
                .trim,
                .openWriter, .trimWriters:
                refused += 1
                return .failed(.fullDisk("test"))
            default: return memory.perform(request)
            }
        }

        func contents(of stream: StreamName) -> [ObjectName: MergedObject] { memory.contents(of: stream) }
        func head(of stream: StreamName) -> StreamHead { memory.head(of: stream) }
        func files(of stream: StreamName) -> [FileIdent: FileRow] { memory.files(of: stream) }
        func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { memory.ingested(of: stream) }
        func reopen() {}
    }

    private func setFull(_ isFull: Bool, _ bench: inout ServerBench) {
        var store = bench.store as! FullStore
        store.isFull = isFull
        bench.store = store
    }

    private func create(_ key: Int64) -> Change {
        .create(ObjectName("A", .int(key)), [NewField("x", .value(.int(key)))])
    }

    private func keys(_ bench: ServerBench, _ client: Int) -> [PrimaryKey] {
        bench.clients[client].objects.keys.map(\.key).sorted()
    }

    @Test func `new and known devices read while the disk is full, and their work is taken once there is room`() {
        var bench = ServerBench(store: FullStore())
        let known = bench.add(user: "ann")
        bench.commit(known, [create(1)])
        let away = bench.add(user: "ben")
        bench.disconnect(away)
        setFull(true, &bench)

        bench.connect(away)
        let new = [bench.add(user: "cleo"), bench.add(user: "cleo"), bench.add(user: "dan")]
        for client in [known, away] + new { expectEqual(keys(bench, client), [.int(1)]) }
        for client in new { expect(bench.clients[client].identity == nil && bench.clients[client].connection != nil) }
        for (index, client) in ([known] + new).enumerated() { bench.commit(client, [create(Int64(10 + index))]) }
        for _ in 0..<30 { bench.tick() }
        expectEqual(bench.store.contents(of: ServerBench.stream).keys.map(\.key), [.int(1)])
        for client in [known, away] + new {
            expect(bench.clients[client].connection != nil)
            expectEqual(bench.clients[client].acknowledged, client == known ? 1 : 0)
        }

        setFull(false, &bench)
        for _ in 0..<30 { bench.tick() }
        // Their sessions ended, so that they bind again.
        for client in new {
            expectEqual(bench.clients[client].faults, [.transient(after: 1_000)])
            bench.connect(client)
            expect(bench.clients[client].identity != nil)
        }
        bench.tick()
        for client in [known, away] + new {
            expectEqual(keys(bench, client), [.int(1)] + (10..<14).map { .int($0) })
            expectEqual(bench.clients[client].mistakes, [])
            expect(bench.clients[client].pending.isEmpty)
        }
        let idents = ([known, away] + new).compactMap { bench.clients[$0].identity?.ident }
        expectEqual(Set(idents).count, 5)
    }

    @Test func `a new device of a stream that has no file yet reads that it is empty`() {
        var bench = ServerBench(store: FullStore(isFull: true))
        let new = bench.add(user: "ann")
        expectEqual(bench.clients[new].completed, 1)
        bench.commit(new, [create(1)])
        setFull(false, &bench)
        for _ in 0..<10 { bench.tick() }
        bench.connect(new)
        expectEqual(keys(bench, new), [.int(1)])
        expectEqual(bench.clients[new].mistakes, [])
    }

    @Test func `a new device gets its number after the server's clock was set back`() {
        var bench = ServerBench(store: FullStore(isFull: true))
        let new = bench.add(user: "ann")
        setFull(false, &bench)
        bench.now -= 3_600_000
        for _ in 0..<20 { bench.tick() }
        expectEqual(bench.clients[new].faults, [.transient(after: 1_000)])
        bench.connect(new)
        expect(bench.clients[new].identity != nil)
    }

    @Test func `a guest that leaves is forgotten`() {
        var bench = ServerBench(store: FullStore(isFull: true))
        let (first, second) = (bench.add(user: "ann"), bench.add(user: "ben"))
        bench.disconnect(first)
        for _ in 0..<20 { bench.tick() }
        expect(bench.clients[second].connection != nil)
        bench.disconnect(second)
        for _ in 0..<20 { bench.tick() }
        setFull(false, &bench)
        bench.connect(first)
        expect(bench.clients[first].identity != nil)
    }
}
