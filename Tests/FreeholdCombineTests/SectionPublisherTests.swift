import Foundation
import FreeholdTestModels
import RealmSwift
import TestExpectations
import Testing

@Suite("Publishers: sections")
struct SectionPublisherTests {
    private func described<C: RealmSectionedResult>(_ change: SectionedResultsChange<C>) -> String {
        switch change {
        case .initial(let sections): "initial \(sections.count)"
        case .update(let sections, let deletions, let insertions, let modifications, let new, let gone):
            "\(sections.count): -\(deletions.map(Array.init)) +\(insertions.map(Array.init)) "
                + "~\(modifications.map(Array.init)) sections -\(Array(gone)) +\(Array(new))"
        }
    }

    private func sections(_ kind: CollectionKind, _ realm: Realm) -> SectionedResults<Bool, CBItem> {
        func sections<C: RealmCollection<CBItem>>(_ collection: C) -> SectionedResults<Bool, CBItem> {
            collection.sectioned(by: { $0.number % 2 == 0 }, sortDescriptors: ["number"])
        }
        return sections(kind.of(realm))
    }

    @Test(arguments: CollectionKind.allCases)
    func `sections report their observation's begin and each change`(kind: CollectionKind) async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            bench.keep(sections(kind, realm).objectWillChange.sink { bench.note("change") })
        }
        try await bench.notes.waitFor(1)
        try bench.add(1)
        try await bench.notes.waitFor(2)
        expectEqual(bench.notes.all, ["change at home", "change at home"])
        bench.end()
    }

    @Test(arguments: CollectionKind.allCases, Way.allCases)
    func `a value publisher emits the sections at the place of its way`(kind: CollectionKind, way: Way) async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            bench.subscribe(to: sections(kind, realm).collectionPublisher, way) { sections in
                "\(sections.map { "\($0.key) \($0.count)" })"
            }
        }
        for id in 1...3 {
            try await bench.notes.waitFor(id)
            try bench.add(id)
        }
        try await bench.notes.waitFor(4)
        let texts = [
            "[]", #"["false 1"]"#, #"["false 1", "true 1"]"#, #"["false 2", "true 1"]"#,
        ]
        expectEqual(bench.notes.all, lines(texts, way))
        bench.end()
    }

    @Test(arguments: CollectionKind.allCases, Way.allCases)
    func `a changeset publisher emits the changes at the place of its way`(
        kind: CollectionKind,
        way: Way
    ) async throws {
        let bench = try PublisherBench()
        try bench.home.run { realm in
            bench.subscribe(toChanges: sections(kind, realm).changesetPublisher, way) { described($0) }
        }
        for id in 1...3 {
            try await bench.notes.waitFor(id)
            try bench.add(id)
        }
        try await bench.notes.waitFor(4)
        let texts = [
            "initial 0", "1: -[] +[[0, 0]] ~[] sections -[] +[0]", "2: -[] +[[1, 0]] ~[] sections -[] +[1]",
            "2: -[] +[[0, 1]] ~[] sections -[] +[]",
        ]
        expectEqual(bench.notes.all, lines(texts, way))
        bench.end()
    }

    @Test(arguments: [Way.direct, .subscribeOn, .receiveOn, .frozen])
    func `one section is published`(way: Way) async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in
            let section = sections(.results, realm)[0]
            bench.subscribe(to: section.collectionPublisher, way) { "\($0.count)" }
            bench.subscribe(toChanges: section.changesetPublisher, way) { described($0) }
        }
        try await bench.notes.waitFor(2)
        // The other section doesn't concern the subscribers.
        try bench.add(2)
        try bench.add(3)
        try await bench.notes.waitFor(4)
        expectEqual(
            bench.notes.all.sorted(),
            lines(["1", "2", "2: -[] +[[0, 1]] ~[] sections -[] +[]", "initial 1"], way)
        )
        bench.end()
    }

    @Test func `changes of properties outside the key paths aren't emitted`() async throws {
        let bench = try PublisherBench()
        try bench.add(1)
        try bench.home.run { realm in
            bench.subscribe(toChanges: sections(.results, realm).changesetPublisher(keyPaths: ["flag"]), .direct) {
                described($0)
            }
            bench.subscribe(to: sections(.results, realm).collectionPublisher(keyPaths: ["flag"]), .direct) {
                "\($0.count)"
            }
        }
        try await bench.notes.waitFor(2)
        try bench.write { $0.objects(CBItem.self).first!.number = 3 }
        try bench.write { $0.objects(CBItem.self).first!.flag = true }
        try await bench.notes.waitFor(4)
        expectEqual(
            bench.notes.all.sorted(),
            lines(["1", "1", "1: -[] +[] ~[[0, 0]] sections -[] +[]", "initial 1"], .direct)
        )
        bench.end()
    }
}
