import Foundation
import Freehold
import Testing

class ServerDocUser: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var active = true
    @Persisted var orders: List<ServerDocOrder>
}

class ServerDocOrder: Object {
    @Persisted var total = 0
    @Persisted var note = ""
}

class ServerDocPerson: Object {
    @Persisted(primaryKey: true) var id = Int.random(in: 1 ... .max)
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var dogs: List<RTDog>
}

/// The code of the articles on servers and on transactions, unchanged.
@Suite("Threading: the articles' examples")
struct ServerDocTests {
    private typealias User = ServerDocUser
    private typealias Order = ServerDocOrder
    private typealias Person = ServerDocPerson

    private static let types: [ObjectBase.Type] = [
        ServerDocUser.self, ServerDocOrder.self, ServerDocPerson.self, RTDog.self, RTPerson.self,
    ]

    @Test func `the code of the article on servers works`() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("doc-\(UUID().uuidString).realm")
        let configuration = Realm.Configuration(
            fileURL: url,
            schemaVersion: 3,
            objectTypes: [User.self, Order.self]
        )
        let store = try await Realm.Store(configuration)

        // A write: returns when it is on the disk.
        let id = try await store.write { realm in
            realm.create(User.self, value: ["name": "Ada"]).id
        }

        // A read: values leave the block, objects don't.
        let names = try await store.read { realm in
            realm.objects(User.self).where { $0.active }.sorted(by: \.name).map(\.name) as [String]
        }
        expectEqual(names, ["Ada"])

        struct UserInfo: Codable, Sendable {
            var id: ObjectId
            var name: String
            var orders: [OrderInfo]

            struct OrderInfo: Codable, Sendable { var total: Int }
        }

        let users = try await store.read { realm in
            try realm.objects(User.self).where { $0.active }.snapshot(as: UserInfo.self)
        }
        expect(users.map(\.id) == [id] && users[0].orders.isEmpty)
        try await loops(store)
        try await limits(store)
        try await changes(store)
        try await copies(store)
        await store.close()
        _ = try Realm.deleteFiles(for: configuration)
    }

    private func loops(_ store: Realm.Store) async throws {
        try await store.write { realm in
            for user in realm.objects(User.self) {
                try Task.checkCancellation()
                user.active = user.orders.count > 0
            }
        }
        try await expectEqual(store.read { $0.objects(User.self)[0].active }, false)
        let found = try await store.read { realm in
            try realm.withInterruptibleQueries(timeout: .seconds(30)) {
                realm.objects(Order.self).where { $0.note.contains("fragile") }.sorted(by: \.total).map(\.total)
                    as [Int]
            }
        }
        expectEqual(found, [])
    }

    private func limits(_ store: Realm.Store) async throws {
        var configuration = store.configuration
        configuration.busyTimeout = .seconds(5)  // of every write: for others to finish
        let total = try await store.read(timeout: .seconds(60)) { realm in  // of one call, all in all
            try realm.withInterruptibleQueries { realm.objects(Order.self).sum(of: \.total) }
        }
        expectEqual(total, 0)
        do {
            try await store.write(timeout: .seconds(3)) { realm in realm.add(Order()) }
        } catch Realm.Error.busy {
            // 503, Retry-After
        } catch Realm.Error.timedOut {
            // 504
        }
    }

    private func copies(_ store: Realm.Store) async throws {
        let backupURL = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).realm")
        // The newest version, while others read and write.
        try await store.read { realm in try realm.backup(to: backupURL) }
        expect(FileManager.default.fileExists(atPath: backupURL.path))
        _ = try Realm.deleteFiles(for: Realm.Configuration(fileURL: backupURL))

        let state = try await store.statistics()
        print(state.version, state.fileBytes, state.usedBytes, state.activeVersions, state.waitingWriters)
        expect(state.fileBytes >= state.usedBytes)
    }

    private func changes(_ store: Realm.Store) async throws {
        let told = Locked<[Int]>([])
        @Sendable func notify(_ total: Int) { told.change { $0.append(total) } }
        let begun = Locked(false)
        let watching = Task {
            begun.change { $0 = true }
            for await change in try await store.changes(of: { $0.objects(Order.self).where { $0.total > 1000 } }) {
                if case .update(let orders, _, let insertions, _) = change {
                    for i in insertions { notify(orders[i].total) }
                }
            }
        }
        while !begun.value { try await Task.sleep(for: .milliseconds(1)) }
        while told.value.isEmpty {
            try await store.write { realm in realm.create(Order.self, value: ["total": 2000]) }
            try await Task.sleep(for: .milliseconds(5))
        }
        watching.cancel()
        try await watching.value
        expect(told.value.allSatisfy { $0 == 2000 })
    }

    @Test func `the code of the article on transactions works`() async throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types)
        let keeper = try await Realm.Store(configuration)
        // These are calls of the default configuration, which tests leave alone: compiled, and run with another below.
        let compiled: () async throws -> Void = {
            let adults = try await Realm.read { realm in realm.objects(Person.self).where { $0.age >= 18 }.count }
            try await Realm.write { realm in realm.create(Person.self, value: ["name": "Ada"]) }
            let id = try await Realm.write { realm in realm.create(Person.self, value: ["name": "Bob"]).id }
            _ = (adults, id)
        }
        _ = compiled
        try await keeper.write { realm in realm.create(Person.self, value: ["name": "Ada"]) }
        let id = try await keeper.write { realm in realm.create(Person.self, value: ["name": "Bob"]).id }
        expect(id != 0)
        configuration.busyTimeout = .seconds(2)
        try Self.synchronous(configuration)
        await keeper.close()
    }

    private static func synchronous(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        let person = Person()
        let rex = RTDog(id: 1)
        try realm.write {
            realm.add(person)
            person.dogs.append(rex)
        }
        do {
            try realm.write { realm.add(person) }
        } catch Realm.Error.busy {
            // Another write is still in progress.
        }
        expectEqual(realm.objects(Person.self).count, 3)
    }

    /// Each line of the articles' code is a line of this file or of the example of a web service, except code that needs frameworks.
    @Test(arguments: ["Servers", "Transactions"])
    func `the code equals that of the article`(article: String) throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().appendingPathComponent("../../..").standardized
        let page = root.appendingPathComponent("Sources/Freehold/Freehold.docc/\(article).md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let example = root.appendingPathComponent("Examples/Inventory/Sources")
        let files = try require(FileManager.default.enumerator(at: example, includingPropertiesForKeys: nil))
        let sources = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        expect(!sources.isEmpty)
        let lines = try Set(
            ([here] + sources).flatMap { file in
                try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(Self.trimmed)
            }
        )
        let frameworks = ["Router()", "StorageKey", ": Service", ".package(", "Realm.log(to:"]
        var checked = 0
        for block in text.components(separatedBy: "```swift\n").dropFirst() {
            let code = block.components(separatedBy: "```")[0]
            if frameworks.contains(where: { code.contains($0) }) { continue }
            for line in code.split(separator: "\n").map(Self.trimmed) where !line.isEmpty {
                expect(lines.contains(line), "\(article): \(line)")
                checked += 1
            }
        }
        expect(checked > 5)
    }

    private static func trimmed(_ line: Substring) -> String { line.trimmingCharacters(in: .whitespaces) }
}
