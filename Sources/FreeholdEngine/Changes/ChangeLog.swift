internal import Synchronization

/// Tells what changed between two versions of a database, and keeps the records of recent commits of this process for
/// that.
///
/// Any thread may use it. It listens to the database's commits for as long as it lives.
final class ChangeLog: Sendable {
    private let database: Database
    private let state: Box
    private let observer: Int

    /// Records of this process's newest commits, by version.
    private final class Box: Sendable {
        let records = Mutex<Recent>(Recent())
    }

    private struct Recent {
        var records: [UInt64: ChangeRecord] = [:]
        /// In the order in which they came.
        var versions: [UInt64] = []

        var size = 0

        /// Older ones are read from the file, and so are all but the newest where they have more entries than this.
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

    /// Returns the record of each commit after the one version up to the other: of commits of this process from memory, of others from the file's
    /// history.
    /// - Returns: nil if one is no longer there.
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

    /// What lies between two versions. Where records were trimmed, or don't tell everything, the states are compared.
    ///
    /// - Complexity: O(changes); of a comparison see `VersionChanges.init(comparing:with:)`.
    func changes(from old: Snapshot, to new: Snapshot) -> VersionChanges {
        records(from: old, to: new).flatMap { VersionChanges($0, from: old, to: new) }
            ?? VersionChanges(comparing: old, with: new)
    }
}

extension ChangeRecord {
    /// The entries of its lists, of eight bytes or more.
    fileprivate var size: Int {
        tables.reduce(1) { sum, table in
            sum + (table.deletedRuns.size + table.insertedDeletedRuns.size) / 8 + table.listEdits.count
                + table.links.count
                + table.modified.values.reduce(0) { $0 + $1.count }
        }
    }
}
