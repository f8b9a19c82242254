import FreeholdEngine

/// The possible words at a position in a query: properties on paths along links, operations of collections, and words of the language.
struct QueryCompletion {
    let facts: SchemaFacts

    private static let most = 100

    /// - Parameters:
    ///   - text: the whole query.
    ///   - at: the position in UTF-16 code units.
    ///   - className: the class of the query.
    func words(_ text: String, at: Int, in className: String) throws(StudioError) -> StudioJSON {
        let table = try facts.table(className)
        guard text.utf8.count <= 64 << 10 else { throw StudioError(.tooLarge, "A query has at most 64 KiB.") }
        let units = text.utf16
        guard at <= units.count, let end = units.index(units.startIndex, offsetBy: at).samePosition(in: text) else {
            throw StudioError(.invalid, "'at' isn't a position in the text.")
        }
        let before = text[..<end]
        if Self.isInString(before) { return Self.json([], from: at, to: at) }
        let start = Self.startOfWord(before)
        let typed = before[start...]
        let place: (words: [Word], prefix: Substring)
        if let dot = typed.lastIndex(of: ".") {
            let steps = typed[..<dot].split(separator: ".", omittingEmptySubsequences: false)
            place = (words(behind: steps, from: table), typed[typed.index(after: dot)...])
        } else {
            let language = QueryKeywords.all.map { Word(text: $0.text, shown: $0.text, kind: $0.kind, note: $0.note) }
            place = (properties(table) + language, typed)
        }
        let found = Self.matching(place.prefix, place.words)
        let prefixStart = text.utf16.distance(from: units.startIndex, to: place.prefix.startIndex)
        return Self.json(found, from: prefixStart, to: at)
    }

    private struct Word {
        /// The text that is inserted.
        let text: String
        let shown: String
        let kind: String
        var type: String?
        var note: String?
    }

    private static func json(_ words: [Word], from: Int, to: Int) -> StudioJSON {
        [
            "from": .int(from), "to": .int(to),
            "words": .array(
                words.prefix(most).map { word in
                    .members([
                        "word": .string(word.text), "shown": word.shown == word.text ? nil : .string(word.shown),
                        "kind": .string(word.kind), "type": word.type.map { .string($0) },
                        "note": word.note.map { .string($0) },
                    ])
                }
            ),
        ]
    }

    private static func matching(_ prefix: Substring, _ words: [Word]) -> [Word] {
        let wanted = prefix.lowercased()
        let first = words.filter { $0.text.lowercased().hasPrefix(wanted) || $0.shown.lowercased().hasPrefix(wanted) }
        guard !wanted.isEmpty else { return first }
        let others = words.filter {
            $0.kind == "property" && $0.shown.lowercased().contains(wanted) && !$0.shown.lowercased().hasPrefix(wanted)
        }
        return first + others
    }

    /// Returns a Boolean value that indicates whether a string is open at the end of the text.
    private static func isInString(_ text: Substring) -> Bool {
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            }
        }
        return quote != nil
    }

    private static func startOfWord(_ text: Substring) -> Substring.Index {
        var start = text.endIndex
        while start > text.startIndex {
            let previous = text.index(before: start)
            let character = text[previous]
            let isEscaped = previous > text.startIndex && text[text.index(before: previous)] == "\\"
            let isPart = character.isLetter || character.isNumber || "_.@$\\-".contains(character) || isEscaped
            guard isPart else { break }
            start = previous
        }
        return start
    }

    private func words(behind steps: [Substring], from table: Table) -> [Word] {
        var current = table
        for (i, step) in steps.enumerated() {
            let name = step.filter { $0 != "\\" }
            guard let column = current.column(named: String(name)) else { return [] }
            let isLast = i == steps.count - 1
            let operations = column.collection == .none ? [] : QueryKeywords.operations
            let words = operations.map { Word(text: $0.text, shown: $0.text, kind: $0.kind, note: $0.note) }
            guard let target = column.type == .link ? column.targetTableID.flatMap({ facts.schema.table(id: $0) }) : nil
            else {
                return isLast ? words : []
            }
            if isLast { return properties(target) + words }
            current = target
        }
        return []
    }

    private func properties(_ table: Table) -> [Word] {
        table.columns.map { column in
            Word(
                text: QueryWord.written(column.name),
                shown: column.name,
                kind: "property",
                type: Self.type(column, facts.schema),
                note: Self.note(column)
            )
        }
    }

    /// Returns the type as the page shows it, such as `list of Dog` or `int?`.
    static func type(_ column: Column, _ schema: DatabaseSchema) -> String {
        let target = column.type == .link ? column.targetTableID.flatMap { schema.table(id: $0)?.name } : nil
        let element =
            (target ?? column.type.studioName)
            + (column.isOptional && column.type != .mixed && target == nil ? "?" : "")
        return column.collection.studioName.map { "\($0) of \(element)" } ?? element
    }

    private static func note(_ column: Column) -> String? {
        if column.isPrimaryKey { return "primary key" }
        switch column.indexKind {
        case .none: return nil
        case .values: return "indexed"
        case .fullText, .fullTextLatin1: return "indexed by words"
        case .places: return "indexed by places"
        }
    }
}
