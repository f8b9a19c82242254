import FreeholdEngine

/// Realm's SDK for Java, used from Kotlin: open classes that extend `RealmObject`.
struct JavaKotlinModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) { self.plan = plan }

    static var traits: LanguageTraits {
        var traits = LanguageTraits(
            .javaKotlin,
            sdk: "Realm's SDK for Java",
            classes: NameRules(
                characters: .letters,
                idiom: .pascal,
                // The SDK generates a Java class for each model, so Java's keywords can't be names.
                keywords: KotlinWords.keywords.union(JavaWords.keywords),
                taken: KotlinWords.types.union(JavaWords.types),
                suffix: NameRules.classSuffix,
                distinction: { $0.lowercased() }
            ),
            properties: NameRules(
                characters: .letters,
                idiom: .camel,
                keywords: KotlinWords.keywords.union(JavaWords.keywords),
                taken: JavaWords.members,
                suffix: NameRules.propertySuffix,
                distinction: KotlinWords.accessor
            )
        )
        traits.hasAsymmetric = false
        traits.hasFullText = false
        traits.inverseOrigins = [.none, .list]
        return traits
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
        imports.insert("io.realm.RealmObject")
        let arguments = JavaWords.classArguments(model, Literals.kotlin, "embedded = true")
        if !arguments.isEmpty {
            imports.insert("io.realm.annotations.RealmClass")
            source.line("@RealmClass(\(arguments.joined(separator: ", ")))")
        }
        var used: Set<String> = []
        source.block("open class \(model.name) : RealmObject() {", "}") { body in
            for property in model.properties {
                body.comments(property.comments)
                if property.omission == nil { body.line(declaration(property, &used)) }
            }
            for inverse in model.inverses {
                body.comments(inverse.comments)
                guard inverse.omission == nil else { continue }
                used.insert("io.realm.RealmResults")
                used.insert("io.realm.annotations.LinkingObjects")
                body.line(
                    "@LinkingObjects(\(Literals.kotlin(inverse.originProperty))) "
                        + "val \(inverse.name): RealmResults<\(inverse.originName)>? = null"
                )
            }
        }
        imports.formUnion(used)
    }

    private func declaration(_ property: PlannedProperty, _ imports: inout Set<String>) -> String {
        var element = JavaWords.type(property, &imports).object
        if property.type == .data { element = "ByteArray" }
        if property.isOptional { element += "?" }
        let isCollection = property.collection != .none
        // The types of Kotlin specify null values, except for elements of a collection.
        let isRequired = isCollection && !property.isOptional && !property.isLink
        let annotations = JavaWords.annotations(property, isRequired: isRequired, Literals.kotlin, &imports)
        let declaration: String
        switch property.collection {
        case .none: declaration = "var \(property.name): \(element) = \(value(property))"
        case .list: declaration = "var \(property.name): RealmList<\(element)> = RealmList()"
        case .set: declaration = "var \(property.name): RealmSet<\(element)> = RealmSet()"
        case .dictionary: declaration = "var \(property.name): RealmDictionary<\(element)> = RealmDictionary()"
        }
        return (annotations + [declaration]).joined(separator: " ")
    }

    /// Returns the initial value.
    private func value(_ property: PlannedProperty) -> String {
        if property.isOptional { return "null" }
        return switch property.type {
        case .bool: "false"
        case .int: "0"
        case .float: "0.0F"
        case .double: "0.0"
        case .string: "\"\""
        case .data: "ByteArray(0)"
        case .timestamp: "Date()"
        case .decimal128: "Decimal128.POSITIVE_ZERO"
        case .objectId: "ObjectId()"
        case .uuid: "UUID.randomUUID()"
        case .link, .mixed: "null"
        }
    }
}
