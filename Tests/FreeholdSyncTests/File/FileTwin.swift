import Foundation

@testable import FreeholdEngine
@testable import FreeholdSync
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A Freehold file beside a file in memory. Each request is performed on both, and afterwards they must have and show
/// the same content.
///
/// The app's edits are made on the Freehold file, and their entries in its journal are applied to the one in memory.
struct FileTwin: WorldClient {
    private(set) var memory = MemoryClientStore()
    private var file: FileClientStore! {
        didSet { file?.time = { [walls] entry in walls.times.withLock { $0[entry.number] } ?? 0 } }
    }
    private let folder: TemporaryFolder
    private(set) var problems: [String] = []
    private var position: UInt64
    private let walls = Walls()

    var data: MemoryClientStore.Data { memory.data }
    var crashes: [MemoryClientStore.Crash?] {
        get { memory.crashes }
        set { memory.crashes = newValue }
    }

    /// The time of the device's clock at commits, by the number of the journal's entry.
    private final class Walls: Sendable {
        let times = Guarded<[UInt64: Int64]>([:])
    }

    /// Makes all writes from a given one on fail, instead of transactions as a whole. The file is then opened again.
    private let failsWrites: Bool
    private let injector = FaultInjector { _ in 0 }
    private var failures = 0
    /// How many transactions failed so, and how many of these had happened.
    static let counts = Guarded<[String: Int]>([:])

    init(failsWrites: Bool = false) { try! self.init(TemporaryFolder(), failsWrites) }

    private init(_ folder: TemporaryFolder, _ failsWrites: Bool) throws {
        (self.folder, self.failsWrites) = (folder, failsWrites)
        position = 0
        let database = try open()
        let write = try database.beginWrite()
        try write.applySchema(AppWriter.schema)
        _ = try write.commit()
        try use(database)
        position = try database.snapshot().journalCursors[0].position
    }

    private func open() throws -> Database {
        var options = Database.Options()
        options.mapSize = 32 << 20
        options.faults = injector
        return try Database.open(at: folder.path + "/client.realm", options: options)
    }

    private mutating func use(_ database: Database) throws { file = try FileClientStore(database) }

    func copied() -> any WorldClient {
        do {
            let folder = try TemporaryFolder()
            try file.database.snapshot().copy(to: folder.path + "/client.realm")
            var copy = try FileTwin(folder, failsWrites)
            copy.memory = MemoryClientStore(memory.data)
            copy.position = position
            let times = walls.times.withLock { $0 }
            copy.walls.times.withLock { $0 = times }
            return copy
        } catch {
            var copy = self
            copy.problems.append("a copy fails: \(error)")
            return copy
        }
    }

    mutating func commit(_ edits: [LocalEdit], wall: Int64) throws {
        let write = try file.database.beginWrite()
        do {
            for edit in edits { try AppWriter(write: write).perform(edit) }
        } catch {
            write.cancel()
            throw error
        }
        let snapshot = try write.commit()
        while let entry = try snapshot.journalEntry(at: position) {
            position = entry.next
            walls.times.withLock { $0[entry.number] = wall }
            let read = try FileCommit(entry, schema: snapshot.schema)
            try memory.commit(read.edits, wall: wall, identity: read.identity)
        }
        compareObjects("after \(edits)")
    }

    mutating func perform(_ request: StoreRequest, now: Int64, random: inout SeededRandom) throws -> StoreOutcome {
        compareCommits()
        if failsWrites, let crash = memory.crashes.first ?? nil {
            memory.crashes = []
            return try performFailing(request, crash, now: now, random: &random)
        }
        if let crash = memory.crashes.first ?? nil, !crash.isAfter {
            return try memory.perform(request, now: now, random: &random)
        }
        var twin = random
        let crash = memory.crashes.first ?? nil
        let outcome = Result { try memory.perform(request, now: now, random: &random) }
        do {
            let other = try file.perform(request, now: now, random: &twin)
            if crash == nil, try other != outcome.get(), !Self.isAlike(other, try outcome.get()) {
                problems.append("\(request) leads to\n\(other)\nexpected\n\(try outcome.get())")
            }
        } catch {
            problems.append("\(request) fails: \(error)")
        }
        compare("after \(request)")
        return try outcome.get()
    }

    /// Makes one of the transaction's writes and all later ones fail.
    private mutating func performFailing(
        _ request: StoreRequest,
        _ crash: MemoryClientStore.Crash,
        now: Int64,
        random: inout SeededRandom
    ) throws -> StoreOutcome {
        let before = memory
        var twin = random
        let expected = try memory.perform(request, now: now, random: &random)
        failures += 1
        let counter = Counter(failures % 10)
        injector.set { operation in operation != .read && counter.isReached() ? EIO : 0 }
        let outcome = Result { try file.perform(request, now: now, random: &twin) }
        injector.set { _ in 0 }
        guard case .failure = outcome else {
            Self.counts.withLock { $0["no failure", default: 0] += 1 }
            compare("after \(request)")
            return expected
        }
        file = nil
        try use(try open())
        // The transaction happened completely or not at all.
        let found = try file.perform(.describe, now: now, random: &twin)
        let (after, known) = (memory, problems)
        for candidate in [before, after] {
            memory = candidate
            problems = known
            let described = try memory.perform(.describe, now: now, random: &twin)
            compare("after \(request) failed")
            if problems == known, Self.isAlike(found, described) {
                let isAfter = memory.data.state == after.data.state
                Self.counts.withLock { $0[isAfter ? "it happened" : "it didn't happen", default: 0] += 1 }
                throw crash
            }
        }
        throw crash
    }

    private final class Counter: Sendable {
        private let left: Guarded<Int>

        init(_ place: Int) { left = Guarded(place) }

        func isReached() -> Bool {
            left.withLock { left in
                left -= 1
                return left < 0
            }
        }
    }

    mutating func tamper(_ body: (inout any ClientTransaction) throws -> Void) throws {
        try memory.tamper(body)
        try file.transact { transaction in
            var other: any ClientTransaction = transaction
            try body(&other)
            transaction = other as! FileClientTransaction
        }
    }

    // MARK: Comparing

    // The comparisons create their texts only for a difference, because the text of a large request takes long.

    private typealias Objects = [ObjectName: [SyncString: MergedContent]]

    private static func plain(_ contents: [SyncString: MergedContent]?) -> [SyncString: Content]? {
        contents.map { Content.withoutEmpty($0.mapValues(Content.init)) }
    }

    /// Outcomes that differ only in what has never been written.
    private static func isAlike(_ one: StoreOutcome, _ two: StoreOutcome) -> Bool {
        guard case .described(var one) = one, case .described(var two) = two else { return one == two }
        // The one in memory has no classes.
        (one.schema, two.schema) = (nil, nil)
        let isSame = isAlike(one.state.recovery, two.state.recovery)
        (one.state.recovery, two.state.recovery) = ([], [])
        return isSame && one == two
    }

    private static func isAlike(_ one: [Recovery], _ two: [Recovery]) -> Bool {
        one.count == two.count
            && zip(one, two).allSatisfy { one, two in
                one.name == two.name && plain(one.base) == plain(two.base) && plain(one.mine) == plain(two.mine)
                    && one.adds == two.adds
            }
    }

    private mutating func compareObjects(_ text: @autoclosure () -> String) {
        let shown = FileClient.contents(try! file.database.snapshot())
        let (one, two) = (shown.mapValues { Self.plain($0)! }, memory.data.objects.mapValues { Self.plain($0)! })
        if one != two { problems.append("\(text()) it shows\n\(one)\nexpected\n\(two)") }
    }

    /// Before they get numbers.
    private mutating func compareCommits() {
        var file = file!
        try? file.transact { transaction -> Void in
            let (one, two) = (try transaction.localCommits(), memory.data.local)
            if one.map(\.edits) != two.map(\.edits) || one.map(\.clock) != two.map(\.clock) {
                problems.append("commits\n\(one)\nexpected\n\(two)")
            }
            for (one, two) in zip(one, two) {
                // An image that a later commit replaces doesn't matter.
                let expected = two.before.mapValues { Self.plain($0)! }
                let before = one.before.mapValues { Self.plain($0)! }.filter { expected[$0.key] != nil }
                if before != expected { problems.append("before \(one.edits):\n\(before)\nexpected\n\(expected)") }
            }
            throw Rollback()
        }
    }

    private struct Rollback: Error {}

    private mutating func compare(_ text: @autoclosure () -> String) {
        compareObjects(text())
        var file = file!
        try? file.transact { transaction -> Void in
            do { try compare(transaction, text) } catch { problems.append("\(text()): \(error)") }
            throw Rollback()
        }
    }

    private mutating func compare(_ transaction: FileClientTransaction, _ text: () -> String) throws {
        let data = memory.data
        var (one, two) = (transaction.state, data.state)
        if !Self.isAlike(one.recovery, two.recovery) {
            problems.append("\(text()): recoveries \(one.recovery)\nexpected\n\(two.recovery)")
        }
        (one.recovery, two.recovery) = ([], [])
        if one != two { problems.append("\(text()): \(one)\nexpected\n\(two)") }
        let names = try transaction.shadowed()
        if names != data.shadowed() { problems.append("\(text()): shadows of \(names)\nexpected\n\(data.shadowed())") }
        for name in names {
            guard let one = try transaction.shadow(of: name), let two = data.shadows[name] else { continue }
            let isSame =
                one.pending == two.pending && one.version == two.version
                && Self.plain(one.contents) == Self.plain(two.contents)
                && Self.plain(one.confirmedContents) == Self.plain(two.confirmedContents)
            if !isSame { problems.append("\(text()): \(name) has the shadow \(one)\nexpected\n\(two)") }
        }
        let classes = try transaction.confirmedClasses()
        let expected = data.confirmedClasses()
        if classes != expected { problems.append("\(text()): classes \(classes) expected \(expected)") }
        for name in classes {
            let versions = try transaction.confirmed(in: KeyRange(className: name))
            let expected = data.confirmed(in: KeyRange(className: name))
            if versions.map(\.key) != expected.map(\.key) || versions.map(\.version) != expected.map(\.version) {
                problems.append("\(text()): versions \(versions)\nexpected\n\(expected)")
            }
            if transaction.checksum(of: name) != data.checksum(of: name) { problems.append("\(text()): other sums") }
        }
        guard transaction.state.firstKept <= transaction.state.lastCommit + 1 else { return }
        for number in transaction.state.firstKept..<transaction.state.lastCommit + 1 {
            let (one, two) = (try transaction.commit(number), data.commit(number))
            if one != two { problems.append("\(text()): commit \(one as Any)\nexpected\n\(two as Any)") }
        }
    }
}

/// A value that one thread at a time works on.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
