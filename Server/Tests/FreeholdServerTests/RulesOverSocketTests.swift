import Foundation
import Freehold
import FreeholdServerStore
import FreeholdSync
import FreeholdSyncCore
import FreeholdSyncRules
import Synchronization
import Testing

@testable import FreeholdServer

final class Note: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var owner = ""
    @Persisted var team: String?
    @Persisted var text = ""
    @Persisted var salary = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Draft: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var text = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Rules and schemas of apps for programs with RealmSwift's API, over loopback sockets.
@Suite(.timeLimit(.minutes(20))) struct RulesOverSocketTests {
    private let clients = try! TestFolder()

    private final class Errors: Sendable {
        private let all = Mutex<[SyncError]>([])
        func note(_ error: any Error) { if let error = error as? SyncError { all.withLock { $0.append(error) } } }
        var errors: [SyncError] { all.withLock { $0 } }
    }

    private static let owners = """
        {"default": {"roles": [{"name": "owner", "apply_when": {},
          "document_filters": {"read": {"owner": "%%user.id"}, "write": {"owner": "%%user.id"}},
          "read": true, "write": true, "insert": true, "delete": true}]}}
        """

    private func app(_ server: AccountProbe, _ device: String, _ errors: Errors = Errors()) -> App {
        var configuration = AppConfiguration(baseURL: server.address)
        configuration.rootDirectory = URL(fileURLWithPath: "\(clients.path)/\(device)", isDirectory: true)
        let app = App(id: "test", configuration: configuration)
        app.syncManager.errorHandler = { error, _ in errors.note(error) }
        return app
    }

    private func user(_ app: App, _ name: String) async throws -> User {
        let (email, password) = ("\(name)@example.org", "a long password")
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        return try await app.login(credentials: .emailPassword(email: email, password: password))
    }

    @MainActor private func realm(_ user: User, _ types: [ObjectBase.Type] = [Note.self]) async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = types
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Note>()) }
        return realm
    }

    private func server(access: NodeApp.Access = .nobody, _ rules: String?) async throws -> AccountProbe {
        let app = AccountApp(id: "test", emailPassword: .autoConfirm, access: access)
        let server = try await AccountProbe(app: app)
        let set = try rules.map { try RuleSet(extendedJSON: $0) }
        try await server.store.changeDocuments(of: "test") { documents in
            documents.adoptsSchemas = true
            documents.rules = set
        }
        return server
    }

    @MainActor private func settle(_ realms: Realm...) async throws {
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
        }
    }

    /// Waits up to a minute for a condition.
    @MainActor private func eventually(_ realm: Realm, _ isSo: () -> Bool) async throws {
        for _ in 0..<600 {
            realm.refresh()
            if isSo() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("It didn't come.")
    }

    @MainActor @Test func `everybody sees and writes what is their own, and nothing else`() async throws {
        let server = try await server(Self.owners)
        let (errors, others) = (Errors(), Errors())
        let ann = try await user(app(server, "phone", errors), "ann")
        let bob = try await user(app(server, "laptop", others), "bob")
        let (one, two) = (try await realm(ann), try await realm(bob))
        try one.write { one.create(Note.self, value: ["owner": ann.id, "text": "mine"]) }
        try two.write { two.create(Note.self, value: ["owner": bob.id, "text": "his"]) }
        try await settle(one, two)
        #expect(one.objects(Note.self).map(\.text) == ["mine"])
        #expect(two.objects(Note.self).map(\.text) == ["his"])
        #expect(errors.errors.isEmpty)

        // A forbidden write is undone, and reported with its object.
        try two.write { two.create(Note.self, value: ["owner": ann.id, "text": "forged"]) }
        try await settle(one, two)
        #expect(two.objects(Note.self).map(\.text) == ["his"])
        #expect(one.objects(Note.self).map(\.text) == ["mine"])
        let rejected = try #require(others.errors.first)
        #expect(rejected.code == .writeRejected)
        #expect(rejected.compensatingWriteInfo?.map(\.objectType) == ["Note"])

        // Giving an object away is forbidden as well: the rules also apply to the state after the write.
        try two.write { two.objects(Note.self).first?.owner = ann.id }
        try await settle(one, two)
        #expect(two.objects(Note.self).first?.owner == bob.id)
        #expect(one.objects(Note.self).count == 1)
        await server.stop()
    }

    @MainActor @Test func `a user's data moves what the user sees, while connected`() async throws {
        let rules = """
            {"classes": {"Note": {"roles": [
              {"name": "boss", "apply_when": {"%%user.custom_data.boss": true},
               "document_filters": {"read": true, "write": true}, "read": true, "write": true, "insert": true, "delete": true},
              {"name": "member", "apply_when": {},
               "document_filters": {"read": {"team": "%%user.custom_data.team"}, "write": {"team": "%%user.custom_data.team"}},
               "insert": true, "delete": false,
               "fields": {"salary": {"read": false, "write": false}}, "additional_fields": {"read": true, "write": true}}]}}}
            """
        let server = try await server(rules)
        let errors = Errors()
        let boss = try await user(app(server, "boss"), "boss")
        try await server.store.setCustomData("{\"boss\": true}", user: boss.id)
        let member = try await user(app(server, "member", errors), "member")
        try await server.store.setCustomData("{\"team\": \"red\"}", user: member.id)
        let (all, some) = (try await realm(boss), try await realm(member))
        try await eventually(all) { all.subscriptions.state == .complete }
        try all.write {
            all.create(Note.self, value: ["team": "red", "text": "r", "salary": 5])
            all.create(Note.self, value: ["team": "blue", "text": "b", "salary": 6])
        }
        try await settle(all, some)
        try await eventually(some) { some.objects(Note.self).count == 1 }
        #expect(some.objects(Note.self).first?.text == "r")
        // The field is hidden, so the property has its default.
        #expect(some.objects(Note.self).first?.salary == 0)

        try await server.store.setCustomData("{\"team\": \"blue\"}", user: member.id)
        try await eventually(some) { some.objects(Note.self).first?.text == "b" }
        #expect(some.objects(Note.self).count == 1)

        try some.write { some.objects(Note.self).first?.salary = 100 }
        try await settle(some, all)
        #expect(all.objects(Note.self).where { $0.team == "blue" }.first?.salary == 6)
        #expect(errors.errors.contains { $0.code == .writeRejected })
        let reasons = errors.errors.flatMap { $0.compensatingWriteInfo ?? [] }.map(\.reason)
        #expect(reasons.contains { $0.contains("'salary'") }, "\(reasons)")

        try await server.store.setCustomData("{\"boss\": true}", user: member.id)
        try await eventually(some) { some.objects(Note.self).count == 2 }
        #expect(Set(some.objects(Note.self).map(\.salary)) == [5, 6])
        await server.stop()
    }

    @MainActor @Test func `pushed and removed rules apply to connected users`() async throws {
        let server = try await server(access: .everyone, nil)
        let (ann, bob) = (try await user(app(server, "phone"), "ann"), try await user(app(server, "laptop"), "bob"))
        let (one, two) = (try await realm(ann), try await realm(bob))
        try one.write { one.create(Note.self, value: ["owner": ann.id, "text": "mine"]) }
        try await settle(one, two)
        #expect(two.objects(Note.self).count == 1)
        let owners = try RuleSet(extendedJSON: Self.owners)
        try await server.store.changeDocuments(of: "test") { $0.rules = owners }
        try await eventually(two) { two.objects(Note.self).isEmpty }
        #expect(one.objects(Note.self).count == 1)
        try await server.store.changeDocuments(of: "test") { $0.rules = nil }
        try await eventually(two) { two.objects(Note.self).count == 1 }
        await server.stop()
    }

    @MainActor @Test func `an app without rules and without access permits no reads and no writes`() async throws {
        let server = try await server(nil)
        let errors = Errors()
        let ann = try await user(app(server, "phone", errors), "ann")
        var configuration = ann.flexibleSyncConfiguration()
        configuration.objectTypes = [Note.self]
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        realm.subscriptions.update({ realm.subscriptions.append(QuerySubscription<Note>()) }, onComplete: { _ in })
        try await eventually(realm) { errors.errors.contains { $0.code == .permissionDeniedError } }
        await server.stop()
    }

    // MARK: Schemas

    @MainActor @Test func `development takes classes over and keeps them, production refuses them by name`()
        async throws
    {
        let server = try await server(access: .everyone, nil)
        let ann = try await user(app(server, "phone"), "ann")
        let one = try await realm(ann)
        try one.write { one.create(Note.self, value: ["owner": ann.id]) }
        try await settle(one)
        var tables: [String] = []
        for _ in 0..<100 where tables.isEmpty {
            tables = try await server.store.documents(of: "test").schemas.map(\.className)
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(tables == ["Note"])

        try await server.store.changeDocuments(of: "test") { $0.adoptsSchemas = false }
        try await Task.sleep(for: .seconds(1))
        let errors = Errors()
        let bob = try await user(app(server, "laptop", errors), "bob")
        var configuration = bob.flexibleSyncConfiguration()
        configuration.objectTypes = [Note.self, Draft.self]
        let two = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await eventually(two) { errors.errors.contains { $0.message.contains("Draft isn't in the app's schema") } }
        // Other devices continue to sync.
        try one.write { one.objects(Note.self).first?.text = "still" }
        try await settle(one)
        let three = try await realm(try await user(app(server, "tablet"), "cid"))
        try await settle(three)
        #expect(three.objects(Note.self).first?.text == "still")
        await server.stop()
    }
}
