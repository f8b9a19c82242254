import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules
import ModelWriter
import Testing

@testable import Freehold

/// Generated classes, which are compiled with these tests, and their stored properties.
struct RoundTripTests {
    @Test(arguments: SeedDocuments.allCases) func `the Swift models of documents equal those that the tests compile`(
        step: SeedDocuments
    )
        throws
    {
        let models = try step.models()
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Generated/\(models.files[0].name)")
        if ProcessInfo.processInfo.environment["FREEHOLD_UPDATE_GOLDEN"] != nil {
            try write(models.files[0].text, to: url.path)
        }
        try expectEqual(models.files[0].text, String(contentsOf: url, encoding: .utf8))
        expect(models.notes.isEmpty)
    }

    private static func classes(_ step: SeedDocuments) -> [ObjectBase.Type] {
        switch step {
        case .plain: [PlainDog.self, PlainPerson.self]
        case .toOne: [ToOneDog.self, ToOnePerson.self]
        case .toMany: [ToManyDog.self, ToManyPerson.self]
        case .embedded: [EmbeddedDog.self, EmbeddedPerson.self, EmbeddedDogClub.self, EmbeddedAddress.self]
        }
    }

    /// Documents, tables, Swift, a compiler, the library's reflection, tables, documents.
    @Test(arguments: SeedDocuments.allCases)
    func `the compiled models describe the documents from which they were created`(
        step: SeedDocuments
    ) throws {
        let tables = try Schema(classes: Self.classes(step)).tableSpecs.map(\.synced)
        let expected = try step.tables().map(\.synced)
        expectEqual(tables.sorted { $0.name < $1.name }, expected.sorted { $0.name < $1.name })
        let again = try SchemaDocument.documents(of: tables)
        try expectEqual(SchemaChange.changes(from: SchemaDocument.tables(of: again), to: expected), [])

        // And a file opens with them.
        var configuration = Realm.Configuration(inMemoryIdentifier: "models-\(step)", objectTypes: Self.classes(step))
        configuration.schemaVersion = 1
        try expectEqual(Realm(configuration: configuration).schema.objectSchema.count, expected.count)
    }

    @Test func `compiled classes of everything that a schema can express store exactly that`() throws {
        let classes: [ObjectBase.Type] = [Keeper.self, Hound.self, Home.self, Measurement.self, KennelOrder.self]
        let schema = try Schema(classes: classes)
        let expected = Kennel.classes.map(\.table).map { table in
            // In a class, a single link has no optionality of its own, and a link in a dictionary is always optional.
            var table = table
            for i in table.columns.indices where table.columns[i].type == .link {
                table.columns[i].isOptional = table.columns[i].collection == .dictionary
            }
            return table
        }
        let stored = schema.tableSpecs
        for table in expected { expectEqual(stored.first { $0.name == table.name }, table) }
        expectEqual(stored.count, expected.count)
        for model in Kennel.classes {
            let inverses = schema[model.table.name]?.computedProperties.map {
                ModelInverse($0.name, of: $0.objectClassName ?? "", $0.originProperty ?? "")
            }
            expectEqual(inverses, model.inverses)
        }
    }
}
