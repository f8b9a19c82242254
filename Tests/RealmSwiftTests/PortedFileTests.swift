// The imports of a ported file, and no others: RealmSwift exports Foundation.
import Realm
import RealmSwift
import Testing

class PortedMessage: Object {
    @Persisted(primaryKey: true) var id = UUID()
    @Persisted var sent = Date()
    @Persisted var link: Data?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PortedOther: Object {
    @Persisted var name = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("A ported file")
struct PortedFileTests {
    private func url() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("PortedFileTests-\(UUID().uuidString).realm")
    }

    @Test("import RealmSwift also imports Foundation, autoreleasepool and RLMError")
    func names() throws {
        let file = url()
        defer { _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: file)) }
        try autoreleasepool {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: [PortedMessage.self]))
            try realm.write { realm.add(PortedMessage()) }
        }
        let count = autoreleasepool { () -> Int in 3 }
        expectEqual(count, 3)
        do {
            var configuration = Realm.Configuration(fileURL: file, readOnly: true)
            configuration.objectTypes = [PortedOther.self]
            _ = try Realm(configuration: configuration)
            Issue.record("a class that the file doesn't have was found in a read-only file")
        } catch let error as RLMError where error.code == .schemaMismatch {
            expect(error.code == RLMError.schemaMismatch && error.code == RLMError.Code.schemaMismatch)
        }
        do {
            _ = try Realm(
                configuration: Realm.Configuration(fileURL: url(), readOnly: true, objectTypes: [PortedOther.self])
            )
        } catch RLMError.fileNotFound {
        }
    }
}
