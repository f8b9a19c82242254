import Foundation
import Freehold

/// The possible texts at a position of a line in the shell: commands, classes, properties on paths, words of the query
/// language, names of files.
struct ShellCompletion {
    private let schema: Schema

    static let verbs = ["create", "delete", "query", "set"]
    static let keywords = [
        "ALL", "AND", "ANY", "ASC", "BEGINSWITH", "BETWEEN", "CONTAINS", "DESC", "DISTINCT", "ENDSWITH", "IN", "LIKE",
        "LIMIT", "MATCHES", "NONE", "NOT", "OFFSET", "OR", "SORT", "SUBQUERY", "TEXT", "TRUEPREDICATE", "false", "null",
        "true",
    ]
    /// The words that a parenthesis follows.
    private static let functions: Set<String> = ["DISTINCT", "LIMIT", "OFFSET", "SORT", "SUBQUERY"]
    private static let operations = ["@avg", "@count", "@max", "@min", "@sum"]
    private static let options: [String: [String]] = [
        "set": ["--arg", "--dry-run", "--json"],
        "create": ["--dry-run", "--ignore-unknown", "--json", "--update"],
        "delete": ["--arg", "--dry-run", "--json", "--yes"],
        "query": [
            "--arg", "--avg", "--columns", "--count", "--explain", "--group-by", "--limit", "--max", "--min",
            "--offset",
            "--sort", "--sum",
        ],
    ]

    init(_ schema: Schema) { self.schema = schema }

    /// Returns the possible texts.
    ///
    /// - Parameter cursor: The position in characters.
    /// - Returns: Nil if none are known.
    func completion(_ line: String, _ cursor: Int) -> Completion? {
        let before = Array(line).prefix(cursor)
        let start = before.firstIndex { $0 != " " } ?? before.endIndex
        let text = before[start...]
        guard let end = text.firstIndex(of: " ") else {
            return text.first == "." ? dotCommand(text) : firstWord(text)
        }
        let word = String(text[..<end])
        let rest = text[end...]
        if word.hasPrefix(".") { return argument(of: word, rest) }
        if Self.verbs.contains(word) { return verb(word, rest) }
        return schema[word].flatMap { query($0, rest) }
    }

    private func made(_ typed: ArraySlice<Character>, _ candidates: [Completion.Candidate]) -> Completion? {
        let word = String(typed)
        var found = candidates.filter { $0.text.hasPrefix(word) }
        if found.isEmpty { found = candidates.filter { $0.text.lowercased().hasPrefix(word.lowercased()) } }
        return found.isEmpty ? nil : Completion(start: typed.startIndex, candidates: found)
    }

    private func lastWord(_ text: ArraySlice<Character>) -> ArraySlice<Character> {
        text[(text.lastIndex(of: " ").map { $0 + 1 } ?? text.startIndex)...]
    }

    // MARK: Commands

    private func firstWord(_ typed: ArraySlice<Character>) -> Completion? {
        let names = schema.objectSchema.map(\.className).sorted() + Self.verbs
        return made(typed, names.map { Completion.Candidate(text: $0) })
    }

    private func dotCommand(_ typed: ArraySlice<Character>) -> Completion? {
        made(
            typed,
            DotCommand.allCases.map {
                Completion.Candidate(text: ".\($0.rawValue)", suffix: $0.arguments.isEmpty ? "" : " ")
            }
        )
    }

    private var classes: [Completion.Candidate] {
        schema.objectSchema.map(\.className).sorted().map { Completion.Candidate(text: $0) }
    }

    private func argument(of word: String, _ rest: ArraySlice<Character>) -> Completion? {
        let typed = lastWord(rest)
        let isFirst = rest[..<typed.startIndex].allSatisfy { $0 == " " }
        switch word {
        case ".schema" where isFirst: return made(typed, classes)
        case ".count", ".explain":
            let names = word == ".explain" ? ["off", "on"].map { Completion.Candidate(text: $0) } : []
            if isFirst { return made(typed, classes + names) }
            let inner = rest.drop { $0 == " " }
            guard let end = inner.firstIndex(of: " ") else { return nil }
            return schema[String(inner[..<end])].flatMap { query($0, inner[end...]) }
        case ".format" where isFirst:
            return made(typed, RowFormat.allCases.map { Completion.Candidate(text: $0.rawValue, suffix: "") })
        case ".help" where isFirst: return made(typed, Self.verbs.map { Completion.Candidate(text: $0, suffix: "") })
        case ".read", ".output": return isFirst ? made(typed, Self.files(String(typed))) : nil
        default: return nil
        }
    }

    private static func files(_ typed: String) -> [Completion.Candidate] {
        let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        let name = typed.dropFirst(folder.count)
        return names.filter { $0.hasPrefix(name) && (!$0.hasPrefix(".") || name.hasPrefix(".")) && !$0.contains(" ") }
            .sorted()
            .map { name in
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder)
                return Completion.Candidate(text: folder + name, suffix: isFolder.boolValue ? "/" : " ")
            }
    }

    // MARK: Edits

    private func verb(_ verb: String, _ rest: ArraySlice<Character>) -> Completion? {
        let typed = lastWord(rest)
        if typed.starts(with: "--") {
            return made(typed, Self.options[verb, default: []].map { Completion.Candidate(text: $0) })
        }
        let inner = rest.drop { $0 == " " }
        guard let end = inner.firstIndex(of: " ") else { return made(typed, classes) }
        guard let object = schema[String(inner[..<end])] else { return nil }
        let arguments = inner[end...]
        // A query is in quotation marks.
        if let start = Self.openQuote(arguments) { return query(object, arguments[(start + 1)...]) }
        switch verb {
        case "set", "create":
            let names = object.properties.filter { verb == "create" || !$0.isPrimaryKey }.map(\.name)
            return made(typed, names.map { Completion.Candidate(text: $0, suffix: "=") })
        case "delete": return query(object, arguments)
        default: return nil
        }
    }

    /// Returns the last quotation mark, if it isn't closed.
    private static func openQuote(_ text: ArraySlice<Character>) -> Int? {
        var open: Int?
        for i in text.indices {
            if let start = open {
                if text[i] == text[start] { open = nil }
            } else if text[i] == "'" || text[i] == "\"" {
                open = i
            }
        }
        return open
    }

    // MARK: Queries

    private func query(_ object: ObjectSchema, _ text: ArraySlice<Character>) -> Completion? {
        // Inside a string, no texts are known.
        if Self.openQuote(text) != nil { return nil }
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber || "_.@".contains($0) }
        let start = text.lastIndex { !isPart($0) }.map { $0 + 1 } ?? text.startIndex
        let typed = text[start...]
        guard let dot = typed.lastIndex(of: ".") else {
            let words = typed.isEmpty ? [] : Self.keywords
            let keywords = words.map {
                Completion.Candidate(text: $0, suffix: Self.functions.contains($0) ? "(" : " ")
            }
            return made(typed, candidates(object) + keywords)
        }
        var current = object
        var isCollection = false
        for step in typed[..<dot].split(separator: ".") {
            guard let property = current[String(step)] else { return nil }
            isCollection = property.collection != .none
            guard let next = property.objectClassName.flatMap({ schema[$0] }) else {
                return isCollection ? operations(typed[(dot + 1)...]) : nil
            }
            current = next
        }
        let last = typed[(dot + 1)...]
        let more = isCollection ? Self.operations.map { Completion.Candidate(text: $0) } : []
        return made(last, candidates(current) + more)
    }

    private func operations(_ typed: ArraySlice<Character>) -> Completion? {
        made(typed, Self.operations.map { Completion.Candidate(text: $0) })
    }

    private func candidates(_ object: ObjectSchema) -> [Completion.Candidate] {
        object.properties.map { Completion.Candidate(text: $0.name, suffix: $0.type == .object ? "" : " ") }
    }
}
