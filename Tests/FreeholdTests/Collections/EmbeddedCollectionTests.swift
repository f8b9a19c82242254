import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Embedded objects in maps and lists")
struct EmbeddedCollectionTests {
    private func engineCount(_ realm: Realm) -> Int {
        realm.core.view.count(realm.core.view.schema.table(named: "CollectionPart")!)
    }

    @Test
    func `an embedded object of a map is deleted with its entry, and copied if it has an owner`() throws {
        let realm = try collectionRealm()
        let machine = CollectionMachine()
        let other = CollectionMachine()
        let part = CollectionPart(1)
        machine.parts["a"] = part
        try realm.write {
            realm.add([machine, other])
            expect(part.realm == realm && engineCount(realm) == 1)
            machine.parts["a"] = part
            expect(!part.isInvalidated && machine.parts["a"]! == part && engineCount(realm) == 1)
            other.parts["b"] = part
            expect(other.parts["b"]! != part && other.parts["b"]!?.number == 1 && engineCount(realm) == 2)
            machine.parts["a"] = CollectionPart(2)
            expect(part.isInvalidated && machine.parts["a"]!?.number == 2 && engineCount(realm) == 2)
            machine.parts.merge(["a": machine.parts["a"]!, "c": CollectionPart(3)]) { $1 }
            expect(machine.parts["a"]!?.number == 2 && engineCount(realm) == 3)
            machine.parts["a"] = nil
            expectEqual(engineCount(realm), 2)
            machine.parts["c"] = .some(nil)
            expect(engineCount(realm) == 1 && machine.parts.count == 1)
            machine.parts = other.parts
            expect(engineCount(realm) == 2 && machine.parts["b"]! != other.parts["b"]!)
            machine.parts.removeAll()
            realm.delete(other)
            expectEqual(engineCount(realm), 0)
        }
        expectEqual((realm.core.view as? Snapshot)?.verify(), [])
    }

    @Test
    func `a list of embedded objects is sorted and reversed in place`() throws {
        let realm = try collectionRealm()
        let machine = CollectionMachine()
        machine.row.append(objectsIn: [3, 1, 2].map { CollectionPart($0) })
        try realm.write {
            realm.add(machine)
            let first = machine.row[0]
            machine.row[0] = first
            machine.row.sort { $0.number < $1.number }
            expect(machine.row.map(\.number) == [1, 2, 3] && !first.isInvalidated && machine.row[2] == first)
            machine.row.reverse()
            expect(machine.row.map(\.number) == [3, 2, 1] && engineCount(realm) == 3)
            machine.row.removeAll { $0.number == 2 }
            expect(machine.row.map(\.number) == [3, 1] && engineCount(realm) == 2)
        }
        expectEqual((realm.core.view as? Snapshot)?.verify(), [])
    }
}
