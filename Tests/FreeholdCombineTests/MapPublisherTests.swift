import Foundation
import FreeholdTestModels
import RealmSwift
import TestExpectations
import Testing

@Suite("Publishers: maps")
struct MapPublisherTests {
    private func described<M>(_ change: RealmMapChange<M>) -> String {
        switch change {
        case .initial(let map): "initial \(map.count)"
        case .update(let map, let deletions, let insertions, let modifications):
            "\(map.count): -\(deletions) +\(insertions) ~\(modifications)"
        case .error(let error): "\(error)"
        }
    }

    private func map(_ realm: Realm) -> Map<String, CBItem?> { realm.objects(CBOwner.self).first!.map }

    @Test func `a map reports its observation's begin and each change`() async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in bench.keep(map(realm).objectWillChange.sink { bench.note("change") }) }
        try await bench.notes.waitFor(1)
        try bench.add(1)
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all, ["change at home", "change at home"])
        bench.end()
    }

    @Test(arguments: Way.allCases)
    func `a value publisher emits the map at the place of its way`(way: Way) async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in bench.subscribe(to: map(realm).collectionPublisher, way) { "\($0.count)" } }
        for id in 1...3 {
            try await bench.notes.waitFor(id)
            try bench.add(id)
        }
        try await bench.notes.waitFor(4)
        expectEqual(bench.notes.all, lines(["0", "1", "2", "3"], way))
        bench.end()
    }

    @Test(arguments: Way.allCases)
    func `a changeset publisher emits the keys at the place of its way`(way: Way) async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            bench.subscribe(toChanges: map(realm).changesetPublisher, way) { described($0) }
        }
        for id in 1...3 {
            try await bench.notes.waitFor(id)
            try bench.add(id)
        }
        try await bench.notes.waitFor(4)
        expectEqual(
            bench.notes.all,
            lines(["initial 0"] + (1...3).map { "\($0): -[] +[\"\($0)\"] ~[]" }, way)
        )
        bench.end()
    }

    @Test(arguments: [Way.direct, .subscribeOn, .receiveOn])
    func `changes of properties outside the key paths aren't emitted`(way: Way) async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in
            bench.subscribe(toChanges: map(realm).changesetPublisher(keyPaths: ["number"]), way) { described($0) }
            bench.subscribe(to: map(realm).collectionPublisher(keyPaths: ["flag"]), way) { map in
                "flag \(map["1"]!!.flag)"
            }
        }
        try await bench.notes.waitFor(2)
        try bench.write { $0.objects(CBItem.self).first!.number = 5 }
        try await bench.notes.waitFor(3)
        try bench.write { $0.objects(CBItem.self).first!.flag = true }
        try await bench.notes.waitFor(4)
        expectEqual(
            bench.notes.all.sorted(),
            lines(["1: -[] +[] ~[\"1\"]", "flag false", "flag true", "initial 1"], way)
        )
        bench.end()
    }

    @Test func `a write without notifying the saved token emits nothing`() async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in bench.subscribe(to: map(realm).collectionPublisher, .token) { "\($0.count)" } }
        try await bench.notes.waitFor(1)
        try bench.home.run { realm in
            try realm.write(withoutNotifying: [#require(bench.token)]) { PublisherBench.add(1, to: realm) }
        }
        try bench.add(2)
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all, ["0 at home", "2 at home"])
        bench.end()
    }
}
