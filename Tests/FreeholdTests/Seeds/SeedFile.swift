import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

/// The base class of the documents' models. Their names repeat in several languages, so no model may be in the schema
/// of realms without a list of classes.
class SeedObject: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same for embedded models.
class SeedEmbedded: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// One realm file for a test. The test opens, uses and closes it any number of times, and it is removed with the test.
final class SeedFile {
    let configuration: Realm.Configuration

    init(_ types: ObjectBase.Type...) {
        let name = "freehold-seed-\(UUID().uuidString).realm"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        configuration = Realm.Configuration(fileURL: url, objectTypes: types)
    }

    /// Opens the file again, calls the body with its realm, checks the file and closes it.
    @discardableResult
    func open<R>(_ configuration: Realm.Configuration? = nil, _ body: (Realm) throws -> R) throws -> R {
        weak var core: RealmCore?
        func run() throws -> R {
            let realm = try Realm(configuration: configuration ?? self.configuration)
            core = realm.core
            let result = try body(realm)
            expect(!realm.isInWriteTransaction)
            realm.refresh()
            expectEqual((realm.core.view as? Snapshot)?.verify(), [])
            return result
        }
        let result = try run()
        // An object that the block returns retains its realm until the caller releases it.
        expect(core == nil || result is ObjectBase, "the realm wasn't closed")
        return result
    }

    deinit {
        let folder = configuration.fileURL!.deletingLastPathComponent()
        let name = configuration.fileURL!.lastPathComponent
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where file.hasPrefix(name) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(file))
        }
    }
}

/// A realm in memory of these classes.
func seedRealm(_ types: ObjectBase.Type...) throws -> Realm {
    try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "seed-\(UUID().uuidString)", objectTypes: types))
}

/// Returns the error of opening a realm of these classes, or an empty text.
func openingError(_ types: ObjectBase.Type...) -> String {
    do {
        _ = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: "seed-\(UUID().uuidString)", objectTypes: types)
        )
        return ""
    } catch {
        return (error as? Realm.Error)?.message ?? "\(error)"
    }
}

/// How many rows an embedded class's table has.
func embeddedCount(_ realm: Realm, _ name: String) -> Int {
    realm.core.view.schema.table(named: name).map { realm.core.view.count($0) } ?? -1
}
