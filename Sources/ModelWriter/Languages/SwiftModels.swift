import FreeholdEngine

/// Classes with `@Persisted`.
struct SwiftModels: LanguageWriter {
    let plan: ModelPlan
    private let access: String

    init(_ plan: ModelPlan) {
        self.plan = plan
        access = plan.options.isPublic ? "public " : ""
    }

    static var traits: LanguageTraits {
        var traits = LanguageTraits(
            .swift,
            sdk: "Freehold",
            classes: NameRules(
                characters: .unicode,
                idiom: .pascal,
                keywords: SwiftWords.keywords.union(SwiftWords.inTypes),
                quote: { "`\($0)`" },
                taken: SwiftWords.types,
                suffix: NameRules.classSuffix
            ),
            properties: NameRules(
                characters: .unicode,
                idiom: .camel,
                keywords: SwiftWords.keywords,
                quote: { "`\($0)`" },
                taken: SwiftWords.members,
                suffix: NameRules.propertySuffix,
                // The storage of a wrapped property has its name with a leading underscore.
                distinction: { String($0.drop { $0 == "_" }) }
            )
        )
        traits.hasFreeholdsOwn = true
        return traits
    }

    func files() -> [ModelFile] {
        var source = SourceText(indent: 4)
        let needsFoundation = plan.written.contains { model in
            model.said.contains { [.timestamp, .data, .uuid].contains($0.type) }
        }
        if needsFoundation { source.line("\(access)import Foundation") }
        source.line("\(access)import Freehold")
        for model in plan.classes {
            source.blank()
            write(model, &source)
        }
        return [ModelFile(name: (plan.options.fileName ?? "Models") + ".swift", text: source.text)]
    }

    private func write(_ model: PlannedClass, _ source: inout SourceText) {
        if let comment = model.omissionComment { return source.comments([comment]) }
        source.comments(model.remarks)
        let base = model.table.isEmbedded ? "EmbeddedObject" : model.table.isAsymmetric ? "AsymmetricObject" : "Object"
        source.block("\(access)final class \(plan.names.quoted(model.name)): \(base) {", "}") { body in
            for property in model.properties {
                body.comments(property.comments)
                if property.omission == nil { body.line(declaration(property)) }
            }
            for inverse in model.inverses {
                body.comments(inverse.comments)
                if inverse.omission == nil { body.line(declaration(inverse)) }
            }
            overrides(of: model, &body)
        }
    }

    private func overrides(of model: PlannedClass, _ body: inout SourceText) {
        if model.isMapped {
            body.blank()
            body.line("override \(access)class func mappedName() -> String? { \(Literals.swift(model.table.name)) }")
        }
        let mapped = model.said.filter(\.isMapped).map {
            "\(Literals.swift($0.name)): \(Literals.swift($0.column.name))"
        }
        list(mapped, "propertiesMapping() -> [String: String]", &body)
        let names = Dictionary(model.said.map { ($0.column.name, $0.name) }, uniquingKeysWith: { first, _ in first })
        let compounds = model.table.compounds.map { compound in
            let columns = compound.columns.map { Literals.swift(names[$0] ?? $0) }.joined(separator: ", ")
            return "\(compound.isUnique ? ".unique" : "CompoundIndex")(\(columns))"
        }
        list(compounds, "compoundIndexes() -> [CompoundIndex]", &body)
    }

    /// Writes a function that returns a list, in the format of swift-format.
    private func list(_ elements: [String], _ signature: String, _ body: inout SourceText) {
        guard !elements.isEmpty else { return }
        body.blank()
        body.block("override \(access)class func \(signature) {", "}") { body in
            body.block("[", "]") { body in
                for element in elements { body.line(element + (elements.count > 1 ? "," : "")) }
            }
        }
    }

    private func declaration(_ property: PlannedProperty) -> String {
        var arguments: [String] = []
        if property.isKey { arguments.append("primaryKey: true") }
        switch property.index {
        case .none: break
        case .values: arguments.append("indexed: true")
        case .fullText, .fullTextLatin1: arguments.append("fullText: true")
        case .places: arguments.append("geoIndexed: true")
        }
        let rule = property.column.rules.targets
        if rule != .nullify, property.target?.isEmbedded != true { arguments.append("deleteRule: .\(rule)") }
        return persisted(arguments, property.name, type(property))
    }

    private func declaration(_ inverse: PlannedInverse) -> String {
        var arguments = ["originProperty: \(Literals.swift(inverse.originProperty))"]
        if inverse.deleteRule != .nullify { arguments.append("deleteRule: .\(inverse.deleteRule)") }
        return persisted(arguments, inverse.name, "LinkingObjects<\(plan.names.quoted(inverse.originName))>")
    }

    private func persisted(_ arguments: [String], _ name: String, _ type: String) -> String {
        let wrapper = arguments.isEmpty ? "@Persisted" : "@Persisted(\(arguments.joined(separator: ", ")))"
        return "\(wrapper) \(access)var \(Self.traits.properties.quoted(name)): \(type)"
    }

    private func type(_ property: PlannedProperty) -> String {
        var element =
            switch property.type {
            case .int: "Int"
            case .bool: "Bool"
            case .string: "String"
            case .data: "Data"
            case .timestamp: "Date"
            case .float: "Float"
            case .double: "Double"
            case .link: plan.names.quoted(property.target?.name ?? "Object")
            case .mixed: "AnyRealmValue"
            case .objectId: "ObjectId"
            case .decimal128: "Decimal128"
            case .uuid: "UUID"
            }
        if property.isOptional && property.type != .mixed { element += "?" }
        return switch property.collection {
        case .none: element
        case .list: "List<\(element)>"
        case .set: "MutableSet<\(element)>"
        case .dictionary: "Map<String, \(element)>"
        }
    }
}

/// The names that Swift, Foundation or the library already uses.
enum SwiftWords {
    static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]

    /// Keywords in places of types, which are names elsewhere.
    static let inTypes: Set<String> = [
        "any", "async", "borrowing", "consuming", "each", "isolated", "nonisolated", "sending", "some",
    ]

    /// The members of `Object` and `ObjectBase`, and those whose overriding or shadowing would change the behaviour of
    /// objects.
    static let members: Set<String> = [
        "realm", "hash", "hashValue", "description", "debugDescription", "objectSchema", "isInvalidated", "isFrozen",
        "isSameObject", "observe", "freeze", "thaw", "self", "init", "primaryKey", "indexedProperties",
        "ignoredProperties", "propertiesMapping", "compoundIndexes", "mappedName", "className", "value", "setValue",
        "encode", "parent", "parentProperty", "linkingObjects", "dynamicList", "isEqual", "superclass", "copy",
        "dynamicMutableSet", "dynamicMap", "sharedSchema", "changes", "objectWillChange",
    ]

    /// The types of the library, of Foundation and of Swift that generated classes use, or that other code expects.
    static let types: Set<String> = [
        "Any", "AnyObject", "AnyRealmValue", "Array", "AsymmetricObject", "Bool", "CompoundIndex", "Data", "Date",
        "Decimal128", "Dictionary", "Double", "EmbeddedObject", "Error", "Float", "Foundation", "Freehold", "Int",
        "LinkingObjects", "List", "Map", "MutableSet", "Never", "Object", "ObjectBase", "ObjectId", "Optional",
        "Persisted", "Projection", "Property", "Protocol", "Query", "Realm", "Results", "Schema", "Self", "Set",
        "String", "Swift", "Type", "UUID", "Void",
    ]
}
