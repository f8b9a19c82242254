import Foundation
import Freehold

final class Keeper: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted(indexed: true) var name: String
    @Persisted var email: String?
    @Persisted(fullText: true) var bio: String
    @Persisted var age: Int
    @Persisted var children: Int?
    @Persisted var height: Float?
    @Persisted var score: Double
    @Persisted var isActive: Bool
    @Persisted var born: Date?
    @Persisted var photo: Data
    @Persisted var balance: Decimal128
    @Persisted(indexed: true) var token: UUID?
    @Persisted var extra: AnyRealmValue
    @Persisted(deleteRule: .deny) var favorite: Hound?
    @Persisted var hounds: List<Hound>
    @Persisted var friends: MutableSet<Keeper>
    @Persisted var byName: Map<String, Hound?>
    @Persisted var home: Home?
    @Persisted var offices: List<Home>
    @Persisted var tags: List<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var ratings: Map<String, Double?>
    @Persisted var notes: List<AnyRealmValue>
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<Keeper>

    override class func compoundIndexes() -> [CompoundIndex] {
        [
            .unique("name", "age")
        ]
    }
}

final class Hound: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String?
    @Persisted(originProperty: "hounds") var keepers: LinkingObjects<Keeper>
    @Persisted(originProperty: "byName") var named: LinkingObjects<Keeper>
}

final class Home: EmbeddedObject {
    @Persisted var street: String?
    @Persisted var type: String
    @Persisted(geoIndexed: true) var coordinates: List<Double>
    @Persisted(originProperty: "home") var keeper: LinkingObjects<Keeper>
}

final class Measurement: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: UUID
    @Persisted var at: Date
    @Persisted var celsius: Double
}

final class KennelOrder: Object {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var firstName: String
    @Persisted var `class`: Int
    @Persisted var descriptionValue: String?
    @Persisted var goesWith: Hound?
    @Persisted var aQuotedName: Bool
    @Persisted var größe: Double

    override class func mappedName() -> String? { "kennel order" }

    override class func propertiesMapping() -> [String: String] {
        [
            "firstName": "first_name",
            "descriptionValue": "description",
            "goesWith": "goes-with",
            "aQuotedName": "a \"quoted\" $name\u{a}",
        ]
    }
}
