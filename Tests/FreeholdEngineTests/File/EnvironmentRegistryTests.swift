import Foundation
import Synchronization
import Testing

@testable import FreeholdEngine

struct EnvironmentRegistryTests {
    let folder = TemporaryFolder()
    let registry = EnvironmentRegistry()

    @Test func `a file has one environment, independent of its path`() throws {
        let path = folder.file()
        let first = try registry.open(path: path)
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let hard = folder.file("hard")
        try FileManager.default.linkItem(atPath: path, toPath: hard)
        for name in [path, link, hard, folder.path + "/./test.realm"] {
            expect(try registry.open(path: name).environment === first.environment)
        }
        let other = try registry.open(path: folder.file("other.realm"))
        expect(other.environment !== first.environment)
    }

    @Test func `the last use closes the environment, and readers keep it open`() throws {
        let path = folder.file()
        var lease: EnvironmentLease? = try registry.open(path: path)
        var second: EnvironmentLease? = try registry.open(path: path)
        let environment = try require(lease?.environment)
        lease = nil
        expect(environment.isOpen)
        var reader: StorageReader? = try environment.beginRead()
        withExtendedLifetime(second) {}
        second = nil
        expect(environment.isOpen && registry.isOpen(path: path))
        // If it is opened in the meantime, it is the same environment, and stays open.
        lease = try registry.open(path: path)
        expect(lease?.environment === environment)
        withExtendedLifetime(reader) {}
        reader = nil
        expect(environment.isOpen)
        lease = nil
        expect(!environment.isOpen && !registry.isOpen(path: path))
        lease = try registry.open(path: path)
        reader = try lease?.environment.beginRead()
        lease = nil
        expect(registry.isOpen(path: path))
        withExtendedLifetime(reader) {}
        reader = nil
        expect(!registry.isOpen(path: path))
    }

    @Test func `other settings are refused`() throws {
        let path = folder.file()
        let lease = try registry.open(path: path)
        expectEqual(
            code { () throws(EngineError) in _ = try registry.open(path: path, options: .init(readOnly: true)) },
            .invalidArgument
        )
        withExtendedLifetime(lease) {}
    }

    @Test func `a replaced file is refused while the old one is open`() throws {
        let path = folder.file()
        var lease: EnvironmentLease? = try registry.open(path: path)
        try FileManager.default.removeItem(atPath: path)
        expectEqual(code { () throws(EngineError) in _ = try registry.open(path: path) }, .invalidArgument)
        withExtendedLifetime(lease) {}
        lease = nil
        _ = try registry.open(path: path)
    }

    @Test func `a refused file leaves no environment`() throws {
        let path = folder.file()
        try Data(repeating: 7, count: 10000).write(to: URL(fileURLWithPath: path))
        for _ in 0..<2 {
            expectEqual(code { () throws(EngineError) in _ = try registry.open(path: path) }, .invalidDatabase)
        }
        try FileManager.default.removeItem(atPath: path)
        _ = try registry.open(path: path)
    }

    @Test func `opening and closing may happen at the same time`() async throws {
        let path = folder.file()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number: UInt64 in 0..<8 {
                group.addTask {
                    for round: UInt8 in 0..<20 {
                        let lease = try registry.open(path: path)
                        try await lease.environment.writerLock.acquireAsync()
                        try lease.environment.write { writer throws(EngineError) in try writer.put(1, number, [round]) }
                        lease.environment.writerLock.release()
                        let reader = try lease.environment.beginRead()
                        expectEqual(reader.bytes(1, number), [round])
                    }
                }
            }
            try await group.waitForAll()
        }
        expect(!registry.isOpen(path: path))
        try expectEqual(registry.open(path: path).environment.lastVersion, 160)
    }

    @Test func `memory databases are shared by name and end with their last use`() throws {
        var one: EnvironmentLease? = try registry.openInMemory(identifier: "a")
        let path = try require(one?.environment.path)
        try one?.environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(5, 20000)) }
        expect(try registry.openInMemory(identifier: "a").environment === one?.environment)
        let other = try registry.openInMemory(identifier: "b")
        expect(try other.environment.beginRead().bytes(1, 1) == nil)
        try expectEqual(one?.environment.beginRead().bytes(1, 1), bytes(5, 20000))
        expect(!FileManager.default.fileExists(atPath: path))
        expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
        one = nil
        let fresh = try registry.openInMemory(identifier: "a")
        expect(try fresh.environment.beginRead().bytes(1, 1) == nil)
    }

    @Test func `the layer above keeps one object per environment`() throws {
        final class Shared: Sendable {}
        let path = folder.file()
        let lease = try registry.open(path: path)
        let one = lease.environment.attachment { Shared() }
        expect(try registry.open(path: path).environment.attachment { Shared() } === one)
    }
}
