import Foundation
import Freehold
import Testing

enum SNMood: String, PersistableEnum, Codable {
    case calm, wild
}

struct SNWeight: CustomPersistable, Codable, Equatable {
    typealias PersistedType = Int
    var grams: Int
    init(grams: Int) { self.grams = grams }
    init(persistedValue: Int) { grams = persistedValue }
    var persistableValue: Int { grams }
}

/// Stored as an embedded object.
struct SNPlace: CustomPersistable, Codable, Equatable {
    typealias PersistedType = SNCollar
    var x: Int
    init(x: Int) { self.x = x }
    init(persistedValue: SNCollar) { x = persistedValue.color.count }
    var persistableValue: SNCollar { SNCollar(value: ["color": String(repeating: "x", count: x)]) }
}

final class SNDog: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var small: Int8 = 7
    @Persisted var ratio: Float = 0.5
    @Persisted var size: Double = 1.25
    @Persisted var good = true
    @Persisted var born = Date(timeIntervalSince1970: 1000)
    @Persisted var photo: Data?
    @Persisted var chip: UUID?
    @Persisted var price: Decimal128 = 12.5
    @Persisted var mood = SNMood.calm
    @Persisted var maybeMood: SNMood?
    @Persisted var weight = SNWeight(grams: 9)
    @Persisted(mapTo: "web") var page: String?
    @Persisted var collar: SNCollar?
    @Persisted var friend: SNDog?
    @Persisted var friends: List<SNDog>
    @Persisted var names: List<String?>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var byName: Map<String, SNDog?>
    @Persisted var moods: List<SNMood>
    @Persisted var weights: List<SNWeight>
    @Persisted var place: SNPlace = SNPlace(x: 1)
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "friends") var fans: LinkingObjects<SNDog>
}

final class SNCollar: EmbeddedObject {
    @Persisted var color = ""
}

/// All that a dog has, as values.
struct SNDogInfo: Codable, Sendable, Equatable {
    struct Collar: Codable, Sendable, Equatable { var color: String }
    struct Friend: Codable, Sendable, Equatable { var name: String }

    var id: ObjectId
    var name: String
    var age: Int?
    var small: Int
    var ratio: Float
    var size: Double
    var good: Bool
    var born: Date
    var photo: Data?
    var chip: UUID?
    var price: Decimal128
    var mood: SNMood
    var maybeMood: SNMood?
    var weight: SNWeight
    var page: URL?
    var collar: Collar?
    var friend: Friend?
    var friends: [Friend]
    var names: [String?]
    var tags: Set<String>
    var scores: [String: Int]
    var byName: [String: Friend?]
    var moods: [SNMood]
    var weights: [SNWeight]
    var place: SNPlace
    var any: [String: [Int]]?
    var fans: [Friend]
}

@Suite("Snapshots")
struct SnapshotTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [SNDog.self, SNCollar.self]
    )

    private func dog() -> SNDog {
        let (dog, friend) = (SNDog(), SNDog())
        friend.name = "Rex"
        dog.name = "Fido"
        dog.age = 3
        dog.photo = Data([1, 2])
        dog.chip = UUID()
        dog.mood = .wild
        dog.maybeMood = .calm
        dog.weight = SNWeight(grams: 1200)
        dog.page = "https://dogs.example/fido"
        dog.collar = SNCollar(value: ["color": "red"])
        dog.friend = friend
        dog.friends.append(objectsIn: [friend, friend])
        dog.names.append(objectsIn: ["a", nil])
        dog.tags.insert(objectsIn: ["x", "y"])
        dog.scores["a"] = 1
        dog.byName["r"] = friend
        dog.byName["n"] = .some(nil)
        dog.moods.append(objectsIn: [.wild, .calm])
        dog.weights.append(SNWeight(grams: 5))
        dog.place = SNPlace(x: 4)
        let numbers = List<AnyRealmValue>()
        numbers.append(objectsIn: [.int(1), .int(2)])
        let entries = Map<String, AnyRealmValue>()
        entries["n"] = .list(numbers)
        dog.any = .dictionary(entries)
        return dog
    }

    private func expected(_ dog: SNDog, fans: [String] = []) -> SNDogInfo {
        SNDogInfo(
            id: dog.id,
            name: "Fido",
            age: 3,
            small: 7,
            ratio: 0.5,
            size: 1.25,
            good: true,
            born: Date(timeIntervalSince1970: 1000),
            photo: Data([1, 2]),
            chip: dog.chip,
            price: 12.5,
            mood: .wild,
            maybeMood: .calm,
            weight: SNWeight(grams: 1200),
            page: URL(string: "https://dogs.example/fido"),
            collar: .init(color: "red"),
            friend: .init(name: "Rex"),
            friends: [.init(name: "Rex"), .init(name: "Rex")],
            names: ["a", nil],
            tags: ["x", "y"],
            scores: ["a": 1],
            byName: ["r": .init(name: "Rex"), "n": nil],
            moods: [.wild, .calm],
            weights: [SNWeight(grams: 5)],
            place: SNPlace(x: 4),
            any: ["n": [1, 2]],
            fans: fans.map { .init(name: $0) }
        )
    }

    @Test
    func `every kind of property decodes, of managed and unmanaged objects, live and frozen`() throws {
        let dog = dog()
        try expectEqual(dog.snapshot(), expected(dog))
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.add(dog)
            dog.friend!.friends.append(dog)
            // The snapshot includes uncommitted changes.
            let inside: SNDogInfo = try dog.snapshot()
            expectEqual(inside, expected(dog, fans: ["Rex"]))
        }
        try expectEqual(dog.snapshot(), expected(dog, fans: ["Rex"]))
        try expectEqual(dog.freeze().snapshot(), expected(dog, fans: ["Rex"]))
        try expectEqual(dog.friend!.snapshot(as: SNDogInfo.Friend.self), .init(name: "Rex"))
    }

    @Test
    func `null is nil, and a missing value is an error with its place`() throws {
        let realm = try Realm(configuration: configuration)
        let dog = SNDog()
        try realm.write { realm.add(dog) }
        struct Nulls: Codable, Equatable {
            var age: Int?
            var photo: Data?
            var chip: UUID?
            var maybeMood: SNMood?
            var collar: SNDogInfo.Collar?
            var friend: SNDogInfo.Friend?
            var any: String?
            var unknown: Int?
        }
        let nulls = try dog.snapshot(as: Nulls.self)
        expectEqual(nulls, Nulls())

        struct Needs: Codable { var age: Int }
        struct Wrong: Codable { var name: Int }
        struct Unknown: Codable { var nmae: String }
        struct Small: Codable { var age: UInt8 }
        struct Deep: Codable {
            struct Friend: Codable { var age: Int }
            var friends: [Friend]
        }
        func path(_ type: (some Codable).Type) -> String? {
            let decoded = Result { _ = try dog.snapshot(as: type) }
            guard case .failure(let error) = decoded else { return nil }
            switch error {
            case DecodingError.valueNotFound(_, let context):
                return "null " + context.codingPath.map(\.stringValue).joined(separator: ".")
            case DecodingError.typeMismatch(_, let context):
                return "type " + context.codingPath.map(\.stringValue).joined(separator: ".")
            case DecodingError.keyNotFound(let key, let context):
                expect(context.debugDescription.contains("maybeMood"))
                return "key " + key.stringValue
            case DecodingError.dataCorrupted(let context):
                return "data " + context.codingPath.map(\.stringValue).joined(separator: ".")
            default: return "\(error)"
            }
        }
        expectEqual(path(Needs.self), "null age")
        expectEqual(path(Wrong.self), "type name")
        expectEqual(path(Unknown.self), "key nmae")
        try realm.write { dog.age = 1000 }
        expectEqual(path(Small.self), "data age")
        try realm.write { dog.friends.append(objectsIn: [dog, SNDog()]) }
        expectEqual(path(Deep.self), "null friends.Index 1.age")
    }

    @Test
    func `queries, lists, sets and linking objects return arrays that can be sent to other tasks`() async throws {
        let configuration = configuration
        let keeper = try Realm(configuration: configuration)
        try keeper.write {
            let dogs = (0..<10).map { i in
                let dog = SNDog()
                dog.name = "D\(i)"
                dog.age = i
                return dog
            }
            keeper.add(dogs)
            dogs[0].friends.append(objectsIn: dogs.reversed())
        }
        let first = keeper.objects(SNDog.self).where { $0.name == "D0" }[0]
        let friends: [SNDogInfo.Friend] = try first.friends.snapshot()
        expectEqual(friends.map(\.name), (0..<10).reversed().map { "D\($0)" })
        try expectEqual(first.fans.snapshot(as: SNDogInfo.Friend.self), [.init(name: "D0")])
        expect(try keeper.objects(SNDog.self).where { $0.age > 100 }.snapshot(as: SNDogInfo.self).isEmpty)
        let infos = try await Realm.read(configuration) { realm in
            try realm.objects(SNDog.self).where { $0.age > 6 }.sorted(by: \.age, ascending: false)
                .snapshot(as: SNDogInfo.self)
        }
        expectEqual(infos.map(\.name), ["D9", "D8", "D7"])
        expectEqual(infos[0].fans, [.init(name: "D0")])
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `objects without a Swift class decode by their names`() throws {
        struct Info: Codable, Equatable {
            var name: String
            var web: String?
            var tags: [String]
            var collar: SNDogInfo.Collar?
            var friends: [SNDogInfo.Friend]
            var weight: Int
            var mood: SNMood
        }
        let realm = try Realm(configuration: configuration)
        let dog = dog()
        try realm.write { realm.add(dog) }
        let dynamic = realm.dynamicObjects("SNDog").first { $0["name"] as? String == "Fido" }!
        expect(
            try dynamic.snapshot()
                == Info(
                    name: "Fido",
                    web: "https://dogs.example/fido",
                    tags: ["x", "y"],
                    collar: .init(color: "red"),
                    friends: [.init(name: "Rex"), .init(name: "Rex")],
                    weight: 1200,
                    mood: .wild
                )
        )
        struct Web: Codable { var web: String? }
        expect(try dynamic.snapshot(as: Web.self).web == "https://dogs.example/fido")
        expect(try dog.snapshot(as: Web.self).web == "https://dogs.example/fido")
    }
}
