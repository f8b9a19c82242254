import Foundation
import ModelConverter
import TestRandom
import Testing

struct TextTests {
    @Test func `line breaks, byte order marks and missing ends of lines stay`() {
        let old =
            "\u{FEFF}class A: Object {\r\n\t@objc dynamic var a = 0\r\n\r\n\toverride class func primaryKey() -> String? {\r\n\t\t\"a\"\r\n\t}\r\n}"
        expectEqual(
            converted(old).texts[0],
            "\u{FEFF}class A: Object {\r\n\t@Persisted(primaryKey: true) var a = 0\r\n}"
        )
    }

    @Test func `differences are those of diff -u`() {
        func difference(from a: String, to b: String) -> String {
            String(decoding: UnifiedDiff.text(from: Array(a.utf8), to: Array(b.utf8), path: "x.swift"), as: UTF8.self)
        }
        expectEqual(difference(from: "a\n", to: "a\n"), "")
        expectEqual(
            difference(from: "1\n2\n3\n4\n5\n6\n7\n8\n9\n", to: "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a/x.swift\n+++ b/x.swift\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        )
        expectEqual(
            difference(from: "a", to: "a\n"),
            "--- a/x.swift\n+++ b/x.swift\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
        )
        expectEqual(difference(from: "", to: "a\n"), "--- a/x.swift\n+++ b/x.swift\n@@ -0,0 +1 @@\n+a\n")
    }

    /// Declarations of every kind, truncated after each token, and without each single token.
    @Test func `text that ends early or lacks something does no harm`() {
        let text = """
            import class RealmSwift.Object
            typealias Names<T> = [String: T]
            @objcMembers public class A<T>: @unchecked Sendable, Outer.Base<Int>, @preconcurrency P & Q where T: X {
                @objc @Wrapper<Int>(x: 1) private(set) dynamic lazy var a: Map<String, Int?>! = .init(), (b, c) = (0, 1)
                let d = RealmOptional<Int>(), e: (some P) -> any Q = { $0 }, f: [Int] { didSet { } }
                override static func primaryKey() -> String? { return #keyPath(A.a) }
                class func ignored<U>(_ x: @escaping () async throws -> ~Copyable) -> [String] { ["a", "b"] }
                subscript(i: Int) -> Int { get { a.value } set { self.a.value = newValue } }
                enum E: Int { case x = 1, y; indirect case z(A) }
                #if X
                var g = (h as? A)?.a.value ?? \"\\(0)\"
                #endif
            }
            extension Outer.A: @retroactive R { init?(@B _ b: Int = 0) { guard let a = b as? A else { fatalError() } } }
            """
        let tokens = text.matches(of: #/\w+|\W/#).map { String($0.output) }
        expect(tokens.count > 300)
        for i in tokens.indices {
            for cut in [tokens[..<i], tokens[..<i] + tokens[(i + 1)...], tokens[i...]] {
                let once = converted(cut.joined()).texts[0]
                expectEqual(once, converted(once).texts[0])
            }
        }
    }

    /// Pieces of Swift code in random order. The converter doesn't trap, and a second conversion changes nothing.
    @Test func `text that is hardly Swift does no harm`() {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let pieces = [
            "class A: Object {", "}", "@objc ", "dynamic ", "var ", "let ", "a", "b", " = ", ": ", "0", "\"x\"",
            "\"\\(", ")", "(", "\n",
            "\n", " ", "List<", "Int", ">", "()", "RealmOptional<Int>()",
            "override static func primaryKey() -> String? { \"a\" }",
            "LinkingObjects(fromType: A.self, property: \"b\")", ".value", ",", ";", "/*", "*/", "//", "\"\"\"", "#\"",
            "\"#", "#if X",
            "#endif", "{ didSet { } }", "enum E: Int", "extension A", "private(set) ", "[", "]", "?", "!", "`",
            "#keyPath(", "@", ".", "\u{E9}",
            "class B: A { @objc dynamic var b = E.x }\n", "\\", "<", "#/", "/#", "where ", "func f(", "init(", "case ",
            "import RealmSwift\n",
        ]
        let count = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 3_000 : 200_000
        var cases = 0
        for _ in 0..<count {
            cases += 1
            let text = (0..<Int.random(in: 1...30, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            let once = converted(text).texts[0]
            let twice = converted(once).texts[0]
            expectEqual(once, twice, "seed \(seed): \(text.debugDescription)")
            if once != twice { return }
        }
        print("TextTests: FREEHOLD_SEED=\(seed), \(cases) texts")
        expectEqual(cases, count)
    }
}
