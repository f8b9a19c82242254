import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// The marks in a file of the blocks that its last commits wrote.
struct `The marks of recent blocks` {
    private let folder = TemporaryFolder()

    private func read(_ path: String) throws -> RecentBlocks? {
        let image = try TreeImage(path)
        let start = image.newest * TreeImage.pageSize + RecentBlocks.offset
        return image.bytes[start..<start + RecentBlocks.capacity].withUnsafeBytes {
            RecentBlocks.decode($0, version: image.version(image.newest))
        }
    }

    @Test(arguments: [nil, Script.key])
    func `the marks match the recent blocks after every commit`(key: EncryptionKey?) throws {
        var random = SeededRandom(test: "RecentBlocksTests")
        let seed = UInt64.random(in: 0..<1 << 32, using: &random)
        print("script \(seed)")
        let script = Script(seed: seed)
        let path = folder.file()
        var options = Database.Options()
        options.encryptionKey = key
        var state = State()
        for number in Int64(1)...12 {
            let database = try Database.open(at: path, options: options)
            state = try script.commit(number...number, to: database, from: state)
            let marks = try require(try read(path))
            expect(!marks.entries.isEmpty)
            let snapshot = try database.snapshot()
            let (envelope, order) = (database.core.envelope, database.core.storage.order)
            for entry in marks.entries {
                let stored = try snapshot.pin.reader.find(order.address(entry.key))
                expectEqual(envelope.mark(stored), entry.mark)
                expect(entry.version <= snapshot.version)
            }
            expectEqual(Set(marks.entries.map(\.key)).count, marks.entries.count)
        }
        expectEqual(State(try Database.open(at: path, options: options).snapshot()), state)
    }

    @Test func `the marks are read as they were written, and the newest are kept`() {
        var random = SeededRandom(test: "RecentBlocksTests")
        var marks: RecentBlocks?
        var naive: [UInt64: (mark: BlockMark, version: UInt64)] = [:]
        for version in UInt64(1)...200 {
            var changes: [UInt64: BlockMark] = [:]
            let count = random.below(20) == 0 ? 600 : random.below(25)
            for _ in 0..<count {
                let key = UInt64.random(in: 0..<200, using: &random) << UInt64(random.below(3) * 20)
                let mark =
                    random.below(5) == 0
                    ? BlockMark.absent : BlockMark(of: UInt32.random(in: 0 ... .max, using: &random))
                changes[key] = mark
                naive[key] = (mark, version)
            }
            let next = RecentBlocks.next(marks, changes, digest: BlockMark(of: 7), version: version)
            let bytes = next.withEncoded { Array($0) }
            expect(bytes.count <= RecentBlocks.capacity)
            expectEqual(bytes.withUnsafeBytes { RecentBlocks.decode($0, version: version) }, next)
            expect(bytes.withUnsafeBytes { RecentBlocks.decode($0, version: version + 2) } == nil)
            for entry in next.entries {
                let expected = naive[entry.key]
                expect(expected?.mark == entry.mark && expected?.version == entry.version)
                expectEqual(next.mark(of: entry.key), entry.mark)
            }
            expectEqual(next.entries.map(\.key), next.entries.map(\.key).sorted())
            let oldest = next.entries.map(\.version).min() ?? version
            let newer = naive.filter { $0.value.version > oldest }.count
            expect(next.entries.count >= newer, "a mark is missing that is newer than others")
            for _ in 0..<20 {
                var damaged = bytes
                damaged[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
                expect(damaged.withUnsafeBytes { RecentBlocks.decode($0, version: version) } == nil)
            }
            marks = next
        }
    }

    /// An interrupted commit leaves marks of a version that a later commit replaces.
    @Test(arguments: [nil, Script.key])
    func `marks of an interrupted commit are ignored`(key: EncryptionKey?) throws {
        let path = folder.file()
        var options = Database.Options()
        options.encryptionKey = key
        let state = try Script(seed: 1).commit(1...4, to: try Database.open(at: path, options: options))
        let image = try TreeImage(path)
        let one = try Script(seed: 1).commit(5...5, to: try Database.open(at: path, options: options), from: state)
        let interrupted = try TreeImage(path)
        let other = folder.file("other.realm")
        try Data(image.bytes).write(to: URL(fileURLWithPath: other))
        var again = State()
        do {
            let database = try Database.open(at: other, options: options)
            again = try Script(seed: 2).commit(5...5, to: database, from: state)
        }
        expect(one != again)
        var mixed = try TreeImage(other)
        expectEqual(mixed.newest, interrupted.newest)
        let start = mixed.newest * TreeImage.pageSize + RecentBlocks.offset
        let range = start..<start + RecentBlocks.capacity
        mixed.bytes.replaceSubrange(range, with: interrupted.bytes[range])
        try Data(mixed.bytes).write(to: URL(fileURLWithPath: other))
        do {
            let snapshot = try Database.open(at: other, options: options).snapshot()
            expectEqual(State(snapshot), again)
            expectEqual(snapshot.verify(), [])
        }
        again = try Script(seed: 2).commit(6...6, to: try Database.open(at: other, options: options), from: again)
        expectEqual(State(try Database.open(at: other, options: options).snapshot()), again)
        expect(try read(other) != nil)
    }

    @Test func `a file of a Freehold without marks isn't reported as damaged`() throws {
        let path = folder.file()
        var state = try Script(seed: 1).commit(1...4, to: try Database.open(at: path))
        var image = try TreeImage(path)
        image.forgetRecentBlocks()
        try Data(image.bytes).write(to: URL(fileURLWithPath: path))
        expectEqual(State(try Database.open(at: path).snapshot()), state)
        state = try Script(seed: 1).commit(5...6, to: try Database.open(at: path), from: state)
        expectEqual(State(try Database.open(at: path).snapshot()), state)
        expect(try !require(try read(path)).entries.isEmpty)
    }

    @Test func `marks of blocks don't change the mark of a commit log`() throws {
        let path = folder.file()
        var options = Database.Options()
        options.commitLog = true
        let database = try Database.open(at: path, options: options)
        var state = State()
        for number in Int64(1)...6 {
            state = try Script(seed: 1).commit(number...number, to: database, from: state)
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            guard case .set = CommitLogMark.read(descriptor) else {
                Issue.record("the mark is missing")
                continue
            }
        }
        expectEqual(State(try database.snapshot()), state)
    }
}
