import Foundation
import Freehold

/// The classes of the first version of an app.
enum FirstApp {
    final class Home: EmbeddedObject {
        @Persisted var street = ""
        @Persisted var floor = 0

        override class func _realmObjectName() -> String? { "Home" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Dog: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name = ""
        @Persisted var age = 0
        @Persisted var size: Float = 0
        @Persisted var nick: String?
        @Persisted var chip = ""
        @Persisted var notes = ""
        @Persisted var owner: Person?
        @Persisted var home: Home?
        @Persisted var tags: List<String>
        @Persisted var scores: List<Int>
        @Persisted var visits: Map<String, Int>

        override class func _realmObjectName() -> String? { "Dog" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Person: Object {
        @Persisted(primaryKey: true) var _id: String
        @Persisted var name = ""
        @Persisted var phone: String?
        @Persisted var dogs: List<Dog>

        override class func _realmObjectName() -> String? { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Memo: Object {
        @Persisted(primaryKey: true) var _id: String
        @Persisted var text = ""

        override class func _realmObjectName() -> String? { "Memo" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Dog.self, Home.self, Person.self, Memo.self]
}

/// The classes two versions later: dogs are hounds with titles, `age` and `size` are doubles, `nick` is required, and
/// `chip` is optional. `notes` and memos are removed, and toys are new.
enum SecondApp {
    final class Address: EmbeddedObject {
        @Persisted var road = ""
        @Persisted var floor = 0.0

        override class func _realmObjectName() -> String? { "Address" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Hound: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var title = ""
        @Persisted var age = 0.0
        @Persisted var size = 0.0
        @Persisted var nick = ""
        @Persisted var chip: String?
        @Persisted var owner: Person?
        @Persisted var house: Address?
        @Persisted var tags: List<String>
        @Persisted var scores: List<Double>
        @Persisted var visits: Map<String, Double>
        @Persisted var toys: List<Toy>

        override class func _realmObjectName() -> String? { "Hound" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Person: Object {
        @Persisted(primaryKey: true) var _id: String
        @Persisted var name = ""
        @Persisted var dogs: List<Hound>

        override class func _realmObjectName() -> String? { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Toy: Object {
        @Persisted(primaryKey: true) var _id: String
        @Persisted var label = ""

        override class func _realmObjectName() -> String? { "Toy" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Hound.self, Address.self, Person.self, Toy.self]

    /// The parts of the transition from the first app to the second that schemas can't express.
    static let transition = """
        {"classes": {"Dog": "Hound", "Home": "Address"},
         "properties": {"Hound": {"name": "title", "home": "house"}, "Address": {"street": "road"}},
         "fills": {"Hound": {"nick": "none"}},
         "oldFills": {"Dog": {"chip": "?", "notes": "-"}}}
        """
}
