import FreeholdEngine
import RealmFileReader

/// A property in one cluster of the file that is read, and its column in the new file.
struct ImportedProperty {
    let property: RealmFileProperty
    let cluster: RealmFileCluster
    let column: Column
    /// The class and the property, as the report names them.
    let place: ImportTally.Place

    init(_ property: RealmFileProperty, of item: RealmFileClass, in cluster: RealmFileCluster, column: Column) {
        self.property = property
        self.cluster = cluster
        self.column = column
        place = ImportTally.Place(item.name, property: property.name)
    }
}

extension RealmImport {
    /// Creates the objects of a class, with all properties that contain no links.
    func createObjects(of item: RealmFileClass, _ draft: ImportDraft) throws {
        let map = KeyMap(scratch, memory: runsInMemory, blockRuns: runsInBlock)
        keys[item.number] = map
        let single = item.properties.filter { $0.collection == .none && !$0.mayLink && !$0.isPrimaryKey }
        let collections = item.properties.filter { $0.collection != .none && !$0.mayLink }
        try walk(item) { cluster in
            guard let table = draft.transaction.schema.table(named: item.name) else { return }
            noteRead(cluster.count, of: item)
            var objects: [ObjectKey] = []
            objects.reserveCapacity(cluster.count)
            if let primaryKey = item.primaryKey {
                try cluster.forEachPart(of: primaryKey) { _, values in
                    for value in values { objects.append(try draft.transaction.create(table, primaryKey: value)) }
                }
            } else {
                for _ in 0..<cluster.count { objects.append(draft.transaction.createKeyless(table)) }
            }
            for (old, new) in zip(cluster.keys, objects) { map.append(old: old, new: new) }
            for property in single {
                guard let column = table.column(named: property.name) else { continue }
                try cluster.forEachPart(of: property) { position, values in
                    try set(column, of: objects[position...], to: values, of: item, in: draft.transaction)
                    try draft.endPart()
                }
            }
            for property in collections {
                guard let column = table.column(named: property.name) else { continue }
                try fill(ImportedProperty(property, of: item, in: cluster, column: column), of: objects, draft: draft)
            }
            try draft.endPart()
        }
    }

    private func set(
        _ column: Column,
        of objects: ArraySlice<ObjectKey>,
        to values: [Value],
        of item: RealmFileClass,
        in transaction: WriteTransaction
    ) throws {
        for (key, value) in zip(objects, values) {
            switch (value, column.type) {
            case (.int(let value), .int): transaction.setInt(column, key, to: value)
            case (.double(let value), .double): transaction.setDouble(column, key, to: value)
            case (.bool(let value), .bool): transaction.setBool(column, key, to: value)
            case (.timestamp(let value), .timestamp): transaction.setTimestamp(column, key, to: value)
            case (.string(let value), .string) where value.utf8.count < 4096:
                transaction.setString(column, key, to: value)
            case (.null, _) where !column.isOptional:
                tally.missingValues[ImportTally.Place(item.name, property: column.name), default: 0] += 1
            default: try transaction.set(column, key, to: value)
            }
        }
    }

    private func fill(_ imported: ImportedProperty, of objects: [ObjectKey], draft: ImportDraft) throws {
        let collections = try imported.cluster.collections(of: imported.property)
        for (i, key) in objects.enumerated() where !collections.isEmpty(at: i) {
            try fill(imported, of: key, from: collections, at: i, draft: draft) { $0 }
        }
    }

    /// Stores the elements of a collection. Large collections may take several transactions.
    ///
    /// - Parameter convert: Returns a value in the form of the new file.
    func fill(
        _ imported: ImportedProperty,
        of key: ObjectKey,
        from collections: RealmFileCollections,
        at i: Int,
        draft: ImportDraft,
        convert: (Value) -> Value
    ) throws {
        let property = imported.property
        let cluster = imported.cluster
        let column = imported.column
        let place = imported.place
        func fit(_ value: Value) -> Value? {
            let given = convert(value)
            let value = withinLimits(given, place)
            guard value.isNull, !column.isOptional else { return value }
            // The link is already counted.
            if column.type == .link { return nil }
            if given.isNull { tally.missingValues[place, default: 0] += 1 }
            return ColumnSpec(column.name, column.type).zero
        }
        switch property.collection {
        case .none: break
        case .list:
            try cluster.forEachPart(of: property, at: i, in: collections) {
                try draft.transaction.listAppend(column, key, values: $0.compactMap(fit))
                try draft.endPart()
            }
        case .set:
            try cluster.forEachPart(of: property, at: i, in: collections) { part in
                let values = part.compactMap(fit)
                let new = try draft.transaction.setInsert(column, key, values: values)
                if new < values.count { tally.equalInSets[place, default: 0] += values.count - new }
                try draft.endPart()
            }
        case .dictionary:
            var isFirst = true
            try cluster.forEachEntries(of: property, at: i, in: collections) { part in
                let entries = part.compactMap { entry in fit(entry.value).map { (name(entry.key, place), $0) } }
                if isFirst {
                    try draft.transaction.dictionaryAssign(column, key, entries: entries)
                } else {
                    for (name, value) in entries {
                        try draft.transaction.dictionarySet(column, key, forKey: name, to: value)
                    }
                }
                isFirst = false
                try draft.endPart()
            }
        }
    }

    /// Returns null for a value that is too large. Realm has the same limits for properties, but none for elements of
    /// its collections.
    func withinLimits(_ value: Value, _ place: ImportTally.Place) -> Value {
        switch value {
        case .data(let data) where data.count > Self.maximumData: break
        case .string(let text) where text.utf8.count >= Self.maximumData: break
        default: return value
        }
        tally.tooLarge[place, default: 0] += 1
        return .null
    }

    /// The engine's limit for data. A string may have one byte less.
    private static let maximumData = 16_777_200

    /// Returns the key in a form that Freehold's dictionaries accept. Those of Realm's SDKs have the same rule.
    func name(_ key: String, _ place: ImportTally.Place) -> String {
        guard key.utf8.contains(UInt8(ascii: ".")) || key.utf8.first == UInt8(ascii: "$") else { return key }
        tally.encodedKeys[place, default: 0] += 1
        var text = ""
        for (i, scalar) in key.unicodeScalars.enumerated() {
            if scalar == "." {
                text += "%2E"
            } else if scalar == "$", i == 0 {
                text += "%24"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Reads the objects like `createObjects(of:_:)`, without storing them.
    func readObjects(of item: RealmFileClass) throws {
        let map = KeyMap(scratch, memory: runsInMemory, blockRuns: runsInBlock)
        keys[item.number] = map
        var next: Int64 = 0
        try walk(item) { cluster in
            noteRead(cluster.count, of: item)
            for old in cluster.keys {
                map.append(old: old, new: ObjectKey(next))
                next += 1
            }
            for property in item.properties where !property.mayLink {
                let place = ImportTally.Place(item.name, property: property.name)
                try read(property, in: cluster, of: item) { value in
                    if value.isNull, !property.isOptional { tally.missingValues[place, default: 0] += 1 }
                    return withinLimits(value, place)
                }
            }
        }
    }

    func read(
        _ property: RealmFileProperty,
        in cluster: RealmFileCluster,
        of item: RealmFileClass,
        convert: (Value) -> Value
    ) throws {
        guard property.collection != .none else {
            return try cluster.forEachPart(of: property) { _, values in for value in values { _ = convert(value) } }
        }
        let collections = try cluster.collections(of: property)
        for i in 0..<cluster.count where !collections.isEmpty(at: i) {
            guard property.collection == .dictionary else {
                try cluster.forEachPart(of: property, at: i, in: collections) { for value in $0 { _ = convert(value) } }
                continue
            }
            try cluster.forEachEntries(of: property, at: i, in: collections) { entries in
                for entry in entries {
                    _ = name(entry.key, ImportTally.Place(item.name, property: property.name))
                    _ = convert(entry.value)
                }
            }
        }
    }
}
