import Testing

struct ModelTests {
    private func isModel(_ head: String, _ others: String..., bases: Set<String> = []) -> Bool {
        let source = "\(head) {\n  @objc dynamic var a = 0\n}\n"
        return converted(source + others.joined(separator: "\n"), bases: bases).texts[0].contains("@Persisted")
    }

    @Test func `models are found by inheritance`() {
        for head in [
            "class A: Object", "final class A : RealmSwift.Object, Codable", "public class A: EmbeddedObject",
            "class A: RealmSwiftObject", "class A: Freehold.Object", "open class A: AsymmetricObject",
            "@objc(A) class A: Object",
        ] {
            expect(isModel(head), "\(head)")
        }
        for head in [
            "class A", "class A: NSObject", "struct A: Object", "class A: Other.Object", "class A: Unknown",
            "protocol A: Object",
        ] {
            expect(!isModel(head), "\(head)")
        }
        expect(isModel("class A: B", "class B: C {}", "class C: Object {}"))
        expect(isModel("class A: B<Int>", "class B<T>: Object {}"))
        expect(isModel("class A: Base", "typealias Base = RealmSwift.Object"))
        expect(isModel("class A: Outer.B", "enum Outer { class B: Object {} }"))
        expect(isModel("enum N { class A: Object { class B {} } }\nclass C: N.A"))
        expect(!isModel("class A: B", "class B: A {}"))
        expect(isModel("class A: Sync", bases: ["Sync"]))
        expect(!isModel("class A: Object", "class Object {}"))
        expect(isModel("class A: Object", "struct S { typealias Object = Int; struct Object {} }"))
    }

    @Test func `models inside functions and other types are found`() {
        for text in [
            "func f() { if true { class A: Object { @objc dynamic var a = 0 } } }",
            "struct S { enum E { case a, b; class A: Object { @objc dynamic var a = 0 } } }",
            "extension S { final class A: Object { @objc dynamic var a = 0 } }",
            "class T: XCTestCase { func test() { class A: Object { @objc dynamic var a = 0 } } }",
        ] {
            expectEqual(converted(text).texts[0], text.replacing("@objc dynamic", with: "@Persisted"))
        }
    }

    @Test func `classes with an unknown superclass are reported`() {
        let text = "class A: Sync {\n  let a = LinkingObjects(fromType: A.self, property: \"b\")\n}\n"
        let result = converted(text)
        expect(result.texts[0] == text && result.findings.count == 1 && result.findings[0].contains("--base Sync"))
    }

    @Test func `attributes of classes go, with their lines`() {
        expectEqual(converted("@objcMembers\nclass A: Object {}\n").texts[0], "class A: Object {}\n")
        expectEqual(converted("@objcMembers public class A: Object {}\n").texts[0], "public class A: Object {}\n")
        let named = converted("@objc(CPYDog) class A: Object {}\n")
        expect(named.texts[0] == "class A: Object {}\n" && named.findings[0].contains("mappedName"))
    }

    @Test func `enums that are stored become persistable`() {
        let model = "class A: Object { @objc dynamic var a = E.x; let b = RealmOptional<F>() }\n"
        for (old, new) in [
            ("@objc enum E: Int { case x }", "enum E: Int, PersistableEnum { case x }"),
            ("@objc enum E: Int, RealmEnum { case x }", "enum E: Int, PersistableEnum { case x }"),
            (
                "@objc\npublic enum E: Int, Codable { case x }",
                "public enum E: Int, Codable, PersistableEnum { case x }"
            ),
            ("enum E: String, PersistableEnum { case x }", "enum E: String, PersistableEnum { case x }"),
            ("@objc enum F: Int { case x }", "enum F: Int, PersistableEnum { case x }"),
            ("@objc enum G: Int { case x }", "@objc enum G: Int { case x }"),
            (
                "@objc enum E: Int { case x }\nextension E: RealmEnum {}",
                "enum E: Int { case x }\nextension E: PersistableEnum {}"
            ),
        ] {
            expect(converted(model + old).texts[0].hasSuffix("\n" + new), "\(old)")
        }
        let apart = converted(
            "import Foundation\n\n@objc enum E: Int { case x }\n",
            model,
            "extension E: RealmEnum {}\n"
        )
        expectEqual(apart.texts[0], "import Foundation\nimport RealmSwift\n\nenum E: Int, PersistableEnum { case x }\n")
        expectEqual(apart.texts[2], "extension E: RealmEnum {}\n")
    }

    @Test func `a file that needs the library imports it`() {
        let base = "import RealmSwift\nclass Base: Object {}\n"
        expect(
            converted("// Top\n\nimport Foundation // F\n\nclass A: Base { dynamic var a = 0 }\n", base).texts[0]
                == "// Top\n\nimport Foundation\nimport RealmSwift // F\n\nclass A: Base { @Persisted var a = 0 }\n"
        )
        expect(
            converted("/// A.\nclass A: Base { dynamic var a = 0 }\n", base.replacing("RealmSwift", with: "Freehold"))
                .texts[0]
                == "import Freehold\n\n/// A.\nclass A: Base { @Persisted var a = 0 }\n"
        )
    }

    @Test func `files that can't be read are left alone`() {
        for text in [
            "class A: Object { @objc dynamic var a = 0", "class A: Object { @objc dynamic var a = \"x }\n}\n",
            "#if X\nclass A: Object {\n#else\nclass A: B {\n#endif\n @objc dynamic var a = 0\n}\n",
        ] {
            let result = converted(text)
            expect(
                result.texts[0] == text && result.findings.count == 1 && result.findings[0].contains(": unreadable: ")
            )
        }
    }
}
