import Foundation
import Freehold
import FreeholdBSON
import FreeholdEngine
@testable import FreeholdSync
import TestScript
import Testing

@testable import FreeholdSyncCore

/// The sync state of a file, as tools read it.
struct SyncInspectionTests {
    let folder: TemporaryFolder
    let accounts = AccountServer()
    let server = LoopbackServer()
    let app: App

    init() throws {
        folder = try TemporaryFolder()
        app = testApp(folder, accounts, server)
    }

    @MainActor private func realm() async throws -> Realm {
        try await app.emailPasswordAuth.registerUser(email: "ann", password: "secret")
        let user = try await app.login(credentials: .emailPassword(email: "ann", password: "secret"))
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        return try await Realm(configuration: configuration, downloadBeforeOpen: .never)
    }

    private func look(_ realm: Realm) throws -> SyncInspection {
        try SyncInspection(of: realm)
    }

    private func lines(_ each: ((String) throws -> Void) throws -> Void) throws -> [BSONDocument] {
        var lines: [BSONDocument] = []
        try each { line in
            expect(!line.contains("\n"))
            lines.append(try BSONDocument(extendedJSON: line))
        }
        return lines
    }

    @MainActor @Test func `the inspection shows state, queries and unsent work`() async throws {
        let realm = try await realm()
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Dog>(name: "all")) }
        let owner = try require(realm.configuration.syncConfiguration?.user)
        var status = try look(realm).status()
        expect(status.app == "test" && status.user == owner.id && status.server == "https://account.test")
        expect(status.isSyncing && !status.isReset)
        expect(status.file != nil && status.version != nil)
        expectEqual(status.subscriptions.map(\.name), ["all"])
        expectEqual(status.querySets.last?.state, "complete")
        expectEqual(status.querySets.last?.queries.map(\.className), ["Dog"])
        expect(status.unsentCommits == 0 && status.recordedCommits == 0 && status.lost == 0)
        expect(status.lastError == nil)

        server.setReachable(false)
        let id = ObjectId.generate()
        try realm.write {
            realm.create(
                Dog.self,
                value: ["_id": id, "name": "Rex", "tags": ["a"], "collar": ["color": "red"]] as [String: Any]
            )
        }
        try realm.write {
            let rex = realm.objects(Dog.self).first!
            rex.tags.append("b")
            rex.increment(\.age, by: 2)
            rex.collar?.color = "blue"
        }
        // The session may have numbered some of it.
        status = try look(realm).status()
        expect(status.recordedCommits + Int(status.unsentCommits) > 0)
        let pending = try lines(look(realm).forEachPending)
        expect(pending.first?["change"] == "create" && pending.first?["class"] == "Dog")
        expectEqual(pending.first?["key"], .objectId(id))
        expectEqual(pending.first?["values"]?.documentValue?["collar"]?.documentValue?["color"], "red")
        expect(pending.allSatisfy { $0["state"] != nil && $0["time"] != nil })
        expectEqual(Set(pending.compactMap { $0["change"]?.stringValue }), ["create", "insert", "increment", "set"])
        expect(pending.contains { $0["path"]?.arrayValue?.first == "collar" })
        expect(!pending.contains { "\($0)".contains("secret") })
        server.setReachable(true)
        realm.syncSession?.reconnect()
        try await realm.syncSession?.wait(for: .upload)
        expect(try lines(look(realm).forEachPending).isEmpty)
        try expectEqual(look(realm).status().unsentCommits, 0)
    }

    @MainActor @Test func `commits without a number are included`() async throws {
        let realm = try await realm()
        await realm.syncSession?.close()
        let transaction = try realm.database.beginWrite()
        let table = try require(transaction.schema.table(named: "Person"))
        let ann = try transaction.create(table, primaryKey: .string("ann"))
        let bob = try transaction.create(table, primaryKey: .string("bob"))
        try transaction.set(require(table.column(named: "best")), ann, to: .null)
        try transaction.set(require(table.column(named: "full_name")), bob, to: .string("Bob"))
        _ = try transaction.commit()
        let pending = try lines(look(realm).forEachPending)
        expectEqual(pending.map { $0["state"] }, ["recorded", "recorded"])
        expectEqual(pending.map { $0["key"] }, ["ann", "bob"])
        try expectEqual(look(realm).status().recordedCommits, 1)
    }

    @MainActor @Test func `the inspection shows lost work and the last error`() async throws {
        let realm = try await realm()
        let name = ObjectName("Dog", .string("a"))
        let place = LocalPlace(name, "tags").element(3)
        var store = try FileClientStore(realm.database)
        try store.transact { transaction in
            let change = Change.set(FreeholdSyncCore.Place(name, "best"), .link(ObjectName("Dog", .string("b"))), .real)
            try transaction.keep(.refused(Refusal(commit: 4, index: 0, change: change, reason: .notUnique)))
            let commit = Commit(number: 5, clock: Clock(milliseconds: 1), base: 0, changes: [.delete(name, .edit)])
            try transaction.keep(.discarded(commit))
            try transaction.keep(.misplaced([.set(place, .value(.string("x")), .real)]))
        }
        let lost = try lines(look(realm).forEachLost)
        expectEqual(lost.map { $0["lost"] }, ["refused", "discarded", "misplaced"])
        expectEqual(lost[0]["reason"], "notUnique")
        expectEqual(lost[0]["value"]?.documentValue?["$link"]?.documentValue?["key"], "b")
        expectEqual(lost[1]["time"], "2015-01-01T00:00:00.001Z")
        expectEqual(lost[2]["path"], .array(["tags", .int32(3)]))
        try expectEqual(look(realm).status().lost, 3)

        try? await realm.subscriptions.update {
            realm.subscriptions.append(
                QuerySubscription<Dog> { $0.name.matches(regularExpression: "rex") }
            )
        }
        expect(try await eventually { try look(realm).status().lastError != nil })
        let status = try look(realm).status()
        expectEqual(status.lastError?.code, "invalidFlexibleSyncSubscriptions")
        expect(status.querySets.last?.queries.last?.error != nil)
    }

    @Test func `the inspection of a file without sync reports that`() throws {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: folder.path + "/local.realm"))
        configuration.objectTypes = [Dog.self, Person.self, Collar.self]
        let realm = try Realm(configuration: configuration)
        #expect { try SyncInspection(of: realm) } throws: { ($0 as? SyncFileError)?.code == .notSynced }
    }
}
