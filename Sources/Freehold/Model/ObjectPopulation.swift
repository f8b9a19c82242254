import FreeholdEngine

/// Gives objects converted values.
enum ObjectPopulation {
    /// Assigns what the value says of the object's properties; nothing, if some of it doesn't fit.
    static func populate(_ object: ObjectBase, with value: Any) throws(Realm.Error) {
        try assign(try ValueConversion.object(value, object._info), to: object)
    }

    static func assign(_ values: _ObjectValues, to object: ObjectBase) throws(Realm.Error) {
        var copies = EmbeddedCopies()
        try assign(values, to: object, &copies)
        try copies.finish()
    }

    static func assign(
        _ content: _StoredContent,
        to property: PropertyInfo,
        of object: ObjectBase
    ) throws(Realm.Error) {
        var copies = EmbeddedCopies()
        try assign(content, to: property, of: object, isCopy: false, &copies)
        try copies.finish()
    }

    fileprivate static func assign(
        _ values: _ObjectValues,
        to object: ObjectBase,
        _ copies: inout EmbeddedCopies
    ) throws(Realm.Error) {
        for (property, content) in values.fields {
            try assign(content, to: values.info.properties[property], of: object, isCopy: values.isCopy, &copies)
        }
    }

    private static func assign(
        _ content: _StoredContent,
        to property: PropertyInfo,
        of object: ObjectBase,
        isCopy: Bool,
        _ copies: inout EmbeddedCopies
    ) throws(Realm.Error) {
        if let object = object as? DynamicObject {
            object.assign(content, to: property)
            return
        }
        let content = try made(content, in: object, property, isCopy: isCopy, &copies)
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

    /// The same content with new unmanaged objects in the place of objects' values. Embedded objects that have an owner
    /// are copied; a managed owner does that itself.
    private static func made(
        _ content: _StoredContent,
        in owner: ObjectBase,
        _ property: PropertyInfo,
        isCopy: Bool,
        _ copies: inout EmbeddedCopies
    ) throws(Realm.Error) -> _StoredContent {
        switch content {
        // What a custom type makes of an object is the type's own: there is nothing to copy.
        case .object(is EmbeddedObject) where property.shape.isMapped: return content
        case .object(let object as EmbeddedObject) where owner._core == nil && (isCopy || object._core != nil):
            return .object(try copies.copy(of: object))
        case .object(let object as DynamicObject) where property.shape.type == .object:
            // Of the same row the object of the Swift class; of another realm a copy.
            if let table = owner._table, object._core === table.core {
                return .object(table.target(of: property.index).object(object._key))
            }
            guard let target = owner._info.targetInfo(of: property) else { return content }
            let values = try ValueConversion.object(object, target)
            return try made(.values(values), in: owner, property, isCopy: isCopy, &copies)
        case .value, .computed, .object: return content
        case .values(let values):
            let object = values.info.makeUnmanaged()
            if property.shape.isMapped {
                // A custom type's value is made of it at once.
                try assign(values, to: object)
            } else {
                try assign(values, to: object, &copies)
            }
            return .object(object)
        case .list(let elements):
            var out: [_StoredContent] = []
            out.reserveCapacity(elements.count)
            for element in elements {
                out.append(try made(element, in: owner, property, isCopy: isCopy, &copies))
            }
            return .list(out)
        case .dictionary(let entries):
            var out: [_StoredEntry] = []
            out.reserveCapacity(entries.count)
            for entry in entries {
                let content = try made(entry.content, in: owner, property, isCopy: isCopy, &copies)
                out.append(_StoredEntry(entry.key, content))
            }
            return .dictionary(out)
        }
    }
}

/// Unmanaged copies of embedded objects: made at once, filled one after the other, no matter how deep they nest.
private struct EmbeddedCopies {
    private struct Copy {
        let source: EmbeddedObject
        let copy: ObjectBase
        /// Among the copies, the owner's.
        let owner: Int?
    }

    private var all: [Copy] = []
    /// The copy that is being filled.
    private var current: Int?

    mutating func copy(of object: EmbeddedObject) throws(Realm.Error) -> ObjectBase {
        if let error = object._unmanagedError { throw error }
        // A row can't own itself.
        if object._core == nil {
            var owner = current
            while let i = owner {
                if all[i].source === object { throw EmbeddedObject._ownsItself(object) }
                owner = all[i].owner
            }
        }
        let made = object._info.makeUnmanaged()
        all.append(Copy(source: object, copy: made, owner: current))
        return made
    }

    mutating func finish() throws(Realm.Error) {
        var next = 0
        while next < all.count {
            current = next
            let source = all[next].source
            try ObjectPopulation.assign(
                try ValueConversion.object(source, source._info),
                to: all[next].copy,
                &self
            )
            next += 1
        }
        current = nil
    }
}

extension EmbeddedObject {
    static func _ownsItself(_ object: ObjectBase) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "an embedded object holds itself, directly or through others: break the ring",
            className: object._info.className
        )
    }
}
