import FreeholdEngine

/// Models for Realm's SDK for Flutter and Dart: private models, from which its generator creates the public classes.
struct DartModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) { self.plan = plan }

    static var traits: LanguageTraits {
        var traits = LanguageTraits(
            .dart,
            sdk: "Realm's SDK for Dart",
            classes: NameRules(
                characters: .ascii,
                idiom: .pascal,
                keywords: DartWords.keywords,
                taken: DartWords.types,
                suffix: NameRules.classSuffix,
                mended: DartWords.published
            ),
            properties: NameRules(
                characters: .ascii,
                idiom: .camel,
                keywords: DartWords.keywords,
                taken: DartWords.members,
                suffix: NameRules.propertySuffix,
                mended: DartWords.published
            )
        )
        traits.hasFloat = false
        traits.inverseOrigins = [.none, .list]
        return traits
    }

    func files() -> [ModelFile] {
        let name = plan.options.fileName ?? "models"
        var source = SourceText(indent: 2)
        if plan.written.flatMap(\.said).contains(where: { $0.type == .data }) {
            source.line("import 'dart:typed_data';")
            source.blank()
        }
        source.line("import 'package:realm/realm.dart';")
        source.blank()
        // `dart run realm generate` creates this file.
        source.line("part '\(name).realm.dart';")
        for model in plan.classes {
            source.blank()
            write(model, &source)
        }
        return [ModelFile(name: name + ".dart", text: source.text)]
    }

    private func write(_ model: PlannedClass, _ source: inout SourceText) {
        if let comment = model.omissionComment { return source.comments([comment]) }
        source.comments(model.remarks)
        let kind =
            model.table.isEmbedded
            ? "ObjectType.embeddedObject" : model.table.isAsymmetric ? "ObjectType.asymmetricObject" : ""
        source.line("@RealmModel(\(kind))")
        if model.isMapped { source.line("@MapTo(\(Literals.dart(model.table.name)))") }
        source.block("class _\(model.name) {", "}") { body in
            var isFirst = true
            for property in model.properties {
                let annotations = self.annotations(property)
                if !isFirst, !(annotations + property.comments).isEmpty { body.blank() }
                isFirst = false
                body.comments(property.comments)
                guard property.omission == nil else { continue }
                for annotation in annotations { body.line(annotation) }
                body.line("late \(type(property)) \(property.name);")
            }
            for inverse in model.inverses {
                if !isFirst { body.blank() }
                isFirst = false
                body.comments(inverse.comments)
                guard inverse.omission == nil else { continue }
                body.line("@Backlink(#\(inverse.originProperty))")
                body.line("late Iterable<_\(inverse.originName)> \(inverse.name);")
            }
        }
    }

    private func annotations(_ property: PlannedProperty) -> [String] {
        guard property.omission == nil else { return [] }
        var annotations: [String] = []
        if property.isKey { annotations.append("@PrimaryKey()") }
        switch property.index {
        case .none, .places: break
        case .values: annotations.append("@Indexed()")
        case .fullText, .fullTextLatin1: annotations.append("@Indexed(RealmIndexType.fullText)")
        }
        if property.isMapped { annotations.append("@MapTo(\(Literals.dart(property.column.name)))") }
        return annotations
    }

    private func type(_ property: PlannedProperty) -> String {
        var element =
            switch property.type {
            case .bool: "bool"
            case .int: "int"
            case .float, .double: "double"
            case .string: "String"
            case .data: "Uint8List"
            case .timestamp: "DateTime"
            case .decimal128: "Decimal128"
            case .objectId: "ObjectId"
            case .uuid: "Uuid"
            case .link: "_" + (property.target?.name ?? "")
            case .mixed: "RealmValue"
            }
        if property.isOptional && property.type != .mixed { element += "?" }
        return switch property.collection {
        case .none: element
        case .list: "List<\(element)>"
        case .set: "Set<\(element)>"
        case .dictionary: "Map<String, \(element)>"
        }
    }
}

/// The names that Dart or the SDK already uses.
enum DartWords {
    static let keywords: Set<String> = [
        "abstract", "as", "assert", "await", "break", "case", "catch", "class", "const", "continue",
        "covariant", "default", "deferred", "do", "dynamic", "else", "enum", "export", "extends", "extension",
        "external", "factory", "false", "final", "finally", "for", "Function", "get", "if", "implements",
        "import", "in", "interface", "is", "late", "library", "mixin", "new", "null", "operator", "part",
        "required", "rethrow", "return", "set", "static", "super", "switch", "this", "throw",
        "true", "try", "typedef", "var", "void", "while", "with", "yield",
    ]

    /// The members of `Object` and those that the SDK's generator adds.
    static let members: Set<String> = [
        "changes", "changesFor", "dynamic", "freeze", "getBacklinks", "hashCode", "instanceSchema", "isFrozen",
        "isManaged", "isValid", "noSuchMethod", "objectSchema", "parent", "realm", "register", "runtimeType", "schema",
        "toEJson", "toString",
    ]

    static let types: Set<String> = [
        "Backlink", "DateTime", "Decimal128", "Indexed", "Iterable", "List", "Map", "MapTo", "Object", "ObjectId",
        "ObjectType", "PrimaryKey", "Realm", "RealmEntity", "RealmIndexType", "RealmList", "RealmMap", "RealmModel",
        "RealmObject", "RealmResults", "RealmSet", "RealmValue", "Set", "String", "Symbol", "Uint8List", "Uuid", "bool",
        "double", "int", "num",
    ]

    /// Returns a name without leading underscores, which would make it private.
    static func published(_ name: String) -> String? {
        guard name.hasPrefix("_") else { return nil }
        let bare = String(name.drop { $0 == "_" })
        return IdentifierCharacters.ascii.isIdentifier(bare) ? bare : "n" + bare
    }
}
