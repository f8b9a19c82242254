import Foundation
import Freehold
import FreeholdBSON
import FreeholdSync
import FreeholdSyncCore
import Testing

@testable import FreeholdServer

/// Realms that stay open while the server ends their user's log-in, over loopback sockets.
@Suite(.timeLimit(.minutes(20))) struct LogInAgainTests {
    private let clients = try! TestFolder()

    private func app(_ server: AccountProbe, _ device: String) -> App {
        var configuration = AppConfiguration(baseURL: server.address)
        configuration.rootDirectory = URL(fileURLWithPath: "\(clients.path)/\(device)", isDirectory: true)
        return App(id: "test", configuration: configuration)
    }

    private func logIn(_ app: App, _ name: String, _ password: String = "a long password") async throws -> User {
        try await app.login(credentials: .emailPassword(email: "\(name)@example.org", password: password))
    }

    @MainActor private func realm(_ user: User) async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Person>()) }
        return realm
    }

    @MainActor private func settle(_ realms: Realm...) async throws {
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
        }
    }

    enum Ending: String, CaseIterable {
        case logOut = "a log-out by the operator"
        case disabling = "a user that is disabled and enabled"
        case password = "a new password"
        case expiry = "a refresh token that expired"
    }

    @MainActor @Test(arguments: Ending.allCases)
    func `sync goes on with the next log-in after`(_ ending: Ending) async throws {
        let server = try await AccountProbe()
        let (phone, laptop) = (app(server, "phone"), app(server, "laptop"))
        for name in ["ann", "bob"] { try await server.register("\(name)@example.org") }
        let (ann, bob) = (try await logIn(phone, "ann"), try await logIn(laptop, "bob"))
        let (one, two) = (try await realm(ann), try await realm(bob))
        try one.write { one.create(Person.self, value: ["_id": "a", "name": "before"]) }
        try await settle(one, two)

        var (errors, password) = (phone.syncManager.errors.makeAsyncIterator(), "a long password")
        switch ending {
        case .logOut: try await server.store.logOut(user: ann.id)
        case .disabling: try await server.store.setDisabled(true, user: ann.id)
        case .password:
            _ = try await server.userpass("reset/send", ["email": "ann@example.org"])
            let mail = try await server.mailer.next()
            password = "another password"
            let body: BSONDocument = [
                "tokenId": .string(mail.tokenId), "token": .string(mail.token), "password": .string(password),
            ]
            #expect(try await server.userpass("reset", body).status == 200)
        case .expiry:
            two.syncSession?.suspend()
            one.syncSession?.suspend()
            server.clock.advance(10 * 365 * 86_400)
            one.syncSession?.resume()
        }
        let error = try #require(await errors.next()?.error as? SyncError)
        #expect(error.code == .underlyingAuthError)
        #expect(!ann.isLoggedIn)
        try one.write { one.objects(Person.self).first?.name = "while logged out" }

        if ending == .disabling {
            await #expect(throws: AppError.self) { try await logIn(phone, "ann", password) }
            try await server.store.setDisabled(false, user: ann.id)
        }
        #expect(try await logIn(phone, "ann", password) == ann)
        if ending == .expiry {
            #expect(try await logIn(laptop, "bob") == bob)
            two.syncSession?.resume()
        }
        try await settle(one, two)
        #expect(two.objects(Person.self).first?.name == "while logged out")
        try two.write { two.objects(Person.self).first?.name = "after" }
        try await settle(two, one)
        #expect(one.objects(Person.self).first?.name == "after")
        await server.stop()
    }
}
