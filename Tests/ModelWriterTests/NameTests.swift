import FreeholdEngine
import ModelWriter
import Testing

/// The names of classes, properties and files in code.
struct NameTests {
    private func text(_ classes: [ModelClass], _ language: ModelLanguage, _ naming: ModelOptions.Naming = .stored)
        throws
        -> String
    {
        try GeneratedModels(classes, in: language, options: ModelOptions(naming: naming)).files.map(\.text).joined()
    }

    @Test(arguments: [
        (ModelLanguage.swift, "class", "var `class`: Int"), (.swift, "description", "var descriptionValue: Int"),
        (.swift, "first-name", "var firstName: Int"), (.swift, "1st", "var _1st: Int"),
        (.swift, "$", "var unnamed: Int"),
        (.swift, "größe", "var größe: Int"), (.swift, "_id", "var _id: Int"),
        (.objc, "class", "NSInteger classValue;"), (.objc, "newName", "NSInteger itsNewName;"),
        (.objc, "newspaper", "NSInteger newspaper;"), (.objc, "id", "NSInteger id;"),
        (.objc, "__strong", "NSInteger strong;"), (.objc, "copy", "NSInteger itsCopy;"),
        (.kotlin, "object", "var `object`: Long"), (.kotlin, "class", "var classValue: Long"),
        (.kotlin, "e\u{301}", "var e: Long"), (.java, "class", "private long classValue;"),
        (.java, "realm", "private long realmValue;"), (.java, "record", "private long recordValue;"),
        (.javaKotlin, "isValid", "var isValidValue: Long"), (.javaKotlin, "int", "var intValue: Long"),
        (.csharp, "first_name", "public long FirstName {"), (.csharp, "_id", "public long Id {"),
        (.csharp, "is-valid", "public long IsValidValue {"), (.csharp, "Thing", "public long ThingValue {"),
        (.dart, "_id", "late int id;"), (.dart, "_1st", "late int n1st;"), (.dart, "größe", "late int grE;"),
        (.dart, "class", "late int classValue;"), (.javascript, "first-name", "\"first-name\": \"int\","),
        (.javascript, "__proto__", "__proto__Value: { type: \"int\", mapTo: \"__proto__\" },"),
        (.typescript, "keys", "keysValue!: number;"), (.typescript, "class", "class!: number;"),
        (.cpp, "größe", "int64_t größe = 0;"), (.cpp, "_id", "int64_t _id = 0;"), (.cpp, "__v", "int64_t __v = 0;"),
    ])
    func `a stored name is kept if possible, and otherwise gets a similar name`(
        language: ModelLanguage,
        stored: String,
        declared: String
    ) throws {
        let table = TableSpec("Thing", columns: [ColumnSpec(stored, .int)])
        let text = try text([ModelClass(table)], language)
        expect(text.contains(declared), "\(text)")
    }

    @Test(arguments: [
        (ModelLanguage.swift, "var firstName: Int", "final class OrderLine: Object"),
        (.objc, "NSInteger firstName;", "@interface OrderLine : RLMObject"),
        (.kotlin, "var firstName: Long", "class OrderLine : RealmObject"),
        (.java, "private long firstName;", "class OrderLine extends"),
        (.javaKotlin, "var firstName: Long", "open class OrderLine :"),
        (.csharp, "long FirstName {", "class OrderLine :"),
        (.dart, "late int firstName;", "class _OrderLine {"),
        (.javascript, "firstName: { type: \"int\", mapTo: \"first_name\" },", "class OrderLine extends"),
        (.typescript, "firstName!: number;", "class OrderLine extends"),
        (.cpp, "int64_t first_name = 0;", "struct order_line {"),
    ])
    func `names follow the conventions of the language on request`(
        language: ModelLanguage,
        property: String,
        className: String
    ) throws {
        let table = TableSpec("order_line", columns: [ColumnSpec("first_name", .int)])
        let text = try text([ModelClass(table)], language, .idiomatic)
        expect(text.contains(property) && text.contains(className), "\(text)")
        if language != .cpp { expect(text.contains("first_name") && text.contains("order_line"), "mapped: \(text)") }
    }

    @Test(arguments: [
        ("URL", "url"), ("URLPath", "urlPath"), ("first name", "firstName"), ("_id", "_id"),
        ("__first_name", "__firstName"),
        ("Name", "name"), ("a-b.c", "aBC"), ("X", "x"), ("name2", "name2"),
    ])
    func spelling(stored: String, expected: String) throws {
        let table = TableSpec("Thing", columns: [ColumnSpec(stored, .int)])
        let text = try text([ModelClass(table)], .kotlin, .idiomatic)
        expect(text.contains("var \(expected): Long"), "\(text)")
    }

    @Test func `names that would be equal are made different, and no stored name becomes another one's`() throws {
        let names = ["first name", "first-name", "firstName2", "firstName", "FirstName"]
        let table = TableSpec("Thing", columns: names.map { ColumnSpec($0, .int) })
        let swift = try text([ModelClass(table)], .swift)
        for declared in ["firstName3", "firstName4", "firstName2", "firstName", "FirstName"] {
            expect(swift.contains("var \(declared): Int"), "\(swift)")
        }
        // Accessors differ by more than a capital.
        let java = try text([ModelClass(table)], .java)
        for declared in ["firstName", "firstName2", "firstName3", "firstName4", "FirstName5"] {
            expect(java.contains("private long \(declared);"), "\(java)")
        }
        let classes = ["dog", "Dog", "DOG"].map { ModelClass(TableSpec($0, columns: [ColumnSpec("x", .int)])) }
        let files = try GeneratedModels(classes, in: .java).files.map(\.name)
        expectEqual(Set(files.map { $0.lowercased() }).count, 3, "\(files)")
    }

    @Test func `a key keeps its stored name in JavaScript, whose SDK looks it up by both`() throws {
        let table = TableSpec("Thing", columns: [ColumnSpec("my_key", .int)], primaryKey: "my_key")
        let text = try text([ModelClass(table, propertyNames: ["my_key": "myKey"])], .javascript, .idiomatic)
        expect(text.contains("primaryKey: \"my_key\",") && text.contains("my_key: \"int\","), "\(text)")
        let bad = TableSpec("Thing", columns: [ColumnSpec("constructor", .int)], primaryKey: "constructor")
        let models = try GeneratedModels([ModelClass(bad)], in: .typescript)
        expect(models.notes.map(\.property) == [nil] && !models.files[0].text.contains("class Thing"))
    }

    @Test func `a number doesn't turn a name into that of a macro`() throws {
        let names = ["_A", "_A=", "_A-", "_0", "_0=", "_0-"]
        let table = TableSpec("Thing", columns: names.map { ColumnSpec($0, .int) })
        let text = try text([ModelClass(table)], .objc)
        for declared in ["_A", "A2", "A3", "_0", "_02", "_03"] {
            expect(text.contains("NSInteger \(declared);"), "\(text)")
        }
    }

    /// Both languages keep a property under its name with an underscore in front.
    @Test(arguments: [(ModelLanguage.swift, "var id2: String"), (.objc, "NSString *id2;")])
    func `two properties that differ by an underscore get different names`(language: ModelLanguage, declared: String)
        throws
    {
        let table = TableSpec(
            "Thing",
            columns: [ColumnSpec("_id", .int), ColumnSpec("id", .string)],
            primaryKey: "_id"
        )
        let text = try text([ModelClass(table)], language)
        expect(text.contains(declared) && text.contains("_id"), "\(text)")
    }

    @Test func `a property with the name of its class gets another name`() throws {
        let classes = [ModelClass(TableSpec("Thing", columns: [ColumnSpec("Thing", .int), ColumnSpec("x", .int)]))]
        expect(try text(classes, .cpp).contains("'Thing' is left out") && text(classes, .cpp).contains("(Thing, x)"))
        expect(try text(classes, .csharp).contains("[MapTo(\"Thing\")]\n    public long ThingValue"))
        expect(try text(classes, .java).contains("private long Thing;"))
    }

    @Test func `many unusable names are made unique quickly`() throws {
        let names = (1...3_000).map {
            String(repeating: "$", count: $0 % 60 + 1) + String(repeating: "-", count: $0 / 60)
        }
        let table = TableSpec("Thing", columns: names.map { ColumnSpec($0, .int) })
        for language in ModelLanguage.allCases {
            let models = try GeneratedModels([ModelClass(table)], in: language)
            expectEqual(models.files.isEmpty, false)
        }
    }
}
