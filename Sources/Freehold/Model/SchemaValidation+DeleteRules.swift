// Checks of delete rules, which apply to links between objects that aren't embedded.
import FreeholdEngine

extension SchemaValidation {
    mutating func checkDeleteRules(of object: ObjectSchema) {
        for property in object.allProperties where property.deleteRule != .nullify {
            guard property.type == .object || property.type == .any || property.isComputed else {
                report(object, property, message: "has a delete rule, but isn't a link")
                continue
            }
            if let target = property.objectClassName.flatMap({ schema[$0] }), target.isEmbedded, !property.isComputed {
                report(
                    object,
                    property,
                    message:
                        "has a delete rule, but links to \(target.declaredName), which is embedded: its objects always go with their owner"
                )
            }
            if object.isEmbedded, property.isComputed || property.deleteRule == .deny {
                report(
                    object,
                    property,
                    message:
                        "can't have the delete rule .\(property.deleteRule): \(object.declaredName) is embedded, its objects go with their owner"
                )
            }
            guard property.isComputed else { continue }
            if schema.origin(of: property)?.property.type == .any {
                report(
                    object,
                    property,
                    message:
                        "has a delete rule, but its origin holds mixed values, whose links lead to objects of any class"
                )
            }
            for other in rivals(of: property, in: object) {
                report(
                    object,
                    property,
                    message:
                        "has the delete rule .\(property.deleteRule), but \(other.name), of the same links, has .\(other.deleteRule): give one"
                )
            }
        }
    }

    /// Returns linking objects with another rule for the same links.
    private func rivals(of property: Property, in object: ObjectSchema) -> [Property] {
        object.allProperties.prefix { $0.name != property.name }.filter {
            $0.isComputed && $0.objectClassName == property.objectClassName
                && $0.originProperty == property.originProperty && $0.deleteRule != .nullify
                && $0.deleteRule != property.deleteRule
        }
    }
}

extension Schema {
    /// Returns the class and the property of the links of linking objects.
    fileprivate func origin(of property: Property) -> (object: ObjectSchema, property: Property)? {
        guard let name = property.originProperty, let object = property.objectClassName.flatMap({ self[$0] }),
            let link = object.allProperties.first(where: { $0.name == name })
                ?? object.allProperties.first(where: { $0.columnName == name })
        else { return nil }
        return (object, link)
    }

    /// Adds the rules of linking objects to the columns with the links, where the file stores them.
    func enterDeleteRules(_ specs: inout [TableSpec]) {
        for property in objectSchema.lazy.flatMap(\.allProperties)
        where property.isComputed && property.deleteRule != .nullify {
            guard let origin = origin(of: property),
                let table = specs.firstIndex(where: { $0.name == origin.object.className }),
                let column = specs[table].columns.firstIndex(where: { $0.name == origin.property.columnName })
            else { continue }
            specs[table].columns[column].rules.origins = property.deleteRule
        }
    }
}
