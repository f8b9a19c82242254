internal import Synchronization

/// A log that returns the changes between two versions of a database. It keeps the records of this process's recent commits.
///
/// Any thread may use it. It observes the database's commits for as long as it lives.
final class ChangeLog: Sendable {
    private let database: Database
    private let state: Box
    private let observer: Int

    /// The records of this process's newest commits, by version.
    private final class Box: Sendable {
        let records = Mutex<Recent>(Recent())
    }

    private struct Recent {
        var records: [UInt64: ChangeRecord] = [:]
        /// The versions in the order in which they were committed.
        var versions: [UInt64] = []

        var size = 0

        /// The maximum number of records. The oldest records are also removed while all records together have more than `maximumSize` entries, except
        /// the newest record. Removed records are read from the file.
        static let limit = 256
        static let maximumSize = 1 << 20

        mutating func add(_ record: ChangeRecord) {
            records[record.version] = record
            versions.append(record.version)
            size += record.size
            while versions.count > Self.limit || (size > Self.maximumSize && versions.count > 1) {
                if let gone = records.removeValue(forKey: versions.removeFirst()) { size -= gone.size }
            }
        }
    }

    init(_ database: Database) {
        self.database = database
        let box = Box()
        state = box
        observer = database.addCommitObserver { _, record in box.records.withLock { $0.add(record) } }
    }

    deinit { database.removeCommitObserver(observer) }

    /// Returns the records of the commits after one version up to another. Recent commits of this process are in memory, and others are read from the
    /// file's history.
    /// - Returns: the records, or `nil` if a record is missing.
    func records(from old: Snapshot, to new: Snapshot) -> [ChangeRecord]? {
        guard old.version <= new.version else { return nil }
        if old.version == new.version { return [] }
        var out: [ChangeRecord] = []
        for version in old.version + 1...new.version {
            let kept = state.records.withLock { $0.records[version] }
            guard let record = kept ?? new.changes(ofVersion: version) else { return nil }
            out.append(record)
        }
        return out
    }

    /// Returns the changes between two versions. If records have been removed or are incomplete, the two states are compared.
    ///
    /// - Complexity: O(changes). For a comparison, see `VersionChanges.init(comparing:with:)`.
    func changes(from old: Snapshot, to new: Snapshot) -> VersionChanges {
        records(from: old, to: new).flatMap { VersionChanges($0, from: old, to: new) }
            ?? VersionChanges(comparing: old, with: new)
    }
}

extension ChangeRecord {
    /// The number of entries in the record's lists. An entry has eight bytes or more.
    fileprivate var size: Int {
        tables.reduce(1) { sum, table in
            sum + (table.deletedRuns.size + table.insertedDeletedRuns.size) / 8 + table.listEdits.count
                + table.links.count
                + table.modified.values.reduce(0) { $0 + $1.count }
        }
    }
}
