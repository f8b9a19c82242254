import DocumentCode
import Foundation
import Testing

/// The extraction of code from a document, and the files that are created from it.
@Suite("Documents: the extraction of code")
struct DocumentCodeTests {
    private func programs(_ text: String) throws -> [[String]] {
        try Document(path: "a.md", text: text).parts.map { $0.blocks.map { $0.code.joined(separator: "\n") } }
    }

    @Test func `Swift blocks and hidden code are extracted in order`() throws {
        let text = """
            # Title

            <!-- swift
            let hidden = 1
            -->
            ```swift
            let shown = hidden
            ```

            ```
            a shell's command
            ```

            - An item:

              ```swift
              if shown == 1 {
                  print(shown)
              }
              ```
            """
        let document = try Document(path: "a.md", text: text)
        expectEqual(document.parts.count, 1)
        let blocks = document.parts[0].blocks
        expectEqual(
            blocks.map(\.code),
            [
                ["let hidden = 1"], ["let shown = hidden"], ["if shown == 1 {", "    print(shown)", "}"],
            ]
        )
        expectEqual(blocks.map(\.line), [4, 7, 17])
        expectEqual(blocks.map(\.isShown), [false, true, true])
    }

    @Test func `directives apply to the next block`() throws {
        let text = """
            <!-- swift: skip a manifest -->
            ```swift
            .package(…)
            ```
            <!-- swift: compile it needs a server -->
            ```swift
            connect()
            ```
            <!-- swift: new -->
            ```swift
            run()
            ```
            """
        let parts = try Document(path: "a.md", text: text).parts
        expectEqual(parts.map { $0.blocks.map(\.code) }, [[["connect()"]], [["run()"]]])
        expectEqual(parts.map { $0.blocks.map(\.use) }, [[.compile], [.run]])
    }

    @Test(arguments: [
        ("```swift\nlet a = 1", 1, "a block that doesn't end"),
        ("x\n<!-- swift\nlet a = 1", 2, "a comment that doesn't end"),
        ("<!-- swift: skip -->\n```swift\n```", 1, "a reason is missing"),
        ("<!-- swift: skp it -->", 1, "no directive: <!-- swift: skp it -->"),
        ("<!-- swift let a = 1 -->", 1, "no directive: <!-- swift let a = 1 -->"),
        ("<!-- swift: skip a -->\n<!-- swift: compile b -->", 2, "two directives before one block"),
        ("<!-- swift: skip a -->\n```\n```", 3, "a directive before a block that isn't Swift"),
        ("<!-- swift: skip a -->\nText.", 2, "a directive that no block follows"),
    ])
    func `mistakes are errors with their place`(text: String, line: Int, reason: String) {
        #expect(throws: Document.Mistake(path: "a.md", line: line, reason: reason)) {
            try Document(path: "a.md", text: text)
        }
    }

    @Test func `declarations are distinguished from statements`() {
        let pieces = TopLevel(
            #"""
            import Freehold            // a comment
            let text = "{ not a brace \("}") }", raw = #"\("#
            @objcMembers
            final class Dog: Object { @Persisted var name = "{" }
            struct Info {
                /* a { comment /* in a comment */ } */
                var text = """
                    class Nothing {
                    """
                func print() { }
            }
            extension Dog { }
            func bark() {
                class Inner {}
            }
            static let all = [
                1,
            ]
            typealias Text = String
            call { x in
                print(x)
            }
            """#.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        ).pieces
        expectEqual(
            pieces.map(\.kind),
            [
                .import, .statement, .type("Dog"), .type("Info"), .extension("Dog"), .statement, .member, .member,
                .statement,
            ]
        )
        expectEqual(pieces.map(\.line), [0, 1, 2, 4, 11, 12, 15, 18, 19])
        expectEqual(pieces.map(\.code.count), [1, 1, 2, 7, 1, 3, 3, 1, 3])
    }

    @Test func `a program nests its blocks and puts models into its own schema`() throws {
        let text = """
            ```swift
            import FreeholdSync
            class Dog: Object { @Persisted var name = "" }
            class Puppy: Dog {
            }
            class Plain {}
            let dog = Dog()
            ```
            ```swift
            extension Dog { var title: String { name } }
            let dog = 2
            ```
            """
        let document = try Document(path: "Sources/Freehold/Freehold.docc/A-b.md", text: text)
        let file = try require(Program.file(of: document))
        expectEqual(file.name, "Freehold_A_b.swift")
        let lines = file.text.split(separator: "\n").map(String.init)
        expect(lines.contains("import FreeholdSync"))
        let schema = "override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == \"Freehold_A_b_1\" };"
        expect(lines.contains("class Dog: Object { \(schema) @Persisted var name = \"\" }"))
        expect(lines.contains("class Puppy: Dog { \(schema)"))
        expect(lines.contains("class Plain {}"))
        expect(lines.contains("extension Freehold_A_b_1.Dog { var title: String { name } }"))
        expect(lines.contains("#sourceLocation(file: \"Sources/Freehold/Freehold.docc/A-b.md\", line: 3)"))
        let (first, second) = (lines.firstIndex(of: "let dog = Dog()")!, lines.firstIndex(of: "let dog = 2")!)
        expect(lines[first..<second].contains("do {"))
    }

    @Test func `tests become a file of their own, and no program`() throws {
        let text = """
            ```swift
            run()
            ```
            <!-- swift: tests -->
            ```swift
            import Testing
            class Dog: Object {}
            func configuration() -> Int { 1 }
            struct DogTests {}
            ```
            """
        let document = try Document(path: "docs/a.md", text: text)
        let file = try require(Program.file(of: document, tests: true))
        expect(file.text.contains("enum docs_a_2 {") && file.text.contains("import Testing"))
        expect(file.text.contains("\nstatic func configuration() -> Int { 1 }\n"))
        expect(
            file.text.contains(
                "class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { false };}"
            )
        )
        expect(try !require(Program.file(of: document)).text.contains("DogTests"))
        let list = Program.list(of: Program.all(of: document))
        expect(list.contains("\"docs_a_1\": docs_a_1.run,") && !list.contains("docs_a_2"))
    }

    @Test func `figures are inserted from the results`() throws {
        let figures = Figures(
            results: """
                | Workload | LMDB | SQLite | Freehold objects | Goal |
                |---|---:|---:|---:|---:|
                | sum of an Int | **16.5** (14.9) | **59.7** (57.2) | **0.60** (0.58) | |

                | Workload | other |
                """
        )
        let text = """
            | sum of an Int | untouched |

            <!-- figures -->
            | Workload | Freehold objects | SQLite |
            |---|---:|---:|
            | sum of an Int | 7 | |

            | sum of an Int | untouched |
            """
        let expected = text.replacingOccurrences(of: "| 7 | |", with: "| 0.60 | 59.7 |")
        try expectEqual(figures.filled(text, path: "a.md"), expected)
        #expect(throws: Figures.Mistake.self) {
            try figures.filled(text.replacingOccurrences(of: "an Int | 7", with: "a Double | 7"), path: "a.md")
        }
        #expect(throws: Figures.Mistake.self) {
            try figures.filled(text.replacingOccurrences(of: "SQLite", with: "Postgres"), path: "a.md")
        }
    }

    @Test func `a document without code creates no file`() throws {
        expect(Program.file(of: try Document(path: "a.md", text: "Text.\n")) == nil)
        expect(try programs("").isEmpty)
    }
}
