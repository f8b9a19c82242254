import Foundation
import Testing

@testable import Freehold

@Suite("Query strings on objects, compared with the same condition in Swift")
struct FilterTests {
    struct Case {
        let text: String
        let arguments: [Any]
        let condition: (QueryKeeper) -> Bool

        init(_ text: String, _ arguments: Any..., condition: @escaping (QueryKeeper) -> Bool) {
            self.text = text
            self.arguments = arguments
            self.condition = condition
        }
    }

    private static func age(_ keeper: QueryKeeper) -> Int { keeper.best?.age ?? -1 }

    static var plain: [Case] {
        [
            Case("id > 5") { $0.id > 5 },
            Case("id BETWEEN {3, 7}") { (3...7).contains($0.id) },
            Case("id IN {1, 2, '3'}") { (1...3).contains($0.id) },
            Case("5 <= id AND id != 7 OR id = 0") { ($0.id >= 5 && $0.id != 7) || $0.id == 0 },
            Case("NOT (id > 5 OR id < 3)") { !($0.id > 5 || $0.id < 3) },
            Case("id == '7'") { $0.id == 7 },
            Case("id == 7.0") { $0.id == 7 },
            Case("id > 7.5") { $0.id > 7 },
            Case("id == 0x0B") { $0.id == 11 },
            Case("name CONTAINS[c] 'R'") { $0.name.lowercased().contains("r") },
            Case("name LIKE 'Z?ë'") { $0.name == "Zoë" },
            Case("name ==[c] 'REX'") { $0.name == "Rex" },
            Case("name BEGINSWITH 'Re' && name ENDSWITH 'r'") { $0.name == "Rex Junior" },
            Case("'Rex' == name") { $0.name == "Rex" },
            Case("best == nil") { $0.best == nil },
            Case("best.age > 3") { ($0.best?.age ?? 0) > 3 },
            Case("best.favourite.price >= 5") { ($0.best?.favourite?.price ?? -1) >= 5 },
            Case("best.name = NULL") { $0.best == nil },
            Case("home.number < 10") { $0.home?.number.map { $0 < 10 } ?? false },
            Case("ANY pets.age == 5") { $0.pets.contains { $0.age == 5 } },
            Case("pets.age == 5") { $0.pets.contains { $0.age == 5 } },
            Case("5 IN pets.age") { $0.pets.contains { $0.age == 5 } },
            Case("NONE pets.age == 5") { !$0.pets.contains { $0.age == 5 } },
            Case("ALL pets.age > 2") { $0.pets.allSatisfy { $0.age > 2 } },
            Case("ALL pets.age BETWEEN {1, 5}") { $0.pets.allSatisfy { (1...5).contains($0.age) } },
            Case("pets.@count > 2") { $0.pets.count > 2 },
            Case("pets.@size + 1 > 3") { $0.pets.count > 2 },
            Case("pets[SIZE] == 2") { $0.pets.count == 2 },
            Case("pets.@sum.age >= 8") { $0.pets.reduce(0) { $0 + $1.age } >= 8 },
            Case("pets.age.@max == 6") { $0.pets.map(\.age).max() == 6 },
            Case("pets.@min.age == NULL") { $0.pets.isEmpty },
            Case("pets[0].age > 3") { ($0.pets.first?.age ?? 0) > 3 },
            Case("pets[LAST].name == 'Rex'") { $0.pets.last?.name == "Rex" },
            Case("SUBQUERY(pets, $p, $p.age > 2 AND $p.name == 'Rex').@count > 0") {
                $0.pets.contains { $0.age > 2 && $0.name == "Rex" }
            },
            Case("SUBQUERY(pets, $p, SUBQUERY($p.toys, $t, $t.price > 5).@count > 1).@count >= 1") {
                $0.pets.contains { $0.toys.count { $0.price > 5 } > 1 }
            },
            Case("SUBQUERY(pets, $p, $p.@links.QueryKeeper.pets.@count > 3).@count > 0") {
                $0.pets.contains { pet in
                    pet.realm!.objects(QueryKeeper.self).reduce(0) { $0 + $1.pets.count { $0 == pet } } > 3
                }
            },
            Case("petMap['a'].age > 2") { ($0.petMap["a"] ?? nil).map { $0.age > 2 } ?? false },
            Case("petMap.@keys == 'b'") { $0.petMap.keys.contains("b") },
            Case("ANY petMap.@values.age > 4") { $0.petMap.values.contains { ($0?.age ?? 0) > 4 } },
            Case("homeMap['main'].number < 10") { (($0.homeMap["main"] ?? nil)?.number).map { $0 < 10 } ?? false },
            Case("tags CONTAINS 'ë'") { $0.tags.contains { $0.contains("ë") } },
            Case("tags == {'Rex', 'Ada'}") { Array($0.tags) == ["Rex", "Ada"] },
            Case("tags == {}") { $0.tags.isEmpty },
            Case("tags != {'Rex', 'Ada'}") { Array($0.tags) != ["Rex", "Ada"] },
            Case("ANY tags IN {'Zoë', 'x'}") { $0.tags.contains("Zoë") },
            Case("ANY {'Zoë', 'Ada'} == tags") { $0.tags.contains("Zoë") || $0.tags.contains("Ada") },
            Case("tags.length == 3") { $0.tags.contains { $0.utf8.count == 3 } },
            Case("tags[1] == 'Ada'") { $0.tags.count > 1 },
            Case("name.@count == 3") { $0.name.utf8.count == 3 },
            Case("any == 13") { $0.any == .int(13) },
            Case("any['k'] == 10") { $0.id == 10 },
            Case("any[0] >= 9 && any[1] == 'x'") { $0.id % 6 == 3 && $0.id >= 9 },
            Case("any['deep']['k'] BEGINSWITH 'v'") { $0.id % 6 == 5 },
            Case("any[*] == 'x'") { $0.id % 6 == 3 },
            Case("any[#any]['k'] == 15") { $0.id == 15 },
            Case("any == NULL") { $0.id % 6 == 0 },
            Case("suit == 'hearts'") { $0.suit == .hearts },
            Case("level > 4") { $0.level.rawValue > 4 },
            Case("temperature == -4") { $0.temperature.degrees == -4 },
            Case("best.age == pets.age") { keeper in keeper.pets.contains { $0.age == age(keeper) } },
            Case("id - best.age > 10") { keeper in keeper.best.map { keeper.id - $0.age > 10 } ?? false },
            Case("id * 2 == best.age + 4") { keeper in keeper.best.map { keeper.id * 2 == $0.age + 4 } ?? false },
            Case("SELF == obj('QueryKeeper', 3)") { $0.id == 3 },
            Case("SELF IN {obj('QueryKeeper', 3), obj('QueryKeeper', 5), obj('QueryKeeper', 99)}") {
                $0.id == 3 || $0.id == 5
            },
            Case("TRUEPREDICATE") { _ in true },
            Case("FALSEPREDICATE OR id == 1") { $0.id == 1 },
        ]
    }

    static var given: [Case] {
        [
            Case("id > %@", 5) { $0.id > 5 },
            Case("id > $0 AND id < $1", 5, 9) { (6...8).contains($0.id) },
            Case("id > %d AND name == %@", 5, "Rex") { $0.id > 5 && $0.name == "Rex" },
            Case("%K == %@", "best.age", 3) { age($0) == 3 },
            Case("id IN %@", [1, 2, 30]) { [1, 2].contains($0.id) },
            Case("id IN %@", Set([1, 2, 30])) { [1, 2].contains($0.id) },
            Case("id BETWEEN %@", [3, 5]) { (3...5).contains($0.id) },
            Case("id == %@", NSNumber(value: 7)) { $0.id == 7 },
            Case("id == %@", UInt8(7)) { $0.id == 7 },
            Case("id == %@", 7.0) { $0.id == 7 },
            Case("id == %@", "7") { $0.id == 7 },
            Case("name == %@", NSString("Rex")) { $0.name == "Rex" },
            Case("name == %@", "Rex Junior".prefix(3)) { $0.name == "Rex" },
            Case("best == %@", NSNull()) { $0.best == nil },
            Case("best.age == %@", Int?.none as Any) { $0.best == nil },
            Case("home.number == %@", Int?.some(7) as Any) { $0.home?.number == 7 },
            Case("suit == %@", Suit.hearts) { $0.suit == .hearts },
            Case("suit IN %@", [Suit.hearts, .clubs]) { $0.suit == .hearts || $0.suit == .clubs },
            Case("any == %@", AnyRealmValue.int(13)) { $0.id == 13 },
            Case("any IN %@", [1, 13]) { $0.id == 13 || $0.id == 1 },
            Case("any == %@", 13) { $0.id == 13 },
            Case("any[%@] == %@", "k", 10) { $0.id == 10 },
            Case("any[%@] == %@", 0, 9) { $0.id == 9 },
            Case("%@ IN tags", "Zoë") { $0.tags.contains("Zoë") },
            Case("tags == %@", ["Rex", "Ada"]) { Array($0.tags) == ["Rex", "Ada"] },
            Case("ANY %@ == tags", ["Zoë", "Ada"]) { $0.tags.contains("Zoë") || $0.tags.contains("Ada") },
            Case("temperature == %@", Celsius(persistedValue: 2)) { $0.temperature.degrees == 2 },
        ]
    }

    @Test
    func `a query string finds the same objects as the condition in Swift`() throws {
        let realm = try TypedQueryTests.populated()
        let all = realm.objects(QueryKeeper.self)
        for test in Self.plain + Self.given {
            let expected = Array(all).filter(test.condition)
            do {
                let found = try all.filtered(test.text, test.arguments)
                expectEqual(Array(found), expected, "\(test.text)")
                expectEqual(found.count, expected.count, "\(test.text)")
            } catch {
                Issue.record("\(test.text): \(error)")
            }
        }
        // Inside a write transaction.
        realm.beginWrite()
        realm.delete(realm.objects(QueryPet.self).where { $0.age == 3 })
        for test in Self.plain + Self.given {
            let found = try all.filtered(test.text, test.arguments)
            expectEqual(Array(found), Array(all).filter(test.condition), "in a write: \(test.text)")
        }
        realm.cancelWrite()
    }

    @Test
    func `objects are arguments, alone, in arrays and in collections`() throws {
        let realm = try TypedQueryTests.populated()
        let all = realm.objects(QueryKeeper.self)
        let pet = all[6].pets[0]
        expectEqual(Array(all.filter("ANY pets == %@", pet)), Array(all).filter { $0.pets.contains(pet) })
        expectEqual(Array(all.filter("%@ IN pets", pet)), Array(all).filter { $0.pets.contains(pet) })
        expectEqual(Array(all.filter("best IN %@", [pet])), Array(all).filter { $0.best == pet })
        expectEqual(
            Array(all.filter("best IN %@", all[6].pets)),
            Array(all).filter { $0.best.map { all[6].pets.contains($0) } ?? false }
        )
        expect(all.filter("best == %@", QueryPet()).isEmpty)
        expectEqual(all.filter("best != %@", QueryPet()).count, all.count)
        expectEqual(all.filter("SELF == %@", all[3]).first?.id, 3)
    }

    @Test
    func `every collection of objects can be filtered`() throws {
        let realm = try TypedQueryTests.populated()
        let keeper = realm.objects(QueryKeeper.self)[9]
        let old = { (pets: [QueryPet]) in pets.filter { $0.age > 2 }.map(\.name) }
        expectEqual(Array(keeper.pets.filter("age > 2")).map(\.name), old(Array(keeper.pets)))
        expectEqual(Array(keeper.petSet.filter("age > %@", 2)).map(\.name), old(Array(keeper.petSet)))
        expectEqual(
            Set(keeper.petMap.filter("age > 2").map { $0?.name }),
            Set(old(keeper.petMap.values.compactMap { $0 }))
        )
        expectEqual(Array(AnyRealmCollection(keeper.pets).filter("age > 2")).map(\.name), old(Array(keeper.pets)))
        let toy = realm.objects(QueryToy.self)[3]
        expectEqual(Array(toy.owners.filter("age > 2")).map(\.name), old(Array(toy.owners)))
        expectEqual(
            keeper.pets.filter("age > 2").filter("name == 'Rex'").count,
            keeper.pets.filter("age > 2 && name == 'Rex'").count
        )
        let dynamic = realm.dynamicObjects("QueryPet").filter("age > 2 AND ANY toys.price > 3")
        expectEqual(dynamic.count, realm.objects(QueryPet.self).where { $0.age > 2 && $0.toys.price > 3 }.count)
    }

    @Test
    func `a query string sorts, makes distinct and limits in written order`() throws {
        let realm = try TypedQueryTests.populated()
        let all = realm.objects(QueryKeeper.self)
        let ids = { (text: String) in Array(all.filter(text)).map(\.id) }
        expectEqual(ids("id > 3 SORT(id DESC) LIMIT(3)"), [23, 22, 21])
        expectEqual(ids("id > 3 LIMIT(3) SORT(id DESC)"), [6, 5, 4])
        expectEqual(ids("TRUEPREDICATE SORT(id DESC) OFFSET(20)"), [3, 2, 1, 0])
        expectEqual(ids("TRUEPREDICATE DISTINCT(name)"), [0, 1, 2, 3, 4, 5])
        expectEqual(ids("TRUEPREDICATE SORT(id DESC) DISTINCT(name) SORT(id ASC)"), [18, 19, 20, 21, 22, 23])
        let sorted = Array(all).sorted { ($0.name, $1.id) < ($1.name, $0.id) }.map(\.id)
        expectEqual(ids("TRUEPREDICATE SORT(name ASC, id DESC)"), sorted)
        expectEqual(ids("TRUEPREDICATE SORT(id DESC) SORT(name ASC)"), sorted)
        expectEqual(Array(all.filter("id > 3 LIMIT(3)").filter("id > 5")).map(\.id), [6])
        expectEqual(
            Array(all[9].pets.filter("TRUEPREDICATE SORT(age DESC) LIMIT(1)")).map(\.age),
            [
                all[9].pets.map(\.age).max()!
            ]
        )
    }

    @Test
    func `the position of the first match is found`() throws {
        let realm = try TypedQueryTests.populated()
        let all = realm.objects(QueryKeeper.self)
        expectEqual(all.index(matching: "id == 7"), 7)
        expect(all.index(matching: "id == %@", 70) == nil)
        expectEqual(all.index(matching: NSPredicate(format: "id > %@", 7)), 8)
        expectEqual(all.sorted(byKeyPath: "id", ascending: false).index(matching: "id == 7"), 16)
        expectEqual(all[9].pets.index(matching: "age >= 0"), 0)
    }

    @Test
    func `a wrong string gives an error with its place and similar names`() throws {
        let realm = try TypedQueryTests.populated()
        let all = realm.objects(QueryKeeper.self)
        let name = #expect(throws: QueryError.self) { try all.filter(validating: "id > 3 AND nmae == 'x'") }
        expect(name?.code == .unknownName && name?.position == 11 && name?.suggestions == ["name"])
        expectEqual(name?.text, "id > 3 AND nmae == 'x'")
        let far = #expect(throws: QueryError.self) { try all.filter(validating: "best.favourite.prize > %@", 3) }
        expect(far?.position == 15 && far?.suggestions == ["price"])
        let cls = #expect(throws: QueryError.self) { try all.filter(validating: "@links.QueryKeper.best.id == 3") }
        expect(cls?.code == .unknownName && cls?.suggestions.first == "QueryKeeper")
        let syntax = #expect(throws: QueryError.self) { try all.filter(validating: "id >") }
        expect(syntax?.code == .syntax && syntax?.position == 4)
        let type = #expect(throws: QueryError.self) { try all.filter(validating: "id == 'x'") }
        expect(type?.code == .type && type?.position == 0)
        let argument = #expect(throws: QueryError.self) { try all.filter(validating: "id == %@ AND id == %@", 1) }
        expect(argument?.code == .argument && argument?.position == 19)
        let sort = #expect(throws: QueryError.self) { try all.filter(validating: "TRUEPREDICATE SORT(pets.age ASC)") }
        expect(sort?.code == .type && sort?.position == 19)
        let other = #expect(throws: QueryError.self) {
            try all.filter(validating: "best == obj('QueryKeeper', 3)")
        }
        expectEqual(other?.code, .type)
        try expectEqual(all.filter(validating: "id == %@", 3).count, 1)
        #expect(throws: QueryError.self) { try all[9].petMap.filter(validating: "agee > 2") }
    }

    @Test
    func `filter traps with the error's text`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try TypedQueryTests.populated().objects(QueryKeeper.self).filter("id > 3 AND nmae == 'x'")
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("has no property 'nmae'") && message.contains("Did you mean name?"))
        expect(message.contains("id > 3 AND nmae == 'x'") && message.contains("^ at character 12"))
    }

    @Test
    func `a filter on an unmanaged list traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = QueryKeeper().pets.filter("age > 3")
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("unmanaged"))
    }
}

/// A closure that is printed as a query string and as a format with arguments finds the same objects.
func checkText<T: Object>(
    _ all: Results<T>,
    _ name: String,
    _ query: Query<Bool>,
    _ expected: [T],
    _ location: SourceLocation
) {
    do {
        let found = try all.filter(validating: query.queryString)
        expectEqual(Array(found), expected, "\(name): \(query.queryString)", sourceLocation: location)
    } catch {
        Issue.record("\(name): \(error)", sourceLocation: location)
    }
    let (format, arguments) = query._constructPredicate()
    do {
        let found = try all.filtered(format, arguments)
        expectEqual(Array(found), expected, "\(name): \(format)", sourceLocation: location)
    } catch {
        Issue.record("\(name): \(error)", sourceLocation: location)
    }
}
