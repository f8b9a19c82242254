#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
public import FreeholdSyncCore

extension FileServerStore: StreamCopySource {
    /// - Throws: `EngineError`, or `StoreDamage` if the file is damaged.
    public func outline(of name: StreamName) throws -> StreamOutline? {
        guard exists(name) else { return nil }
        let file = try stream(name)
        let last = try file.nextRow(in: \.file)
        return try file.read { StreamOutline(name: name, head: $0.head, lastIdent: UInt32(clamping: last)) }
    }

    /// Calls a closure with all records of a stream, in the state of one version.
    ///
    /// - Throws: The errors of the closure, `EngineError`, or `StoreDamage` if the file is damaged.
    public func forEachRecord(of name: StreamName, _ body: ([StreamRecord]) throws -> Void) throws {
        guard exists(name) else { return }
        try withoutActuallyEscaping(body) { body in
            try stream(name).read { stream in
                var batch = StreamRecordBatch(body)
                try stream.copyHistory(&batch)
                try stream.copyFiles(&batch)
                try stream.copyObjects(&batch)
                try batch.flush()
            }
        }
    }

    /// Creates the file of a stream and writes records into it.
    ///
    /// - Precondition: No server uses the folder of the store.
    /// - Throws: `EngineError`, and the errors of the closure. The file is incomplete after an error.
    public func write(
        _ outline: StreamOutline,
        records: (_ add: @escaping ([StreamRecord]) throws -> Void) throws -> Void
    ) throws {
        let file = try stream(outline.name)
        try withoutActuallyEscaping(records) { records in
            try records { batch in try file.add(batch, of: outline) }
        }
        try file.finish(outline)
    }
}

// MARK: - Reading

extension StreamView {
    fileprivate func copyHistory(_ batch: inout StreamRecordBatch) throws {
        for version in 0...head.version {
            guard let mark = mark(version) else { continue }
            try batch.add(.mark(version, hash: mark.hash, clock: mark.clock, time: mark.time))
        }
        guard head.logStart < head.version else { return }
        let log = tables.hidden.log
        for version in head.logStart + 1...head.version {
            let key = ObjectKey(Int64(version) - 1)
            guard view.contains(log, key) else { throw StoreDamage("The log lacks the commit \(version).") }
            var stored = view.pieces(log.columns[2], key)
            // A stored image can be the difference to the image of an earlier commit. Another store can use other differences, so complete images are
            // copied.
            if try StoredImages.root(stored) != nil {
                stored = try images(version).wholeBytes(compression) { try images($0) }
            }
            try batch.add(.log(version, author: author(version), images: stored))
        }
    }

    fileprivate func copyFiles(_ batch: inout StreamRecordBatch) throws {
        for row in view.keys(tables.hidden.file) {
            let ident = FileIdent(rawValue: UInt32(truncatingIfNeeded: row.raw + 1))
            guard let file = try file(ident) else { continue }
            try batch.add(.file(file))
            for index in 0..<view.listCount(column(.answers), row) {
                try batch.add(.answer(ident, try answer(index, row)))
            }
        }
        try copyParts(&batch)
        guard let usage = tables.hidden.usage else { return }
        for row in view.keys(usage) {
            let user = SyncString(view.readString(usage.columns[0], row) ?? "")
            try batch.add(.usage(user, view.word(usage, 1, row)))
        }
    }

    fileprivate func copyObjects(_ batch: inout StreamRecordBatch) throws {
        let values = ValueReader(view: view, tables: tables)
        for table in tables.all.filter({ $0.state != nil }).sorted(by: { $0.table.name < $1.table.name }) {
            let className = SyncString(table.table.name)
            guard let state = table.state else { continue }
            for row in view.keys(table.table) {
                let name = ObjectName(className, try values.key(table, row))
                if view.readInt(state.version, row) == nil {
                    let fields = try reader.ingested(table, row: row, key: name.key)
                    try batch.add(.ingested(name, fields))
                } else if let object = try reader.object(table, row, name.key) {
                    try batch.add(.object(name, object))
                }
            }
        }
        for row in view.keys(tables.hidden.other) {
            let (name, object) = try others.object(row)
            guard let object else { continue }
            let isTakenIn = view.readInt(tables.hidden.other.columns[OtherObjects.Column.version.rawValue], row) == 0
            try batch.add(isTakenIn ? .ingested(name, object) : .object(name, object))
        }
    }
}

// MARK: - Writing

extension StreamFile {
    fileprivate func add(_ records: [StreamRecord], of outline: StreamOutline) throws {
        try write { transaction in
            var stream = try stream(transaction)
            var growth = SchemaGrowth(stream.tables, transaction.schema)
            var (hasUsage, hasWriters, hasFronts) = (false, false, false)
            for record in records {
                switch record {
                case .object(let name, let object) where object.isAlive: growth.add(name, object.contents)
                case .ingested(let name, let object): growth.add(name, object.contents)
                case .usage: hasUsage = true
                case .file(let file):
                    hasWriters = hasWriters || file.user == ""
                    hasFronts = hasFronts || !file.front.isEmpty
                default: break
                }
            }
            let specs = growth.specs
            if !specs.isEmpty { try StoreSchema.extend(specs, in: transaction) }
            if hasUsage, stream.tables.hidden.usage == nil {
                _ = try transaction.addHiddenTable(HiddenTables.usageSpec)
            }
            if hasFronts, stream.tables.hidden.front == nil {
                _ = try transaction.addHiddenTable(HiddenTables.frontSpec)
            }
            if hasWriters, stream.tables.hidden.writer == nil {
                _ = try transaction.addHiddenTable(HiddenTables.writerSpec)
            }
            stream = try self.stream(transaction)
            let copier = StreamCopier(transaction: transaction, stream: stream, outline: outline)
            var objects: [(name: ObjectName, object: MergedObject)] = []
            for record in records {
                switch record {
                case .object(let name, let object): objects.append((name, object))
                default: try copier.add(record)
                }
            }
            if !objects.isEmpty { try StreamWriter(transaction, stream).write(copied: objects) }
        }
    }

    /// Writes the head, after everything else.
    fileprivate func finish(_ outline: StreamOutline) throws {
        // Numbers of removed files mustn't be assigned again.
        try skip(in: \.file, to: Int64(outline.lastIdent))
        // The log of a stream that was trimmed to its head is empty, and its next row has the number of the head.
        try skip(in: \.log, to: Int64(outline.head.version))
        try write { transaction in
            let table = try tables(transaction).hidden.head
            StreamWriter.set(outline.head, table, in: transaction)
        }
    }
}

extension StreamFile {
    /// Returns the number that the next row of a hidden table gets. It waits for writers.
    fileprivate func nextRow(in table: KeyPath<HiddenTables, Table>) throws -> Int64 {
        struct Undone: Error {}
        var number: Int64 = 0
        do {
            try write { transaction in
                number = transaction.createKeyless(try tables(transaction).hidden[keyPath: table]).raw
                throw Undone()
            }
        } catch is Undone {}
        return number
    }

    /// Creates and deletes rows of a hidden table until the next row gets a number.
    fileprivate func skip(in table: KeyPath<HiddenTables, Table>, to number: Int64) throws {
        var next = try nextRow(in: table)
        while next < number {
            let count = min(number - next, 20_000)
            try write { transaction in
                let table = try tables(transaction).hidden[keyPath: table]
                for _ in 0..<count { transaction.delete(table, transaction.createKeyless(table)) }
            }
            next += count
        }
    }
}

/// Writes records in one transaction.
private struct StreamCopier {
    let transaction: WriteTransaction
    let stream: StreamView
    let outline: StreamOutline

    private var hidden: HiddenTables { stream.tables.hidden }

    /// Creates the row of a hidden table that has a number, and the rows before it, which are deleted again.
    private func row(_ number: Int64, in table: Table) throws -> ObjectKey {
        while true {
            let row = transaction.createKeyless(table)
            guard row.raw < number else {
                guard row.raw == number else { throw StoreDamage("The records aren't in their order.") }
                return row
            }
            transaction.delete(table, row)
        }
    }

    func add(_ record: StreamRecord) throws {
        switch record {
        case .mark(let version, let hash, let clock, let time):
            // The file has the mark of the version 0 from its beginning.
            let row = version == 0 ? ObjectKey(0) : try row(Int64(version), in: hidden.mark)
            transaction.setWord(hidden.mark, MarkColumn.hashHigh.rawValue, row, hash.high)
            transaction.setWord(hidden.mark, MarkColumn.hashLow.rawValue, row, hash.low)
            transaction.setWord(hidden.mark, MarkColumn.clock.rawValue, row, clock.rawValue)
            transaction.setWord(hidden.mark, MarkColumn.time.rawValue, row, UInt64(bitPattern: time))
            // A view of the file compares the head with the marks.
            transaction.setWord(hidden.head, HeadColumn.version.rawValue, StreamView.headRow, version)
        case .log(let version, let author, let images):
            let row = try row(Int64(version) - 1, in: hidden.log)
            transaction.setInt(hidden.log.columns[0], row, to: Int64(author.ident.rawValue))
            transaction.setWord(hidden.log, 1, row, author.commit)
            try transaction.setPieces(hidden.log.columns[2], row, to: images)
        case .file(let file): try add(file)
        case .answer(let ident, let answer): try stream.add([answer], to: ident, in: transaction)
        case .part(let ident, let part): _ = try stream.stage(ident, part, in: transaction)
        case .incoming(let ident, let message, let bytes, let time):
            let part = MessagePart(message: message, offset: 0, bytes: bytes)
            _ = try stream.keep(part, of: ident, time, in: transaction)
        case .usage(let user, let bytes):
            guard let table = hidden.usage else { throw StoreDamage("The table of users is missing.") }
            let row = try transaction.create(table, primaryKey: .string(user.string))
            transaction.setWord(table, 1, row, bytes)
        case .ingested(let name, let object): try StreamWriter(transaction, stream).ingest(name, object)
        case .object: break
        }
    }

    private func add(_ file: FileRow) throws {
        let table = hidden.file
        let row = try row(Int64(file.ident.rawValue) - 1, in: table)
        let bytes = file.secret.words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
        }
        try transaction.set(stream.column(.user), row, to: .string(file.user.string))
        try transaction.set(stream.column(.secret), row, to: .data(Data(bytes)))
        try stream.set(file, in: transaction)
        transaction.setWord(table, FileColumn.leastBase.rawValue, row, file.leastBase.map { $0 &+ 1 } ?? 0)
        transaction.setWord(table, FileColumn.time.rawValue, row, UInt64(bitPattern: file.time))
        for (column, queries) in [(FileColumn.subscribed, file.subscribed), (.pending, file.pending)] {
            guard let queries else { continue }
            try transaction.setPieces(stream.column(column), row, to: StoredMessage.bytes(queries))
        }
        let classes = file.classes.sorted().map { Value.string($0.string) }
        try transaction.listAssign(stream.column(.classes), row, values: classes)
        guard file.user == "", let writers = hidden.writer else { return }
        transaction.setInt(writers.columns[0], try transaction.create(writers), to: Int64(file.ident.rawValue))
    }
}
