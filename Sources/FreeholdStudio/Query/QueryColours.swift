import FreeholdEngine

/// The colours of a query's text, and the error that the text has.
enum QueryColours {
    static func json(_ query: TableQuery, in view: DataView, _ facts: SchemaFacts) -> StudioJSON {
        let text = query.text
        guard text.utf8.count <= 64 << 10 else {
            return ["tokens": [], "error": StudioError(.tooLarge, "A query has at most 64 KiB.").json]
        }
        let (units, bytes) = (utf16Positions(text), Array(text.utf8))
        let tokens = QueryWord.of(text).map { word -> StudioJSON in
            let (from, to) = (units[word.range.lowerBound], units[min(word.range.upperBound, units.count - 1)])
            return [.int(from), .int(to), .string(kind(word, bytes))]
        }
        var failure: StudioError?
        do { _ = try query.compiled(in: view, facts) } catch { failure = StudioError(error) }
        return ["tokens": .array(tokens), "error": failure?.json ?? .null]
    }

    private static func kind(_ word: QueryWord, _ text: [UInt8]) -> String {
        switch word.kind {
        case .name:
            return QueryKeywords.contains(String(decoding: text[word.range], as: UTF8.self)) ? "keyword" : "name"
        case .text: return "text"
        case .number: return "number"
        case .literal: return "literal"
        case .argument: return "argument"
        case .operation: return "keyword"
        case .symbol: return "operator"
        case .error: return "error"
        }
    }

    /// Returns the position in UTF-16 code units for each position in bytes, including the end.
    static func utf16Positions(_ text: String) -> [Int] {
        var positions: [Int] = []
        var position = 0
        for scalar in text.unicodeScalars {
            for _ in 0..<UTF8.width(scalar) { positions.append(position) }
            position += UTF16.width(scalar)
        }
        positions.append(position)
        return positions
    }
}
