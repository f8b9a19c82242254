import Foundation
import FreeholdTestModels
import RealmSwift
import TestExpectations
import Testing

@Suite("Publishers: realms")
struct RealmPublisherTests {
    @Test func `a realm reports its own commits at once`() throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            bench.keep(realm.objectWillChange.sink { bench.note("change") })
            try realm.write { PublisherBench.add(1, to: realm) }
            expectEqual(bench.notes.all, ["change at home"])
        }
        bench.end()
    }

    @Test(arguments: [true, false])
    func `a realm reports nothing for writes without notifying the saved token`(isFor: Bool) throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            let publisher = realm.objectWillChange
            bench.keep(
                (isFor ? publisher.saveToken(on: bench, for: \.token) : publisher.saveToken(on: bench, at: \.token))
                    .sink { bench.note("change") }
            )
            for id in 0..<10 {
                try realm.write(withoutNotifying: [#require(bench.token)]) { PublisherBench.add(id, to: realm) }
            }
            expect(bench.notes.all.isEmpty)
            try realm.write { PublisherBench.add(10, to: realm) }
            expectEqual(bench.notes.all, ["change at home"])
        }
        bench.end()
    }

    @Test func `a realm reports commits of other threads`() async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in bench.keep(realm.objectWillChange.sink { bench.note("change") }) }
        try writeElsewhere(bench.configuration) { PublisherBench.add(1, to: $0) }
        try await bench.notes.waitFor(1)
        expectEqual(bench.notes.all, ["change at home"])
        bench.end()
    }

    @Test @MainActor func `a realm of the main actor reports its commits and those of others`() async throws {
        let bench = try PublisherBench()
        let realm = try await Realm(configuration: bench.configuration, actor: MainActor.shared)
        let cancellable = realm.objectWillChange.sink { bench.notes.add("change") }
        try await realm.asyncWrite { PublisherBench.add(1, to: realm) }
        try await bench.notes.waitFor(1)
        try writeElsewhere(bench.configuration) { PublisherBench.add(2, to: $0) }
        try await bench.notes.waitFor(2)
        cancellable.cancel()
    }

    // MARK: Opening

    @Test func `a realm is opened for a queue, and belongs to it`() async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        bench.keep(
            Realm.asyncOpen(configuration: bench.configuration).receive(on: bench.receiving)
                .sink(receiveCompletion: { bench.noteEnd($0) }) { realm in
                    bench.note("\(realm.objects(CBItem.self).count)")
                }
        )
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all, ["1 at receiving", "finished at receiving"])
        bench.end()
    }

    @Test func `an error of an opening is the failure of the publisher`() async throws {
        let bench = try PublisherBench()
        var configuration = Realm.Configuration(
            fileURL: FileManager.default.temporaryDirectory.appendingPathComponent("missing-\(UUID())"),
            objectTypes: [CBItem.self, CBHub.self]
        )
        configuration.readOnly = true
        let codes = Notes()
        bench.keep(
            Realm.asyncOpen(configuration: configuration).receive(on: bench.receiving)
                .sink(
                    receiveCompletion: { completion in
                        if case .failure(let error as Realm.Error) = completion { codes.add("\(error.code)") }
                    },
                    receiveValue: { _ in codes.add("opened") }
                )
        )
        try await codes.waitFor(1)
        expectEqual(codes.all, ["fileNotFound"])
        bench.end()
    }

    @Test func `a cancelled opening delivers nothing`() async throws {
        let bench = try PublisherBench()
        bench.receiving.suspend()
        let cancellable = Realm.asyncOpen(configuration: bench.configuration).receive(on: bench.receiving)
            .sink(receiveCompletion: { bench.noteEnd($0) }) { _ in bench.note("opened") }
        try await bench.home.settle()
        cancellable.cancel()
        bench.receiving.resume()
        bench.receiving.sync {}
        expectEqual(bench.notes.all, [])
    }
}
