import Dispatch
import Foundation
import Freehold
import Synchronization
import TestRandom
import TestScript
import Testing

/// Freezing, thawing, references, openings and writes of many places at once. Each person's `age` is the sum of two
/// scores in every committed version.
@Suite("Threading: PlaceStress")
struct PlaceStressTests {
    /// The repeated steps of one place.
    private struct Steps {
        let configuration: Realm.Configuration
        let shared: Shared
        var random: SeededRandom
        /// The number of the place, for messages.
        var place = 0

        mutating func run(_ realm: Realm) throws {
            let id = Int.random(in: 0..<10, using: &random)
            guard let person = realm.object(ofType: THPerson.self, forPrimaryKey: id) else { return }
            check(person)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let frozen = person.freeze()
                check(frozen)
                guard let thawed = frozen.thaw() else { return }
                if thawed.realm != realm { shared.fail("\(place): thawed elsewhere") }
                check(thawed)
            case 1: shared.put(Frozen(person))
            case 2:
                guard let frozen = shared.frozen(&random) else { return }
                check(frozen.value)
                if let thawed = frozen.value.thaw() {
                    if thawed.realm != realm { shared.fail("\(place): another's was thawed elsewhere") }
                    check(thawed)
                }
            case 3: shared.put(ThreadSafeReference(to: person))
            case 4:
                guard let reference = shared.takeReference() else { return }
                if let found = realm.resolve(reference) {
                    if found.realm != realm { shared.fail("\(place): resolved elsewhere") }
                    check(found)
                }
            case 5:
                if let found = shared.variable.wrappedValue {
                    if found.realm != realm { shared.fail("\(place): a variable of elsewhere") }
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

    /// The objects that the places pass to each other.
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

        func frozen(_ random: inout SeededRandom) -> Frozen<THPerson>? {
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

    private static func onActor(_ place: some Place, _ first: Steps, _ rounds: Int) async throws {
        try await place.open(first.configuration)
        var steps = first
        for _ in 0..<rounds { steps = try await place.take(steps) { try $0.run($1) } }
    }

    @MainActor
    private static func onMain(_ first: Steps, _ rounds: Int) async throws {
        var steps = first
        for _ in 0..<rounds {
            try steps.run(try Realm(configuration: first.configuration))
            await Task.yield()
        }
    }

    private static func onQueue(_ first: Steps, _ rounds: Int) async throws {
        let queue = DispatchQueue(label: "stress")
        var steps = first
        for _ in 0..<rounds {
            let before = steps
            steps = try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    let result = Result<Steps, any Error> {
                        var steps = before
                        try steps.run(try Realm(configuration: before.configuration, queue: queue))
                        return steps
                    }
                    continuation.resume(with: result)
                }
            }
        }
    }

    private static func onThread(_ first: Steps, _ rounds: Int) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread {
                let result = Result<Void, any Error> {
                    var steps = first
                    for _ in 0..<rounds { try steps.run(try Realm(configuration: first.configuration)) }
                }
                continuation.resume(with: result)
            }.start()
        }
    }

    @Test
    func `all kinds of places freeze, thaw, refer, open and write at once`() async throws {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
            ?? TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        let rounds = 60
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        try keeper.write { for person in keeper.objects(THPerson.self) { person.age = person.scores["a"] ?? 0 } }
        let shared = Shared(keeper.objects(THPerson.self).first!)
        let loop = LoopExecutor()
        let all = (0..<20).map { n in
            Steps(
                configuration: configuration,
                shared: shared,
                random: SeededRandom(seed: seed &+ UInt64(n)),
                place: n
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (n, steps) in all.enumerated() {
                switch n % 5 {
                case 0: group.addTask { try await Self.onActor(PlainPlace(), steps, rounds) }
                case 1:
                    let executor = n < 10 ? loop : LoopExecutor()
                    group.addTask { try await Self.onActor(LoopPlace(executor), steps, rounds) }
                case 2: group.addTask { try await Self.onMain(steps, rounds) }
                case 3: group.addTask { try await Self.onQueue(steps, rounds) }
                default: group.addTask { try await Self.onThread(steps, rounds) }
                }
            }
            try await group.waitForAll()
        }
        expect(shared.failures.isEmpty, "seed \(seed): \(shared.failures)")
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
