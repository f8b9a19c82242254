import Foundation
import Freehold
import TestScript
import Testing

/// The lifetime of objects that observations retain.
@Suite("Observation: beginnings and ends")
struct ObservationLifeTests {
    @Test
    func `a realm whose autorefresh was off for a moment continues`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let place = ObservingQueue(configuration)
        try place.run { realm in
            place.tokens.append(realm.objects(THPerson.self).observe { place.note(described($0)) })
        }
        try await place.waitFor(1)
        try place.run { realm in
            try writeElsewhere(configuration) { $0.delete(person(9, $0)) }
            // The delivery waits in the queue behind this block.
            usleep(100_000)
            realm.autorefresh = false
        }
        // A new observer receives the state at the realm's version.
        try place.run { realm in
            place.tokens.append(realm.objects(THPerson.self).observe { place.note("second " + described($0)) })
        }
        try await place.waitFor(2)
        expectEqual(place.told, ["initial 10", "second initial 10"])
        try place.run { $0.autorefresh = true }
        try await place.waitFor(4)
        try writeElsewhere(configuration) { $0.delete(person(8, $0)) }
        try await place.waitFor(6)
        expectEqual(
            Set(place.told),
            [
                "initial 10", "second initial 10", "9: -[9] +[] ~[] >[]", "second 9: -[9] +[] ~[] >[]",
                "8: -[8] +[] ~[] >[]", "second 8: -[8] +[] ~[] >[]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    /// - Parameter wait: The time for a computation whose result is never delivered.
    @Test(arguments: [UInt32(0), 100_000])
    func `the last token releases the realm and closes its file`(wait: UInt32) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).realm")
        let configuration = Realm.Configuration(fileURL: url, objectTypes: [THPerson.self])
        try onAnotherThread {
            let realm = try threadingRealm(configuration)
            _ = realm
        }
        let queue = DispatchQueue(label: "short")
        try queue.sync {
            var realm: Realm? = try Realm(configuration: configuration, queue: queue)
            var tokens = [
                realm!.objects(THPerson.self).observe { _ in },
                realm!.objects(THPerson.self).sectioned(by: \.age).observe { _ in },
                person(0, realm!).observe { _ in }, person(0, realm!).friends.observe { _ in },
            ]
            try realm!.write { person(0, realm!).age += 1 }
            usleep(wait)
            withExtendedLifetime(tokens) {}
            tokens = []
            realm = nil
        }
        // A computation in progress may delay the deletion until it is done.
        expect(try await eventually { (try? Realm.deleteFiles(for: configuration)) == true })
    }

    @Test
    func `a thread whose run loop has ended leaves nothing`() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).realm")
        let configuration = Realm.Configuration(fileURL: url, objectTypes: [THPerson.self])
        try onAnotherThread { _ = try threadingRealm(configuration) }
        try onAnotherThread {
            let loop = RunLoop.current
            let timer = Timer(timeInterval: 0, repeats: false) { _ in
                let realm = try! Realm(configuration: configuration)
                let token = realm.objects(THPerson.self).observe { _ in }
                // It is computed, and can't be delivered any more.
                usleep(50_000)
                token.invalidate()
            }
            loop.add(timer, forMode: .default)
            _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
        }
        expect(try await eventually { (try? Realm.deleteFiles(for: configuration)) == true })
    }

    @Test
    func `sections follow commits that aren't reported to them`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let place = ObservingQueue(configuration)
        func add(_ realm: Realm, _ name: String) {
            realm.add(THPerson(id: realm.objects(THPerson.self).count, name: name, age: 0))
        }
        try place.run { realm in
            try realm.write { for name in ["a1", "a2", "b1"] { add(realm, name) } }
            let people = realm.objects(THPerson.self)
            let sections = people.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
            place.tokens.append(sections.observe { place.note(described($0)) })
            place.tokens.append(sections[1].observe { place.note("b " + described($0)) })
        }
        try await place.waitFor(2)
        try place.run { realm in
            try realm.write(withoutNotifying: place.tokens) {
                add(realm, "aa")
                add(realm, "c1")
            }
            try realm.write(withoutNotifying: place.tokens) { add(realm, "c2") }
            try realm.write { add(realm, "d1") }
        }
        try await place.waitFor(3)
        try place.run { realm in
            try realm.write { realm.objects(THPerson.self).first { $0.name == "b1" }!.age = 1 }
        }
        try await place.waitFor(5)
        expectEqual(
            Set(place.told),
            [
                "initial 2", "b initial 1", "4: -[] +[3.0] ~[] >[] sections -[] +[3]",
                "4: -[] +[] ~[1.0] >[1.0] sections -[] +[]", "b 1: -[] +[] ~[1.0] >[1.0] sections -[] +[]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `sections of a list survive the unnoticed deletion of its owner`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let place = ObservingQueue(configuration)
        try place.run { realm in
            place.tokens.append(
                person(4, realm).friends.sectioned(by: \.age).observe { place.note(described($0)) }
            )
        }
        try await place.waitFor(1)
        try place.run { realm in
            try realm.write(withoutNotifying: place.tokens) { realm.delete(person(4, realm)) }
            try realm.write { person(3, realm).age = 50 }
        }
        try await place.settle()
        expectEqual(place.told, ["initial 2"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `frozen objects are created on many threads while other threads release theirs`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try! onAnotherThread {
                        let realm = try Realm(configuration: configuration)
                        let object = person(3, realm)
                        for _ in 0..<5_000 { expectEqual(object.freeze().age, 3) }
                    }
                }
            }
        }
        withExtendedLifetime(keeper) {}
    }
}
