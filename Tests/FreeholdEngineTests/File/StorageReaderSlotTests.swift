import Foundation
import Testing

@testable import FreeholdEngine

@Suite struct StorageReaderSlotTests {
    let folder = TemporaryFolder()

    @Test func fullReaderSlotsNameTheSetting() throws {
        let environment = try StorageEnvironment.open(path: folder.file(), options: .init(maximumReaders: 4))
        let slots = try #require(environment.info).maximumReaders
        var readers: [StorageReader] = []
        for _ in 0..<slots { readers.append(try environment.beginRead()) }
        let found = error { () throws(EngineError) in _ = try environment.beginRead() }
        #expect(found?.code == .readersFull)
        #expect(found?.message.contains("`maximumReaders`") == true)
        // Writing needs none.
        #expect(try environment.write { writer throws(EngineError) in try writer.put(1, 1, [1]) } == 1)
        readers.removeLast()
        let last = try environment.beginRead()
        #expect(last.version == 1)
    }

    @Test func pinnedVersionsAreListed() throws {
        let environment = try StorageEnvironment.open(path: folder.file())
        #expect(environment.readerList() == [])
        let old = try environment.beginRead()
        for byte in 1...3 {
            try environment.write { writer throws(EngineError) in try writer.put(1, 1, [UInt8(byte)]) }
        }
        let new = try environment.beginRead()
        let list = environment.readerList()
        #expect(list.map(\.version).sorted() == [0, 3])
        #expect(list.allSatisfy { $0.processIdentifier == getpid() })
        #expect(environment.clearStaleReaders() == 0)
        withExtendedLifetime((old, new)) {}
    }

    @Test func aPinnedReaderKeepsPagesFromBeingReused() throws {
        func growth(pinning: Bool) throws -> UInt64 {
            let environment = try StorageEnvironment.open(path: folder.file(pinning ? "a" : "b"))
            try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(0, 32000)) }
            let pinned = pinning ? try environment.beginRead() : nil
            for byte in 1...40 {
                try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(UInt8(byte), 32000)) }
            }
            if let pinned { #expect(pinned.bytes(1, 1) == bytes(0, 32000)) }
            return try #require(environment.info).pageCount
        }
        #expect(try growth(pinning: false) < 60)
        #expect(try growth(pinning: true) > 300)
    }

    @Test func readersOfOneVersionMayEndOnOtherThreads() async throws {
        let environment = try StorageEnvironment.open(path: folder.file())
        try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(7, 3000)) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                let reader = try? environment.beginRead()
                group.addTask { reader?.bytes(1, 1) == bytes(7, 3000) }
            }
            for await same in group { #expect(same) }
        }
        #expect(environment.readerList() == [])
    }

    /// Another environment on the same file stands for another process: LMDB can't tell, as long as none is closed.
    @Test func aMapResizedElsewhereIsFollowedOnceNothingIsPinned() throws {
        let path = folder.file()
        let small = try StorageEnvironment.open(path: path, options: .init(mapSize: 1 << 20))
        let large = try StorageEnvironment.open(path: path, options: .init(mapSize: 64 << 20))
        var pinned: StorageReader? = try small.beginRead()
        try large.write { writer throws(EngineError) in
            for number: UInt64 in 0..<1000 { try writer.put(1, number, bytes(3, 8000)) }
        }
        let found = error { () throws(EngineError) in _ = try small.beginRead() }
        #expect(found?.code == .mapResized)
        #expect(code { () throws(EngineError) in try small.write { _ in } } == .mapResized)
        #expect(pinned?.numbers(in: 1) == [])
        pinned = nil
        #expect(try small.beginRead().numbers(in: 1).count == 1000)
    }

    @Test func aMapResizedElsewhereIsFollowed() throws {
        let path = folder.file()
        let small = try StorageEnvironment.open(path: path, options: .init(mapSize: 1 << 20))
        let large = try StorageEnvironment.open(path: path, options: .init(mapSize: 64 << 20))
        try small.write { writer throws(EngineError) in try writer.put(2, 1, [1]) }
        try large.write { writer throws(EngineError) in
            for number: UInt64 in 0..<1000 { try writer.put(1, number, bytes(3, 8000)) }
        }
        #expect(try small.beginRead().bytes(1, 999) == bytes(3, 8000))
        try large.write { writer throws(EngineError) in
            for number: UInt64 in 1000..<6000 { try writer.put(1, number, bytes(4, 8000)) }
        }
        #expect(try small.write { writer throws(EngineError) in try writer.put(2, 1, [2]) } == 4)
        #expect(try large.beginRead().bytes(2, 1) == [2])
        #expect(try #require(small.info).mapSize >= 64 << 20)
    }
}
