import Foundation
import Testing

@testable import Freehold

@Suite("The default realm")
struct DefaultRealmTests {
    /// In a process of its own, because the default configuration is the process's.
    @Test
    func `Realm() opens the default configuration, in a folder that it creates`() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let home = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: home) }
            setenv("XDG_DATA_HOME", home.path, 1)
            var configuration = Realm.Configuration.defaultConfiguration
            guard configuration.fileURL?.lastPathComponent == "default.realm" else { exit(1) }
            configuration.objectTypes = realmTestTypes
            configuration.schemaVersion = 4
            Realm.Configuration.defaultConfiguration = configuration
            let realm = try Realm()
            try realm.write { realm.add(RTDog(id: 1)) }
            #if !canImport(Darwin)
                guard realm.configuration.fileURL!.path.hasPrefix(home.path) else { exit(2) }
            #endif
            guard FileManager.default.fileExists(atPath: realm.configuration.fileURL!.path) else { exit(3) }
            guard try Realm(fileURL: configuration.fileURL!) == realm else { exit(4) }
            // Another file uses the rest of the default configuration.
            let other = try Realm(fileURL: home.appendingPathComponent("other.realm"))
            guard other != realm, other.isEmpty, other.configuration.schemaVersion == 4 else { exit(5) }
            let count = try await Realm.read { $0.objects(RTDog.self).count }
            let written = try await Realm.write { realm in
                realm.add(RTDog(id: 2))
                return realm.objects(RTDog.self).count
            }
            exit(count == 1 && written == 2 ? 0 : 6)
        }
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a list, linking objects and a write on another thread trap`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try newRealm()
            let person = RTPerson(name: "Ann")
            person.dogs.append(RTDog(id: 1))
            try realm.write { realm.add(person) }
            nonisolated(unsafe) let shared = (realm, person.dogs, person.dogs[0].owners, person)
            onOtherThread {
                switch kind {
                case 0: _ = shared.1.count
                case 1: _ = shared.2.count
                case 2: try shared.0.write {}
                default: shared.3.name = "Bob"
                }
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("another thread"), "\(message.prefix(500))")
    }
}
