/// A file of Swift source: its bytes, its tokens, and the types that it declares.
package final class SourceFile {
    package let path: String
    let bytes: [UInt8]
    let tokens: [Token]
    /// The matching bracket of each bracket. Other tokens have their own index.
    let partner: [Int]
    private(set) var types: [TypeDeclaration] = []
    private(set) var aliases: [(name: String, target: [String])] = []
    private(set) var imports: [ImportDeclaration] = []
    /// The reason why the file can't be parsed as Swift. No part of it is converted then.
    let problem: (offset: Int, message: String)?
    private let lineStarts: [Int]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
        let (tokens, lexical) = Lexer.tokens(of: bytes)
        self.tokens = tokens
        let (partner, structural) = Self.partners(tokens)
        self.partner = partner
        problem = lexical ?? structural
        guard problem == nil else { return }
        var parser = Parser(tokens, partner)
        parser.parse()
        types = parser.types
        aliases = parser.aliases
        imports = parser.imports
    }

    package convenience init(path: String, text: String) { self.init(path: path, bytes: Array(text.utf8)) }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns the source of tokens, including the text between them.
    func text(tokens range: Range<Int>) -> String {
        range.isEmpty ? "" : text(tokens[range.lowerBound].start..<tokens[range.upperBound - 1].end)
    }

    /// Returns the line and the column in characters, both counted from 1.
    func place(of offset: Int) -> (line: Int, column: Int) {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return (low + 1, text(lineStarts[low]..<max(offset, lineStarts[low])).count + 1)
    }

    func lineStart(of offset: Int) -> Int { lineStarts[place(of: offset).line - 1] }

    /// Returns the position after the end of the line or of the file.
    func lineEnd(of offset: Int) -> Int {
        let line = place(of: offset).line
        return line < lineStarts.count ? lineStarts[line] : bytes.count
    }

    /// The line break of the file.
    var lineBreak: String {
        lineStarts.count > 1 && lineStarts[1] >= 2 && bytes[lineStarts[1] - 2] == 0x0D ? "\r\n" : "\n"
    }

    /// Returns the pairs of brackets. Each branch of a condition must close the brackets that it opens, because the
    /// nesting would be ambiguous otherwise.
    private static func partners(_ tokens: [Token]) -> ([Int], (offset: Int, message: String)?) {
        var partner = Array(tokens.indices)
        var open: [Int] = []
        var conditions: [Int] = []
        let closing = ["(": ")", "[": "]", "{": "}"]
        for (i, token) in tokens.enumerated() {
            if token.kind == .directive {
                let name = token.text.prefix { $0 != " " && $0 != "(" && $0 != "\t" }
                if name == "#if" {
                    conditions.append(open.count)
                } else if name != "#sourceLocation" {
                    guard let depth = conditions.last, depth == open.count else {
                        return (partner, (token.start, "the branches of #if have different brackets"))
                    }
                    if name == "#endif" { conditions.removeLast() }
                }
            }
            guard token.kind == .mark else { continue }
            if closing[token.text] != nil { open.append(i) }
            guard [")", "]", "}"].contains(token.text) else { continue }
            guard let start = open.popLast(), closing[tokens[start].text] == token.text else {
                return (partner, (token.start, "'\(token.text)' closes nothing"))
            }
            partner[start] = i
            partner[i] = start
        }
        if let start = open.last { return (partner, (tokens[start].start, "'\(tokens[start].text)' isn't closed")) }
        return (partner, nil)
    }
}
