import Foundation
import Testing

@testable import Freehold

/// Each runs in a process of its own, which must end with a message that names the rule.
@Suite("Increments: misuse traps")
struct IncrementTrapTests {
    private func expectTrap(_ result: ExitTest.Result?, _ words: String...) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in words { expect(message.contains(word), "\(message)") }
    }

    @Test(arguments: 0..<8)
    func `an increment outside of a write transaction traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try incrementRealm()
            let object = IncrementCounters(1)
            object.ints.append(1)
            object.optionalInts.append(nil)
            try realm.write { realm.add(object) }
            switch kind {
            case 0: object.increment(\.int)
            case 1: object.increment(\.optionalInt)
            case 2: object.increment("int8")
            case 3: object.increment(\.tally!.last)
            case 4: object.ints.increment(at: 0)
            case 5: object.optionalInts.increment(at: 0)
            case 6: object.byName.increment("a")
            default: IncrementProjection(projecting: object).increment(\.counted)
            }
        }
        expectTrap(result, "outside a write transaction", "realm.write")
    }

    @Test(arguments: 0..<3)
    func `an increment of a frozen object traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try incrementRealm()
            let object = IncrementCounters(1)
            object.ints.append(1)
            try realm.write { realm.add(object) }
            let frozen = object.freeze()
            switch kind {
            case 0: frozen.increment(\.int)
            case 1: frozen.ints.increment(at: 0)
            default: frozen.byName.increment("a")
            }
        }
        expectTrap(result, "is frozen", "thaw()")
    }

    @Test(arguments: 0..<3)
    func `an increment of a deleted object traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try incrementRealm()
            let object = IncrementCounters(1)
            object.ints.append(1)
            try realm.write {
                realm.add(object)
                let (ints, byName) = (object.ints, object.byName)
                realm.delete(realm.objects(IncrementCounters.self))
                switch kind {
                case 0: object.increment(\.int)
                case 1: ints.increment(at: 0)
                default: byName.increment("a")
                }
            }
        }
        expectTrap(result, "IncrementCounters", "deleted", "isInvalidated")
    }

    @Test(arguments: 0..<3)
    func `an increment on another thread traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try incrementRealm()
            let object = IncrementCounters(1)
            object.ints.append(1)
            try realm.write { realm.add(object) }
            realm.beginWrite()
            nonisolated(unsafe) let shared = (object, object.ints, object.byName)
            onOtherThread {
                switch kind {
                case 0: shared.0.increment(\.int)
                case 1: shared.1.increment(at: 0)
                default: shared.2.increment("a")
                }
            }
        }
        expectTrap(result, "another thread")
    }

    @Test(arguments: [false, true], [-1, 1])
    func `an increment at a position outside of a list traps`(managed: Bool, i: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [managed, i] in
            try withCounters(managed: managed) { object in
                object.ints.append(1)
                object.ints.increment(at: i)
            }
        }
        expectTrap(result, "Index \(i)", "1 elements")
    }

    @Test(arguments: 0..<4)
    func `a sum that an unmanaged property can't represent traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let object = IncrementCounters(1)
            object.int8s.append(127)
            object.int16sByName["a"] = .max
            switch kind {
            case 0:
                object.increment(\.int8, by: 100)
                object.increment(\.int8, by: 28)
            case 1: object.increment("int16", by: 40_000)
            case 2: object.int8s.increment(at: 0)
            default: object.int16sByName.increment("a")
            }
        }
        expectTrap(result, "can't be added", kind % 2 == 0 ? "doesn't fit into Int8" : "doesn't fit into Int16")
    }

    @Test(arguments: 0..<4)
    func `a key path that doesn't lead to a stored integer traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let object = IncrementCounters(1)
            object.tallies.append(IncrementTally())
            switch kind {
            case 0: object.increment(\.plain)
            case 1: object.increment(\.doubled)
            case 2: object.increment(\.ints[0])
            default: object.increment(\.tallies[0].count)
            }
        }
        expectTrap(result, "IncrementCounters", "increment", "Give it that of the property itself")
    }

    @Test(arguments: [0, 1])
    func `an increment of a missing property, or of one behind a null link, traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let object = IncrementCounters(1)
            if kind == 0 { object.increment("nothing") } else { object.increment(\.tally!.count) }
        }
        expectTrap(result, "IncrementCounters", kind == 0 ? "nothing" : "a link on the way is nil")
    }

    @Test
    func `an increment of a computed projected property traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            IncrementProjection(projecting: IncrementCounters(1)).increment(\.twice)
        }
        expectTrap(result, "IncrementProjection", "'int'")
    }
}
