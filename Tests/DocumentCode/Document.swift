import Foundation

/// A document with Swift code: README.md, an article of a DocC catalogue, a page below `docs`.
///
/// Its fenced blocks of Swift are compiled and run unchanged. Code that readers needn't see is in HTML comments, which
/// neither DocC nor GitHub shows:
///
/// - A comment that begins with a line `<!-- swift` and ends with a line `-->` contains hidden code: models, variables,
///   checks.
/// - `<!-- swift: skip REASON -->` before a block: the block isn't compiled (a manifest, the code of another library).
/// - `<!-- swift: compile REASON -->` before a block: the block is compiled and not run.
/// - `<!-- swift: new -->`: another program begins, which doesn't know the names above.
/// - `<!-- swift: tests -->`: like `new`, and the program consists of tests.
package struct Document {
    /// Relative to the package's folder.
    package let path: String
    package private(set) var parts = [Part()]

    /// A part of a program.
    package struct Part {
        package fileprivate(set) var isTests = false
        package fileprivate(set) var blocks: [Block] = []
    }

    package struct Block: Equatable {
        package enum Use: Equatable {
            case run
            case compile
        }

        package let use: Use
        /// Whether readers see the block.
        package let isShown: Bool
        /// The number of its first line in the document, from 1.
        package let line: Int
        package let code: [String]
    }

    /// A mistake in a document.
    package struct Mistake: Error, Equatable, CustomStringConvertible {
        package let path: String
        package let line: Int
        package let reason: String

        package init(path: String, line: Int, reason: String) {
            (self.path, self.line, self.reason) = (path, line, reason)
        }

        package var description: String { "\(path):\(line): \(reason)" }
    }

    /// - Throws: ``Mistake``: a block or a comment that doesn't end, a directive that isn't one, a skip without a reason.
    package init(path: String, text: String) throws(Mistake) {
        self.path = path
        var reader = Reader(
            path: path,
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        )
        while let line = reader.next() {
            if let fence = Fence(line) {
                try read(fence, &reader)
            } else if line.hasPrefix("<!-- swift") {
                try read(comment: line, &reader)
            }
        }
        if reader.directive != nil { throw reader.mistake("a directive that no block follows") }
        parts.removeAll { $0.blocks.isEmpty }
    }

    private mutating func read(_ fence: Fence, _ reader: inout Reader) throws(Mistake) {
        let directive = reader.directive
        reader.directive = nil
        let first = reader.number + 1
        let code = try reader.lines(until: { fence.isClosed(by: $0) }, "a block that doesn't end")
        guard fence.language == "swift" else {
            if directive != nil { throw reader.mistake("a directive before a block that isn't Swift") }
            return
        }
        if directive == .skip { return }
        let use: Block.Use = directive == .compile ? .compile : .run
        add(Block(use: use, isShown: true, line: first, code: code.map { fence.withoutIndentation($0) }))
    }

    private mutating func read(comment line: String, _ reader: inout Reader) throws(Mistake) {
        if reader.directive != nil { throw reader.mistake("two directives before one block") }
        if line == "<!-- swift" {
            let first = reader.number + 1
            let code = try reader.lines(until: { $0 == "-->" }, "a comment that doesn't end")
            return add(Block(use: .run, isShown: false, line: first, code: code))
        }
        guard line.hasPrefix("<!-- swift: "), line.hasSuffix("-->") else {
            throw reader.mistake("no directive: \(line)")
        }
        let words = line.dropFirst("<!-- swift: ".count).dropLast("-->".count).split(separator: " ")
        switch (words.first, words.count) {
        case ("new", 1): parts.append(Part())
        case ("tests", 1): parts.append(Part(isTests: true))
        case ("skip", 2...): reader.directive = .skip
        case ("compile", 2...): reader.directive = .compile
        case ("skip", 1), ("compile", 1): throw reader.mistake("a reason is missing")
        default: throw reader.mistake("no directive: \(line)")
        }
    }

    private mutating func add(_ block: Block) { parts[parts.count - 1].blocks.append(block) }
}

extension Document {
    private enum Directive {
        case skip
        case compile
    }

    private struct Reader {
        let path: String
        let lines: [String]
        /// The number of the line that was read last, from 1.
        var number = 0
        /// The directive for the next block.
        var directive: Directive?

        mutating func next() -> String? {
            guard number < lines.count else { return nil }
            number += 1
            return lines[number - 1]
        }

        mutating func lines(until isEnd: (String) -> Bool, _ reason: String) throws(Mistake) -> [String] {
            let first = number
            while let line = next() {
                if isEnd(line) { return Array(lines[first..<number - 1]) }
            }
            throw Mistake(path: path, line: first, reason: reason)
        }

        func mistake(_ reason: String) -> Mistake { Mistake(path: path, line: number, reason: reason) }
    }

    /// The line that begins a block: three backticks or more, maybe indented as the items of a list are.
    private struct Fence {
        let indentation: Int
        let marks: Substring
        let language: String

        init?(_ line: String) {
            let text = line.drop { $0 == " " }
            marks = text.prefix { $0 == "`" }
            guard marks.count >= 3, !text.dropFirst(marks.count).contains("`") else { return nil }
            indentation = line.count - text.count
            language = text.dropFirst(marks.count).trimmingCharacters(in: .whitespaces)
        }

        func isClosed(by line: String) -> Bool {
            let text = line.trimmingCharacters(in: .whitespaces)
            return text.count >= marks.count && text.allSatisfy { $0 == "`" }
        }

        func withoutIndentation(_ line: String) -> String {
            let spaces = line.prefix(indentation).prefix { $0 == " " }
            return String(line.dropFirst(spaces.count))
        }
    }
}
