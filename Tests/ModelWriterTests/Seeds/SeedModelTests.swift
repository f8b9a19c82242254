import FreeholdEngine
import ModelWriter
import Testing

/// The models of the seed documents' tabs: described as schemas, and written as the tabs have them.
@Suite("Seeds: the models of every tab are generated")
struct SeedModelTests {
    @Test(arguments: SeedModel.all)
    func `generated code declares what the tab shows`(model: SeedModel) throws {
        let models = try GeneratedModels(model.classes, in: model.language)
        let text = models.files.map(\.text).joined(separator: "\n")
        var generated = SourceFacts.of(text, model.language)
        if !model.isInClasses { generated = generated.filter { !$0.contains(" stores ") } }
        let shown = SourceFacts.of(model.source, model.language)
        expect(!shown.isEmpty)
        expectEqual(generated.subtracting(shown).sorted(), [], "generated, and not shown")
        expectEqual(shown.subtracting(generated).sorted(), [], "shown, and not generated")
    }

    @Test(arguments: ModelLanguage.allCases)
    func `every language's tab is included`(language: ModelLanguage) {
        expect(SeedModel.all.contains { $0.language == language })
    }

    @Test
    func `features that a tab declares unsupported become a note and a comment`() throws {
        let sensor = model("WeatherSensor", "_id: objectId key, deviceId: string", asymmetric: true)
        let rug = model("Rug", "_id: objectId key, pattern: string full-text")
        let indexed = model("Book", "_id: objectId key, title: string indexed")
        let renamed = model("Person", as: "human being", "_id: objectId key, first=first_name: string")
        let gaps: [(ModelClass, [ModelLanguage])] = [
            (sensor, [.java, .javaKotlin]), (rug, [.cpp, .java, .javaKotlin, .objc]), (indexed, [.cpp]),
            (renamed, [.cpp]),
        ]
        for (given, languages) in gaps {
            for language in ModelLanguage.allCases {
                let models = try GeneratedModels([given], in: language)
                expect(models.notes.isEmpty != languages.contains(language), "\(given.table.name) in \(language)")
                for note in models.notes { expect(models.files.contains { $0.text.contains(note.text) }, "\(note)") }
            }
        }
    }
}
