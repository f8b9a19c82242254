import FreeholdBSON

/// The settings of sync, with their place.
struct SyncFiles {
    var settings: SyncSettings
    let file: String
    let path: [String]
    /// The `permissions` from before 2023, if there are any.
    var permissions: BSONDocument?
    /// The names of the collections of asymmetric classes.
    var asymmetricTables: [String] = []
}

extension ProjectReader {
    /// Reads the settings of sync. Returns `nil` if the app didn't sync.
    mutating func sync(_ root: Root, _ sources: [SourceFiles]) throws(ProjectError) -> SyncFiles? {
        let file = "sync/config.json"
        var reader: SettingsReader?
        if let document = try document(of: file) { reader = SettingsReader(document, file) }
        for entry in try visible("sync") where entry.name != "config.json" {
            note(.ignored, "sync/" + entry.name, because: "Freehold doesn't know what this is.")
        }
        var source: String?
        // Older layouts keep the setting of development mode at the top, and all other settings with the data source.
        if reader == nil || !Self.saysMore(reader!.document),
            let older = sources.first(where: { $0.sync != nil }), let inner = older.sync
        {
            var document = inner.document
            for (key, value) in reader?.document ?? root.sync ?? [:] where !document.contains(key: key) {
                document.append(key, value)
            }
            source = older.source.name
            reader = SettingsReader(document, inner.file, inner.path)
        }
        if reader == nil { reader = root.sync.map { SettingsReader($0, root.file, ["sync"]) } }
        guard var reader, Self.saysMore(reader.document) || reader.document["development_mode_enabled"] == true else {
            return nil
        }
        return try sync(&reader, source)
    }

    /// Returns whether the document contains settings of sync. An app that doesn't sync only has
    /// `development_mode_enabled`.
    private static func saysMore(_ document: BSONDocument) -> Bool {
        document.contains { $0.key != "development_mode_enabled" }
    }

    private mutating func sync(_ reader: inout SettingsReader, _ source: String?) throws(ProjectError) -> SyncFiles {
        var settings = SyncSettings(state: try reader.text("state") ?? "")
        settings.isDevelopmentModeEnabled = try reader.flag("development_mode_enabled") ?? false
        settings.dataSource = try reader.name("service_name") ?? source
        settings.database = try reader.name("database_name")
        settings.clientMaxOfflineDays = try reader.number("client_max_offline_days")
        settings.isRecoveryModeDisabled = try reader.flag("is_recovery_mode_disabled") ?? false
        settings.queryableFields = try reader.texts("queryable_fields_names") ?? []
        let partition = try reader.object("partition")
        switch try reader.name("type") {
        case "flexible"?: settings.mode = .flexible
        case "partition"?: settings.mode = .partition(partition ?? [:])
        case nil: settings.mode = partition.map { .partition($0) } ?? .flexible
        case let type?:
            throw ProjectError(reader.file, reader.path + ["type"], "'\(type)' isn't a kind of sync.")
        }
        var files = SyncFiles(settings: settings, file: reader.file, path: reader.path)
        files.asymmetricTables = try reader.texts("asymmetric_tables") ?? []
        if let permissions = try reader.object("permissions") {
            let isEmpty = permissions.values.allSatisfy { value in
                value.arrayValue?.isEmpty ?? value.documentValue?.isEmpty ?? value.isNull
            }
            if !isEmpty { files.permissions = permissions }
        }
        files.settings.others = reader.others
        if case .partition(let partition) = settings.mode { notePartitions(partition, files) }
        if settings.isRecoveryModeDisabled {
            note(
                .ignored,
                files.file,
                files.path + ["is_recovery_mode_disabled"],
                because: "Whether devices recover their unsent work is decided by each app's client reset mode."
            )
        }
        return files
    }

    private mutating func notePartitions(_ partition: BSONDocument, _ files: SyncFiles) {
        let key = partition["key"]?.stringValue ?? "_partition"
        note(
            .needed,
            files.file,
            files.path + ["partition"],
            because:
                "Partition-based sync isn't supported. Make '\(key)' an ordinary field of the classes, let devices subscribe to "
                + "'\(key) == …' instead of opening a partition, and write the permissions as roles whose 'document_filters' ask for "
                + "'\(key)' where they asked for %%partition. No rules are taken over: everything is closed until you do."
        )
    }
}
