import Foundation
import Freehold
import TestRandom
import TestScript
import Testing

@Suite("Observation: lists inside of mixed values, and collections of objects")
struct NestedListObservationTests {
    private func nested(_ realm: Realm) -> List<AnyRealmValue> { person(0, realm).any.listValue! }

    private func observed() throws -> (ObservingQueue, Realm.Configuration, Realm) {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 1)
        try keeper.write {
            let inner = AnyRealmValue.fromArray([.int(1), .bool(false)])
            person(0, keeper).any = AnyRealmValue.fromArray([inner, .string("b"), .string("c"), .string("d")])
        }
        return (ObservingQueue(configuration), configuration, keeper)
    }

    @Test
    func `an element that is set is modified`() async throws {
        let (place, configuration, keeper) = try observed()
        try place.run { place.tokens.append(nested($0).observe { place.note(described($0)) }) }
        try await place.waitFor(1)
        let steps: [@Sendable (List<AnyRealmValue>) -> Void] = [
            { $0[1] = .int(7) }, { $0.append(.int(8)) }, { $0.removeLast() },
            {
                $0[2] = .int(3)
                $0.insert(.int(0), at: 0)
            },
            { $0[1].listValue![1] = .bool(true) },
            {
                $0.remove(at: 0)
                $0[0] = .none
            },
        ]
        for (i, step) in steps.enumerated() {
            try writeElsewhere(configuration) { step($0.objects(THPerson.self)[0].any.listValue!) }
            try await place.waitFor(i + 2)
        }
        expectEqual(
            place.told,
            [
                "initial 4", "4: -[] +[] ~[1] >[1]", "5: -[] +[4] ~[] >[]", "4: -[4] +[] ~[] >[]",
                "5: -[] +[0] ~[2] >[3]", "5: -[] +[] ~[1] >[1]", "4: -[0, 1] +[0] ~[] >[]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a copy kept by changes alone stays equal`() async throws {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
            ?? TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let (place, configuration, keeper) = try observed()
        let replay = ReplayedCollection("nested")
        try place.run {
            place.tokens.append(
                nested($0).observe { replay.take($0) { $0.intValue.map(String.init) ?? $0.stringValue ?? "nested" } }
            )
        }
        for _ in 0..<60 {
            let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (Int.random(in: 0..<4, using: &random), Int.random(in: 0..<1000, using: &random))
            }
            try writeElsewhere(configuration) { realm in
                let list = realm.objects(THPerson.self)[0].any.listValue!
                for (what, n) in steps {
                    switch what {
                    case 0: list.insert(.int(n % 5), at: n % (list.count + 1))
                    case 1: if !list.isEmpty { list.remove(at: n % list.count) }
                    case 2: if !list.isEmpty { list[n % list.count] = .int(n % 3) }
                    default: if list.count > 1 { list.swapAt(n % list.count, (n / 7) % list.count) }
                    }
                }
            }
            if Bool.random(using: &random) { try place.run { _ = $0.refresh() } }
        }
        try place.run { realm in
            realm.refresh()
            expect(replay.failure == nil, "\(replay.failure ?? ""), seed \(seed)")
        }
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `an object's change contains the changed collections`() async throws {
        let (place, configuration, keeper) = try observed()
        try place.run { realm in
            let object = person(0, realm)
            place.tokens.append(
                object.observe { change in
                    guard case .change(let object, let properties) = change else { return }
                    for property in properties {
                        switch property.name {
                        case "friends": place.note("\(property.newValue as? List<THPerson> === object.friends)")
                        case "tags": place.note("\(property.newValue as? MutableSet<String> === object.tags)")
                        case "scores": place.note("\((property.newValue as? Map<String, Int>)?["n"] ?? 0)")
                        default: place.note(property.name)
                        }
                    }
                }
            )
        }
        try writeElsewhere(configuration) { realm in
            let object = realm.objects(THPerson.self)[0]
            object.friends.append(object)
            object.tags.insert("new")
            object.scores["n"] = 5
        }
        try await place.waitFor(3)
        expectEqual(place.told.sorted(), ["5", "true", "true"])
        place.end()
        withExtendedLifetime(keeper) {}
    }
}
