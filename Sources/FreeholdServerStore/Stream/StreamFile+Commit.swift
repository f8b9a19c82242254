#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// The storage of a group of commits, with all of its changes in one transaction.
extension StreamFile {
    /// Stores a group of commits.
    ///
    /// - Returns: `false` if the head or a file that the commit writes isn't the expected one.
    func commit(_ commit: StoreCommit) throws -> Bool {
        let current = try read { $0.head }
        guard current.isExpected(by: commit) else { return false }
        return try write { transaction in
            var stream = try stream(transaction)
            guard stream.head.isExpected(by: commit), try stream.hasFiles(of: commit) else { return false }
            if options.mode == .development {
                var growth = SchemaGrowth(stream.tables, transaction.schema)
                for (name, object) in commit.objects where object.isAlive { growth.add(name, object.contents) }
                for (name, fields) in commit.ingested { growth.add(name, MergedObject(ingested: fields).contents) }
                let specs = growth.specs
                if !specs.isEmpty {
                    try StoreSchema.extend(specs, in: transaction)
                    stream = try self.stream(transaction)
                }
            }
            if !commit.growth.isEmpty, stream.tables.hidden.usage == nil {
                _ = try transaction.addHiddenTable(HiddenTables.usageSpec)
                stream = try self.stream(transaction)
            }
            if commit.files.values.contains(where: { !$0.front.isEmpty }), stream.tables.hidden.front == nil {
                stream = try streamWithFronts(transaction)
            }
            let writer = StreamWriter(transaction, stream)
            try writer.write(commit, images: StoredImages.Writer(options.compression, longList: options.longList))
            return true
        }
    }
}

extension StreamHead {
    fileprivate func isExpected(by commit: StoreCommit) -> Bool {
        cursor == commit.expected.cursor && horizon == commit.expected.horizon
    }
}

extension StreamView {
    /// Returns a Boolean value that indicates whether the files that a commit writes are still those that it expects.
    fileprivate func hasFiles(of commit: StoreCommit) throws -> Bool { try commit.fits(identity) }
}

struct StreamWriter {
    let transaction: WriteTransaction
    let stream: StreamView
    private let rows: RowWriter
    private var tables: StoreTables { stream.tables }

    init(_ transaction: WriteTransaction, _ stream: StreamView) {
        (self.transaction, self.stream) = (transaction, stream)
        rows = RowWriter(transaction: transaction, tables: stream.tables, shapes: stream.shapes)
    }

    func write(_ commit: StoreCommit, images: StoredImages.Writer) throws {
        try write(commit.objects, commit.entries)
        // Objects are stored in the order of their names, which is the same in each run.
        for (name, fields) in commit.ingested.sorted(by: { $0.key < $1.key }) {
            try ingest(name, MergedObject(ingested: fields))
        }
        var images = images
        for entry in commit.entries { try append(entry, images: images.bytes(entry)) }
        for row in commit.files.values { try stream.set(row, in: transaction) }
        for (ident, answers) in commit.answers { try stream.add(answers, to: ident, in: transaction) }
        try stream.finishParts(commit.finishedParts, in: transaction)
        for (user, growth) in commit.growth.sorted(by: { $0.key < $1.key }) {
            try stream.note(growth, of: user, in: transaction)
        }
        var head = commit.head
        (head.horizon, head.logStart) = (stream.head.horizon, stream.head.logStart)
        set(head)
    }

    func set(_ head: StreamHead) { Self.set(head, tables.hidden.head, in: transaction) }

    static func set(_ head: StreamHead, _ table: Table, in transaction: WriteTransaction) {
        func set(_ column: HeadColumn, _ word: UInt64) {
            transaction.setWord(table, column.rawValue, StreamView.headRow, word)
        }
        set(.epoch, head.epoch)
        set(.version, head.version)
        set(.hashHigh, head.hash.high)
        set(.hashLow, head.hash.low)
        set(.clock, head.clock.rawValue)
        set(.now, UInt64(bitPattern: head.now))
        set(.horizon, head.horizon)
        set(.logStart, head.logStart)
    }

    private func append(_ entry: LogEntry, images: [UInt8]) throws {
        let (log, mark) = (tables.hidden.log, tables.hidden.mark)
        let row = try transaction.create(log)
        guard row.raw + 1 == Int64(entry.version) else { throw StoreDamage("A version isn't the log's next.") }
        transaction.setInt(log.columns[0], row, to: Int64(entry.author.ident.rawValue))
        transaction.setWord(log, 1, row, entry.author.commit)
        try transaction.setPieces(log.columns[2], row, to: images)
        let made = try transaction.create(mark)
        transaction.setWord(mark, MarkColumn.hashHigh.rawValue, made, entry.hash.high)
        transaction.setWord(mark, MarkColumn.hashLow.rawValue, made, entry.hash.low)
        transaction.setWord(mark, MarkColumn.clock.rawValue, made, entry.clock.rawValue)
        transaction.setWord(mark, MarkColumn.time.rawValue, made, UInt64(bitPattern: entry.time))
    }

    // MARK: Objects

    /// An object that receives a row.
    private struct Row {
        let name: ObjectName
        let object: MergedObject
        let table: ClassTable
        let key: ObjectKey
        let isNew: Bool
    }

    /// Writes objects of another store, which aren't in the file yet.
    func write(copied objects: [(name: ObjectName, object: MergedObject)]) throws { try write(objects, []) }

    private func write(_ objects: [(name: ObjectName, object: MergedObject)], _ entries: [LogEntry]) throws {
        // The states before the group.
        var before: [ObjectName: MergedObject?] = [:]
        for entry in entries {
            for change in entry.changes where before[change.name] == nil { before[change.name] = .some(change.object) }
        }
        let others = stream.others
        let hasOthers = transaction.count(tables.hidden.other) > 0
        // Rows are created first, so that links between new objects need no placeholders. They are created in the order
        // of their names, so that neighbours in this order are stored together.
        var living: [Row] = []
        for (name, object) in objects.sorted(by: { $0.name < $1.name }) {
            let table = tables.table(of: name.className)
            guard object.isAlive, let table, let column = table.key, let value = Value(name.key, column) else {
                if let table, let row = table.row(name.key, in: transaction) { try delete(table, row) }
                try others.write(name, object, in: transaction)
                continue
            }
            if hasOthers { others.remove(name, in: transaction) }
            if let made = transaction.createUnlessTaken(table.table, primaryKey: value) {
                living.append(Row(name: name, object: object, table: table, key: made, isNew: true))
            } else if let row = transaction.find(primaryKey: value, in: table.table) {
                living.append(Row(name: name, object: object, table: table, key: row, isNew: false))
            }
        }
        for row in living {
            var old: RowWriter.Old?
            if !row.isNew {
                let known = (before[row.name] ?? nil).flatMap { $0.isAlive ? $0.contents : nil }
                old = RowWriter.Old(contents: known, plan: try rows.plan(row.table, row.key))
            }
            try rows.write(row.table, row.key, row.name.key, row.object, old: old)
        }
    }

    /// Deletes the row of an object. A row of an asymmetric class isn't deleted.
    private func delete(_ table: ClassTable, _ row: ObjectKey) throws {
        guard let state = table.state, transaction.readInt(state.version, row) != nil else { return }
        try transaction.deleteLeavingPlaceholder(table.table, row)
    }

    /// Rewrites an object that the horizon has trimmed.
    func rewrite(_ table: ClassTable, _ row: ObjectKey) throws {
        let key = try ValueReader(view: transaction, tables: tables).key(table, row)
        guard let object = try stream.reader.object(table, row, key) else { return }
        let old = RowWriter.Old(contents: object.contents, plan: try rows.plan(table, row))
        try rows.write(table, row, key, object, old: old)
    }

    /// Stores an object of an asymmetric class in a row that no request reads. If the object exists, it isn't changed.
    func ingest(_ name: ObjectName, _ object: MergedObject) throws {
        if let table = tables.table(of: name.className), let column = table.key, let value = Value(name.key, column) {
            guard let row = transaction.createUnlessTaken(table.table, primaryKey: value) else { return }
            try rows.take(table, row, name.key, object)
        } else if stream.others.row(name) == nil {
            try stream.others.write(name, object, in: transaction, isTakenIn: true)
        }
    }
}
