import Foundation
import TestScript
import Testing

@testable import Freehold

/// A class of a program that doesn't know some of the stored values.
class Ticket: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var suit: Suit
    @Persisted var maybe: Suit?
    @Persisted var country = CountryCode("GB")
    @Persisted var suits: List<Suit>
    @Persisted var maybes: List<Suit?>
    @Persisted var suitSet: MutableSet<Suit>
    @Persisted var suitMap: Map<String, Suit>
    @Persisted var countries: List<CountryCode>
    @Persisted var next: Ticket?
    @Persisted var all: List<Ticket>
}

/// The same table with plain types.
class TicketRaw: Object {
    override class func _realmObjectName() -> String? { "Ticket" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var suit: String
    @Persisted var maybe: String?
    @Persisted var country: String
    @Persisted var suits: List<String>
    @Persisted var maybes: List<String?>
    @Persisted var suitSet: MutableSet<String>
    @Persisted var suitMap: Map<String, String>
    @Persisted var countries: List<String>
    @Persisted var next: TicketRaw?
    @Persisted var all: List<TicketRaw>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension CountryCode: Codable {
    init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(letters)
    }
}

class TicketProjection: Projection<Ticket> {
    @Projected(\Ticket.suit) var suit
    @Projected(\Ticket.next?.suit) var nextSuit
}

/// Operations that don't need a value of the type show the stored value.
@Suite("Stored values without a value of the type")
struct UnknownCaseTests {
    /// Calls the body with a realm that doesn't know some of the values.
    private func read(_ body: @escaping @Sendable (Realm, Ticket) throws -> Void) throws {
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [TicketRaw.self]
        )
        let raw = try Realm(configuration: configuration)
        try raw.write {
            let first = raw.create(
                TicketRaw.self,
                value: [
                    "id": 1, "suit": "stars", "maybe": "moons", "country": "GBR", "suits": ["clubs", "stars"],
                    "maybes": ["moons", nil] as [String?], "suitSet": ["stars", "spades"],
                    "suitMap": ["a": "stars", "b": "hearts"], "countries": ["FR", "FRA"],
                ] as [String: Any]
            )
            let second = raw.create(TicketRaw.self, value: ["id": 2, "suit": "clubs", "country": "FR", "next": first])
            let third = raw.create(TicketRaw.self, value: ["id": 3, "suit": "stars", "country": "FR"])
            third.all.append(second)
        }
        configuration.objectTypes = [Ticket.self]
        try readOnNewThread(configuration) { realm in
            try body(realm, try require(realm.object(ofType: Ticket.self, forPrimaryKey: 1)))
        }
        withExtendedLifetime(raw) {}
    }

    @Test
    func `objects and collections with an unknown case are printed`() throws {
        try read { realm, ticket in
            let text = "\(ticket)"
            for part in [
                "suit = stars;", "maybe = moons;", "country = GBR;", "[1] stars", "[0] moons", "[a] stars",
                "[b] hearts",
                "[1] FRA",
            ] { expect(text.contains(part), "\(part) isn't in \(text)") }
            expect("\(ticket.suits)".contains("[0] clubs") && "\(ticket.suits)".contains("[1] stars"))
            expect("\(ticket.suitSet)".contains("stars") && "\(ticket.suitMap)".contains("[a] stars"))
            expect("\(ticket.countries)".contains("FRA") && "\(ticket.maybes)".contains("moons"))
            expect("\(AnyRealmCollection(ticket.suits))".contains("stars"))
            let sorted = "\(ticket.suits.sorted(ascending: false))"
            expect(sorted.contains("[0] stars") && sorted.contains("[1] clubs"), "\(sorted)")
            expect("\(realm.objects(Ticket.self))".contains("suit = stars;"))
            expect("\(ticket.freeze())".contains("suit = stars;"))
            let projection = "\(try require(realm.objects(TicketProjection.self).sorted(by: \.suit).first))"
            expect(
                projection.contains("suit(\\.suit) = clubs") && projection.contains("(\\.next.suit) = stars"),
                "\(projection)"
            )
        }
    }

    @Test
    func `values without a case are read by name`() throws {
        try read { realm, ticket in
            expectEqual(ticket["suit"] as? String, "stars")
            expectEqual(ticket.value(forKey: "maybe") as? String, "moons")
            expectEqual(ticket["country"] as? String, "GBR")
            expectEqual(ticket.value(forKeyPath: "all.@count") as? Int, 0)
            let second = try require(realm.object(ofType: Ticket.self, forPrimaryKey: 2))
            expectEqual(second.value(forKeyPath: "next.suit") as? String, "stars")
            expectEqual(ticket.dictionaryWithValues(forKeys: ["suit"])["suit"] as? String, "stars")
            let all = realm.objects(Ticket.self).sorted(by: \.id)
            expectEqual(all.value(forKey: "suit") as? [String], ["stars", "clubs", "stars"])
            expectEqual(ticket.suits.value(forKeyPath: "@unionOfObjects.self") as? [String], ["clubs", "stars"])
            expectEqual(ticket.suits.value(forKey: "self") as? [String], ["clubs", "stars"])
            expectEqual(ticket.suitMap.value(forKeyPath: "@count") as? Int, 2)
            expectEqual(ticket.suits.count, 2)
        }
    }

    @Test
    func `a typed read of an optional returns nil`() throws {
        try read { _, ticket in
            expect(ticket.maybe == nil && ticket.maybes[0] == nil)
        }
    }

    @Test
    func `copies in a realm keep the values`() throws {
        try read { realm, ticket in
            try realm.write {
                let dynamic = { (id: Int) in realm.dynamicObject(ofType: "Ticket", forPrimaryKey: id)! }
                // Another row of the realm receives its collections.
                let second = realm.object(ofType: Ticket.self, forPrimaryKey: 2)!
                second.suits = ticket.suits
                second.suitSet = ticket.suitSet
                second.suitMap = ticket.suitMap
                second.maybes = ticket.maybes
                expectEqual((dynamic(2)["suits"] as? List<String>).map { Array($0) }, ["clubs", "stars"])
                expectEqual(second.suitSet.value(forKey: "self").count, 2)
                expect("\(second.suitMap)".contains("[a] stars") && "\(second.maybes)".contains("moons"))
            }
            // Another realm receives the object.
            let other = try Realm(
                configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Ticket.self])
            )
            try other.write {
                let copy = other.create(Ticket.self, value: ticket)
                for name in ["suit", "maybe", "country"] { expectEqual(copy[name] as? String, ticket[name] as? String) }
                expect("\(copy.suits)".contains("stars") && "\(copy.countries)".contains("FRA"))
                expect("\(copy.suitSet)".contains("stars") && "\(copy.suitMap)".contains("[a] stars"))
                other.create(Ticket.self, value: ticket, update: .modified)
                expectEqual(copy["suit"] as? String, "stars")
            }
        }
    }

    private static func other() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Ticket.self])
        )
    }

    private static let names = ["suit", "maybe", "country"]

    /// The elements of the collections of a ticket as plain data.
    private static func plain(_ ticket: Ticket) -> [String] {
        let lists: [[Any]] = [
            ticket.suits.value(forKey: "self"), ticket.maybes.value(forKey: "self"),
            ticket.countries.value(forKey: "self"),
        ]
        let set = ticket.suitSet.value(forKey: "self").map { "\($0)" }.sorted()
        return lists.map { "\($0)" } + ["\(set)", "\(ticket.suitMap)"]
    }

    @Test
    func `an unmanaged copy keeps the values`() throws {
        try read { realm, ticket in
            let copy = Ticket(value: ticket)
            for copy in [copy, Ticket(value: copy)] {
                expect(copy.realm == nil)
                for name in Self.names { expectEqual(copy[name] as? String, ticket[name] as? String) }
                expectEqual(copy.value(forKey: "maybe") as? String, "moons")
                expectEqual(copy.dictionaryWithValues(forKeys: ["suit"])["suit"] as? String, "stars")
                expectEqual("\(copy)", "\(ticket)")
                expectEqual(Self.plain(copy), Self.plain(ticket))
                expect(copy.maybe == nil && copy.maybes[0] == nil && copy.suits[0] == .clubs && copy.suits.count == 2)
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                let json = try [ticket, copy].map { try encoder.encode(EncodableObject($0)) }
                expect(json[0] == json[1], "\(String(decoding: json[1], as: UTF8.self))")
            }
            // Another realm stores them, and so does the same one.
            let other = try Self.other()
            try other.write { other.add(copy) }
            expect(copy.realm == other)
            for name in Self.names { expectEqual(copy[name] as? String, ticket[name] as? String) }
            expectEqual(Self.plain(copy), Self.plain(ticket))
            let again = Ticket(value: ticket)
            try realm.write { realm.add(again, update: .modified) }
            expectEqual(again, ticket)
            expectEqual(ticket["suit"] as? String, "stars")
            // Links and lists of objects keep those of what they lead to.
            let third = try require(realm.object(ofType: Ticket.self, forPrimaryKey: 3))
            let graph = Ticket()
            graph.id = 10
            let next = Ticket(value: third)
            // The copy links to an object of the first realm, which another one can't store.
            next.all.removeAll()
            graph.next = next
            graph.all.append(Ticket(value: ["id": 11]))
            try other.write { other.add(graph) }
            expectEqual(graph.next?["suit"] as? String, "stars")
        }
    }

    @Test
    func `the values of an unmanaged copy can be replaced`() throws {
        try read { _, ticket in
            let copy = Ticket(value: ticket)
            copy.suit = .hearts
            expect(copy.suit == .hearts && copy["suit"] as? String == "hearts")
            copy.maybe = .spades
            expect(copy.maybe == .spades && copy["maybe"] as? String == "spades")
            copy.country = CountryCode("FR")
            expect(copy.country.letters == "FR" && copy["country"] as? String == "FR")
            copy["suit"] = "clubs"
            expect(copy.suit == .clubs)
            expectEqual("\(Ticket(value: copy))", "\(copy)")
            copy.suits.append(.hearts)
            copy.suits.insert(.spades, at: 0)
            copy.suits.move(from: 2, to: 0)
            copy.suits[2] = .diamonds
            copy.suits.swapAt(2, 3)
            expectEqual(copy.suits.value(forKey: "self") as? [String], ["stars", "spades", "hearts", "diamonds"])
            copy.suits.remove(at: 0)
            expectEqual(Array(copy.suits), [.spades, .hearts, .diamonds])
            expectEqual(copy.suits.index(of: .hearts), 1)
            copy.suits.reverse()
            copy.maybes.removeAll()
            copy.maybes.append(.hearts)
            expectEqual(Array(copy.maybes), [.hearts])
            expect(!copy.suitSet.insert(.spades) && copy.suitSet.insert(.hearts) && copy.suitSet.remove(.spades))
            expect(copy.suitSet.contains(.hearts) && !copy.suitSet.contains(.spades))
            expectEqual(Set(copy.suitSet.value(forKey: "self").map { "\($0)" }), ["stars", "hearts"])
            copy.suitMap["c"] = .clubs
            copy.suitMap["b"] = nil
            expect(copy.suitMap["c"] == .clubs && copy.suitMap["b"] == nil && copy.suitMap.keys == ["a", "c"])
            let third = Ticket()
            third.suits = ticket.suits
            third.suitSet = copy.suitSet
            third.suitMap = copy.suitMap
            expectEqual(third.suits.value(forKey: "self") as? [String], ["clubs", "stars"])
            expect("\(third.suitMap)" == "\(copy.suitMap)" && third.suitSet.count == 2)
            copy.suitMap.removeAll()
            copy.suitMap["d"] = .spades
            let other = try Self.other()
            copy.id = 7
            try other.write {
                other.add(copy)
                other.add(third)
            }
            expectEqual(Array(copy.suits), [.diamonds, .hearts, .spades])
            expectEqual(Set(copy.suitSet.value(forKey: "self").map { "\($0)" }), ["stars", "hearts"])
            expect(copy.suitMap.keys == ["d"] && copy.suit == .clubs && copy.maybe == .spades)
            expectEqual(third.suits.value(forKey: "self") as? [String], ["clubs", "stars"])
            expect("\(third.suitMap)".contains("[a] stars"))
        }
    }

    @Test(arguments: 0..<3)
    func `a typed read of a copy ends the program`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            try UnknownCaseTests().read { _, ticket in
                let copy = Ticket(value: ticket)
                switch kind {
                case 0: print(copy.suit)
                case 1: print(copy.country)
                default: print(copy.suits[1])
                }
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains(kind == 1 ? "GBR" : "stars") && message.contains("stands for no"), "\(message)")
    }

    @Test
    func `Sections and groups have the values`() throws {
        try read { realm, _ in
            let sections = realm.objects(Ticket.self).sectioned(by: \.suit)
            expectEqual(sections.map(\.count), [1, 2])
            expectEqual(sections[0].key, .clubs)
            let text = "\(sections)"
            expect(text.contains("clubs: 1") && text.contains("stars: 2"), "\(text)")
            expectEqual(sections[1].map(\.id).sorted(), [1, 3])
            expect("\(sections[1])".contains("suit = stars;"))
            expectEqual(sections.freeze()[1].count, 2)
            let groups = realm.objects(Ticket.self).grouped(by: \.suit)
            expectEqual(groups.map(\.count), [1, 2])
            expectEqual(groups[0].key, .clubs)
            let named = realm.objects(Ticket.self).grouped(by: ["suit"])
            expectEqual(named.allKeys, [[.string("clubs")], [.string("stars")]])
        }
    }

    @Test
    func `JSON contains the values`() throws {
        try read { realm, ticket in
            let json = String(decoding: try JSONEncoder().encode(EncodableObject(ticket)), as: UTF8.self)
            for part in [
                #""suit":"stars""#, #""maybe":"moons""#, #""country":"GBR""#, #""suits":["clubs","stars"]"#,
                #""maybes":["moons",null]"#, #""countries":["FR","FRA"]"#,
            ] { expect(json.contains(part), "\(part) isn't in \(json)") }
            expect(json.contains(#""a":"stars""#) && json.contains(#""b":"hearts""#), "\(json)")
            let sorted = ticket.suits.sorted(ascending: true)
            let suits = String(decoding: try JSONEncoder().encode(sorted), as: UTF8.self)
            expectEqual(suits, #"["clubs","stars"]"#)
            let exported = String(decoding: try realm.jsonData(of: ticket), as: UTF8.self)
            expect(exported.contains(#""suit":"stars""#), "\(exported)")
        }
    }

    @Test
    func `an observer receives the values`() async throws {
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [TicketRaw.self]
        )
        let raw = try Realm(configuration: configuration)
        try raw.write { raw.create(TicketRaw.self, value: ["id": 1, "suit": "stars", "maybe": "moons"]) }
        configuration.objectTypes = [Ticket.self]
        let place = ObservingQueue(configuration)
        try place.run { realm in
            let ticket = try require(realm.objects(Ticket.self).first)
            place.tokens.append(
                ticket.observe { change in
                    guard case .change(_, let properties) = change else { return }
                    for property in properties.sorted(by: { $0.name < $1.name }) {
                        place.note("\(property.name) \(property.oldValue ?? "nil") \(property.newValue ?? "nil")")
                    }
                }
            )
        }
        try readOnNewThread(configuration) { realm in
            let ticket = try require(realm.objects(Ticket.self).first)
            try realm.write {
                ticket.suit = .clubs
                ticket.maybe = nil
            }
        }
        try await place.waitFor(2)
        expectEqual(place.told, ["maybe moons nil", "suit stars clubs"])
        place.end()
        withExtendedLifetime(raw) {}
    }
}
