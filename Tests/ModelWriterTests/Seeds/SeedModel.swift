import ModelWriter
import Testing

/// A model of the seed documents: the code in a tab, and its schema.
struct SeedModel: Sendable, CustomTestStringConvertible {
    let title: String
    let language: ModelLanguage
    let source: String
    let classes: [ModelClass]
    /// Whether the tab has classes, and not only schemas.
    var isInClasses = true

    var testDescription: String { "\(language.name): \(title)" }

    static let all = cpp + csharp + dart + java + javaKotlin + javaScript + kotlin + objectiveC + swift + typeScript
}
