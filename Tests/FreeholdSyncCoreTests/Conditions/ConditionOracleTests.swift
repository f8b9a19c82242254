import FreeholdEngine
import FreeholdSyncCore
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server's conditions against the same queries on a file of Freehold.
struct ConditionOracleTests {
    /// The texts of errors for conditions that servers don't support.
    private static let refusals = ["isn't served", "needs", "can be", "is compared with"]

    @Test func `each random condition finds the same objects as on a file, or is refused`() throws {
        var world = ConditionWorld(random: SeededRandom(test: "conditions"))
        let objects = (0..<40).map { world.object(Int64($0)) }
        let database = try Database.inMemory(identifier: UUID().uuidString)
        let rows = try ConditionWorld.fill(database, objects)
        let snapshot = try database.snapshot()
        let table = try require(snapshot.schema.table(named: "Thing"))
        let stored = objects.map { ConditionWorld.stored($0) }
        let schema = ConditionSchema(ConditionWorld.tables)
        var conditions = RandomConditions(world: world)
        let budget = TestBudget.range("ConditionOracleTests", usual: 400, soak: 400_000)
        var (refused, wrong, agreed, untyped) = (0, 0, 0, 0)
        for _ in budget {
            let text = conditions.next()
            let found: Set<ObjectKey>?
            do { found = Set(try RowQuery(text, of: table, in: snapshot).keys(in: snapshot)) } catch { found = nil }
            let query = ClassQuery(className: "Thing", condition: SyncString(text))
            do throws(ConditionError) {
                try schema.check(query)
                let condition = try QueryMatcher().compile("Thing", query.condition, in: schema)
                guard let found else {
                    Issue.record("a file refuses this: \(text)")
                    return
                }
                expect(!condition.canFail, "\(text)")
                guard Self.agree(condition, text, found: found, rows: rows, stored: stored) else { return }
                agreed += 1
            } catch {
                if found == nil { wrong += 1 } else { refused += 1 }
                let isNamed = found == nil || Self.refusals.contains { error.text.string.contains($0) }
                expect(isNamed, "\(text)\n\(error.text)")
                if found != nil { expect(conditions.isUnserved || Self.isUnserved(text), "\(text)\n\(error.text)") }
                if !isNamed { return }
            }
            // Without a schema, the server doesn't detect conditions that a file refuses.
            guard let found, let condition = try? QueryMatcher().compile("Thing", query.condition) else { continue }
            if conditions.needsSchema { continue }
            untyped += 1
            guard Self.agree(condition, text, found: found, rows: rows, stored: stored) else { return }
        }
        print("conditions: \(agreed) agreed, \(refused) refused, \(wrong) wrong; without a schema \(untyped)")
        expect(agreed > budget.count / 3)
        expect(untyped > budget.count / 5)
    }

    /// Lists with quantifiers, lists of objects and the like, which are refused by name.
    private static func isUnserved(_ text: String) -> Bool {
        ["{", "@type", "link", "mixed_s["].contains { text.contains($0) }
    }

    private static func agree(
        _ condition: any CompiledCondition,
        _ text: String,
        found: Set<ObjectKey>,
        rows: [ObjectKey],
        stored: [[SyncString: MergedContent]]
    ) -> Bool {
        for (index, row) in rows.enumerated() {
            let name = ObjectName("Thing", .int(Int64(index)))
            let isFound = condition.matches(name, stored[index])
            // Another part of the condition may decide.
            if !isFound, condition.failure(name, stored[index]) != nil { continue }
            expectEqual(isFound, found.contains(row), "\(text)\n\(stored[index])")
            if isFound != found.contains(row) { return false }
            if isFound, let keys = condition.keys { expect(keys.contains(name.key), "\(text)") }
        }
        return true
    }
}
