import Dispatch
import Foundation
import Freehold
import Synchronization
import TestScript
import Testing

/// Freezing, thawing, references, openings and writes of many places at once. Each person's `age` is the sum of two
/// scores in every committed version.
@Suite("Threading: PlaceStress")
struct PlaceStressTests {
    /// What one place does a number of times.
    private struct Steps {
        let configuration: Realm.Configuration
        let shared: Shared
        var random: SeededGenerator

        /// - Parameter open: gives the realm of the place.
        mutating func run(_ realm: Realm) throws {
            let id = Int.random(in: 0..<10, using: &random)
            guard let person = realm.object(ofType: THPerson.self, forPrimaryKey: id) else { return }
            check(person)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let frozen = person.freeze()
                check(frozen)
                guard let thawed = frozen.thaw() else { return }
                if thawed.realm != realm { shared.fail("thawed elsewhere") }
                check(thawed)
            case 1: shared.put(Frozen(person))
            case 2:
                guard let frozen = shared.frozen(&random) else { return }
                check(frozen.value)
                if let thawed = frozen.value.thaw() {
                    if thawed.realm != realm { shared.fail("another's was thawed elsewhere") }
                    check(thawed)
                }
            case 3: shared.put(ThreadSafeReference(to: person))
            case 4:
                guard let reference = shared.takeReference() else { return }
                if let found = realm.resolve(reference) {
                    if found.realm != realm { shared.fail("resolved elsewhere") }
                    check(found)
                }
            case 5:
                if let found = shared.variable.wrappedValue {
                    if found.realm != realm { shared.fail("a variable of elsewhere") }
                    check(found)
                }
            case 6:
                try realm.write {
                    let a = Int.random(in: 0..<100, using: &random)
                    let b = Int.random(in: 0..<100, using: &random)
                    person.scores["a"] = a
                    person.scores["b"] = b
                    person.age = a + b
                    if Bool.random(using: &random) { shared.put(ThreadSafeReference(to: person)) }
                }
            default:
                let all = realm.objects(THPerson.self).where { $0.age >= 0 }.freeze()
                for person in all { check(person) }
                if all.thaw()?.count != 10 { shared.fail("results lost objects") }
                realm.refresh()
            }
        }

        private func check(_ person: THPerson) {
            let sum = (person.scores["a"] ?? 0) + (person.scores["b"] ?? 0)
            if person.age != sum { shared.fail("\(person.age) isn't \(sum)") }
        }
    }

    /// What the places hand to each other.
    private final class Shared: Sendable {
        private struct State {
            var frozen: [Frozen<THPerson>] = []
            var references: [ThreadSafeReference<THPerson>] = []
            var failures: Set<String> = []
        }

        private let state = Mutex(State())
        let variable: ThreadSafe<THPerson>

        init(_ person: THPerson) { variable = ThreadSafe(wrappedValue: person) }

        func put(_ frozen: Frozen<THPerson>) {
            state.withLock {
                $0.frozen.append(frozen)
                if $0.frozen.count > 8 { $0.frozen.removeFirst() }
            }
        }

        func frozen(_ random: inout SeededGenerator) -> Frozen<THPerson>? {
            let n = Int.random(in: 0..<8, using: &random)
            return state.withLock { n < $0.frozen.count ? $0.frozen[n] : $0.frozen.last }
        }

        func put(_ reference: ThreadSafeReference<THPerson>) {
            state.withLock { if $0.references.count < 8 { $0.references.append(reference) } }
        }

        func takeReference() -> ThreadSafeReference<THPerson>? { state.withLock { $0.references.popLast() } }

        func fail(_ text: String) { state.withLock { _ = $0.failures.insert(text) } }
        var failures: Set<String> { state.withLock { $0.failures } }
    }

    private static func steps(_ place: some Place, _ steps: Steps, _ count: Int) async throws {
        var steps = steps
        for _ in 0..<count {
            steps = try await place.take(steps) { (steps: inout Steps, realm: Realm) in try steps.run(realm) }
        }
    }

    @Test
    func `all kinds of places freeze, thaw, refer, open and write at once`() async throws {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("seed \(seed)")
        let rounds = 60
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        try keeper.write { for person in keeper.objects(THPerson.self) { person.age = person.scores["a"] ?? 0 } }
        let shared = Shared(keeper.objects(THPerson.self).first!)
        func steps(_ n: UInt64) -> Steps {
            Steps(configuration: configuration, shared: shared, random: SeededGenerator(seed: seed &+ n))
        }
        let loop = LoopExecutor()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 0..<4 as Range<UInt64> {
                let mine = (steps(n), steps(10 + n), steps(20 + n), steps(30 + n), steps(40 + n))
                group.addTask {
                    let place = PlainPlace()
                    try await place.open(configuration)
                    try await Self.steps(place, mine.0, rounds)
                }
                group.addTask {
                    let place = LoopPlace(n % 2 == 0 ? loop : LoopExecutor())
                    try await place.open(configuration)
                    try await Self.steps(place, mine.1, rounds)
                }
                group.addTask { @MainActor in
                    var steps = mine.2
                    for _ in 0..<rounds {
                        try steps.run(try Realm(configuration: configuration))
                        await Task.yield()
                    }
                }
                group.addTask {
                    let queue = DispatchQueue(label: "stress")
                    var steps = mine.3
                    for _ in 0..<rounds {
                        let before = steps
                        steps = try await withCheckedThrowingContinuation { continuation in
                            queue.async {
                                continuation.resume(
                                    with: Result {
                                        var steps = before
                                        try steps.run(try Realm(configuration: configuration, queue: queue))
                                        return steps
                                    }
                                )
                            }
                        }
                    }
                }
                group.addTask {
                    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                        Thread {
                            continuation.resume(
                                with: Result {
                                    var steps = mine.4
                                    for _ in 0..<rounds { try steps.run(try Realm(configuration: configuration)) }
                                }
                            )
                        }.start()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(shared.failures.isEmpty, "seed \(seed)")
        withExtendedLifetime(keeper) {}
    }
}

extension Place {
    fileprivate func take<S: Sendable>(_ steps: S, _ body: @Sendable (inout S, Realm) throws -> Void) throws -> S {
        var steps = steps
        try body(&steps, realm!)
        return steps
    }
}
