import Foundation
import Freehold
import Synchronization
import Testing

/// A counter that the requests of a server increment.
class ServerCounter: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var value = 0

    convenience init(name: String) {
        self.init()
        self.name = name
    }
}

class ServerEntry: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var city = ""
    @Persisted var amount = 0

    convenience init(id: Int) {
        self.init()
        self.id = id
        city = "city \(id % 7)"
        amount = id
    }
}

func serverConfiguration(inMemory: Bool = true) -> Realm.Configuration {
    let name = "freehold-server-\(UUID().uuidString)"
    let types: [ObjectBase.Type] = [ServerCounter.self, ServerEntry.self]
    if inMemory { return Realm.Configuration(inMemoryIdentifier: name, objectTypes: types) }
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name).realm")
    return Realm.Configuration(fileURL: url, objectTypes: types)
}

/// Runs the body with a store that has a number of entries, and closes it.
func withServerStore<R>(
    _ configuration: Realm.Configuration = serverConfiguration(),
    entries: Int = 0,
    _ body: (Realm.Store) async throws -> R
) async throws -> R {
    let store = try await Realm.Store(configuration)
    try await store.write { realm in
        realm.add(ServerCounter(name: "all"))
        realm.add((0..<entries).lazy.map { ServerEntry(id: $0) })
    }
    let result = try await body(store)
    await store.close()
    if let url = configuration.fileURL {
        // An iteration of changes releases the file a moment after its end.
        for _ in 0..<500 {
            if (try? Realm.deleteFiles(for: configuration)) != nil { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        expect(!FileManager.default.fileExists(atPath: url.path))
        try? FileManager.default.removeItem(atPath: url.path + ".writer")
    }
    return result
}

/// A value that several tasks change.
final class Locked<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }
    func change(_ body: @Sendable (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// Holds the writer of a file, in a task of its own.
final class HeldWriter: Sendable {
    private let letGo = DispatchSemaphore(value: 0)
    private let task: Task<Void, any Error>

    init(_ store: Realm.Store) async throws {
        let letGo = letGo
        let begun = Locked(false)
        task = Task {
            try await store.write { _ in
                begun.change { $0 = true }
                letGo.wait()
            }
        }
        while !begun.value { try await Task.sleep(for: .milliseconds(1)) }
    }

    func release() async throws {
        letGo.signal()
        try await task.value
    }
}
