import Foundation
import Synchronization
import TestScript
import Testing

@testable import FreeholdEngine

/// Files with a key: the access to them, and the detection of changes that were made without the key.
struct EncryptedFileTests {
    let folder = TemporaryFolder()
    static let other = EncryptionKey(bytes(3, 64))!

    static func options(_ key: EncryptionKey? = Script.key) -> Database.Options {
        var options = Database.Options()
        options.encryptionKey = key
        options.mapSize = 1 << 28
        return options
    }

    func open(_ path: String, _ key: EncryptionKey? = Script.key) throws(EngineError) -> Database {
        try Database.open(at: path, options: Self.options(key))
    }

    /// Creates a file with a number of the script's transactions, and returns its expected content.
    @discardableResult
    func fill(
        _ path: String,
        transactions: ClosedRange<Int64>,
        from state: State = State(),
        seed: UInt64 = 1,
        key: EncryptionKey? = Script.key
    ) throws -> State {
        try Script(seed: seed).commit(transactions, to: try open(path, key), from: state)
    }

    func check(_ path: String, _ state: State, _ key: EncryptionKey? = Script.key) throws {
        let snapshot = try open(path, key).snapshot()
        expectEqual(State(snapshot), state)
        expectEqual(snapshot.verify(), [])
    }

    func refusal(_ path: String, _ key: EncryptionKey?, readOnly: Bool = false) -> EngineError? {
        error { () throws(EngineError) in
            var options = Self.options(key)
            options.readOnly = readOnly
            _ = try Database.open(at: path, options: options).snapshot()
        }
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `an encrypted file is read again with its key`(seed: UInt64) throws {
        let path = folder.file()
        var state = try fill(path, transactions: 1...20, seed: seed)
        try check(path, state)
        state = try fill(path, transactions: 21...30, from: state, seed: seed)
        try check(path, state)
    }

    @Test(arguments: [false, true])
    func `a wrong key, a missing key and an unneeded key are refused, and the file isn't changed`(
        readOnly: Bool
    ) throws {
        let path = folder.file()
        let plain = folder.file("plain.realm")
        let state = try fill(path, transactions: 1...3)
        let plainState = try fill(plain, transactions: 1...3, key: nil)
        let before = try [path, plain].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        expectEqual(refusal(path, Self.other, readOnly: readOnly)?.code, .invalidDatabase)
        expectEqual(refusal(path, Self.other)?.message.contains("The key isn't the one"), true)
        expectEqual(refusal(path, Self.other)?.detail, .keyIsWrong)
        expectEqual(refusal(path, nil)?.detail, .keyIsMissing)
        expectEqual(refusal(plain, Script.key)?.detail, .keyIsUnneeded)
        expectEqual(refusal(path, nil, readOnly: readOnly)?.code, .invalidDatabase)
        expectEqual(refusal(path, nil)?.message.contains("The file is encrypted"), true)
        expectEqual(refusal(plain, Script.key, readOnly: readOnly)?.code, .invalidDatabase)
        expectEqual(refusal(plain, Script.key)?.message.contains("isn't encrypted"), true)
        expectEqual(code { () throws(EngineError) in _ = try Database.compact(at: path) }, .invalidDatabase)
        expectEqual(
            code { () throws(EngineError) in _ = try Database.compact(at: path, key: Self.other) },
            .invalidDatabase
        )
        expectEqual(
            code { () throws(EngineError) in _ = try Database.compact(at: plain, key: Script.key) },
            .invalidDatabase
        )
        try expectEqual([path, plain].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }, before)
        try check(path, state)
        try check(plain, plainState, nil)
    }

    @Test func `an open file refuses another key with an error of its own`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 1...3)
        let plain = folder.file("plain.realm")
        try fill(plain, transactions: 1...2, key: nil)
        let held = try [open(path), open(plain, nil)]
        expectEqual(refusal(path, Self.other)?.code, .fileInUse)
        expectEqual(refusal(path, nil)?.code, .fileInUse)
        expectEqual(refusal(plain, Script.key)?.code, .fileInUse)
        try check(path, state)
        try expectEqual(open(path).identity, held[0].identity)
        expect(held[0].encryptionKey == Script.key && held[1].encryptionKey == nil)
    }

    @Test func `an in-memory database refuses encryption`() throws {
        let refused = code { () throws(EngineError) in
            _ = try Database.inMemory(identifier: UUID().uuidString, options: Self.options())
        }
        expectEqual(refused, .invalidArgument)
    }

    /// The first key of a new file is the one whose creator was faster.
    @Test func `only one of several threads with different keys creates a file`() throws {
        let path = folder.file()
        let results = Shared<[Int: EngineError.Code?]>([:])
        DispatchQueue.concurrentPerform(iterations: 6) { i in
            let key = i % 2 == 0 ? Script.key : Self.other
            let result = code { () throws(EngineError) in _ = try open(path, key).snapshot() }
            results.withLock { $0[i] = result }
        }
        let found = results.withLock { $0 }
        let refusals: Set<EngineError.Code?> = [.fileInUse, .invalidDatabase]
        let (even, odd) = ([0, 2, 4].map { found[$0]! }, [1, 3, 5].map { found[$0]! })
        expect(even.allSatisfy { $0 == nil } != odd.allSatisfy { $0 == nil })
        expect((even + odd).allSatisfy { $0 == nil || refusals.contains($0) })
    }

    // MARK: Damage

    /// A stored block, and the offsets of its bytes in the file. Bytes inside a page may also be in earlier pages.
    struct Stored {
        let address: BlockAddress
        let bytes: [UInt8]
        let offsets: [Int]
    }

    func places(of bytes: [UInt8], in file: Data) -> [Int] {
        var out: [Int] = []
        var start = 0
        while let range = file.range(of: Data(bytes), in: start..<file.count) {
            out.append(range.lowerBound)
            start = range.upperBound
        }
        return out
    }

    func image(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// Returns every block except the header.
    func blocks(_ path: String) throws -> [Stored] {
        let file = Data(try image(path))
        var out: [Stored] = []
        let snapshot = try open(path).snapshot()
        for (address, bytes) in try snapshot.run(from: BlockAddress(raw: 0)) where address != DatabaseHeader.address {
            let offsets = places(of: Array(bytes), in: file)
            try require(!offsets.isEmpty)
            out.append(Stored(address: address, bytes: Array(bytes), offsets: offsets))
        }
        return out
    }

    /// Returns the problems of opening and verifying the image.
    func problems(_ image: [UInt8], _ state: State) throws -> [String] {
        let path = folder.file("image-\(UUID().uuidString).realm")
        try Data(image).write(to: URL(fileURLWithPath: path))
        defer { for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) } }
        do throws(EngineError) {
            let snapshot = try open(path).snapshot()
            let problems = snapshot.verify()
            if problems.isEmpty { expectEqual(State(snapshot), state) }
            return problems
        } catch {
            expectEqual(error.code, .invalidDatabase)
            return [error.message]
        }
    }

    @Test func `a flipped bit in any block is an error`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 1...12)
        let image = try image(path)
        let blocks = try blocks(path)
        expect(blocks.count > 30)
        var random = SeededRandom(seed: 7)
        for block in blocks {
            var damaged = image
            let offset = Int.random(in: 0..<block.bytes.count, using: &random)
            let bit: UInt8 = 1 << UInt8.random(in: 0..<8, using: &random)
            for start in block.offsets { damaged[start + offset] ^= bit }
            expect(try !problems(damaged, state).isEmpty, "byte \(offset) of \(block.address)")
        }
        expect(try problems(image, state).isEmpty)
    }

    @Test func `blocks that are exchanged are errors`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 1...30)
        let image = try image(path)
        var swapped = 0
        let bySize = Dictionary(grouping: try blocks(path)) { $0.bytes.count }
        for same in bySize.values where same.count > 1 {
            var damaged = image
            let (a, b) = (same[0], same[1])
            for start in a.offsets { damaged.replaceSubrange(start..<start + a.bytes.count, with: b.bytes) }
            for start in b.offsets { damaged.replaceSubrange(start..<start + b.bytes.count, with: a.bytes) }
            expect(try !problems(damaged, state).isEmpty)
            swapped += 1
        }
        expect(swapped > 0)
    }

    @Test func `verify reports a block of an older version`() throws {
        let path = folder.file()
        var options = Self.options()
        options.clusterSpan = 1000
        let database = try Database.open(at: path, options: options)
        let first = try database.beginWrite()
        try first.applySchema([TableSpec("T", columns: [ColumnSpec("d", .double)])])
        let table = try require(first.schema.table(named: "T"))
        for i in 0..<1000 { try first.set(table.columns[0], first.create(table), to: .double(1 / Double(i + 1))) }
        _ = try first.commit()
        let address = BlockAddress(segment: table.columns[0].segment(.leaf), number: 0)
        func stored() throws -> [UInt8] { Array(try require(try database.snapshot().storedBlock(address))) }
        func digest() throws -> [UInt8] { Array(try require(try database.snapshot().storedBlock(FileDigest.address))) }
        let (old, oldDigest) = try (stored(), digest())
        let second = try database.beginWrite()
        try second.set(table.columns[0], ObjectKey(5), to: .double(42.125))
        _ = try second.commit()
        let (new, newDigest) = try (stored(), digest())
        expect(old.count == new.count && old != new)
        let image = try image(path)
        let data = Data(image)
        func replaced(_ a: [UInt8], _ b: [UInt8]) throws -> [UInt8] {
            var out = image
            let places = places(of: a, in: data)
            try require(!places.isEmpty)
            for start in places { out.replaceSubrange(start..<start + a.count, with: b) }
            return out
        }
        try expectEqual(problems(replaced(new, old), State()), [FileDigest.mismatch])
        let rolled = folder.file("rolled.realm")
        try Data(replaced(new, old)).write(to: URL(fileURLWithPath: rolled))
        let compacted = error { () throws(EngineError) in _ = try Database.compact(at: rolled, key: Script.key) }
        expect(compacted?.code == .invalidDatabase && compacted?.message == FileDigest.mismatch)
        let copied = error { () throws(EngineError) in try open(rolled).snapshot().copy(to: folder.file("copied")) }
        expectEqual(copied?.message, FileDigest.mismatch)
        // The digest of that version includes the block, but that of this version doesn't.
        try expectEqual(
            problems(replaced(newDigest, oldDigest), State()).first?.contains("isn't what was written"),
            true
        )
        expectEqual(database.lastVersion, 3)
    }

    @Test func `a call that can't throw stops the process at a damaged block`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tests = EncryptedFileTests()
            let path = tests.folder.file()
            try tests.fill(path, transactions: 1...5)
            var image = try tests.image(path)
            let table = try require(try tests.open(path).snapshot().schema.table(named: Script.tableName))
            let leaf = table.columns[0].segment(.leaf)
            let block = try require(try tests.blocks(path).first { $0.address.segment == leaf })
            for start in block.offsets { image[start + 20] ^= 1 }
            try Data(image).write(to: URL(fileURLWithPath: path))
            _ = State(try tests.open(path).snapshot())
        }
        let text = String(decoding: try require(result).standardErrorContent, as: UTF8.self)
        expect(text.contains("damaged or was tampered with"))
    }

    @Test func `an encrypted file with a plain header can't be opened`() throws {
        let path = folder.file()
        let state = try fill(path, transactions: 1...2)
        let plain = DatabaseHeader(clusterSpan: 1000).encoded()
        var image = try image(path)
        let places = places(of: Catalogue.magic, in: Data(image))
        expect(!places.isEmpty)
        for start in places { image.replaceSubrange(start..<start + plain.count, with: plain) }
        let plainly = try problems(image, state)
        expectEqual(plainly.first?.contains("isn't encrypted"), true, "\(plainly)")
        // A key of the attacker's own, too.
        var header = DatabaseHeader(clusterSpan: 1000)
        header.encryption = .init(fileID: bytes(1, 16), code: bytes(2, 32))
        let own = header.encoded()
        for start in places { image.replaceSubrange(start..<start + own.count, with: own) }
        try expectEqual(problems(image, state).first?.contains("The key isn't the one"), true)
    }

    // MARK: Nonces

    /// Compares all blocks that were ever stored. One identity, which stands for one key and nonce, always has the same
    /// ciphertext.
    @Test func `no nonce is used twice, even by aborted transactions and diverging copies`() throws {
        var seen: [BlockIdentity: [UInt8]] = [:]
        func note(_ bytes: UnsafeRawBufferPointer, _ address: BlockAddress) throws {
            if address == DatabaseHeader.address { return }
            let identity = try require(BlockIdentity(bytes))
            let known = seen.updateValue(Array(bytes), forKey: identity)
            expect(known == nil || known == Array(bytes))
        }
        func note(_ path: String) throws {
            let snapshot = try open(path).snapshot()
            for (address, bytes) in try snapshot.run(from: BlockAddress(raw: 0)) { try note(bytes, address) }
        }
        let path = folder.file()
        let state = try fill(path, transactions: 1...4)
        try note(path)
        // Two transactions with the same number, each of which reached LMDB and wasn't committed.
        var options = Self.options()
        options.memoryBudget = 1
        for seed in [10, 11] as [UInt64] {
            let database = try Database.open(at: path, options: options)
            let script = Script(seed: seed)
            let transaction = try database.beginWrite()
            try script.run(script.steps(5, on: state), in: transaction)
            transaction.sealEverything()
            let writer = try require(transaction.storageWriter)
            let run = try database.core.storage.writer.sync { () throws(EngineError) in
                try writer.run(from: BlockAddress(raw: 0))
            }
            for (address, bytes) in run { try note(bytes, address) }
            transaction.cancel()
        }
        // The same file twice, by the system's copy.
        let twin = folder.file("twin.realm")
        try FileManager.default.copyItem(atPath: path, toPath: twin)
        for (path, seed) in [(path, UInt64(20)), (twin, 21)] {
            try fill(path, transactions: 5...9, from: state, seed: seed)
            try note(path)
        }
        expect(seen.count > 60)
    }

    // MARK: Memory

    @Test func `a version that holds too many opened bytes isn't shared with new readers`() throws {
        var options = Self.options()
        options.openedBytesKept = 100_000
        let database = try Database.open(at: folder.file(), options: options)
        let transaction = try database.beginWrite()
        try transaction.applySchema([TableSpec("T", columns: [ColumnSpec("n", .int), ColumnSpec("s", .string)])])
        let table = try require(transaction.schema.table(named: "T"))
        for i in 0..<20_000 {
            let key = try transaction.create(table)
            try transaction.set(table.columns[0], key, to: .int(Int64(i) << 30))
            try transaction.set(table.columns[1], key, to: .string("object \(i)"))
        }
        let snapshot = try transaction.commit()
        func sum(_ snapshot: Snapshot) -> Int64 {
            snapshot.keys(table).reduce(0) { $0 + (snapshot.readInt(table.columns[0], $1) ?? 0) >> 30 }
        }
        expect(try database.snapshot().sharesCaches(with: snapshot))
        _ = snapshot.readString(table.columns[1], ObjectKey(0))
        expect(try database.snapshot().sharesCaches(with: snapshot))
        expectEqual(sum(snapshot), 199_990_000)
        let opened = snapshot.pin.openedBytes.load(ordering: .relaxed)
        expect(opened > 150_000 && opened < 1 << 20)
        let fresh = try database.snapshot()
        expect(!fresh.sharesCaches(with: snapshot) && fresh.version == snapshot.version)
        expectEqual(fresh.pin.openedBytes.load(ordering: .relaxed), 0)
        expect(try database.snapshot().sharesCaches(with: fresh))
        expectEqual(sum(fresh), 199_990_000)
        // The next version takes over none of its blocks, and that of a version below the bound all blocks.
        for isFull in [true, false] {
            let next = try database.beginWrite()
            if isFull { expectEqual(sum(next.base), 199_990_000) }
            try next.set(table.columns[0], ObjectKey(1), to: .int(1 << 30))
            let base = next.base
            _ = base.readInt(table.columns[0], ObjectKey(5000))
            let committed = try next.commit()
            let taken = committed.pin.openedBytes.load(ordering: .relaxed)
            expect(isFull ? taken == 0 : taken > 0)
            expectEqual(sum(committed), 199_990_000)
        }
    }

    @Test func `a version takes over the blocks that the last one opened, except the changed ones`() throws {
        let database = try Database.open(at: folder.file(), options: Self.options())
        let transaction = try database.beginWrite()
        try transaction.applySchema([TableSpec("T", columns: [ColumnSpec("n", .int)])])
        let table = try require(transaction.schema.table(named: "T"))
        for i in 0..<5000 { try transaction.set(table.columns[0], transaction.create(table), to: .int(Int64(i))) }
        let first = try transaction.commit()
        let column = table.columns[0]
        func leaf(_ snapshot: Snapshot, _ cluster: Int) -> UnsafeRawPointer? { snapshot.leaf(column, cluster: cluster) }
        let before = (0..<5).map { leaf(first, $0) }
        let change = try database.beginWrite()
        try change.set(column, ObjectKey(2500), to: .int(-7))
        let second = try change.commit()
        for cluster in 0..<5 {
            expectEqual((leaf(second, cluster) == before[cluster]), (cluster != 2))
        }
        expectEqual(first.readInt(column, ObjectKey(2500)), 2500)
        expectEqual(second.readInt(column, ObjectKey(2500)), -7)
        expectEqual(second.readInt(column, ObjectKey(2501)), 2501)
    }
}
