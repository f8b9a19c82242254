import FreeholdEngine

/// Gives objects converted values.
enum ObjectPopulation {
    /// Assigns what the value says of the object's properties; nothing, if some of it doesn't fit.
    static func populate(_ object: ObjectBase, with value: Any) throws(Realm.Error) {
        try assign(try ValueConversion.object(value, object._info), to: object)
    }

    static func assign(_ values: _ObjectValues, to object: ObjectBase) throws(Realm.Error) {
        for (property, content) in values.fields {
            try assign(content, to: values.info.properties[property], of: object)
        }
    }

    static func assign(
        _ content: _StoredContent,
        to property: PropertyInfo,
        of object: ObjectBase
    ) throws(Realm.Error) {
        if let object = object as? DynamicObject {
            object.assign(content, to: property)
            return
        }
        let content = try made(content, in: object, property)
        let fits: Bool
        if property.isCollection {
            fits = property.access.collection(of: object, at: property)?.assignContents(content) ?? false
        } else {
            fits = property.access.assign(content, to: object, at: property)
        }
        if !fits {
            throw Realm.Error(
                .invalidValue,
                "the value doesn't fit the property",
                className: object._info.className,
                property: property.name
            )
        }
    }

    /// The same content with new unmanaged objects in the place of objects' values. Embedded objects of others are
    /// copied, for they have an owner.
    private static func made(
        _ content: _StoredContent,
        in owner: ObjectBase,
        _ property: PropertyInfo
    ) throws(Realm.Error) -> _StoredContent {
        switch content {
        case .object(let object as DynamicObject) where property.shape.type == .object:
            // Of the same row the object of the Swift class; of another realm a copy.
            if let table = owner._table, object._core === table.core {
                return .object(table.target(of: property.index).object(object._key))
            }
            guard let target = owner._info.targetInfo(of: property) else { return content }
            return try made(.values(try ValueConversion.object(object, target)), in: owner, property)
        case .value, .computed, .object: return content
        case .values(let values):
            let object = values.info.makeUnmanaged()
            try assign(values, to: object)
            return .object(object)
        case .list(let elements):
            var out: [_StoredContent] = []
            out.reserveCapacity(elements.count)
            for element in elements { out.append(try made(element, in: owner, property)) }
            return .list(out)
        case .dictionary(let entries):
            var out: [_StoredEntry] = []
            out.reserveCapacity(entries.count)
            for entry in entries { out.append(_StoredEntry(entry.key, try made(entry.content, in: owner, property))) }
            return .dictionary(out)
        }
    }
}
