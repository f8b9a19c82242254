/// The conversion of classes to embedded classes. Each of their objects must have exactly one incoming link.
extension WriteTransaction {
    /// Makes tables embedded.
    /// - Throws: `.schemaMismatch` for an object that can't be embedded.
    func embed(_ tables: [Table], resolvesOwners: Bool) throws(EngineError) {
        try checkAcyclic(tables)
        if resolvesOwners { resolveOwners(tables) }
        for table in tables {
            let step = SchemaStep(.makeEmbedded, table.name, objects: count(table))
            for (i, key) in keys(table).enumerated() {
                if i % 1000 == 0 { schemaProgress?(step, i) }
                try checkOwner(table, key)
            }
        }
        let ids = Set(tables.map(\.id))
        schemaChanged = true
        replaceSchema(
            DatabaseSchema(
                tables: currentSchema.storedTables.map { ids.contains($0.id) ? $0.with(isEmbedded: true) : $0 }
            )
        )
    }

    private func ownerCount(_ table: Table, _ key: ObjectKey) -> Int {
        currentSchema.linkColumns(to: table).reduce(0) { $0 + backlinkCount($1, key) }
    }

    private func mixedLinkCount(_ table: Table, _ key: ObjectKey) -> Int {
        withBacklinks(table.mixedInverse, key) { count(of: $0) }
    }

    private func checkOwner(_ table: Table, _ key: ObjectKey) throws(EngineError) {
        let owners = ownerCount(table, key)
        let mixed = mixedLinkCount(table, key)
        if owners == 1, mixed == 0 { return }
        let what =
            mixed > 0
            ? "a property of mixed values links to it"
            : owners == 0 ? "no object links to it" : "\(owners) links lead to it"
        throw refusal(table, "the object \(key.raw): \(what)")
    }

    private func refusal(_ table: Table, _ text: String) -> EngineError {
        EngineError(
            .schemaMismatch,
            "'\(table.name)' can't become embedded because of \(text). Each of its objects must have exactly one "
                + "link to it: change that in the migration, or let it be resolved automatically.",
            path: core.path,
            table: table.name
        )
    }

    /// Throws an error if an object would own itself directly or indirectly.
    private func checkAcyclic(_ tables: [Table]) throws(EngineError) {
        let new = Set(tables.map(\.id))
        let embedded = currentSchema.tables.filter { $0.isEmbedded || new.contains($0.id) }
        let ids = Set(embedded.map(\.id))
        var below: [ObjectLink: Int] = [:]
        for table in embedded {
            let owned = ownedColumns(of: table, ids)
            if owned.isEmpty { continue }
            for key in keys(table) {
                for (target, links) in links(owned, key) { below[target, default: 0] += links }
            }
        }
        if below.isEmpty { return }
        // Objects without an owner are removed repeatedly, until only cycles remain.
        var ready: [ObjectLink] = []
        for table in embedded {
            for key in keys(table) where below[ObjectLink(tableID: table.id, key: key)] == nil {
                ready.append(ObjectLink(tableID: table.id, key: key))
            }
        }
        while let next = ready.popLast() {
            guard let table = currentSchema.table(id: next.tableID) else { continue }
            for (target, links) in links(ownedColumns(of: table, ids), next.key) {
                let left = below[target, default: 0] - links
                below[target] = left
                if left == 0 { ready.append(target) }
            }
        }
        let left = below.lazy.filter { $0.value > 0 }.map(\.key)
        // A cycle contains an object of a class that wasn't embedded before.
        if let link = left.first(where: { new.contains($0.tableID) }) ?? left.first,
            let table = currentSchema.table(id: link.tableID)
        {
            throw refusal(table, "the object \(link.key.raw), which would own itself")
        }
    }

    private func ownedColumns(of table: Table, _ ids: Set<Int>) -> [Column] {
        table.columns.filter { $0.type == .link && $0.targetTableID.map(ids.contains) == true }
    }

    private func links(_ columns: [Column], _ key: ObjectKey) -> [ObjectLink: Int] {
        var out: [ObjectLink: Int] = [:]
        for column in columns {
            for case .link(let target) in values(column, key) {
                out[ObjectLink(tableID: column.targetTableID!, key: target), default: 0] += 1
            }
        }
        return out
    }

    private func values(_ column: Column, _ key: ObjectKey) -> [Value] {
        switch column.collection {
        case .none: [value(column, key)]
        case .list, .set: listValues(column, key)
        case .dictionary: dictionaryValues(column, key)
        }
    }

    // MARK: Resolving

    /// Deletes the objects without incoming links, and gives each link beyond the first a separate copy. This is repeated until all objects are
    /// valid, because a deleted object's links are removed and a copy's links are added.
    private func resolveOwners(_ tables: [Table]) {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for table in tables {
                for key in keys(table) where contains(table, key) && mixedLinkCount(table, key) == 0 {
                    let owners = ownerCount(table, key)
                    if owners == 1 { continue }
                    isSettled = false
                    if owners == 0 { delete(table, key) } else { separate(table, key) }
                }
            }
        }
    }

    private func separate(_ table: Table, _ key: ObjectKey) {
        var isFirst = true
        for column in currentSchema.linkColumns(to: table) {
            for origin in backlinks(column, key) {
                if isFirst {
                    isFirst = false
                    continue
                }
                relink(column, origin, from: key, to: copy(table, key))
            }
        }
    }

    /// Changes the last link from an object to a target so that it leads to another target.
    private func relink(_ column: Column, _ origin: ObjectKey, from: ObjectKey, to: ObjectKey) {
        switch column.collection {
        case .none: setLink(column, origin, to: to)
        case .list:
            if let i = listValues(column, origin).lastIndex(of: .link(from)) {
                replaceElement(column, origin, at: i, with: .link(to))
            }
        case .set:
            setRemoveLink(column, origin, to: from)
            _ = try? setInsert(column, origin, value: .link(to))
        case .dictionary:
            if let i = dictionaryValues(column, origin).lastIndex(of: .link(from)) {
                replaceEntry(column, origin, at: i, with: .link(to))
            }
        }
    }

    /// Creates an object with the same values and returns its key. Embedded objects are copied, too, to any depth.
    private func copy(_ table: Table, _ key: ObjectKey) -> ObjectKey {
        let new = createKeyless(table)
        for column in table.storedColumns {
            let isOwner = currentSchema.ownsTargets(column)
            func content(_ value: Value) -> Value {
                guard isOwner, case .link(let target) = value else { return value }
                return .link(copy(currentSchema.table(id: column.targetTableID!)!, target))
            }
            // The values come from a column of the same kind, so the checks can't fail.
            switch column.collection {
            case .none:
                let value = value(column, key)
                if !value.isNull { write(column, new, value: content(value)) }
                deleteOrphans()
            case .list: try? listAssign(column, new, values: listValues(column, key).map(content))
            case .set: try? setAssign(column, new, values: listValues(column, key))
            case .dictionary:
                try? dictionaryAssign(
                    column,
                    new,
                    entries: dictionaryEntries(column, key).map { ($0.key, content($0.value)) }
                )
            }
        }
        return new
    }
}
