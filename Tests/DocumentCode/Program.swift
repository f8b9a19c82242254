/// The Swift file with the blocks of a document.
///
/// Each program is an enum: types are nested in it, and statements are the body of its function `run`, in which the
/// scope of each block is inside that of the previous one. A block therefore sees the names of earlier blocks, and may
/// declare them again.
package struct Program {
    package let name: String
    /// Whether it consists of tests, which are tests of this package.
    package let isTests: Bool
    private let path: String
    private let blocks: [Document.Block]

    package static func all(of document: Document) -> [Program] {
        document.parts.enumerated().map { number, part in
            Program(
                name: "\(stem(of: document))_\(number + 1)",
                isTests: part.isTests,
                path: document.path,
                blocks: part.blocks
            )
        }
    }

    /// A name of Swift's for a document: `Freehold_Models` for `Sources/Freehold/Freehold.docc/Models.md`.
    private static func stem(of document: Document) -> String {
        let parts = document.path.dropLast(".md".count).split(separator: "/")
        let name = parts.filter { $0 != "Sources" && !$0.hasSuffix(".docc") }.joined(separator: "_")
        return String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// The Swift file of a document's programs, or of its tests; nil if it has none.
    package static func file(of document: Document, tests: Bool = false) -> (name: String, text: String)? {
        let programs = all(of: document).filter { $0.isTests == tests }
        if programs.isEmpty { return nil }
        let bodies = programs.map { $0.body() }
        let imports = Set(bodies.flatMap(\.imports)).union(["import Foundation", "import Freehold"])
        let text = """
            // swift-format-ignore-file
            // Made of \(document.path) by `make docs-code`: edit that, not this.
            \(imports.sorted().joined(separator: "\n"))


            """
        return ("\(stem(of: document)).swift", text + bodies.map(\.text).joined(separator: "\n"))
    }

    /// The file that names all programs.
    package static func list(of programs: [Program]) -> String {
        """
        // swift-format-ignore-file
        // Made by `make docs-code`.

        @MainActor let programs: [String: @MainActor () async throws -> Void] = [
        \(programs.filter { !$0.isTests }.map { "    \"\($0.name)\": \($0.name).run,\n" }.joined())]

        """
    }

    private struct Body {
        var imports: [String] = []
        var text = ""
    }

    private func body() -> Body {
        var body = Body()
        var types: [String] = []
        var extensions: [String] = []
        var statements: [String] = []
        let names = Set(blocks.flatMap { TopLevel($0.code).pieces.compactMap(\.typeName) })
        var models: Set<Substring> = ["Object", "EmbeddedObject", "AsymmetricObject"]
        for (number, block) in blocks.enumerated() {
            if number > 0 { statements.append("do {") }
            if block.use == .compile { statements.append("func onlyCompiled\(number)() async throws {") }
            for piece in TopLevel(block.code).pieces {
                switch piece.kind {
                case .import: body.imports += piece.code
                case .type, .member: types += placed(included(piece.code, &models), block, piece)
                case .extension(let name):
                    var code = piece.code
                    if names.contains(name) {
                        code[0] = code[0].replacingFirst("extension \(name)", with: "extension \(self.name).\(name)")
                    }
                    extensions += placed(code, block, piece)
                case .statement where isTests: types += placed(piece.code.map(shared), block, piece)
                case .statement: statements += placed(piece.code, block, piece)
                }
            }
            if block.use == .compile { statements.append("}") }
        }
        let lines =
            ["enum \(name) {"] + types + ["@MainActor static func run() async throws {"] + statements
            + [String(repeating: "}", count: blocks.count - 1) + "}", "}"] + extensions + [""]
        body.text = lines.joined(separator: "\n")
        return body
    }

    /// A function or constant at the top level of tests, which all of its suites use.
    private func shared(_ line: String) -> String {
        line.hasPrefix("func ") || line.hasPrefix("let ") ? "static " + line : line
    }

    /// Adds source locations, so that mistakes are reported at their place in the document.
    private func placed(_ code: [String], _ block: Document.Block, _ piece: TopLevel.Piece) -> [String] {
        ["#sourceLocation(file: \"\(path)\", line: \(block.line + piece.line))"] + code + ["#sourceLocation()"]
    }

    /// While a program runs, its models are the only ones of the default schema. Models of tests are never in it. The
    /// included code has no entry point of its own.
    private func included(_ code: [String], _ models: inout Set<Substring>) -> [String] {
        var code = code
        if code[0].hasPrefix("@main ") { code[0].removeFirst("@main ".count) }
        let text = code.joined(separator: "\n")
        guard let brace = text.firstIndex(of: "{") else { return code }
        let head = text[..<brace].split { !($0.isLetter || $0.isNumber || $0 == "_") }
        guard let keyword = head.firstIndex(of: "class"), head.count > keyword + 2, models.contains(head[keyword + 2])
        else {
            return code
        }
        models.insert(head[keyword + 1])
        let isIncluded = isTests ? "false" : "Run.program == \"\(name)\""
        let included = " override class func shouldIncludeInDefaultSchema() -> Bool { \(isIncluded) };"
        return (text[...brace] + included + text[text.index(after: brace)...]).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        .map(String.init)
    }
}

extension TopLevel.Piece {
    fileprivate var typeName: String? { if case .type(let name) = kind { name } else { nil } }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        guard let range = firstRange(of: text) else { return self }
        return replacingCharacters(in: range, with: other)
    }

    private func replacingCharacters(in range: Range<Index>, with other: String) -> String {
        String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }
}
