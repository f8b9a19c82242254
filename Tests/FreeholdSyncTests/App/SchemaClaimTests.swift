import Foundation
import Freehold
import FreeholdEngine
import FreeholdSyncRules
import Synchronization
import Testing

@testable import FreeholdSync
@testable import FreeholdSyncCore

/// The classes that a file reports to servers.
@Suite(.timeLimit(.minutes(20))) struct SchemaClaimTests {
    private final class Claims: Sendable {
        private let all = Mutex<[SchemaClaim]>([])
        var claims: [SchemaClaim] { all.withLock { $0 } }

        /// Requests documents, like a server that doesn't know the classes.
        func judge(_ claim: SchemaClaim) -> SchemaJudgement {
            all.withLock { $0.append(claim) }
            return SchemaJudgement(claim.documents.isEmpty ? .documentsNeeded : .accepted)
        }
    }

    private let folder: TemporaryFolder
    private let claims = Claims()
    private let app: App

    init() throws {
        folder = try TemporaryFolder()
        let claims = claims
        app = testApp(folder, AccountServer(), LoopbackServer { claims.judge($0) })
    }

    private func user() async throws -> User {
        try await app.emailPasswordAuth.registerUser(email: "ann", password: "secret")
        return try await app.login(credentials: .emailPassword(email: "ann", password: "secret"))
    }

    @MainActor private func realm() async throws -> Realm {
        var configuration = try await user().flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Person>()) }
        return realm
    }

    @MainActor @Test func `classes are described when the server asks, with embedded ones inside`() async throws {
        let realm = try await realm()
        try await realm.syncSession?.wait(for: .download)
        let claim = try require(claims.claims.last)
        expectEqual(claims.claims.first?.documents.isEmpty, true)
        expect(claims.claims.allSatisfy { $0.hash == claim.hash })
        let tables = try claim.tables()
        expectEqual(Set(tables.map(\.name)), ["Person", "Dog", "Collar"])
        expectEqual(tables.first { $0.name == "Collar" }?.isEmbedded, true)
        let dog = try require(tables.first { $0.name == "Dog" })
        expectEqual(dog.primaryKey, "_id")
        expectEqual(dog.columns.first { $0.name == "collar" }?.target, "Collar")
        expectEqual(dog.columns.first { $0.name == "tags" }?.collection, .list)
    }

    /// Another program, or one that uses the engine, adds the classes.
    @MainActor @Test func `new classes of a syncing file are reported before their objects`() async throws {
        let realm = try await realm()
        try await realm.syncSession?.wait(for: .download)
        let before = try require(claims.claims.last)
        let path = try require(realm.configuration.fileURL?.path)
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        try transaction.extendSchema([
            TableSpec("Cat", columns: [ColumnSpec("_id", .int), ColumnSpec("name", .string)], primaryKey: "_id")
        ])
        _ = try transaction.commit()
        // The client first sends only the hash. It sends the documents if the server asks for them.
        for _ in 0..<600 where claims.claims.last.map({ $0.hash == before.hash || $0.documents.isEmpty }) ?? true {
            try await Task.sleep(for: .milliseconds(50))
        }
        let after = try require(claims.claims.last)
        expect(Set(try after.tables().map(\.name)).contains("Cat"))
        // Sync continues.
        try realm.write { realm.create(Person.self, value: ["_id": "x", "name": "X"]) }
        try await realm.syncSession?.wait(for: .upload)
    }
}
