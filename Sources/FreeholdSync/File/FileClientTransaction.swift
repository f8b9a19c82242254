#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
public import FreeholdSyncCore

/// A transaction of the sync client on a Freehold file.
public struct FileClientTransaction: ClientTransaction {
    public var state: ClientState { didSet { stateChanged = true } }
    private var stateChanged = false
    public var care = StoreCare()
    let write: WriteTransaction
    let tables: FileTables
    let time: (JournalEntry) -> Int64
    let cache = Cache()

    /// What was read or changed, and is written at the end.
    final class Cache {
        var sums: [SyncString: ClassChecksum] = [:]
        var changedSums: Set<SyncString> = []
        /// Versions of confirmed objects that have no row to hold them, for a while.
        var versions: [ObjectName: StreamVersion?] = [:]
        /// Versions that objects had before commits that have no number yet.
        var imageVersions: [ObjectName: StreamVersion] = [:]
        /// The entries of the journal that were read and have no number yet.
        var pending: [Pending] = []
        /// The position behind the entries that were read, and the clock of the last one. Nil if none were read.
        var read: (position: UInt64, clock: Clock)?
        /// A Boolean value that indicates whether the journal has no entry behind those.
        var hasReadAll = false
        /// The rows of shadows in the file.
        var shadowCount = 0
        /// What was looked for last.
        var found: (name: ObjectName, found: (class: FileTables.Class, key: ObjectKey)?)?
        var shadows: [ObjectName: Entry] = [:]
        /// Nil for those that are removed.
        var commits: [UInt64: JournalCommit?] = [:]
        var changedCommits: Set<UInt64> = []
        /// Commits that were read are kept for the rest of the transaction if they have no more bytes.
        static let commitBytes = 64 << 10

        struct Entry {
            var shadow: Shadow?
            var isChanged = false
        }

        var hasFoundWork = false
        /// The app's transactions that got a number.
        var resolved: [LocalCommit] = []
        /// Takes note of values that the app's classes, or the file, have no room for.
        var misfits: Misfits?
    }

    struct Pending {
        let commit: LocalCommit
        let next: UInt64
        let bytes: Int
    }

    init(_ write: WriteTransaction, _ tables: FileTables, _ time: @escaping (JournalEntry) -> Int64) throws {
        self.write = write
        self.tables = tables
        self.time = time
        state = ClientState()
        cache.shadowCount = write.count(tables.shadows)
        if let row = write.find(primaryKey: .string("state"), in: tables.values) {
            state = try KeptBody.decode(row, of: tables.values, in: write, KeptBytes.state)
        }
        stateChanged = false
    }

    /// The transaction took commits out of the journal.
    var hasFoundWork: Bool { cache.hasFoundWork }

    mutating func finish() throws {
        do {
            try writeShadows()
            try writeCommits()
        } catch {
            // It is about the transaction of the app that got a number, if only one did.
            guard cache.resolved.count == 1, let local = cache.resolved.first else { throw error }
            throw StoreTrouble(.work(sequence: local.sequence, classes: local.classes), error)
        }
        if stateChanged { try put(KeptBytes.of(state), tables.values, .string("state")) }
        for name in cache.changedSums.sorted() {
            let sum = checksum(of: name)
            let row = try row(tables.sums, .string(name.string))
            try write.set(tables.sums.columns[1], row, .int(Int64(bitPattern: sum.count)))
            try write.set(tables.sums.columns[2], row, .int(Int64(bitPattern: sum.sum)))
        }
    }

    // MARK: Rows

    func row(_ table: Table, _ key: Value) throws -> ObjectKey {
        try write.find(primaryKey: key, in: table) ?? write.create(table, primaryKey: key)
    }

    func put(_ bytes: [UInt8], _ table: Table, _ key: Value) throws {
        try KeptBody.set(bytes, try row(table, key), of: table, in: write)
    }
}
