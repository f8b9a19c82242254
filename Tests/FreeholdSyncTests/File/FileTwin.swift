import FreeholdEngine
import Synchronization

@testable import FreeholdSync
@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A Freehold file beside a file in memory: each request goes to both, and afterwards they have to know and show the same.
///
/// The app's edits are done on the Freehold file, and what its journal says of them on the one in memory.
struct FileTwin: WorldClient {
    private(set) var memory = MemoryClientStore()
    private(set) var file: FileClientStore
    private let folder: TemporaryFolder
    private(set) var problems: [String] = []
    private var position: UInt64
    private let walls = Walls()

    var data: MemoryClientStore.Data { memory.data }
    var crashes: [MemoryClientStore.Crash?] {
        get { memory.crashes }
        set { memory.crashes = newValue }
    }

    /// What the device's clock said at commits, by the number of the journal's entry.
    private final class Walls: Sendable {
        let times = Mutex<[UInt64: Int64]>([:])
    }

    init() { try! self.init(TemporaryFolder()) }

    private init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        var options = Database.Options()
        options.mapSize = 32 << 20
        let database = try Database.open(at: folder.path + "/client.realm", options: options)
        let write = try database.beginWrite()
        try write.applySchema(AppWriter.schema)
        _ = try write.commit()
        file = try FileClientStore(database)
        position = try database.snapshot().journalCursors[0].position
        let walls = walls
        file.time = { entry in walls.times.withLock { $0[entry.number] } ?? 0 }
    }

    func copied() -> any WorldClient {
        do {
            let folder = try TemporaryFolder()
            try file.database.snapshot().copy(to: folder.path + "/client.realm")
            var copy = try FileTwin(folder)
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
            try memory.commit(try FileCommit(entry, schema: snapshot.schema).edits, wall: wall)
        }
        compareObjects("after \(edits)")
    }

    mutating func perform(_ request: StoreRequest, now: Int64, random: inout SeededRandom) throws -> StoreOutcome {
        compareCommits()
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
        if try! file.database.snapshot().journalEntry(at: position) == nil { compare("after \(request)") }
        return try outcome.get()
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

    private typealias Objects = [ObjectName: [SyncString: MergedContent]]

    private static func plain(_ contents: [SyncString: MergedContent]?) -> [SyncString: Content]? {
        contents.map { Content.withoutEmpty($0.mapValues(Content.init)) }
    }

    /// Outcomes that differ only in what has never been written.
    private static func isAlike(_ one: StoreOutcome, _ two: StoreOutcome) -> Bool {
        guard case .described(var one) = one, case .described(var two) = two else { return false }
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

    private mutating func compareObjects(_ text: String) {
        let shown = FileClient.contents(try! file.database.snapshot())
        let (one, two) = (shown.mapValues { Self.plain($0)! }, memory.data.objects.mapValues { Self.plain($0)! })
        if one != two { problems.append("\(text) it shows\n\(one)\nexpected\n\(two)") }
    }

    /// Before they get numbers.
    private mutating func compareCommits() {
        var file = file
        try? file.transact { transaction -> Void in
            let (one, two) = (try transaction.localCommits(), memory.data.local)
            if one.map(\.edits) != two.map(\.edits) || one.map(\.clock) != two.map(\.clock) {
                problems.append("commits\n\(one)\nexpected\n\(two)")
            }
            for (one, two) in zip(one, two) {
                // Whose image a later commit has again doesn't matter.
                let expected = two.before.mapValues { Self.plain($0)! }
                let before = one.before.mapValues { Self.plain($0)! }.filter { expected[$0.key] != nil }
                if before != expected { problems.append("before \(one.edits):\n\(before)\nexpected\n\(expected)") }
            }
            throw Rollback()
        }
    }

    private struct Rollback: Error {}

    private mutating func compare(_ text: String) {
        compareObjects(text)
        var file = file
        try? file.transact { transaction -> Void in
            do { try compare(transaction, text) } catch { problems.append("\(text): \(error)") }
            throw Rollback()
        }
    }

    private mutating func compare(_ transaction: FileClientTransaction, _ text: String) throws {
        let data = memory.data
        var (one, two) = (transaction.state, data.state)
        if !Self.isAlike(one.recovery, two.recovery) {
            problems.append("\(text): recoveries \(one.recovery)\nexpected\n\(two.recovery)")
        }
        (one.recovery, two.recovery) = ([], [])
        if one != two { problems.append("\(text): \(one)\nexpected\n\(two)") }
        let names = try transaction.shadowed()
        if names != data.shadowed() { problems.append("\(text): shadows of \(names)\nexpected\n\(data.shadowed())") }
        for name in names {
            guard let one = try transaction.shadow(of: name), let two = data.shadows[name] else { continue }
            let isSame =
                one.pending == two.pending && one.version == two.version
                && Self.plain(one.contents) == Self.plain(two.contents)
                && Self.plain(one.confirmedContents) == Self.plain(two.confirmedContents)
            if !isSame { problems.append("\(text): \(name) has the shadow \(one)\nexpected\n\(two)") }
        }
        let classes = try transaction.confirmedClasses()
        let expected = data.confirmedClasses()
        if classes != expected { problems.append("\(text): classes \(classes) expected \(expected)") }
        for name in classes {
            let versions = try transaction.confirmed(in: KeyRange(className: name))
            let expected = data.confirmed(in: KeyRange(className: name))
            if versions.map(\.key) != expected.map(\.key) || versions.map(\.version) != expected.map(\.version) {
                problems.append("\(text): versions \(versions)\nexpected\n\(expected)")
            }
            if transaction.checksum(of: name) != data.checksum(of: name) { problems.append("\(text): other sums") }
        }
        guard transaction.state.firstKept <= transaction.state.lastCommit + 1 else { return }
        for number in transaction.state.firstKept..<transaction.state.lastCommit + 1 {
            let (one, two) = (try transaction.commit(number), data.commit(number))
            if one != two { problems.append("\(text): commit \(one as Any)\nexpected\n\(two as Any)") }
        }
    }
}
