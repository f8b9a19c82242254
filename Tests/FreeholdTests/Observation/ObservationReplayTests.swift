import Foundation
import Freehold
import TestRandom
import Testing

@Suite("Observation: replayed changes")
struct ObservationReplayTests {
    @Test
    func `copies kept by changes alone stay equal, with any writer`() async throws {
        let seed = TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let place = ObservingQueue(configuration)
        let replays = [
            "all", "old", "sorted", "friends", "sorted friends", "tags", "notes", "sorted notes", "admirers",
        ]
        .map { ReplayedCollection($0) }
        func text(_ person: THPerson) -> String { "\(person.id) \(person.name) \(person.age)" }
        try place.run { realm in
            func observe<C: RealmCollection>(_ i: Int, _ all: C, _ text: @escaping (C.Element) -> String) {
                place.tokens.append(all.observe { replays[i].take($0, text) })
            }
            let all = realm.objects(THPerson.self)
            let one = person(0, realm)
            observe(0, all, text)
            observe(1, all.where { $0.age > 10 }, text)
            observe(2, all.sorted(by: \.age), text)
            observe(3, one.friends, text)
            observe(4, one.friends.sorted(by: \.name), text)
            observe(5, one.tags) { $0 }
            observe(6, one.notes) { $0 }
            observe(7, one.notes.sorted(ascending: false)) { $0 }
            observe(8, one.admirers, text)
        }
        @Sendable func change(_ realm: Realm, _ random: inout SeededRandom, _ base: Int) {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let all = realm.objects(THPerson.self)
                let one = all[Int.random(in: 0..<all.count, using: &random)]
                let zero = person(0, realm)
                switch Int.random(in: 0..<12, using: &random) {
                case 0, 1:
                    let id = base + Int.random(in: 0..<10_000, using: &random)
                    realm.create(
                        THPerson.self,
                        value: ["id": id, "age": Int.random(in: 0..<20, using: &random)],
                        update: .modified
                    )
                case 2: if one.id != 0 { realm.delete(one) }
                case 3: one.age = Int.random(in: 0..<20, using: &random)
                case 4: one.name = "N\(Int.random(in: 0..<9, using: &random))"
                case 5: zero.friends.insert(one, at: Int.random(in: 0...zero.friends.count, using: &random))
                case 6: if !zero.friends.isEmpty { zero.friends.remove(at: zero.friends.count / 2) }
                case 7: if zero.friends.count > 2 { zero.friends.move(from: 0, to: zero.friends.count - 1) }
                case 8: zero.tags.insert("t\(Int.random(in: 0..<9, using: &random))")
                case 9: zero.tags.remove("t\(Int.random(in: 0..<9, using: &random))")
                case 10: zero.notes.append("n\(Int.random(in: 0..<9, using: &random))")
                default: if zero.notes.isEmpty { one.friends.append(zero) } else { zero.notes.remove(at: 0) }
                }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...3 {
                group.addTask {
                    try onAnotherThread {
                        var random = SeededRandom(seed: seed &+ UInt64(writer))
                        let realm = try Realm(configuration: configuration)
                        for _ in 0..<40 { try realm.write { change(realm, &random, writer * 10_000) } }
                    }
                }
            }
            group.addTask {
                var random = SeededRandom(seed: seed)
                for _ in 0..<20 {
                    try place.run { realm in try realm.write { change(realm, &random, 0) } }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            try await group.waitForAll()
        }
        try place.run { realm in
            realm.refresh()
            expectEqual(replays[0].copy, realm.objects(THPerson.self).map(text))
            expectEqual(replays[6].copy, Array(person(0, realm).notes))
            for replay in replays {
                expect(replay.failure == nil, "\(replay.name): \(replay.failure ?? ""), seed \(seed)")
                expect(replay.calls > 0)
            }
        }
        place.end()
        withExtendedLifetime(keeper) {}
    }
}
