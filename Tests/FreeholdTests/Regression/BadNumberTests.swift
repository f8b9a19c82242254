import Foundation
import Freehold
import Testing

/// No number that can be stored, summed up or mentioned in an error may end the process.
@Suite("Numbers and dates at their limits")
struct BadNumberTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: "limits-\(UUID().uuidString)",
                objectTypes: [RGNumbers.self, RTDog.self, RTPerson.self]
            )
        )
    }

    @Test
    func `a sum beyond the property's type has the low bits, and a wider type has all of them`() throws {
        let realm = try realm()
        try realm.write {
            for _ in 0..<3 { realm.create(RGNumbers.self, value: ["small": 100, "optional": 100, "large": Int.max]) }
        }
        let all = realm.objects(RGNumbers.self)
        expectEqual(all.sum(of: \.small), Int8(truncatingIfNeeded: 300))
        expectEqual(all.sum(of: \.optional), Int8(truncatingIfNeeded: 300))
        expectEqual(all.sum(ofProperty: "small"), 300)
        expectEqual(all.sum(of: \.large), Int.max &+ Int.max &+ Int.max)
        expectEqual(all.average(of: \.small), 100)
        expectEqual(all.where { $0.small > 100 }.sum(of: \.optional), 0)
    }

    @Test
    func `a mean or an extreme that the requested type can't represent is nil`() throws {
        let realm = try realm()
        let values: [String: Any] = ["large": 300, "double": Double.infinity]
        try realm.write { _ = realm.create(RGNumbers.self, value: values) }
        let all = realm.objects(RGNumbers.self)
        expect((all.average(ofProperty: "large") as Int8?) == nil)
        expect((all.max(ofProperty: "large") as Int8?) == nil)
        expectEqual((all.max(ofProperty: "large") as Int?), 300)
        expect((all.max(ofProperty: "double") as Int?) == nil)
    }

    @Test(arguments: [
        (Double.nan, 0), (.infinity, .max), (-.infinity, .min), (1e300, .max), (2.75, 2),
    ])
    func `the sum of floating-point numbers as an integer is the nearest one`(value: Double, sum: Int) throws {
        let realm = try realm()
        try realm.write { _ = realm.create(RGNumbers.self, value: ["double": value]) }
        expectEqual(realm.objects(RGNumbers.self).sum(ofProperty: "double"), sum)
    }

    @Test
    func `sums of lists equal those of results`() throws {
        let realm = try realm()
        let numbers = RGNumbers()
        numbers.smalls.append(objectsIn: [100, 100, 100])
        numbers.larges.append(objectsIn: [.max, .max])
        for isManaged in [false, true] {
            if isManaged { try realm.write { realm.add(numbers) } }
            expectEqual(numbers.smalls.sum(), Int8(truncatingIfNeeded: 300))
            expectEqual(numbers.smalls.average(), 100.0)
            expectEqual(numbers.larges.sum(), -2)
            expectEqual(numbers.larges.average(), 0x1p63)
            expectEqual(numbers.doubles.sum(), 0)
        }
    }

    @Test
    func `NaN is neither the least nor the greatest of a list`() throws {
        let realm = try realm()
        let numbers = RGNumbers()
        numbers.doubles.append(objectsIn: [1, .nan, -.infinity, 5])
        for isManaged in [false, true] {
            if isManaged { try realm.write { realm.add(numbers) } }
            expectEqual(numbers.doubles.min(), -.infinity)
            expectEqual(numbers.doubles.max(), 5)
            expect(numbers.doubles.sum().isNaN)
        }
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, 1e300,
    ])
    func `a date without a text is refused if another type is required`(seconds: Double) throws {
        let realm = try realm()
        let date = Date(timeIntervalSince1970: seconds)
        let wrong: [[String: Any]] = [["large": date], ["large": [date]], ["larges": [date]], ["larges": ["x": date]]]
        for values in wrong {
            let error = thrownCode { try realm.write { _ = realm.create(RGNumbers.self, value: values) } }
            expectEqual(error, .invalidValue)
            expectEqual(thrownCode { _ = try RGNumbers(validating: values) }, .invalidValue)
        }
        expect(realm.isEmpty)
    }
}

class RGNumbers: Object {
    @Persisted var small: Int8 = 0
    @Persisted var optional: Int8?
    @Persisted var large = 0
    @Persisted var double = 0.0
    @Persisted var smalls: List<Int8>
    @Persisted var larges: List<Int>
    @Persisted var doubles: List<Double>
}
