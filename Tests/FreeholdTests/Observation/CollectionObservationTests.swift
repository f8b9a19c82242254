import Foundation
import Freehold
import TestScript
import Testing

private final class OBNode: Object {
    @Persisted var name = ""
    @Persisted var size = 0
    @Persisted var nodes: Map<String, OBNode?>
}

@Suite("Observation: collections")
struct CollectionObservationTests {
    private func place(count: Int = 10) throws -> (ObservingQueue, Realm.Configuration, Realm) {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: count)
        return (ObservingQueue(configuration), configuration, keeper)
    }

    @Test
    func `an observer receives the initial state, then the commits of other threads`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let adults = realm.objects(THPerson.self).where { $0.age >= 5 }
            place.tokens.append(adults.observe { place.note(described($0)) })
            expect(place.log.isEmpty)
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { realm in
            realm.add(THPerson(id: 20, name: "new", age: 20))
            realm.delete(person(7, realm))
            person(9, realm).name = "changed"
            person(1, realm).name = "out of sight"
        }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { person(1, $0).name = "again" }
        try await place.waitFor(3)
        try writeElsewhere(configuration) { person(0, $0).age = 50 }
        try await place.waitFor(4)
        // Each person links to the two before. Some are modified because a person up to three links away has changed.
        expectEqual(
            place.told,
            [
                "initial 5", "5: -[2] +[4] ~[0, 1, 3, 4] >[0, 1, 2, 3]", "5: -[] +[] ~[0, 1] >[0, 1]",
                "6: -[] +[0] ~[0, 1] >[1, 2]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `own commits are delivered at a later turn, or before the next write`() async throws {
        let (place, _, keeper) = try place()
        try place.run { realm in
            place.tokens.append(realm.objects(THPerson.self).observe { place.note(described($0)) })
        }
        try await place.waitFor(1)
        try place.run { realm in
            try realm.write { realm.add(THPerson(id: 20, name: "a", age: 1)) }
            expectEqual(place.log.count, 1)
            try realm.write {
                expectEqual(place.log.count, 2)
                realm.delete(person(0, realm))
            }
            expectEqual(place.log.count, 2)
            realm.refresh()
            expectEqual(place.log.count, 3)
            try realm.write { person(20, realm).name = "b" }
        }
        try await place.waitFor(4)
        expect(place.told[1].hasPrefix("11: -[] +[10]"))
        expect(place.told[2].hasPrefix("10: -[0] +[] ~["))
        expectEqual(place.told[3], "10: -[] +[] ~[9] >[9]")
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `commits between two deliveries become one change`() async throws {
        let (place, configuration, keeper) = try place(count: 0)
        try place.run { realm in
            place.tokens.append(realm.objects(THPerson.self).observe { place.note(described($0)) })
        }
        try await place.waitFor(1)
        try place.run { realm in
            for i in 0..<20 { try writeElsewhere(configuration) { $0.add(THPerson(id: i, name: "", age: i)) } }
            expectEqual(realm.objects(THPerson.self).count, 0)
            realm.refresh()
            expectEqual(place.log.last, "20: -[] +\(Array(0..<20)) ~[] >[]")
        }
        try await place.settle()
        expectEqual(place.told.count, 2)
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `the realm has the version to which the change leads`() async throws {
        let (place, configuration, keeper) = try place(count: 0)
        try place.run { realm in
            var copy = 0
            let all = realm.objects(THPerson.self)
            place.tokens.append(
                all.observe { change in
                    if case .update(let now, let deletions, let insertions, _) = change {
                        copy += insertions.count - deletions.count
                        expect(now.count == copy && all.count == copy)
                    }
                    place.note("")
                }
            )
        }
        try await place.waitFor(1)
        for i in 0..<50 { try writeElsewhere(configuration) { $0.add(THPerson(id: i, name: "", age: i)) } }
        expect(try await eventually { try place.run { $0.objects(THPerson.self).count } == 50 })
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a transaction can skip observers`() async throws {
        let (place, _, keeper) = try place()
        try place.run { realm in
            let all = realm.objects(THPerson.self)
            place.tokens.append(all.observe { place.note("a " + described($0)) })
            place.tokens.append(all.sorted(by: \.id).observe { place.note("b " + described($0)) })
        }
        try await place.waitFor(2)
        try place.run { realm in
            place.log = []
            try realm.write(withoutNotifying: [place.tokens[0]]) { realm.add(THPerson(id: 20, name: "", age: 20)) }
            realm.beginWrite()
            realm.add(THPerson(id: 21, name: "", age: 21))
            try realm.commitWrite(withoutNotifying: [place.tokens[1]])
            realm.refresh()
        }
        expectEqual(place.told, ["b 11: -[] +[10] ~[] >[]", "a 12: -[] +[11] ~[] >[]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a token that is invalidated or released ends the observation`() async throws {
        let (place, _, keeper) = try place()
        try place.run { realm in
            let all = realm.objects(THPerson.self)
            for _ in 0..<3 { place.tokens.append(all.observe { place.note(described($0)) }) }
        }
        try await place.waitFor(3)
        try place.run { realm in
            place.log = []
            place.tokens[0].invalidate()
            place.tokens.remove(at: 1)
            try realm.write { realm.add(THPerson(id: 20, name: "", age: 20)) }
            realm.refresh()
            expectEqual(place.log.count, 1)
            place.tokens[1].invalidate()
            try realm.write { realm.add(THPerson(id: 21, name: "", age: 21)) }
            realm.refresh()
            expectEqual(place.log.count, 1)
        }
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `key paths determine the modified elements`() async throws {
        let (place, configuration, keeper) = try place(count: 3)
        try place.run { realm in
            let all = realm.objects(THPerson.self)
            place.tokens.append(all.observe(keyPaths: ["age"]) { place.note("age " + described($0)) })
            place.tokens.append(all.observe(keyPaths: [\.best?.name]) { place.note("best " + described($0)) })
            place.tokens.append(all.observe(keyPaths: [String]()) { place.note("none " + described($0)) })
        }
        try await place.waitFor(3)
        place.queue.sync { place.log = [] }
        try writeElsewhere(configuration) { person(0, $0).name = "x" }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { person(0, $0).age = 7 }
        try await place.waitFor(2)
        try await place.settle()
        expectEqual(place.told, ["best 3: -[] +[] ~[1] >[1]", "age 3: -[] +[] ~[0] >[0]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `observers on a queue receive the collection of a realm of the queue`() async throws {
        let (place, configuration, keeper) = try place()
        let token = keeper.objects(THPerson.self).where { $0.age > 7 }.observe(on: place.queue) { change in
            place.note(described(change))
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { $0.add(THPerson(id: 20, name: "", age: 20)) }
        try await place.waitFor(2)
        expectEqual(place.told, ["initial 2", "3: -[] +[2] ~[] >[]"])
        token.invalidate()
    }

    @Test
    func `changes of maps are reported by key`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            place.tokens.append(
                person(3, realm).scores.observe { change in
                    switch change {
                    case .initial(let map): place.note("initial \(map.count)")
                    case .update(_, let deletions, let insertions, let modifications):
                        place.note("-\(deletions) +\(insertions) ~\(modifications)")
                    case .error: place.note("error")
                    }
                }
            )
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) {
            person(3, $0).scores["b"] = 1
            person(3, $0).scores["c"] = 1
        }
        try await place.waitFor(2)
        try writeElsewhere(configuration) {
            person(3, $0).scores["b"] = nil
            person(3, $0).scores["a"] = 100
        }
        try await place.waitFor(3)
        expectEqual(place.told, ["initial 1", "-[] +[\"b\", \"c\"] ~[]", "-[\"b\"] +[] ~[\"a\"]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `the realm's observers receive own commits at once, and other commits when the realm moves`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            place.tokens.append(realm.observe { what, _ in place.note(what == .didChange ? "changed" : "refresh") })
            try realm.write { realm.add(THPerson(id: 20, name: "", age: 20)) }
            expectEqual(place.log, ["changed"])
        }
        try writeElsewhere(configuration) { person(3, $0).age = 3 }
        try await place.waitFor(2)
        try place.run { $0.autorefresh = false }
        try writeElsewhere(configuration) { person(3, $0).age = 4 }
        try await place.waitFor(3)
        expectEqual(place.told, ["changed", "changed", "refresh"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `type-erased collections and maps of objects are observed with typed key paths`() async throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [OBNode.self])
        let keeper = try Realm(configuration: configuration)
        try keeper.write {
            let root = keeper.create(OBNode.self, value: ["name": "root"])
            for name in ["a", "b"] { root.nodes[name] = OBNode(value: ["name": name]) }
        }
        let place = ObservingQueue(configuration)
        try place.run { realm in
            let all = AnyRealmCollection(realm.objects(OBNode.self).where { $0.name != "root" })
            place.tokens.append(all.observe(keyPaths: [\.name]) { place.note(described($0)) })
            place.tokens.append(
                realm.objects(OBNode.self).first!.nodes.observe(keyPaths: [\.size]) { change in
                    guard case .update(_, _, let new, let modified) = change else { return place.note("map") }
                    place.note("+\(new) ~\(modified)")
                }
            )
        }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { $0.objects(OBNode.self)[1].name = "aa" }
        try await place.waitFor(3)
        try writeElsewhere(configuration) { realm in
            realm.objects(OBNode.self)[2].size = 7
            realm.objects(OBNode.self)[0].nodes["c"] = OBNode()
        }
        try await place.waitFor(5)
        expectEqual(place.told[2], "2: -[] +[] ~[0] >[0]")
        expectEqual(Set(place.told[3...]), ["3: -[] +[2] ~[] >[]", "+[\"c\"] ~[\"b\"]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }
}
