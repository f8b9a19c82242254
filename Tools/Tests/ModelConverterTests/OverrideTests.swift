import Testing

struct OverrideTests {
    @Test func `keys and indexes are said in place`() {
        expectMembers(
            """
              @objc dynamic var a = ""
              @objc dynamic var b = 0

              /// The key.
              override static func primaryKey() -> String? {
                return "a"
              }

              // MARK: Indexes
              override class func indexedProperties() -> [String] { ["a", "b",] }
              var c = 0
            """,
            become: """
                  @Persisted(primaryKey: true) var a = ""
                  @Persisted(indexed: true) var b = 0

                  // MARK: Indexes
                  var c = 0
                """
        )
        expectMembers(
            "  @objc dynamic var a = 0; override class func primaryKey() -> String? { return \"a\" }; func f() {}",
            become: "  @Persisted(primaryKey: true) var a = 0; func f() {}"
        )
    }

    @Test func `several methods at the end of a class go with the lines between them`() {
        expectMembers(
            "  @objc dynamic var a = 0\n\n  override class func primaryKey() -> String? {\n    \"a\"\n  }\n\n"
                + "  override class func ignoredProperties() -> [String] {\n    []\n  }\n\n"
                + "  override class func indexedProperties() -> [String] { [] }",
            become: "  @Persisted(primaryKey: true) var a = 0"
        )
    }

    @Test func `ignored properties stay plain`() {
        expectMembers(
            "  @objc dynamic var a = 0\n  let b = List<Int>()\n  @objc dynamic var c = 0\n\n"
                + "  override static func ignoredProperties() -> [String] { return [\"a\", \"b\", \"d\"] }\n\n  var d: Int { 0 }",
            become: "  var a = 0\n  let b = List<Int>()\n  @Persisted var c = 0\n\n  var d: Int { 0 }"
        )
    }

    @Test func `what isn't understood stays, and works`() {
        for (body, reason) in [
            ("return Names.key", "doesn't just return a name"),
            ("let a = \"a\"; return a", "doesn't just return a name"),
            ("return \"other\"", "names a property that isn't converted here"),
        ] {
            let override = "\n  override static func primaryKey() -> String? { \(body) }"
            expectMembers(
                "  @objc dynamic var a = 0" + override,
                become: "  @Persisted var a = 0" + override,
                findings: ["0.swift:4:19: note: Model.primaryKey() stays, and works: it \(reason)"]
            )
        }
        let override =
            "\n  override class func ignoredProperties() -> [String] { super.ignoredProperties() + [\"a\"] }"
        expectMembers(
            "  @objc dynamic var a = 0\n  @objc dynamic var b = 0" + override,
            become: "  var a = 0\n  @Persisted var b = 0" + override,
            findings: ["0.swift:5:18: note: Model.ignoredProperties() stays, and works: it doesn't just return names"]
        )
    }

    @Test func `a method that is called stays beside what it says`() {
        let text =
            "import RealmSwift\nclass A: Object {\n  @objc dynamic var a = 0\n  override class func primaryKey() -> String? { \"a\" }\n}\n"
        for (use, isCalled) in [("A.primaryKey()", true), ("T.primaryKey()", true), ("B.primaryKey()", false)] {
            let other = "class B: Object { @objc dynamic var b = 0 }\nfunc f<T: Object>(_: T) { print(\(use)) }\n"
            let result = converted(text, other)
            expect(result.texts[0].contains("@Persisted(primaryKey: true) var a = 0"))
            expectEqual(result.texts[0].contains("func primaryKey()"), isCalled, "\(use)")
            expectEqual(result.findings.count, (isCalled ? 1 : 0), "\(result.findings)")
        }
    }

    @Test func `a key that a subclass changes stays a method`() {
        let base =
            "class A: Object {\n  @objc dynamic var a = 0\n  override class func primaryKey() -> String? { \"a\" }\n}\n"
        let other =
            "import RealmSwift\nclass B: A {\n  @objc dynamic var b = 0\n  override class func primaryKey() -> String? { \"b\" }\n}\n"
        let same =
            "import RealmSwift\nclass B: A {\n  @objc dynamic var b = 0\n  override class func primaryKey() -> String? { \"a\" }\n}\n"
        let changed = converted(base, other)
        expectEqual(changed.texts[0], base.replacing("@objc dynamic", with: "@Persisted"))
        expectEqual(changed.texts[1], "import RealmSwift\nclass B: A {\n  @Persisted(primaryKey: true) var b = 0\n}\n")
        let kept = converted(base, same)
        expectEqual(
            kept.texts,
            [
                "class A: Object {\n  @Persisted(primaryKey: true) var a = 0\n}\n",
                "import RealmSwift\nclass B: A {\n  @Persisted var b = 0\n}\n",
            ]
        )
    }

    @Test func `an override in an extension is removed, or has to be moved`() {
        let text =
            "class A: Object { @objc dynamic var a = 0 }\nextension A {\n  override class func primaryKey() -> String? { \"a\" }\n}\n"
        expectEqual(
            converted(text).texts[0],
            "class A: Object { @Persisted(primaryKey: true) var a = 0 }\nextension A {\n}\n"
        )
        let result = converted(text.replacing("{ \"a\" }", with: "{ key }"))
        expect(result.findings.count == 1 && result.findings[0].contains("left alone: A.primaryKey()"))
    }
}
