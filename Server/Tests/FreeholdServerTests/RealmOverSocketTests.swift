import Foundation
import Freehold
import FreeholdServerStore
import FreeholdSync
import FreeholdSyncCore
import Testing

@testable import FreeholdServer

final class Collar: EmbeddedObject {
    @Persisted var color = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Dog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var collar: Collar?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Person: Object {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var name = ""
    @Persisted var dogs: List<Dog>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// RealmSwift's API with a server over loopback sockets.
@Suite(.timeLimit(.minutes(20))) struct RealmOverSocketTests {
    private let clients = try! TestFolder()

    private func app(_ server: AccountProbe, _ device: String) -> App {
        var configuration = AppConfiguration(baseURL: server.address)
        configuration.rootDirectory = URL(fileURLWithPath: "\(clients.path)/\(device)", isDirectory: true)
        return App(id: "test", configuration: configuration)
    }

    private func user(_ app: App, _ name: String) async throws -> User {
        let (email, password) = ("\(name)@example.org", "a long password")
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        return try await app.login(credentials: .emailPassword(email: email, password: password))
    }

    @MainActor private func realm(_ user: User) async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await realm.subscriptions.update {
            realm.subscriptions.append(QuerySubscription<Person>(), QuerySubscription<Dog>(name: "dogs"))
        }
        return realm
    }

    @MainActor private func settle(_ realms: Realm...) async throws {
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
        }
    }

    @MainActor @Test func `two users register, log in and see each other's objects`() async throws {
        let folder = try TestFolder()
        let files = try FileServerStore(at: "\(folder.path)/sync", epoch: 7)
        let server = try await AccountProbe(folder: folder, sync: FileNodeStore(files))
        let (phone, laptop) = (app(server, "phone"), app(server, "laptop"))
        let (ann, bob) = (try await user(phone, "ann"), try await user(laptop, "bob"))
        #expect(ann.id != bob.id)
        let (one, two) = (try await realm(ann), try await realm(bob))
        try one.write {
            let rex = one.create(Dog.self, value: ["name": "Rex", "age": 3, "collar": ["color": "red"]])
            one.create(Person.self, value: ["_id": "ann", "name": "Ann"]).dogs.append(rex)
        }
        try await settle(one, two)
        let rex = try #require(two.objects(Dog.self).first)
        #expect(rex.collar?.color == "red")
        #expect(rex.owners.map(\.name) == ["Ann"])
        one.syncSession?.suspend()
        try one.write { one.objects(Dog.self).first?.age = 4 }
        try two.write { rex.name = "Max" }
        try await settle(two)
        one.syncSession?.resume()
        try await settle(one, two)
        #expect(one.objects(Dog.self).first?.name == "Max")
        #expect(two.objects(Dog.self).first?.age == 4)
        try await ann.logOut()
        #expect(!ann.isLoggedIn)
        #expect(one.syncSession == nil)
        await server.stop()
    }

    @MainActor @Test func `a token that ended is refreshed, and syncing goes on`() async throws {
        let store = QueuedServerStore(MemoryServerStore(epoch: 7))
        let server = try await AccountProbe(sync: store)
        let (phone, laptop) = (app(server, "phone"), app(server, "laptop"))
        let (ann, bob) = (try await user(phone, "ann"), try await user(laptop, "bob"))
        let (one, two) = (try await realm(ann), try await realm(bob))
        try one.write { one.create(Dog.self, value: ["name": "Rex"]) }
        try await settle(one, two)
        let old = ann.accessToken
        // All connections end. The tokens have expired when the server is back.
        let port = server.port
        await server.running.kill()
        try one.write { one.objects(Dog.self).first?.age = 5 }
        server.clock.advance(1_801)
        let again = try await AccountProbe(folder: server.folder, clock: server.clock, sync: store) { $0.port = port }
        try await settle(one, two)
        #expect(two.objects(Dog.self).first?.age == 5)
        #expect(ann.accessToken != old)
        await again.stop()
    }

    @Test func `keys, passwords and errors work as in RealmSwift`() async throws {
        let server = try await AccountProbe()
        let app = app(server, "phone")
        let ann = try await user(app, "ann")
        await #expect {
            try await app.emailPasswordAuth.registerUser(email: "ann@example.org", password: "a long one")
        } throws: { ($0 as? AppError)?.code == .accountNameInUse }
        await #expect {
            _ = try await app.login(credentials: .emailPassword(email: "ann@example.org", password: "wrong"))
        } throws: { ($0 as? AppError)?.code == .invalidPassword }
        let key = try await ann.apiKeysAuth.createAPIKey(named: "robot")
        #expect(try await ann.apiKeysAuth.fetchAPIKeys().map(\.name) == ["robot"])
        let robot = try await self.app(server, "robot").login(credentials: .userAPIKey(try #require(key.key)))
        #expect(robot.id == ann.id)
        try await app.emailPasswordAuth.sendResetPasswordEmail("ann@example.org")
        let mail = try await server.mailer.next()
        try await app.emailPasswordAuth.resetPassword(to: "a new password", token: mail.token, tokenId: mail.tokenId)
        let login = Credentials.emailPassword(email: "ann@example.org", password: "a new password")
        let again = try await app.login(credentials: login)
        try await again.delete()
        await #expect(throws: AppError.self) { _ = try await app.login(credentials: login) }
        await server.stop()
    }
}
