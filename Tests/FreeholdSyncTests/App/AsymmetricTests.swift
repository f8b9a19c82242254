import Foundation
import Freehold
import FreeholdEngine
@testable import FreeholdSync
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Objects that are only sent.
struct AsymmetricTests {
    let folder: TemporaryFolder
    let accounts = AccountServer()
    let server = LoopbackServer(asymmetric: ["Reading"])
    let app: App

    init() throws {
        folder = try TemporaryFolder()
        app = testApp(folder, accounts, server)
    }

    func configuration(_ name: String = "ann") async throws -> Realm.Configuration {
        try? await app.emailPasswordAuth.registerUser(email: name, password: "secret")
        let user = try await app.login(credentials: .emailPassword(email: name, password: "secret"))
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self, Reading.self, Spot.self]
        return configuration
    }

    private func reading(_ key: Int) -> ObjectName { ObjectName("Reading", .int(Int64(key))) }

    /// All bytes of the files of a realm.
    private func bytes(_ configuration: Realm.Configuration) throws -> Data {
        try Data(contentsOf: try require(configuration.fileURL))
    }

    @MainActor @Test func `they are uploaded without a subscription, with owned and linked objects`() async throws {
        let realm = try await Realm(configuration: try await configuration(), downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Dog>()) }
        let dog = ObjectId.generate()
        try realm.write {
            realm.create(Dog.self, value: ["_id": dog, "name": "Rex"])
            realm.create(
                Reading.self,
                value: [
                    "_id": 1, "celsius": 21.5, "notes": ["a", "b"], "spot": ["name": "roof"],
                    "spots": [["name": "x", "next": ["name": "y"]]], "dog": realm.objects(Dog.self).first!,
                ] as [String: Any]
            )
            realm.create(Reading.self, value: Reading(value: ["_id": 2, "celsius": -3.0] as [String: Any]))
            expect(realm.isInWriteTransaction)
        }
        // An empty value: the defaults.
        try realm.write { realm.create(Reading.self) }
        try await realm.syncSession?.wait(for: .upload)
        let sent = server.ingested
        expectEqual(sent.keys.sorted(), [reading(0), reading(1), reading(2)])
        let fields = Dictionary(uniqueKeysWithValues: try require(sent[reading(1)]).map { ($0.name, $0.content) })
        expectEqual(fields["celsius"], .value(.double(21.5)))
        expectEqual(fields["dog"], .value(.link(ObjectName("Dog", .objectId(dog)))))
        guard case .list(_, let notes)? = fields["notes"] else { return expect(Bool(false), "no notes") }
        expectEqual(notes, [.string("a"), .string("b")])
        guard case .value(.embedded(let spot))? = fields["spot"] else { return expect(Bool(false), "no spot") }
        expectEqual(spot.fields.first { $0.name == "name" }?.content, .value(.string("roof")))
        guard case .list(_, let spots)? = fields["spots"], case .embedded(let first)? = spots.first,
            case .value(.embedded(let next))? = first.fields.first(where: { $0.name == "next" })?.content
        else { return expect(Bool(false), "no spots") }
        expectEqual(next.fields.first { $0.name == "name" }?.content, .value(.string("y")))
        expectEqual(server.contents.keys.map(\.className), ["Dog"])
    }

    @MainActor @Test func `they are never in the realm`() async throws {
        let configuration = try await configuration()
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        realm.syncSession?.suspend()
        try realm.write {
            realm.create(Reading.self, value: ["_id": 1, "spot": ["name": "roof"]] as [String: Any])
            expect(realm.dynamicObjects("Reading").isEmpty)
            expect(realm.dynamicObjects("Spot").isEmpty)
            // The same key again isn't an error. The object counts once.
            realm.create(Reading.self, value: ["_id": 1])
        }
        expect(realm.dynamicObjects("Reading").isEmpty)
        expect(realm.isEmpty)
        let schema = try require(realm.schema["Reading"])
        expect(schema.isAsymmetric)
        expect("\(schema)".hasPrefix("Reading (asymmetric) {"))
        expect(try realm.database.snapshot().verify().isEmpty)
        let document = folder.path + "/export.json"
        try realm.exportDocument(to: URL(fileURLWithPath: document))
        expect(!(try String(contentsOfFile: document, encoding: .utf8)).contains("Reading"))
    }

    @MainActor @Test func `they are kept in the file for the server, and are removed after the upload`() async throws {
        let secret = "a text that is nowhere else"
        let configuration = try await configuration()
        server.setReachable(false)
        do {
            let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
            try realm.write { realm.create(Reading.self, value: ["_id": 1, "notes": [secret]] as [String: Any]) }
            try await closing(realm)
        }
        expect(try bytes(configuration).range(of: Data(secret.utf8)) != nil)
        do {
            // Some of it is numbered by now, and written again.
            let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
            try realm.write { realm.create(Reading.self, value: ["_id": 2, "notes": [secret]] as [String: Any]) }
            server.setReachable(true)
            realm.syncSession?.reconnect()
            try await realm.syncSession?.wait(for: .upload)
            expectEqual(server.ingested.keys.sorted(), [reading(1), reading(2)])
            let store = try FileClientStore(realm.database)
            let snapshot = try realm.database.snapshot()
            for name in ["sync shadows", "sync lost"] {
                let table = try require(snapshot.schema.hiddenTable(named: name))
                expectEqual(snapshot.count(table), 0, "\(name)")
            }
            let commits = try require(snapshot.schema.hiddenTable(named: "sync commits"))
            for key in snapshot.keys(commits) {
                guard case .data(let body) = snapshot.value(commits.columns[1], key) else { continue }
                expect(body.range(of: Data(secret.utf8)) == nil)
            }
            expect(store.database === realm.database)
            try await closing(realm)
        }
        // Pages that LMDB has freed may still contain the bytes. A copy has only used pages.
        let copy = folder.path + "/copy.realm"
        try Database.open(at: configuration.fileURL!.path).snapshot().copy(to: copy, keepsJournal: true)
        expect(try Data(contentsOf: URL(fileURLWithPath: copy)).range(of: Data(secret.utf8)) == nil)
    }

    @MainActor private func closing(_ realm: Realm) async throws {
        await realm.syncSession?.close()
        realm.invalidate()
    }

    @MainActor @Test func `thousands of them don't enlarge the file permanently`() async throws {
        let realm = try await Realm(configuration: try await configuration(), downloadBeforeOpen: .never)
        var used: [Int] = []
        // The objects of a round are larger than an empty file.
        let name = String(repeating: "x", count: 300)
        for round in 0..<4 {
            try realm.write {
                for key in round * 500..<(round + 1) * 500 {
                    realm.create(Reading.self, value: ["_id": key, "spot": ["name": name]] as [String: Any])
                }
            }
            try await realm.syncSession?.wait(for: .upload)
            realm.refresh()
            used.append(try realm.fileUse().usedBytes)
        }
        expectEqual(server.ingested.count, 2_000)
        expect(used[3] < used[0] * 2, "\(used)")
        expect(try realm.database.snapshot().verify().isEmpty)
    }

    @MainActor @Test func `they survive a server that was restored from a backup`() async throws {
        let realm = try await Realm(configuration: try await configuration(), downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Dog>()) }
        try await realm.syncSession?.wait(for: .upload)
        let backup = server.backup
        server.setReachable(false)
        try realm.write { realm.create(Reading.self, value: ["_id": 7]) }
        server.restart(with: backup, epoch: 9)
        server.setReachable(true)
        realm.syncSession?.reconnect()
        try await realm.syncSession?.wait(for: .upload)
        expect(server.ingested[reading(7)] != nil)
    }

    @MainActor @Test func `they are ignored if a server sends them`() async throws {
        let realm = try await Realm(configuration: try await configuration(), downloadBeforeOpen: .never)
        let transaction = try realm.database.beginWrite()
        transaction.origin = .applier(FileClientStore.applier)
        var client = try FileClientTransaction(transaction, FileTables(transaction, classes: nil)) { _ in 0 }
        try client.perform([.create(reading(1), ["celsius": .value(.double(1))], defaults: [])])
        try client.setVersion(3, of: reading(1))
        try client.finish()
        _ = try transaction.commit()
        realm.refresh()
        expect(realm.dynamicObjects("Reading").isEmpty)
    }

    @MainActor @Test func `bad data creates none, and the write throws`() async throws {
        let realm = try await Realm(configuration: try await configuration(), downloadBeforeOpen: .never)
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(Reading.self, value: ["_id": 1, "celsius": "warm"] as [String: Any]) }
        }
        try await realm.syncSession?.wait(for: .upload)
        expect(server.ingested.isEmpty)
    }

    @Test func `a realm without sync refuses the class, and one with discovered classes leaves it out`() async throws {
        var local = Realm.Configuration(fileURL: URL(fileURLWithPath: folder.path + "/local.realm"))
        local.objectTypes = [Reading.self, Dog.self, Collar.self, Person.self, Spot.self]
        #expect { try Realm(configuration: local) } throws: { error in
            guard let error = error as? Realm.Error, error.code == .invalidSchema else { return false }
            return error.message.contains("Asymmetric table 'Reading' not allowed in a local Realm")
        }
        expect(!FileManager.default.fileExists(atPath: local.fileURL!.path))
        // Any program may write to a file that syncs.
        let configuration = try await configuration()
        _ = try Realm(configuration: configuration)
        var other = configuration
        other.syncConfiguration = nil
        let realm = try Realm(configuration: other)
        expectEqual(realm.schema["Reading"]?.isAsymmetric, true)
    }

    @Test func `an asymmetric class has to fulfil conditions`() throws {
        let problems = [
            ObjectSchema("A", isAsymmetric: true, properties: [Property("x", .int)]),
            ObjectSchema(
                "B",
                properties: [Property("_id", .int, primaryKey: true), Property("link", .object, objectClassName: "A")]
            ),
        ]
        #expect {
            var configuration = Realm.Configuration(inMemoryIdentifier: "asymmetric")
            configuration.schema = Schema(problems)
            _ = try Realm(configuration: configuration)
        } throws: { error in
            guard let error = error as? Realm.Error, error.code == .invalidSchema else { return false }
            return error.message.contains("needs a primary key") && error.message.contains("nothing can link to them")
        }
    }

    @Test func `the schema's JSON marks the class`() throws {
        let schema = Schema([
            ObjectSchema("A", isAsymmetric: true, properties: [Property("_id", .int, primaryKey: true)])
        ])
        try expectEqual(Schema.read(json: schema.jsonData()).schema, schema)
    }
}

class Spot: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var next: Spot?
}

class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var celsius = 0.0
    @Persisted var notes: List<String>
    @Persisted var spot: Spot?
    @Persisted var spots: List<Spot>
    @Persisted var dog: Dog?
}
