import Foundation
import Freehold
import FreeholdEngine
import Testing

/// The events that the database sends to listeners.
@Suite("Diagnostics")
struct DiagnosticsTests {
    /// The events of one file while the body runs.
    private func events(
        of path: String,
        _ kinds: Diagnostics.Kinds,
        _ body: () async throws -> Void
    ) async throws -> [DiagnosticEvent] {
        let heard = Locked<[DiagnosticEvent]>([])
        let id = Diagnostics.listen(to: kinds) { event in heard.change { $0.append(event) } }
        defer { Diagnostics.stop(id) }
        try await body()
        return heard.value.filter { $0.path.hasSuffix(path) }
    }

    @Test func `a file's events are reported from opening to closing`() async throws {
        let configuration = serverConfiguration(inMemory: false)
        let name = configuration.fileURL!.lastPathComponent
        let events = try await events(of: name, [.files, .writes, .queries, .maintenance, .readers]) {
            let store = try await Realm.Store(configuration)
            try await store.write { realm in realm.add((0..<10).map { ServerEntry(id: $0) }) }
            try await store.write { _ in }
            await #expect(throws: CancellationError.self) { try await store.write { _ in throw CancellationError() } }
            _ = try await store.read { realm in realm.objects(ServerEntry.self).where { $0.amount > 3 }.count }
            await store.close()
            _ = try Realm.compact(for: configuration)
        }
        var writes: [DiagnosticEvent.Write] = []
        var found: Set<String> = []
        for event in events {
            switch event {
            case .opened(let opening):
                found.insert("opened")
                expect(!opening.isReadOnly && !opening.isEncrypted)
            case .closed: found.insert("closed")
            case .wrote(let write): writes.append(write)
            case .changedSchema(let change):
                found.insert("schema")
                expect(change.action == .create && change.newVersion == 0)
            case .compacted(let compaction):
                found.insert("compacted")
                expect(compaction.bytesAfter > 0)
            case .heldJournal: break
            case .queried(let query):
                found.insert("query")
                expect(query.className == "ServerEntry" && query.operation == .count)
            }
        }
        expectEqual(found, ["opened", "closed", "schema", "compacted", "query"])
        // The write of the schema is the first.
        expectEqual(writes.map(\.outcome), [.committed, .committed, .unchanged, .rolledBack])
        expect(writes.allSatisfy { $0.fileBytes > 0 && $0.activeVersions != nil && $0.waiting == 0 })
        expect(writes[1].bytes > 0 && writes[1].version > writes[0].version)
        _ = try Realm.deleteFiles(for: configuration)
    }

    @Test func `abandoned waits are reported`() async throws {
        try await withServerStore(serverConfiguration(inMemory: false)) { store in
            let name = store.configuration.fileURL!.lastPathComponent
            let events = try await events(of: name, .writes) {
                let holder = try await HeldWriter(store)
                await #expect(throws: (any Error).self) { try await store.write(timeout: .milliseconds(5)) { _ in } }
                let waiting = Task { try await store.write { _ in } }
                while try await store.statistics().waitingWriters == 0 { try await Task.sleep(for: .milliseconds(1)) }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                try await holder.release()
            }
            let outcomes = events.compactMap { event in
                if case .wrote(let write) = event { write.outcome } else { nil }
            }
            expectEqual(outcomes, [.busy, .cancelled, .unchanged])
        }
    }

    @Test func `a listener receives nothing after stop`() async throws {
        try await withServerStore { store in
            let count = Locked(0)
            let id = Diagnostics.listen(to: .maintenance) { _ in count.change { $0 += 1 } }
            Diagnostics.stop(id)
            Diagnostics.send(.closed(path: "nobody"))
            expectEqual(count.value, 0)
        }
    }

    @Test func `the outline of a query has no constants`() throws {
        let parsed = try QueryParser.parse("city == 'Paris' AND amount > 7 SORT(amount DESC) LIMIT(3)")
        let text = parsed.allStages.map(\.outline).joined(separator: " ")
        expect(text.hasSuffix(" SORT(amount DESC) LIMIT(3)"))
        expect(text.contains("city == %@") && text.contains("amount > %@") && !text.contains("Paris"))
    }
}

extension DiagnosticEvent {
    fileprivate var path: String {
        switch self {
        case .opened(let event): event.path
        case .closed(let path): path
        case .wrote(let event): event.path
        case .queried(let event): event.path
        case .changedSchema(let event): event.path
        case .compacted(let event): event.path
        case .heldJournal(let event): event.path
        }
    }
}
