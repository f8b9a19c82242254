import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdSync
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Files whose hidden state is damaged, by accident or by an attacker.
struct FileDamageTests {
    /// A file with pending work of all kinds, created by the worlds.
    private func file(_ seed: UInt64, _ folder: TemporaryFolder) throws -> Database {
        var random = SeededRandom(seed: seed)
        let database = try Database.open(at: folder.path + "/client.realm")
        let write = try database.beginWrite()
        try write.applySchema(AppWriter.schema)
        _ = try write.commit()
        var store = try FileClientStore(database)
        var generator = EditGenerator()
        generator.fitsFiles = true
        _ = try store.perform(
            .subscribe([ClassQuery(className: "Thing", condition: "TRUEPREDICATE")]),
            now: 0,
            random: &random
        )
        let objects = (1...3 as ClosedRange<Int64>).map { key in
            let list = ConfirmedContent.list([ElementRun(made: nil, isFalling: false, [.value(1), .value(2)])])
            return ObjectUpdate(.int(key), .whole(version: 2, born: 1, [ConfirmedField("list", list)]))
        }
        let batch = ClassBatch(className: "Thing", objects: objects)
        _ = try store.perform(
            .takeInChunk(BootstrapChunk(classes: [batch], covers: [], position: .start)),
            now: 0,
            random: &random
        )
        for _ in 0..<20 {
            let edits = generator.transaction(on: FileClient.contents(try database.snapshot()), &random)
            let app = try database.beginWrite()
            for edit in edits { try AppWriter(write: app).perform(edit) }
            _ = try app.commit()
            _ = try store.perform(.collect(after: 0, bytes: 10_000), now: 0, random: &random)
        }
        try store.transact { try $0.keep(.misplaced([.delete(ObjectName("Thing", 1), .edit)])) }
        return database
    }

    /// The rows of bytes that sync keeps.
    private func bodies(_ write: WriteTransaction) throws -> [(column: Column, row: ObjectKey, bytes: [UInt8])] {
        let tables = try FileTables(write, classes: nil)
        var bodies: [(column: Column, row: ObjectKey, bytes: [UInt8])] = []
        for table in [tables.values, tables.shadows, tables.commits, tables.lost] {
            let column = table.column(named: "body")!
            for row in write.keys(table) {
                if case .data(let data) = write.value(column, row) { bodies.append((column, row, [UInt8](data))) }
            }
        }
        return bodies
    }

    private func useAll(_ database: Database, _ random: inout SeededRandom) throws {
        var store = try FileClientStore(database)
        let first = try store.perform(.describe, now: 0, random: &random)
        guard case .described(let file) = first else { return }
        _ = try store.perform(.collect(after: file.state.acknowledged, bytes: 1 << 20), now: 0, random: &random)
        let count = Int(min(file.state.lastCommit - file.state.acknowledged, 50))
        let versions = (0..<count).map { StreamVersion(100 + $0) }
        let ack = Ack(first: file.state.acknowledged + 1, versions: versions, clock: .zero)
        _ = try store.perform(.acknowledge(ack), now: 0, random: &random)
        let objects = (1...4 as ClosedRange<Int64>).map { ObjectUpdate(.int($0), .whole(version: 200, born: 1, [])) }
        let batch = ClassBatch(className: "Thing", objects: objects)
        _ = try store.perform(
            .takeInChunk(BootstrapChunk(classes: [batch], covers: [KeyRange(className: "Thing")], position: .start)),
            now: 0,
            random: &random
        )
        _ = try store.takeLost()
    }

    @Test func `damaged state is refused with an error of its own, and never traps`() throws {
        var random = SeededRandom(seed: 5)
        let folder = try TemporaryFolder()
        let database = try file(1, folder)
        let count = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 150 : 20_000
        var refused = 0
        for round in 0..<count {
            let path = folder.path + "/damaged-\(round).realm"
            try database.snapshot().copy(to: path)
            defer {
                try? FileManager.default.removeItem(atPath: path)
                try? FileManager.default.removeItem(atPath: path + ".lock")
            }
            let damaged = try Database.open(at: path)
            let write = try damaged.beginWrite()
            write.origin = .applier(1)
            let body = try bodies(write).randomElement(using: &random)!
            var bytes = body.bytes
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 1:
                bytes.insert(
                    UInt8.random(in: 0...255, using: &random),
                    at: bytes.indices.randomElement(using: &random)!
                )
            default:
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
                    bytes[bytes.indices.randomElement(using: &random)!] = values.randomElement(using: &random)!
                }
            }
            try write.set(body.column, body.row, to: .data(Data(bytes)))
            _ = try write.commit()
            do { try useAll(damaged, &random) } catch is SyncFileError { refused += 1 } catch let error as StoreTrouble
            {
                // It names the object.
                if error.error is SyncFileError { refused += 1 } else if !(error.error is EngineError) { throw error }
            } catch is EngineError {}
        }
        expect(refused > count / 10)
    }
}
