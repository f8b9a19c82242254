import Foundation
import Freehold
import FreeholdEngine
import RealmFileReader
import TestRealmFiles
import Testing

@testable import FreeholdImport

struct ImportPartsTests {
    /// The whole content of a file, by class and key.
    private func contents(_ snapshot: Snapshot) -> [String: [Int64: [String: Value]]] {
        var contents: [String: [Int64: [String: Value]]] = [:]
        for table in snapshot.schema.tables {
            contents[table.name] = Dictionary(
                uniqueKeysWithValues: snapshot.keys(table).map { ($0.raw, snapshot.values(table, $0)) }
            )
        }
        return contents
    }

    @Test(arguments: RealmFixture.tables)
    func `an import in many parts has the same result as one in a single part`(_ fixture: RealmFixture) throws {
        try withFolder { folder in
            func imported(_ name: String, memory: Int) throws -> (parts: Int, RealmImportReport, Snapshot) {
                var options = Database.Options()
                options.memoryBudget = memory
                let path = folder.appendingPathComponent(name).path
                let file = try RealmFile(path: fixture.url.path, key: fixture.keyData.map { Array($0) })
                let work = RealmImport(file, nil, scratch: ScratchFile(in: folder))
                work.runsInBlock = 2
                work.runsInMemory = memory == 1 ? 0 : 65_536
                let report = try work.run(to: path, options)
                return (work.parts, report, try Database.open(at: path).snapshot())
            }
            let whole = try imported("whole", memory: 64 << 20)
            let parts = try imported("parts", memory: 1)
            expectEqual(whole.parts, 1)
            expect(parts.parts > 3)
            // LMDB's transactions: more than those of the import.
            expect(whole.2.version < 3 && parts.2.version > UInt64(parts.parts))
            expectEqual(parts.1, whole.1)
            expectEqual(contents(parts.2), contents(whole.2))
            expectEqual(parts.2.verify(), [])
        }
    }
}
