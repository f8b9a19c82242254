import FreeholdEngine

extension ManagedTable {
    /// Returns the properties of a key path to observe. Traps if a component isn't a stored property, or if a property
    /// that isn't a link has a component after it.
    func observedPath(_ keyPath: String) -> PropertyPath {
        var table = self
        var steps: [PathStep] = []
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (i, name) in names.enumerated() {
            let isLast = i == names.count - 1
            guard let index = table.info.index(named: name) else {
                programmerError(
                    "Key path '\(keyPath)' can't be observed: \(table.info.className) has no property '\(name)'."
                )
            }
            let property = table.info.properties[index]
            if property.isComputed {
                guard let origin = property.origin else {
                    programmerError("\(table.info.className).\(name) is computed of nothing that is stored.")
                }
                let inverse = table.inverse(of: index, from: origin)
                steps.append(.backlink(inverse.column))
                if isLast { return PropertyPath(steps, nil) }
                table = inverse.table
                continue
            }
            let column = table.columns[index]!
            if isLast { return PropertyPath(steps, column) }
            guard column.type == .link else {
                programmerError(
                    "Key path '\(keyPath)' can't be observed: \(table.info.className).\(name) isn't a link, so that nothing "
                        + "can follow it."
                )
            }
            steps.append(.link(column))
            table = table.target(of: index)
        }
        programmerError("An empty key path can't be observed.")
    }

    func watched(_ keyPaths: [String]?) -> WatchedPaths {
        keyPaths.map { .paths($0.map(observedPath)) } ?? .deep
    }
}

extension _CollectionSource {
    /// Returns a closure that follows the collection from any version on.
    func following(_ keyPaths: [String]?) -> @Sendable (Snapshot) -> Followed {
        let watched = table.watched(keyPaths)
        if stages.isEmpty, case .list(let column, let owner) = base, column.collection != .dictionary {
            return { .collection(ObservedCollection(column, of: owner, watching: watched, in: $0)) }
        }
        let compiled = trapping { () throws(QueryError) in try QueryCompiler(table).stages(stages) }
        let query = FreeholdEngine.RowQuery(table: table.table, source: .table, stages: compiled)
        let origin: ObservedQuery.Origin =
            switch base {
            case .table: .table
            case .list(let column, let owner): .collection(column, owner)
            case .backlinks(let column, let target): .backlinks(column, target)
            }
        return { .query(ObservedQuery(query, from: origin, watching: watched, in: $0)) }
    }
}

extension _ValueSource {
    func following() -> @Sendable (Snapshot) -> Followed {
        let stages = stages
        guard let stored = stored() else { programmerError("An unmanaged collection can't be observed.") }
        if stages.isEmpty, stored.nested == nil, stored.column.collection != .dictionary {
            return { .collection(ObservedCollection(stored.column, of: stored.owner, in: $0)) }
        }
        return { .values(FollowedValues(stored, stages, in: $0)) }
    }
}

extension List.Place {
    var stored: StoredCollection {
        StoredCollection(column: column, owner: owner, nested: nested.map { ($0.id, $0.place) })
    }
}

extension CollectionPlace {
    var stored: StoredCollection {
        StoredCollection(column: column, owner: owner, nested: nested.map { ($0.id, $0.place) })
    }
}
