/// The removal of many deleted objects from collections in one pass over each collection. Separate removals would take one pass each.
extension WriteTransaction {
    /// Removes objects that are about to be deleted from the collections that contain several of them.
    func leaveCollections(_ table: Table, _ keys: [ObjectKey]) {
        guard keys.count > 8, !keepsLinks(to: table) else { return }
        followingDeletion { leaveCollectionsNow(table, keys) }
    }

    private func leaveCollectionsNow(_ table: Table, _ keys: [ObjectKey]) {
        for column in currentSchema.linkColumns(to: table) where column.collection != .none {
            var leaving: [ObjectKey: [ObjectKey]] = [:]
            for key in keys where contains(table, key) && backlinkCount(column, key) > 0 {
                var last: ObjectKey?
                for origin in backlinks(column, key) where origin != last {
                    leaving[origin, default: []].append(key)
                    last = origin
                }
            }
            for (origin, gone) in leaving.sorted(by: { $0.key < $1.key }) where gone.count > 4 {
                switch column.collection {
                case .none: break
                case .list: listRemoveAll(column, origin, of: Set(gone))
                case .set: setRemove(column, origin, values: gone.map(Value.link))
                case .dictionary: dictionaryNullLinks(column, origin, to: Set(gone))
                }
            }
        }
    }

    /// Removes all objects of a table from all collections.
    func emptyCollections(of table: Table) { followingDeletion { emptyCollectionsNow(of: table) } }

    private func emptyCollectionsNow(of table: Table) {
        for column in currentSchema.linkColumns(to: table) where column.collection != .none {
            let origins = currentSchema.table(of: column)
            for cluster in 0..<clusterCount(origins) {
                var keys: [ObjectKey] = []
                forEachKey(origins, cluster: cluster) { keys.append($0) }
                for key in keys where listCount(column, key) > 0 {
                    if column.collection == .dictionary {
                        dictionaryNullLinks(column, key, to: Set(listLinks(column, key)))
                    } else {
                        listClear(column, key)
                    }
                }
            }
        }
    }

    private func listRemoveAll(_ column: Column, _ key: ObjectKey, of gone: Set<ObjectKey>) {
        let links = listLinks(column, key)
        var kept: [Value] = []
        var removed: [Value] = []
        var edits: [ListEdit.Operation] = []
        for link in links {
            guard gone.contains(link) else {
                kept.append(.link(link))
                continue
            }
            removed.append(.link(link))
            if case .remove(kept.count, let count)? = edits.last {
                edits[edits.count - 1] = .remove(at: kept.count, count: count + 1)
            } else {
                edits.append(.remove(at: kept.count, count: 1))
            }
        }
        if columnOverlay(column).hasHiddenLinks {
            for case .remove(let at, let count) in edits {
                moveHiddenLinks(column, key, range: at..<at + count, with: 0)
            }
        }
        if edits.count > SortedDifference.limit {
            edits = [.clear(count: links.count)]
            if !kept.isEmpty { edits.append(.insert(at: 0, count: kept.count)) }
        }
        spillIfOverBudget()
        linksChanged(column, key, removed: removed, added: [])
        splice(place(column, key), 0..<links.count, with: kept)
        for edit in edits { note(column, key, operation: edit) }
    }
}
