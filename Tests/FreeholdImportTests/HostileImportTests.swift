import Foundation
import Freehold
import FreeholdEngine
import FreeholdImport
import TestRandom
import TestRealmFiles
import Testing

struct HostileImportTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["FREEHOLD_SOAK"] == nil ? 15 : 2_000

    @Test(arguments: [RealmFixture.format22, .format24, .copy])
    func `a damaged file is an error that leaves nothing, or makes a sound file`(_ fixture: RealmFixture) throws {
        let seed = Self.environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? TestSeed.random(in: 0 ... .max)
        print("FREEHOLD_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let original = try fixture.bytes()
        for round in 0..<Self.rounds {
            try withFolder { folder in
                let (source, url) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("new.realm"))
                try Data(FileMutation.random(original, round, &random)).write(to: source)
                do {
                    try Realm.importRealmFile(at: source, to: Realm.Configuration(fileURL: url))
                    try expectEqual(Database.open(at: url.path).snapshot().verify(), [])
                } catch is Realm.Error {
                    expectEqual(names(in: folder), ["a"])
                }
            }
        }
    }
}
