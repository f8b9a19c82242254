import Foundation
import FreeholdTestModels
import RealmSwift
import TestExpectations
import Testing

/// The two kinds of values that stand for one object.
enum ObjectKind: CaseIterable {
    case object, projection
}

@Suite("Publishers: objects and projections")
struct ObjectPublisherTests {
    private func item(_ realm: Realm) -> CBItem { realm.object(ofType: CBItem.self, forPrimaryKey: 1)! }

    private func described(_ change: ObjectChange<CBItem>) -> String {
        guard case .change(let item, let properties) = change else { return "\(change)" }
        return "\(item.number) " + properties.map { "\($0.name) \($0.newValue ?? "nil")" }.joined(separator: ", ")
    }

    private func described(_ change: ObjectChange<CBProjection>) -> String {
        guard case .change(let item, let properties) = change else { return "\(change)" }
        return "\(item.value) " + properties.map { "\($0.name) \($0.newValue ?? "nil")" }.joined(separator: ", ")
    }

    @Test func `an object reports each change and its deletion`() async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in bench.keep(item(realm).objectWillChange.sink { bench.note("change") }) }
        try bench.write { item($0).number = 2 }
        try await bench.notes.waitFor(1)
        try bench.write { $0.delete(item($0)) }
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all, ["change at home", "change at home"])
        bench.end()
    }

    @Test func `an embedded object and a projection report each change`() async throws {
        let bench = try PublisherBench()
        try bench.write { realm in
            let whole = realm.create(CBWhole.self)
            whole.part = CBPart()
            PublisherBench.add(1, to: realm)
        }
        try bench.home.run { realm in
            let part = realm.objects(CBWhole.self).first!.part!
            bench.keep(part.objectWillChange.saveToken(on: bench, at: \.token).sink { bench.note("part") })
            bench.keep(CBProjection(projecting: item(realm)).objectWillChange.sink { bench.note("projection") })
        }
        #expect(bench.token != nil)
        try bench.write { $0.objects(CBWhole.self).first!.part!.name = "a" }
        try await bench.notes.waitFor(1)
        // Not a projected property.
        try bench.write { item($0).flag = true }
        try bench.write { item($0).number = 5 }
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all, ["part at home", "projection at home"])
        bench.end()
    }

    @Test(arguments: ObjectKind.allCases, Way.allCases)
    func `a value publisher emits the value at the place of its way, and finishes at the deletion`(
        kind: ObjectKind,
        way: Way
    ) async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in
            switch kind {
            case .object: bench.subscribe(to: valuePublisher(item(realm)), way) { "\($0.number)" }
            case .projection:
                bench.subscribe(to: valuePublisher(CBProjection(projecting: item(realm))), way) { "\($0.value)" }
            }
        }
        for number in 2...11 {
            try bench.write { item($0).number = number }
            try await bench.notes.waitFor(number - 1)
        }
        try bench.write { $0.delete(item($0)) }
        try await bench.notes.waitFor(11)
        expectEqual(bench.notes.all, lines((2...11).map { "\($0)" } + ["finished"], way))
        bench.end()
    }

    @Test(arguments: ObjectKind.allCases, Way.allCases)
    func `a changeset publisher emits the properties at the place of its way`(
        kind: ObjectKind,
        way: Way
    ) async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in
            switch kind {
            case .object: bench.subscribe(toChanges: changesetPublisher(item(realm)), way) { described($0) }
            case .projection:
                let projection = CBProjection(projecting: item(realm))
                bench.subscribe(toChanges: changesetPublisher(projection), way) { described($0) }
            }
        }
        for number in 2...4 {
            try bench.write { item($0).number = number }
            try await bench.notes.waitFor(number - 1)
        }
        try bench.write { $0.delete(item($0)) }
        try await bench.notes.waitFor(4)
        let name = kind == .object ? "number" : "value"
        expectEqual(bench.notes.all, lines((2...4).map { "\($0) \(name) \($0)" } + ["finished"], way))
        bench.end()
    }

    @Test(arguments: [Way.direct, .subscribeOn, .receiveOn])
    func `changes of properties outside the key paths aren't emitted`(way: Way) async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in
            bench.subscribe(toChanges: changesetPublisher(item(realm), keyPaths: ["number"]), way) { described($0) }
            bench.subscribe(to: valuePublisher(item(realm), keyPaths: ["number"]), way) { "\($0.number)" }
        }
        try bench.write { item($0).flag = true }
        try bench.write { item($0).number = 2 }
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all.sorted(), lines(["2", "2 number 2"], way))
        bench.end()
    }

    @Test func `objects among the values of a handed-over change are frozen`() async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in
            bench.subscribe(toChanges: changesetPublisher(item(realm)), .receiveOn) { change in
                guard case .change(_, let properties) = change else { return "\(change)" }
                let hub = properties[0].newValue as? CBHub
                return "\(properties[0].name) \(hub?.isFrozen == true) \(hub?.items.count ?? -1)"
            }
        }
        try bench.write { item($0).hub = item($0).hub }
        try await bench.notes.waitFor(1)
        expectEqual(bench.notes.all, ["hub true 1 at receiving"])
        bench.end()
    }

    @Test func `a value that was deleted on its way isn't emitted`() async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.add(2)
        bench.receiving.suspend()
        try bench.home.run { realm in
            bench.subscribe(to: valuePublisher(item(realm)), .receiveOn) { "\($0.number)" }
        }
        try bench.write { item($0).number = 2 }
        try await bench.home.settle()
        try bench.write { $0.delete(item($0)) }
        // The realm of the receiving queue moves to the version without the object.
        let configuration = bench.configuration
        let kept = Kept()
        bench.receiving.async {
            let realm = try! Realm(configuration: configuration, queue: bench.receiving)
            realm.refresh()
            kept.realm = realm
        }
        bench.receiving.resume()
        try await bench.notes.waitFor(1)
        let end = "finished at receiving"
        try await bench.notes.waitFor(bench.notes.all.first == end ? 1 : 2)
        expect([[end], ["2 at receiving", end]].contains(bench.notes.all))
        bench.receiving.sync { kept.realm = nil }
        bench.end()
    }

    private final class Kept: @unchecked Sendable { var realm: Realm? }

    // MARK: Unmanaged objects

    @Test func `an unmanaged object reports assignments, and changes after it was added`() async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            let item = CBItem(value: ["id": 1])
            bench.keep(item.objectWillChange.sink { bench.note("\(item.number)") })
            item.number = 1
            item["number"] = 2
            item.hub = nil
            try realm.write { realm.add(item) }
            try realm.write { item.number = 3 }
        }
        try await bench.notes.waitFor(4)
        expectEqual(bench.notes.all, ["1 at home", "2 at home", "2 at home", "3 at home"])
        bench.end()
    }

    @Test func `an unmanaged object that was added in a write without a commit reports nothing further`() async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            let item = CBItem(value: ["id": 1])
            bench.keep(item.objectWillChange.sink { bench.note("change") })
            realm.beginWrite()
            realm.add(item)
            realm.cancelWrite()
            #expect(item.isInvalidated)
            try realm.write { PublisherBench.add(2, to: realm) }
        }
        try await bench.home.settle()
        expectEqual(bench.notes.all, [])
        bench.end()
    }

    @Test func `cancelling ends the observation of an unmanaged object`() throws {
        let bench = try PublisherBench()
        let item = CBItem()
        let cancellable = item.objectWillChange.sink { bench.note("change") }
        item.number = 1
        cancellable.cancel()
        item.number = 2
        expectEqual(bench.notes.all.count, 1)
    }

    @Test func `mixed values pass a thread-safe reference as they are`() async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in
            let managed = item(realm)
            let items = [CBItem(value: ["id": 7]), managed.freeze(), managed]
            bench.keep(
                items.publisher.threadSafeReference().receive(on: bench.receiving)
                    .sink(receiveCompletion: { bench.noteEnd($0) }) { item in
                        bench.note("\(item.id) \(item.realm != nil) \(item.isFrozen)")
                    }
            )
        }
        try await bench.notes.waitFor(4)
        expectEqual(
            bench.notes.all,
            ["7 false false", "1 true true", "1 true false", "finished"].map { "\($0) at receiving" }
        )
        bench.end()
    }
}
