import Foundation
import Freehold
import FreeholdBSON
import FreeholdSync
import FreeholdSyncRules
import Synchronization
import Testing

@testable import FreeholdServer

/// Checks the statements of the document on modelling for sync about the server's schema.
@Suite(.timeLimit(.minutes(20))) struct SeedServerTests {
    private let clients = try! TestFolder()

    private final class Errors: Sendable {
        private let all = Mutex<[SyncError]>([])
        func note(_ error: any Error) { if let error = error as? SyncError { all.withLock { $0.append(error) } } }
        func has(_ text: String) -> Bool { all.withLock { $0.contains { $0.message.contains(text) } } }
        var count: Int { all.withLock { $0.count } }
    }

    private func user(_ server: AccountProbe, _ device: String, _ errors: Errors = Errors()) async throws -> User {
        var configuration = AppConfiguration(baseURL: server.address)
        configuration.rootDirectory = URL(fileURLWithPath: "\(clients.path)/\(device)", isDirectory: true)
        let app = App(id: "test", configuration: configuration)
        app.syncManager.errorHandler = { error, _ in errors.note(error) }
        let (email, password) = ("\(device)@example.org", "a long password")
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        return try await app.login(credentials: .emailPassword(email: email, password: password))
    }

    @MainActor private func eventually(_ what: String, _ isSo: () async throws -> Bool) async throws {
        for _ in 0..<300 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("It didn't come: \(what)")
    }

    // MARK: Relationships

    private static let dog = """
        {"title": "Dog", "bsonType": "object", "required": ["_id", "name", "age"], "properties": {
          "_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"}, "age": {"bsonType": "long"},
          "collar": {"title": "Collar", "bsonType": "object", "required": ["color"],
            "properties": {"color": {"bsonType": "string"}}}}}
        """
    private static let person = """
        {"title": "Person", "bsonType": "object", "required": ["_id", "name"], "properties": {
          "_id": {"bsonType": "string"}, "name": {"bsonType": "string"},
          "dogs": {"bsonType": "array", "items": {"bsonType": "objectId"}}}}
        """
    private static let links = """
        {"dogs": {"ref": "#/relationship/mongodb-atlas/app/Dog", "foreign_key": "_id", "is_list": true}}
        """

    private func schemas(hasLinks: Bool) throws -> [SchemaDocument] {
        let links = hasLinks ? try BSONDocument(extendedJSON: Self.links) : [:]
        return [
            SchemaDocument(schema: try BSONDocument(extendedJSON: Self.dog)),
            SchemaDocument(schema: try BSONDocument(extendedJSON: Self.person), relationships: links),
        ]
    }

    @MainActor @Test func relationships() async throws {
        let server = try await AccountProbe()
        let linked = try schemas(hasLinks: true)
        try await server.store.changeDocuments(of: "test") { try $0.replace(linked) }
        try await Task.sleep(for: .seconds(1))
        var realms: [Realm] = []
        for device in ["phone", "laptop"] {
            var configuration = try await user(server, device).flexibleSyncConfiguration()
            configuration.objectTypes = [Person.self, Dog.self, Collar.self]
            let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
            try await realm.subscriptions.update {
                realm.subscriptions.append(QuerySubscription<Person>(), QuerySubscription<Dog>(name: "dogs"))
            }
            realms.append(realm)
        }
        try realms[0].write {
            let ann = realms[0].create(Person.self, value: ["_id": "ann", "name": "Ann"])
            ann.dogs.append(realms[0].create(Dog.self, value: ["name": "Rex"]))
        }
        try await realms[0].syncSession?.wait(for: .upload)
        try await realms[1].syncSession?.wait(for: .download)
        realms[1].refresh()
        #expect(realms[1].objects(Person.self).first?.dogs.map(\.name) == ["Rex"])

        // Without relationships the field contains plain keys. A device with links in this property is refused, and the
        // error names the property.
        let plain = try schemas(hasLinks: false)
        try await server.store.changeDocuments(of: "test") { try $0.replace(plain) }
        try await Task.sleep(for: .seconds(1))
        let errors = Errors()
        var configuration = try await user(server, "tablet", errors).flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        let third = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await eventually("a refusal") { errors.has("Person.dogs") }
        third.invalidate()
        await server.stop()
    }

    // MARK: Development mode

    @MainActor private func open(_ user: User, _ properties: [Property]) async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        configuration.schema = Schema([ObjectSchema("Plant", properties: properties)])
        return try await Realm(configuration: configuration, downloadBeforeOpen: .never)
    }

    @MainActor @Test func development() async throws {
        let server = try await AccountProbe()
        try await server.store.changeDocuments(of: "test") { $0.adoptsSchemas = true }
        try await Task.sleep(for: .seconds(1))
        func columns() async throws -> [String] {
            let tables = try await server.store.documents(of: "test").tables()
            return tables.first { $0.name == "Plant" }?.columns.map { "\($0.name): \($0.type)" }.sorted() ?? []
        }
        let key = Property("_id", .int, primaryKey: true)
        let first = try await open(try await user(server, "phone"), [key, Property("name", .string)])
        try await eventually("the class") { try await columns() == ["_id: int", "name: string"] }
        let second = try await open(
            try await user(server, "laptop"),
            [key, Property("name", .string), Property("height", .double)]
        )
        let all = ["_id: int", "height: double", "name: string"]
        try await eventually("the property") { try await columns() == all }
        // A property that would change an existing one isn't added to the schema. The device is refused.
        let errors = Errors()
        let third = try await open(try await user(server, "tablet", errors), [key, Property("name", .int)])
        try await eventually("a refusal") { errors.has("Plant.name") }
        #expect(try await columns() == all)
        for realm in [first, second, third] { realm.invalidate() }
        await server.stop()
    }
}
