import Foundation
import Testing

@testable import Freehold

class QueryToy: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var price: Int
    @Persisted(originProperty: "toys") var owners: LinkingObjects<QueryPet>
}

class QueryPet: Object {
    @Persisted var name = ""
    @Persisted var nickname: String?
    @Persisted var age: Int
    @Persisted var toys: List<QueryToy>
    @Persisted var favourite: QueryToy?
}

class QueryHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var number: Int?
}

class QueryKeeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var pets: List<QueryPet>
    @Persisted var petSet: MutableSet<QueryPet>
    @Persisted var petMap: Map<String, QueryPet?>
    @Persisted var best: QueryPet?
    @Persisted var home: QueryHome?
    @Persisted var homes: List<QueryHome>
    @Persisted var homeMap: Map<String, QueryHome?>
    @Persisted var any: AnyRealmValue
    @Persisted var suit: Suit
    @Persisted var maybeSuit: Suit?
    @Persisted var suits: List<Suit>
    @Persisted var maybeSuits: MutableSet<Suit?>
    @Persisted var suitMap: Map<String, Suit>
    @Persisted var level: Level
    @Persisted var temperature: Celsius
    @Persisted var temperatures: List<Celsius>
    @Persisted var temperatureMap: Map<String, Celsius?>
    @Persisted var point: Point2
    @Persisted var points: List<Point2>
    @Persisted var tags: List<String>
}

@Suite("Query: links, maps, mixed values, enums, custom types, subqueries")
struct TypedQueryTests {
    let realm: Realm

    init() throws { realm = try Self.populated() }

    static func populated() throws -> Realm {
        var configuration = newConfiguration()
        configuration.objectTypes = [
            QueryToy.self, QueryPet.self, QueryHome.self, QueryKeeper.self, PointRow.self,
        ]
        let realm = try Realm(configuration: configuration)
        let names = ["Rex", "Ada", "Zoë", "zoe", "", "Rex Junior"]
        try realm.write {
            let toys = (0..<12).map { QueryToy(value: ["id": $0, "price": $0 * 3 % 10]) }
            let pets = (0..<20).map { i -> QueryPet in
                let pet = QueryPet(value: ["name": names[i % 6], "age": i % 7])
                pet.nickname = i % 3 == 0 ? nil : String(names[i % 6].prefix(2))
                pet.toys.append(objectsIn: (0..<(i % 4)).map { toys[(i + $0 * 5) % 12] })
                pet.favourite = i % 2 == 0 ? nil : toys[i % 12]
                return pet
            }
            for i in 0..<24 {
                let keeper = QueryKeeper(value: ["id": i, "name": names[(i + 1) % 6]])
                keeper.pets.append(objectsIn: (0..<(i % 5)).map { pets[(i * 3 + $0) % 20] })
                keeper.petSet.insert(objectsIn: keeper.pets.prefix(2))
                for (key, pet) in zip(["a", "b", "c"], keeper.pets) { keeper.petMap[key] = .some(pet) }
                if i % 6 == 1 { keeper.petMap["a"] = .some(nil) }
                keeper.best = i % 3 == 0 ? nil : pets[i % 20]
                if i % 4 != 0 {
                    keeper.home = QueryHome(
                        value: ["street": names[i % 6], "number": i % 5 == 0 ? nil : i] as [String: Any?]
                    )
                }
                keeper.homes.append(
                    objectsIn: (0..<(i % 3)).map { QueryHome(value: ["street": names[$0], "number": i + $0]) }
                )
                if i % 2 == 0 { keeper.homeMap["main"] = .some(QueryHome(value: ["street": "Main", "number": i])) }
                keeper.any = Self.mixed(i)
                keeper.suit = Suit.allCases[i % 4]
                keeper.maybeSuit = i % 5 == 0 ? nil : Suit.allCases[i % 3]
                keeper.suits.append(objectsIn: Suit.allCases.prefix(i % 5))
                if i % 2 == 0 { keeper.maybeSuits.insert(nil) }
                keeper.maybeSuits.insert(Suit.allCases[i % 4])
                keeper.suitMap["x"] = Suit.allCases[(i + 1) % 4]
                keeper.level = Level.allCases[i % 3]
                keeper.temperature = Celsius(persistedValue: Double(i) - 4)
                keeper.temperatures.append(objectsIn: (0..<(i % 4)).map { Celsius(persistedValue: Double($0 * i)) })
                keeper.temperatureMap["t"] = i % 3 == 0 ? .some(nil) : Celsius(persistedValue: Double(i))
                keeper.point = Point2(x: Double(i % 3), y: Double(i % 2))
                keeper.points.append(objectsIn: (0..<(i % 3)).map { Point2(x: Double($0), y: Double(i % 2)) })
                keeper.tags.append(objectsIn: names.prefix(i % 4))
                realm.add(keeper)
            }
        }
        return realm
    }

    /// Documents of different shapes.
    private static func mixed(_ i: Int) -> AnyRealmValue {
        switch i % 6 {
        case 0: .none
        case 1: .int(i)
        case 2: .string("text \(i)")
        case 3: .fromArray([.int(i), .string("x"), .fromDictionary(["k": .int(i)])])
        case 4: .fromDictionary(["k": .int(i), "list": .fromArray([.int(1), .int(i)])])
        default: .fromDictionary(["deep": .fromDictionary(["k": .string("v\(i)")])])
        }
    }

    private func check(
        _ name: String,
        _ query: (Query<QueryKeeper>) -> Query<Bool>,
        _ condition: (QueryKeeper) -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        checkQuery(realm.objects(QueryKeeper.self), name, query, condition, location)
        realm.beginWrite()
        realm.delete(realm.objects(QueryPet.self).where { $0.age == 3 })
        realm.objects(QueryKeeper.self)[4].best?.age = 40
        checkQuery(realm.objects(QueryKeeper.self), "in a write: \(name)", query, condition, location)
        realm.cancelWrite()
    }

    @Test
    func `queries lead through links, lists, sets, maps and inverse links`() throws {
        try check("link", { $0.best.age > 3 }, { $0.best.map { $0.age > 3 } ?? false })
        try check(
            "null link",
            { $0.best.name == "Rex" || $0.best == nil },
            { $0.best?.name == "Rex" || $0.best == nil }
        )
        try check("two links", { $0.best.favourite.price >= 5 }, { ($0.best?.favourite?.price ?? -1) >= 5 })
        try check("null along the path", { $0.best.favourite == nil }, { $0.best?.favourite == nil })
        try check("list", { $0.pets.age == 5 }, { $0.pets.contains { $0.age == 5 } })
        try check(
            "list of lists",
            { $0.pets.toys.price == 9 },
            { $0.pets.contains { $0.toys.contains { $0.price == 9 } } }
        )
        try check("set", { $0.petSet.name.starts(with: "Re") }, { $0.petSet.contains { $0.name.hasPrefix("Re") } })
        try check("map values", { $0.petMap.values.age > 4 }, { $0.petMap.values.contains { ($0?.age ?? 0) > 4 } })
        try check("map key", { $0.petMap["a"].age > 2 }, { ($0.petMap["a"] ?? nil).map { $0.age > 2 } ?? false })
        try check("map key to nothing", { $0.petMap["a"] == nil }, { ($0.petMap["a"] ?? nil) == nil })
        try check("embedded", { $0.home.number > 8 }, { ($0.home?.number ?? 0) > 8 })
        try check("embedded list", { $0.homes.number == 7 }, { $0.homes.contains { $0.number == 7 } })
        try check(
            "embedded map",
            { $0.homeMap["main"].number < 10 },
            { (($0.homeMap["main"] ?? nil)?.number).map { $0 < 10 } ?? false }
        )
        try check("count over a path", { $0.pets.toys.count > 3 }, { $0.pets.reduce(0) { $0 + $1.toys.count } > 3 })
        try check("max over a path", { $0.pets.age.max == 6 }, { $0.pets.map(\.age).max() == 6 })
        try check(
            "sum over a path",
            { $0.pets.toys.price.sum > 12 },
            { $0.pets.reduce(0) { $0 + $1.toys.reduce(0) { $0 + $1.price } } > 12 }
        )
        try check(
            "average",
            { $0.pets.age.avg >= 3 },
            { !$0.pets.isEmpty && Double($0.pets.map(\.age).reduce(0, +)) / Double($0.pets.count) >= 3 }
        )
        checkQuery(
            realm.objects(QueryToy.self),
            "inverse",
            { $0.owners.age > 4 },
            { $0.owners.contains { $0.age > 4 } }
        )
        checkQuery(realm.objects(QueryToy.self), "inverse count", { $0.owners.count == 3 }, { $0.owners.count == 3 })
        let pet = realm.objects(QueryKeeper.self)[6].pets[0]
        checkQuery(
            realm.objects(QueryKeeper.self),
            "object in list",
            { $0.pets.contains(pet) },
            { $0.pets.contains(pet) }
        )
        checkQuery(realm.objects(QueryKeeper.self), "object in", { $0.best.in([pet]) }, { $0.best == pet })
        checkQuery(realm.objects(QueryKeeper.self), "unmanaged object", { $0.best == QueryPet() }, { _ in false })
        checkQuery(
            realm.objects(QueryKeeper.self),
            "object in map",
            { $0.petMap.contains(pet) },
            { $0.petMap.values.contains(pet) }
        )
    }

    @Test
    func `queries lead into mixed values`() throws {
        func at(_ keeper: QueryKeeper, _ key: String) -> AnyRealmValue? {
            if case .dictionary(let dictionary) = keeper.any { dictionary[key] } else { nil }
        }
        func at(_ keeper: QueryKeeper, _ index: Int) -> AnyRealmValue? {
            if case .list(let list) = keeper.any, index < list.count { list[index] } else { nil }
        }
        func int(_ value: AnyRealmValue?) -> Int? { if case .int(let x)? = value { x } else { nil } }
        try check("key", { $0.any["k"] == .int(10) }, { int(at($0, "k")) == 10 })
        try check("key >", { $0.any["k"] > .int(9) }, { (int(at($0, "k")) ?? 0) > 9 })
        try check("index", { $0.any[0] >= .int(9) }, { (int(at($0, 0)) ?? 0) >= 9 })
        try check("beyond the end is null", { $0.any[7] == .none }, { _ in true })
        try check("nested key", { $0.any["deep"]["k"] == .string("v11") }, { $0.id == 11 })
        try check("string in a nested key", { $0.any["deep"]["k"].starts(with: .string("v")) }, { $0.id % 6 == 5 })
        try check("list in a dictionary", { $0.any["list"][1] == .int(16) }, { $0.id == 16 })
        try check("any element", { $0.any.any == .string("x") }, { $0.id % 6 == 3 })
        try check("dictionary in a list", { $0.any[2]["k"] == .int(15) }, { $0.id == 15 })
        try check("any value of any element", { $0.any.any["k"] == .int(15) }, { $0.id == 15 })
        try check("plain", { $0.any == .int(13) }, { $0.id == 13 })
    }

    @Test
    func `enums and custom types are compared by their stored values`() throws {
        try check("raw", { $0.suit.rawValue.starts(with: "di") }, { $0.suit.rawValue.hasPrefix("di") })
        try check(
            "optional raw",
            { $0.maybeSuit.rawValue.contains("a") },
            { $0.maybeSuit?.rawValue.contains("a") ?? false }
        )
        try check("list raw", { $0.suits.rawValue == "hearts" }, { $0.suits.contains(.hearts) })
        try check(
            "list raw in",
            { $0.suits.rawValue.containsAny(in: ["hearts", "spades"]) },
            { $0.suits.contains(.hearts) || $0.suits.contains(.spades) }
        )
        try check("optional set raw", { $0.maybeSuits.rawValue.contains(nil) }, { $0.maybeSuits.contains(nil) })
        try check("map raw", { $0.suitMap.rawValue == "clubs" }, { $0.suitMap.values.contains(.clubs) })
        try check("int raw", { $0.level.rawValue > 4 }, { $0.level.rawValue > 4 })
        try check("enum order", { $0.level > .low }, { $0.level > .low })
        try check("stored", { $0.temperature.persistableValue > 3.5 }, { $0.temperature.degrees > 3.5 })
        try check(
            "stored list",
            { $0.temperatures.persistableValue > 10 },
            { $0.temperatures.contains { $0.degrees > 10 } }
        )
        try check(
            "stored list max",
            { $0.temperatures.persistableValue.max > 10 },
            { ($0.temperatures.map(\.degrees).max() ?? 0) > 10 }
        )
        try check("stored map", { $0.temperatureMap.persistableValue == 7 }, { $0.id == 7 })
        try check("custom", { $0.temperature == Celsius(persistedValue: 2) }, { $0.temperature.degrees == 2 })
        try check("members", { $0.point.persistableValue.x == 2 }, { $0.point.x == 2 })
        try check("memberwise", { $0.point == Point2(x: 1, y: 0) }, { $0.point == Point2(x: 1, y: 0) })
        try check("memberwise !=", { $0.point != Point2(x: 1, y: 0) }, { $0.point != Point2(x: 1, y: 0) })
        try check(
            "memberwise in",
            { $0.point.in([Point2(x: 1, y: 0), Point2(x: 2, y: 1)]) },
            { [Point2(x: 1, y: 0), Point2(x: 2, y: 1)].contains($0.point) }
        )
        try check(
            "memberwise contains",
            { $0.points.contains(Point2(x: 1, y: 0)) },
            { $0.points.contains(Point2(x: 1, y: 0)) }
        )
    }

    @Test
    func `strings are compared with other properties`() {
        func check(_ name: String, _ query: (Query<QueryPet>) -> Query<Bool>, _ condition: (QueryPet) -> Bool) {
            checkQuery(realm.objects(QueryPet.self), name, query, condition)
        }
        check(
            "==",
            { $0.name == $0.favourite.owners.name },
            { o in o.favourite?.owners.contains { $0.name == o.name } ?? false }
        )
        check("starts", { $0.name.starts(with: $0.nickname) }, { o in o.nickname.map { o.name.hasPrefix($0) } ?? true })
        check(
            "contains",
            { $0.name.contains($0.nickname) },
            { o in o.nickname.map { $0.isEmpty || o.name.contains($0) } ?? true }
        )
        check("ends", { $0.name.ends(with: $0.name) }, { _ in true })
        check(
            "folded",
            { $0.name.equals($0.nickname, options: .caseInsensitive) },
            { o in o.nickname.map { o.name.lowercased() == $0.lowercased() } ?? false }
        )
        check(
            "<",
            { $0.name < $0.toys.owners.name },
            { o in o.toys.contains { $0.owners.contains { o.name < $0.name } } }
        )
        check(
            "diacritics",
            { $0.name.equals("zoe", options: [.caseInsensitive, .diacriticInsensitive]) },
            { ["Zoë", "zoe"].contains($0.name) }
        )
        check("int", { $0.age > $0.favourite.price }, { o in o.favourite.map { o.age > $0.price } ?? false })
    }

    @Test
    func `subqueries, also nested ones, find their rows`() throws {
        try check("one condition", { ($0.pets.age > 3).count > 1 }, { $0.pets.count { $0.age > 3 } > 1 })
        try check(
            "two on one element",
            { ($0.pets.age > 2 && $0.pets.name == "Rex").count >= 1 },
            { $0.pets.contains { $0.age > 2 && $0.name == "Rex" } }
        )
        try check("none", { ($0.pets.age > 2).count == 0 }, { !$0.pets.contains { $0.age > 2 } })
        try check(
            "any further on",
            { ($0.pets.toys.price > 5).count == 2 },
            { $0.pets.count { $0.toys.contains { $0.price > 5 } } == 2 }
        )
        try check(
            "nested",
            { (($0.pets.toys.price > 2).count > 1 && $0.pets.age > 1).count > 0 },
            { $0.pets.contains { $0.toys.count { $0.price > 2 } > 1 && $0.age > 1 } }
        )
        try check(
            "beside others",
            { $0.id > 5 && !(($0.pets.age == 1 || $0.pets.age == 2).count > 0) },
            { $0.id > 5 && !$0.pets.contains { $0.age == 1 || $0.age == 2 } }
        )
        try check(
            "sets",
            { ($0.petSet.age < 3 && $0.petSet.name != "").count == 1 },
            { $0.petSet.count { $0.age < 3 && $0.name != "" } == 1 }
        )
        try check(
            "of a link's list",
            { ($0.best.toys.price > 3).count > 1 },
            { ($0.best?.toys.count { $0.price > 3 } ?? 0) > 1 }
        )
        try check(
            "maps",
            { ($0.petMap.values.age > 2).count == 1 },
            { $0.petMap.values.count { ($0?.age ?? 0) > 2 } == 1 }
        )
        try check(
            "between",
            { ($0.pets.age.contains(2...4)).count == 2 },
            { $0.pets.count { (2...4).contains($0.age) } == 2 }
        )
    }

    @Test(arguments: 0..<6)
    func `an impossible query traps`(_ kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try TypedQueryTests.populated()
            let all = realm.objects(QueryKeeper.self)
            switch kind {
            case 0: _ = all.where { ($0.name == "x").count > 1 }.count
            case 1: _ = all.where { ($0.pets.age > 1 && $0.petSet.age > 1).count > 1 }.count
            case 2: _ = all.where { $0.suits == $0.suits }.count
            case 3: _ = all.where { $0.id.max > 3 }.count
            case 4: _ = all.where { ($0.pets.age > 1 && $0.id > 1).count > 1 }.count
            // RealmSwift compares each pet's name with itself.
            default: _ = all.where { ($0.pets.name == $0.name).count == 0 }.count
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let words = [
            "no collection leads to", "two collections", "Two collections", "id", "no collection",
            "'name' is one of the outer",
        ]
        expect(message.contains(words[kind]), "\(message)")
    }
}
