import Foundation
public import Freehold
package import TestRandom

/// A class with every kind of thing that is observed.
public final class Cow: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted(indexed: true) public var name = ""
    @Persisted public var age = 0
    @Persisted public var mother: Cow?
    @Persisted public var friends: List<Cow>
    @Persisted public var tags: MutableSet<String>
    @Persisted public var scores: Map<String, Int>
    @Persisted public var notes: List<String>
    @Persisted(originProperty: "mother") public var calves: LinkingObjects<Cow>
}

/// A file of cows, and what writers do to it. Cow 0 stays.
public enum Herd {
    public static func configuration(_ path: String) -> Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Cow.self])
    }

    /// Ids below this bound are assigned by the writers, so that they write the same cows.
    private static let ids = 40

    public static func make(_ realm: Realm) throws {
        try realm.write {
            for i in 0..<20 {
                let cow = realm.create(Cow.self, value: ["id": i, "name": "N\(i % 7)", "age": i % 9])
                cow.mother = realm.object(ofType: Cow.self, forPrimaryKey: i / 2)
            }
        }
    }

    /// Some random changes, inside a write transaction.
    package static func change(_ realm: Realm, _ random: inout SeededRandom) {
        let zero = realm.object(ofType: Cow.self, forPrimaryKey: 0)!
        for _ in 0..<random.number(1..<5) {
            let all = realm.objects(Cow.self)
            let one = all[random.number(0..<all.count)]
            let text = "\(random.number(0..<9))"
            switch random.number(0..<16) {
            case 0, 1, 2:
                realm.create(
                    Cow.self,
                    value: ["id": random.number(1..<ids), "name": "N\(text)", "age": random.number(0..<20)],
                    update: .modified
                )
            case 3, 4: if one.id != 0 { realm.delete(one) }
            case 5: one.age = random.number(0..<20)
            case 6: one.name = "N\(text)"
            case 7: one.mother = random.number(0..<3) == 0 ? nil : zero
            case 8: one.mother = all[random.number(0..<all.count)]
            case 9: zero.friends.insert(one, at: random.number(0..<zero.friends.count + 1))
            case 10: if zero.friends.count > 2 { zero.friends.remove(at: zero.friends.count / 2) }
            case 11: if zero.friends.count > 2 { zero.friends.move(from: 0, to: zero.friends.count - 1) }
            case 12: if zero.tags.contains(text) { zero.tags.remove(text) } else { zero.tags.insert(text) }
            case 13: zero.scores[text] = random.number(0..<3) == 0 ? nil : random.number(0..<100)
            case 14: zero.notes.insert(text, at: random.number(0..<zero.notes.count + 1))
            default: if zero.notes.count > 5 { zero.notes.removeLast(3) }
            }
        }
    }
}
