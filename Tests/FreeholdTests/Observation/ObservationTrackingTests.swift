import Dispatch
import Foundation
import Freehold
import Observation
import Synchronization
import TestScript
import Testing

/// The changes that the Observation framework receives from realms with `observationTracking`.
@Suite("Observation: the framework's tracking")
struct ObservationTrackingTests {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
        var value: Bool { isSet.load(ordering: .relaxed) }
    }

    private func configuration() -> Realm.Configuration {
        var configuration = threadingConfiguration()
        configuration.observationTracking = true
        return configuration
    }

    /// Returns whether the change is reported for the properties that `read` reads.
    private func isTold(_ read: () -> Void, by change: () throws -> Void) rethrows -> Bool {
        let flag = Flag()
        withObservationTracking(read) { flag.isSet.store(true, ordering: .relaxed) }
        expect(!flag.value)
        try change()
        return flag.value
    }

    @Test
    func `the change of a property that was read is reported, and no other change`() throws {
        let realm = try threadingRealm(configuration())
        let one = person(3, realm)
        let same = person(3, realm)
        let told = try isTold {
            _ = one.name
        } by: {
            try realm.write { same.name = "new" }
        }
        expect(told)
        for change in [{ same.age = 7 }, { person(4, realm).name = "other" }, { same.tags.insert("new") }] {
            expect(
                try !isTold {
                    _ = one.name
                } by: {
                    try realm.write(change)
                }
            )
        }
        // The change is reported before the property has its new value.
        let seen = Mutex("")
        nonisolated(unsafe) let read = { one.name }
        withObservationTracking {
            _ = one.name
        } onChange: {
            seen.withLock { $0 = read() }
        }
        try realm.write { same.name = "newer" }
        expectEqual(seen.withLock { $0 }, "new")
    }

    @Test
    func `every kind of property and collection is tracked`() throws {
        let realm = try threadingRealm(configuration())
        let one = person(3, realm)
        func told(_ read: @autoclosure () -> Any?, _ change: @autoclosure () -> Any?) throws -> Bool {
            try isTold {
                _ = read()
            } by: {
                try realm.write { _ = change() }
            }
        }
        expect(try told(one.age, one.age = 40))
        expect(try told(one.best, one.best = nil))
        expect(try told(one.any, one.any = .int(3)))
        expect(try told(one.friends.count, one.friends.append(person(9, realm))))
        expect(try told(one.friends.first, one.friends.removeAll()))
        expect(try told(Array(one.notes), one.notes.append("new")))
        expect(try told(one.notes.sorted().first, one.notes.removeLast()))
        expect(try told(one.tags.contains("x"), one.tags.insert("x")))
        expect(try told(one.scores["q"], one.scores["q"] = 1))
        expect(try told(one.admirers.count, person(8, realm).friends.append(one)))
        expect(try !told(one.notes.count, one.tags.insert("y")))
        expect(try told(one.isInvalidated, realm.delete(one)))
    }

    @Test
    func `changes of the objects that queries and sections use are reported`() throws {
        let realm = try threadingRealm(configuration())
        let all = realm.objects(THPerson.self)
        let old = all.where { $0.best.age > 5 }.sorted(by: \.name)
        let sections = all.sectioned(by: \.age)
        expect(
            try isTold {
                _ = all.count
            } by: {
                try realm.write { realm.add(THPerson(id: 20, name: "", age: 1)) }
            }
        )
        expect(
            try isTold {
                _ = old.count
            } by: {
                try realm.write { person(9, realm).name = "z" }
            }
        )
        expect(
            try isTold {
                _ = old.first
            } by: {
                try realm.write { realm.delete(person(20, realm)) }
            }
        )
        expect(
            try isTold {
                _ = Array(old)
            } by: {
                try realm.write { person(1, realm).age = 100 }
            }
        )
        expect(
            try isTold {
                _ = sections.count
            } by: {
                try realm.write { person(2, realm).age = 100 }
            }
        )
        expect(
            try isTold {
                _ = sections[0].count
            } by: {
                try realm.write { person(3, realm).age = 101 }
            }
        )
        // Read again at the same state.
        expect(
            try isTold {
                _ = sections.allKeys
            } by: {
                try realm.write { person(3, realm).age = 102 }
            }
        )
    }

    @Test
    func `other commits are reported when the realm moves, and a cancelled write is reported again`() throws {
        let configuration = configuration()
        let realm = try threadingRealm(configuration)
        let one = person(3, realm)
        let friends = one.friends
        let told = try isTold {
            _ = one.name
        } by: {
            try writeElsewhere(configuration) { person(3, $0).name = "new" }
            expectEqual(one.name, "P3")
            realm.refresh()
        }
        expect(told && one.name == "new")
        expect(
            try isTold {
                _ = friends.count
            } by: {
                try writeElsewhere(configuration) { person(3, $0).friends.removeAll() }
                realm.beginWrite()
                realm.cancelWrite()
            }
        )
        expect(
            try !isTold {
                _ = one.name
            } by: {
                try writeElsewhere(configuration) { person(4, $0).name = "new" }
                realm.refresh()
            }
        )
        realm.beginWrite()
        one.name = "assigned"
        expect(
            isTold {
                _ = one.name
            } by: {
                realm.cancelWrite()
            }
        )
        expectEqual(one.name, "new")
    }

    @Test
    func `realms without the setting report nothing, and the realms of one file and place share the setting`() throws {
        var configuration = threadingConfiguration()
        let realm = try threadingRealm(configuration)
        expect(
            try !isTold {
                _ = person(3, realm).name
            } by: {
                try realm.write { person(3, realm).name = "new" }
            }
        )
        configuration.observationTracking = true
        #expect { try Realm(configuration: configuration) } throws: { ($0 as? Realm.Error)?.code == .alreadyOpen }
    }

    @Test
    func `threads, queues and actors are tracked`() async throws {
        let configuration = configuration()
        let keeper = try threadingRealm(configuration)
        let queue = DispatchQueue(label: "tracked")
        let flag = Flag()
        nonisolated(unsafe) var kept: [THPerson] = []
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            kept = [person(3, realm)]
            withObservationTracking {
                _ = kept[0].name
            } onChange: {
                flag.isSet.store(true, ordering: .relaxed)
            }
        }
        // The realm moves by itself.
        try writeElsewhere(configuration) { person(3, $0).name = "new" }
        expect(try await eventually { flag.value })
        queue.sync {
            expectEqual(kept[0].name, "new")
            kept = []
        }
        withExtendedLifetime(keeper) {}
    }
}
