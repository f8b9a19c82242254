/// The second half of a migration.
extension WriteTransaction {
    /// Removes what the new schema doesn't have, and then sets primary keys, makes classes embedded and creates indexes.
    ///
    /// - Parameter resolvesOwners: whether, for classes that become embedded, objects without a link are deleted and objects with several links are
    ///   copied for each link. Otherwise such objects are an error.
    /// - Throws: `.duplicatePrimaryKey`, `.uniqueConstraint`, `.schemaMismatch`. The transaction can only be cancelled then.
    package func finishSchema(
        _ specs: [TableSpec],
        userVersion: UInt64,
        resolvesOwners: Bool = false
    ) throws(EngineError) {
        // The links of removed columns don't count as owners.
        drop(try SchemaPlan(specs, against: currentSchema).removed)
        let plan = try SchemaPlan(specs, against: currentSchema)
        let embedded = plan.embeddingChanges.filter { !$0.isEmbedded }
        if !embedded.isEmpty { try embed(embedded, resolvesOwners: resolvesOwners) }
        try setKeys(plan.primaryKeyChanges)
        let rest = try SchemaPlan(specs, against: currentSchema)
        try rest.checkCompatible(path: core.path)
        try checkUnique(rest)
        if rest.changesIndexes {
            schemaChanged = true
            changeIndexes(rest)
        }
        set(userVersion: userVersion)
    }

    // MARK: Primary keys

    private func setKeys(_ changes: [(table: Table, key: String?)]) throws(EngineError) {
        for change in changes {
            guard let name = change.key else { continue }
            let table = currentSchema.table(id: change.table.id)!
            let old = table.column(named: name)!
            schemaProgress?(SchemaStep(.changePrimaryKey(from: nil, to: name), table.name, objects: count(table)), 0)
            // An existing index of values becomes the index of the primary key.
            if old.indexKind != .none, old.indexKind != .values { dropIndex(old) }
            let columns = table.columns.map {
                $0.id == old.id ? $0.with(indexKind: IndexKind.none, isPrimaryKey: true) : $0
            }
            replace(table.with(columns: columns))
            let key = currentSchema.table(id: table.id)!.primaryKey!
            if old.indexKind != .values { fillIndex(key) }
            try checkUniqueKey(key)
        }
    }

    /// - Throws: `.duplicatePrimaryKey` for the first two objects with the same primary key.
    private func checkUniqueKey(_ column: Column) throws(EngineError) {
        guard let tree = searchTree(column) else { return }
        var last: [UInt8] = []
        var lastKey: Int64 = 0
        /// The keys of objects with equal entries whose values may differ, because the index stores long values in a shortened form.
        var runs: [[Int64]] = []
        var duplicate: Int64?
        tree.range(in: self) { bytes, key in
            let isSame = last.count == bytes.count && last.withUnsafeBytes { $0.elementsEqual(bytes) }
            if isSame, !OrderedEncoding.needsCheck(bytes) {
                duplicate = key
                return false
            }
            if isSame {
                if runs.last?.last == lastKey { runs[runs.count - 1].append(key) } else { runs.append([lastKey, key]) }
            } else {
                last = Array(bytes)
            }
            lastKey = key
            return true
        }
        if let duplicate { throw duplicateKey(column, value(column, ObjectKey(duplicate))) }
        for run in runs {
            var seen: Set<Value> = []
            for key in run {
                let value = value(column, ObjectKey(key))
                if !seen.insert(value).inserted { throw duplicateKey(column, value) }
            }
        }
    }

    private func duplicateKey(_ column: Column, _ value: Value) -> EngineError {
        let table = currentSchema.table(of: column)
        return EngineError(
            .duplicatePrimaryKey,
            "After the migration two objects of '\(table.name)' have the primary key '\(column.name)' \(value.written). "
                + "Give them different ones in the migration, or delete one.",
            path: core.path,
            table: table.name,
            columns: [column.name]
        )
    }
}
