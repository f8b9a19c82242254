import FreeholdBSON

extension ProjectReader {
    struct Classes {
        var schemas: [SchemaDocument] = []
        var places: [String: CollectionPlace] = [:]
        var asymmetric: Set<String> = []
        var rules = RuleSet()
    }

    /// A collection that becomes a class.
    struct ClassFiles {
        let name: String
        let files: CollectionFiles
        var schema: SchemaDocument?
    }

    mutating func classes(of sources: [SourceFiles], _ sync: SyncFiles?) throws(ProjectError) -> Classes {
        guard let source = try syncedSource(of: sources, sync) else {
            noteMissingRules(sync)
            return Classes()
        }
        var found: [ClassFiles] = []
        var names: [String: String] = [:]
        // The collections of the database of development mode are first. If two collections have the same title,
        // devices use these.
        let main = sync?.settings.database
        let collections = source.collections.sorted {
            let (a, b) = ($0.place.database == main, $1.place.database == main)
            let (c, d) = ($0.schema != nil, $1.schema != nil)
            return a != b
                ? a : c != d ? c : ($0.place.database, $0.place.collection) < ($1.place.database, $1.place.collection)
        }
        for files in collections {
            let schema = normalised(files)
            let name = schema?["title"]?.stringValue ?? files.place.collection
            let place = "\(files.place.database).\(files.place.collection)"
            if let other = names.updateValue(place, forKey: name) {
                names[name] = other
                let file = files.schema == nil ? files.rulesFile : files.schemaPlace.file
                note(
                    .leftOut,
                    file,
                    because: "The collection '\(place)' isn't taken over: '\(other)' is the class '\(name)' already."
                )
                continue
            }
            found.append(
                ClassFiles(name: name, files: files, schema: schema.map { SchemaDocument(schema: $0) })
            )
        }
        link(&found)
        try leaveOutInvalid(&found)
        found.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }

        var classes = Classes()
        classes.schemas = found.compactMap(\.schema)
        classes.asymmetric = asymmetric(found, sync)
        classes.rules = try rules(of: source, found, sync)
        let ruled = Dictionary(classes.rules.classes.map { ($0.className, $0.database) }) { first, _ in first }
        for one in found where one.schema != nil || ruled[one.name] != nil {
            classes.places[one.name] = one.files.place
        }
        for (name, database) in ruled where classes.places[name] == nil {
            classes.places[name] = CollectionPlace(
                dataSource: source.source.name,
                database: database ?? "app",
                collection: name
            )
        }
        return classes
    }

    /// Returns the data source whose collections sync.
    private mutating func syncedSource(of sources: [SourceFiles], _ sync: SyncFiles?) throws(ProjectError)
        -> SourceFiles?
    {
        let name = sync?.settings.dataSource
        let chosen: SourceFiles?
        if let name {
            chosen = sources.first { $0.source.name == name }
            if chosen == nil, !sources.isEmpty, let sync {
                throw ProjectError(sync.file, sync.path + ["service_name"], "There is no data source '\(name)'.")
            }
        } else {
            chosen = sources.first { $0.source.name == "mongodb-atlas" } ?? sources.first
        }
        for other in sources where other.source.name != chosen?.source.name {
            guard !other.collections.isEmpty || other.defaultRule != nil else { continue }
            note(
                .leftOut,
                other.folder,
                because:
                    "The data source '\(other.source.name)' isn't the one that syncs: its schemas and rules aren't taken over "
                    + "(\(other.collections.count) collections)."
            )
        }
        return chosen
    }

    private mutating func noteMissingRules(_ sync: SyncFiles?) {
        guard let sync, sync.permissions != nil else { return }
        note(
            .leftOut,
            sync.file,
            sync.path + ["permissions"],
            because: "There is no data source whose classes these are."
        )
    }

    private mutating func asymmetric(_ found: [ClassFiles], _ sync: SyncFiles?) -> Set<String> {
        var classes: Set<String> = []
        for (index, table) in (sync?.asymmetricTables ?? []).enumerated() {
            let one =
                found.first { $0.schema != nil && $0.files.place.collection == table }
                ?? found.first { $0.schema != nil && $0.name == table }
            guard let one else {
                note(
                    .leftOut,
                    sync!.file,
                    sync!.path + ["asymmetric_tables", "\(index)"],
                    because: "There is no class '\(table)'."
                )
                continue
            }
            classes.insert(one.name)
        }
        return classes
    }
}

// MARK: - Links, checks

extension ProjectReader {
    /// Replaces names of collections in relationships by names of classes. A relationship that isn't a link of sync
    /// becomes a plain value.
    private mutating func link(_ found: inout [ClassFiles]) {
        var names: [String: String] = [:]
        for one in found where one.schema != nil { names[Self.reference(one.files.place)] = one.name }
        for index in found.indices {
            guard found[index].schema != nil else { continue }
            let (file, path) = found[index].files.relationshipsPlace
            var links = BSONDocument()
            for (field, value) in found[index].files.relationships {
                let place = path + [field]
                guard case .document(let document) = value else {
                    note(.leftOut, file, place, because: "A relationship is an object: '\(field)' stays a plain value.")
                    continue
                }
                var link = BSONDocument()
                for (key, value) in document {
                    // The spelling of the web pages of App Services.
                    let key = ["foreignKey": "foreign_key", "isList": "is_list", "sourceKey": "source_key"][key] ?? key
                    link[key] = value
                }
                let reference = link["ref"]?.stringValue ?? ""
                guard let target = names[reference] else {
                    note(
                        .leftOut,
                        file,
                        place + ["ref"],
                        because:
                            "'\(reference.prefix(120))' leads to no class that is taken over: '\(field)' stays a plain value."
                    )
                    continue
                }
                guard link["foreign_key"] == "_id" else {
                    note(
                        .leftOut,
                        file,
                        place + ["foreign_key"],
                        because: "Links hold the '_id' of what they lead to: '\(field)' stays a plain value."
                    )
                    continue
                }
                let parts = reference.split(separator: "/").dropLast()
                link["ref"] = .string(parts.joined(separator: "/") + "/" + target)
                links.append(field, .document(link))
            }
            found[index].schema?.relationships = links
        }
    }

    static func reference(_ place: CollectionPlace) -> String {
        "#/relationship/\(place.dataSource)/\(place.database)/\(place.collection)"
    }

    /// Removes schemas that can't be synced, one by one, until all of the others can be synced.
    private mutating func leaveOutInvalid(_ found: inout [ClassFiles]) throws(ProjectError) {
        for index in found.indices {
            guard let schema = found[index].schema?.schema else { continue }
            do {
                _ = try SchemaDocument.tables(of: [SchemaDocument(schema: schema)], limits: limits.rules)
            } catch {
                leaveOut(&found[index], error)
                unlink(&found, from: found[index].files.place)
            }
        }
        // Each round costs as much as reading all schemas.
        for _ in 0..<20 {
            do {
                _ = try SchemaDocument.tables(of: found.compactMap(\.schema), limits: limits.rules)
                return
            } catch {
                guard let name = error.path.first,
                    let index = found.firstIndex(where: { $0.schema != nil && $0.name == name })
                        ?? found.lastIndex(where: { $0.schema != nil && Self.holds($0.schema!.schema, name) })
                else { throw ProjectError("", error.path, error.reason) }
                leaveOut(&found[index], error)
                unlink(&found, from: found[index].files.place)
            }
        }
        throw ProjectError("", "The schemas don't fit together, in too many places: see those that were left out.")
    }

    private mutating func leaveOut(_ one: inout ClassFiles, _ error: RuleError) {
        one.schema = nil
        let (file, path) = one.files.schemaPlace
        let inner = error.path.first == one.name ? Array(error.path.dropFirst()) : error.path
        note(.leftOut, file, path + inner, because: "The class '\(one.name)' isn't taken over: \(error.reason)")
    }

    /// Turns links to a class that was left out into plain values.
    private mutating func unlink(_ found: inout [ClassFiles], from place: CollectionPlace) {
        let reference = Self.reference(place)
        for index in found.indices {
            guard let links = found[index].schema?.relationships else { continue }
            let original = found[index].files.relationships
            for (field, _) in links where original[field]?.documentValue?["ref"]?.stringValue == reference {
                found[index].schema?.relationships[field] = nil
                let (file, path) = found[index].files.relationshipsPlace
                note(
                    .leftOut,
                    file,
                    path + [field],
                    because: "The class that it leads to isn't taken over: '\(field)' stays a plain value."
                )
            }
        }
    }

    /// Returns whether a schema contains an embedded class with this title.
    private static func holds(_ schema: BSONDocument, _ title: String) -> Bool {
        schema.contains { key, value in
            switch value {
            case .document(let inner): inner["title"]?.stringValue == title || holds(inner, title)
            default: false
            }
        }
    }
}
