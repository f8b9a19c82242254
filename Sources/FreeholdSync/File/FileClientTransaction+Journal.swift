#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
public import FreeholdSyncCore

/// The file's own commits, with numbers and without, and lost work.
extension FileClientTransaction {
    public func localCommits() throws -> [LocalCommit] {
        if let pending = cache.pending { return pending.map(\.commit) }
        var pending: [Pending] = []
        var clock = state.clock
        let cursor = write.base.journalCursors.first { $0.name == FileClientStore.cursorName }
        var position = cursor?.position ?? .max
        while let entry = try write.base.journalEntry(at: position) {
            position = entry.next
            let read = try FileCommit(entry, schema: write.schema)
            clock = Clock.ofCommit(wall: time(entry) &+ state.offset, last: clock)
            for (name, values) in read.hiddenBefore {
                guard cache.imageVersions[name] == nil, case .int(let version)? = values[FileTables.versionName] else {
                    continue
                }
                cache.imageVersions[name] = StreamVersion(bitPattern: version)
            }
            let commit = LocalCommit(
                sequence: entry.number,
                clock: clock,
                schemaVersion: write.userVersion,
                identity: read.identity,
                edits: read.edits,
                before: read.before
            )
            pending.append(Pending(commit: commit, next: entry.next))
        }
        cache.pending = pending
        return pending.map(\.commit)
    }

    public mutating func removeLocalCommit(_ sequence: UInt64) throws {
        _ = try localCommits()
        guard let first = cache.pending?.first, first.commit.sequence == sequence else { return }
        cache.pending?.removeFirst()
        cache.hasFoundWork = true
        try write.moveJournalCursor(FileClientStore.cursorName, to: first.next)
        for name in first.commit.before.keys {
            let version = cache.imageVersions.removeValue(forKey: name)
            if hasShadow(name) { continue }
            // The commit left no work on the object.
            guard let (found, key) = find(name) else { continue }
            write.setImage(found, key, false)
            if let version { write.setVersion(found, key, version) }
        }
    }

    public func commit(_ number: UInt64) throws -> JournalCommit? {
        if let known = cache.commits[number] { return known }
        let commit = try write.find(primaryKey: .int(Int64(bitPattern: number)), in: tables.commits).map {
            try Self.decode(write, tables.commits.columns[1], $0, KeptBytes.commit)
        }
        cache.commits[number] = .some(commit)
        return commit
    }

    public mutating func put(_ commit: JournalCommit) throws {
        var commit = commit
        if commit.version != nil, !tables.asymmetric.isEmpty {
            // What is only sent doesn't stay once it is.
            for change in commit.commit.changes where tables.asymmetric.contains(change.object.className) {
                try setShadow(nil, of: change.object)
            }
            commit = commit.without(tables.asymmetric)
        }
        cache.commits[commit.commit.number] = .some(commit)
        cache.changedCommits.insert(commit.commit.number)
    }

    public mutating func removeCommit(_ number: UInt64) throws {
        cache.commits[number] = .some(nil)
        cache.changedCommits.insert(number)
    }

    func writeCommits() throws {
        for number in cache.changedCommits.sorted() {
            let key = Value.int(Int64(bitPattern: number))
            if case .some(.some(let commit)) = cache.commits[number] {
                try put(KeptBytes.of(commit), tables.commits, key)
            } else if let row = write.find(primaryKey: key, in: tables.commits) {
                write.delete(tables.commits, row)
            }
        }
    }

    public mutating func keep(_ lost: LostWork) throws {
        let row = try write.create(tables.lost)
        try write.set(tables.lost.columns[0], row, .data(Data(KeptBytes.of(lost))))
    }

    func takeLost() throws -> [LostWork] {
        let rows = write.keys(tables.lost)
        let lost = try rows.map { try Self.decode(write, tables.lost.columns[0], $0, KeptBytes.lost) }
        write.delete(tables.lost, rows)
        return lost
    }
}
