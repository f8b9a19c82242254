import FreeholdEngine
import ModelWriter
import Testing

/// The limits of a language: parts of a schema that it can't express are reported, and never left out silently. Parts
/// that no language can express are refused.
struct LimitTests {
    private func notes(_ classes: [ModelClass], _ language: ModelLanguage) throws -> [String] {
        let models = try GeneratedModels(classes, in: language)
        for note in models.notes { expect(models.files.contains { $0.text.contains(note.text) }, "\(note)") }
        return models.notes.map(\.description)
    }

    @Test(arguments: [
        (
            ModelLanguage.dart,
            "It is stored as float, a type that Realm's SDK for Dart doesn't have; double is a different type."
        ),
        (.cpp, "It is stored as float, a type that Realm's SDK for C++ doesn't have; double is a different type."),
    ])
    func `a float is left out in a language without floats`(language: ModelLanguage, text: String) throws {
        let given = model("Thing", "name: string, speed: float")
        try expectEqual(notes([given], language), ["Thing.speed: " + text])
        let code = try GeneratedModels([given], in: language).files[0].text
        expect(code.contains("name") && code.contains("// 'speed' is left out. ") && !code.contains("double speed"))
    }

    @Test func `C++ leaves out properties that it can't name by their stored names, and links to them`() throws {
        let classes = [
            model("order line", "_id: int key, name: string"), model("Thing", "_id: int key, order: string, a: order"),
            model("Bad", "class: int key, name: string"), model("Empty", "class: int"),
            model("Holder", "_id: int key, bad: Bad, things: Thing[], empties: Empty[]"),
        ].map { given in
            var given = given
            for i in given.table.columns.indices where given.table.columns[i].target == "order" {
                given.table.columns[i].target = "order line"
            }
            return given
        }
        let found = try notes(classes, .cpp)
        expectEqual(
            found,
            [
                "order line: Realm's SDK for C++ can't call a class so, nor map the name to another.",
                "Thing.a: It links to 'order line', which is left out.",
                "Bad: Its primary key 'class' can't be declared. Realm's SDK for C++ can't map a property to another name.",
                "Empty: No property is left of it, and Realm's SDK for C++ needs one.",
                "Holder.bad: It links to 'Bad', which is left out.",
                "Holder.empties: It links to 'Empty', which is left out.",
            ]
        )
    }

    @Test func `C++ has no cycles of inverse relationships, no more than 199 properties, and no nulls in lists`()
        throws
    {
        let classes = [
            model("A", "b: B, @bs: B.a, @self: A.other, other: A"), model("B", "a: A, @as: A.b"),
            model("Long", (0..<200).map { "p\($0): int" }.joined(separator: ", ")),
            model("Nulls", "x: int, list: int?[]"),
        ]
        let found = try notes(classes, .cpp)
        expectEqual(found.count, 3, "\(found)")
        expect(found.contains { $0.hasPrefix("B.as: ") && $0.contains("in a circle") })
        expect(found.contains { $0.hasPrefix("Long: It has 200 properties") })
        expect(found.contains { $0.hasPrefix("Nulls.list: Its elements can be null") })
        let text = try GeneratedModels(classes, in: .cpp).files[0].text
        expect(text.firstRange(of: "struct B {")!.lowerBound < text.firstRange(of: "struct A {")!.lowerBound)
        expect(
            text.contains("realm::linking_objects<&B::a> bs;")
                && text.contains("realm::linking_objects<&A::other> self;")
        )
    }

    @Test(arguments: ModelLanguage.allCases) func `Freehold's own rules and indexes are reported separately`(
        language: ModelLanguage
    )
        throws
    {
        var given = model("Thing", "a: int, b: int, link: Thing, places: double[]")
        given.table.compounds = [CompoundIndexSpec(["a", "b"], unique: true)]
        given.table.columns[2].rules = DeleteRules(targets: .cascade, origins: .deny)
        given.table.columns[3].indexKind = .places
        let found = try notes([given], language)
        expectEqual(found.count, (language == .swift ? 0 : 4), "\(found)")
    }

    @Test func `an inverse of a set or of a dictionary is reported in languages without it`() throws {
        let classes = [
            model("A", "set: B<>, map: B{}, list: B[], one: B"),
            model("B", "x: int, @s: A.set, @m: A.map, @l: A.list, @o: A.one"),
        ]
        try expectEqual(notes(classes, .java).count, 2)
        try expectEqual(notes(classes, .dart).count, 2)
        try expectEqual(notes(classes, .csharp), ["B.m: Realm's SDK for .NET has no inverses of dictionaries."])
        try expectEqual(notes(classes, .kotlin), [])
    }

    @Test func `JavaScript can't link to a class with the name of a type`() throws {
        let found = try notes(
            [model("date", "x: int"), model("A", "x: int, y: int")].map { given in
                var given = given
                if given.table.name == "A" { given.table.columns[1] = ColumnSpec("y", .link, target: "date") }
                return given
            },
            .javascript
        )
        expectEqual(found, ["A.y: It links to 'date', which Realm's SDK for JavaScript takes for another type's name."])
    }

    @Test(arguments: ModelLanguage.allCases) func `a link to a class outside of the given ones is reported`(
        language: ModelLanguage
    ) throws {
        let found = try notes([model("A", "x: int, b: Elsewhere, @y: Elsewhere.a")], language)
        expect(found.count == 2 && found.allSatisfy { $0.contains("'Elsewhere'") }, "\(found)")
    }

    // MARK: Contradictions

    private static let contradictions: [(String, [ModelClass], ModelError.Code)] = [
        ("an empty class name", [ModelClass(TableSpec("", columns: []))], .name),
        ("an empty property name", [ModelClass(TableSpec("A", columns: [ColumnSpec("", .int)]))], .name),
        ("the character 0 in a class's name", [ModelClass(TableSpec("A\0", columns: []))], .name),
        (
            "the character 0 in a property's name", [ModelClass(TableSpec("A", columns: [ColumnSpec("a\0b", .int)]))],
            .name
        ),
        ("two classes of one name", [model("A", "x: int"), model("A", "y: int")], .name),
        ("two properties of one name", [model("A", "x: int, x: string")], .name),
        ("a link to nothing", [ModelClass(TableSpec("A", columns: [ColumnSpec("x", .link)]))], .property),
        ("a link to an asymmetric class", [model("A", "x: B"), model("B", "x: int", asymmetric: true)], .property),
        ("a set of embedded objects", [model("A", "x: B<>"), model("B", "x: int", embedded: true)], .property),
        ("a key that isn't there", [ModelClass(TableSpec("A", columns: [], primaryKey: "id"))], .property),
        ("a key of dates", [model("A", "x: date key")], .property),
        ("a list as a key", [model("A", "x: int[] key")], .property),
        ("an embedded class with a key", [model("A", "x: int key", embedded: true)], .property),
        ("an inverse of nothing", [model("A", "x: int, @y: A.z")], .property),
        ("an inverse of a property that is no link", [model("A", "x: int, @y: A.x")], .property),
        ("an inverse of a link elsewhere", [model("A", "x: B, @y: A.x"), model("B", "x: int")], .property),
        (
            "an index of a property that isn't there",
            [ModelClass(TableSpec("A", columns: [ColumnSpec("x", .int)], compounds: [CompoundIndexSpec(["x", "y"])]))],
            .property
        ),
    ]

    @Test(arguments: contradictions.indices) func `a contradictory schema is refused in every language`(index: Int) {
        let (what, classes, code) = Self.contradictions[index]
        for language in ModelLanguage.allCases {
            let error = #expect(throws: ModelError.self, "\(what)") { try GeneratedModels(classes, in: language) }
            expectEqual(error?.code, code, "\(what): \(String(describing: error))")
        }
    }

    @Test(arguments: ["a b", "a..b", "", ".", "a;b", "a\nb", "1a", "größe"]) func `an invalid package name is refused`(
        package: String
    ) {
        let error = #expect(throws: ModelError.self) {
            try GeneratedModels([], in: .java, options: ModelOptions(package: package))
        }
        expectEqual(error?.code, .option)
        #expect(throws: ModelError.self) {
            try GeneratedModels([], in: .dart, options: ModelOptions(fileName: package))
        }
    }

    @Test func `an empty schema isn't an error`() throws {
        for language in ModelLanguage.allCases { expect(try GeneratedModels([], in: language).notes.isEmpty) }
    }
}
