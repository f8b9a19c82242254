import FreeholdEngine
import RealmFileReader

extension RealmImport {
    /// Makes the objects of a class, with all that holds no links.
    func createObjects(of item: RealmFileClass, _ draft: ImportDraft) throws {
        var map = KeyMap()
        let single = item.properties.filter { $0.collection == .none && !$0.mayLink && !$0.isPrimaryKey }
        let collections = item.properties.filter { $0.collection != .none && !$0.mayLink }
        try walk(item) { cluster in
            let transaction = draft.transaction
            guard let table = transaction.schema.table(named: item.name) else { return }
            noteRead(cluster.count, of: item)
            let primaryKeys = try item.primaryKey.map { try cluster.values(of: $0) }
            var objects: [ObjectKey] = []
            objects.reserveCapacity(cluster.count)
            for (i, old) in cluster.keys.enumerated() {
                let key: ObjectKey =
                    if let primaryKeys { try transaction.create(table, primaryKey: primaryKeys[i]) } else {
                        transaction.createKeyless(table)
                    }
                map.append(old: old, new: key)
                objects.append(key)
            }
            for property in single {
                guard let column = table.column(named: property.name) else { continue }
                try set(column, objects, try cluster.values(of: property), item, transaction)
            }
            for property in collections {
                guard let column = table.column(named: property.name) else { continue }
                try fill(column, objects, property, cluster, item, transaction)
            }
            try draft.endPart()
        }
        keys[item.number] = map
    }

    private func set(
        _ column: Column,
        _ objects: [ObjectKey],
        _ values: [Value],
        _ item: RealmFileClass,
        _ transaction: WriteTransaction
    ) throws {
        for (key, value) in zip(objects, values) {
            switch (value, column.type) {
            case (.int(let value), .int): transaction.setInt(column, key, value)
            case (.double(let value), .double): transaction.setDouble(column, key, value)
            case (.bool(let value), .bool): transaction.setBool(column, key, value)
            case (.timestamp(let value), .timestamp): transaction.setTimestamp(column, key, value)
            case (.string(let value), .string) where value.utf8.count < 4096:
                transaction.setString(column, key, value)
            case (.null, _) where !column.isOptional:
                tally.missingValues[ImportTally.Place(item.name, column.name), default: 0] += 1
            default: try transaction.set(column, key, value)
            }
        }
    }

    private func fill(
        _ column: Column,
        _ objects: [ObjectKey],
        _ property: RealmFileProperty,
        _ cluster: RealmFileCluster,
        _ item: RealmFileClass,
        _ transaction: WriteTransaction
    ) throws {
        let collections = try cluster.collections(of: property)
        let place = ImportTally.Place(item.name, property.name)
        for (i, key) in objects.enumerated() where !collections.isEmpty(at: i) {
            try fill(column, key, property, cluster, i, collections, place, transaction) { $0 }
        }
    }

    /// - Parameter convert: gives a value as the new file has it.
    func fill(
        _ column: Column,
        _ key: ObjectKey,
        _ property: RealmFileProperty,
        _ cluster: RealmFileCluster,
        _ i: Int,
        _ collections: RealmFileCollections,
        _ place: ImportTally.Place,
        _ transaction: WriteTransaction,
        _ convert: (Value) -> Value
    ) throws {
        func fit(_ value: Value) -> Value? {
            let value = convert(value)
            guard value.isNull, !column.isOptional else { return value }
            // It is counted already.
            if column.type == .link { return nil }
            tally.missingValues[place, default: 0] += 1
            return ColumnSpec(column.name, column.type).zero
        }
        switch property.collection {
        case .none: break
        case .list:
            try cluster.forEachPart(of: property, at: i, in: collections) {
                try transaction.listAppend(column, key, $0.compactMap(fit))
            }
        case .set:
            try cluster.forEachPart(of: property, at: i, in: collections) { part in
                let values = part.compactMap(fit)
                let new = try transaction.setInsert(column, key, values)
                if new < values.count { tally.equalInSets[place, default: 0] += values.count - new }
            }
        case .dictionary:
            let entries = try cluster.entries(of: property, at: i, in: collections)
            try transaction.dictionaryAssign(
                column,
                key,
                entries.compactMap { entry in fit(entry.value).map { (name(entry.key, place), $0) } }
            )
        }
    }

    /// The key as Freehold's dictionaries, as those of Realm's SDKs, take it.
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

    /// The same without storing anything.
    func readObjects(of item: RealmFileClass) throws {
        var map = KeyMap()
        var next: Int64 = 0
        try walk(item) { cluster in
            noteRead(cluster.count, of: item)
            for old in cluster.keys {
                map.append(old: old, new: ObjectKey(next))
                next += 1
            }
            for property in item.properties where !property.mayLink {
                try read(property, cluster, item) { value in
                    if value.isNull, !property.isOptional {
                        tally.missingValues[ImportTally.Place(item.name, property.name), default: 0] += 1
                    }
                    return value
                }
            }
        }
        keys[item.number] = map
    }

    func read(
        _ property: RealmFileProperty,
        _ cluster: RealmFileCluster,
        _ item: RealmFileClass,
        _ convert: (Value) -> Value
    ) throws {
        guard property.collection != .none else {
            for value in try cluster.values(of: property) { _ = convert(value) }
            return
        }
        let collections = try cluster.collections(of: property)
        for i in 0..<cluster.count where !collections.isEmpty(at: i) {
            guard property.collection == .dictionary else {
                try cluster.forEachPart(of: property, at: i, in: collections) { for value in $0 { _ = convert(value) } }
                continue
            }
            for entry in try cluster.entries(of: property, at: i, in: collections) {
                _ = name(entry.key, ImportTally.Place(item.name, property.name))
                _ = convert(entry.value)
            }
        }
    }
}
