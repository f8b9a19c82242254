import Foundation
import FreeholdEngine
import RealmFileReader
import TestRandom
import TestRealmFiles
import Testing

struct HostileFileTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["FREEHOLD_SOAK"] == nil ? 150 : 1_000_000 / 5

    /// Reads all that can be reached: that ends, or throws the reader's error.
    private func readAll(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        do {
            try RealmFile(path: path).readAll()
        } catch is RealmFileError {}
    }

    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("hostile.realm").path)
    }

    @Test(arguments: [
        RealmFixture.format11, .format22, .format24, .copy, .synchronized, .synchronized21, .cases22, .cases24,
    ])
    func `changed bits and references, and cut files, are errors or other values`(_ fixture: RealmFixture) throws {
        let seed = Self.environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? TestSeed.random(in: 0 ... .max)
        print("FREEHOLD_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let original = try fixture.bytes()
        try withFile { path in
            for round in 0..<Self.rounds {
                try readAll(FileMutation.random(original, round, &random), path)
            }
        }
    }

    @Test(arguments: [2, 6, 9, 25])
    func `an unknown format is named, with the remedy`(_ format: Int) throws {
        var bytes = try RealmFixture.format24.bytes()
        bytes[20] = UInt8(format)
        bytes[21] = UInt8(format)
        try withFile { path in
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: RealmFileError.self) { try RealmFile(path: path) }
            expectEqual(error?.code, .unsupportedFormat)
            expectEqual(error?.formatVersion, format)
            expectEqual(error?.message.contains("\(format)"), true)
        }
    }

    @Test func `a missing file and a file of another kind are errors`() throws {
        try withFile { path in
            expectEqual(#expect(throws: RealmFileError.self) { try RealmFile(path: path) }?.code, .fileNotFound)
            try Data("not a database at all, but long enough".utf8).write(to: URL(fileURLWithPath: path))
            expectEqual(#expect(throws: RealmFileError.self) { try RealmFile(path: path) }?.code, .notARealmFile)
            try Data().write(to: URL(fileURLWithPath: path))
            expectEqual(#expect(throws: RealmFileError.self) { try RealmFile(path: path) }?.code, .notARealmFile)
        }
    }

    @Test func `an empty file has no classes`() throws {
        try withFile { path in
            var bytes = [UInt8](repeating: 0, count: 4096)
            bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            expect(try RealmFile(path: path).classes.isEmpty)
        }
    }
}
