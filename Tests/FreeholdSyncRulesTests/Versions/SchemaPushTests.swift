import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules

/// The effects of a push on names and types, and the pushes that are refused.
struct SchemaPushTests {
    private func table(_ columns: ColumnSpec..., name: String = "Dog", isEmbedded: Bool = false) -> TableSpec {
        isEmbedded
            ? TableSpec(name, columns: columns, isEmbedded: true)
            : TableSpec(name, columns: [ColumnSpec("_id", .int)] + columns, primaryKey: "_id")
    }

    private func stored(_ version: SchemaVersion, _ className: String) -> [String: String] {
        version.properties[className]?.filter { $0.key != "_id" } ?? [:]
    }

    /// Returns the reasons of a refusal, one for each line.
    private func problems(_ old: [TableSpec], _ new: [TableSpec], _ transition: SchemaTransition = .init()) -> [String]
    {
        do {
            _ = try SchemaVersions(old).pushing(new, as: 1, transition)
            return []
        } catch let error as SchemaPushError {
            return error.problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `renamed properties keep their stored place, and new ones get their own`() throws {
        let versions = try VersionModels.versions()
        expectEqual(versions.versions.map(\.number), [0, 2, 5])
        let second = versions.versions[1]
        expectEqual(second.classes, ["Hound": "Dog", "Person": "Person", "Bird": "Bird", "Address": "Address"])
        expectEqual(second.stored("Hound", "title"), "name")
        expectEqual(second.stored("Address", "road"), "street")
        expectEqual(second.stored("Hound", "breed"), "breed")
        // Another property with the old name is stored next to it.
        expectEqual(versions.newest.stored("Hound", "nick"), "nick_2")
        let dog = try require(versions.storage.first { $0.name == "Dog" })
        let types = Dictionary(uniqueKeysWithValues: dog.columns.map { ($0.name, $0) })
        expectEqual(types["age"]?.type, .double)
        expectEqual(types["nick"]?.type, .string)
        expectEqual(types["nick_2"]?.type, .int)
        expectEqual(types["owner"]?.target, "Person")
        expectEqual(types["weight"]?.isOptional, true)
        expectEqual(versions.storage.map(\.name), ["Dog", "Person", "Cat", "Address", "Bird"])
    }

    @Test func `a version serves the apps from its number up to the next one's`() throws {
        let versions = try VersionModels.versions()
        expectEqual([0, 1, 2, 3, 4, 5, 6, .max].map { versions.version(for: $0).number }, [0, 0, 2, 2, 2, 5, 5, 5])
    }

    @Test func `steps describe the effects of a push`() throws {
        let push = try SchemaVersions(VersionModels.first).pushing(
            VersionModels.second,
            as: 2,
            VersionModels.transition
        )
        let kinds = Dictionary(
            push.steps.map { ($0.className + ($0.property.map { "." + $0 } ?? ""), [$0.kind]) },
            uniquingKeysWith: +
        )
        expectEqual(kinds["Hound"], [.renamed])
        expectEqual(kinds["Hound.title"], [.renamed])
        expectEqual(kinds["Hound.age"], [.widened])
        expectEqual(kinds["Hound.weight"], [.required])
        expectEqual(kinds["Hound.breed"], [.added])
        expectEqual(kinds["Dog.nick"], [.removed])
        expectEqual(kinds["Cat"], [.removed])
        expectEqual(kinds["Bird"], [.added])
        expectEqual(kinds["Person.name"], [.optional])
        expectEqual(kinds["Address.road"], [.renamed])
        expect(push.steps.map(\.description).contains("Hound was called 'Dog'"))
        let back = try VersionModels.versions(2).pushing(VersionModels.third, as: 5)
        expect(back.steps.contains { $0.kind == .narrowed && $0.property == "age" })
    }

    @Test func `a property that is declared again is the old one if it fits`() throws {
        let old = [table(ColumnSpec("a", .string), ColumnSpec("b", .int)), table(name: "Cat")]
        var versions = try SchemaVersions(old)
        versions = try versions.pushing([table(ColumnSpec("b", .int))], as: 1).versions
        let push = try versions.pushing([table(ColumnSpec("a", .string, optional: true)), table(name: "Cat")], as: 2)
        expectEqual(stored(push.versions.newest, "Dog"), ["a": "a"])
        expectEqual(push.versions.newest.classes["Cat"], "Cat")
        expect(push.steps.contains { $0.kind == .back && $0.property == "a" })
        expect(push.steps.contains { $0.kind == .back && $0.className == "Cat" })
        // The name that a rename released belongs to another property now.
        versions = try SchemaVersions([table(ColumnSpec("a", .int))])
        let renamed = try versions.pushing(
            [table(ColumnSpec("a", .int), ColumnSpec("b", .int))],
            as: 1,
            SchemaTransition(properties: ["Dog": ["a": "b"]])
        )
        expectEqual(stored(renamed.versions.newest, "Dog"), ["b": "a", "a": "a_2"])
        // Names that differ only in case can't be stored next to each other.
        let cased = try SchemaVersions([table(ColumnSpec("a", .int))]).pushing([table(ColumnSpec("A", .string))], as: 1)
        expectEqual(stored(cased.versions.newest, "Dog"), ["A": "A_2"])
    }

    @Test func `names can be exchanged`() throws {
        let tables = [table(ColumnSpec("a", .int), ColumnSpec("b", .int)), table(name: "Cat")]
        let push = try SchemaVersions(tables).pushing(
            [table(ColumnSpec("a", .int), ColumnSpec("b", .int), name: "Cat"), table(name: "Dog")],
            as: 1,
            SchemaTransition(classes: ["Dog": "Cat", "Cat": "Dog"], properties: ["Cat": ["a": "b", "b": "a"]])
        )
        expectEqual(push.versions.newest.classes, ["Cat": "Dog", "Dog": "Cat"])
        expectEqual(stored(push.versions.newest, "Cat"), ["a": "b", "b": "a"])
    }

    // MARK: Refusals

    @Test func `a change that no lens can express is refused with both declarations and the remedy`() {
        let old = [
            table(
                ColumnSpec("a", .string),
                ColumnSpec("b", .int),
                ColumnSpec("c", .int, collection: .list),
                ColumnSpec("d", .int, collection: .set),
                ColumnSpec("e", .link, optional: true, target: "Cat"),
                ColumnSpec("f", .double)
            ),
            table(name: "Cat"), table(name: "Bird"), table(ColumnSpec("x", .int), name: "Home", isEmbedded: true),
        ]
        let new = [
            table(
                ColumnSpec("a", .int),
                ColumnSpec("b", .float),
                ColumnSpec("c", .int),
                ColumnSpec("d", .double, collection: .set),
                ColumnSpec("e", .link, optional: true, target: "Bird"),
                ColumnSpec("f", .decimal128)
            ),
            table(name: "Cat"), table(name: "Bird"), table(ColumnSpec("x", .int), name: "Home"),
        ]
        let found = problems(old, new)
        expectEqual(found.count, 7)
        expect(
            found[0].hasPrefix("Dog.a ('a: string' became 'a: long'): It has another type. Add a property of another")
        )
        expect(found[1].hasPrefix("Dog.b ('b: long' became 'b: float'): It has another type. Numbers get wider"))
        expect(found[2].hasPrefix("Dog.c ('c: list of long' became 'c: long'): It holds another kind of collection."))
        expect(found[3].hasPrefix("Dog.d ('d: set of long' became 'd: set of double'): Numbers of a set"))
        expect(found[4].hasPrefix("Dog.e ('e: Cat?' became 'e: Bird?'): It leads to another class."))
        expect(found[5].hasPrefix("Dog.f ('f: double' became 'f: decimal'): It has another type."))
        expectEqual(
            found[6],
            "Home: It isn't embedded any more. Add a class of another name, copy the objects, then remove this one."
        )
    }

    @Test func `primary keys can't be changed`() {
        let text = TableSpec("Dog", columns: [ColumnSpec("_id", .string)], primaryKey: "_id")
        expect(problems([table()], [text])[0].hasPrefix("Dog: Its key '_id: long' became '_id: string'."))
        let optional = TableSpec("Dog", columns: [ColumnSpec("_id", .int, optional: true)], primaryKey: "_id")
        expectEqual(problems([table()], [optional]).count, 1)
        expectEqual(
            problems([table()], [table()], SchemaTransition(properties: ["Dog": ["_id": "x"]])),
            [
                "Dog.x: '_id' can't be renamed."
            ]
        )
    }

    @Test func `links to a renamed class keep their target`() throws {
        let old = [table(ColumnSpec("cat", .link, optional: true, target: "Cat")), table(name: "Cat")]
        let new = [table(ColumnSpec("cat", .link, optional: true, target: "Lynx")), table(name: "Lynx")]
        expect(
            problems(old, new)[0].hasPrefix("Dog.cat ('cat: Cat?' became 'cat: Lynx?'): It leads to another class.")
        )
        expect(problems(old, new, SchemaTransition(classes: ["Cat": "Lynx"])).isEmpty)
    }

    @Test func `renames and fills without a counterpart are refused`() {
        let tables = [table(ColumnSpec("a", .int), ColumnSpec("b", .int, optional: true))]
        func refused(_ transition: SchemaTransition) -> Bool { !problems(tables, tables, transition).isEmpty }
        expect(refused(SchemaTransition(classes: ["Cat": "Dog"])))
        expect(refused(SchemaTransition(classes: ["Dog": "Cat"])))
        expect(refused(SchemaTransition(properties: ["Cat": ["a": "b"]])))
        expect(refused(SchemaTransition(properties: ["Dog": ["x": "a"]])))
        expect(refused(SchemaTransition(properties: ["Dog": ["a": "x"]])))
        expect(refused(SchemaTransition(properties: ["Dog": ["a": "b", "b": "b"]])))
        expect(refused(SchemaTransition(fills: ["Dog": ["b": 1]])))
        expect(refused(SchemaTransition(fills: ["Dog": ["a": "one"]])))
        expect(refused(SchemaTransition(fills: ["Dog": ["_id": 1]])))
        expect(refused(SchemaTransition(fills: ["Cat": ["a": 1]])))
        expect(refused(SchemaTransition(oldFills: ["Cat": ["a": 1]])))
        expect(!refused(SchemaTransition(fills: ["Dog": ["a": 1]], oldFills: ["Dog": ["a": 2]])))
    }

    @Test func `a version may grow, and other changes need a new number`() throws {
        let versions = try VersionModels.versions(2)
        var more = VersionModels.second
        more[2].columns.append(ColumnSpec("wings", .int))
        more.append(table(name: "Fish"))
        let push = try versions.pushing(more, as: 2)
        expectEqual(push.versions.versions.map(\.number), [0, 2])
        expectEqual(push.versions.newest.stored("Bird", "wings"), "wings")
        // Apps that know the version see no difference.
        expectEqual(push.versions.lens(for: 2)?.shown, versions.lens(for: 2)?.shown)
        #expect(throws: SchemaPushError.self) { try versions.pushing(VersionModels.third, as: 2) }
        let error = #expect(throws: SchemaPushError.self) { try versions.pushing(VersionModels.first, as: 1) }
        expectEqual(error?.description.contains("There is a version 2 already"), true)
        #expect(throws: SchemaPushError.self) { try versions.pushing([TableSpec("X", columns: [])], as: 3) }
    }

    @Test func `an administrator can put other classes into the newest version`() throws {
        let one = try SchemaVersions([table(ColumnSpec("a", .int))])
        let replaced = try one.replacingNewest(with: [table(ColumnSpec("a", .string))]).versions
        expectEqual(stored(replaced.newest, "Dog"), ["a": "a"])
        let two = try VersionModels.versions(2)
        var tables = VersionModels.second
        tables[2].columns[1] = ColumnSpec("song", .int)
        tables[0].columns[2] = ColumnSpec("age", .string)
        let other = try two.replacingNewest(with: tables).versions
        // Earlier versions keep their properties.
        expectEqual(other.newest.stored("Hound", "age"), "age_2")
        expectEqual(other.newest.stored("Hound", "title"), "name")
    }

    @Test func `the fill of a property is removed with it, and has its type`() throws {
        var versions = try SchemaVersions([table(ColumnSpec("a", .float), ColumnSpec("b", .int))])
        let fills = SchemaTransition(fills: ["Dog": ["a": 8, "b": 3]])
        versions = try versions.pushing([table(ColumnSpec("a", .float), ColumnSpec("b", .int))], as: 1, fills).versions
        let wider = [table(ColumnSpec("c", .double), ColumnSpec("b", .double))]
        versions = try versions.pushing(wider, as: 2, SchemaTransition(properties: ["Dog": ["a": "c"]])).versions
        expectEqual(versions.newest.fills, ["Dog": ["c": .double(8), "b": .double(3)]])
        // A value for apps of earlier versions is shown in their number types.
        let last = SchemaTransition(oldFills: ["Dog": ["b": .double(2.5)]])
        versions = try SchemaVersions([table(ColumnSpec("b", .int))]).pushing([table(ColumnSpec("b", .double))], as: 1)
            .versions
        versions = try versions.pushing([table()], as: 2, last).versions
        expectEqual(versions.versions.map { $0.fills["Dog"]?["b"] }, [2, .double(2.5), nil])
    }

    // MARK: Documents

    @Test func `versions are stored as a document`() throws {
        let versions = try VersionModels.versions()
        let text = try versions.document.extendedJSON(.canonical)
        let read = try SchemaVersions(BSONDocument(extendedJSON: text))
        expectEqual(read, versions)
        expectEqual(read.lens(for: 0)?.identity, versions.lens(for: 0)?.identity)
        for broken in [
            "{}", #"{"versions":[]}"#, #"{"versions":[{"number":1,"classes":[{"name":"A"}]}]}"#, #"{"versions":1}"#,
        ] {
            #expect(throws: RuleError.self) { try SchemaVersions(BSONDocument(extendedJSON: broken)) }
        }
        let twice = #"{"versions":[{"number":1,"classes":[]},{"number":1,"classes":[]}]}"#
        #expect(throws: RuleError.self) { try SchemaVersions(BSONDocument(extendedJSON: twice)) }
    }

    @Test func `random chains of versions are stored as documents`() throws {
        var random = SeededRandom(test: "kept versions")
        for _ in 0..<20 * soak {
            var chain = RandomVersionChain(random: random)
            for _ in 0..<4 { try chain.push() }
            random = chain.random
            try expectEqual(SchemaVersions(chain.versions.document), chain.versions)
        }
    }

    @Test func `a transition is read, and an invalid one is refused with its place`() throws {
        let text = """
            {"classes": {"Dog": "Hound"}, "properties": {"Hound": {"name": "title"}},
             "fills": {"Hound": {"age": 1, "at": {"$date": "2020-01-01T00:00:00Z"}}}, "oldFills": {"Dog": {"owner": "nobody"}}}
            """
        let transition = try SchemaTransition(extendedJSON: text)
        expectEqual(transition.classes, ["Dog": "Hound"])
        expectEqual(transition.properties, ["Hound": ["name": "title"]])
        expectEqual(transition.fills["Hound"]?["age"], 1)
        expectEqual(transition.fills["Hound"]?["at"], .date(Timestamp(seconds: 1_577_836_800, nanoseconds: 0)))
        expectEqual(transition.oldFills, ["Dog": ["owner": "nobody"]])
        for (text, path) in [
            (#"{"classes": {"Dog": 1}}"#, ["classes", "Dog"]), (#"{"properties": []}"#, ["properties"]),
            (#"{"fills": {"Dog": {"a": []}}}"#, ["fills", "Dog", "a"]), (#"{"renames": {}}"#, ["renames"]),
        ] {
            let error = #expect(throws: RuleError.self) { try SchemaTransition(extendedJSON: text) }
            expectEqual(error?.path, path)
        }
    }
}
