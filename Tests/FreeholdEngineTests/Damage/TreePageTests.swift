import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// Pages of LMDB's tree that are damaged or belong to an older version. The wrong content behind them is never returned
/// as that of the file.
struct `Damaged pages of the tree` {
    private let folder = TemporaryFolder()

    private func options(_ key: EncryptionKey?, clusterSpan: Int = 40) -> Database.Options {
        var options = DamageSample.options(clusterSpan: clusterSpan)
        options.encryptionKey = key
        return options
    }

    /// Makes a file with every kind of block.
    private func make(_ path: String, _ key: EncryptionKey?, clusterSpan: Int, people: Int) throws {
        let plain = folder.file("plain.realm")
        try DamageSample.fill(plain, clusterSpan: clusterSpan, people: people)
        try Database.open(at: plain, options: options(nil)).snapshot().copy(to: path, key: key)
        for suffix in ["", "-lock", ".writer"] { unlink(plain + suffix) }
    }

    /// A commit that changes some values of all columns of some kinds, and deletes an object.
    private func change(_ database: Database, _ part: Int) throws {
        let transaction = try database.beginWrite()
        let person = try require(transaction.schema.table(named: "Person"))
        for key in transaction.keys(person) where key.raw % 5 == Int64(part % 5) {
            try transaction.set(person.column(named: "name")!, key, to: .string("later \(part)"))
            try transaction.set(person.column(named: "ratio")!, key, to: .double(Double(part) + 0.5))
            try transaction.listAppend(person.column(named: "words")!, key, values: [.string("later \(part)")])
        }
        if part % 3 == 1, let last = transaction.keys(person).last { transaction.delete(person, [last]) }
        _ = try transaction.commit()
    }

    /// Changes every byte of every key, in branches and leaves.
    @Test(arguments: [nil, Script.key], [false, true])
    func `a tree page with a flipped bit in a key is read correctly or refused`(key: EncryptionKey?, hasMarks: Bool)
        throws
    {
        var random = SeededRandom(test: "TreePageTests")
        let path = folder.file()
        try make(path, key, clusterSpan: 8, people: 12)
        try change(try Database.open(at: path, options: options(key)), 0)
        var image = try TreeImage(path)
        if !hasMarks { image.forgetRecentBlocks() }
        let expected = ReadResult(path, key)
        try expectEqual(ReadResult(image, in: folder, key: key), expected)
        let places = image.keyBytes
        expect(places.count > 8 * 50, "\(places.count) bytes of keys")
        var (right, refused) = (0, 0)
        let sample = TestBudget.sample(of: places.count, usual: 50, using: &random)
        for i in sample {
            var damaged = image
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            damaged.bytes[places[i]] ^= bit
            switch try ReadResult(damaged, in: folder, key: key) {
            case expected: right += 1
            case .refused(let code):
                expectEqual(code, .invalidDatabase)
                refused += 1
            case .values: Issue.record("byte \(places[i]), bit \(bit): a block is read as if it had never been stored")
            }
        }
        print("\(key == nil ? "plain" : "encrypted"), marks: \(hasMarks): \(right) right, \(refused) refused")
        expect(refused > sample.count / 2)
        expect(TestBudget.isSpent("TreePageTests", cases: right + refused, of: sample.count))
    }

    /// Encrypted files from before checksums, whose blocks have the order of their addresses.
    @Test func `an encrypted format 4 file with a flipped bit in a key is read correctly or refused`() throws {
        var random = SeededRandom(test: "TreePageTests")
        let path = folder.file()
        var options = options(Script.key)
        options.formatVersion = 4
        _ = try Script(seed: 1).commit(1...3, to: try Database.open(at: path, options: options))
        try expectEqual(Database.open(at: path, options: options).formatVersion, 4)
        var image = try TreeImage(path)
        image.forgetRecentBlocks()
        let expected = ReadResult(path, Script.key, formatVersion: 4)
        try expectEqual(ReadResult(image, in: folder, key: Script.key, formatVersion: 4), expected)
        guard case .values = expected else { throw EngineError(.invalidDatabase, "the file can't be read") }
        let places = image.keyBytes
        var refused = 0
        let sample = TestBudget.sample(of: places.count, usual: 25, using: &random)
        for i in sample {
            var damaged = image
            damaged.bytes[places[i]] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let result = try ReadResult(damaged, in: folder, key: Script.key, formatVersion: 4)
            if result == .refused(.invalidDatabase) {
                refused += 1
            } else {
                expectEqual(result, expected, "byte \(places[i])")
            }
        }
        print("format 4: \(refused) of \(sample.count) refused")
        expect(refused > sample.count / 2)
    }

    @Test(arguments: [nil, Script.key])
    func `a tree page with a flipped bit in a key isn't written again`(key: EncryptionKey?) throws {
        var random = SeededRandom(test: "TreePageTests")
        let path = folder.file()
        try make(path, key, clusterSpan: 8, people: 12)
        try change(try Database.open(at: path, options: options(key)), 0)
        let image = try TreeImage(path)
        try change(try Database.open(at: path, options: options(key)), 1)
        let expected = ReadResult(path, key)
        let places = image.keyBytes
        let written = folder.file("written.realm")
        var (commits, refused) = (0, 0)
        for i in TestBudget.sample(of: places.count, usual: 20, using: &random) {
            var damaged = image
            damaged.forgetRecentBlocks()
            damaged.bytes[places[i]] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try Data(damaged.bytes).write(to: URL(fileURLWithPath: written))
            do {
                try change(try Database.open(at: written, options: options(key)), 1)
                commits += 1
                if case .values(let found) = ReadResult(written, key) {
                    expectEqual(.values(found), expected, "byte \(places[i])")
                }
            } catch {
                expectEqual((error as? EngineError)?.code, .invalidDatabase)
                try expectEqual(TreeImage(written).version(image.newest), image.version(image.newest))
                refused += 1
            }
            for suffix in ["", "-lock", ".writer"] { unlink(written + suffix) }
        }
        print("\(key == nil ? "plain" : "encrypted"): \(commits) commits, \(refused) refused")
        expect(refused > 0)
    }

    /// Simulates a disk that lost one write: the page has its earlier content.
    @Test(arguments: [nil, Script.key], [8, 40])
    func `a tree page of an older version is read correctly or refused`(key: EncryptionKey?, clusterSpan: Int) throws {
        var random = SeededRandom(test: "TreePageTests")
        let path = folder.file()
        try make(path, key, clusterSpan: clusterSpan, people: 20)
        var images: [TreeImage] = []
        for part in 0..<12 {
            try change(try Database.open(at: path, options: options(key)), part)
            images.append(try TreeImage(path))
        }
        let newest = images.removeLast()
        let expected = try ReadResult(newest, in: folder, key: key)
        var cases: [(page: Int, image: Int)] = []
        for (i, image) in images.enumerated() { cases += newest.differing(from: image).map { ($0, i) } }
        var (right, refused) = (0, 0)
        let sample = TestBudget.sample(of: cases.count, usual: 50, using: &random)
        for i in sample {
            var stale = newest
            stale.take(cases[i].page, from: images[cases[i].image])
            switch try ReadResult(stale, in: folder, key: key) {
            case expected: right += 1
            case .refused(let code):
                expectEqual(code, .invalidDatabase)
                refused += 1
            case .values:
                Issue.record("page \(cases[i].page) of image \(cases[i].image): older values, or missing ones")
            }
        }
        print(
            "\(key == nil ? "plain" : "encrypted"), span \(clusterSpan): \(cases.count) pages, \(right) right, \(refused) refused"
        )
        expect(refused > 0)
        expect(TestBudget.isSpent("TreePageTests", cases: right + refused, of: sample.count))
    }

    /// If the pair of roots is one that can be, the version before is whole. An impossible pair is refused.
    @Test(arguments: [nil, Script.key])
    func `a tree page of an older version at a root's place is refused, or leaves the version before`(
        key: EncryptionKey?
    ) throws {
        let path = folder.file()
        try make(path, key, clusterSpan: 40, people: 5)
        var images: [TreeImage] = []
        var results: [ReadResult] = []
        for part in 0..<8 {
            try change(try Database.open(at: path, options: options(key)), part)
            images.append(try TreeImage(path))
            results.append(ReadResult(path, key))
        }
        let newest = images.last!
        for (i, image) in images.dropLast().enumerated() {
            for page in 0..<2 {
                var stale = newest
                stale.take(page, from: image)
                let distance = Int64(stale.version(0)) - Int64(stale.version(1))
                let expected =
                    distance.magnitude != 1
                    ? .refused(.invalidDatabase)
                    : results[Int(max(stale.version(0), stale.version(1)) - images[0].version(images[0].newest))]
                try expectEqual(ReadResult(stale, in: folder, key: key), expected, "page \(page) of image \(i)")
            }
        }
    }
}
