import Testing

struct UseTests {
    @Test func `a box's value is the property itself`() {
        let head = "class A: Object {\n  let a = RealmOptional<Int>()\n  "
        let newHead = "class A: Object {\n  @Persisted var a: Int?\n  "
        for (old, new) in [
            ("var b: Int { a.value ?? 0 }", "var b: Int { a ?? 0 }"),
            ("func f() { a.value = 1 }", "func f() { a = 1 }"),
            ("func f() { self.a.value! += 1 }", "func f() { self.a! += 1 }"),
            (
                "var b: String { \"\\(a.value.map { \"\\($0)\" } ?? \"\")\" }",
                "var b: String { \"\\(a.map { \"\\($0)\" } ?? \"\")\" }"
            ),
            ("func f() { if let a = a.value { g(a) } }", "func f() { if let a = a { g(a) } }"),
            (
                "func f() { guard let a = self.a.value else { return } }",
                "func f() { guard let a = self.a else { return } }"
            ),
            ("func f(a: Int) { self.a.value = a }", "func f(a: Int) { self.a = a }"),
            ("func f(_ x: A) { x.a.value = 1 }", "func f(_ x: A) { x.a = 1 }"),
            ("func f() { let x = A(); x.a.value = 1 }", "func f() { let x = A(); x.a = 1 }"),
            ("func f(_ x: A?) { x?.a.value = x!.a.value }", "func f(_ x: A?) { x?.a = x!.a }"),
            ("let p = \\A.a.value", "let p = \\A.a"),
        ] {
            let result = converted(head + old + "\n}\n")
            expectEqual(result.texts[0], newHead + new + "\n}\n")
            expectEqual(result.findings, [], "\(old)")
        }
    }

    @Test func `other things of the name stay`() {
        let models = "class A: Object { let a = RealmOptional<Int>() }\nstruct S { var a: Box }\n"
        for text in [
            "func f() { a.value = 1 }", "func f(_ s: S) { s.a.value = 1 }",
            "extension S { func f() { self.a.value = 1; a.value = 2 } }",
            "func f() { S.a.value = 1 }", "func f(_ x: A) { x.a.value(1) }", "func f(_ x: A) { x.b.value = 1 }",
        ] {
            let result = converted(models, text)
            expect(result.texts[1] == text && result.findings == [], "\(text): \(result)")
        }
    }

    @Test func `locals that hide a property, and values of unknown classes, are reported`() {
        let shadowed = converted(
            "class A: Object {\n  let a = RealmOptional<Int>()\n  func f(a: Box) { a.value = 1 }\n}\n"
        )
        expect(shadowed.texts[0].contains("a.value = 1") && shadowed.findings.count == 1)
        let guessed = converted("class A: Object {\n  let a = RealmOptional<Int>()\n}\n", "f { $0.a.value }")
        expectEqual(guessed.texts[1], "f { $0.a }")
        expectEqual(guessed.findings, ["1.swift:1:8: note: $0.a.value has become $0.a, taken for a model's"])
        let models = "class A: Object { let a = RealmOptional<Int>() }\nstruct S { var a: Box }\n"
        let ambiguous = converted(models, "f { $0.a.value }")
        let plain = converted(models.replacing("Box", with: "Int?"), "f { $0.a.value }")
        expectEqual(plain.texts[1], "f { $0.a }")
        expect(ambiguous.texts[1] == "f { $0.a.value }" && ambiguous.findings.count == 1)
    }

    @Test func `remaining boxes are reported`() {
        let result = converted("class A: Object { let a = RealmOptional<Int>() }\nfunc f(_ x: RealmOptional<Int>) {}\n")
        expectEqual(
            result.findings,
            ["0.swift:2:13: left alone: RealmOptional doesn't exist any more: use an optional"]
        )
    }

    @Test func `key paths of Objective-C's become names`() {
        let result = converted(
            "class A: Object {\n  @objc dynamic var a = 0\n  @objc dynamic var b: A?\n}\nlet k = #keyPath(A.b.a)\nlet l = #keyPath(UIView.frame)\n"
        )
        expect(result.texts[0].contains("let k = \"b.a\"\nlet l = #keyPath(UIView.frame)"))
    }
}
