import Testing

struct PropertyTests {
    @Test func `marks may stand in any order, and other words stay`() {
        expectMembers("    @objc dynamic var a = 0", become: "    @Persisted var a = 0")
        expectMembers("    @objc\n    dynamic var a = 0", become: "    @Persisted\n    var a = 0")
        expectMembers("\t@objc dynamic\n\tvar a = 0", become: "\t@Persisted\n\tvar a = 0")
        expectMembers("  public dynamic @objc var a = 0", become: "  public @Persisted var a = 0")
        expectMembers("  private(set) dynamic var a = 0", become: "  @Persisted private(set) var a = 0")
        expectMembers("  dynamic private(set) var a = 0", become: "  @Persisted private(set) var a = 0")
        expectMembers(
            "  @available(*, deprecated) @objc final dynamic var a = 0",
            become: "  @available(*, deprecated) @Persisted final var a = 0"
        )
        expectMembers("  @objc(a) dynamic var a = 0", become: "  @Persisted var a = 0")
        expectMembers("  @objc dynamic var `default` = 0", become: "  @Persisted var `default` = 0")
    }

    @Test func `comments and strings aren't declarations`() {
        for text in [
            "  // @objc dynamic var a = 0", "  /* @objc /* dynamic */ var a = 0 */",
            "  let a = \"@objc dynamic var a = 0\"",
            "  let a = \"\"\"\n  @objc dynamic var a = 0\n  \"\"\"", "  let a = #\"\\(\" @objc dynamic var a = 0 \"#",
            "  let a = \"\\(b(\"}\")) @objc dynamic var a = 0\"", "  let a = #/@objc dynamic var \"/#",
        ] {
            expectMembers(text, become: text)
        }
    }

    @Test func `default values of any form stay`() {
        for value in [
            "\"{\"", "\"\\(1 + f(\")\")) dynamic\"", "{ () -> Int in let a = 1; return a }()",
            "Other<Int, String>.value",
            "f { $0 }", "a\n      .b()", "1 < 2 ? 3 : 4", "x /* , */ + 1", "-1", "[1, 2].count",
            "\"\"\"\n  a, b\n  \"\"\"",
        ] {
            expectMembers(
                "  @objc dynamic var a: Int = \(value)\n  @objc dynamic var b = 0",
                become: "  @Persisted var a: Int = \(value)\n  @Persisted var b = 0"
            )
        }
    }

    @Test func `a declaration of several variables becomes several declarations`() {
        expectMembers(
            "  @objc private dynamic var a = 0, b: String?, c = [1, 2].count",
            become:
                "  @Persisted private var a = 0; @Persisted private var b: String?; @Persisted private var c = [1, 2].count"
        )
        expectMembers("  @objc dynamic var a, b: Int", become: "  @Persisted var a: Int; @Persisted var b: Int")
        expectMembers(
            "  @objc dynamic var a = 0,\n    b = 1 // last",
            become: "  @Persisted var a = 0\n    @Persisted var b = 1 // last"
        )
        expectMembers(
            "  let a = List<Int>(), b = Map<String, Int>(), c = RealmOptional<Int>(1)",
            become: "  @Persisted var a: List<Int>; @Persisted var b: Map<String, Int>; @Persisted var c: Int? = 1"
        )
    }

    @Test func `collections say their type and have no value`() {
        for old in [
            "let a = List<Int>()", "var a = List<Int>()", "let a: List<Int> = List<Int>()", "let a: List<Int> = List()",
            "let a: List<Int> = .init()", "let a = List<Int>.init()", "let a: List<Int>",
            "@objc dynamic var a = List<Int>()",
        ] {
            expectMembers("  \(old)", become: "  @Persisted var a: List<Int>")
        }
        expectMembers("  let a = RealmSwift.List<Int?>()", become: "  @Persisted var a: RealmSwift.List<Int?>")
        expectMembers("  let a: List<Int> = made()", become: "  @Persisted var a: List<Int> = made()")
        expectMembers("  lazy var a = List<Int>()", become: "  lazy var a = List<Int>()")
        expectMembers("  static let a = List<Int>()", become: "  static let a = List<Int>()")
    }

    @Test func `boxes become optionals`() {
        for (old, new) in [
            ("let a = RealmOptional<Int>()", "var a: Int?"), ("let a = RealmProperty<Int?>()", "var a: Int?"),
            ("let a = RealmOptional<Int>(5)", "var a: Int? = 5"), ("let a = RealmOptional(-5)", "var a: Int? = -5"),
            ("let a = RealmOptional(0.5)", "var a: Double? = 0.5"),
            ("let a: RealmOptional<Int> = .init()", "var a: Int?"),
            ("let a: RealmOptional<Int> = RealmOptional(x + 1)", "var a: Int? = x + 1"),
            ("let a = RealmOptional<Int>(nil)", "var a: Int?"),
            ("let a = RealmProperty<AnyRealmValue>()", "var a: AnyRealmValue"),
            ("dynamic var a: RealmOptional<Int> = RealmOptional()", "var a: Int?"),
        ] {
            expectMembers("  \(old)", become: "  @Persisted \(new)")
        }
    }

    @Test func `linking objects name their origin`() {
        for old in [
            "let a = LinkingObjects(fromType: Model.self, property: \"b\")",
            "var a = LinkingObjects(fromType: Model.self, property: #keyPath(Model.b))",
            "let a: LinkingObjects<Model> = LinkingObjects(fromType: Model.self, property: \"b\")",
            "let a = LinkingObjects<Model>(fromType: Model.self, property: \"b\")",
        ] {
            expectMembers("  \(old)", become: "  @Persisted(originProperty: \"b\") var a: LinkingObjects<Model>")
        }
        expectMembers(
            "  private let a = LinkingObjects(fromType: App.Model.self, property: Names.b)",
            become: "  @Persisted(originProperty: Names.b) private var a: LinkingObjects<App.Model>"
        )
    }

    @Test func `plain and computed properties stay, without what is Objective-C's`() {
        for text in [
            "  var a = 0", "  let a = 0", "  private var a: String?", "  var a: Int { 0 }",
            "  static let a = List<Int>()",
            "  @Persisted var a = 0", "  func dynamic() {}", "  var x: List<Int> { l }",
        ] {
            expectMembers(text, become: text)
        }
        expectMembers("  @objc dynamic var a: Int { 0 }", become: "  var a: Int { 0 }")
        expectMembers("  @objc dynamic var a: Int {\n    get { 0 }\n  }", become: "  var a: Int {\n    get { 0 }\n  }")
        expectMembers("  @objc dynamic lazy var a = 0", become: "  lazy var a = 0")
        expectMembers("  @objc static var a = 0", become: "  static var a = 0")
    }

    @Test func `what a protocol of Objective-C's asks for was stored as well`() {
        let head = "import RealmSwift\n@objc protocol Named { var name: String? { get set }; var all: [Int] { get } }\n"
        let result = converted(
            head + "class Dog: Object, Named {\n  var name: String?\n  var all: [Int] = []\n  var x = 0\n}\n"
        )
        expectEqual(
            result.texts[0],
            head
                + "class Dog: Object, Named {\n  @Persisted var name: String?\n  var all: [Int] = []\n  var x = 0\n}\n"
        )
        expect(result.findings.count == 1 && result.findings[0].contains("0.swift:4:7: note: Dog.name was stored"))
    }

    @Test func `beside properties with @Persisted others weren't stored`() {
        let reason = "isn't stored, because others have @Persisted: make it plain, or write @Persisted"
        for (text, column, word) in [("@objc dynamic var b = 0", 21, "left alone"), ("let b = List<Int>()", 7, "note")]
        {
            let members = "  @Persisted var a = 0\n  \(text)"
            expectMembers(members, become: members, findings: ["0.swift:4:\(column): \(word): Model.b \(reason)"])
        }
    }

    @Test func `what can't be stored is left alone, with the reason`() {
        for (text, reason) in [
            ("@objc dynamic var a: [String] = []", "is an array or dictionary, which isn't stored: use List or Map"),
            ("@objc dynamic var a = [1]", "is an array or dictionary, which isn't stored: use List or Map"),
            ("@objc dynamic var a: NSDate?", "is of type NSDate, which can't be stored: use Date"),
            ("@objc dynamic var a = NSDate()", "is of type NSDate, which can't be stored: use Date"),
            ("@objc dynamic weak var a: Model?", "is weak, which a property with @Persisted can't be"),
            ("@objc override dynamic var a = 0", "overrides a property, which one with @Persisted can't"),
            ("let a = /* why */ List<Int>()", "has a comment inside: declare it by hand"),
        ] {
            let column = text.distance(from: text.startIndex, to: text.firstRange(of: " a")!.upperBound) + 2
            expectMembers(
                "  \(text)",
                become: "  \(text)",
                findings: ["0.swift:3:\(column): left alone: Model.a \(reason)"]
            )
        }
    }
}
