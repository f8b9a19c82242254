/// A source file.
public struct ModelFile: Hashable, Sendable {
    /// The name without a folder. It is valid in all file systems.
    public let name: String
    public let text: String
}

/// A part of a schema that a language can't represent. The source has a comment at its place.
public struct ModelNote: Hashable, Sendable, CustomStringConvertible {
    /// The stored name of the class.
    public let className: String
    /// The stored name of the property, or the requested name of an inverse relationship. It is `nil` for the class as
    /// a whole.
    public let property: String?
    /// A sentence that describes the part.
    public let text: String

    public var description: String {
        ([className] + (property.map { [$0] } ?? [])).map { SourceText.printable($0, limit: 60) }.joined(separator: ".")
            + ": " + text
    }
}

/// Model classes in one language, generated from a schema.
///
/// ```swift
/// let models = try GeneratedModels(tables.map { ModelClass($0) }, in: .kotlin)
/// for file in models.files { print(file.text) }
/// for note in models.notes { print(note) }                // what Kotlin can't say
/// ```
///
/// The classes read and write the stored data. A name that the language doesn't accept, or that objects already have,
/// is replaced in code and mapped. A part that a language can't represent becomes a comment at its place and an element
/// of ``notes``. Each omitted part has both. Stored names can contain any characters: quotation marks, ends of
/// lines and of comments, and marks that change the direction of text are escaped.
public struct GeneratedModels: Hashable, Sendable {
    /// The files: one for each class in Java, a header and an implementation in Objective-C, and one file in all other
    /// languages.
    public let files: [ModelFile]
    /// The notes in the order of the classes.
    public let notes: [ModelNote]

    /// Generates model classes.
    ///
    /// - Throws: `ModelError` for contradictory classes, and for options that aren't valid names.
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

/// The notation of one language.
protocol LanguageWriter {
    static var traits: LanguageTraits { get }
    /// The final plan. A language may omit more than the plan.
    var plan: ModelPlan { get }

    init(_ plan: ModelPlan)
    func files() -> [ModelFile]
}
