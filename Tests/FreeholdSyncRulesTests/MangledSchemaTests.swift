import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules
import Testing

struct MangledSchemaTests {
    @Test func `mangled schemas are refused or read, and nothing else`() throws {
        var schemas = RandomSchemas(random: SeededRandom(test: "mangled schemas"))
        var counts: [Bool: Int] = [:]
        for _ in 0..<400 * soak {
            let documents = try SchemaDocument.documents(of: schemas.tables())
            let mangled = documents.map { document in
                SchemaDocument(
                    schema: self.mangled(document.schema, &schemas.random),
                    relationships: self.mangled(document.relationships, &schemas.random)
                )
            }
            let tables = try? SchemaDocument.tables(of: mangled)
            counts[tables != nil, default: 0] += 1
            guard let tables else { continue }
            try expectEqual(SchemaDocument.tables(of: SchemaDocument.documents(of: tables)), tables)
        }
        expectEqual(counts.count, 2)
    }

    @Test func `a class is inferred from mangled documents, or they are refused`() throws {
        var rules = RandomRules(random: SeededRandom(test: "mangled documents"))
        for _ in 0..<300 * soak {
            let documents = (0..<3).map { _ in self.mangled(rules.document(), &rules.random) }
            guard let tables = try? SchemaInference.tables(className: "A", documents: documents) else { continue }
            #expect(throws: Never.self) { try SchemaDocument.documents(of: tables) }
        }
    }

    /// Returns the document with a changed text, or a value that was replaced by another one or removed, at one or two
    /// places.
    private func mangled(_ document: BSONDocument, _ random: inout SeededRandom) -> BSONDocument {
        guard random.chance(60), !document.isEmpty else { return document }
        let (key, value) = document.randomElement(using: &random)!
        var document = document
        switch Int.random(in: 0..<6, using: &random) {
        case 0: document[key] = nil
        case 1: document[key] = document.randomElement(using: &random)!.value
        case 2: document[key] = random.pick([.null, 7, "x", [], [:], ["a": 1], [["a": 1], "b"], .minKey])
        case 3:
            document[key] = nil
            document[random.pick(["", "a.b", "$x", "_ID", "bsonType", "title"])] = value
        default:
            if let inner = value.documentValue { document[key] = .document(mangled(inner, &random)) }
        }
        return document
    }
}
