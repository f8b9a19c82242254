import Foundation
import FreeholdTestModels
import RealmSwift
import TestExpectations
import Testing

/// A subscriber that demands as much as the test wants.
private final class PatientSubscriber<Input>: Subscriber {
    typealias Failure = Never

    private let take: (Input) -> Void
    private(set) var subscription: (any Subscription)?

    init(_ take: @escaping (Input) -> Void) { self.take = take }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Input) -> Subscribers.Demand {
        take(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}

    func demand(_ demand: Subscribers.Demand) { subscription?.request(demand) }
}

@Suite("Publishers: demand and versions")
struct DemandTests {
    @Test func `a subscriber receives what it demands, and then an initial change`() async throws {
        let bench = try PublisherBench()
        let subscriber = PatientSubscriber<RealmCollectionChange<Results<CBItem>>> { bench.note(described($0)) }
        try bench.home.run { realm in
            realm.objects(CBItem.self).changesetPublisher.subscribe(subscriber)
            bench.keep(realm.objectWillChange.sink { bench.home.note("commit") })
            subscriber.demand(.max(2))
        }
        try await bench.notes.waitFor(1)
        try bench.add(1)
        try await bench.notes.waitFor(2)
        // Without a demand, neither of them is delivered.
        try bench.add(2)
        try await bench.home.settle()
        try bench.add(3)
        try await bench.home.settle()
        bench.home.queue.sync { subscriber.demand(.max(2)) }
        try bench.add(4)
        try await bench.notes.waitFor(3)
        try bench.add(5)
        try await bench.notes.waitFor(4)
        expectEqual(
            bench.notes.all,
            ["initial 0", "1: -[] +[0] ~[] >[]", "initial 4", "5: -[] +[4] ~[] >[]"].map { "\($0) at home" }
        )
        bench.home.queue.sync { subscriber.subscription?.cancel() }
        try bench.add(6)
        try await bench.home.settle()
        expectEqual(bench.notes.all.count, 4)
        bench.end()
    }

    @Test @MainActor func `a publisher can be iterated as an asynchronous sequence`() async throws {
        let bench = try PublisherBench()
        let realm = try await Realm(configuration: bench.configuration, actor: MainActor.shared)
        let configuration = bench.configuration
        // A value that isn't demanded isn't delivered later, so commits are made as long as values are awaited.
        let writer = Task.detached {
            var id = 0
            while !Task.isCancelled {
                id += 1
                let next = id
                try writeElsewhere(configuration) { PublisherBench.add(next, to: $0) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        var counts: [Int] = []
        for await count in realm.objects(CBItem.self).collectionPublisher.map(\.count).assertNoFailure().values {
            counts.append(count)
            if counts.count == 4 { break }
        }
        writer.cancel()
        expectEqual(counts, Set(counts).sorted())
    }

    @Test func `a change whose positions don't fit the receiver's realm is delivered as initial`() async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            bench.subscribe(toChanges: realm.objects(CBItem.self).changesetPublisher, .receiveOn) { described($0) }
        }
        try await bench.notes.waitFor(1)
        bench.receiving.suspend()
        try bench.add(1)
        try await bench.home.settle()
        try bench.add(2)
        try await bench.home.settle()
        // The realm of the receiving queue is at the newest version when the first change arrives.
        let kept = Kept()
        bench.receiving.resume()
        try await bench.notes.waitFor(3)
        bench.receiving.sync {
            kept.realm = try? Realm(configuration: bench.configuration, queue: bench.receiving)
            kept.realm?.refresh()
        }
        // Whatever the version, the positions fit the delivered collection.
        expect(
            bench.notes.all == ["initial 0", "1: -[] +[0] ~[] >[]", "2: -[] +[1] ~[] >[]"].map { "\($0) at receiving" }
                || bench.notes.all == ["initial 0", "initial 2", "2: -[] +[1] ~[] >[]"].map { "\($0) at receiving" }
        )
        bench.receiving.suspend()
        try bench.add(3)
        try await bench.home.settle()
        try bench.add(4)
        try await bench.home.settle()
        bench.receiving.resume()
        bench.receiving.sync { _ = kept.realm?.refresh() }
        try await bench.notes.waitFor(5)
        expectEqual(bench.notes.all.last, "4: -[] +[3] ~[] >[] at receiving")
        bench.receiving.sync { kept.realm = nil }
        bench.end()
    }

    private final class Kept: @unchecked Sendable { var realm: Realm? }
}
