import Foundation
import Freehold
import Testing

@Suite("Threading: frozen objects, collections and realms")
struct FreezeTests {
    @Test
    func `a frozen object keeps its state, and is read on other threads`() throws {
        let realm = try threadingRealm(threadingConfiguration())
        let person = realm.object(ofType: THPerson.self, forPrimaryKey: 5)!
        let frozen = person.freeze()
        expect(frozen.isFrozen && !person.isFrozen && frozen.freeze() === frozen)
        expect(frozen.realm?.isFrozen == true && realm.freeze() == frozen.realm)
        try realm.write {
            person.name = "new"
            person.age = 99
            person.friends.removeAll()
            person.tags.insert("more")
            person.scores["a"] = nil
            realm.delete(person.best!)
        }
        let box = Frozen(frozen)
        let read = try onAnotherThread {
            let p = box.value
            return
                "\(p.name) \(p.age) \(p.best?.name ?? "-") \(p.friends.map(\.name).joined(separator: ",")) \(p.tags.count) \(p.scores["a"] ?? -1) \(p.notes[0]) \(Array(p.admirers.map(\.id)))"
        }
        expectEqual(read, "P5 5 P4 P3,P4 1 5 x5 [6, 7]")
        expect(person.name == "new" && person.best == nil && person.friends.isEmpty)
        expectEqual(frozen.thaw()?.name, "new")
        expect(frozen.thaw() == person && person.thaw() === person)
        expect(frozen.best?.thaw() == nil)
        expect(frozen != person)
    }

    @Test
    func `results, lists, sets, maps, linking objects and sections freeze and thaw`() throws {
        let realm = try threadingRealm(threadingConfiguration())
        let person = realm.object(ofType: THPerson.self, forPrimaryKey: 5)!
        let results = realm.objects(THPerson.self).where { $0.age > 4 && $0.best != nil }.sorted(
            by: \.age,
            ascending: false
        )
        let withObject = realm.objects(THPerson.self).where { $0.best == person }
        let values = person.notes.sorted(ascending: false)
        let sections = realm.objects(THPerson.self).sectioned(by: \.name)
        let all = (
            results.freeze(), withObject.freeze(), values.freeze(), person.friends.freeze(), person.tags.freeze(),
            person.scores.freeze(), person.admirers.freeze(), AnyRealmCollection(person.friends).freeze(),
            person.friends.where { $0.age > 3 }.freeze(), sections.freeze()
        )
        try realm.write {
            realm.delete(realm.objects(THPerson.self).where { $0.age > 6 })
            person.notes.append("zz")
            person.friends.removeLast()
            person.tags.removeAll()
            person.scores["b"] = 1
        }
        expect(all.0.map(\.age) == [9, 8, 7, 6, 5] && all.0.isFrozen)
        expectEqual(results.map(\.age), [6, 5])
        expectEqual(all.1.map(\.id), [6])
        expect(Array(all.2) == ["y", "x5"] && Array(values) == ["zz", "y", "x5"])
        expect(all.3.map(\.id) == [3, 4] && all.3.thaw()?.map(\.id) == [3])
        expect(Array(all.4) == ["t2"] && all.4.thaw()?.isEmpty == true)
        expect(all.5.keys == ["a"] && all.5.thaw()?.keys.sorted() == ["a", "b"])
        expect(all.6.map(\.id) == [6, 7] && all.6.thaw()?.map(\.id) == [6])
        expect(all.7.map(\.id) == [3, 4] && all.7.isFrozen)
        expect(all.8.map(\.id) == [4] && all.8.thaw()?.map(\.id) == [])
        expect(all.9.count == 10 && sections.count == 7 && all.9.thaw()?.count == 7)
        expectEqual(all.0.thaw()?.map(\.age), [6, 5])
        expectEqual(all.0.where { $0.age < 8 }.map(\.age), [7, 6, 5])
    }

    @Test
    func `many threads read one frozen realm at once`() throws {
        let realm = try threadingRealm(threadingConfiguration(), count: 300)
        let people = Frozen(realm.objects(THPerson.self).where { $0.age >= 100 }.sorted(by: \.name))
        let one = Frozen(realm.object(ofType: THPerson.self, forPrimaryKey: 50)!)
        let sums = Sums()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            var sum = 0
            for person in people.value {
                sum += person.age + person.friends.count + person.tags.count + (person.scores["a"] ?? 0)
                sum += person.best?.age ?? 0
            }
            sum += one.value.friends.reduce(0) { $0 + $1.age } + one.value.admirers.count
            sum += people.value.where { $0.friends.age > 200 }.count
            sum += people.value.realm!.objects(THPerson.self).count
            sums.add(sum)
        }
        let all = sums.all
        expect(all.count == 8 && Set(all).count == 1)
    }

    final class Sums: @unchecked Sendable {
        private let lock = NSLock()
        private var sums: [Int] = []
        func add(_ sum: Int) { lock.withLock { sums.append(sum) } }
        var all: [Int] { lock.withLock { sums } }
    }

    @Test
    func `freezing inside a write gives the state before it`() throws {
        let realm = try threadingRealm(threadingConfiguration())
        try realm.write {
            let person = realm.object(ofType: THPerson.self, forPrimaryKey: 1)!
            person.name = "changed"
            expectEqual(person.freeze().name, "P1")
            expectEqual(realm.freeze().objects(THPerson.self).count, 10)
        }
    }

    @Test
    func `a frozen realm can't be written to, refreshed or made to refresh`() throws {
        let frozen = try threadingRealm(threadingConfiguration()).freeze()
        expect(!frozen.refresh() && !frozen.autorefresh)
        #expect(throws: Realm.Error.self) { try frozen.write {} }
        expectEqual(frozen.thaw().objects(THPerson.self).count, 10)
    }

    @Test
    func `misuse of frozen objects traps`() async {
        await #expect(processExitsWith: .failure) {
            let person = try threadingRealm(threadingConfiguration()).objects(THPerson.self).first!
            person.freeze().name = "x"
        }
        await #expect(processExitsWith: .failure) { _ = THPerson().freeze() }
        await #expect(processExitsWith: .failure) { _ = THPerson().thaw() }
        await #expect(processExitsWith: .failure) {
            let realm = try threadingRealm(threadingConfiguration())
            realm.beginWrite()
            _ = realm.create(THPerson.self, value: ["id": 1000]).freeze()
        }
        await #expect(processExitsWith: .failure) {
            let frozen = try threadingRealm(threadingConfiguration()).freeze()
            frozen.autorefresh = true
        }
        await #expect(processExitsWith: .failure) {
            let frozen = try threadingRealm(threadingConfiguration()).freeze()
            frozen.invalidate()
            _ = frozen.objects(THPerson.self).count
        }
    }
}
