import FreeholdEngine
import Testing

@testable import FreeholdSyncRules

struct SchemaAdoptionTests {
    private static func table(_ name: String, _ columns: ColumnSpec...) -> TableSpec {
        TableSpec(name, columns: [ColumnSpec("_id", .objectId)] + columns, primaryKey: "_id")
    }

    private static let server = [
        table("Dog", ColumnSpec("name", .string), ColumnSpec("age", .int)), table("Cat", ColumnSpec("name", .string)),
    ]

    @Test(arguments: [SchemaAdoption.Mode.development, .production])
    func `a client with fewer classes is accepted, and nothing changes`(mode: SchemaAdoption.Mode) throws {
        let client = [Self.table("Dog", ColumnSpec("age", .int, indexed: true))]
        let adoption = try SchemaAdoption(server: Self.server, client: client, mode: mode)
        expect(adoption.isAccepted)
        expect(adoption.adopted.isEmpty)
        expectEqual(adoption.tables, Self.server)
    }

    @Test func `development mode adopts new classes and properties`() throws {
        let client = [
            Self.table("Dog", ColumnSpec("toy", .link, optional: true, target: "Toy"), ColumnSpec("name", .string)),
            Self.table("Toy", ColumnSpec("size", .int, indexed: true)),
        ]
        let adoption = try SchemaAdoption(server: Self.server, client: client, mode: .development)
        expectEqual(
            adoption.adopted.map(\.description),
            ["Dog.toy is new ('toy: Toy?'): additive", "Toy is new: additive"]
        )
        expectEqual(adoption.tables.map(\.name), ["Dog", "Cat", "Toy"])
        expectEqual(adoption.tables[0].columns.map(\.name), ["_id", "name", "age", "toy"])
        expect(!adoption.tables[2].columns[1].isIndexed)
        // A client with the old schema may continue with the new one.
        expect(try SchemaAdoption(server: adoption.tables, client: Self.server, mode: .production).isAccepted)
    }

    @Test func `production mode refuses by name`() throws {
        let client = [Self.table("Dog", ColumnSpec("toy", .string)), Self.table("Toy")]
        let adoption = try SchemaAdoption(server: Self.server, client: client, mode: .production)
        expectEqual(
            adoption.refused.map(\.description),
            ["Dog.toy is new ('toy: string'): additive", "Toy is new: additive"]
        )
        expectEqual(adoption.tables, Self.server)
    }

    @Test(arguments: [SchemaAdoption.Mode.development, .production])
    func `a breaking change is refused with both declarations, and nothing is adopted`(mode: SchemaAdoption.Mode) throws
    {
        let client = [Self.table("Dog", ColumnSpec("age", .string, optional: true)), Self.table("Toy")]
        let adoption = try SchemaAdoption(server: Self.server, client: client, mode: mode)
        expectEqual(
            adoption.refused[0].description,
            "Dog.age has another type ('age: long' became 'age: string?'): breaking"
        )
        expect(adoption.adopted.isEmpty)
        expectEqual(adoption.tables, Self.server)
    }

    @Test func `contradictory classes are refused with a reason`() {
        #expect(throws: RuleError.self) {
            try SchemaAdoption(server: Self.server, client: [TableSpec("Toy", columns: [])], mode: .development)
        }
        let error = #expect(throws: RuleError.self) {
            try SchemaAdoption(server: Self.server, client: [Self.table("dog")], mode: .development)
        }
        expectEqual(error?.reason, "'Dog' and 'dog' differ by case only.")
    }

    @Test func `random schemas that grow in random steps are adopted step by step`() throws {
        var schemas = RandomSchemas(random: SeededRandom(test: "adoption"))
        for _ in 0..<200 * soak {
            let first = schemas.tables()
            let second = schemas.tables()
            guard let adoption = try? SchemaAdoption(server: first, client: second, mode: .development) else {
                continue
            }
            guard adoption.isAccepted else {
                expectEqual(adoption.tables, first)
                continue
            }
            for client in [first, second] {
                expect(try SchemaAdoption(server: adoption.tables, client: client, mode: .production).isAccepted)
            }
        }
    }
}
