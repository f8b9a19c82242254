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
    let write: WriteTransaction
    let tables: FileTables
    private let time: (JournalEntry) -> Int64
    private let cache = Cache()

    /// What was read or changed, and is written at the end.
    private final class Cache {
        var sums: [SyncString: ClassChecksum] = [:]
        var changedSums: Set<SyncString> = []
        /// Versions of confirmed objects that have no row to hold them, for a while.
        var versions: [ObjectName: StreamVersion?] = [:]
        /// Versions that objects had before commits that have no number yet.
        var imageVersions: [ObjectName: StreamVersion] = [:]
        var pending: [Pending]?
        /// The rows of shadows in the file.
        var shadowCount = 0
        /// What was looked for last.
        var found: (name: ObjectName, found: (class: FileTables.Class, key: ObjectKey)?)?
        var shadows: [ObjectName: Entry] = [:]
        /// Nil for those that are removed.
        var commits: [UInt64: JournalCommit?] = [:]
        var changedCommits: Set<UInt64> = []

        struct Entry {
            var shadow: Shadow?
            var isChanged = false
        }

        var hasFoundWork = false
    }

    private struct Pending {
        let commit: LocalCommit
        let next: UInt64
    }

    init(_ write: WriteTransaction, _ tables: FileTables, _ time: @escaping (JournalEntry) -> Int64) throws {
        self.write = write
        self.tables = tables
        self.time = time
        state = ClientState()
        cache.shadowCount = write.count(tables.shadows)
        if let row = write.find(primaryKey: .string("state"), in: tables.values) {
            state = try Self.decode(write, tables.values.columns[1], row, KeptBytes.state)
        }
        stateChanged = false
    }

    /// The transaction took commits out of the journal.
    var hasFoundWork: Bool { cache.hasFoundWork }

    mutating func finish() throws {
        try writeShadows()
        try writeCommits()
        if stateChanged { try put(KeptBytes.of(state), tables.values, .string("state")) }
        for name in cache.changedSums.sorted() {
            let sum = checksum(of: name)
            let row = try row(tables.sums, .string(name.string))
            try write.set(tables.sums.columns[1], row, .int(Int64(bitPattern: sum.count)))
            try write.set(tables.sums.columns[2], row, .int(Int64(bitPattern: sum.sum)))
        }
    }

    // MARK: Bytes

    private static func decode<T>(
        _ view: DataView,
        _ column: Column,
        _ row: ObjectKey,
        _ read: (UnsafeRawBufferPointer) throws(CodecError) -> T
    ) throws -> T {
        guard case .data(let data) = view.value(column, row) else {
            throw SyncFileError(.damaged, "What sync keeps isn't there.")
        }
        let bytes = [UInt8](data)
        return try bytes.withUnsafeBytes { raw in
            do {
                return try read(raw)
            } catch let error as CodecError {
                let code: SyncFileError.Code = error.code == .unsupported ? .unsupported : .damaged
                throw SyncFileError(code, "What sync keeps can't be read: \(error)")
            }
        }
    }

    private func row(_ table: Table, _ key: Value) throws -> ObjectKey {
        try write.find(primaryKey: key, in: table) ?? write.create(table, primaryKey: key)
    }

    private func put(_ bytes: [UInt8], _ table: Table, _ key: Value) throws {
        try write.set(table.columns[table.columns.count - 1], try row(table, key), .data(Data(bytes)))
    }

    // MARK: Objects

    func find(_ name: ObjectName) -> (class: FileTables.Class, key: ObjectKey)? {
        if let last = cache.found, last.name == name { return last.found }
        var result: (FileTables.Class, ObjectKey)?
        if let found = tables.classes[name.className], found.key.fits(name.key),
            let key = write.find(primaryKey: name.key.value, in: found.table)
        {
            result = (found, key)
        }
        cache.found = (name, result)
        return result
    }

    public func contents(of name: ObjectName) throws -> [SyncString: MergedContent]? {
        guard let (found, key) = find(name) else { return nil }
        write.resolvePlaceholders()
        return FileContents(write).contents(found.table, key)
    }

    public mutating func perform(_ edits: [LocalEdit]) throws {
        for edit in edits {
            switch edit {
            case .create(let name, let contents, _): try create(name, contents)
            case .delete(let name, _): try delete(name)
            default: try EditApplier(write: write, tables: tables).perform(edit)
            }
        }
    }

    private func create(_ name: ObjectName, _ contents: [SyncString: MergedContent]) throws {
        guard let found = tables.classes[name.className], found.key.fits(name.key) else { return }
        let key = try write.create(found.table, primaryKey: name.key.value)
        cache.found = (name, (found, key))
        try EditApplier(write: write, tables: tables).fill(found.table, key, contents)
        if case .some(.some(let version)) = cache.versions[name] {
            write.setVersion(found, key, version)
            cache.versions[name] = nil
        }
    }

    private func delete(_ name: ObjectName) throws {
        guard let (found, key) = find(name) else { return }
        cache.versions[name] = .some(try version(of: name))
        try write.deleteLeavingPlaceholder(found.table, key)
        cache.found = nil
    }

    // MARK: Versions

    public func version(of name: ObjectName) throws -> StreamVersion? {
        if let known = cache.versions[name] { return known }
        if let entry = cache.shadows[name] {
            if let shadow = entry.shadow { return shadow.version }
        } else if let row = shadowRow(name) {
            return write.storedVersion(tables.shadows.columns[2], row)
        }
        if let image = cache.imageVersions[name] { return image }
        guard let (found, key) = find(name) else { return nil }
        return write.storedVersion(found.version, key)
    }

    public mutating func setVersion(_ version: StreamVersion?, of name: ObjectName) throws {
        guard let found = tables.classes[name.className] else { return }
        let old = try self.version(of: name)
        if old != version {
            var sum = checksum(of: name.className)
            if let old { sum.remove(name.key, version: old) }
            if let version { sum.add(name.key, version: version) }
            cache.sums[name.className] = sum
            cache.changedSums.insert(name.className)
        }
        if let (_, key) = find(name) {
            if write.storedVersion(found.version, key) != version { write.setVersion(found, key, version) }
            cache.versions[name] = hasShadow(name) ? .some(version) : nil
        } else {
            cache.versions[name] = .some(version)
        }
    }

    /// What is said of objects of a class that the file doesn't show is forgotten: the sum is that of those that it shows.
    func forgetVersions(ofMissing className: SyncString) {
        guard let found = tables.classes[className] else { return }
        var sum = ClassChecksum(className: className)
        for key in write.keys(found.table) {
            guard let version = write.storedVersion(found.version, key),
                let name = FileContents.key(write.value(found.key, key))
            else { continue }
            sum.add(name, version: version)
        }
        cache.sums[className] = sum
        cache.changedSums.insert(className)
        for name in cache.versions.keys where name.className == className { cache.versions[name] = nil }
    }

    public func confirmed(in range: KeyRange) throws -> [(key: PrimaryKey, version: StreamVersion)] {
        guard let found = tables.classes[range.className] else { return [] }
        var versions: [PrimaryKey: StreamVersion] = [:]
        for key in write.keys(found.table, in: range, found.key) {
            guard let name = FileContents.key(write.value(found.key, key)),
                let version = write.storedVersion(found.version, key), range.contains(ObjectName(range.className, name))
            else { continue }
            versions[name] = version
        }
        for (name, version) in cache.imageVersions where range.contains(name) { versions[name.key] = version }
        for name in try shadowed() where range.contains(name) { versions[name.key] = try version(of: name) }
        for (name, version) in cache.versions where range.contains(name) { versions[name.key] = version }
        return versions.map { (key: $0.key, version: $0.value) }.sorted { $0.key < $1.key }
    }

    public func confirmedClasses() throws -> [SyncString] {
        var names = Set(cache.sums.keys)
        for row in write.keys(tables.sums) {
            if case .string(let name) = write.value(tables.sums.columns[0], row) { names.insert(SyncString(name)) }
        }
        return names.filter { checksum(of: $0).count > 0 }.sorted()
    }

    public func checksum(of className: SyncString) -> ClassChecksum {
        if let known = cache.sums[className] { return known }
        var sum = ClassChecksum(className: className)
        if let row = write.find(primaryKey: .string(className.string), in: tables.sums),
            case .int(let count) = write.value(tables.sums.columns[1], row),
            case .int(let total) = write.value(tables.sums.columns[2], row)
        {
            sum = ClassChecksum(className: className, count: UInt64(bitPattern: count), sum: UInt64(bitPattern: total))
        }
        cache.sums[className] = sum
        return sum
    }

    // MARK: Shadows

    private func shadowRow(_ name: ObjectName) -> ObjectKey? {
        guard cache.shadowCount > 0 else { return nil }
        return write.find(primaryKey: .string(name.text), in: tables.shadows)
    }

    /// Whether pending work keeps the object's confirmed state.
    private func hasShadow(_ name: ObjectName) -> Bool {
        if let known = cache.shadows[name] { return known.shadow != nil }
        return shadowRow(name) != nil
    }

    public func shadow(of name: ObjectName) throws -> Shadow? {
        if let known = cache.shadows[name] { return known.shadow }
        guard let row = shadowRow(name) else { return nil }
        let shadow = try Self.decode(write, tables.shadows.columns[3], row, KeptBytes.shadow)
        cache.shadows[name] = Cache.Entry(shadow: shadow)
        return shadow
    }

    public mutating func setShadow(_ shadow: Shadow?, of name: ObjectName) throws {
        let hadShadow = hasShadow(name)
        if shadow == nil, !hadShadow {
            if let (found, key) = find(name) { write.setImage(found, key, false) }
            return
        }
        cache.shadows[name] = Cache.Entry(shadow: shadow, isChanged: true)
        if shadow != nil { cache.versions[name] = nil }
        if let (found, key) = find(name) { write.setImage(found, key, shadow != nil) }
    }

    /// Many changes of one object are written once.
    private func writeShadows() throws {
        for (name, entry) in cache.shadows.sorted(by: { $0.key < $1.key }) where entry.isChanged {
            let old = shadowRow(name)
            guard let shadow = entry.shadow else {
                if let old {
                    write.delete(tables.shadows, old)
                    cache.shadowCount -= 1
                }
                continue
            }
            let row = try old ?? write.create(tables.shadows, primaryKey: .string(name.text))
            if old == nil { cache.shadowCount += 1 }
            let columns = tables.shadows.columns
            try write.set(columns[1], row, .string(name.className.string))
            try write.set(columns[2], row, shadow.version.map { .int(Int64(bitPattern: $0)) } ?? .null)
            try write.set(columns[3], row, .data(Data(KeptBytes.of(shadow, name))))
        }
    }

    public func shadowed() throws -> [ObjectName] {
        var names = Set(cache.shadows.filter { $0.value.shadow != nil }.keys)
        if cache.shadowCount > 0 {
            for row in write.keys(tables.shadows) {
                let name = try Self.decode(write, tables.shadows.columns[3], row, KeptBytes.name)
                if cache.shadows[name] == nil { names.insert(name) }
            }
        }
        return names.sorted()
    }

    // MARK: The journal

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

    private func writeCommits() throws {
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

extension WriteTransaction {
    func storedVersion(_ column: Column, _ key: ObjectKey) -> StreamVersion? {
        if case .int(let version) = value(column, key) { StreamVersion(bitPattern: version) } else { nil }
    }

    func setVersion(_ found: FileTables.Class, _ key: ObjectKey, _ version: StreamVersion?) {
        // It is a column of optional integers.
        try? set(found.version, key, version.map { .int(Int64(bitPattern: $0)) } ?? .null)
    }

    func setImage(_ found: FileTables.Class, _ key: ObjectKey, _ isKept: Bool) {
        if value(found.image, key) != .bool(isKept) { setBool(found.image, key, isKept) }
    }

    /// The objects whose keys may be in a range.
    ///
    /// - Complexity: O(log n + matches); of a class whose key is optional O(n)
    func keys(_ table: Table, in range: KeyRange, _ column: Column) -> [ObjectKey] {
        guard !column.isOptional, range.after.map(column.fits) ?? true, range.through.map(column.fits) ?? true else {
            return keys(table)
        }
        var tests: [FreeholdEngine.Predicate] = []
        let path = PropertyPath(column)
        if let after = range.after { tests.append(.comparison(path, .greater, after.value)) }
        if let through = range.through { tests.append(.comparison(path, .lessOrEqual, through.value)) }
        if tests.isEmpty { return keys(table) }
        return RowQuery(table: table, predicate: .and(tests)).keys(in: self)
    }
}

extension Column {
    /// Whether a key is of the column's type.
    func fits(_ key: PrimaryKey) -> Bool {
        switch key {
        case .null: isOptional
        case .int: type == .int
        case .string: type == .string
        case .objectId: type == .objectId
        case .uuid: type == .uuid
        }
    }
}
