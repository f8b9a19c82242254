import Foundation
import Testing

@testable import Freehold

/// Names that no query could write are refused when the realm is opened.
@Suite("Names that can be written")
struct WritableNameTests {
    private func open(className: String = "Thing", property: String) throws -> Realm {
        var configuration = newConfiguration()
        configuration.objectTypes = nil
        configuration.schema = Schema([
            ObjectSchema(className, properties: [Property(property, .int)])
        ])
        return try Realm(configuration: configuration)
    }

    @Test(arguments: ["@count", "@x", "a.b", "a[0]", "a]", ""])
    func `an invalid name of a property is refused with the reason`(name: String) throws {
        let error = #expect(throws: Realm.Error.self) { try open(property: name) }
        expectEqual(error?.code, .invalidSchema)
        let reasons = ["dot", "can't write", "empty"]
        expect(reasons.contains { "\(error!)".contains($0) }, "\(String(describing: error))")
    }

    @Test(arguments: [
        "a b", "größe", "_x", "$x", "a-b", "in", "any", "SORT", "count", "日本", "O5", "T1", "null", "a1", "1a", "-a",
        "a'b",
        "\"", "a`b", "a,b", "a(b", "$0", "$K1", "a==b", "#any", "%K", "a\\b", "a\nb", "b@c", "T5:3", "a!", "{}",
    ])
    func `properties with unusual names are sorted and filtered by`(name: String) throws {
        let realm = try open(property: name)
        try realm.write {
            for i in 0..<3 { realm.dynamicCreate("Thing", value: [name: 3 - i]) }
        }
        let all = realm.dynamicObjects("Thing")
        expectEqual(all.sorted(byKeyPath: name).map { $0[name] as? Int }, [1, 2, 3])
        let query = Freehold.Query<DynamicObject>._constructForTesting()[name, as: Int.self] == 2
        try expectEqual(all.filter(validating: query.queryString).count, 1, "\(query.queryString)")
        let path = query.queryString.dropLast(" == 2".count)
        expectEqual(all.filter("%K == 2 SORT(\(path) ASC)", String(path)).count, 1)
    }

    @Test(arguments: ["@a", "A<Int>", "a'b", "1"])
    func `a class can have any name`(name: String) throws {
        let realm = try open(className: name, property: "a")
        try realm.write { realm.dynamicCreate(name, value: ["a": 1]) }
        expectEqual(realm.dynamicObjects(name).filter("a == 1").count, 1)
    }

    @Test
    func `an unknown name is reported with similar names, and a value with the expected Swift type`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = IndexedParent()["nmae"]
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("has no property \"nmae\". Did you mean name?"), "\(message)")
        var configuration = newConfiguration()
        configuration.objectTypes = [IndexedParent.self, IndexedKid.self, IndexedPart.self]
        let realm = try Realm(configuration: configuration)
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { _ = realm.create(IndexedParent.self, value: ["id": 1, "name": 5]) }
        }
        expectEqual(error.map { "\($0)".contains("5 (Int) is given where String is expected") }, true)
    }
}
