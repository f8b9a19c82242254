import Foundation
import FreeholdEngine
import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

struct FollowedViewsTests {
    private static let stream = StreamDriver.stream

    private static let conditions: [ClassQuery] = [
        ("Thing", "TRUEPREDICATE"), ("Thing", "mail == 1"), ("Thing", "mail IN {0, 2}"), ("Thing", "mail == nil"),
        ("Thing", "mail == 1 AND count > 0"), ("Thing", "count > 0 OR mail == 2"), ("Thing", "keeper.mail == 1"),
        ("Thing", "keeper.keeper != nil"), ("Thing", "friends.@count > 1"), ("Thing", "ANY friends.mail == 2"),
        ("Thing", "SUBQUERY(friends, $f, $f.count > 0).@count > 0"), ("Thing", "home.street == 1"),
        ("Thing", "@links.Thing.keeper.mail == 0"), ("Other", "mail == 1"),
        ("Thing", "_id == 3"), ("Thing", "_id IN {1, 2, 8}"), ("Thing", "_id > 4 AND mail == 1"),
        ("Thing", "NOT _id == 3"), ("Thing", "_id != 3 OR count > 0"),
        ("Thing", "_id BETWEEN {2, 5} AND friends.@count > 0"),
    ].map { ClassQuery(className: SyncString($0.0), condition: SyncString($0.1)) }

    private static let schema = [
        TableSpec(
            "Thing",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("mail", .int, optional: true), ColumnSpec("count", .int),
                ColumnSpec("keeper", .link, optional: true, target: "Thing"),
                ColumnSpec("friends", .link, collection: .list, target: "Thing"),
                ColumnSpec("home", .link, optional: true, target: "Home"),
            ],
            primaryKey: "_id"
        ), TableSpec("Home", columns: [ColumnSpec("street", .int, optional: true)], isEmbedded: true),
        TableSpec(
            "Other",
            columns: [ColumnSpec("_id", .int), ColumnSpec("mail", .int, optional: true)],
            primaryKey: "_id"
        ),
    ]

    /// Changes of few objects with few values.
    private static func changes(
        _ contents: [ObjectName: MergedObject],
        _ next: inout OwnNumber,
        _ random: inout SeededRandom
    ) -> [Change] {
        func number(_ count: Int64) -> SyncValue { .int(.random(in: 0..<count, using: &random)) }
        func name() -> ObjectName { ObjectName("Thing", .int(.random(in: 0..<10, using: &random))) }
        next += 10
        let name = random.chance(90) ? name() : ObjectName("Other", .int(.random(in: 0..<3, using: &random)))
        guard contents[name] != nil else {
            return [.create(name, [NewField("mail", .value(number(3))), NewField("count", .value(number(2)))])]
        }
        guard name.className == "Thing" else { return [.set(Place(name, "mail"), number(3), .real)] }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return [.delete(name, .edit)]
        case 1: return [.set(Place(name, "mail"), random.chance(20) ? .null : number(3), .real)]
        case 2: return [.set(Place(name, "count"), number(2), .real)]
        case 3: return [.set(Place(name, "keeper"), random.chance(20) ? .null : .link(Self.thing(&random)), .real)]
        case 4:
            let friends = (0..<Int.random(in: 0..<4, using: &random)).map { _ in SyncValue.link(Self.thing(&random)) }
            return [.assignList(Place(name, "friends"), hidden: [], Gap(after: nil, before: nil), first: next, friends)]
        case 5:
            let home = EmbeddedValue(number: next, fields: [NewField("street", .value(number(2)))])
            return [.set(Place(name, "home"), .embedded(home), .real)]
        default: return [.increment(Place(name, "count"), 1)]
        }
    }

    private static func thing(_ random: inout SeededRandom) -> ObjectName {
        ObjectName("Thing", .int(.random(in: 0..<10, using: &random)))
    }

    @Test(arguments: [true, false])
    func `entering and leaving objects are the difference between the members`(hasSchema: Bool) throws {
        let seeds = StoreSeeds.seeds("FollowedViewsTests", count: 1, soak: 500)
        var cases = 0
        for seed in seeds {
            let store = try TwinStore(schemas: hasSchema ? ["app": Self.schema] : [:])
            defer { store.remove() }
            var driver = StreamDriver(store)
            var random = SeededRandom(seed: seed)
            var views = try driver.store.file.followViews(of: Self.stream)
            var (members, next): ([ConditionNumber: (ClassQuery, Set<ObjectName>)], OwnNumber) = ([:], 0)
            // Without a schema, conditions refer to a class that doesn't exist before its first objects.
            if hasSchema { try Self.follow(&views, &members, Self.conditions) }
            for step in 1...80 {
                let version = driver.store.head(of: Self.stream).version
                let changes = Self.changes(driver.store.contents(of: Self.stream), &next, &random)
                let commit = Commit(
                    number: UInt64(step),
                    clock: Clock(milliseconds: Int64(step)),
                    base: version,
                    seen: Dictionary(changes.map { ($0.object, version) }) { first, _ in first },
                    changes: changes
                )
                driver.commit([(FileIdent(rawValue: 1), commit, now: Int64(step))])
                guard random.chance(60) else { continue }
                let change = try views.advance()
                expectEqual(change.to.version, driver.store.head(of: Self.stream).version)
                for (number, change) in change.changes {
                    for name in change.left {
                        expect(members[number]?.1.remove(name) != nil, "\(seed): \(name) left, but wasn't a member")
                    }
                    for name in change.entered {
                        expectEqual(members[number]?.1.insert(name).inserted, true, "\(seed): \(name) was a member")
                    }
                }
                let fresh = try driver.store.file.followViews(of: Self.stream)
                try Self.compare(members, views, fresh, seed)
                try Self.compareWithMatcher(members, driver.store.contents(of: Self.stream), seed: seed)
                if !hasSchema, members.isEmpty, step > 30 {
                    let fitting = Self.conditions.filter { (try? Self.understood($0, fresh)) ?? false }
                    try Self.follow(&views, &members, fitting)
                }
                if random.chance(5), let number = members.keys.sorted().randomElement(using: &random),
                    let query = members.removeValue(forKey: number)
                {
                    views.unfollow(number)
                    try Self.follow(&views, &members, [query.0])
                }
            }
            expectEqual(driver.store.problems, [], "seed \(seed)")
            cases += 1
        }
        expect(TestBudget.isSpent("FollowedViewsTests", cases: cases, of: seeds.count))
    }

    private static func understood(_ query: ClassQuery, _ views: FollowedViews) throws -> Bool {
        var views = views
        _ = try views.follow(query)
        return true
    }

    private static func follow(
        _ views: inout FollowedViews,
        _ members: inout [ConditionNumber: (ClassQuery, Set<ObjectName>)],
        _ queries: [ClassQuery]
    ) throws {
        for query in queries {
            let number = try views.follow(query)
            members[number] = (query, Set(try views.members(of: number)))
        }
    }

    /// A server's machine matches the same conditions against single objects. Only the engine follows links.
    private static func compareWithMatcher(
        _ members: [ConditionNumber: (ClassQuery, Set<ObjectName>)],
        _ contents: [ObjectName: MergedObject],
        seed: UInt64
    ) throws {
        let schema = ConditionSchema(Self.schema)
        for (query, names) in members.values {
            if ["keeper", "friends", "@links"].contains(where: { query.condition.string.contains($0) }) { continue }
            let condition = try QueryMatcher().compile(query.className, query.condition, in: schema)
            let matched = contents.filter { name, object in
                name.className == query.className && object.isAlive && condition.matches(name, object.contents)
            }
            expectEqual(Set(matched.keys), names, "seed \(seed), \(query.condition)")
        }
    }

    private static func compare(
        _ members: [ConditionNumber: (ClassQuery, Set<ObjectName>)],
        _ views: FollowedViews,
        _ fresh: FollowedViews,
        _ seed: UInt64
    ) throws {
        var fresh = fresh
        for (number, (query, names)) in members {
            let again = try fresh.follow(query)
            expectEqual(Set(try fresh.members(of: again)), names, "seed \(seed), \(query.condition)")
            expectEqual(Set(try views.members(of: number)), names, "seed \(seed), \(query.condition)")
            for name in names { expect(views.contains(name, number), "seed \(seed), \(query.condition)") }
        }
    }

    @Test(arguments: [
        ("mail ==", 7), ("mail == 'x'", 0), ("nothing == 1", 0), ("mail == 1 SORT(mail ASC)", 0),
        ("é == 1", 0),
    ])
    func `a condition that can't be parsed is an error with its place`(condition: String, position: UInt64) throws {
        let store = try TwinStore(schemas: ["app": Self.schema])
        defer { store.remove() }
        var views = try store.file.followViews(of: Self.stream)
        do throws(ConditionError) {
            _ = try views.follow(ClassQuery(className: "Thing", condition: SyncString(condition)))
            Issue.record("it was understood")
        } catch {
            expectEqual(error.position, position)
            expectEqual(error.text.string.isEmpty, false)
        }
    }
}
