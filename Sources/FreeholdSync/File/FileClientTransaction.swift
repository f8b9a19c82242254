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

    /// The data that was read or changed. Changes are written at the end of the transaction.
    final class Cache {
        var sums: [SyncString: ClassChecksum] = [:]
        var changedSums: Set<SyncString> = []
        /// The versions of confirmed objects that have no row at present.
        var versions: [ObjectName: StreamVersion?] = [:]
        /// The versions that objects had before commits without a number.
        var imageVersions: [ObjectName: StreamVersion] = [:]
        /// The entries of the journal that were read and have no number yet.
        var pending: [Pending] = []
        /// The position after the entries that were read, and the clock of the last one. `nil` if no entry was read.
        var read: (position: UInt64, clock: Clock)?
        /// A Boolean value that indicates whether all entries of the journal were read.
        var hasReadAll = false
        /// The number of shadows in the file.
        var shadowCount = 0
        /// The result of the last search for an object.
        var found: (name: ObjectName, found: (class: FileTables.Class, key: ObjectKey)?)?
        var shadows: [ObjectName: Entry] = [:]
        /// The commits that were read or changed. `nil` stands for a removed or missing commit.
        var commits: [UInt64: JournalCommit?] = [:]
        var changedCommits: Set<UInt64> = []
        /// The maximum size of a commit that is kept in this cache after it was read, in bytes.
        static let commitBytes = 64 << 10

        struct Entry {
            var shadow: Shadow?
            var isChanged = false
        }

        var hasFoundWork = false
        /// The app's transactions that received a number in this transaction.
        var resolved: [LocalCommit] = []
        /// Records values that the app's classes don't represent, or that the file can't store.
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

    /// A Boolean value that indicates whether the transaction took commits out of the journal.
    var hasFoundWork: Bool { cache.hasFoundWork }

    mutating func finish() throws {
        do {
            try writeShadows()
            try writeCommits()
        } catch {
            // If the transaction gave a number to exactly one transaction of the app, the error is about that one.
            guard cache.resolved.count == 1, let local = cache.resolved.first else { throw error }
            throw StoreTrouble(.work(sequence: local.sequence, classes: local.classes), error)
        }
        if stateChanged { try put(KeptBytes.of(state), tables.values, .string("state")) }
        for name in cache.changedSums.sorted() {
            let sum = checksum(of: name)
            let row = try row(tables.sums, .string(name.string))
            try write.set(tables.sums.columns[1], row, to: .int(Int64(bitPattern: sum.count)))
            try write.set(tables.sums.columns[2], row, to: .int(Int64(bitPattern: sum.sum)))
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
