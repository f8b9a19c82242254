import FreeholdEngine

/// Realm's SDK for Java: a file for each class, with accessors.
struct JavaModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) { self.plan = plan }

    static var traits: LanguageTraits {
        var traits = LanguageTraits(
            .java,
            sdk: "Realm's SDK for Java",
            classes: NameRules(
                characters: .letters,
                idiom: .pascal,
                keywords: JavaWords.keywords,
                taken: JavaWords.types,
                suffix: NameRules.classSuffix,
                // Each class has a file, and many file systems ignore case.
                distinction: { $0.lowercased() }
            ),
            properties: NameRules(
                characters: .letters,
                idiom: .camel,
                keywords: JavaWords.keywords,
                taken: JavaWords.members,
                suffix: NameRules.propertySuffix,
                // The accessors of `active`, `isActive` and `IsActive` can be equal, depending on their types.
                distinction: { KotlinWords.accessor($0.prefix(1).lowercased() + $0.dropFirst()) }
            )
        )
        traits.hasAsymmetric = false
        traits.hasFullText = false
        traits.inverseOrigins = [.none, .list]
        return traits
    }

    func files() -> [ModelFile] {
        // An omitted class has a file with a comment.
        plan.classes.map { model in ModelFile(name: model.name + ".java", text: text(model)) }
    }

    private func text(_ model: PlannedClass) -> String {
        var body = SourceText(indent: 4)
        var imports: Set<String> = []
        write(model, &body, &imports)
        var head = SourceText(indent: 4)
        if let package = plan.options.package {
            head.line("package \(package);")
            head.blank()
        }
        for name in imports.sorted(by: JavaWords.importOrder) { head.line("import \(name);") }
        head.blank()
        return head.text + body.text
    }

    private func write(_ model: PlannedClass, _ source: inout SourceText, _ imports: inout Set<String>) {
        if let comment = model.omissionComment { return source.comments([comment]) }
        source.comments(model.remarks)
        imports.insert("io.realm.RealmObject")
        let arguments = JavaWords.classArguments(model, Literals.java, "embedded=true")
        if !arguments.isEmpty {
            imports.insert("io.realm.annotations.RealmClass")
            source.line("@RealmClass(\(arguments.joined(separator: ", ")))")
        }
        var fields: [Field] = []
        for property in model.said { fields.append(Field(property, &imports)) }
        var used: Set<String> = []
        source.block("public class \(model.name) extends RealmObject {", "}") { body in
            var next = fields.makeIterator()
            for property in model.properties {
                body.comments(property.comments)
                guard property.omission == nil, let field = next.next() else { continue }
                let annotations = JavaWords.annotations(
                    property,
                    isRequired: field.isToBeRequired,
                    Literals.java,
                    &used
                )
                body.line((annotations + ["private \(field.type) \(field.name);"]).joined(separator: " "))
            }
            for inverse in model.inverses {
                body.comments(inverse.comments)
                guard inverse.omission == nil else { continue }
                used.insert("io.realm.RealmResults")
                used.insert("io.realm.annotations.LinkingObjects")
                body.line(
                    "@LinkingObjects(\(Literals.java(inverse.originProperty))) "
                        + "private final RealmResults<\(inverse.originName)> \(inverse.name) = null;"
                )
            }
            constructors(of: model, fields.filter { $0.isSingle }, &body)
            for field in fields { accessors(of: field, &body) }
            for inverse in model.saidInverses {
                body.blank()
                let name = CaseStyle.capitalized(inverse.name)
                body.line("public RealmResults<\(inverse.originName)> get\(name)() { return \(inverse.name); }")
            }
        }
        imports.formUnion(used)
    }

    /// Writes the constructors with all single values. Collections are initialised. A method can have at most 255 words
    /// of parameters.
    private func constructors(of model: PlannedClass, _ fields: [Field], _ body: inout SourceText) {
        if !fields.isEmpty, fields.count <= 100 {
            body.blank()
            let parameters = fields.map { "\($0.type) \($0.name)" }.joined(separator: ", ")
            body.block("public \(model.name)(\(parameters)) {", "}") { body in
                for field in fields { body.line("this.\(field.name) = \(field.name);") }
            }
        }
        body.blank()
        body.line("public \(model.name)() {} // RealmObject subclasses must provide an empty constructor")
    }

    private func accessors(of field: Field, _ body: inout SourceText) {
        // The getter of `isActive` has this name, and its setter is `setActive`.
        let isFlag = field.type == "boolean"
        let name = isFlag ? KotlinWords.accessor(field.name) : CaseStyle.capitalized(field.name)
        let get = isFlag ? "is" : "get"
        body.blank()
        body.line("public \(field.type) \(get)\(name)() { return \(field.name); }")
        body.line("public void set\(name)(\(field.type) \(field.name)) { this.\(field.name) = \(field.name); }")
    }
}

private struct Field {
    let name: String
    let type: String
    let isSingle: Bool
    /// A Boolean value that indicates whether an annotation has to exclude null.
    let isToBeRequired: Bool

    init(_ property: PlannedProperty, _ imports: inout Set<String>) {
        name = property.name
        isSingle = property.collection == .none
        let (object, primitive) = JavaWords.type(property, &imports)
        let isObject = property.isOptional || property.collection != .none || primitive == nil
        isToBeRequired = isObject && !property.isOptional && !property.isLink
        switch property.collection {
        case .none: type = isObject ? object : primitive ?? object
        case .list: type = "RealmList<\(object)>"
        case .set: type = "RealmSet<\(object)>"
        case .dictionary: type = "RealmDictionary<\(object)>"
        }
    }
}
