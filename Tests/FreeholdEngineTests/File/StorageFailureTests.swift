import CFreeholdLMDB
import Foundation
import Synchronization
import Testing

@testable import FreeholdEngine

struct StorageFailureTests {
    let folder = TemporaryFolder()

    private func open(_ faults: FaultInjector) throws -> StorageEnvironment {
        let environment = try StorageEnvironment.open(path: folder.file(), options: .init(faults: faults))
        try environment.write { writer throws(EngineError) in try writer.put(1, 1, [1]) }
        return environment
    }

    @Test(arguments: [ENOSPC, EDQUOT, EFBIG], [FaultInjector.Operation.put, .extend, .commit])
    func `a full device loses nothing, and writing continues`(number: Int32, operation: FaultInjector.Operation) throws
    {
        let faults = FaultInjector { _ in 0 }
        let environment = try open(faults)
        let reader = try environment.beginRead()
        faults.set { $0 == operation ? number : 0 }
        let found = error { () throws(EngineError) in
            try environment.write { writer throws(EngineError) in
                for number: UInt64 in 1..<50 { try writer.put(1, number, bytes(2, 5000)) }
            }
        }
        expectEqual(found?.code, .outOfDiskSpace)
        expectEqual(found?.underlying, number)
        expectEqual(environment.lastVersion, 1)
        expectEqual(reader.bytes(1, 1), [1])
        faults.set { _ in 0 }
        try expectEqual(environment.write { writer throws(EngineError) in try writer.put(1, 2, [2]) }, 2)
        try expectEqual(environment.beginRead().bytes(1, 1), [1])
    }

    /// Commits run on the caller's thread, to which the system would send SIGXFSZ.
    @Test(arguments: [false, true])
    func `a commit beyond the limit of file sizes is refused, and the process continues`(withLog: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [withLog] in
            let folder = TemporaryFolder()
            var options = Database.Options()
            options.commitLog = withLog
            let database = try Database.open(at: folder.file(), options: options)
            @Sendable func write(_ count: Int) throws -> Snapshot {
                let transaction = try database.beginWrite()
                try transaction.applySchema([TableSpec("T", columns: [ColumnSpec("text", .string)])])
                let table = transaction.schema.table(named: "T")!
                for i in 0..<count {
                    let key = try transaction.create(table)
                    try transaction.set(table.columns[0], key, to: .string(String(repeating: "\(i) ", count: 200)))
                }
                return try transaction.commit()
            }
            _ = try write(10)
            var limit = rlimit()
            #if canImport(Glibc)
                let resource = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
            #else
                let resource = RLIMIT_FSIZE
            #endif
            getrlimit(resource, &limit)
            limit.rlim_cur = 10 << 20
            setrlimit(resource, &limit)
            Thread.detachNewThread {
                // Threads of Dispatch, and whom they start, have all signals blocked.
                var limits = sigset_t()
                sigemptyset(&limits)
                sigaddset(&limits, SIGXFSZ)
                pthread_sigmask(SIG_UNBLOCK, &limits, nil)
                let found = error { () throws(EngineError) in
                    do { _ = try write(30_000) } catch let error as EngineError { throw error } catch {}
                }
                var pending = sigset_t()
                sigpending(&pending)
                var mask = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                let isRight =
                    found?.code == .outOfDiskSpace && sigismember(&pending, SIGXFSZ) == 0
                    && sigismember(&mask, SIGXFSZ) == 0
                guard isRight, let after = try? write(10) else { exit(1) }
                exit(after.count(after.schema.table(named: "T")!) == 20 ? 0 : 2)
            }
            while true { pause() }
        }
    }

    @Test func `reads continue after an I/O error, and writes need a reopening`() throws {
        let faults = FaultInjector { _ in 0 }
        let environment = try open(faults)
        faults.set { $0 == .commit ? EIO : 0 }
        expectEqual(
            code { () throws(EngineError) in
                try environment.write { writer throws(EngineError) in try writer.put(1, 1, [2]) }
            },
            .environmentFailed
        )
        faults.set { _ in 0 }
        for _ in 0..<2 {
            let found = error { () throws(EngineError) in try environment.write { _ in } }
            expectEqual(found?.code, .environmentFailed)
            expectEqual(found?.underlying, EIO)
        }
        try expectEqual(environment.beginRead().bytes(1, 1), [1])
        environment.close()
        let again = try StorageEnvironment.open(path: folder.file())
        try expectEqual(again.write { writer throws(EngineError) in try writer.put(1, 1, [3]) }, 2)
    }

    @Test func `a flush blocks no reader, and a failed flush prevents later writes`() throws {
        let faults = FaultInjector { _ in 0 }
        let environment = try open(faults)
        let read = Shared<[UInt8]?>(nil)
        faults.set { [weak environment] operation in
            guard operation == .sync else { return 0 }
            let found = try? environment?.beginRead().bytes(1, 1)
            read.withLock { $0 = found }
            return 0
        }
        try environment.sync()
        expectEqual(read.withLock { $0 }, [1])
        faults.set { $0 == .sync ? EIO : 0 }
        expectEqual(code { () throws(EngineError) in try environment.sync() }, .io)
        expectEqual(code { () throws(EngineError) in try environment.write { _ in } }, .environmentFailed)
        // A call of `close` waits for a flush in progress.
        faults.set { [weak environment] operation in
            if operation == .sync { environment?.close() }
            return 0
        }
        try environment.sync()
        expectEqual(code { () throws(EngineError) in try environment.sync() }, .environmentClosed)
        let other = try StorageEnvironment.open(path: folder.file(), options: .init(readOnly: true))
        try other.sync()
        try expectEqual(other.beginRead().bytes(1, 1), [1])
    }

    /// After a failed write of the root LMDB refuses new readers, too.
    @Test func `readers share the last version after a failed root`() throws {
        let faults = FaultInjector { _ in 0 }
        let environment = try open(faults)
        faults.set {
            switch $0 {
            case .commit: EIO
            case .root: MDB_PANIC
            default: 0
            }
        }
        expectEqual(
            code { () throws(EngineError) in
                try environment.write { writer throws(EngineError) in try writer.put(1, 1, [2]) }
            },
            .environmentFailed
        )
        faults.set { _ in 0 }
        expectEqual(environment.lastVersion, 1)
        expectEqual(code { () throws(EngineError) in try environment.write { _ in } }, .environmentFailed)
        let one = try environment.beginRead()
        do {
            let other = try environment.beginRead()
            expectEqual(other.version, 1)
            expectEqual(other.bytes(1, 1), [1])
        }
        expectEqual(one.bytes(1, 1), [1])
        expectEqual(environment.readerList().map(\.version), [1])
    }

    @Test func `errors while the environment opens are typed`() throws {
        let faults = FaultInjector { _ in 0 }
        let environment = try open(faults)
        faults.set { $0 == .read ? MDB_READERS_FULL : $0 == .write ? MDB_MAP_RESIZED : 0 }
        expectEqual(code { () throws(EngineError) in _ = try environment.beginRead() }, .readersFull)
        expectEqual(code { () throws(EngineError) in try environment.write { _ in } }, .mapResized)
        faults.set { _ in 0 }
        try environment.write { writer throws(EngineError) in try writer.put(1, 1, [2]) }
    }

    @Test func `closing waits for readers, and refuses new ones`() throws {
        let path = folder.file()
        let environment = try StorageEnvironment.open(path: path)
        try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(4, 6000)) }
        var reader: StorageReader? = try environment.beginRead()
        environment.close()
        expectEqual(reader?.bytes(1, 1), bytes(4, 6000))
        expectEqual(code { () throws(EngineError) in _ = try environment.beginRead() }, .environmentClosed)
        expect(!environment.isOpen)
        reader = nil
        environment.close()
        expect(environment.info == nil)
        expectEqual(environment.lastVersion, 1)
        expectEqual(environment.readerList(), [])
    }

    /// The file is extended before the root is written, and unneeded space is released.
    @Test func `the file covers its last page before the root is written`() throws {
        let path = folder.file()
        let sizes = Mutex<[UInt64]>([])
        let faults = FaultInjector { operation in
            guard operation == .commit else { return 0 }
            var status = stat()
            stat(path, &status)
            sizes.withLock { $0.append(UInt64(status.st_size)) }
            return 0
        }
        let environment = try StorageEnvironment.open(path: path, options: .init(faults: faults))
        for round: UInt64 in 0..<30 {
            let count = [1, 3, 40, 300][Int(round % 4)]
            try environment.write { writer throws(EngineError) in
                for number in 0..<UInt64(count) {
                    try writer.put(1, number * round, bytes(1, round % 3 == 0 ? 300 : 8000))
                }
                // Pages that are allocated and freed again are never written.
                for number in 0..<UInt64(count / 2) {
                    try writer.remove(BlockAddress(segment: 1, number: number * round))
                }
            }
            let info = try require(environment.info)
            let size = try require(sizes.withLock { $0.last })
            expect(size >= info.pageCount * 4096, "round \(round)")
            expect(info.fileSize <= info.pageCount * 4096 + 2 * FileExtent.step, "round \(round)")
        }
    }

    @Test func `small commits seldom change the file's length`() throws {
        let environment = try StorageEnvironment.open(path: folder.file())
        var changes = 0
        var size: UInt64 = 0
        for number: UInt64 in 0..<100 {
            try environment.write { writer throws(EngineError) in try writer.put(1, number, bytes(1, 1000)) }
            let now = environment.fileSize
            if now != size { changes += 1 }
            size = now
        }
        expect(changes < 10)
    }
}
