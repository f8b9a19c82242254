// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/TestingModels.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import Testing

enum Freehold_TestingModels_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 16)

#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 17)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { false };
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var name = ""
    @Persisted var age = 0
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 22)

/// A configuration that no other test has.
static func testConfiguration() -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Dog.self])
}

#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 28)
@Suite struct DogTests {
    @Test func `a dog has a birthday`() throws {
        let realm = try Realm(configuration: testConfiguration())
        let rex = try realm.write { realm.create(Dog.self, value: ["name": "Rex", "age": 7]) }

        try realm.write { rex.age += 1 }

        #expect(realm.objects(Dog.self).where { $0.age == 8 }.map(\.name) == ["Rex"])
    }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 51)
@Suite struct AsynchronousDogTests {
    @Test @MainActor func `an observer receives a new dog`() async throws {
        let realm = try await Realm.open(configuration: testConfiguration())
        let dogs = realm.objects(Dog.self)
        var names: [String] = []
        try await realm.asyncWrite { realm.create(Dog.self, value: ["name": "Rex"]) }

        for await change in dogs.changes {
            if case .initial(let dogs) = change { names = dogs.map(\.name) }
            break
        }

        #expect(names == ["Rex"])
    }

    @Test func `code of a server`() async throws {
        let store = try await Realm.Store(testConfiguration())
        try await store.write { realm in realm.create(Dog.self, value: ["name": "Rex"]) }

        #expect(try await store.read { $0.objects(Dog.self).count } == 1)

        await store.close()
    }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 86)
/// A folder that is deleted together with this object.
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 87)
final class TestFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("kennel-\(UUID().uuidString)", isDirectory: true)

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func configuration(_ name: String) -> Realm.Configuration {
        Realm.Configuration(fileURL: url.appendingPathComponent(name), objectTypes: [Dog.self])
    }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 98)

#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 99)
@Suite struct BackupTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `a backup has every dog`() throws {
        let realm = try Realm(configuration: folder.configuration("kennel.realm"))
        try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
        let backup = folder.configuration("backup.realm")

        try realm.backup(to: backup.fileURL!)

        #expect(try Realm(configuration: backup).objects(Dog.self).first?.name == "Rex")
    }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 121)
@Suite struct FixtureTests {
    @Test func `dogs of a fixture`() throws {
        let realm = try Realm(configuration: testConfiguration())
        let json = Data(
            """
            {"id": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "name": "Rex", "age": 7}
            {"id": "6F9619FF-8B86-D011-B42D-00C04FC964F0", "name": "Bo", "age": 2}
            """.utf8
        )

        try realm.importJSON(from: json, into: Dog.self)

        #expect(realm.objects(Dog.self).sorted(by: \.age).map(\.name) == ["Bo", "Rex"])
    }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/TestingModels.md", line: 149)
@Suite struct MigrationTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// The file as the first version wrote it.
    private func makeOldFile(_ configuration: Realm.Configuration) throws {
        var old = configuration
        old.objectTypes = nil
        old.schema = Schema([
            ObjectSchema("Dog", properties: [
                Property("id", .UUID, primaryKey: true), Property("title", .string), Property("age", .int),
            ])
        ])
        let realm = try Realm(configuration: old)
        try realm.write { realm.dynamicCreate("Dog", value: ["id": UUID(), "title": "Rex", "age": 7]) }
    }

    @Test func `the first version's dogs keep their names`() throws {
        var configuration = folder.configuration("kennel.realm")
        try makeOldFile(configuration)
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, oldVersion in
            if oldVersion < 1 { migration.renameProperty(onType: "Dog", from: "title", to: "name") }
        }

        let realm = try Realm(configuration: configuration)

        #expect(realm.objects(Dog.self).first?.name == "Rex")
    }
}
#sourceLocation()
@MainActor static func run() async throws {
do {
do {
do {
do {
}}}}}
}
