import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

struct StorageReaderSlotTests {
    let folder = TemporaryFolder()

    @Test func `full reader slots name the setting`() throws {
        let environment = try StorageEnvironment.open(path: folder.file(), options: .init(maximumReaders: 4))
        let slots = try require(environment.info).maximumReaders
        var readers: [StorageReader] = []
        for _ in 0..<slots { readers.append(try environment.beginRead()) }
        let found = error { () throws(EngineError) in _ = try environment.beginRead() }
        expectEqual(found?.code, .readersFull)
        expectEqual(found?.message.contains("`maximumReaders`"), true)
        // Writing needs none.
        try expectEqual(environment.write { writer throws(EngineError) in try writer.put(1, 1, [1]) }, 1)
        readers.removeLast()
        let last = try environment.beginRead()
        expectEqual(last.version, 1)
    }

    @Test func `pinned versions are listed`() throws {
        let environment = try StorageEnvironment.open(path: folder.file())
        expectEqual(environment.readerList(), [])
        let old = try environment.beginRead()
        for byte in 1...3 {
            try environment.write { writer throws(EngineError) in try writer.put(1, 1, [UInt8(byte)]) }
        }
        let new = try environment.beginRead()
        let list = environment.readerList()
        expectEqual(list.map(\.version).sorted(), [0, 3])
        expect(list.allSatisfy { $0.processIdentifier == getpid() })
        expectEqual(environment.clearStaleReaders(), 0)
        withExtendedLifetime((old, new)) {}
    }

    @Test func `a pinned reader keeps pages from being reused`() throws {
        func growth(pinning: Bool) throws -> UInt64 {
            let environment = try StorageEnvironment.open(path: folder.file(pinning ? "a" : "b"))
            try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(0, 32000)) }
            let pinned = pinning ? try environment.beginRead() : nil
            for byte in 1...40 {
                try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(UInt8(byte), 32000)) }
            }
            if let pinned { expectEqual(pinned.bytes(1, 1), bytes(0, 32000)) }
            return try require(environment.info).pageCount
        }
        expect(try growth(pinning: false) < 60)
        expect(try growth(pinning: true) > 300)
    }

    @Test func `readers of one version may end on other threads`() async throws {
        let environment = try StorageEnvironment.open(path: folder.file())
        try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(7, 3000)) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                let reader = try? environment.beginRead()
                group.addTask { reader?.bytes(1, 1) == bytes(7, 3000) }
            }
            for await same in group { expect(same) }
        }
        expectEqual(environment.readerList(), [])
    }

    /// Another process makes the file grow past a map of a megabyte, because a third holds a version.
    private func growElsewhere(_ path: String) throws {
        let pin = try ChildProcess(["pin", path])
        expectEqual(pin.readLine()?.hasPrefix("pinned"), true)
        let writer = try ChildProcess(["transactions", path, "4", "100"])
        expectEqual(writer.readLines().last, "100")
        expectEqual(writer.wait(), 0)
    }

    private func openSmall(_ path: String) throws -> Database {
        var options = Database.Options()
        options.mapSize = 1 << 20
        return try Database.open(at: path, options: options)
    }

    @Test func `a map that another process resized is adopted once nothing is pinned`() throws {
        let path = folder.file()
        let database = try openSmall(path)
        var pinned: Snapshot? = try database.snapshot()
        let version = database.lastVersion
        try growElsewhere(path)
        for _ in 0..<2 {
            expectEqual(code { () throws(EngineError) in _ = try database.snapshot() }, .mapResized)
            expectEqual(code { () throws(EngineError) in _ = try database.beginWrite() }, .mapResized)
        }
        expect(pinned?.version == version && pinned?.verify() == [])
        pinned = nil
        expectEqual(State(try database.snapshot()).transaction, 100)
    }

    @Test func `a map that another process resized is adopted`() throws {
        let path = folder.file()
        let database = try openSmall(path)
        _ = try database.snapshot()
        try growElsewhere(path)
        let transaction = try database.beginWrite()
        expectEqual(State(transaction).transaction, 100)
        transaction.cancel()
        expect(try require(database.core.storage.info).mapSize > 1 << 20)
        try expectEqual(database.snapshot().verify(), [])
    }

    @Test func `later writers remove the readers of a killed process`() throws {
        let path = folder.file()
        let database = try Database.open(at: path)
        let killed = try ChildProcess(["pin", path])
        expectEqual(killed.readLine()?.hasPrefix("pinned"), true)
        func write(_ count: Int) throws {
            for i in 0..<count {
                let transaction = try database.beginWrite()
                try transaction.applySchema(
                    [TableSpec("Counter", columns: [ColumnSpec("number", .int)])],
                    userVersion: UInt64(database.lastVersion) + UInt64(i)
                )
                _ = try transaction.commit()
            }
        }
        try write(40)
        expect(database.readers().contains { $0.processIdentifier == killed.identifier })
        killed.kill()
        killed.wait()
        try write(16)
        expect(!database.readers().contains { $0.processIdentifier == killed.identifier })
        let size = try database.fileUse().total
        try write(200)
        expect(try database.fileUse().total <= size + 1 << 20)
    }
}
