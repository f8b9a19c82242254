import Foundation
import Freehold
import TestRandom
import TestScript
import Testing

/// A copy of sections, kept by their changes alone.
private final class SectionReplay: @unchecked Sendable {
    var copy: [[String]] = []
    var calls = 0
    var failure: String?

    func take(
        _ change: SectionedResultsChange<SectionedResults<Int, THPerson>>,
        _ text: (THPerson) -> String
    ) {
        calls += 1
        switch change {
        case .initial(let all): copy = all.map { $0.map(text) }
        case .update(let all, let deletions, let insertions, let modifications, let new, let gone):
            let before = copy
            for path in deletions.reversed() { copy[path.section].remove(at: path.item) }
            for path in deletions where gone.contains(path.section) && failure == nil {
                failure = "\(path) is in a deleted section"
            }
            for section in gone.reversed() { copy.remove(at: section) }
            for section in new { copy.insert([], at: section) }
            for path in insertions { copy[path.section].insert(text(all[path]), at: path.item) }
            for path in change.newModifications { copy[path.section][path.item] = text(all[path]) }
            let now = all.map { $0.map(text) }
            if copy != now, failure == nil {
                failure =
                    "\(before) -\(deletions) +\(insertions) ~\(modifications) sections -\(Array(gone)) +\(Array(new))"
                    + " gave \(copy), not \(now)"
            }
            copy = now
        }
    }
}

private func paths(_ paths: [IndexPath]) -> String { paths.map { "\($0.section).\($0.item)" }.joined(separator: " ") }

func described<C: RealmSectionedResult>(_ change: SectionedResultsChange<C>) -> String {
    switch change {
    case .initial(let all): "initial \(all.count)"
    case .update(let all, let deletions, let insertions, let modifications, let new, let gone):
        "\(all.count): -[\(paths(deletions))] +[\(paths(insertions))] ~[\(paths(modifications))]"
            + " >[\(paths(change.newModifications))] sections -\(Array(gone)) +\(Array(new))"
    }
}

private actor SectionPlace {
    var log: [String] = []
    var token: NotificationToken?

    func start(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        let sections = realm.objects(THPerson.self).sectioned(by: \.age)
        token = await sections.observe(keyPaths: [\.age], on: self) { $0.log.append(described($1)) }
    }

    func waitFor(_ count: Int) async throws {
        if try await !eventually({ log.count >= count }) { throw NeverCame(log) }
    }
}

@Suite("Observation: sections")
struct SectionObservationTests {
    /// Ages 0, 0, 1, 1, 2, 2.
    private func place() throws -> (ObservingQueue, Realm.Configuration, Realm) {
        let configuration = threadingConfiguration()
        let keeper = try Realm(configuration: configuration)
        try keeper.write { for i in 0..<6 { keeper.add(THPerson(id: i, name: "P\(i)", age: i / 2)) } }
        return (ObservingQueue(configuration), configuration, keeper)
    }

    @Test
    func `positions consist of a section and an element in it`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let sections = realm.objects(THPerson.self).sectioned(by: \.age)
            place.tokens.append(sections.observe { place.note(described($0)) })
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { person(1, $0).age = 2 }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { realm in
            realm.delete(person(0, realm))
            person(2, realm).name = "new"
        }
        try await place.waitFor(3)
        try writeElsewhere(configuration) { $0.add(THPerson(id: 9, name: "P9", age: 0)) }
        try await place.waitFor(4)
        expectEqual(
            place.told,
            [
                "initial 3", "3: -[0.1] +[2.0] ~[] >[] sections -[] +[]",
                "2: -[] +[] ~[1.0] >[0.0] sections -[0] +[]", "3: -[] +[0.0] ~[] >[] sections -[] +[0]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a section's observer receives its changes, its end and its return`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let sections = realm.objects(THPerson.self).sectioned(by: \.age)
            place.tokens.append(sections[1].observe(keyPaths: [\.age]) { place.note(described($0)) })
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { realm in
            person(0, realm).age = 2
            person(2, realm).name = "unseen"
        }
        try writeElsewhere(configuration) { person(2, $0).age = 0 }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { person(3, $0).age = 0 }
        try await place.waitFor(3)
        try writeElsewhere(configuration) { person(5, $0).age = 1 }
        try await place.waitFor(4)
        expectEqual(
            place.told,
            [
                "initial 2", "1: -[1.0] +[] ~[] >[] sections -[] +[]", "0: -[] +[] ~[] >[] sections -[1] +[]",
                "1: -[] +[1.0] ~[] >[] sections -[] +[1]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `sections of values, and sections on another queue, are observed`() async throws {
        let (place, configuration, keeper) = try place()
        try keeper.write { person(0, keeper).notes.append(objectsIn: ["b", "aa", "cc"]) }
        let byLength = person(0, keeper).notes.sectioned(by: { $0.count }, ascending: true)
        let token = byLength.observe(on: place.queue) { place.note(described($0)) }
        let section = byLength[1].observe(on: place.queue) { place.note("one " + described($0)) }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { person(0, $0).notes.append("aaa") }
        try await place.waitFor(3)
        expect(place.told.contains("3: -[] +[1.0] ~[] >[] sections -[] +[1]"))
        try writeElsewhere(configuration) { person(0, $0).notes.removeAll { $0.count == 1 } }
        try await place.waitFor(5)
        expectEqual(place.told.filter { $0.hasPrefix("one") }.count, 2)
        token.invalidate()
        section.invalidate()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `observers of sections are called on actors`() async throws {
        let (_, configuration, keeper) = try place()
        let actor = SectionPlace()
        try await actor.start(configuration)
        try await actor.waitFor(1)
        try writeElsewhere(configuration) { person(1, $0).name = "unseen" }
        try writeElsewhere(configuration) { person(1, $0).age = 3 }
        try await actor.waitFor(2)
        await expectEqual(actor.log, ["initial 3", "4: -[0.1] +[3.0] ~[] >[] sections -[] +[3]"])
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `elements of deleted sections are omitted, and a moved modified element is deleted and inserted`()
        async throws
    {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let sections = realm.objects(THPerson.self).sectioned(by: { $0.age }, sortDescriptors: ["age", "name"])
            place.tokens.append(sections.observe { place.note(described($0)) })
        }
        try await place.waitFor(1)
        // P0, P1 and P2 are deleted, and with them their sections. P3 is modified and becomes the first. A section is
        // inserted.
        try writeElsewhere(configuration) { realm in
            for i in 0..<3 { realm.delete(person(i, realm)) }
            person(3, realm).name = "P3 again"
            realm.add(THPerson(id: 9, name: "P9", age: 9))
        }
        try await place.waitFor(2)
        // In its place it is modified.
        try writeElsewhere(configuration) { person(3, $0).name = "P3 once more" }
        try await place.waitFor(3)
        // All move to another section.
        try writeElsewhere(configuration) { person(3, $0).age = 2 }
        try await place.waitFor(4)
        expectEqual(
            place.told,
            [
                "initial 3", "3: -[1.0 1.1] +[0.0 2.0] ~[] >[] sections -[0] +[2]",
                "3: -[] +[] ~[0.0] >[0.0] sections -[] +[]", "2: -[] +[0.0] ~[] >[] sections -[0] +[]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a position that is modified before and after a change stays modified`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            // The order of the elements doesn't depend on their sections.
            let sections = realm.objects(THPerson.self).sectioned(by: { $0.age }, sortDescriptors: ["name"])
            place.tokens.append(sections.observe { place.note(described($0)) })
        }
        try await place.waitFor(1)
        // Two elements exchange their sections and positions.
        try writeElsewhere(configuration) { realm in
            let (one, other) = (person(1, realm), person(2, realm))
            (one.age, other.age) = (other.age, one.age)
        }
        try await place.waitFor(2)
        expectEqual(place.told.last, "3: -[] +[] ~[0.1 1.0] >[0.1 1.0] sections -[] +[]")
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test(arguments: 0..<6)
    func `copies kept by changes alone stay equal`(_ round: Int) async throws {
        let seed = TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let (place, configuration, keeper) = try place()
        // Sorted by what the section isn't by, sections change places.
        let replays = (0..<3).map { _ in SectionReplay() }
        func text(_ person: THPerson) -> String { "\(person.id) \(person.name) \(person.age)" }
        try place.run { realm in
            let all = realm.objects(THPerson.self)
            let made = [
                all.sectioned(by: \.age),
                all.sectioned(by: { $0.age }, sortDescriptors: ["name"]),
                all.where { $0.age > 1 }.sectioned(
                    by: { $0.name.count + $0.age / 2 },
                    sortDescriptors: ["name", "id"]
                ),
            ]
            for (replay, sections) in zip(replays, made) {
                place.tokens.append(sections.observe { replay.take($0, text) })
            }
        }
        for _ in 0..<25 {
            let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (Int.random(in: 0..<5, using: &random), Int.random(in: 0..<12, using: &random))
            }
            let names = steps.map { _ in String(repeating: "n", count: Int.random(in: 1...4, using: &random)) }
            try writeElsewhere(configuration) { realm in
                for ((what, id), name) in zip(steps, names) {
                    let found = realm.object(ofType: THPerson.self, forPrimaryKey: id)
                    switch what {
                    case 0: if let found { realm.delete(found) }
                    case 1: found?.age = id % 4
                    case 2: found?.name = name
                    default:
                        realm.create(THPerson.self, value: ["id": id, "name": name, "age": name.count], update: .all)
                    }
                }
            }
            if Bool.random(using: &random) { try place.run { _ = $0.refresh() } }
        }
        try place.run { realm in
            realm.refresh()
            for replay in replays {
                expect(replay.failure == nil, "\(replay.failure ?? ""), seed \(seed)")
                expect(replay.calls > 1)
            }
        }
        place.end()
        withExtendedLifetime(keeper) {}
    }
}
