// Checks of embedded objects. Their owner is a property, list or map, and they have no other identity.

extension SchemaValidation {
    mutating func checkOwnership(in object: ObjectSchema) {
        if object.isEmbedded, let key = object.primaryKeyProperty {
            report(
                object,
                key,
                message: "can't be a primary key: \(object.declaredName) is embedded, its objects have an owner"
            )
        }
        for property in object.allProperties where property.type == .object {
            guard let target = embedded(property), property.collection == .set else { continue }
            report(
                object,
                property,
                message: "can't be a set of \(target.declaredName), which is embedded: make it a list or a map"
            )
        }
        checkRequiredNesting(of: object)
    }

    private func embedded(_ property: Property) -> ObjectSchema? {
        guard property.type == .object, let name = property.objectClassName else { return nil }
        return schema.objectSchema.first { $0.className == name && $0.isEmbedded }
    }

    /// Reports an embedded class whose objects always contain an object of the same class, through custom types that
    /// map to embedded classes. Such an object would be infinite.
    private mutating func checkRequiredNesting(of object: ObjectSchema) {
        guard object.isEmbedded else { return }
        var seen: Set<String> = []
        var open: [(schema: ObjectSchema, path: [String])] = [(object, [])]
        while let (current, path) = open.popLast() {
            for property in current.allProperties
            where property.collection == .none && nestsAlways(property, in: current) {
                guard let target = embedded(property) else { continue }
                let path = path + ["\(current.declaredName).\(property.name)"]
                if target.className == object.className {
                    report(
                        object,
                        nil,
                        message:
                            "always holds another of its class (\(path.joined(separator: ", "))): make one optional"
                    )
                    return
                }
                if seen.insert(target.className).inserted { open.append((target, path)) }
            }
        }
    }

    /// Returns a Boolean value that indicates whether all objects of the class contain an object in the property.
    private func nestsAlways(_ property: Property, in object: ObjectSchema) -> Bool {
        guard let info = object.typed, let index = info.index(named: property.name) else { return false }
        return !info.properties[index].access.isOptionalType
    }
}
