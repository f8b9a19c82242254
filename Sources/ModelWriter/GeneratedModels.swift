/// A source file.
public struct ModelFile: Hashable, Sendable {
    /// Without a folder: a name that every file system takes.
    public let name: String
    public let text: String
}

/// Something of a schema that a language can't say. The source has a comment at the place.
public struct ModelNote: Hashable, Sendable, CustomStringConvertible {
    /// By its stored name.
    public let className: String
    /// By its stored name; of an inverse relationship by that which was asked for. Nil for the class as a whole.
    public let property: String?
    /// In a sentence.
    public let text: String

    public var description: String {
        ([className] + (property.map { [$0] } ?? [])).map { SourceText.printable($0, limit: 60) }.joined(separator: ".")
            + ": " + text
    }
}

/// Model classes in one language, made from a schema.
///
/// ```swift
/// let models = try GeneratedModels(tables.map { ModelClass($0) }, in: .kotlin)
/// for file in models.files { print(file.text) }
/// for note in models.notes { print(note) }                // what Kotlin can't say
/// ```
///
/// The classes read and write what is stored: names that the language doesn't take, or that an object has already, are other ones
/// in code and are mapped. What a language can't say stands as a comment where it would be, and in ``notes``; nothing is left out
/// without both. Stored names may be anything: quotation marks, ends of lines and of comments and marks that turn the
/// direction of writing are escaped.
public struct GeneratedModels: Hashable, Sendable {
    /// Java has one for each class, Objective-C a header and an implementation, all others one.
    public let files: [ModelFile]
    /// In the order of the classes.
    public let notes: [ModelNote]

    /// - Throws: `ModelError` for classes that contradict themselves, and for options that aren't names.
    /// - Complexity: O(size of the text), and O(*n* log *n*) for *n* properties.
    public init(
        _ classes: [ModelClass],
        in language: ModelLanguage,
        options: ModelOptions = ModelOptions()
    ) throws(ModelError) {
        let writer = Self.writer(language)
        let plan = try ModelPlan(classes, writer.traits, options)
        let models = writer.init(plan)
        files = models.files()
        notes = models.plan.notes
    }

    private static func writer(_ language: ModelLanguage) -> any LanguageWriter.Type {
        switch language {
        case .swift: SwiftModels.self
        case .objc: ObjectiveCModels.self
        case .kotlin: KotlinModels.self
        case .java: JavaModels.self
        case .javaKotlin: JavaKotlinModels.self
        case .csharp: CSharpModels.self
        case .dart: DartModels.self
        case .javascript: JavaScriptModels.self
        case .typescript: TypeScriptModels.self
        case .cpp: CppModels.self
        }
    }
}

/// One language's notation.
protocol LanguageWriter {
    static var traits: LanguageTraits { get }
    /// As it is written: a language may leave out more than a plan can see.
    var plan: ModelPlan { get }

    init(_ plan: ModelPlan)
    func files() -> [ModelFile]
}
