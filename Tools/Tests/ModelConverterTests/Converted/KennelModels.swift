// swift-format-ignore-file
//
//  Models of a kennel, in the notation of RealmSwift before 10.10.
//

import Foundation
import RealmSwift

/// An enum of Objective-C's.
enum KennelCoat: Int, PersistableEnum {
    case short, long
}

enum KennelMood: Int {
    case calm = 1
    case wild = 2
}
extension KennelMood: PersistableEnum {}

// Properties marked one by one, in any order of the words.
class KennelDog: Object {
    @Persisted(primaryKey: true) var _id = ObjectId.generate()
    @Persisted(indexed: true) var name = ""
    @Persisted public var race: String = "none" // of the first owner
    @Persisted(indexed: true) var born: Date?
    @Persisted
    var photo: Data? = nil
    @Persisted private(set)  var visits : Int = 0
    @Persisted var coat = KennelCoat.short
    @Persisted var mood: KennelMood = .calm
    @Persisted var nick: String!
    @Persisted var mother: KennelDog?
    @Persisted var collar: KennelCollar? // embedded
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<KennelPerson>
    /* the weight in kg */ @Persisted var weight: Double?
    @Persisted var age: Int?
    @Persisted var rank: Int? = 3
    @Persisted var formerCoat: KennelCoat?
    @Persisted var note: AnyRealmValue

    /// What is shown; a column doesn't exist for it.
    var title: String {
        return "\(name) (\(age ?? 0), \(weight.map { "\($0) kg" } ?? "?"))"
    }

    func birthday() {
        if let age = age {
            self.age = age + 1
        } else {
            age = 1
        }
    }

    static func byName(_ realm: Realm) -> Results<KennelDog> {
        realm.objects(KennelDog.self).sorted(byKeyPath: "name")
    }
}

final class KennelPerson: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name: String?; @Persisted var city: String = "Oslo"
    var tmp = 0
    lazy var cache = "lazy"
    static let count = 0
    @Persisted var dogs: List<KennelDog>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var homes: List<KennelAddress>
    @Persisted var places: Map<String, KennelAddress?>; @Persisted var numbers: RealmSwift.List<Int?>
    @Persisted private var moodRaw = 1
    var mood: KennelMood {
        get { KennelMood(rawValue: moodRaw)! }
        set { moodRaw = newValue.rawValue }
    }
    var isNew: Bool { return id == 0 }
}

class KennelCollar: EmbeddedObject { @Persisted var color = "red"; @Persisted var size = 1.5 }

class KennelAddress: RealmSwift.EmbeddedObject {
    @Persisted var street: String = ""
    #if os(Linux)
    @Persisted var door = RealmStrings.door
    #else
    @Persisted var door = "2"
    #endif
}

enum RealmStrings { static let door = "1" }

// A base class, and a class of each notation.
class KennelThing: Object {
    @Persisted(primaryKey: true) var id = UUID().uuidString
    @Persisted var made = Date() {
        didSet { changes += 1 }
    }
    var changes = 0
}
class KennelBowl: KennelThing { @Persisted var litres: Float = 1 }
class KennelBed: KennelThing {
    @Persisted var width: Int
}

func weights(_ dogs: Results<KennelDog>, of first: KennelDog) -> [Double] {
    [first.weight ?? 0] + dogs.compactMap { $0.weight }
}
