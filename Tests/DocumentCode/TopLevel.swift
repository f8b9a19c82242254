/// Swift code, separated into declarations and statements at its top level.
///
/// The parser knows strings, comments and brackets, and nothing else of the language.
package struct TopLevel {
    package enum Kind: Equatable {
        case statement
        case `import`
        /// A type, with its name.
        case type(String)
        /// An extension, with the name of the extended type.
        case `extension`(String)
        /// A `static` variable or function, which types can use, or another name of a type.
        case member
    }

    /// Lines that belong together.
    package struct Piece: Equatable {
        package var kind: Kind
        /// The number of its first line, from 0.
        package var line: Int
        package var code: [String]
    }

    package private(set) var pieces: [Piece] = []

    package init(_ lines: [String]) {
        var scanner = Scanner()
        var open: Piece?
        for (number, line) in lines.enumerated() {
            let isInside = scanner.isInside
            let bodies = scanner.bodies
            scanner.scan(line)
            if var piece = open {
                piece.code.append(line)
                open = piece
            } else if !isInside, let kind = Self.kind(of: lines[number...]) {
                open = Piece(kind: kind, line: number, code: [line])
            } else {
                add(statement: line, number)
                continue
            }
            let hasBody = open.map { $0.kind.hasBody } ?? false
            if !scanner.isInside, !hasBody || scanner.bodies > bodies || line.hasSuffix("}") {
                if let piece = open { pieces.append(piece) }
                open = nil
            }
        }
        if let piece = open { pieces.append(piece) }
    }

    private mutating func add(statement line: String, _ number: Int) {
        if var last = pieces.last, last.kind == .statement {
            last.code.append(line)
            pieces[pieces.count - 1] = last
        } else {
            pieces.append(Piece(kind: .statement, line: number, code: [line]))
        }
    }

    private static let modifiers: Set<Substring> = [
        "public", "private", "fileprivate", "open", "internal", "package", "final", "indirect", "nonisolated",
        "distributed",
    ]

    /// Returns the kind of the declaration that begins here, or `nil` for everything else.
    private static func kind(of lines: ArraySlice<String>) -> Kind? {
        guard let first = lines.first, first.first?.isWhitespace == false else { return nil }
        var words = lines.prefix(4).joined(separator: " ").split(whereSeparator: { $0 == " " })[...]
        while let word = words.first, word.hasPrefix("@") || modifiers.contains(word) { words.removeFirst() }
        guard let keyword = words.popFirst() else { return nil }
        let name = words.first.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }) } ?? ""
        switch keyword {
        case "import": return .import
        case "class", "struct", "enum", "actor", "protocol": return .type(name)
        case "extension": return .extension(name)
        case "static", "typealias": return .member
        default: return nil
        }
    }
}

extension TopLevel.Kind {
    /// Whether the declaration continues to the end of its braces.
    fileprivate var hasBody: Bool {
        switch self {
        case .type, .extension: true
        case .statement, .import, .member: false
        }
    }
}

/// Follows brackets, strings and comments from line to line.
private struct Scanner {
    private enum Place: Equatable {
        case bracket
        case brace
        case string(hashes: Int, isLong: Bool)
        case comment
    }

    private var places: [Place] = []
    /// Braces at the top level that have been closed.
    private(set) var bodies = 0

    /// Whether the end of the scanned text is inside of brackets, a long string or a comment.
    var isInside: Bool { !places.isEmpty }

    mutating func scan(_ line: String) {
        var rest = Substring(line)
        while let sign = rest.first {
            switch places.last {
            case .comment: scanComment(&rest)
            case .string(let hashes, let isLong): scanString(&rest, hashes, isLong)
            default: if !scanCode(&rest, sign) { return }
            }
        }
        // A short string ends with the line.
        if case .string(_, false) = places.last { places.removeLast() }
    }

    private mutating func scanComment(_ rest: inout Substring) {
        if rest.hasPrefix("*/") {
            places.removeLast()
            rest.removeFirst(2)
        } else if rest.hasPrefix("/*") {
            places.append(.comment)
            rest.removeFirst(2)
        } else {
            rest.removeFirst()
        }
    }

    private mutating func scanString(_ rest: inout Substring, _ hashes: Int, _ isLong: Bool) {
        let marks = String(repeating: "#", count: hashes)
        let end = (isLong ? "\"\"\"" : "\"") + marks
        if rest.hasPrefix(end) {
            places.removeLast()
            rest.removeFirst(end.count)
        } else if rest.hasPrefix("\\" + marks + "(") {
            places.append(.bracket)
            rest.removeFirst(2 + hashes)
        } else if rest.hasPrefix("\\" + marks) {
            rest.removeFirst(min(rest.count, 2 + hashes))
        } else {
            rest.removeFirst()
        }
    }

    /// - Returns: Whether the line continues.
    private mutating func scanCode(_ rest: inout Substring, _ sign: Character) -> Bool {
        if rest.hasPrefix("//") { return false }
        if rest.hasPrefix("/*") {
            places.append(.comment)
            rest.removeFirst(2)
            return true
        }
        let hashes = rest.prefix { $0 == "#" }.count
        if rest.dropFirst(hashes).first == "\"" {
            let isLong = rest.dropFirst(hashes).hasPrefix("\"\"\"")
            places.append(.string(hashes: hashes, isLong: isLong))
            rest.removeFirst(hashes + (isLong ? 3 : 1))
            return true
        }
        rest.removeFirst()
        switch sign {
        case "(", "[": places.append(.bracket)
        case "{": places.append(.brace)
        case ")", "]": if places.last == .bracket { places.removeLast() }
        case "}":
            if places.last == .brace { places.removeLast() }
            if places.isEmpty { bodies += 1 }
        default: break
        }
        return true
    }
}
