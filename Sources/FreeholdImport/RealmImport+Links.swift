import FreeholdEngine
import RealmFileReader

extension RealmImport {
    /// Sets the properties that may contain links, after all objects exist.
    func setLinks(of item: RealmFileClass, _ draft: ImportDraft) throws {
        guard let map = keys[item.number] else { return }
        let properties = item.properties.filter(\.mayLink)
        try walk(item) { cluster in
            guard let table = draft.transaction.schema.table(named: item.name) else { return }
            for property in properties {
                guard let column = table.column(named: property.name) else { continue }
                try setLinks(ImportedProperty(property, of: item, in: cluster, column: column), map: map, draft: draft)
            }
            try draft.endPart()
        }
    }

    private func setLinks(_ imported: ImportedProperty, map: KeyMap, draft: ImportDraft) throws {
        let property = imported.property
        let cluster = imported.cluster
        let column = imported.column
        let place = imported.place
        if property.collection != .none {
            let collections = try cluster.collections(of: property)
            for i in 0..<cluster.count where !collections.isEmpty(at: i) {
                guard let key = map[cluster.keys[i]] else { continue }
                try fill(imported, of: key, from: collections, at: i, draft: draft) {
                    converted($0, target: property.target, at: place)
                }
            }
            return
        }
        let isEmbedded = property.target.flatMap { tables[$0]?.isEmbedded } ?? false
        try cluster.forEachPart(of: property) { position, values in
            let transaction = draft.transaction
            for (old, value) in zip(cluster.keys[position...], values) where !value.isNull {
                guard let key = map[old] else { continue }
                switch converted(value, target: property.target, at: place) {
                case .null: break
                case .link(let target) where !isEmbedded: transaction.setLink(column, key, to: target)
                case let value: try transaction.set(column, key, to: value)
                }
            }
            try draft.endPart()
        }
    }

    /// Returns the value with the keys of the new file in its links.
    func converted(_ value: Value, target: Int?, at place: ImportTally.Place) -> Value {
        switch value {
        case .link(let old):
            if let target, let key = keys[target]?[old.raw] { return .link(key) }
        case .objectLink(let link):
            if let key = keys[link.tableID]?[link.key.raw] {
                // A dry run has no tables.
                guard let table = tables[link.tableID] else { return .objectLink(link) }
                if !table.isEmbedded { return .objectLink(ObjectLink(tableID: table.id, key: key)) }
            }
        case .list(let list):
            return .list(NestedList(list.values.map { converted($0, target: target, at: place) }))
        case .dictionary(let dictionary):
            return .dictionary(
                NestedDictionary(
                    dictionary.entries.map {
                        .init(name($0.key, place), converted($0.value, target: target, at: place))
                    }
                )
            )
        default: return withinLimits(value, place)
        }
        tally.missingTargets[place, default: 0] += 1
        return .null
    }

    /// Reads the links like `setLinks(of:_:)`, without storing them.
    func readLinks(of item: RealmFileClass) throws {
        try walk(item) { cluster in
            for property in item.properties where property.mayLink {
                try read(property, in: cluster, of: item) {
                    $0.isNull
                        ? $0
                        : converted(
                            $0,
                            target: property.target,
                            at: ImportTally.Place(item.name, property: property.name)
                        )
                }
            }
        }
    }
}
