#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// The file of one stream. Any thread may use it: requests that write run one after the other, and requests that read
/// don't wait for them.
final class StreamFile: Sendable {
    let database: Database
    let options: FileServerStore.Options
    let shapes = RowShapes()
    let past = Lock(PastStates())
    /// The tables of each schema that a version in use has. The newest schema is last.
    private let known = Lock<[StoreTables]>([])

    /// Opens the file of a stream. A missing file is created.
    ///
    /// - Throws: `EngineError`, and `StoreDamage` for a file that doesn't belong to a stream.
    init(
        at path: String,
        _ name: StreamName,
        epoch: UInt64,
        schema: [TableSpec],
        _ options: FileServerStore.Options
    ) throws {
        var engine = Database.Options()
        (engine.mapSize, engine.encryptionKey) = (options.mapSize, options.encryptionKey)
        engine.clusterSpan = options.clusterSpan
        options.engine(&engine)
        self.options = options
        Self.shrink(path, options)
        database = try Database.open(at: path, options: engine)
        let isNew = try database.snapshot().schema.hiddenTable(named: "head") == nil
        if isNew {
            try write { transaction in
                guard transaction.schema.hiddenTable(named: "head") == nil else { return }
                try Self.make(name, epoch: epoch, in: transaction)
            }
        }
        try read { stream in
            let data = stream.view.readData(
                stream.tables.hidden.head.columns[HeadColumn.allCases.count],
                StreamView.headRow
            )
            guard try StreamName(Array(data ?? Data())) == name else {
                throw StoreDamage("The file is that of another stream.")
            }
        }
        guard !schema.isEmpty else { return }
        let specs = schema.map(StoreSchema.stored)
        let plan = try database.snapshot()
        if try SchemaPlan(specs, against: plan.schema).addsNothing, plan.schema.tables.allSatisfy(StoreSchema.isWhole) {
            return
        }
        try write { try StoreSchema.extend(specs, in: $0) }
    }

    /// Rewrites a file that mostly consists of free pages, before it is opened. A file that another process has open
    /// isn't rewritten, and neither is a file for whose copy the device has no space. All other errors of the file are
    /// thrown when it is opened.
    private static func shrink(_ path: String, _ options: FileServerStore.Options) {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        guard let size, UInt64(size) >= options.shrinkBytes else { return }
        _ = try? Database.compact(at: path, key: options.encryptionKey) { use in
            // Requests wait while the live data is copied.
            use.used < use.total / 3 && use.used <= 1 << 30
        }
    }

    private static func make(_ name: StreamName, epoch: UInt64, in transaction: WriteTransaction) throws {
        try HiddenTables.make(in: transaction)
        guard let tables = HiddenTables(transaction.schema) else { throw StoreDamage("The tables are missing.") }
        _ = try transaction.create(tables.mark)
        let head = try transaction.create(tables.head)
        transaction.setWord(tables.head, HeadColumn.epoch.rawValue, head, epoch)
        try transaction.set(tables.head.columns[HeadColumn.allCases.count], head, to: .data(Data(name.bytes)))
    }

    // MARK: Transactions

    func tables(_ view: DataView) throws -> StoreTables {
        let schema = view.schema
        if let tables = known.withLock({ $0.last { $0.schema === schema } }) { return tables }
        let tables = try StoreTables(schema)
        known.withLock { $0 = $0.suffix(3) + [tables] }
        return tables
    }

    func stream(_ view: DataView, horizon: StreamVersion = 0) throws -> StreamView {
        try StreamView(view, tables(view), shapes, options.compression, horizon: horizon)
    }

    /// Reads the newest version. Readers and writers don't wait for each other.
    func read<Result>(_ body: (StreamView) throws -> Result) throws -> Result {
        try read(database.snapshot(), body)
    }

    func read<Result>(
        _ snapshot: Snapshot,
        horizon: StreamVersion = 0,
        _ body: (StreamView) throws -> Result
    ) throws -> Result {
        try snapshot.reading { try body(stream($0, horizon: horizon)) }
    }

    /// Writes in a transaction that is durable at the return. If the call throws an error other than `CommitFailure`,
    /// nothing was written.
    func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        releasePast()
        let transaction = try database.beginWrite()
        let result: Result
        do { result = try body(transaction) } catch {
            transaction.cancel()
            forget()
            throw error
        }
        do { _ = try transaction.commit() } catch {
            forget()
            throw CommitFailure(error: error)
        }
        return result
    }

    /// Releases versions that bootstraps read some time ago, so that this transaction can reuse their pages.
    private func releasePast() {
        past.withLock { past in
            guard past.isHolding else { return }
            past.expire(at: options.clock(), fileBytes: database.fileBytes, in: options.pins)
        }
    }

    /// Removes cached numbers of shapes after a transaction that wasn't committed, because other shapes will receive
    /// these numbers.
    private func forget() {
        shapes.forget()
        known.withLock { $0 = [] }
    }

    /// The error of an object that is too deep or too large for a document.
    struct OversizedObject: Error, CustomStringConvertible {
        let description: String
    }

    /// The error of a failed commit. It is unknown whether the changes are stored, until they are read.
    struct CommitFailure: Error {
        let error: EngineError
    }
}
