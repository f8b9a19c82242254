import CFreeholdShims
import Foundation
import FreeholdEngine

/// A migration of a file, from the first read to the commit.
struct MigrationRun {
    let file: RealmFile
    let configuration: Realm.Configuration
    /// The classes of the configuration.
    let schema: Schema
    private let specs: [TableSpec]
    private let progress: MigrationProgress.Meter

    init(_ file: RealmFile, _ configuration: Realm.Configuration, in schema: Schema) {
        self.file = file
        self.configuration = configuration
        self.schema = schema
        specs = schema.tableSpecs(configuration.textMatching)
        progress = MigrationProgress.Meter(configuration)
    }

    /// Runs the migration.
    ///
    /// - Precondition: The transaction has no changes yet.
    /// - Throws: An error, after which the transaction can only be cancelled.
    func run(in transaction: WriteTransaction) throws {
        let oldVersion = transaction.userVersion
        Log.write(
            .detail,
            .storage,
            message: "Migrate \(configuration.fileURL?.path ?? "an in-memory realm") from version \(oldVersion) to "
                + "\(configuration.schemaVersion)."
        )
        transaction.schemaProgress = { [progress] in progress.report($0, $1) }
        let hasBlock = configuration.migrationBlock != nil
        let plan = try transaction.extendSchema(to: specs, suspendsPrimaryKeys: hasBlock)
        try DefaultValues.fill(plan, schema, in: transaction, progress: progress)
        if let block = configuration.migrationBlock {
            let cleared = try run(block, transaction, from: oldVersion)
            for id in cleared {
                if let table = transaction.schema.table(id: id) { transaction.dropTable(table) }
            }
        }
        try transaction.finishSchema(
            specs,
            userVersion: configuration.schemaVersion,
            resolvesOwners: configuration.resolvesOwnersInMigrations
        )
    }

    // MARK: The block

    /// - Returns: The tables to remove.
    private func run(
        _ block: MigrationBlock,
        _ transaction: WriteTransaction,
        from oldVersion: UInt64
    ) throws(Realm.Error) -> Set<Int> {
        let old = core(oldSchema(transaction.base.schema), transaction.base)
        let new = core(stageSchema(transaction.schema), transaction.base)
        new.adopt(transaction)
        file.willRunBlock(transaction)
        new.predecessor = old
        // Objects that the block has kept become invalid, and keep no resources open.
        defer {
            new.leaveTransaction()
            old.invalidate()
        }
        let migration = Migration(old: old, new: new, newSchema: schema, specs: specs, progress: progress)
        block(migration, oldVersion)
        if let error = new.pendingError { throw error }
        return migration.cleared
    }

    private func core(_ schema: Schema, _ snapshot: Snapshot) -> RealmCore {
        RealmCore(
            file: file,
            configuration: configuration,
            schema: schema,
            snapshot: snapshot,
            // The block runs on this thread, independent of the realm's later confinement.
            confinement: .thread(fh_thread_serial())
        )
    }

    /// Returns the schema of the file, with the Swift names that the new classes have for its properties.
    private func oldSchema(_ stored: DatabaseSchema) -> Schema {
        var old = Schema(stored)
        for i in old.objectSchema.indices {
            guard let object = schema.objectSchema.first(where: { $0.className == old.objectSchema[i].className })
            else { continue }
            for p in old.objectSchema[i].allProperties.indices {
                let column = old.objectSchema[i].allProperties[p].columnName
                if let known = object.allProperties.first(where: { $0.columnName == column && !$0.isComputed }) {
                    old.objectSchema[i].allProperties[p].name = known.name
                }
            }
        }
        return old
    }

    /// Returns the new classes for the time of the block: without primary keys, and not embedded unless they were
    /// embedded before.
    private func stageSchema(_ stored: DatabaseSchema) -> Schema {
        var stage = schema
        for i in stage.objectSchema.indices {
            let table = stored.table(named: stage.objectSchema[i].className)
            stage.objectSchema[i].isEmbedded = table?.isEmbedded ?? false
            for p in stage.objectSchema[i].allProperties.indices {
                stage.objectSchema[i].allProperties[p].isPrimaryKey = false
            }
        }
        return stage
    }
}
