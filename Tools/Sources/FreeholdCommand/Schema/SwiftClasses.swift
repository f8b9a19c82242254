import Freehold

/// A schema as Swift model classes.
struct SwiftClasses {
    private let schema: Schema
    private let access: String
    /// The classes' names in Swift, by those in the file.
    private let typeNames: [String: String]
    /// By class, the properties' names in Swift by those in the file.
    private let propertyNames: [String: [String: String]]

    init(_ schema: Schema, isPublic: Bool = false) {
        self.schema = schema
        access = isPublic ? "public " : ""
        typeNames = Self.names(for: schema.objectSchema.map(\.className), SwiftNames.type)
        propertyNames = Dictionary(
            schema.objectSchema.map { object in
                (object.className, Self.names(for: object.allProperties.map(\.name), SwiftNames.property))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// A name in Swift for each of the file's.
    private static func names(
        for stored: [String],
        _ make: (String, inout Set<String>) -> String
    ) -> [String: String] {
        var taken: Set<String> = []
        var names: [String: String] = [:]
        // Names that are right already come first, so that no other takes them.
        for name in stored {
            var probe: Set<String> = []
            if make(name, &probe) == name {
                names[name] = name
                taken.insert(name)
            }
        }
        for name in stored where names[name] == nil { names[name] = make(name, &taken) }
        return names
    }

    /// A source file.
    var text: String {
        let isFoundationNeeded = schema.objectSchema.contains { object in
            object.allProperties.contains { [.date, .data, .UUID].contains($0.type) }
        }
        var text = isFoundationNeeded ? "\(access)import Foundation\n" : ""
        text += "\(access)import Freehold\n"
        for object in schema.objectSchema { text += "\n" + self.text(of: object) }
        return text
    }

    private func text(of object: ObjectSchema) -> String {
        let name = typeNames[object.className] ?? object.className
        var lines: [String] = []
        let names = propertyNames[object.className] ?? [:]
        for property in object.allProperties {
            let swift = names[property.name] ?? property.name
            lines.append(declaration(of: property, swift))
        }
        var taken = Set(names.values)
        lines += originRules(of: object, &taken)
        var blocks = [lines]
        if name != object.className {
            blocks.append([
                "override \(access)class func mappedName() -> String? { \(SwiftNames.literal(object.className)) }"
            ])
        }
        if !object.compoundIndexes.isEmpty {
            var block = ["override \(access)class func compoundIndexes() -> [CompoundIndex] {", "    ["]
            for index in object.compoundIndexes {
                let list = index.properties.map { SwiftNames.literal(names[$0] ?? $0) }.joined(separator: ", ")
                // As swift-format has it.
                let comma = object.compoundIndexes.count > 1 ? "," : ""
                block.append("        \(index.isUnique ? ".unique" : "CompoundIndex")(\(list))\(comma)")
            }
            blocks.append(block + ["    ]", "}"])
        }
        let body = blocks.filter { !$0.isEmpty }.map { block in block.map { "    \($0)\n" }.joined() }
        return "\(access)final class \(SwiftNames.quoted(name)): \(base(of: object)) {\n"
            + body.joined(separator: "\n") + "}\n"
    }

    private func base(of object: ObjectSchema) -> String {
        object.isEmbedded ? "EmbeddedObject" : object.isAsymmetric ? "AsymmetricObject" : "Object"
    }

    /// Rules for the objects that link to a class stand on its linking objects.
    private func originRules(of object: ObjectSchema, _ taken: inout Set<String>) -> [String] {
        var lines: [String] = []
        for origin in schema.objectSchema {
            for property in origin.allProperties
            where property.objectClassName == object.className && property.inverseDeleteRule != .nullify {
                let type = SwiftNames.quoted(typeNames[origin.className] ?? origin.className)
                let link = propertyNames[origin.className]?[property.name] ?? property.name
                let name = SwiftNames.property("\(link)Of", taken: &taken)
                lines.append(
                    "@Persisted(originProperty: \(SwiftNames.literal(link)), "
                        + "deleteRule: .\(property.inverseDeleteRule)) \(access)var \(SwiftNames.quoted(name)): "
                        + "LinkingObjects<\(type)>"
                )
            }
        }
        return lines
    }

    private func declaration(of property: Property, _ name: String) -> String {
        var arguments: [String] = []
        if property.type == .linkingObjects {
            arguments.append("originProperty: \(SwiftNames.literal(property.originProperty ?? ""))")
        }
        if property.isPrimaryKey { arguments.append("primaryKey: true") }
        switch property.index {
        case .none: break
        case .values: arguments.append("indexed: true")
        case .fullText: arguments.append("fullText: true")
        case .places: arguments.append("geoIndexed: true")
        }
        if property.deleteRule != .nullify { arguments.append("deleteRule: .\(property.deleteRule)") }
        if name != property.columnName { arguments.append("mapTo: \(SwiftNames.literal(property.columnName))") }
        let wrapper = arguments.isEmpty ? "@Persisted" : "@Persisted(\(arguments.joined(separator: ", ")))"
        return "\(wrapper) \(access)var \(SwiftNames.quoted(name)): \(type(of: property))"
    }

    private func type(of property: Property) -> String {
        let target = property.objectClassName.map { SwiftNames.quoted(typeNames[$0] ?? $0) } ?? "Object"
        var element =
            switch property.type {
            case .int: "Int"
            case .bool: "Bool"
            case .string: "String"
            case .data: "Data"
            case .date: "Date"
            case .float: "Float"
            case .double: "Double"
            case .object, .linkingObjects: target
            case .any: "AnyRealmValue"
            case .objectId: "ObjectId"
            case .decimal128: "Decimal128"
            case .UUID: "UUID"
            }
        let isLink = property.type == .object
        let canBeNull = isLink ? property.collection == .none || property.collection == .map : property.isOptional
        if canBeNull && property.type != .any && property.type != .linkingObjects { element += "?" }
        if property.type == .linkingObjects { return "LinkingObjects<\(element)>" }
        return switch property.collection {
        case .none: element
        case .list: "List<\(element)>"
        case .set: "MutableSet<\(element)>"
        case .map: "Map<String, \(element)>"
        }
    }
}
