import Foundation
import Freehold
import Testing

/// A compound that is unique, with and without null.
class QueryAuditTicket: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var row: String?
    @Persisted var seat: Int?
    @Persisted var price = 0
    override class func compoundIndexes() -> [CompoundIndex] {
        [.unique("row", "seat"), CompoundIndex("price", "row")]
    }
}

/// Results while what they are about changes.
@Suite("Query audit: results while the realm changes")
struct QueryStateAuditTests {
    let realm: Realm
    let all: Results<QueryAuditRow>

    init() throws {
        realm = try queryAuditRealm()
        try fillQueryAudit(realm)
        all = realm.objects(QueryAuditRow.self)
    }

    private func ids(_ results: Results<QueryAuditRow>) -> [Int] { results.map(\.id) }

    @Test
    func `retained results follow edits, deletions, a loop that removes its rows, and the end of the write`() throws {
        let held = all.filter("int == 42").sorted(by: \.id)
        realm.beginWrite()
        all[0].int = 42
        expectEqual(ids(held), [0, 5, 17, 29])
        realm.delete(all[5])
        expectEqual(ids(held), [0, 17, 29])
        for row in held { row.int = 1 }
        expectEqual(ids(held), [])
        let fresh = realm.create(QueryAuditRow.self, value: ["id": 100, "int": 42])
        expectEqual(ids(held), [100])
        realm.cancelWrite()
        expect(fresh.isInvalidated)
        expectEqual(ids(held), [5, 17, 29])
    }

    @Test
    func `results that are derived from invalidated ones are empty, too`() {
        let sorted = all.sorted(by: \.id)
        let numbers = all[7].ints.sorted(ascending: true)
        let groups = all.grouped(by: \.flag)
        realm.invalidate()
        expect(sorted.isInvalidated && sorted.count == 0)
        expectEqual(sorted.filter("id > 3").count, 0)
        expect(sorted.where { $0.id > 3 }.sorted(by: \.int).limited(to: 3).isEmpty)
        expect(sorted.index(matching: "id == 3") == nil)
        expect((sorted.max(ofProperty: "id") as Int?) == nil)
        expectEqual(sorted.sectioned(by: \.flag, ascending: true).count, 0)
        expectEqual(sorted.grouped(by: \.flag).count, 0)
        expect(numbers.isInvalidated && numbers.distinct().count == 0)
        expectEqual(groups.count, 0)
        expect(sorted.filter("id > 3").explain().description.contains("0 objects"))
        expectEqual(realm.objects(QueryAuditRow.self).filter("id > 26").count, 3)
    }

    @Test
    func `results of a deleted owner's collections are empty, and a deleted object equals nothing`() throws {
        let row = all[7]
        let rows = row.rows.filter("id > 4")
        let numbers = row.ints.sorted(ascending: true)
        let holders = row.holders.where { $0.id > 0 }
        expect(rows.count == 3 && numbers.count == 3 && holders.count == 1)
        try realm.write { realm.delete(row) }
        expect(rows.isInvalidated && ids(rows) == [] && ids(holders) == [] && Array(numbers) == [])
        expectEqual(ids(rows.sorted(by: \.id)), [])
        let unlinked = [0, 3, 6, 8, 9, 12, 15, 18, 21, 24, 27]
        expectEqual(ids(all.where { $0.link == row }), [])
        expectEqual(all.where { $0.link != row }.count, 29)
        expectEqual(ids(all.where { $0.link.in([row, nil]) }), unlinked)
        expectEqual(ids(all.filter("link == %@ OR link == nil", row)), unlinked)
        expectEqual(ids(all.where { $0.rows.contains(row) }), [])
        expectEqual(ids(all.where { $0.any == .object(row) }), [])
        // An object that was never added isn't equal to any other one, either.
        expectEqual(ids(all.filter("link == %@", QueryAuditRow())), [])
        expectEqual(all.filter("link != %@", QueryAuditRow()).count, 29)
    }

    @Test
    func `arguments of every kind are accepted`() throws {
        expectEqual(ids(all.filter("id IN %@", Set([1, 2, 3]))), [1, 2, 3])
        expectEqual(ids(all.filter("id IN %@", 1..<4)), [1, 2, 3])
        expectEqual(ids(all.filter("id IN %@", NSArray(array: [1, 2, 3]))), [1, 2, 3])
        expectEqual(ids(all.filter("id IN %@", Array(0..<10_000))).count, 30)
        expectEqual(ids(all.filter("text IN %@", (0..<5_000).map { "x\($0)" } + ["a"])), [2])
        expectEqual(ids(all.filter("link IN %@", all.filter("id < 5"))), [1, 2, 4, 5])
        expectEqual(ids(all.filter("link IN %@", all[2].rows)), [2])
        expectEqual(ids(all.filter("id BETWEEN %@", [3, 5])), [3, 4, 5])
        expectEqual(ids(all.filter("suit == %@", QueryAuditSuit.hearts)), [0, 4, 8, 12, 16, 20, 24, 28])
        expectEqual(ids(all.filter("mail == %@", QueryAuditMail("m1@x.org"))), [1, 11, 21])
        expectEqual(ids(all.filter("%K == %@", "link.id", 3)), [4])
        expectEqual(ids(all.filter("$K0 == $1", "link.id", 3)), [4])
        expectEqual(ids(all.filter("any == %@", ["k": 42, "l": [1]] as [String: Any])), [13, 28])
        // RealmSwift's spelling of any element of what is inside a mixed value.
        expectEqual(ids(all.filter("any[%K] == %@", "#any", 42)), [12, 13, 27, 28])
        expectEqual(ids(all.filter("any['l'][%K] == %@", "#any", 1)), [13, 28])
        expectEqual(ids(all.filter("link == %@", NSNull())), [0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
        expectEqual(ids(all.filter("flag == %@", NSNumber(value: true))).count, 10)
        expectEqual(ids(all.filter("decimal == %@", NSDecimalNumber(string: "42"))), [10, 21])
        expectEqual(ids(all.filter("id == %d OR id == %i OR double == %f OR id == %ld", 3, 4, 0.1, 6)), [3, 4, 6, 19])
        #expect(throws: QueryError.self) { try all.filter(validating: "int == %@", UInt64.max) }
        #expect(throws: QueryError.self) { try all.filter(validating: "text == %@ AND id == %@", "a") }
    }

    @Test
    func `sections unite NaN values, and distinguish strings by their bytes`() throws {
        let doubles = all.sectioned(by: \.double, ascending: true)
        expectEqual(doubles.count, 12)
        expect(doubles[0].key == nil && doubles[0].count == 3)
        expect(doubles[1].key!.isNaN && doubles[1].map(\.id) == [1, 14, 27])
        expectEqual(doubles.reduce(0) { $0 + $1.count }, 30)
        expectEqual(all.grouped(by: \.double).map(\.count).sorted(), doubles.map(\.count).sorted())
        // Rows 11 and 12 are equal to Swift only.
        let texts = all.sectioned(by: \.text, ascending: true)
        expectEqual(all[11].text, all[12].text)
        expect(texts.count == 29 && texts.allSatisfy { $0.count == ($0.key == nil ? 2 : 1) })
        expectEqual(texts.reduce(0) { $0 + $1.count }, 30)
    }

    @Test
    func `a violated unique compound index leaves no trace, even repeatedly`() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [QueryAuditTicket.self])
        )
        let tickets = realm.objects(QueryAuditTicket.self)
        func add(_ id: Int, _ row: String?, _ seat: Int?) {
            realm.create(QueryAuditTicket.self, value: ["id": id, "row": row as Any, "seat": seat as Any])
        }
        try realm.write {
            add(1, "a", 1)
            add(2, "a", 2)
        }
        for round in 0..<3 {
            do {
                try realm.write { add(3, "a", 1) }
                Issue.record("round \(round): a double seat was sold")
            } catch let error as Realm.Error {
                expectEqual(error.code, .uniqueConstraint)
            }
            expectEqual(tickets.filter("row == 'a'").map(\.id), [1, 2])
            // The index is violated and repaired before the end, violated by an edit, and violated and cancelled.
            try? realm.write { tickets[1].seat = 1 }
            expectEqual(tickets.map(\.seat), [1, 2])
            realm.beginWrite()
            add(3, "a", 1)
            realm.cancelWrite()
            try realm.write {
                swap(&tickets[0].seat, &tickets[1].seat)
                swap(&tickets[0].seat, &tickets[1].seat)
            }
            expectEqual(tickets.filter("row == 'a' AND seat == 1").map(\.id), [1])
        }
        try realm.write {
            realm.delete(tickets[0])
            add(4, "a", 1)
        }
        expectEqual(tickets.filter("row == 'a' AND seat == 1").map(\.id), [4])
        let plan = tickets.filter("row == 'a' AND seat == 1").explain()
        expect(plan.description.contains("1 found"), "\(plan)")
    }

    @Test
    func `a condition that is nested too deeply is an error, and a long one isn't`() throws {
        func alternating(_ depth: Int) -> NSPredicate {
            (0..<depth).reduce(NSPredicate(format: "id == 3")) { all, i in
                i % 2 == 0
                    ? NSCompoundPredicate(andPredicateWithSubpredicates: [all, NSPredicate(format: "id > 1")])
                    : NSCompoundPredicate(orPredicateWithSubpredicates: [all, NSPredicate(format: "id == 1")])
            }
        }
        expectEqual(ids(all.filter(alternating(60))), [1, 3])
        do {
            _ = try all.filter(validating: alternating(150))
            Issue.record("a tower was taken")
        } catch {
            expect(error.code == .syntax && error.message.contains("64 levels"))
        }
        let chain = all.where { row in (0..<2000).reduce(row.id == -1) { $0 || row.int == $1 } }
        expectEqual(ids(chain.sorted(by: \.id)), ids(all.filter("int BETWEEN {0, 1999}")))
        let rightwards = all.where { row in (0..<300).reduce(row.id == -1) { row.int == $1 || $0 } }
        expectEqual(ids(rightwards), ids(all.filter("int BETWEEN {0, 299}")))
    }

    @Test
    func `a query on another thread traps with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try queryAuditRealm()
            try fillQueryAudit(realm)
            nonisolated(unsafe) let rows = realm.objects(QueryAuditRow.self).filter("id > 3")
            let thread = Thread { _ = rows.count }
            thread.start()
            while !thread.isFinished { sched_yield() }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("thread"), "\(message)")
    }
}
