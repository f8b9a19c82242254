import Foundation
import Freehold
import FreeholdServerStore
import FreeholdSync
import FreeholdSyncCore
import FreeholdSyncRules
import Synchronization
import Testing

@testable import FreeholdServer

/// A server with its documents in files, and devices with several versions of an app.
final class VersionDevices: @unchecked Sendable {
    // Changed on the main actor only, by one test.
    private(set) var server: AccountProbe
    private let clients: TestFolder
    private let port: Int

    final class Errors: Sendable {
        private let all = Mutex<[SyncError]>([])
        func note(_ error: any Error) { if let error = error as? SyncError { all.withLock { $0.append(error) } } }
        var errors: [SyncError] { all.withLock { $0 } }
    }

    init(rules: String? = nil) async throws {
        let folder = try TestFolder()
        clients = try TestFolder()
        let app = AccountApp(id: "test", emailPassword: .autoConfirm, access: rules == nil ? .everyone : .nobody)
        let files = try FileServerStore(at: "\(folder.path)/sync", epoch: 7)
        server = try await AccountProbe(folder: folder, app: app, sync: FileNodeStore(files)) {
            $0.administratorPort = 0
        }
        port = server.port
    }

    /// Kills the server and starts another one with the same files.
    func restart() async throws {
        let old = server
        await old.running.kill()
        let (port, folder) = (port, old.folder)
        let files = try FileServerStore(at: "\(folder.path)/sync", epoch: 8)
        server = try await AccountProbe(folder: folder, clock: old.clock, sync: FileNodeStore(files)) {
            ($0.port, $0.administratorPort) = (port, 0)
        }
    }

    /// Pushes the schema of the first app, and the schema of the second app as version 2.
    func push(_ apps: Int = 2) async throws {
        let first = try await Self.documents(FirstApp.types)
        let second = try await Self.documents(SecondApp.types)
        let transition = try SchemaTransition(extendedJSON: SecondApp.transition)
        try await change { documents in
            if documents.schemas.isEmpty { try documents.push(first) }
            if apps > 1 { try documents.push(second, as: 2, transition) }
        }
    }

    /// Changes the documents of the app and waits until the server uses them.
    func change(_ body: @escaping @Sendable (inout AppDocuments) throws -> Void) async throws {
        let documents = try await server.store.changeDocuments(of: "test", body)
        let number = try documents.versions().newest
        for _ in 0..<200 {
            let served = server.running.node.app("test")?.served
            if served?.newest == number.number, served?.tables == number.tables,
                served?.hasRules == (documents.rules != nil)
            {
                return
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("The server doesn't follow.")
    }

    /// Waits up to 300 seconds until the stored documents of the app satisfy a condition, and returns whether they do.
    func stored(_ condition: @Sendable (AppDocuments) -> Bool) async throws -> Bool {
        for _ in 0..<6_000 {
            if condition(try await server.store.documents(of: "test")) { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// Returns the schemas of an app's classes, which a server in development takes from a device.
    @MainActor static func documents(_ types: [ObjectBase.Type]) async throws -> [FreeholdSyncRules.SchemaDocument] {
        let devices = try await VersionDevices()
        try await devices.server.store.changeDocuments(of: "test") { $0.adoptsSchemas = true }
        let device = try await devices.device("scratch", types, version: 0)
        // The server adds classes to the schema when sessions claim them. A session ends with its last realm.
        let realm = try await device.realm()
        let count = types.count { !($0 is EmbeddedObject.Type) }
        try #require(try await devices.stored { $0.schemas.count == count })
        withExtendedLifetime(realm) {}
        let documents = try await devices.server.store.documents(of: "test").schemas
        await devices.server.stop()
        return documents
    }

    func device(_ name: String, _ types: [ObjectBase.Type], version: UInt64) async throws -> Device {
        var configuration = AppConfiguration(baseURL: server.address)
        configuration.rootDirectory = URL(fileURLWithPath: "\(clients.path)/\(name)", isDirectory: true)
        let app = App(id: "test", configuration: configuration)
        let errors = Errors()
        app.syncManager.errorHandler = { error, _ in errors.note(error) }
        let (email, password) = ("\(name)@example.org", "a long password")
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        let user = try await app.login(credentials: .emailPassword(email: email, password: password))
        return Device(user: user, types: types, version: version, errors: errors)
    }

    struct Device {
        let user: User
        var types: [ObjectBase.Type]
        var version: UInt64
        let errors: Errors

        /// Opens the device's realm and subscribes to all classes of the app.
        @MainActor func realm(waits: Bool = true) async throws -> Realm {
            var configuration = user.flexibleSyncConfiguration()
            (configuration.objectTypes, configuration.schemaVersion) = (types, version)
            let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
            let isFirst = types.contains { $0 == FirstApp.Dog.self }
            let update = {
                realm.subscriptions.removeAll()
                if isFirst {
                    realm.subscriptions.append(QuerySubscription<FirstApp.Dog>(), QuerySubscription<FirstApp.Person>())
                    realm.subscriptions.append(QuerySubscription<FirstApp.Memo>())
                } else {
                    realm.subscriptions.append(
                        QuerySubscription<SecondApp.Hound>(),
                        QuerySubscription<SecondApp.Person>()
                    )
                    realm.subscriptions.append(QuerySubscription<SecondApp.Toy>())
                }
            }
            if waits {
                try await realm.subscriptions.update(update)
            } else {
                realm.subscriptions.update(update, onComplete: { _ in })
            }
            return realm
        }
    }

    /// Waits until all realms have all writes.
    @MainActor func settle(_ realms: Realm...) async throws {
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
        }
    }

    /// Waits up to 30 seconds for a condition.
    @MainActor func eventually(
        _ realm: Realm,
        _ what: Comment,
        _ location: SourceLocation = #_sourceLocation,
        _ isSo: () -> Bool
    ) async throws {
        for _ in 0..<300 {
            realm.refresh()
            if isSo() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record(what, sourceLocation: location)
    }
}
