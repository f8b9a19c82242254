import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Query: random conditions against a plain evaluator")
struct RandomQueryTests {
    private static let isLong = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil

    @Test(arguments: 0..<6)
    func `random conditions and strings find their rows, with and without indexes, in and out of transactions`(
        _ round: Int
    ) throws {
        let seeds = Self.isLong ? 40 : 1
        var cases = 0
        for seed in 0..<seeds {
            cases += try run(UInt64(round * 1_000 + seed), span: [4, 16, 1000][round % 3], count: round < 3 ? 24 : 60)
        }
        print("RandomQueryTests: round \(round), \(cases) conditions")
        expectEqual(cases, seeds * Self.steps * 6)
    }

    /// The number of steps of a seed. Every fourth is in a transaction, and every second of those is cancelled.
    private static let steps = isLong ? 40 : 16

    /// Returns the number of conditions that were checked.
    private func run(_ seed: UInt64, span: Int, count: Int) throws -> Int {
        var cases = 0
        var generator = SeededRandom(seed: seed)
        let realms = try [RQRealm(span: span, indexed: false), RQRealm(span: span, indexed: true)]
        for realm in realms {
            var same = SeededRandom(seed: seed)
            try realm.realm.write {
                let people = (0..<count).map { id -> RQPerson in
                    let person = RQPerson()
                    person.id = id
                    person.fill(&same)
                    realm.realm.add(person)
                    return person
                }
                for person in people { person.link(people, &same) }
            }
            // Clusters with holes.
            try realm.realm.write {
                realm.realm.delete(Array(realm.realm.objects(RQPerson.self)).filter { $0.id % 7 == 3 })
            }
        }
        for step in 0..<Self.steps {
            let change = generator.next()
            let isWriting = step % 4 == 3
            for realm in realms where isWriting {
                realm.realm.beginWrite()
                var same = SeededRandom(seed: change)
                let people = Array(realm.realm.objects(RQPerson.self))
                for _ in 0..<4 {
                    let person = people.randomElement(using: &same)!
                    person.fill(&same)
                    person.link(people, &same)
                }
            }
            let next = generator.next()
            for realm in realms {
                let all = realm.realm.objects(RQPerson.self)
                var conditions = RandomConditions(generator: SeededRandom(seed: next), people: Array(all))
                for _ in 0..<3 {
                    check(conditions.condition(2), all, "seed \(seed), step \(step)")
                    cases += 1
                }
            }
            for realm in realms where isWriting {
                if step % 8 == 3 { realm.realm.cancelWrite() } else { try realm.realm.commitWrite() }
            }
        }
        return cases
    }

    private func check(_ condition: Condition, _ all: Results<RQPerson>, _ note: String) {
        let evaluator = PlainEvaluator()
        let expected = Array(all).filter { evaluator.holds(condition, $0) }.map(\.id)
        let query = Query<Bool>(condition)
        let text = query.queryString
        let found = all.where { _ in query }
        expectEqual(found.map(\.id), expected, "\(note): \(text)")
        expectEqual(found.count, expected.count, "\(note): \(text)")
        expectEqual(found.first?.id, expected.first, "\(note): \(text)")
        do throws(QueryError) {
            try expectEqual(all.filter(validating: text).map(\.id), expected, "\(note), as text: \(text)")
        } catch {
            Issue.record("\(note): \(error)")
        }
    }
}
