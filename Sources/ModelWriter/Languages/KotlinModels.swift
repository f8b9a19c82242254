import FreeholdEngine

/// Realm's SDK for Kotlin: classes that implement `RealmObject`.
struct KotlinModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) { self.plan = plan }

    static var traits: LanguageTraits {
        LanguageTraits(
            .kotlin,
            sdk: "Realm's SDK for Kotlin",
            classes: NameRules(
                characters: .letters,
                idiom: .pascal,
                keywords: KotlinWords.keywords,
                quote: { "`\($0)`" },
                taken: KotlinWords.types,
                suffix: NameRules.classSuffix,
                distinction: { $0.lowercased() }
            ),
            properties: NameRules(
                characters: .letters,
                idiom: .camel,
                keywords: KotlinWords.keywords,
                quote: { "`\($0)`" },
                taken: ["class", "io_realm_kotlin_objectReference"],
                suffix: NameRules.propertySuffix,
                distinction: KotlinWords.accessor
            )
        )
    }

    func files() -> [ModelFile] {
        var body = SourceText(indent: 4)
        var imports: Set<String> = []
        for model in plan.classes {
            body.blank()
            write(model, &body, &imports)
        }
        return [
            ModelFile(
                name: (plan.options.fileName ?? "Models") + ".kt",
                text: KotlinWords.head(plan.options.package, imports) + body.text
            )
        ]
    }

    private func write(_ model: PlannedClass, _ source: inout SourceText, _ imports: inout Set<String>) {
        if let comment = model.omissionComment { return source.comments([comment]) }
        source.comments(model.remarks)
        let base =
            model.table.isEmbedded
            ? "EmbeddedRealmObject" : model.table.isAsymmetric ? "AsymmetricRealmObject" : "RealmObject"
        imports.insert("io.realm.kotlin.types.\(base)")
        if model.isMapped {
            imports.insert("io.realm.kotlin.types.annotations.PersistedName")
            source.line("@PersistedName(name = \(Literals.kotlin(model.table.name)))")
        }
        var used: Set<String> = []
        source.block("class \(plan.names.quoted(model.name)) : \(base) {", "}") { body in
            for property in model.properties {
                body.comments(property.comments)
                if property.omission == nil { write(property, &body, &used) }
            }
            for inverse in model.inverses {
                body.comments(inverse.comments)
                if inverse.omission == nil { write(inverse, in: model, &body, &used) }
            }
        }
        imports.formUnion(used)
    }

    private func write(_ property: PlannedProperty, _ body: inout SourceText, _ imports: inout Set<String>) {
        let annotations = "io.realm.kotlin.types.annotations."
        if property.isMapped {
            imports.insert(annotations + "PersistedName")
            body.line("@PersistedName(\(Literals.kotlin(property.column.name)))")
        }
        if property.isKey {
            imports.insert(annotations + "PrimaryKey")
            body.line("@PrimaryKey")
        }
        switch property.index {
        case .none, .places: break
        case .values:
            imports.insert(annotations + "Index")
            body.line("@Index")
        case .fullText, .fullTextLatin1:
            imports.insert(annotations + "FullText")
            body.line("@FullText")
        }
        let (type, value) = self.type(property, &imports)
        body.line("var \(Self.traits.properties.quoted(property.name)): \(type) = \(value)")
    }

    private func write(
        _ inverse: PlannedInverse,
        in model: PlannedClass,
        _ body: inout SourceText,
        _ imports: inout Set<String>
    ) {
        imports.insert("io.realm.kotlin.ext.backlinks")
        let origin = plan.names.quoted(inverse.originName)
        // An embedded object has one owner.
        if !model.table.isEmbedded { imports.insert("io.realm.kotlin.query.RealmResults") }
        let type = model.table.isEmbedded ? origin : "RealmResults<\(origin)>"
        let names = Self.traits.properties
        body.line(
            "val \(names.quoted(inverse.name)): \(type) by backlinks(\(origin)::\(names.quoted(inverse.originProperty)))"
        )
    }

    /// Returns the type and the initial value.
    private func type(_ property: PlannedProperty, _ imports: inout Set<String>) -> (type: String, value: String) {
        let types = "io.realm.kotlin.types."
        var (element, value): (String, String)
        switch property.type {
        case .bool: (element, value) = ("Boolean", "false")
        case .int: (element, value) = ("Long", "0")
        case .float: (element, value) = ("Float", "0.0F")
        case .double: (element, value) = ("Double", "0.0")
        case .string: (element, value) = ("String", "\"\"")
        case .data: (element, value) = ("ByteArray", "byteArrayOf()")
        case .timestamp:
            (element, value) = ("RealmInstant", "RealmInstant.now()")
            imports.insert(types + "RealmInstant")
        case .decimal128:
            (element, value) = ("Decimal128", "Decimal128(\"0\")")
            imports.insert("org.mongodb.kbson.Decimal128")
        case .objectId:
            (element, value) = ("ObjectId", "ObjectId()")
            imports.insert("org.mongodb.kbson.ObjectId")
        case .uuid:
            (element, value) = ("RealmUUID", "RealmUUID.random()")
            imports.insert(types + "RealmUUID")
        case .link: (element, value) = (plan.names.quoted(property.target?.name ?? ""), "null")
        case .mixed:
            (element, value) = ("RealmAny", "null")
            imports.insert(types + "RealmAny")
        }
        if property.isOptional { (element, value) = (element + "?", "null") }
        let collection: String
        switch property.collection {
        case .none: return (element, value)
        case .list: collection = "List"
        case .set: collection = "Set"
        case .dictionary: collection = "Dictionary"
        }
        imports.insert(types + "Realm" + collection)
        imports.insert("io.realm.kotlin.ext.realm\(collection)Of")
        return ("Realm\(collection)<\(element)>", "realm\(collection)Of()")
    }
}

/// The names that Kotlin or the SDK already uses.
enum KotlinWords {
    static let keywords: Set<String> = [
        "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null",
        "object", "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var",
        "when", "while",
    ]

    static let types: Set<String> = [
        "Any", "Array", "AsymmetricRealmObject", "Boolean", "Byte", "ByteArray", "Char", "Decimal128", "Double",
        "EmbeddedRealmObject", "Enum", "Float", "FullText", "Index", "Int", "List", "Long", "Map", "Nothing",
        "ObjectId", "PersistedName", "PrimaryKey", "RealmAny", "RealmDictionary", "RealmInstant", "RealmList",
        "RealmObject", "RealmResults", "RealmSet", "RealmUUID", "Set", "Short", "String", "Unit",
    ]

    /// Returns the name of a property for the virtual machine, which must be unique in a class.
    static func accessor(_ name: String) -> String {
        if name.hasPrefix("is"), let next = name.dropFirst(2).first, !("a"..."z" ~= next) {
            return String(name.dropFirst(2))
        }
        return CaseStyle.capitalized(name)
    }

    static func head(_ package: String?, _ imports: Set<String>) -> String {
        var head = SourceText(indent: 4)
        if let package {
            let parts = package.split(separator: ".").map { keywords.contains(String($0)) ? "`\($0)`" : String($0) }
            head.line("package " + parts.joined(separator: "."))
            head.blank()
        }
        for name in imports.sorted() { head.line("import " + name) }
        head.blank()
        return head.text
    }
}
