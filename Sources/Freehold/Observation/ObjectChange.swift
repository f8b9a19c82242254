import FreeholdEngine

/// What an observer of an object is told.
public enum ObjectChange<T> {
    /// Never at present.
    case error(any Error)
    /// Properties were set, also to what they were before.
    case change(T, [PropertyChange])
    /// The object was deleted; the observation ends.
    case deleted
}

/// A property that was set.
public struct PropertyChange {
    /// The property's name. Of a key path over links: that of its first property.
    public let name: String
    /// What it was before; nil where the realm itself made the change, and for collections and key paths over links.
    public let oldValue: Any?
    /// What it is now; of a collection the property's live one.
    public let newValue: Any?
}

extension ObjectBase {
    /// - Parameters:
    ///   - columns: the ids of own columns that were set.
    ///   - deep: the watched key paths on which something changed.
    func _propertyChanges(_ columns: [Int], deep: [String], old: Snapshot?) -> [PropertyChange] {
        let table = _table!
        var out: [PropertyChange] = []
        var seen: Set<Int> = []
        for (i, column) in table.columns.enumerated() {
            guard let column, columns.contains(column.id) else { continue }
            seen.insert(i)
            out.append(
                change(
                    table,
                    i,
                    old.flatMap { $0.contains(table.table, _key) ? $0.value(ofSingle: column, _key) : nil }
                )
            )
        }
        for keyPath in deep {
            let name = keyPath.prefix { $0 != "." }
            guard let i = table.info.index(named: String(name)), seen.insert(i).inserted else { continue }
            out.append(change(table, i, nil))
        }
        return out
    }

    private func change(_ table: ManagedTable, _ i: Int, _ old: Value?) -> PropertyChange {
        let property = table.info.properties[i]
        if property.isCollection {
            let collection = property.access.collection(of: self, at: property)
            return PropertyChange(name: property.name, oldValue: nil, newValue: collection)
        }
        if property.isComputed { return PropertyChange(name: property.name, oldValue: nil, newValue: nil) }
        return PropertyChange(
            name: property.name,
            oldValue: old.flatMap { oldValue($0, table, i) },
            newValue: property.access.any(of: self, at: property)
        )
    }

    /// A link to what was deleted meanwhile is nil.
    private func oldValue(_ value: Value, _ table: ManagedTable, _ i: Int) -> Any? {
        let property = table.info.properties[i]
        switch value {
        case .null: return nil
        case .link(let key) where table.target(of: i).living(key) == nil: return nil
        case .list, .dictionary: return nil
        default: return property.access.any(from: table.content(of: value, i))
        }
    }
}

extension Snapshot {
    fileprivate func value(ofSingle column: Column, _ key: ObjectKey) -> Value? {
        column.collection == .none ? value(column, key) : nil
    }
}
