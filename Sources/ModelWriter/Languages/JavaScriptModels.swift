import FreeholdEngine

/// Realm's SDK for Node.js and React Native: classes with a static `schema`.
struct JavaScriptModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) { self.plan = plan }

    static var traits: LanguageTraits { JavaScriptWords.traits(.javascript) }

    func files() -> [ModelFile] {
        var source = SourceText(indent: 2)
        source.line("import Realm from \"realm\";")
        for model in plan.classes {
            source.blank()
            if let comment = model.omissionComment {
                source.comments([comment])
                continue
            }
            source.comments(model.remarks)
            source.block("export class \(model.name) extends Realm.Object {", "}") { body in
                JavaScriptSchema(model).write("static schema = {", &body)
            }
        }
        return [ModelFile(name: (plan.options.fileName ?? "models") + ".js", text: source.text)]
    }
}

/// Models like `JavaScriptModels`, with types.
struct TypeScriptModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) { self.plan = plan }

    static var traits: LanguageTraits { JavaScriptWords.traits(.typescript) }

    func files() -> [ModelFile] {
        var source = SourceText(indent: 2)
        source.line("import Realm from \"realm\";")
        for model in plan.classes {
            source.blank()
            if let comment = model.omissionComment {
                source.comments([comment])
                continue
            }
            source.comments(model.remarks)
            source.block("export class \(model.name) extends Realm.Object<\(model.name)> {", "}") { body in
                for property in model.said {
                    let mark = property.isOptional && property.collection == .none ? "?" : "!"
                    body.line("\(JavaScriptWords.key(property.name))\(mark): \(type(property));")
                }
                for inverse in model.saidInverses {
                    body.line("\(JavaScriptWords.key(inverse.name))!: Realm.Results<\(inverse.originName)>;")
                }
                body.blank()
                JavaScriptSchema(model).write("static schema: Realm.ObjectSchema = {", &body)
            }
        }
        return [ModelFile(name: (plan.options.fileName ?? "models") + ".ts", text: source.text)]
    }

    private func type(_ property: PlannedProperty) -> String {
        var element =
            switch property.type {
            case .bool: "boolean"
            case .int, .float, .double: "number"
            case .string: "string"
            case .data: "ArrayBuffer"
            case .timestamp: "Date"
            case .decimal128: "Realm.BSON.Decimal128"
            case .objectId: "Realm.BSON.ObjectId"
            case .uuid: "Realm.BSON.UUID"
            case .link: property.target?.name ?? "Realm.Object"
            case .mixed: "Realm.Mixed"
            }
        if property.collection != .none, property.isOptional, property.type != .mixed { element += " | null" }
        return switch property.collection {
        case .none: element
        case .list: "Realm.List<\(element)>"
        case .set: "Realm.Set<\(element)>"
        case .dictionary: "Realm.Dictionary<\(element)>"
        }
    }
}

/// The object that describes a class.
private struct JavaScriptSchema {
    private let model: PlannedClass

    init(_ model: PlannedClass) { self.model = model }

    func write(_ start: String, _ source: inout SourceText) {
        source.block(start, "};") { body in
            body.line("name: \(Literals.javaScript(model.table.name)),")
            if model.table.isEmbedded { body.line("embedded: true,") }
            if model.table.isAsymmetric { body.line("asymmetric: true,") }
            if let key = model.key { body.line("primaryKey: \(Literals.javaScript(key.name)),") }
            body.block("properties: {", "},") { body in
                for property in model.properties {
                    body.comments(property.comments)
                    guard property.omission == nil else { continue }
                    body.line("\(JavaScriptWords.key(property.name)): \(type(property)),")
                }
                for inverse in model.inverses {
                    body.comments(inverse.comments)
                    guard inverse.omission == nil else { continue }
                    // The SDK finds the origin by its stored name.
                    let parts = [
                        "type: \"linkingObjects\"", "objectType: \(Literals.javaScript(inverse.asked.origin))",
                        "property: \(Literals.javaScript(inverse.asked.property))",
                    ]
                    body.line("\(JavaScriptWords.key(inverse.name)): { \(parts.joined(separator: ", ")) },")
                }
            }
        }
    }

    /// Returns the type in its short form, such as `"string?[]"`, unless it has further options or the short form would
    /// be ambiguous.
    private func type(_ property: PlannedProperty) -> String {
        let element = JavaScriptWords.type(property)
        let isPlain = property.target.map { JavaScriptWords.isPlain($0.stored) } ?? true
        // A single link, and a link in a dictionary, can always be null, and so can a mixed value.
        let showsNull = property.type != .mixed && property.isOptional
        if property.index == .none, !property.isMapped, isPlain {
            let brackets =
                switch property.collection {
                case .none: ""
                case .list: "[]"
                case .set: "<>"
                case .dictionary: "{}"
                }
            return Literals.javaScript(element + (showsNull ? "?" : "") + brackets)
        }
        var parts: [String] = []
        switch property.collection {
        case .none:
            parts.append("type: \(Literals.javaScript(property.isLink ? "object" : element))")
            if property.isLink { parts.append("objectType: \(Literals.javaScript(element))") }
        case .list: parts += ["type: \"list\"", "objectType: \(Literals.javaScript(element))"]
        case .set: parts += ["type: \"set\"", "objectType: \(Literals.javaScript(element))"]
        case .dictionary: parts += ["type: \"dictionary\"", "objectType: \(Literals.javaScript(element))"]
        }
        if showsNull && !property.isLink { parts.append("optional: true") }
        switch property.index {
        case .none, .places: break
        case .values: parts.append("indexed: true")
        case .fullText, .fullTextLatin1: parts.append("indexed: \"full-text\"")
        }
        // The key is the name in code, and this is the stored name. Older pages of the SDK's documentation state the
        // reverse.
        if property.isMapped { parts.append("mapTo: \(Literals.javaScript(property.column.name))") }
        return "{ \(parts.joined(separator: ", ")) }"
    }
}

/// The common parts of JavaScript and TypeScript, and the reserved names.
enum JavaScriptWords {
    static func traits(_ language: ModelLanguage) -> LanguageTraits {
        var traits = LanguageTraits(
            language,
            sdk: "Realm's SDK for JavaScript",
            classes: NameRules(
                characters: .letters,
                idiom: .pascal,
                keywords: keywords,
                taken: types,
                suffix: NameRules.classSuffix
            ),
            properties: NameRules(
                characters: .any,
                idiom: .camel,
                taken: members,
                suffix: NameRules.propertySuffix
            )
        )
        // The SDK finds the primary key by both names.
        traits.mapsKey = false
        traits.isTarget = { !reserved.contains($0) && !["?", "[]", "<>", "{}"].contains(where: $0.hasSuffix) }
        return traits
    }

    /// Returns the name of the type in the schema. For links, it is the stored name of the class.
    static func type(_ property: PlannedProperty) -> String {
        switch property.type {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .timestamp: "date"
        case .decimal128: "decimal128"
        case .objectId: "objectId"
        case .uuid: "uuid"
        case .mixed: "mixed"
        case .link: property.target?.stored ?? ""
        }
    }

    /// The names of types, which the target class of a link can't have.
    private static let reserved: Set<String> = [
        "bool", "counter", "data", "date", "decimal128", "dictionary", "double", "float", "int", "linkingObjects",
        "list", "mixed", "object", "objectId", "set", "string", "uuid",
    ]

    static func isPlain(_ name: String) -> Bool { IdentifierCharacters.letters.isIdentifier(name) }

    /// Returns the name of a property as a key of an object or a class.
    static func key(_ name: String) -> String { isPlain(name) ? name : Literals.javaScript(name) }

    private static let keywords: Set<String> = [
        "abstract", "any", "arguments", "as", "asserts", "async", "await", "bigint", "boolean", "break", "case",
        "catch", "class", "const", "constructor", "continue", "debugger", "declare", "default", "delete", "do", "else",
        "enum", "eval", "export", "extends", "false", "finally", "for", "from", "function", "get", "if", "implements",
        "import", "in", "infer", "instanceof", "interface", "is", "keyof", "let", "module", "namespace", "never", "new",
        "null", "number", "object", "of", "package", "private", "protected", "public", "readonly", "require", "return",
        "set", "static", "string", "super", "switch", "symbol", "this", "throw", "true", "try", "type", "typeof",
        "undefined", "unique", "unknown", "var", "void", "while", "with", "yield",
    ]

    /// The members of `Realm.Object` and `Object`.
    private static let members: Set<String> = [
        "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "addListener",
        "constructor", "entries", "getPropertyType", "hasOwnProperty", "isPrototypeOf", "isValid", "keys",
        "linkingObjects", "linkingObjectsCount", "objectSchema", "propertyIsEnumerable", "prototype",
        "removeAllListeners", "removeListener", "toJSON", "toLocaleString", "toString", "valueOf",
    ]

    private static let types: Set<String> = ["ArrayBuffer", "BSON", "Date", "Object", "ObjectSchema", "Realm"]
}
