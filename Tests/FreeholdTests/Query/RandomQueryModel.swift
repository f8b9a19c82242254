import Foundation
import FreeholdEngine

@testable import Freehold

class RQHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var number: Int?
}

/// Every kind of property that a condition can be on.
class RQPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var nick: String?
    @Persisted var age: Int
    @Persisted var score: Double?
    @Persisted var height: Float
    @Persisted var active: Bool
    @Persisted var born: Date
    @Persisted var price: Decimal128
    @Persisted var token: UUID?
    @Persisted var blob: Data?
    @Persisted var any: AnyRealmValue
    @Persisted var tags: List<String?>
    @Persisted var marks: List<Int>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var counts: Map<String, Int?>
    @Persisted var best: RQPerson?
    @Persisted var friends: List<RQPerson>
    @Persisted var family: MutableSet<RQPerson>
    @Persisted var byName: Map<String, RQPerson?>
    @Persisted var home: RQHome?
    @Persisted var homes: List<RQHome>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<RQPerson>
    @Persisted(originProperty: "best") var fans: LinkingObjects<RQPerson>
}

/// Values that are often equal.
struct RQPool {
    static let strings = ["", "a", "A", "ab", "Ab", "abc", "ba", "é", "É", "ß", "σ", "Σ", "x*y", "zz"]
    static let numbers = [-3, 0, 1, 2, 5, 7]
    static let dates = [-1.5, 0, 10, 1_000_000].map { Date(timeIntervalSince1970: $0) }
    static let tokens = [
        UUID(uuidString: "00000000-0000-0000-0000-000000000001")!,
        UUID(uuidString: "F0000000-0000-0000-0000-000000000002")!,
    ]
    static let blobs = [Data(), Data([1]), Data("ab".utf8)]
    static let keys = ["k", "l", "m"]

    static func any(_ generator: inout SeededRandom) -> AnyRealmValue {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: .none
        case 1: .bool(.random(using: &generator))
        case 2: .int(numbers.randomElement(using: &generator)!)
        case 3: .double(Double(numbers.randomElement(using: &generator)!) / 2)
        case 4: .string(strings.randomElement(using: &generator)!)
        case 5: .date(dates.randomElement(using: &generator)!)
        case 6: .fromArray([.int(numbers.randomElement(using: &generator)!), .string("ab")])
        default: .fromDictionary(["k": .int(numbers.randomElement(using: &generator)!)])
        }
    }
}

extension RQPerson {
    /// Assigns a new value to everything except the key and the links.
    func fill(_ generator: inout SeededRandom) {
        func some<T>(_ all: [T]) -> T { all.randomElement(using: &generator)! }
        func maybe<T>(_ all: [T]) -> T? { Int.random(in: 0..<4, using: &generator) == 0 ? nil : some(all) }
        name = some(RQPool.strings)
        nick = maybe(RQPool.strings)
        age = some(RQPool.numbers)
        score = maybe(RQPool.numbers).map { Double($0) / 2 }
        height = Float(some(RQPool.numbers)) / 2
        active = .random(using: &generator)
        born = some(RQPool.dates)
        price = Decimal128(some(RQPool.numbers)) / 2
        token = maybe(RQPool.tokens)
        blob = maybe(RQPool.blobs)
        any = RQPool.any(&generator)
        tags.removeAll()
        marks.removeAll()
        numbers.removeAll()
        counts.removeAll()
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            tags.append(maybe(RQPool.strings))
            marks.append(some(RQPool.numbers))
            numbers.insert(some(RQPool.numbers))
            counts[some(RQPool.keys)] = .some(maybe(RQPool.numbers))
        }
        func newHome() -> RQHome {
            let home = RQHome()
            home.street = some(RQPool.strings)
            home.number = maybe(RQPool.numbers)
            return home
        }
        home = Bool.random(using: &generator) ? newHome() : nil
        homes.removeAll()
        for _ in 0..<Int.random(in: 0...2, using: &generator) { homes.append(newHome()) }
    }

    func link(_ people: [RQPerson], _ generator: inout SeededRandom) {
        func some() -> RQPerson { people.randomElement(using: &generator)! }
        best = Int.random(in: 0..<3, using: &generator) == 0 ? nil : some()
        friends.removeAll()
        family.removeAll()
        byName.removeAll()
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            friends.append(some())
            family.insert(some())
            byName[RQPool.keys.randomElement(using: &generator)!] = .some(Bool.random(using: &generator) ? some() : nil)
        }
    }
}

/// A realm whose clusters are of that many objects.
struct RQRealm {
    let realm: Realm
    /// Made first, so that the realm finds a database with its span.
    private let database: Database

    /// - Parameter indexed: Whether all properties that permit it are indexed.
    init(span: Int, indexed: Bool) throws {
        var configuration = newConfiguration()
        var schema = try Schema(classes: [RQPerson.self, RQHome.self])
        for c in schema.objectSchema.indices {
            for p in schema.objectSchema[c].properties.indices {
                let property = schema.objectSchema[c].properties[p]
                if indexed, property.collection == .none, !property.isPrimaryKey,
                    [.int, .bool, .string, .date, .UUID, .any].contains(property.type)
                {
                    schema.objectSchema[c].properties[p].isIndexed = true
                }
            }
        }
        configuration.objectTypes = nil
        configuration.schema = schema
        var options = Database.Options()
        options.clusterSpan = span
        database = try Database.inMemory(identifier: configuration.inMemoryIdentifier!, options: options)
        realm = try Realm(configuration: configuration)
    }
}
