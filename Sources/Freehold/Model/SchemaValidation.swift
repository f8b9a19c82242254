import FreeholdEngine

/// A mistake in the declaration of a model.
struct SchemaProblem: Hashable, Sendable, CustomStringConvertible {
    let className: String
    let property: String?
    let message: String

    init(_ className: String, _ property: String?, message: String) {
        self.className = className
        self.property = property
        self.message = message
    }

    var description: String { "\(className)\(property.map { ".\($0)" } ?? "") \(message)" }
}

/// The checks of a schema. It describes model classes, or a program creates it at run time.
struct SchemaValidation {
    static let maximumClassName = 57
    static let maximumPropertyName = 63
    static let maximumProperties = Int(UInt16.max)

    let schema: Schema
    private var problems: [SchemaProblem] = []

    private init(_ schema: Schema) { self.schema = schema }

    static func problems(of schema: Schema) -> [SchemaProblem] {
        var validation = SchemaValidation(schema)
        for object in schema.objectSchema { validation.check(object) }
        validation.checkNames()
        for object in schema.objectSchema { validation.checkLinks(of: object) }
        for object in schema.objectSchema {
            validation.checkOwnership(in: object)
            validation.checkDeleteRules(of: object)
        }
        return validation.problems
    }

    mutating func report(_ object: ObjectSchema, _ property: Property?, message: String) {
        problems.append(SchemaProblem(object.declaredName, property?.name, message: message))
    }

    // MARK: Checks of one class

    private mutating func check(_ object: ObjectSchema) {
        problems += object.typed?.problems ?? []
        if object.allProperties.isEmpty {
            report(
                object,
                nil,
                message: object.typed == nil
                    ? "has no property"
                    : "has no @Persisted property. Did you remember to mark them with '@Persisted'? A class that isn't "
                        + "to be stored says so by overriding shouldIncludeInDefaultSchema()"
            )
        }
        if object.allProperties.count > Self.maximumProperties {
            report(object, nil, message: "has too many properties")
        }
        if object.className.isEmpty { report(object, nil, message: "has an empty name") }
        if object.className.utf8.count > Self.maximumClassName {
            report(
                object,
                nil,
                message:
                    "has a name of over \(Self.maximumClassName) bytes (\(object.className)): give it a shorter one in the file by overriding mappedName()"
            )
        }
        checkPropertyNames(of: object)
        for property in object.allProperties { check(property, of: object) }
        checkKeys(of: object)
        checkPlaces(of: object)
        checkFullText(of: object)
        checkCompoundIndexes(of: object)
        checkClass(of: object)
    }

    private mutating func checkPropertyNames(of object: ObjectSchema) {
        var columns: [String: String] = [:]
        var names: [String: Int] = [:]
        for property in object.allProperties { names[property.name, default: 0] += 1 }
        for property in object.allProperties {
            let column = property.columnName
            if column.isEmpty || property.name.isEmpty { report(object, property, message: "has an empty name") }
            if column.utf8.count > Self.maximumPropertyName {
                report(
                    object,
                    property,
                    message:
                        "has a name of over \(Self.maximumPropertyName) bytes (\(column)): give it a shorter one in the file with mapTo:"
                )
            }
            if column.contains(".") {
                report(object, property, message: "has a dot in its stored name \"\(column)\": key paths can't name it")
            } else if let name = [column, property.name].first(where: { !$0.isEmpty && !NamedPath.isName($0) }) {
                report(object, property, message: Self.unwritable(name))
            }
            if let other = columns[column], other != property.name {
                report(object, property, message: "has the stored name \"\(column)\", which \(other) has too")
            } else if column != property.name, names[column] != nil {
                report(
                    object,
                    property,
                    message: "has the stored name \"\(column)\", which is the name of another property in Swift"
                )
            }
            columns[column] = property.name
        }
        // If all properties belong to the Swift class, `ObjectSchema.typed` has already reported duplicate names.
        guard object.typed?.properties.count != object.allProperties.count else { return }
        for (name, count) in names.sorted(by: { $0.key < $1.key }) where count > 1 {
            report(object, object.allProperties.first { $0.name == name }, message: "occurs \(count) times")
        }
    }

    private static func unwritable(_ name: String) -> String {
        "has the name \"\(name)\", which key paths can't write: names don't begin with @ and have no brackets"
    }

    private mutating func check(_ property: Property, of object: ObjectSchema) {
        let isLink = property.type == .object || property.isComputed
        if isLink && property.objectClassName == nil {
            report(object, property, message: "links to no class: give its name")
        } else if !isLink && property.objectClassName != nil {
            report(object, property, message: "names the class \(property.objectClassName!), but isn't a link")
        }
        if property.isRequiredLink {
            report(object, property, message: "must be optional: `var \(property.name): \(targetName(property))?`")
        }
        if property.collection == .list, property.type == .object, property.isOptional {
            report(object, property, message: "must be a list of objects that aren't optional")
        }
        if property.type == .any, property.isOptional {
            report(object, property, message: "must not be optional: null is `AnyRealmValue.none`")
        }
        if property.collection == .set, property.type == .object {
            if property.isOptional {
                report(object, property, message: "must be a set of objects that aren't optional")
            }
            if property.target is EmbeddedObject.Type
                || property.objectClassName.map({ schema[$0]?.isEmbedded == true }) == true
            {
                report(object, property, message: "is a set of embedded objects, which can only be in lists and maps")
            }
        }
        if property.collection == .map, property.type == .object, !property.isOptional {
            report(
                object,
                property,
                message:
                    "must be a map of optional objects: `Map<String, \(targetName(property))?>`, because an object that is deleted leaves null"
            )
        }
        if property.isComputed, property.originProperty == nil {
            report(object, property, message: "needs @Persisted(originProperty: …)")
        }
    }

    private mutating func checkKeys(of object: ObjectSchema) {
        let keys = object.allProperties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            report(object, nil, message: "has more than one primary key: \(keys.map(\.name).joined(separator: ", "))")
        }
        for key in keys where key.isCollection || ![.int, .string, .objectId, .UUID].contains(key.type) {
            report(object, key, message: "can't be a primary key: those are integers, strings, object ids and UUIDs")
        }
        for property in object.allProperties where property.isIndexed && !property.isPrimaryKey {
            if !property.canBeIndexed {
                report(
                    object,
                    property,
                    message:
                        "can't be indexed: only integers, booleans, strings, dates, object ids, UUIDs and mixed values can"
                )
            }
        }
    }

    /// Reports an index of places that `geoWithin` can't use.
    private mutating func checkPlaces(of object: ObjectSchema) {
        for property in object.allProperties where property.index == .places {
            if property.collection != .list || property.type != .double {
                report(object, property, message: "can't have an index of places: only List<Double> properties can")
            } else if !object.isEmbedded {
                report(object, property, message: "can't have an index of places: its class isn't embedded")
            } else if property.columnName != "coordinates" && property.name != "coordinates" {
                report(
                    object,
                    property,
                    message: "can't have an index of places: it must be called, or stored as, coordinates"
                )
            } else if !object.allProperties.contains(where: {
                ($0.columnName == "type" || $0.name == "type") && $0.type == .string && !$0.isCollection
            }) {
                report(
                    object,
                    property,
                    message: "has an index of places, and its class no String property called, or stored as, type"
                )
            }
        }
    }

    private mutating func checkFullText(of object: ObjectSchema) {
        for property in object.allProperties where property.index == .fullText {
            if property.isPrimaryKey {
                report(object, property, message: "is the primary key, which can't have a full-text index, too")
            } else if property.isCollection || property.type != .string {
                report(object, property, message: "can't have a full-text index: only strings can")
            }
        }
    }

    /// Checks that the schema contains all properties of the Swift class unchanged, because the class reads their
    /// columns in any case.
    private mutating func checkClass(of object: ObjectSchema) {
        guard let info = object.typed else { return }
        let declared = ObjectSchema(info)
        if object.className != declared.className || object.isEmbedded != declared.isEmbedded
            || object.isAsymmetric != declared.isAsymmetric
        {
            report(
                object,
                nil,
                message: "is the schema of a class, whose name (\(declared.className)) and kind it must keep"
            )
        }
        for property in declared.allProperties
        where !object.allProperties.contains(where: { $0.isSame(as: property) }) {
            report(object, property, message: "isn't as its class declares it: only add properties to those of a class")
        }
    }

    // MARK: Checks between classes

    private mutating func checkNames() {
        for (name, same) in Dictionary(grouping: schema.objectSchema, by: \.className).sorted(by: { $0.key < $1.key })
        where same.count > 1 {
            let types = same.map { $0.typed.map { ClassNames.qualified($0.cls) } ?? "\(name), made by hand" }
            problems.append(
                SchemaProblem(
                    name,
                    nil,
                    message:
                        "is the name of \(same.count) classes (\(types.sorted().joined(separator: ", "))): give one another in the file by overriding mappedName(), or choose with objectTypes"
                )
            )
        }
    }

    private mutating func checkLinks(of object: ObjectSchema) {
        for property in object.allProperties {
            guard let name = property.objectClassName else { continue }
            let target = schema.objectSchema.first { other in
                other.className == name && (property.target == nil || other.typed?.cls == property.target)
            }
            guard let target else {
                report(
                    object,
                    property,
                    message: property.target.map { Discovery.isRoot($0) } == true
                        ? "links to \(targetName(property)) itself: name a subclass"
                        : "links to \(targetName(property)), which isn't among the realm's classes: add it to objectTypes"
                )
                // The Swift class of the target is known, so the origin of an inverse link can be checked.
                if let target = property.target { checkOrigin(property, of: object, in: ObjectSchema(target)) }
                continue
            }
            checkOrigin(property, of: object, in: target)
            if target.isAsymmetric, !property.isComputed {
                report(
                    object,
                    property,
                    message:
                        "links to \(targetName(property)), which is asymmetric: its objects are only sent, so nothing can link to them"
                )
            }
        }
        checkAsymmetric(object)
    }

    private mutating func checkAsymmetric(_ object: ObjectSchema) {
        guard object.isAsymmetric else { return }
        if object.isEmbedded { report(object, nil, message: "can't be embedded and asymmetric") }
        if object.primaryKeyProperty == nil {
            report(
                object,
                nil,
                message: "is asymmetric and needs a primary key: `@Persisted(primaryKey: true) var _id: ObjectId`"
            )
        }
        for property in object.allProperties where property.isComputed {
            report(object, property, message: "can't be there: nothing links to objects of an asymmetric class")
        }
    }

    private mutating func checkOrigin(_ property: Property, of object: ObjectSchema, in target: ObjectSchema) {
        guard property.isComputed, let origin = property.originProperty else { return }
        guard let link = target[origin] else {
            report(
                object,
                property,
                message: "has the origin \"\(origin)\", which isn't a property of \(target.declaredName)"
            )
            return
        }
        // A mixed value can link to any object except embedded ones.
        if link.type == .any, !object.isEmbedded { return }
        if link.type != .object || link.objectClassName != object.className {
            report(
                object,
                property,
                message: "has the origin \(target.declaredName).\(origin), which isn't a link to \(object.declaredName)"
            )
        }
    }

    /// Returns the name of the target class in Swift, or in the file if it has no Swift class.
    private func targetName(_ property: Property) -> String {
        if let target = property.target { return target.className() }
        let name = property.objectClassName ?? "Object"
        return schema.objectSchema.first { $0.className == name }?.declaredName ?? name
    }
}
