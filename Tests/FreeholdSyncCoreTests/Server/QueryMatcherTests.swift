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
    ])
    func `an object fulfils`(condition: String) throws { expect(try matches(SyncString(condition))) }

    @Test(arguments: [
        "FALSEPREDICATE", "age == 8", "age == '7'", "age > '6'", "name == 'rex'", "name > 5", "nothing > 0",
        "nothing < 0",
        "missing != nil", "name == nil", "age IN {}", "age BETWEEN {1, 3}", "NOT (age == 7 OR age == 8)",
        "ALL tags == 'a'",
        "ANY tags == 'c'", "tags.@count == 3", "owner == obj('Person', 2)", "owner == nil", "isGood != true",
        // Who is behind a link isn't known here: neither the condition nor its opposite is fulfilled.
        "owner.name == 'Ann'", "NOT owner.name == 'Ann'", "age == 7 AND owner.name != 'Ann'",
    ])
    func `an object doesn't fulfil`(condition: String) throws { expect(try !matches(SyncString(condition))) }

    @Test(arguments: [
        "age >", "age == 7 SORT(age ASC)", "name ==[c] 'REX'", "name MATCHES 'R.*'", "age == weight", "age + 1 == 8",
        "tags[0] == 'a'", "marks.@sum > 1", "name TEXT 'rex'", "@links.Person.dogs.@count == 1",
        "SUBQUERY(visits, $v, $v.year > 1).@count > 0",
    ])
    func `what isn't served is said`(condition: String) {
        #expect(throws: ConditionError.self) { try QueryMatcher().compile("Dog", SyncString(condition)) }
    }
}
