import Foundation
import FreeholdEngine
import TestRealmFiles
import Testing

@testable import RealmFileReader

struct LargeValueTests {
    private func withFile(_ body: (RealmFile) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).realm")
        defer { try? FileManager.default.removeItem(at: url) }
        try SparseFixture.values.write(to: url.path)
        try body(RealmFile(path: url.path))
    }

    /// Realm stores data over 16 MiB in pieces, which only a list can contain.
    @Test func `data over 16 MiB is joined, and read in parts`() throws {
        try withFile { file in
            let item = file.requireClass("Huge")
            let blobs = try require(item.properties.first { $0.name == "blobs" })
            let sizes = SparseFixture.sizes
            var parts: [[Data]] = []
            try file.forEachCluster(of: item) { cluster in
                let collections = try cluster.collections(of: blobs)
                try cluster.forEachPart(of: blobs, at: 0, in: collections) { values in
                    parts.append(values.map { if case .data(let data) = $0 { data } else { Data() } })
                }
            }
            expectEqual(parts.map { $0.map(\.count) }, [[5, sizes.middle], [0, sizes.large]])
            expectEqual(parts.first?.first, Data("small".utf8))
            expectEqual(parts.first?.last, SparseFixture.value(sizes.middle))
            expectEqual(parts.last?.last, SparseFixture.value(sizes.large))
            let object = try require(try file.objects(of: item).first)
            let any = FixtureTable.list([.int(1), .data(SparseFixture.value(sizes.middle))])
            expectEqual(object.values["any"], any)
            expectEqual(object.values["largest"], .data(SparseFixture.value(sizes.largest)))
        }
    }

    @Test func `an encrypted copy ends behind its last page's bytes`() throws {
        let file = try RealmFixture.encryptedCopy.open()
        expect(file.isCopy && file.isEncrypted && file.formatVersion == 24 && file.schemaVersion == 1)
        let notes = try file.objects(of: file.requireClass("Note")).map(\.values)
        expectEqual(notes.map { $0["n"] }, (0..<400).map { .int($0) })
        expectEqual(notes.map { $0["text"] }, (0..<400).map { .string("note \($0)") })
    }
}
