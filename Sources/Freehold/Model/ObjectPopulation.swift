import FreeholdEngine

/// Functions that assign converted values to objects.
enum ObjectPopulation {
    /// Assigns the value's data to the object's properties. If a part doesn't fit, nothing is assigned.
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
        let content = try made(content, in: object, for: property, isCopy: isCopy, copies: &copies)
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

    /// Returns the content with new unmanaged objects instead of the values of objects. Embedded objects that have an
    /// owner are copied. A managed owner copies them itself.
    private static func made(
        _ content: _StoredContent,
        in owner: ObjectBase,
        for property: PropertyInfo,
        isCopy: Bool,
        copies: inout EmbeddedCopies
    ) throws(Realm.Error) -> _StoredContent {
        switch content {
        // Content that isn't a value of the custom type is kept, as an object of the copy's own.
        case .object(let object as EmbeddedObject)
        where property.shape.isMapped && property.shape.isPartial && owner._core == nil && object._core != nil
            && !property.access.isMapped(content):
            let copy = object._info.makeUnmanaged()
            try assign(try ValueConversion.object(object, object._info), to: copy)
            return .object(copy)
        // The value of a custom type creates its own object, so there is nothing to copy.
        case .object(is EmbeddedObject) where property.shape.isMapped: return content
        case .object(let object as EmbeddedObject) where owner._core == nil && (isCopy || object._core != nil):
            return .object(try copies.copy(of: object))
        case .object(let object as DynamicObject) where property.shape.type == .object:
            // For the same row, the object of the Swift class is used. For another realm, a copy is used.
            if let table = owner._table, object._core === table.core {
                return .object(table.target(of: property.index).object(object._key))
            }
            guard let target = owner._info.targetInfo(of: property) else { return content }
            let values = try ValueConversion.object(object, target)
            return try made(.values(values), in: owner, for: property, isCopy: isCopy, copies: &copies)
        case .value, .computed, .object: return content
        case .values(let values):
            let object = values.info.makeUnmanaged()
            if property.shape.isMapped {
                // The value of a custom type is created from the object immediately.
                try assign(values, to: object)
            } else {
                try assign(values, to: object, &copies)
            }
            return .object(object)
        case .list(let elements):
            var out: [_StoredContent] = []
            out.reserveCapacity(elements.count)
            for element in elements {
                out.append(try made(element, in: owner, for: property, isCopy: isCopy, copies: &copies))
            }
            return .list(out)
        case .dictionary(let entries):
            var out: [_StoredEntry] = []
            out.reserveCapacity(entries.count)
            for entry in entries {
                let content = try made(entry.content, in: owner, for: property, isCopy: isCopy, copies: &copies)
                out.append(_StoredEntry(entry.key, content))
            }
            return .dictionary(out)
        }
    }
}

/// The unmanaged copies of embedded objects. They are created first and filled one after another, so the depth of
/// nesting isn't limited.
private struct EmbeddedCopies {
    private struct Copy {
        let source: EmbeddedObject
        let copy: ObjectBase
        /// The position of the owner among the copies.
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
