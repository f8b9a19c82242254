import Foundation

/// The division of a line of the shell into words, with the rules of other shells. Both kinds of quotation marks
/// enclose text with spaces, and a backslash escapes the next character.
enum ShellWords {
    /// - Throws: `Failure` if a quotation mark isn't closed.
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

    /// Parses text in quotation marks. Inside double quotation marks, a backslash escapes these marks and itself.
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

    /// Returns the first word, which may be in quotation marks, and the unchanged remaining text.
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
