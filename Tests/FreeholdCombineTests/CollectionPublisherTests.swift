import Foundation
import FreeholdTestModels
import RealmSwift
import TestExpectations
import Testing

@Suite("Publishers: collections")
struct CollectionPublisherTests {
    /// Subscribes on the home queue, with a closure that receives the collection.
    private func subscribe(
        _ bench: PublisherBench,
        _ kind: CollectionKind,
        _ body: (any RealmCollection<CBItem> & RealmSubscribable) -> Void
    ) throws { try bench.home.run { realm in body(kind.of(realm)) } }

    @Test(arguments: CollectionKind.allCases)
    func `a collection reports its observation's begin and each change`(kind: CollectionKind) async throws {
        let bench = try PublisherBench()
        func subscribe<C: RealmCollection & RealmSubscribable>(_ collection: C) {
            bench.keep(collection.objectWillChange.sink { bench.note("change") })
        }
        try self.subscribe(bench, kind) { subscribe($0) }
        try await bench.notes.waitFor(1)
        try bench.add(1)
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all, ["change at home", "change at home"])
        bench.end()
    }

    @Test(arguments: CollectionKind.allCases, Way.allCases)
    func `a value publisher emits the collection at the place of its way`(kind: CollectionKind, way: Way) async throws {
        let bench = try PublisherBench()
        func subscribe<C: RealmCollection & RealmSubscribable>(_ collection: C) {
            bench.subscribe(to: collection.collectionPublisher, way) { "\($0.count)" }
        }
        try self.subscribe(bench, kind) { subscribe($0) }
        for id in 1...3 {
            try await bench.notes.waitFor(id)
            try bench.add(id)
        }
        try await bench.notes.waitFor(4)
        expectEqual(bench.notes.all, lines(["0", "1", "2", "3"], way))
        expectEqual(bench.token != nil, way.savesToken)
        bench.end()
    }

    @Test(arguments: CollectionKind.allCases, Way.allCases)
    func `a changeset publisher emits the changes at the place of its way`(
        kind: CollectionKind,
        way: Way
    ) async throws {
        let bench = try PublisherBench()
        func subscribe<C: RealmCollection & RealmSubscribable>(_ collection: C) {
            bench.subscribe(toChanges: collection.changesetPublisher, way) { described($0) }
        }
        try self.subscribe(bench, kind) { subscribe($0) }
        for id in 1...3 {
            try await bench.notes.waitFor(id)
            try bench.add(id)
        }
        try await bench.notes.waitFor(4)
        let texts = ["initial 0"] + (1...3).map { "\($0): -[] +[\($0 - 1)] ~[] >[]" }
        expectEqual(bench.notes.all, lines(texts, way))
        bench.end()
    }

    @Test(arguments: CollectionKind.allCases, [Way.direct, .subscribeOn, .receiveOn])
    func `changes of properties outside the key paths aren't emitted`(kind: CollectionKind, way: Way) async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        func subscribe<C: RealmCollection & RealmSubscribable>(_ collection: C) where C.Element == CBItem {
            bench.subscribe(toChanges: collection.changesetPublisher(keyPaths: ["number"]), way) { described($0) }
            bench.subscribe(to: collection.collectionPublisher(keyPaths: ["number"]), way) {
                "number \($0.first!.number)"
            }
            bench.subscribe(to: valuePublisher(collection, keyPaths: ["flag"]), way) { "flag \($0.first!.flag)" }
        }
        try bench.home.run { realm in
            func go(_ collection: some RealmCollection<CBItem> & RealmSubscribable) { subscribe(collection) }
            go(kind.of(realm))
        }
        try await bench.notes.waitFor(3)
        try bench.write { $0.objects(CBItem.self).first!.number = 5 }
        try await bench.notes.waitFor(5)
        try bench.write { $0.objects(CBItem.self).first!.flag = true }
        try await bench.notes.waitFor(6)
        expectEqual(
            bench.notes.all.sorted(),
            lines(["1: -[] +[] ~[0] >[0]", "flag false", "flag true", "initial 1", "number 1", "number 5"], way)
        )
        bench.end()
    }

    @Test(arguments: CollectionKind.allCases, [true, false])
    func `a write without notifying the saved token emits nothing`(kind: CollectionKind, isChange: Bool) async throws {
        let bench = try PublisherBench()
        func subscribe<C: RealmCollection & RealmSubscribable>(_ collection: C) {
            if isChange {
                bench.subscribe(toChanges: collection.changesetPublisher, .token) { "\($0._observed!.count)" }
            } else {
                bench.subscribe(to: collection.collectionPublisher, .token) { "\($0.count)" }
            }
        }
        try self.subscribe(bench, kind) { subscribe($0) }
        try await bench.notes.waitFor(1)
        for id in 1...10 {
            try bench.home.run { realm in
                try realm.write(withoutNotifying: [#require(bench.token)]) { PublisherBench.add(id, to: realm) }
            }
        }
        try bench.add(11)
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all, ["0 at home", "11 at home"])
        bench.end()
    }

    @Test(arguments: CollectionKind.allCases)
    func `a cancelled subscription receives nothing`(kind: CollectionKind) async throws {
        let bench = try PublisherBench()
        var cancellable: AnyCancellable?
        func subscribe<C: RealmCollection & RealmSubscribable>(_ collection: C) {
            cancellable = collection.objectWillChange.sink { bench.note("cancelled") }
            bench.keep(collection.objectWillChange.sink { bench.note("change") })
        }
        try self.subscribe(bench, kind) { subscribe($0) }
        try await bench.notes.waitFor(2)
        cancellable?.cancel()
        try bench.add(1)
        try await bench.notes.waitFor(3)
        expectEqual(bench.notes.all.sorted(), ["cancelled at home", "change at home", "change at home"])
        bench.end()
    }
}
