import FreeholdEngine

/// Realm's SDK for .NET: partial classes that implement `IRealmObject`, with annotations of nullability.
struct CSharpModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) { self.plan = plan }

    static var traits: LanguageTraits {
        var traits = LanguageTraits(
            .csharp,
            sdk: "Realm's SDK for .NET",
            classes: NameRules(
                characters: .letters,
                style: .stored,
                idiom: .pascal,
                keywords: CSharpWords.keywords,
                quote: { "@" + $0 },
                taken: CSharpWords.types,
                suffix: NameRules.classSuffix
            ),
            properties: NameRules(
                characters: .letters,
                // Properties usually have such names in C#, and the documentation of the SDK maps all names.
                style: .pascal,
                idiom: .pascal,
                keywords: CSharpWords.keywords,
                quote: { "@" + $0 },
                taken: CSharpWords.members,
                suffix: NameRules.propertySuffix
            )
        )
        traits.takesClassName = false
        traits.inverseOrigins = [.none, .list, .set]
        return traits
    }

    func files() -> [ModelFile] {
        var source = SourceText(indent: 4)
        source.line("#nullable enable")
        source.blank()
        for name in usings() { source.line("using \(name);") }
        if let package = plan.options.package {
            source.blank()
            let parts = package.split(separator: ".").map {
                CSharpWords.keywords.contains(String($0)) ? "@" + $0 : String($0)
            }
            source.line("namespace \(parts.joined(separator: "."));")
        }
        for model in plan.classes {
            source.blank()
            write(model, &source)
        }
        return [ModelFile(name: (plan.options.fileName ?? "Models") + ".cs", text: source.text)]
    }

    private func usings() -> [String] {
        let all = plan.written.flatMap(\.said)
        var names = ["Realms"]
        if all.contains(where: { [.timestamp, .uuid, .data].contains($0.type) }) { names.append("System") }
        if all.contains(where: { $0.collection != .none }) { names.append("System.Collections.Generic") }
        if plan.written.contains(where: { !$0.saidInverses.isEmpty }) { names.append("System.Linq") }
        if all.contains(where: { [.objectId, .decimal128].contains($0.type) }) { names.append("MongoDB.Bson") }
        // The namespaces of the system are first.
        return names.sorted { ($0.hasPrefix("System") ? 0 : 1, $0) < ($1.hasPrefix("System") ? 0 : 1, $1) }
    }

    private func write(_ model: PlannedClass, _ source: inout SourceText) {
        if let comment = model.omissionComment { return source.comments([comment]) }
        source.comments(model.remarks)
        let base =
            model.table.isEmbedded
            ? "IEmbeddedObject" : model.table.isAsymmetric ? "IAsymmetricObject" : "IRealmObject"
        if model.isMapped { source.line("[MapTo(\(Literals.csharp(model.table.name)))]") }
        source.line("public partial class \(plan.names.quoted(model.name)) : \(base)")
        source.block("{", "}") { body in
            var isFirst = true
            func separate(_ body: inout SourceText) {
                if !isFirst { body.blank() }
                isFirst = false
            }
            for property in model.properties {
                separate(&body)
                body.comments(property.comments)
                if property.omission == nil { write(property, &body) }
            }
            for inverse in model.inverses {
                separate(&body)
                body.comments(inverse.comments)
                if inverse.omission == nil { write(inverse, &body) }
            }
        }
    }

    private func write(_ property: PlannedProperty, _ body: inout SourceText) {
        if property.isKey { body.line("[PrimaryKey]") }
        switch property.index {
        case .none, .places: break
        case .values: body.line("[Indexed(IndexType.General)]")
        case .fullText, .fullTextLatin1: body.line("[Indexed(IndexType.FullText)]")
        }
        if property.isMapped { body.line("[MapTo(\(Literals.csharp(property.column.name)))]") }
        let (type, value) = self.type(property)
        let accessors = property.collection == .none ? "{ get; set; }" : "{ get; }"
        let name = Self.traits.properties.quoted(property.name)
        body.line("public \(type) \(name) \(accessors)" + (value.map { " = \($0);" } ?? ""))
    }

    private func write(_ inverse: PlannedInverse, _ body: inout SourceText) {
        let origin = plan.names.quoted(inverse.originName)
        let names = Self.traits.properties
        body.line("[Backlink(nameof(\(origin).\(names.quoted(inverse.originProperty))))]")
        body.line("public IQueryable<\(origin)> \(names.quoted(inverse.name)) { get; } = null!;")
    }

    /// Returns the type, and the initial value if C#'s default isn't suitable: a required string can't be null, and two
    /// objects can't have the same key.
    private func type(_ property: PlannedProperty) -> (type: String, value: String?) {
        var (element, value): (String, String?)
        switch property.type {
        case .bool: (element, value) = ("bool", nil)
        case .int: (element, value) = ("long", nil)
        case .float: (element, value) = ("float", nil)
        case .double: (element, value) = ("double", nil)
        case .string: (element, value) = ("string", "\"\"")
        case .data: (element, value) = ("byte[]", "Array.Empty<byte>()")
        case .timestamp: (element, value) = ("DateTimeOffset", nil)
        case .decimal128: (element, value) = ("Decimal128", nil)
        case .objectId: (element, value) = ("ObjectId", property.isKey ? "ObjectId.GenerateNewId()" : nil)
        case .uuid: (element, value) = ("Guid", property.isKey ? "Guid.NewGuid()" : nil)
        case .link: (element, value) = (plan.names.quoted(property.target?.name ?? ""), nil)
        case .mixed: (element, value) = ("RealmValue", nil)
        }
        if property.isOptional && property.type != .mixed { (element, value) = (element + "?", nil) }
        // The library initialises collections.
        switch property.collection {
        case .none: return (element, value)
        case .list: return ("IList<\(element)>", "null!")
        case .set: return ("ISet<\(element)>", "null!")
        case .dictionary: return ("IDictionary<string, \(element)>", "null!")
        }
    }
}

/// The names that C# or the SDK already uses.
enum CSharpWords {
    static let keywords: Set<String> = [
        "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked", "class", "const",
        "continue", "decimal", "default", "delegate", "do", "double", "else", "enum", "event", "explicit", "extern",
        "false", "file", "finally", "fixed", "float", "for", "foreach", "goto", "if", "implicit", "in", "int",
        "interface", "internal", "is", "lock", "long", "namespace", "new", "null", "object", "operator", "out",
        "override", "params", "private", "protected", "public", "readonly", "record", "ref", "required", "return",
        "sbyte", "scoped", "sealed", "short", "sizeof", "stackalloc", "static", "string", "struct", "switch", "this",
        "throw", "true", "try", "typeof", "uint", "ulong", "unchecked", "unsafe", "ushort", "using", "var", "virtual",
        "void", "volatile", "while",
    ]

    /// The members of `object`, and those that the SDK's generator adds to a class.
    static let members: Set<String> = [
        "Accessor", "BacklinksCount", "DynamicApi", "Equals", "Finalize", "GetHashCode", "GetType", "GetTypeInfo",
        "IsFrozen", "IsManaged", "IsValid", "MemberwiseClone", "ObjectSchema", "OnManaged", "OnPropertyChanged",
        "PropertyChanged", "RaisePropertyChanged", "Realm", "RealmSchema", "ReferenceEquals",
        "SubscribeForNotifications", "ToString", "UnsubscribeFromNotifications",
    ]

    static let types: Set<String> = [
        "Array", "Backlink", "BacklinkAttribute", "DateTimeOffset", "Decimal128", "Guid", "IAsymmetricObject",
        "IDictionary", "IEmbeddedObject", "IList", "IQueryable", "IRealmObject", "ISet", "IndexType", "Indexed",
        "IndexedAttribute", "MapTo", "MapToAttribute", "MongoDB", "ObjectId", "PrimaryKey", "PrimaryKeyAttribute",
        "Realm", "RealmValue", "Realms", "System",
    ]
}
