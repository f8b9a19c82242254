import FreeholdEngine
import FreeholdSyncCore
import Testing

/// Conditions of subscriptions, matched against single objects.
struct QueryMatcherTests {
    private let object: [SyncString: MergedContent] = [
        "name": .value(.string("Rex")),
        "age": .value(.int(7)),
        "weight": .value(.double(12.5)),
        "isGood": .value(.bool(true)),
        "nothing": .value(.null),
        "owner": .value(.link(ObjectName("Person", 1))),
        "address": .embedded(["city": .value(.string("Bern")), "zip": .value(.int(3_000))]),
        "tags": .list([.value(.string("a")), .value(.string("b"))]),
        "marks": .set([.int(1): .int(1), .int(3): .int(3)]),
        "visits": .list([.embedded(["year": .value(.int(2_020))]), .embedded(["year": .value(.int(2_024))])]),
        "words": .dictionary(["x": .value(.int(5))]),
        "weights": .list([.value(.float(0.1)), .value(.float(2))]),
        "anything": .value(.list([.int(1), .string("a")])),
    ]

    private func matches(_ condition: SyncString) throws -> Bool {
        try QueryMatcher().compile("Dog", condition).matches(ObjectName("Dog", 1), object)
    }

    @Test(arguments: [
        "TRUEPREDICATE", "age == 7", "7 == age", "age != 8", "age > 6.5", "age >= 7 AND age < 8", "6 < age",
        "weight == 12.5", "weight == 12.5f", "age < 7.5f", "weight < inf",
        "weight > 12", "name == 'Rex'", "name BEGINSWITH 'R'", "name ENDSWITH 'x'", "name CONTAINS 'e'",
        "name LIKE 'R?x'",
        "name LIKE '*e*'", "isGood == true", "NOT isGood == false", "nothing == nil", "missing == nil",
        "name != nil", "age IN {1, 7}", "age BETWEEN {7, 9}", "age == 1 OR name == 'Rex'", "address.city == 'Bern'",
        "address.zip > 2000", "tags == 'b'", "ANY tags == 'a'", "NONE tags == 'c'", "ALL marks > 0", "tags.@count == 2",
        "marks.@count > 1", "ANY visits.year == 2024", "ALL visits.year > 2000", "words == 5", "visits.@count == 2",
        "owner == obj('Person', 1)", "owner != obj('Person', 2)", "owner != nil", "address != nil",
        "_id == 1", "1 == _id", "_id IN {3, 1}", "_id < 2", "_id BETWEEN {0, 1}", "NOT _id == 2", "_id != 2",
        "_id == 1 AND age == 7", "_id == 2 OR age == 7", "SELF == obj('Dog', 1)", "_id == '1'", "_id != nil",
        "name ==[c] 'REX'", "name !=[c] 'MAX'", "name IN[c] {'MAX', 'REX'}", "name BEGINSWITH[c] 'r'",
        "words['x'] == 5", "words['y'] == nil", "words.@keys == 'x'", "tags[0] == 'a'", "tags[LAST] == 'b'",
        "tags[5] == nil", "tags == {'a', 'b'}", "tags != {'b', 'a'}", "marks.@sum == 4", "marks.@max == 3",
        "marks.@min == 1", "marks.@avg == 2", "age == marks.@sum + 3", "weight > age", "age + 1 == 8",
        "age * 2 > weight", "SUBQUERY(visits, $v, $v.year > 2020).@count == 1", "name.length == 3",
        "ANY tags.length == 1", "NONE tags.length > 1",
        "weights == 0.1", "weights.@max == 2", "anything[0] == 1", "anything[*] == 'a'", "anything == {1, 'a'}",
        "anything.@count == 2", "name.@type == 'string'", "age.@type != 'string'", "'a' IN tags", "age == '7'",
        "isGood == 1", "tags CONTAINS 'b'",
    ])
    func `an object fulfils`(condition: String) throws { expect(try matches(SyncString(condition))) }

    @Test(arguments: [
        "FALSEPREDICATE", "age == 8", "age == 'x'", "name == 'rex'", "name > 5", "nothing > 0",
        "_id == 2", "_id IN {2, 3}", "_id > 1", "_id == nil", "NOT _id == 1", "_id != 1", "_id == 'x'",
        "_id BEGINSWITH '1'", "SELF == obj('Dog', 2)", "SELF == obj('Cat', 1)", "words['x'] == 6",
        "weights == 0.2",
        "nothing < 0",
        "missing != nil", "name == nil", "age IN {}", "age BETWEEN {1, 3}", "NOT (age == 7 OR age == 8)",
        "ALL tags == 'a'",
        "ANY tags == 'c'", "tags.@count == 3", "owner == obj('Person', 2)", "owner == nil", "isGood != true",
        // The matcher doesn't know the target of a link. Neither the condition nor its opposite is fulfilled.
        "owner.name == 'Ann'", "NOT owner.name == 'Ann'", "age == 7 AND owner.name != 'Ann'",
    ])
    func `an object doesn't fulfil`(condition: String) throws { expect(try !matches(SyncString(condition))) }

    @Test(arguments: [
        "age >", "age == 7 SORT(age ASC)", "name MATCHES 'R.*'", "name TEXT 'rex'", "@links.Person.dogs.@count == 1",
        "@links.@count == 1", "address geoWithin geoCircle([1, 1], 1)", "ANY {1, 2} == marks",
        "friends == {obj('A', 1)}",
        "name LIKE '*\(String(repeating: "?a", count: 200))*'",
    ])
    func `what isn't served is said`(condition: String) {
        #expect(throws: ConditionError.self) { try QueryMatcher().compile("Dog", SyncString(condition)) }
    }

    private static let schema = ConditionSchema([
        TableSpec(
            "Dog",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("name", .string), ColumnSpec("age", .int),
                ColumnSpec("any", .mixed),
                ColumnSpec("owner", .link, optional: true, target: "Person"),
                ColumnSpec("visits", .link, collection: .list, target: "Visit"),
                ColumnSpec("friends", .link, collection: .list, target: "Dog"),
            ],
            primaryKey: "_id"
        ), TableSpec("Visit", columns: [ColumnSpec("year", .int)], isEmbedded: true),
        TableSpec("Person", columns: [ColumnSpec("_id", .int), ColumnSpec("name", .string)], primaryKey: "_id"),
    ])

    @Test(arguments: [
        ("owner.name == 'Ann'", "A condition through the link 'owner' isn't served."),
        ("age == 1 AND NOT ANY friends.age > 3", "A condition through the link 'friends' isn't served."),
        ("SUBQUERY(friends, $f, $f.age > 1).@count > 0", "A condition through the link 'friends' isn't served."),
        ("nosuch == 1", "Class Dog has no property 'nosuch'."),
        ("visits.nosuch == 1", "Class Visit has no property 'nosuch'."),
        ("age == 'x'", "'age' is an int, which \"x\" can't be compared with."),
        ("age == 2.5", "2.5 isn't a whole number, as 'age' is."), ("name TEXT 'a'", "TEXT isn't served."),
        ("any.name == 1", "'any' holds no objects, so that nothing can follow it."),
    ])
    func `a schema refuses by name`(condition: String, message: String) {
        let query = ClassQuery(className: "Dog", condition: SyncString(condition))
        let error = #expect(throws: ConditionError.self) { try Self.schema.check(query) }
        expectEqual(error?.text.string, message)
    }

    @Test func `an error's position is where the name is`() {
        let query = ClassQuery(className: "Dog", condition: "name == 'ü' AND owner.name == 'x'")
        let error = #expect(throws: ConditionError.self) { try Self.schema.check(query) }
        expectEqual(error?.position, 23)
    }

    @Test func `without a schema an object with a link on the path has no answer, and says why`() throws {
        let condition = try QueryMatcher().compile("Dog", "age == 7 AND owner.name == 'Ann'")
        expect(condition.canFail)
        let name = ObjectName("Dog", 1)
        expectEqual(condition.failure(name, object)?.text, "A condition through the link 'owner' isn't served.")
        expectEqual(condition.failure(name, object)?.position, 13)
        expect(condition.failure(name, ["age": .value(.int(7))]) == nil)
        let through = try QueryMatcher().compile("Dog", "SUBQUERY(owner, $o, $o.name == 'x').@count > 0")
        expect(through.failure(name, object) != nil)
        expect(try !QueryMatcher().compile("Dog", "age == 7").canFail)
    }

    @Test func `the keys that a condition names are known`() throws {
        func keys(_ condition: SyncString) throws -> Set<PrimaryKey>? {
            try QueryMatcher().compile("Dog", condition).keys
        }
        try expectEqual(keys("_id == 7"), [7])
        try expectEqual(keys("_id IN {7, 8} AND age > 3"), [7, 8])
        try expectEqual(keys("_id == 7 OR _id == 8"), [7, 8])
        try expectEqual(keys("_id == 7 OR age == 8"), nil)
        try expectEqual(keys("NOT _id == 7"), nil)
        try expectEqual(keys("_id == nil"), [.null])
        try expectEqual(keys("_id == 'a'"), ["a"])
        try expectEqual(keys("_id == 7.5"), [])
        try expectEqual(keys("FALSEPREDICATE"), [])
        try expectEqual(keys("_id > 7"), nil)
        try expectEqual(keys("_id ==[c] 'a'"), nil)
        try expectEqual(keys("address._id == 7"), nil)
        let id = ObjectId("65a1b2c3d4e5f60718293a4b")!
        try expectEqual(keys("_id == '65a1b2c3d4e5f60718293a4b'"), ["65a1b2c3d4e5f60718293a4b", .objectId(id)])
    }

    @Test func `what an object stores under the key's name isn't its key`() throws {
        let condition = try QueryMatcher().compile("Dog", "_id == 2")
        expect(!condition.matches(ObjectName("Dog", 1), ["_id": .value(.int(2))]))
        expect(condition.matches(ObjectName("Dog", 2), ["_id": .value(.int(1))]))
        // In embedded objects, it is a property like any other.
        let inner = try QueryMatcher().compile("Dog", "address._id == 5")
        expect(inner.matches(ObjectName("Dog", 1), ["address": .embedded(["_id": .value(.int(5))])]))
    }

    /// The first right hides the rest, whatever its cost and errors are.
    @Test func `a conjunction ends at the first part that isn't true`() throws {
        let condition = try QueryMatcher().compile("Dog", "age == 8 AND NOT owner.name == 'Ann'")
        expect(!condition.matches(ObjectName("Dog", 1), object))
        let unknown = try QueryMatcher().compile("Dog", "NOT (owner.name == 'Ann' AND age == 8)")
        expect(!unknown.matches(ObjectName("Dog", 1), object))
    }
}
