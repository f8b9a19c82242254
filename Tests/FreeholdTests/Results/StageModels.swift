import Foundation
import Freehold

enum StageMood: String, PersistableEnum { case calm, cross, merry }

class StagePart: EmbeddedObject {
    @Persisted var weight: Double?
    @Persisted var code = ""
}

/// A value that is stored as an embedded object.
struct StageWeight: CustomPersistable, Hashable {
    typealias PersistedType = StagePart
    var kilograms: Double
    var code: String

    init(_ kilograms: Double, _ code: String) {
        self.kilograms = kilograms
        self.code = code
    }

    init(persistedValue: StagePart) { self.init(persistedValue.weight ?? 0, persistedValue.code) }

    var persistableValue: StagePart {
        let part = StagePart()
        part.weight = kilograms
        part.code = code
        return part
    }

    static func == (a: StageWeight, b: StageWeight) -> Bool { a.kilograms == b.kilograms && a.code == b.code }
    func hash(into hasher: inout Hasher) { hasher.combine(kilograms) }
}

class StageDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var weight = 0.0
    @Persisted var mood = StageMood.calm
    @Persisted var earlier: StageMood?
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var price: Decimal128?
    @Persisted var any: AnyRealmValue
    @Persisted var best: StageDog?
    @Persisted var part: StagePart?
    @Persisted var scores: Map<String, Int>
    @Persisted var marks: List<Int?>
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<StageOwner>
}

class StageOwner: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<StageDog>
    @Persisted var pack: MutableSet<StageDog>
    @Persisted var byName: Map<String, StageDog?>
    @Persisted var numbers: List<Int?>
    @Persisted var doubles: List<Double>
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var anything: List<AnyRealmValue>
    @Persisted var weights: List<StageWeight>
    @Persisted var moods: List<StageMood>
    @Persisted var moodSet: MutableSet<StageMood>
    @Persisted var moodMap: Map<String, StageMood>
}

let stageTypes: [ObjectBase.Type] = [StageDog.self, StageOwner.self, StagePart.self]

func stageRealm() throws -> Realm {
    try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: stageTypes))
}

/// Unmanaged dogs with many equal values.
func stageDogs(_ count: Int, _ random: inout SeededRandom) -> [StageDog] {
    var dogs: [StageDog] = []
    for id in 0..<count {
        let dog = StageDog()
        dog.id = id
        dog.name = ["Rex", "Ada", "Bo", "Zoë", ""][random.number(0..<5)]
        dog.age = random.oneIn(4) ? nil : random.number(0..<6)
        dog.weight = Double(random.number(-4..<8)) / 2
        dog.mood = StageMood.allCases[random.number(0..<3)]
        dog.earlier = random.oneIn(3) ? nil : StageMood.allCases[random.number(0..<3)]
        dog.born = Date(timeIntervalSince1970: Double(random.number(0..<5)))
        dog.price = random.oneIn(3) ? nil : Decimal128(random.number(0..<4))
        dog.any = [.none, .int(2), .double(2), .string("x"), .double(.nan), .bool(true)][random.number(0..<6)]
        if !dogs.isEmpty, !random.oneIn(3) { dog.best = dogs[random.number(0..<dogs.count)] }
        if !random.oneIn(3) {
            let part = StagePart()
            part.weight = random.oneIn(4) ? nil : Double(random.number(0..<5))
            dog.part = part
        }
        for key in ["a", "b"] where !random.oneIn(3) { dog.scores[key] = random.number(0..<4) }
        dog.marks.append(
            objectsIn: (0..<random.number(0..<3)).map { _ in random.oneIn(3) ? nil : random.number(0..<3) }
        )
        dogs.append(dog)
    }
    return dogs
}
