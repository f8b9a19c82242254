import Freehold
import Testing

/// Properties named as the library names things of its own: `@Persisted` stores each under its name with an underscore.
class Clashing: Object {
    @Persisted(primaryKey: true) var key = 0
    @Persisted var state = "s"
    @Persisted var core = 1
    @Persisted var stamp = 2
    @Persisted var rawKey = 3
    @Persisted var cluster = 4
    @Persisted var slot = 5
    @Persisted var extra = 6
    @Persisted var table: Clashing?
    @Persisted var info: List<Int>
    @Persisted var value = 7
    @Persisted var name = "n"
    @Persisted var type = "t"
    @Persisted var id = 8
    @Persisted var count = 9
    @Persisted var isManaged = true
    @Persisted var isCurrent = false
    @Persisted var record = 10
    @Persisted var write = 11
    @Persisted var identityHash = 12
    @Persisted var unmanagedError: String?
    @Persisted var `default` = 13
}

@Suite("Names of properties")
struct PropertyNameTests {
    @Test
    func `common names can be used for properties`() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: "clashing", objectTypes: [Clashing.self])
        )
        let object = Clashing(value: ["key": 1, "state": "Utah", "slot": 50, "default": 130])
        object.table = Clashing()
        object.info.append(5)
        try realm.write {
            realm.add(object)
            object.core += 100
            object.isManaged = false
        }
        let again = realm.objects(Clashing.self).where { $0.state == "Utah" && $0.core == 101 && !$0.isManaged }
        expect(again.count == 1 && again[0] == object)
        expect(object.slot == 50 && object.default == 130 && object["default"] as? Int == 130)
        expect(object.table?.key == 0 && Array(object.info) == [5] && object.unmanagedError == nil)
        expect(object.rawKey == 3 && object.stamp == 2 && object.cluster == 4 && object.extra == 6)
    }
}
