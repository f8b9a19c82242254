import FreeholdEngine

/// The change that opening a file with a configuration makes to the file.
enum SchemaAction {
    case nothing
    /// Adds new classes and indexes, and sets the version.
    case apply
    /// Like `apply`, and also adds new properties, independent of the version.
    case extend
    case migrate
    /// Deletes all data, and starts with an empty file.
    case reset

    /// - Throws: An error if the file can't be opened with the configuration.
    init(_ configuration: Realm.Configuration, _ specs: [TableSpec], stored: DataView) throws {
        let version = configuration.schemaVersion
        switch configuration.schemaMode {
        case .readOnly, .immutable:
            if configuration.schemaMode == .immutable, stored.userVersion != version {
                throw Realm.Error(
                    .schemaMismatch,
                    "The file has schema version \(stored.userVersion), the configuration \(version). An immutable file "
                        + "can't be migrated: open it with its version."
                )
            }
            try SchemaFit(specs, stored: stored.schema).checkReadOnly(configuration)
            self = .nothing
        case .additive:
            let plan = try SchemaPlan(specs, against: stored.schema)
            self = plan.addsNothing && stored.userVersion >= version ? .nothing : .extend
        case .automatic:
            let plan = try SchemaPlan(specs, against: stored.schema)
            let isSame = stored.userVersion == version
            if isSame, plan.isExact {
                self = .nothing
            } else if stored.schema.tables.isEmpty {
                // A new file has no version.
                self = .apply
            } else if configuration.deleteRealmIfMigrationNeeded, !isSame || !plan.differences.isEmpty {
                self = .reset
            } else if stored.userVersion > version {
                throw Realm.Error(
                    .schemaVersionTooLow,
                    "The file has schema version \(stored.userVersion), the configuration \(version). "
                        + "Open it with the file's version or a higher one."
                )
            } else {
                self = isSame ? .apply : .migrate
            }
        }
    }

    /// A Boolean value that indicates whether other users of the open file would lose the data that they read.
    var isExclusive: Bool {
        switch self {
        case .migrate, .reset: true
        case .nothing, .apply, .extend: false
        }
    }
}

extension RealmCore {
    /// Makes the changes that the configuration's classes need, and returns the newest version of the file.
    static func prepare(
        _ file: RealmFile,
        _ configuration: Realm.Configuration,
        in schema: Schema
    ) throws -> Snapshot {
        let snapshot = try file.database.snapshot()
        if file.checkedSchemas.fits(schema, configuration, at: snapshot) { return snapshot }
        let specs = schema.tableSpecs(configuration.textMatching)
        if case .nothing = try SchemaAction(configuration, specs, stored: snapshot) {
            file.checkedSchemas.note(schema, configuration, at: snapshot)
            return snapshot
        }
        let transaction = try file.beginWrite(configuration)
        // The transaction runs code of the program: default values of its classes, and migrations.
        file.didBeginWrite(transaction, .current)
        file.willRunBlock(transaction)
        defer {
            transaction.cancel()
            file.didEndWrite(transaction)
        }
        let start = Diagnostics.start(.maintenance)
        // Another process may have made the changes first.
        let action = try SchemaAction(configuration, specs, stored: transaction)
        if action.isExclusive { try RealmCache.checkClosed(file, configuration) }
        switch action {
        case .nothing: return try file.database.snapshot()
        case .apply: try transaction.applySchema(specs, userVersion: configuration.schemaVersion)
        case .extend:
            let progress = MigrationProgress.Meter(configuration)
            try transaction.addToSchema(specs, userVersion: configuration.schemaVersion) { plan throws(EngineError) in
                try DefaultValues.fill(plan, schema, in: transaction, progress: progress)
            }
        case .migrate: try MigrationRun(file, configuration, in: schema).run(in: transaction)
        case .reset:
            transaction.dropAllTables()
            try transaction.applySchema(specs, userVersion: configuration.schemaVersion)
        }
        let committed = try transaction.commit()
        if let start { action.tell(transaction, committed, since: start) }
        return committed
    }
}

extension SchemaAction {
    /// Reports the change to diagnostics.
    fileprivate func tell(_ transaction: WriteTransaction, _ made: Snapshot, since start: ContinuousClock.Instant) {
        guard let change else { return }
        let old = transaction.base
        Diagnostics.send(
            .changedSchema(
                DiagnosticEvent.SchemaChange(
                    path: transaction.path,
                    action: old.schema.tables.isEmpty ? .create : change,
                    oldVersion: old.userVersion,
                    newVersion: made.userVersion,
                    lasted: .now - start
                )
            )
        )
    }

    /// The kind of change for diagnostics.
    private var change: DiagnosticEvent.SchemaChange.Action? {
        switch self {
        case .nothing: nil
        case .apply, .extend: .extend
        case .migrate: .migrate
        case .reset: .reset
        }
    }
}

extension RealmCache {
    /// - Throws: `.alreadyOpen` if a realm of this process, on any thread, shows the file.
    fileprivate static func checkClosed(
        _ file: RealmFile,
        _ configuration: Realm.Configuration
    ) throws(Realm.Error) {
        guard isOpen(.database(file.database.identity)) else { return }
        throw Realm.Error(
            .alreadyOpen,
            "The file has to be migrated to schema version \(configuration.schemaVersion), but is open in this process "
                + "with another one. Let go of every realm, object and collection of it first."
        )
    }
}
