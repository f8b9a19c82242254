import FreeholdBSON

/// A data source, with the collections that its folders describe.
struct SourceFiles {
    var source: DataSource
    /// The folder, without a slash at the end.
    let folder: String
    var collections: [CollectionFiles] = []
    /// `default_rule.json`.
    var defaultRule: BSONDocument?
    /// The sync settings in `config`, for older layouts.
    var sync: SettingsReader?
}

struct CollectionFiles {
    let place: CollectionPlace
    var schema: BSONDocument?
    var relationships: BSONDocument = [:]
    var rules: BSONDocument?
    /// The place of the schema, of the relationships and of the rules.
    var schemaPlace = (file: "", path: [String]())
    var relationshipsPlace = (file: "", path: [String]())
    var rulesFile = ""
}

extension ProjectReader {
    mutating func dataSources() throws(ProjectError) -> [SourceFiles] {
        var sources: [SourceFiles] = []
        for top in ["data_sources", "services"] {
            for entry in try visible(top) {
                let folder = top + "/" + entry.name
                guard entry.isFolder else {
                    note(.ignored, folder, because: "Folders of services belong here: this is passed over.")
                    continue
                }
                guard let source = try dataSource(entry.name, folder, isOld: top == "services") else { continue }
                guard !sources.contains(where: { $0.source.name == source.source.name }) else {
                    throw ProjectError(folder, "There are two data sources named '\(source.source.name)'.")
                }
                sources.append(source)
            }
        }
        return sources.sorted { $0.source.name < $1.source.name }
    }

    private mutating func dataSource(_ name: String, _ folder: String, isOld: Bool) throws(ProjectError) -> SourceFiles?
    {
        let file = folder + "/config.json"
        var reader = SettingsReader(try document(of: file) ?? [:], file)
        var source = DataSource(
            try reader.name("name") ?? name,
            type: try reader.name("type") ?? (isOld ? "" : "mongodb-atlas"),
            config: try reader.object("config") ?? [:]
        )
        source.others = reader.others
        guard source.type != "datalake" else {
            note(.leftOut, folder, because: "A federated database instance didn't sync, and isn't taken over.")
            return nil
        }
        guard source.type == "mongodb-atlas" || source.type == "mongodb" else {
            note(
                .ignored,
                folder,
                because: "Freehold calls no services (this one is '\(source.type)'): a program of yours can."
            )
            return nil
        }
        var files = SourceFiles(source: source, folder: folder)
        for key in ["flexible_sync", "sync"] {
            guard let sync = source.config.removeValue(forKey: key), !sync.isNull else { continue }
            guard files.sync == nil else { continue }
            files.sync = try SettingsReader(sync, file, ["config", key])
        }
        files.source.config = source.config
        files.defaultRule = try document(of: folder + "/default_rule.json")
        if isOld {
            files.collections = try oldCollections(files.source.name, folder)
        } else {
            files.collections = try collections(files.source.name, folder)
        }
        let known = ["config.json", "default_rule.json"] + (isOld ? ["rules"] : [])
        for entry in try visible(folder) where !known.contains(entry.name) && (isOld || !entry.isFolder) {
            // Old data sources have an empty folder of webhooks.
            if entry.isFolder, try visible(folder + "/" + entry.name).isEmpty { continue }
            note(.ignored, folder + "/" + entry.name, because: "Freehold doesn't know what this is.")
        }
        return files
    }

    /// Reads `data_sources/SOURCE/DATABASE/COLLECTION/{schema,relationships,rules}.json`.
    private mutating func collections(_ source: String, _ folder: String) throws(ProjectError) -> [CollectionFiles] {
        var collections: [CollectionFiles] = []
        for database in try folders(in: folder) {
            for name in try folders(in: folder + "/" + database) {
                let inner = folder + "/" + database + "/" + name
                var files = CollectionFiles(
                    place: CollectionPlace(dataSource: source, database: database, collection: name)
                )
                files.schemaPlace.file = inner + "/schema.json"
                files.relationshipsPlace.file = inner + "/relationships.json"
                files.rulesFile = inner + "/rules.json"
                files.schema = try document(of: files.schemaPlace.file)
                files.relationships = try document(of: files.relationshipsPlace.file) ?? [:]
                files.rules = try document(of: files.rulesFile)
                if let rules = files.rules {
                    var reader = SettingsReader(rules, files.rulesFile)
                    for (key, expected) in [("database", database), ("collection", name)] {
                        guard let said = try reader.name(key), said != expected else { continue }
                        throw ProjectError(
                            files.rulesFile,
                            [key],
                            "The file says '\(said)', and lies in the folder of '\(expected)'."
                        )
                    }
                }
                for entry in try visible(inner)
                where !["schema.json", "relationships.json", "rules.json"].contains(entry.name) {
                    note(.ignored, inner + "/" + entry.name, because: "Freehold doesn't know what this is.")
                }
                collections.append(files)
            }
        }
        return collections
    }

    /// Reads `services/SOURCE/rules/DATABASE.COLLECTION.json`, which contains the schema and the relationships.
    private mutating func oldCollections(_ source: String, _ folder: String) throws(ProjectError) -> [CollectionFiles] {
        var collections: [CollectionFiles] = []
        for (_, file, document) in try documents(in: folder + "/rules") {
            var reader = SettingsReader(document, file)
            guard let database = try reader.name("database"), let name = try reader.name("collection") else {
                throw ProjectError(file, "Rules of a collection have 'database' and 'collection'.")
            }
            let place = CollectionPlace(dataSource: source, database: database, collection: name)
            guard !collections.contains(where: { $0.place == place }) else {
                throw ProjectError(file, "There are rules of '\(database).\(name)' already.")
            }
            var files = CollectionFiles(place: place)
            files.schema = try reader.object("schema")
            files.relationships = try reader.object("relationships") ?? [:]
            files.schemaPlace = (file, ["schema"])
            files.relationshipsPlace = (file, ["relationships"])
            files.rulesFile = file
            files.rules = document
            collections.append(files)
        }
        return collections
    }
}
