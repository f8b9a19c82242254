import Foundation
import Testing
import TestScript

@testable import FreeholdEngine

/// Files of format 4 that are opened for writing.
struct `Upgrades of older files` {
    private let folder = TemporaryFolder()

    private static let newest = Catalogue.formatVersion

    private func identity(_ path: String) -> FileIdentity {
        var status = stat()
        stat(path, &status)
        return FileIdentity(status)
    }

    /// Returns the format of the file on the disk.
    private func format(_ path: String, key: EncryptionKey? = nil) throws -> UInt32 {
        var options = Database.Options()
        options.readOnly = true
        options.encryptionKey = key
        return try Database.open(at: path, options: options).formatVersion
    }

    private func write(_ path: String, _ n: Int64, on state: inout State, key: EncryptionKey? = nil) throws {
        var options = Database.Options()
        options.encryptionKey = key
        let database = try Database.open(at: path, options: options)
        let script = Script(seed: Format4File.seed)
        let steps = script.steps(n, on: state)
        let transaction = try database.beginWrite()
        try script.run(steps, in: transaction)
        let snapshot = try transaction.commit()
        state.apply(steps)
        expectEqual(State(snapshot), state)
        expectEqual(snapshot.verify(), [])
    }

    @Test func `an upgrade keeps the content of an older Freehold`() throws {
        let path = folder.file()
        try Format4File.write(to: path)
        let old = identity(path)
        do {
            let database = try Database.open(at: path)
            let snapshot = try database.snapshot()
            expectEqual(database.formatVersion, Self.newest)
            expectEqual(database.core.header.requiredFeatures, .checksums)
            // The older format doesn't record the Unicode tables of the indexed words.
            expectEqual(database.core.header.unicode, .unknown)
            expectEqual(State(snapshot), Format4File.state)
            expectEqual(snapshot.verify(), [])
        }
        let new = identity(path)
        expect(new != old)
        expectEqual(folder.names.filter { $0.contains("compacting") }, [])
        var state = Format4File.state
        try write(path, Format4File.transactions + 1, on: &state)
        expectEqual(identity(path), new, "it was made anew once")
        try expectEqual(format(path), Self.newest)
    }

    @Test(arguments: [3, 40, 1000]) func `an upgrade keeps every kind of value`(clusterSpan: Int) throws {
        let path = folder.file()
        try DamageSample.fill(path, clusterSpan: clusterSpan, people: 45, formatVersion: 4)
        var options = DamageSample.options()
        options.readOnly = true
        let before: (digest: UInt64, root: CatalogueRoot, schema: [UInt8]) = try {
            let database = try Database.open(at: path, options: options)
            expectEqual(database.formatVersion, 4)
            let snapshot = try database.snapshot()
            expectEqual(snapshot.verify(), [])
            return (try Contents.digest(snapshot), snapshot.root, snapshot.schema.encoded())
        }()
        options.readOnly = false
        let database = try Database.open(at: path, options: options)
        expectEqual(database.formatVersion, Self.newest)
        expectEqual(database.core.clusterSpan, clusterSpan)
        let snapshot = try database.snapshot()
        expectEqual(snapshot.verify(), [])
        try expectEqual(Contents.digest(snapshot), before.digest)
        expect(snapshot.root == before.root && snapshot.schema.encoded() == before.schema)
    }

    @Test func `an upgrade keeps the permissions and the symbolic links`() throws {
        let path = folder.file()
        try Format4File.write(to: path)
        chmod(path, 0o640)
        let link = folder.file("link.realm")
        symlink(path, link)
        try expectEqual(Database.open(at: link).formatVersion, Self.newest)
        var status = stat()
        expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test(.enabled(if: BlockCryptography.isAvailable, "needs the trait Encryption"))
    func `an upgrade seals encrypted files anew with their key`() throws {
        let path = folder.file()
        var options = Database.Options()
        options.formatVersion = 4
        options.encryptionKey = Script.key
        var state = State()
        let header = try {
            let database = try Database.open(at: path, options: options)
            let script = Script(seed: 9)
            for n in 1...3 {
                let steps = script.steps(Int64(n), on: state)
                let transaction = try database.beginWrite()
                try script.run(steps, in: transaction)
                _ = try transaction.commit()
                state.apply(steps)
            }
            return database.core.header
        }()
        options.formatVersion = Self.newest
        options.encryptionKey = nil
        expect(error { () throws(EngineError) in _ = try Database.open(at: path, options: options) } != nil)
        try expectEqual(format(path, key: Script.key), 4, "a wrong key changes nothing")
        options.encryptionKey = Script.key
        let database = try Database.open(at: path, options: options)
        expectEqual(database.formatVersion, Self.newest)
        expectEqual(database.core.header.requiredFeatures, [])
        expect(database.core.header.encryption?.fileID != header.encryption?.fileID)
        let snapshot = try database.snapshot()
        expect(snapshot.verify() == [] && State(snapshot) == state)
    }

    @Test func `an upgrade waits until all other processes have closed the file`() throws {
        let path = folder.file()
        try Format4File.write(to: path)
        let old = identity(path)
        var state = Format4File.state
        // `pin` opens for writing, so that it would upgrade the file itself.
        var options = Database.Options()
        options.formatVersion = 4
        do {
            let held = try Database.open(at: path, options: options)
            expectEqual(held.formatVersion, 4)
            try expectEqual(Database.open(at: path).formatVersion, 4)
            let child = try ChildProcess(["pin", path])
            expectEqual(child.readLine()?.hasPrefix("pinned"), true)
            try write(path, Format4File.transactions + 1, on: &state)
            expectEqual(identity(path), old)
            child.kill()
            child.wait()
            expectEqual(held.formatVersion, 4)
        }
        try expectEqual(format(path), 4)
        try write(path, Format4File.transactions + 2, on: &state)
        try expectEqual(format(path), Self.newest)
        expect(identity(path) != old)
    }

    @Test func `an upgrade never leaves another process with the old file`() throws {
        let path = folder.file()
        try Format4File.write(to: path)
        var options = Database.Options()
        options.formatVersion = 4
        // A child has the file open in the old format. This process keeps it open while the child starts.
        var held: Database? = try Database.open(at: path, options: options)
        let child = try ChildProcess(["pin", path])
        expectEqual(child.readLine()?.hasPrefix("pinned"), true)
        withExtendedLifetime(held) {}
        held = nil
        let old = identity(path)
        let database = try Database.open(at: path)
        expect(database.formatVersion == 4 && identity(path) == old)
        child.send("")
        expectEqual(child.readLine(), "\(Format4File.transactions)")
        child.kill()
        child.wait()
    }

    @Test func `an upgrade doesn't change a damaged file`() throws {
        let path = folder.file()
        try DamageSample.fill(path, clusterSpan: 3, people: 45, formatVersion: 4)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // Pages of blocks that are leaves of LMDB's tree.
        let pages = (2..<bytes.count / 4096).filter {
            bytes[$0 * 4096 + 10] == 2 && bytes[$0 * 4096] == UInt8($0 & 255)
        }
        let page = try require(pages.dropFirst(pages.count / 2).first)
        bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: [UInt8](repeating: 0, count: 4096))
        for suffix in ["-lock", ".writer"] { unlink(path + suffix) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let old = identity(path)
        let result = Database.upgrade(path, key: nil)
        expectEqual(result?.code, .invalidDatabase)
        let database = try? Database.open(at: path)
        expectEqual(database?.formatVersion ?? 4, 4)
        expectEqual(identity(path), old)
        expectEqual([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), bytes)
    }

    // MARK: Failures

    enum Failure: CaseIterable, CustomTestStringConvertible {
        case kill, fullDevice, shortWrites, syncError, truncateError, reserveError, nameError

        var variables: [String: String] {
            switch self {
            case .kill: ["FREEHOLD_FAULT": "all", "FREEHOLD_FAULT_KILL": "1"]
            case .fullDevice:
                ["FREEHOLD_FAULT": "write", "FREEHOLD_FAULT_ERROR": "\(ENOSPC)", "FREEHOLD_FAULT_LASTS": "1"]
            case .shortWrites: ["FREEHOLD_FAULT": "write", "FREEHOLD_FAULT_ERROR": "0"]
            case .syncError: ["FREEHOLD_FAULT": "sync", "FREEHOLD_FAULT_ERROR": "\(EIO)"]
            case .truncateError: ["FREEHOLD_FAULT": "truncate", "FREEHOLD_FAULT_ERROR": "\(ENOSPC)"]
            case .reserveError: ["FREEHOLD_FAULT": "reserve", "FREEHOLD_FAULT_ERROR": "\(ENOSPC)"]
            case .nameError: ["FREEHOLD_FAULT": "name", "FREEHOLD_FAULT_ERROR": "\(EIO)"]
            }
        }

        var testDescription: String { "\(self)" }
    }

    @Test(.enabled(if: Interposer.isAvailable, "needs a C compiler and LD_PRELOAD"), arguments: Failure.allCases)
    func `an upgrade that fails at any system call leaves a complete file, and the next one succeeds`(failure: Failure)
        throws
    {
        let folder = try ChildFolder()
        let script = Script(seed: Format4File.seed)
        let before = Format4File.state
        var after = before
        after.apply(script.steps(before.transaction + 1, on: before))
        var formats: [UInt32: Int] = [:]
        for n in 1...120 {
            let path = folder.file("\(n).realm")
            let mark = folder.file("\(n).mark")
            try Format4File.write(to: path)
            var variables = failure.variables
            variables["FREEHOLD_FAULT_FILE"] = path
            variables["FREEHOLD_FAULT_AT"] = "\(n)"
            variables["FREEHOLD_FAULT_MARK"] = mark
            let arguments = ["transactions", path, "\(Format4File.seed)", "1"]
            let child = try Interposer.start(folder, arguments, nil, variables)
            let isDone = child.readLines().contains("\(after.transaction)")
            let status = child.wait()
            expectEqual(status, (failure == .kill && !isDone ? -SIGKILL : status), "\(failure) at \(n)")
            expect([0, 1, -SIGKILL].contains(status), "\(failure) at \(n): \(status)")
            // Checks the file as it was left, and after the upgrade was repeated.
            for isReadOnly in [true, false] {
                var options = Database.Options()
                options.readOnly = isReadOnly
                let database = try Database.open(at: path, options: options)
                let snapshot = try database.snapshot()
                let found = State(snapshot)
                expectEqual(snapshot.verify(), [], "\(failure) at \(n)")
                expect(found == after || found == before && !isDone, "\(failure) at \(n)")
                if isReadOnly {
                    formats[database.formatVersion, default: 0] += 1
                } else {
                    expectEqual(database.formatVersion, Self.newest, "\(failure) at \(n)")
                }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            expect(!names.contains { $0.hasPrefix("\(n).realm.") && !$0.hasSuffix(".writer") }, "\(names)")
            guard FileManager.default.fileExists(atPath: mark) else {
                print("\(failure): \(n - 1) calls, formats \(formats)")
                expect(n > 1, "nothing failed")
                return
            }
        }
        Issue.record("\(failure): the upgrade never came to its end")
    }
}
