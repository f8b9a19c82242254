import Foundation

/// Cuts a line of the shell into words, as other shells do: quotation marks of both kinds hold what has spaces, a
/// backslash the next character.
enum ShellWords {
    /// - Throws: `Failure` where a quotation mark isn't closed.
    static func words(of line: Substring) throws -> [String] {
        var words: [String] = []
        var word: String?
        var rest = line[...]
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t":
                if let complete = word { words.append(complete) }
                word = nil
            case "'":
                guard let end = rest.firstIndex(of: "'") else { throw unclosed(character) }
                word = (word ?? "") + rest[..<end]
                rest = rest[end...].dropFirst()
            case "\"":
                word = (word ?? "") + (try quoted(&rest))
            case "\\":
                guard let next = rest.popFirst() else { throw Failure(.data, "nothing follows the last '\\'") }
                word = (word ?? "") + String(next)
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }

    /// Inside of double quotation marks a backslash holds these marks and itself.
    private static func quoted(_ rest: inout Substring) throws -> String {
        var text = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return text
            case "\\":
                guard let next = rest.first, next == "\"" || next == "\\" else {
                    text.append(character)
                    continue
                }
                text.append(next)
                rest.removeFirst()
            default: text.append(character)
            }
        }
        throw unclosed("\"")
    }

    private static func unclosed(_ mark: Character) -> Failure {
        Failure(.data, "a quotation mark \(mark) isn't closed")
    }

    /// The first word, which may stand in quotation marks, and what follows it as it is.
    static func first(of line: Substring) throws -> (word: String, rest: Substring) {
        let line = line.drop { $0 == " " || $0 == "\t" }
        guard let mark = line.first, mark == "'" || mark == "\"" else {
            let word = line.prefix { $0 != " " && $0 != "\t" }
            return (String(word), trimmed(line[word.endIndex...]))
        }
        let inner = line.dropFirst()
        guard let end = inner.firstIndex(of: mark) else { throw unclosed(mark) }
        return (String(inner[..<end]), trimmed(inner[end...].dropFirst()))
    }

    static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0.isWhitespace }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
