import Foundation
import FreeholdTestModels
import RealmSwift
import SwiftUIShapes
import TestExpectations
import TestScript
import Testing

class UIToy: Object, ObjectKeyIdentifiable {
    @Persisted var name = ""
}

class UIDog: Object, ObjectKeyIdentifiable {
    @Persisted var name = "foo"
    @Persisted var age = 0
    @Persisted var isChipped = false
    @Persisted var toys: RealmSwift.List<UIToy>
    @Persisted var friends: MutableSet<UIToy>
    @Persisted var byName: Map<String, UIToy?>
    @Persisted var numbers: RealmSwift.List<Int>
    @Persisted var numberSet: MutableSet<Int>
    @Persisted var numbersByName: Map<String, Int>

    convenience init(_ name: String, age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

class UIDogProjection: Projection<UIDog>, ObjectKeyIdentifiable {
    @Projected(\UIDog.name) var label
    @Projected(\UIDog.age) var counter
}

/// A realm in memory for one test, which belongs to the main thread.
@MainActor
struct Kennel {
    let configuration: Realm.Configuration
    let realm: Realm

    init() throws {
        configuration = Realm.Configuration(
            inMemoryIdentifier: "views \(UUID().uuidString)",
            objectTypes: [UIDog.self, UIToy.self]
        )
        realm = try Realm(configuration: configuration)
    }

    var dogs: Results<UIDog> { realm.objects(UIDog.self) }

    @discardableResult
    func add(_ name: String, age: Int = 0) throws -> UIDog {
        try realm.write {
            let dog = UIDog(name, age: age)
            realm.add(dog)
            return dog
        }
    }

    /// Waits for a state that a change of the main actor's realm leads to.
    func wait(until condition: @MainActor () -> Bool) async throws {
        if try await !eventually({ condition() }) { throw NeverCame("another state") }
    }
}
