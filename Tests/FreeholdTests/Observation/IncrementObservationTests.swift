import Foundation
import Freehold
import Observation
import Synchronization
import TestScript
import Testing

@Suite("Observation: increments")
struct IncrementObservationTests {
    @Test func `observers receive the property, its values and the elements`() async throws {
        let configuration = incrementConfiguration()
        let keeper = try Realm(configuration: configuration)
        try keeper.write {
            let object = IncrementCounters(1)
            object.int = 40
            object.ints.append(objectsIn: [1, 2, 3])
            object.byName["a"] = 1
            keeper.add(object)
        }
        let place = ObservingQueue(configuration)
        try place.run { realm in
            let object = realm.objects(IncrementCounters.self).first!
            place.tokens.append(
                object.observe { change in
                    if case .change(_, let properties) = change {
                        place.note(
                            properties.map { "\($0.name) \(shown($0.oldValue)) \(shown($0.newValue))" }
                                .joined(separator: "; ")
                        )
                    }
                }
            )
            place.tokens.append(object.ints.observe { place.note("ints " + described($0)) })
            place.tokens.append(
                object.byName.observe { change in
                    if case .update(_, _, _, let modified) = change { place.note("byName \(modified)") }
                }
            )
            place.tokens.append(
                realm.objects(IncrementCounters.self).where { $0.int == 42 }.observe {
                    place.note("42 " + described($0))
                }
            )
        }
        // The list's and the results' first calls.
        try await place.waitFor(2)
        try writeElsewhere(configuration) { $0.objects(IncrementCounters.self).first!.increment(\.int, by: 2) }
        try await place.waitFor(4)
        try writeElsewhere(configuration) { realm in
            let object = realm.objects(IncrementCounters.self).first!
            object.ints.increment(at: 1, by: 5)
            object.byName.increment("a", by: 5)
        }
        try await place.waitFor(8)
        // Increments by zero, and increments of null or missing values, change nothing.
        try writeElsewhere(configuration) { realm in
            let object = realm.objects(IncrementCounters.self).first!
            object.increment(\.int, by: 0)
            object.increment(\.optionalInt, by: 3)
            object.ints.increment(at: 0, by: 0)
            object.byName.increment("b", by: 3)
        }
        try await place.settle()
        expectEqual(
            Set(place.told),
            [
                "ints initial 3", "42 initial 0", "int 40 42", "42 1: -[] +[0] ~[] >[]", "ints - live; byName - live",
                "ints 3: -[] +[] ~[1] >[1]", "byName [\"a\"]", "42 1: -[] +[] ~[0] >[0]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test func `the framework's tracking reports an increment like an assignment`() throws {
        var configuration = incrementConfiguration()
        configuration.observationTracking = true
        let realm = try Realm(configuration: configuration)
        let object = IncrementCounters(1)
        object.ints.append(1)
        try realm.write { realm.add(object) }
        func isTold(_ read: () -> Void, _ add: () -> Void) throws -> Bool {
            let told = Mutex(false)
            withObservationTracking(read) { told.withLock { $0 = true } }
            try realm.write(add)
            return told.withLock { $0 }
        }
        expect(try isTold({ _ = object.int }, { object.increment(\.int) }))
        expect(try isTold({ _ = object.int }, { object.increment("int") }))
        expect(try isTold({ _ = object.ints.first }, { object.ints.increment(at: 0) }))
        expect(try !isTold({ _ = object.int }, { object.increment(\.int64) }))
    }
}
