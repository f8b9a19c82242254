import Foundation
import Testing

@testable import Freehold

private class Stored: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var tags: List<String>
    @Persisted var next: Stored?
    @Persisted var gone = 0.5
    override class func _realmObjectName() -> String? { "Thing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Changed: Object {
    @Persisted var id = 0
    @Persisted var name: String?
    @Persisted var age: Double?
    @Persisted var tags = ""
    @Persisted var next: List<Changed>
    @Persisted var new = UUID()
    override class func _realmObjectName() -> String? { "Thing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Indexed: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var name = ""
    @Persisted(indexed: true) var age: Int?
    @Persisted var tags: List<String>
    @Persisted var next: Indexed?
    @Persisted var gone = 0.5
    override class func _realmObjectName() -> String? { "Thing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Added: Object {
    @Persisted var link: Indexed?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Changes of models")
struct SchemaMismatchTests {
    private func configuration(_ url: URL, _ types: [ObjectBase.Type], readOnly: Bool = false) -> Realm.Configuration {
        Realm.Configuration(fileURL: url, readOnly: readOnly, objectTypes: types)
    }

    private func withStored(_ body: (URL) throws -> Void) throws {
        try withNewFile { base in
            let url = base.fileURL!
            do {
                let realm = try Realm(configuration: configuration(url, [Stored.self]))
                try realm.write {
                    for i in 0..<20 {
                        realm.create(Stored.self, value: ["id": i, "name": "n\(i % 2)", "age": i] as [String: Any])
                    }
                }
            }
            try body(url)
        }
    }

    @Test(arguments: [false, true])
    func `one schemaMismatch lists every difference, and the file isn't changed`(readOnly: Bool) throws {
        try withStored { url in
            let before = try Data(contentsOf: url)
            let error = #expect(throws: Realm.Error.self) {
                try Realm(configuration: configuration(url, [Changed.self], readOnly: readOnly))
            }
            expect(error?.code == .schemaMismatch && error?.fileURL?.lastPathComponent == url.lastPathComponent)
            for name in ["name", "age", "tags", "next", "new"] + (readOnly ? [] : ["gone"]) {
                expectEqual(error?.message.contains("Thing.\(name)'"), true, "\(name): \(error?.message ?? "")")
            }
            expectEqual(error?.message.contains("primary key"), true)
            let after = try Data(contentsOf: url)
            expectEqual(after, before)
        }
    }

    @Test
    func `new classes and indexes, and omitted classes, open and keep the data`() throws {
        try withStored { url in
            do {
                let realm = try Realm(configuration: configuration(url, [Indexed.self, Added.self]))
                let found = realm.objects(Indexed.self).where { $0.name == "n1" && $0.age < 10 }
                expectEqual(found.map(\.id), [1, 3, 5, 7, 9])
                try realm.write { realm.create(Added.self, value: ["link": found[0]]) }
            }
            do {
                let realm = try Realm(configuration: configuration(url, [Stored.self]))
                expectEqual(realm.objects(Stored.self).count, 20)
                try realm.write { realm.delete(realm.objects(Stored.self).where { $0.id == 1 }) }
            }
            let realm = try Realm(configuration: configuration(url, [Indexed.self, Added.self]))
            // The link's target was deleted while the class that links to it wasn't in use.
            expect(realm.objects(Added.self).count == 1 && realm.objects(Added.self)[0].link == nil)
            expectEqual(realm.objects(Indexed.self).where { $0.name == "n1" }.count, 9)
        }
    }
}
