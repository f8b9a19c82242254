import FreeholdEngine

/// Gives objects converted values.
enum ObjectPopulation {
    /// Assigns what the value says of the object's properties; nothing, if some of it doesn't fit.
    static func populate(_ object: ObjectBase, with value: Any) throws(Realm.Error) {
        try assign(try ValueConversion.object(value, object._info), to: object)
    }

    static func assign(_ converted: ConvertedObject, to object: ObjectBase) throws(Realm.Error) {
        for (property, field) in converted.fields {
            try assign(field, to: converted.info.properties[property], of: object)
        }
    }

    static func assign(
        _ field: ConvertedField,
        to property: PropertyInfo,
        of object: ObjectBase
    ) throws(Realm.Error) {
        let fits: Bool
        switch field {
        case .value(let value): fits = property.access.assign(.value(value), to: object, at: property)
        case .link(nil): fits = property.access.assign(.object(nil), to: object, at: property)
        case .link(let link?): fits = property.access.assign(.object(try made(link)), to: object, at: property)
        case .values(let values):
            fits =
                property.access.collection(of: object, at: property)?.assignContents(values.map { .value($0) }) ?? false
        case .links(let links):
            var contents: [_StoredContent] = []
            contents.reserveCapacity(links.count)
            for link in links { contents.append(.object(try made(link))) }
            fits = property.access.collection(of: object, at: property)?.assignContents(contents) ?? false
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

    /// The object of a link: as given, or a new unmanaged one.
    private static func made(_ link: ConvertedLink) throws(Realm.Error) -> ObjectBase {
        switch link {
        case .object(let object): return object
        case .nested(let converted):
            let object = converted.info.cls.init(_freehold: _HiddenInitializer())
            try assign(converted, to: object)
            return object
        }
    }
}
