#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
public import FreeholdSyncCore

/// The file's own commits, with and without numbers, and lost work.
extension FileClientTransaction {
    public func localCommits() throws -> [LocalCommit] { try localCommits(upTo: .max) }

    public func localCommits(upTo bytes: Int) throws -> [LocalCommit] {
        try readPending(upTo: bytes)
        return cache.pending.map(\.commit)
    }

    /// Reads the next entries of the journal, until the read entries have about the given size in bytes.
    private func readPending(upTo bytes: Int) throws {
        guard !cache.hasReadAll else { return }
        let cursor = write.base.journalCursors.first { $0.name == FileClientStore.cursorName }
        var (position, clock) = cache.read ?? (cursor?.position ?? .max, state.clock)
        var size = cache.pending.reduce(0) { $0 + $1.bytes }
        while size < bytes {
            guard let entry = try write.base.journalEntry(at: position) else {
                cache.hasReadAll = true
                break
            }
            position = entry.next
            size += entry.byteCount + 1
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
            cache.pending.append(Pending(commit: commit, next: entry.next, bytes: entry.byteCount + 1))
        }
        cache.read = (position, clock)
    }

    public mutating func removeLocalCommit(_ sequence: UInt64) throws {
        try readPending(upTo: 1)
        guard let first = cache.pending.first, first.commit.sequence == sequence else { return }
        cache.pending.removeFirst()
        cache.resolved.append(first.commit)
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
        guard let row = write.find(primaryKey: .int(Int64(bitPattern: number)), in: tables.commits) else {
            cache.commits[number] = .some(nil)
            return nil
        }
        let bytes = try KeptBody.bytes(row, of: tables.commits, in: write)
        let commit = try KeptBody.decode(bytes, KeptBytes.commit)
        // Only small commits are cached, so that the memory for all waiting commits is bounded.
        if bytes.count <= Cache.commitBytes { cache.commits[number] = .some(commit) }
        return commit
    }

    public mutating func put(_ commit: JournalCommit) throws {
        var commit = commit
        if commit.version != nil, !tables.asymmetric.isEmpty {
            // Objects of asymmetric classes aren't kept after they are sent.
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
        try KeptBody.set(KeptBytes.of(lost), row, of: tables.lost, in: write)
    }

    func takeLost() throws -> [LostWork] {
        let rows = write.keys(tables.lost)
        let lost = try rows.map { try KeptBody.decode($0, of: tables.lost, in: write, KeptBytes.lost) }
        write.delete(tables.lost, rows)
        return lost
    }
}
