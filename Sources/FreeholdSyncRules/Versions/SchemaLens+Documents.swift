import FreeholdEngine
public import FreeholdSyncCore

/// The translation for programs without a file: documents over HTTP, imports and exports.
extension SchemaLens {
    /// Returns the name of a stored class. Returns `nil` if the version doesn't have the class, or if its objects are
    /// embedded.
    public func down(className: SyncString) -> SyncString? {
        guard let found = map.stored(className), !found.isEmbedded else { return nil }
        return found.name
    }

    /// Returns the name of an object, or `nil` if the version doesn't have its class.
    public func down(_ name: ObjectName) -> ObjectName? {
        down(className: name.className).map { ObjectName($0, name.key) }
    }

    /// Returns an object of a stored class in the form of the version. Returns `nil` if the version doesn't have the
    /// class.
    ///
    /// - Complexity: O(size of the object)
    public func down(_ contents: [SyncString: MergedContent], of className: SyncString) -> [SyncString: MergedContent]?
    {
        guard let found = map.stored(className), !found.isEmbedded else { return nil }
        return map.isPlain ? contents : DownwardMapper(map: map).mapped(contents, found)
    }
}

extension DownwardMapper {
    func mapped(_ contents: [SyncString: MergedContent], _ found: ClassMap) -> [SyncString: MergedContent] {
        var new: [SyncString: MergedContent] = [:]
        for (name, content) in contents {
            guard let property = found.stored(name) else { continue }
            new[property.name] = mapped(content, property, isElement: false)
        }
        for property in found.filled where contents[property.stored] == nil {
            if let fill = property.fill { new[property.name] = .value(fill) }
        }
        return new
    }

    private func mapped(_ content: MergedContent, _ property: PropertyMap, isElement: Bool) -> MergedContent {
        switch content {
        case .value(let value): return .value(mapped(value, property, isElement: isElement))
        case .embedded(let fields):
            if let inner = map.embedded(property) { return .embedded(mapped(fields, inner)) }
            return .value(property.fill(isElement: isElement) ?? .null)
        case .list(let elements): return .list(elements.map { mapped($0, property, isElement: true) })
        case .set(let values):
            var shown: [SetElement: SyncValue] = [:]
            for value in values.values {
                guard let value = element(value, property), let key = SetElement(value) else { continue }
                shown[key] = value
            }
            return .set(shown)
        case .dictionary(let entries): return .dictionary(entries.mapValues { mapped($0, property, isElement: true) })
        }
    }
}
