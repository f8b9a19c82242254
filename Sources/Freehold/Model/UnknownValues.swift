package import FreeholdEngine

// Stored values that a property's type doesn't represent. In a synced file, another version of the app may have stored
// them, so reading such a value must not end the process.

extension RealmCore {
    /// A Boolean value that indicates whether the file syncs, as far as this process knows.
    var isSynced: Bool { configuration.service != nil || file.attachment != nil }
}

extension ObjectBase {
    /// Returns the declared default value of a property, if the object belongs to a synced realm.
    final func _fallback<Value: _Persistable>(_ key: Int) -> Value? {
        guard let table = _table, table.core.isSynced else { return nil }
        let info = ClassInfo.of(type(of: self))
        return Persisted<Value>.get(info.makeUnmanaged(), info.properties[key])
    }
}

extension RealmCollectionValue {
    /// Returns the element for stored content. If the type doesn't represent the content, the element is the default
    /// value of the type in a synced realm. In other realms, this is a programmer error.
    static func _element(_ content: _StoredContent, in core: @autoclosure () -> RealmCore?) -> Self {
        if let value = _rlmFromContent(content) { return value }
        return core()?.isSynced == true ? _rlmDefaultValue() : _rlmUnmapped(content)
    }
}

/// A property whose type doesn't represent all values of its column: a narrow integer, an enum or a custom type.
package struct NarrowProperty: @unchecked Sendable {
    /// The names in the file.
    package let table: String
    package let column: String
    /// The names of the class and the property in the declaration.
    package let name: String
    // A metatype, which has no state.
    private let access: any PersistedAccess.Type
    private let isCollection: Bool

    /// Returns `nil` for a property whose type represents all values.
    fileprivate init?(_ property: PropertyInfo, of info: ClassInfo) {
        table = info.tableName
        column = property.columnName
        name = "\(info.className).\(property.name)"
        access = property.converter
        isCollection = property.isCollection
        let probes: [FreeholdEngine.Value]
        switch property.shape.type {
        case .int: probes = [.int(.min), .int(.max)]
        case .string: probes = [.string("\u{1}\u{2}")]
        case .float: probes = [.float(0x1.555p-77)]
        case .double: probes = [.double(0x1.555p-77)]
        default: return nil
        }
        guard !property.isPrimaryKey, probes.contains(where: { !represents($0) }) else { return nil }
    }

    /// Returns a Boolean value that indicates whether the property, or an element of it, can have a value.
    package func represents(_ value: FreeholdEngine.Value) -> Bool {
        guard let plain = value.plainValue else { return true }
        return (isCollection ? access.convertElement(plain) : access.convert(plain)) != nil
    }
}

extension Realm.Configuration {
    /// Returns the properties of the realm's classes whose types don't represent all stored values.
    package func narrowProperties() -> [NarrowProperty] {
        guard let schema = try? checkedSchema() else { return [] }
        return schema.classes.flatMap { info in info.properties.compactMap { NarrowProperty($0, of: info) } }
    }
}
