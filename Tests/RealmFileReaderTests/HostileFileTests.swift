import Foundation
import FreeholdEngine
import RealmFileReader
import Testing

@Suite struct HostileFileTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["FREEHOLD_SOAK"] == nil ? 150 : 1_000_000 / 3

    /// Reads all that can be reached: that ends, or throws the reader's error.
    private func readAll(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        do {
            let file = try RealmFile(path: path)
            for item in file.classes { _ = try file.objects(of: item) }
        } catch is RealmFileError {}
    }

    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("hostile.realm").path)
    }

    @Test(arguments: [FixtureFile.format22, .format24, .copy])
    func `changed bits and references, and cut files, are errors or other values`(_ fixture: FixtureFile) throws {
        let seed = Self.environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("FREEHOLD_SEED=\(seed)")
        var random = SeededRandom(seed)
        let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
        // Where references are likely to be: numbers that are multiples of eight and lie in the file.
        try withFile { path in
            for round in 0..<Self.rounds {
                var bytes = original
                switch round % 4 {
                case 0:
                    for _ in 0...Int.random(in: 0..<8, using: &random) {
                        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                            1 << UInt8.random(in: 0..<8, using: &random)
                    }
                case 1:
                    let place = Int.random(in: 3..<(bytes.count / 8), using: &random) * 8
                    let target = UInt32(Int.random(in: 0..<(bytes.count / 8), using: &random) * 8)
                    withUnsafeBytes(of: target.littleEndian) { bytes.replaceSubrange(place..<(place + 4), with: $0) }
                case 2:
                    // An array's header: its flags, width and count.
                    let place = Int.random(in: 3..<(bytes.count / 8), using: &random) * 8
                    for i in 4..<8 where Bool.random(using: &random) {
                        bytes[place + i] = UInt8.random(in: 0 ... .max, using: &random)
                    }
                default: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
                }
                try readAll(bytes, path)
            }
        }
    }

    @Test(arguments: [2, 6, 9, 25])
    func `a format that isn't known is named, with what to do`(_ format: Int) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: FixtureFile.format24.path)))
        bytes[20] = UInt8(format)
        bytes[21] = UInt8(format)
        try withFile { path in
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: RealmFileError.self) { try RealmFile(path: path) }
            #expect(error?.code == .unsupportedFormat)
            #expect(error?.formatVersion == format)
            #expect(error?.message.contains("\(format)") == true)
        }
    }

    @Test func `what is no Realm file, or isn't there, is told`() throws {
        try withFile { path in
            #expect(#expect(throws: RealmFileError.self) { try RealmFile(path: path) }?.code == .fileNotFound)
            try Data("not a database at all, but long enough".utf8).write(to: URL(fileURLWithPath: path))
            #expect(#expect(throws: RealmFileError.self) { try RealmFile(path: path) }?.code == .notARealmFile)
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(#expect(throws: RealmFileError.self) { try RealmFile(path: path) }?.code == .notARealmFile)
        }
    }

    @Test func `a file in which nothing was stored has no classes`() throws {
        try withFile { path in
            var bytes = [UInt8](repeating: 0, count: 4096)
            bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            #expect(try RealmFile(path: path).classes.isEmpty)
        }
    }
}

/// SplitMix64.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
