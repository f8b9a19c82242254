import ModelWriter
import Testing

/// A model of the seed documents: what a tab shows, and the schema that it stands for.
struct SeedModel: Sendable, CustomTestStringConvertible {
    let title: String
    let language: ModelLanguage
    let source: String
    let classes: [ModelClass]
    /// Whether the tab has classes, not schemas alone.
    var isInClasses = true

    var testDescription: String { "\(language.name): \(title)" }

    static let all = cpp + csharp + dart + java + javaKotlin + javaScript + kotlin + objectiveC + swift + typeScript
}
