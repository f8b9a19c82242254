import Foundation
import Testing

@testable import Freehold

class Measurement: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var floats: List<Float>
    @Persisted var amount: Decimal128
    @Persisted var amounts: List<Decimal128>
    @Persisted var any: AnyRealmValue
}

@Suite("Floats and decimals to the last digit")
struct ExactNumberTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [Measurement.self]
            )
        )
    }

    @Test
    func `sums and means of floats are compared with floats, in strings and closures`() throws {
        let realm = try realm()
        try realm.write {
            let all: [[Float]] = [[1.1, 1.1], [0.5, 1], [16_777_216, 1], []]
            for (id, floats) in all.enumerated() {
                realm.create(Measurement.self, value: ["id": id, "floats": floats] as [String: Any])
            }
        }
        let all = realm.objects(Measurement.self)
        func ids(_ text: String, _ arguments: Any...) -> [Int] {
            all.filter(NSPredicate(format: text, argumentArray: arguments)).map(\.id)
        }
        expectEqual(all.where { $0.floats.avg == 1.1 }.map(\.id), [0])
        expectEqual(ids("floats.@avg == 1.1"), [0])
        expectEqual(ids("floats.@sum == 2.2"), [0])
        expectEqual(ids("floats.@sum == %@", 2.2), [0])
        expectEqual(ids("floats.@avg <= 1.1"), [0, 1])
        expectEqual(ids("floats.@sum IN {1.5, 2.2}"), [0, 1])
        expectEqual(ids("floats.@sum BETWEEN {2.2, 3}"), [0])
        // Doubles that no float is written as.
        expectEqual(ids("floats.@sum == 16777217"), [2])
        expectEqual(ids("floats.@sum == 16777217.0"), [2])
        expectEqual(ids("floats.@sum > 16777216.0"), [2])
    }

    @Test
    func `decimals keep their trailing zeros in the file, in text and in JSON`() throws {
        let realm = try realm()
        try realm.write {
            let one = realm.create(Measurement.self, value: ["id": 1, "amount": "1.1"] as [String: Any])
            one.amount = "1.10"
            one.amounts.append(objectsIn: ["2.50", "2.5"])
            one.any = .decimal128("3.000")
        }
        let one = realm.objects(Measurement.self)[0]
        expectEqual("\(one.amount)", "1.10")
        expectEqual(one.amounts.map(\.stringValue), ["2.50", "2.5"])
        expectEqual("\(one.any.decimal128Value ?? 0)", "3.000")
        expect("\(one)".contains("amount = 1.10;"))
        let json = String(decoding: try realm.jsonData(of: one), as: UTF8.self)
        for part in [#""1.10""#, #""2.50""#, #""3.000""#] { expect(json.contains(part), "\(part) isn't in \(json)") }
        try realm.write {
            realm.delete(one)
            try realm.importJSON(from: Data("[\(json)]".utf8), into: Measurement.self)
        }
        let again = realm.objects(Measurement.self)[0]
        expectEqual("\(again.amount) \(again.any.decimal128Value ?? 0)", "1.10 3.000")
        expectEqual(again.amounts.map(\.stringValue), ["2.50", "2.5"])
        expect(again.amount == "1.1" && Set<Decimal128>(["1.1", "1.10"]).count == 1)
        expectEqual(realm.objects(Measurement.self).where { $0.amount == "1.1" }.count, 1)
        expectEqual((again.amounts.average() as Decimal128?)?.stringValue, "2.50")
    }
}
