import Foundation
import Freehold
import FreeholdEngine
import FreeholdImport
import TestRealmFiles
import Testing

struct LargeValueImportTests {
    @Test func `data of Realm's limit is stored whole, and larger elements are omitted and reported`() throws {
        try withFolder { folder in
            let source = folder.appendingPathComponent("old.realm")
            try SparseFixture.values.write(to: source.path)
            let url = folder.appendingPathComponent("new.realm")
            let report = try Realm.importRealmFile(at: source, to: Realm.Configuration(fileURL: url))
            expectEqual(report.classes.map(\.stored), [1])
            expectEqual(report.notes.map(\.kind), [.tooLarge, .tooLarge])
            expect(report.notes.map(\.property) == ["any", "blobs"] && report.notes.map(\.count) == [1, 2])
            try expectEqual(Realm.checkRealmFile(at: source).notes, report.notes)
            let snapshot = try Database.open(at: url.path).snapshot()
            let table = snapshot.requireTable("Huge")
            let values = snapshot.values(table, try require(snapshot.keys(table).first))
            let sizes = SparseFixture.sizes
            let blobs = [Data("small".utf8), Data(), Data(), Data()]
            expectEqual(values["blobs"], FixtureTable.list(blobs.map { .data($0) }))
            expectEqual(values["any"], FixtureTable.list([.int(1), .null]))
            expectEqual(values["largest"], .data(SparseFixture.value(sizes.largest)))
        }
    }

    @Test func `an encrypted copy is imported like any other file`() throws {
        try withFolder { folder in
            let (report, url) = try RealmFixture.encryptedCopy.imported(to: folder)
            expect(report.isEncrypted && report.classes.map(\.stored) == [400])
            let snapshot = try Database.open(at: url.path).snapshot()
            expect(snapshot.verify() == [] && snapshot.count(snapshot.requireTable("Note")) == 400)
        }
    }
}
