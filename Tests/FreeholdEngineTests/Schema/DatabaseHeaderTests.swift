import Foundation
import Testing
import TestScript

@testable import FreeholdEngine

struct `The header of a file` {
    private let folder = TemporaryFolder()

    private func decoded(_ bytes: [UInt8]) throws(EngineError) -> DatabaseHeader {
        try withUnsafeBytesOf(bytes) { (raw) throws(EngineError) in try DatabaseHeader.decode(raw, path: "a.realm") }
    }

    private var full: DatabaseHeader {
        var header = DatabaseHeader(clusterSpan: 40)
        header.requiredFeatures = .checksums
        header.optionalFeatures = 1 << 63 | 5
        header.unicode = .current
        return header
    }

    @Test func `a header is read as it was written`() throws {
        expectEqual(full.encoded().count, 96)
        try expectEqual(decoded(full.encoded()), full)
        var encrypted = full
        encrypted.encryption = .init(fileID: bytes(1, 16), code: bytes(2, 32))
        try expectEqual(decoded(encrypted.encoded()), encrypted)
        var old = DatabaseHeader(clusterSpan: 1000)
        old.formatVersion = 4
        expectEqual(old.encoded(), Catalogue.magic + [4, 0, 0, 0, 0xE8, 3, 0, 0, 0, 0, 0, 0])
        try expectEqual(decoded(old.encoded()), old)
    }

    @Test func `a header with a flipped bit is refused`() throws {
        let sound = full.encoded()
        for bit in 0..<sound.count * 8 {
            var damaged = sound
            damaged[bit >> 3] ^= 1 << UInt8(bit & 7)
            let code = code { () throws(EngineError) in _ = try decoded(damaged) }
            // A change of these bytes looks like another format.
            let isFormat = (8..<12).contains(bit >> 3)
            expect(code == .invalidDatabase || isFormat && code == .unsupportedFormat, "bit \(bit)")
        }
    }

    @Test func `a header may have a later version's bytes in its reserved space`() throws {
        var bytes = full.encoded()
        bytes[60] = 9
        expectEqual(code { () throws(EngineError) in _ = try decoded(bytes) }, .invalidDatabase)
        let checksum = bytes.withUnsafeBytes { raw in
            (0..<92).reduce(into: UInt32.max) { state, i in
                state ^= UInt32(raw[i])
                for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0x82F6_3B78 : state >> 1 }
            }
        }
        bytes.replaceSubrange(92..<96, with: withUnsafeBytes(of: (~checksum).littleEndian) { Array($0) })
        try expectEqual(decoded(bytes), full)
    }

    private static let unknown: [(FileFeatures, String)] = [
        (.journal, "know: a journal."), ([.journal, .hiddenColumns, .commitLog], "know: a journal, hidden columns."),
        (FileFeatures(rawValue: 1 << 17), "know: bit 17."), (FileFeatures(rawValue: 1 << 63 | 1), "know: bit 63."),
    ]

    @Test(arguments: unknown)
    func `a header with an unknown feature is refused, and the file isn't changed`(
        features: FileFeatures,
        message: String
    ) throws {
        let path = folder.file()
        var header = full
        header.requiredFeatures = features
        do {
            let storage = try EnvironmentRegistry.shared.open(path: path)
            try storage.environment.write { writer throws(EngineError) in try writer.put(0, 0, header.encoded()) }
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for isReadOnly in [false, true] {
            var options = Database.Options()
            options.readOnly = isReadOnly
            let error = error { () throws(EngineError) in _ = try Database.open(at: path, options: options) }
            expectEqual(error?.code, .unsupportedFormat)
            expectEqual(error?.message.contains(message), true, "\(error?.message ?? "")")
        }
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
    }

    @Test func `a header describes the features of a new file`() throws {
        let database = try Database.open(at: folder.file())
        expectEqual(database.core.header.formatVersion, 5)
        expectEqual(database.core.header.requiredFeatures, .checksums)
        expectEqual(database.core.header.unicode, .current)
        expect(UnicodeVersion.current.major >= 13)
        let memory = try Database.inMemory(identifier: UUID().uuidString)
        expectEqual(memory.core.header.requiredFeatures, [])
        var options = Database.Options()
        options.formatVersion = 4
        options.clusterSpan = 16
        let old = try Database.open(at: folder.file("old.realm"), options: options)
        expectEqual(old.core.header, .new(clusterSpan: 16, formatVersion: 4, isInMemory: false))
        expect(old.core.header.requiredFeatures == [] && old.core.header.unicode == .unknown)
    }

    @Test func `a header of format 4 opens a file of an older Freehold`() throws {
        let path = folder.file()
        try Format4File.write(to: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        var options = Database.Options()
        options.readOnly = true
        let database = try Database.open(at: path, options: options)
        let snapshot = try database.snapshot()
        expectEqual(database.core.header.formatVersion, 4)
        expectEqual(snapshot.verify(), [])
        expectEqual(State(snapshot), Format4File.state)
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
    }
}
