import FreeholdBSON

extension AppServicesProject {
    /// Returns the project's files in the format of App Services' command line, by their paths relative to the
    /// project's folder. Reading the files gives an equal project, with three exceptions: ``unsupported`` isn't
    /// written, layouts before that of 2021 become the newest layout, and the width of integers is lost in JSON.
    ///
    /// - Throws: `ProjectError` for names that can't be names of files, and for two classes in one collection.
    /// - Complexity: O(size of the project)
    public func files() throws(ProjectError) -> [String: [UInt8]] {
        var writer = ProjectWriter(self)
        try writer.write()
        return writer.files
    }

    /// Writes the project into a folder that doesn't exist or is empty. The folder receives its name only when it is
    /// complete.
    ///
    /// - Throws: `ProjectError` like ``files()``, and if the folder isn't empty or can't be written.
    /// - Complexity: O(size of the project)
    public func write(_ folder: String) throws(ProjectError) { try FolderWriter.make(folder, try files()) }
}

private struct ProjectWriter {
    let project: AppServicesProject
    private(set) var files: [String: [UInt8]] = [:]
    private var sourceName = ""

    init(_ project: AppServicesProject) { self.project = project }

    mutating func write() throws(ProjectError) {
        sourceName =
            project.sync?.dataSource ?? project.dataSources.first { $0.name == "mongodb-atlas" }?.name
            ?? project.dataSources.first?.name ?? "mongodb-atlas"
        try writeRoot()
        try writeValues()
        try writeAuthentication()
        if let sync = project.sync { try write(["sync", "config.json"], document(sync)) }
        try writeClasses()
    }

    private mutating func write(_ path: [String], _ document: BSONDocument) throws(ProjectError) {
        for part in path {
            guard !part.isEmpty, part != ".", part != "..", part.utf8.count <= 255, !part.utf8.contains(0x2F),
                !part.utf8.contains(0)
            else {
                throw ProjectError(path.joined(separator: "/"), "'\(part.prefix(80))' can't be the name of a file.")
            }
        }
        let name = path.joined(separator: "/")
        do {
            let text = try document.extendedJSON(.relaxed, pretty: true, limits: BSONLimits(depth: 900))
            guard files.updateValue(Array((text + "\n").utf8), forKey: name) == nil else {
                throw ProjectError(name, "Two things would be written to one file.")
            }
        } catch let error as BSONError {
            throw ProjectError(name, error.path, error.reason)
        } catch let error as ProjectError {
            throw error
        } catch {
            throw ProjectError(name, "\(error)")
        }
    }

    // MARK: Settings

    private mutating func writeRoot() throws(ProjectError) {
        let isNewest = project.layout != .v20210101
        let version = BSONValue.int32(Int32(isNewest ? 2023_0101 : 2021_0101))
        var root = BSONDocument()
        if !isNewest {
            root["config_version"] = version
            root["app_id"] = project.ids.clientApp.map { .string($0) }
        }
        root["name"] = .string(project.name)
        if !project.environment.isEmpty { root["environment"] = .string(project.environment) }
        if !project.allowedRequestOrigins.isEmpty {
            root["allowed_request_origins"] = .array(project.allowedRequestOrigins.map { .string($0) })
        }
        root.add(project.settings)
        try write([isNewest ? "root_config.json" : "realm_config.json"], root)

        var metadata: BSONDocument = ["config_version": version]
        metadata["app_id"] = project.ids.app.map { .string($0) }
        metadata["group_id"] = project.ids.group.map { .string($0) }
        if isNewest { metadata["client_app_id"] = project.ids.clientApp.map { .string($0) } }
        if metadata.count > 1 { try write([".mdb", isNewest ? "meta.json" : "app_meta.json"], metadata) }
    }

    private mutating func writeValues() throws(ProjectError) {
        for (name, values) in project.environments {
            let file = (name.isEmpty ? "no-environment" : name) + ".json"
            try write(["environments", file], ["values": .document(values)])
        }
        for value in project.values {
            var document: BSONDocument = ["name": .string(value.name)]
            switch value.content {
            case .plain(let plain):
                document["value"] = plain
                document["from_secret"] = false
            case .secret(let name):
                document["value"] = .string(name)
                document["from_secret"] = true
            }
            document.add(value.others)
            try write(["values", value.name + ".json"], document)
        }
    }

    private mutating func writeAuthentication() throws(ProjectError) {
        var providers = BSONDocument()
        for provider in project.providers {
            guard !providers.contains(key: provider.name) else {
                throw ProjectError("auth/providers.json", [provider.name], "There are two such providers.")
            }
            providers.append(provider.name, .document(document(provider)))
        }
        if !providers.isEmpty { try write(["auth", "providers.json"], providers) }
        guard let settings = project.customUserData else { return }
        var document: BSONDocument = ["enabled": .bool(settings.isEnabled)]
        document["mongo_service_name"] = settings.dataSource.map { .string($0) }
        document["database_name"] = settings.database.map { .string($0) }
        document["collection_name"] = settings.collection.map { .string($0) }
        document["user_id_field"] = settings.userIdField.map { .string($0) }
        document.add(settings.others)
        try write(["auth", "custom_user_data.json"], document)
    }

    private func document(_ provider: AuthenticationProvider) -> BSONDocument {
        var document: BSONDocument = ["name": .string(provider.name), "type": .string(provider.type)]
        if !provider.config.isEmpty { document["config"] = .document(provider.config) }
        if !provider.secretConfig.isEmpty { document["secret_config"] = .document(provider.secretConfig) }
        if !provider.metadataFields.isEmpty {
            document["metadata_fields"] = .array(
                provider.metadataFields.map { field in
                    var document: BSONDocument = ["required": .bool(field.isRequired), "name": .string(field.path)]
                    document["field_name"] = field.fieldName.map { .string($0) }
                    return .document(document)
                }
            )
        }
        if !provider.redirectURIs.isEmpty {
            document["redirect_uris"] = .array(provider.redirectURIs.map { .string($0) })
        }
        document["disabled"] = .bool(provider.isDisabled)
        document.add(provider.others)
        return document
    }

    private func document(_ sync: SyncSettings) -> BSONDocument {
        var document = BSONDocument()
        switch sync.mode {
        case .flexible: document["type"] = "flexible"
        case .partition(let partition):
            document["type"] = "partition"
            document["partition"] = .document(partition)
        }
        document["state"] = .string(sync.state)
        document["development_mode_enabled"] = .bool(sync.isDevelopmentModeEnabled)
        document["service_name"] = sync.dataSource.map { .string($0) }
        document["database_name"] = sync.database.map { .string($0) }
        document["client_max_offline_days"] = sync.clientMaxOfflineDays.map { BSONValue(whole: $0) }
        document["is_recovery_mode_disabled"] = .bool(sync.isRecoveryModeDisabled)
        if !sync.queryableFields.isEmpty {
            document["queryable_fields_names"] = .array(sync.queryableFields.map { .string($0) })
        }
        if !project.asymmetricClasses.isEmpty {
            let names = project.asymmetricClasses.map { place($0).collection }.sorted()
            document["asymmetric_tables"] = .array(names.map { .string($0) })
        }
        document.add(sync.others)
        return document
    }

    // MARK: Classes

    /// Returns the place of a class's files.
    private func place(_ className: String) -> CollectionPlace {
        project.collections[className]
            ?? CollectionPlace(
                dataSource: sourceName,
                database: project.sync?.database ?? "app",
                collection: className
            )
    }

    private mutating func writeClasses() throws(ProjectError) {
        let names =
            project.schemas.compactMap { $0.schema["title"]?.stringValue } + project.rules.classes.map(\.className)
        let needsSource = !names.isEmpty || project.rules.defaultRoles != nil
        var sources = project.dataSources
        for name in Set(names.map { place($0).dataSource } + (needsSource ? [sourceName] : [])).sorted()
        where !sources.contains(where: { $0.name == name }) {
            sources.append(DataSource(name))
        }
        for source in sources {
            var document: BSONDocument = ["name": .string(source.name), "type": .string(source.type)]
            document["config"] = .document(source.config)
            document.add(source.others)
            try write(["data_sources", source.name, "config.json"], document)
        }
        for schema in project.schemas { try write(schema) }
        for rules in project.rules.classes {
            let place = place(rules.className)
            var document: BSONDocument = [
                "collection": .string(place.collection), "database": .string(place.database),
            ]
            document["_id"] = rules.identifier
            document["roles"] = .array(rules.roles.map { .document($0.document) })
            try write(["data_sources", place.dataSource, place.database, place.collection, "rules.json"], document)
        }
        if let roles = project.rules.defaultRoles {
            try write(
                ["data_sources", sourceName, "default_rule.json"],
                ["roles": .array(roles.map { .document($0.document) })]
            )
        }
    }

    private mutating func write(_ schema: SchemaDocument) throws(ProjectError) {
        guard let title = schema.schema["title"]?.stringValue else {
            throw ProjectError("data_sources", ["title"], "A schema has a 'title', the class's name.")
        }
        let place = place(title)
        let folder = ["data_sources", place.dataSource, place.database, place.collection]
        try write(folder + ["schema.json"], schema.schema)
        var relationships = BSONDocument()
        for (field, value) in schema.relationships {
            guard case .document(var link) = value, let reference = link["ref"]?.stringValue,
                let target = reference.split(separator: "/").last
            else {
                relationships.append(field, value)
                continue
            }
            let other = self.place(String(target))
            link["ref"] = .string("#/relationship/\(other.dataSource)/\(other.database)/\(other.collection)")
            relationships.append(field, .document(link))
        }
        try write(folder + ["relationships.json"], relationships)
    }
}

extension BSONDocument {
    /// Appends the entries whose keys are missing.
    fileprivate mutating func add(_ others: BSONDocument) {
        for (key, value) in others where !contains(key: key) { append(key, value) }
    }
}

extension BSONValue {
    fileprivate init(whole number: Int) { self = Int32(exactly: number).map { .int32($0) } ?? .int64(Int64(number)) }
}
