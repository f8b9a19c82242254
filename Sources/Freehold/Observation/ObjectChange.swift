import FreeholdEngine

/// A change of an observed object.
public enum ObjectChange<T> {
    /// An error. Freehold doesn't deliver this case at present.
    case error(any Error)
    /// Properties were set, possibly to the values that they already had.
    case change(T, [PropertyChange])
    /// The object was deleted. The observation ends.
    case deleted
}

/// A change of one property of an object.
public struct PropertyChange {
    /// The name of the property. For a key path over links, this is the name of its first property.
    public let name: String
    /// The value before the change. It is `nil` if the observed realm itself made the change, and for collections and
    /// key paths over links.
    public let oldValue: Any?
    /// The value after the change. For a collection, this is the property's live collection.
    public let newValue: Any?
}

extension ObjectBase {
    /// - Parameters:
    ///   - columns: The ids of the object's own columns that were set.
    ///   - deep: The observed key paths on which something has changed.
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
                    at: i,
                    from: old.flatMap { $0.contains(table.table, _key) ? $0.value(ofSingle: column, _key) : nil }
                )
            )
        }
        for keyPath in deep {
            let name = keyPath.prefix { $0 != "." }
            guard let i = table.info.index(named: String(name)), seen.insert(i).inserted else { continue }
            out.append(change(table, at: i, from: nil))
        }
        return out
    }

    private func change(_ table: ManagedTable, at i: Int, from old: Value?) -> PropertyChange {
        let property = table.info.properties[i]
        if property.isCollection {
            let collection = property.access.collection(of: self, at: property)
            return PropertyChange(name: property.name, oldValue: nil, newValue: collection)
        }
        if property.isComputed { return PropertyChange(name: property.name, oldValue: nil, newValue: nil) }
        return PropertyChange(
            name: property.name,
            oldValue: old.flatMap { oldValue($0, of: table, at: i) },
            newValue: property.access.any(of: self, at: property)
        )
    }

    /// Returns the old value. A link to an object that has since been deleted is nil.
    private func oldValue(_ value: Value, of table: ManagedTable, at i: Int) -> Any? {
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
