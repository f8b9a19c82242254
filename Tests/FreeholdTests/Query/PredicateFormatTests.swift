import Foundation
import Testing

@testable import Freehold

@Suite("NSPredicate in queries")
struct PredicateFormatTests {
    let realm: Realm
    let all: Results<QueryKeeper>

    init() throws {
        realm = try TypedQueryTests.populated()
        all = realm.objects(QueryKeeper.self)
    }

    private func ids(_ predicate: NSPredicate) -> [Int] { all.filter(predicate).map(\.id) }

    @Test
    func `a format with arguments filters`() {
        expectEqual(ids(NSPredicate(format: "id < 3")), [0, 1, 2])
        expectEqual(ids(NSPredicate(format: "id < %@ AND id > %d", 4, 1)), [2, 3])
        expectEqual(ids(NSPredicate(format: "%K BETWEEN {%@, %@}", "id", 4, 5)), [4, 5])
        expectEqual(ids(NSPredicate(format: "id IN %@", [1, 50])), [1])
        expectEqual(ids(NSPredicate(format: "id < %@ AND best == %@", 4, nil as QueryPet?)), [0, 3])
        expectEqual(ids(NSPredicate(format: "id == %@", argumentArray: [6])), [6])
        expectEqual(ids(NSPredicate(format: "id == 6", argumentArray: nil)), [6])
    }

    @Test
    func `values and compounds of formats filter`() {
        let low = NSPredicate(format: "id < 3")
        let even = NSPredicate(format: "id IN {0, 2, 4}")
        expectEqual(ids(NSPredicate(value: true)).count, all.count)
        expect(ids(NSPredicate(value: false)).isEmpty)
        expectEqual(ids(NSCompoundPredicate(andPredicateWithSubpredicates: [low, even])), [0, 2])
        expectEqual(ids(NSCompoundPredicate(orPredicateWithSubpredicates: [low, even])), [0, 1, 2, 4])
        expectEqual(ids(NSCompoundPredicate(notPredicateWithSubpredicate: low)).first, 3)
        expectEqual(ids(NSCompoundPredicate(andPredicateWithSubpredicates: [])).count, all.count)
        expect(ids(NSCompoundPredicate(orPredicateWithSubpredicates: [])).isEmpty)
        let nested = NSCompoundPredicate(
            orPredicateWithSubpredicates: [
                NSCompoundPredicate(andPredicateWithSubpredicates: [low, even]), NSPredicate(format: "id == 9"),
                NSPredicate(value: false),
            ]
        )
        expectEqual(ids(nested), [0, 2, 9])
        expectEqual(all[9].pets.filter(NSPredicate(format: "age >= 0")).count, all[9].pets.count)
        expectEqual(all[9].petMap.filter(NSPredicate(format: "age >= 0")).count, 3)
    }

    @Test
    func `a predicate is evaluated on managed objects`() {
        let predicate = NSPredicate(format: "id == 3 AND pets.@count > 0")
        expect(predicate.evaluate(with: all[3]))
        expect(!predicate.evaluate(with: all[4]))
    }

    @Test
    func `a block of code is refused`() {
        let block = NSPredicate { _, _ in true }
        let error = #expect(throws: QueryError.self) { try all.filter(validating: block) }
        expectEqual(error?.code, .argument)
        #expect(throws: QueryError.self) {
            try all.filter(validating: NSCompoundPredicate(notPredicateWithSubpredicate: block))
        }
        #expect(throws: QueryError.self) { try all.filter(validating: NSPredicate(format: "nmae == 1")) }
    }

    @Test
    func `a predicate can sort and limit alone, not inside another`() {
        let limited = NSPredicate(format: "id > 3 SORT(id DESC) LIMIT(2)")
        expectEqual(ids(limited), [23, 22])
        #expect(throws: QueryError.self) {
            try all.filter(validating: NSCompoundPredicate(notPredicateWithSubpredicate: limited))
        }
    }

    @Test
    func `a wrong format traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "id == == 3")
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("id == == 3") && message.contains("Expected"))
    }
}
