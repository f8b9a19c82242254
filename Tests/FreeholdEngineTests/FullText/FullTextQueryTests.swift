import Testing

@testable import FreeholdEngine

/// The parts of search strings, and their errors.
struct FullTextQueryTests {
    static func matches(_ search: String, _ text: String?, _ matching: TextMatching = .unicode) throws -> Bool {
        let matcher = FullTextMatcher(try FullTextQuery(search, matching: matching))
        return (text.map { Value.string($0) } ?? .null).withText { matcher.matches($0) }
    }

    @Test(arguments: [
        ("swift", ["Swift", "a swift bird", "SWIFT."], ["swiftly", "", "bird"]),
        ("swift bird", ["bird, swift", "a swift bird"], ["swift", "bird"]),
        ("  swift   bird ", ["bird, swift"], ["swift"]),
        ("swift -bird", ["swift", "swift birds"], ["swift bird", "bird", ""]),
        ("-bird", ["swift", ""], ["swift bird"]),
        ("-bird -fish", ["swift"], ["fish", "bird"]),
        ("dat*", ["data", "a database", "dat"], ["da", "metadata"]),
        ("swift dat*", ["data in Swift"], ["data", "swift"]),
        ("swift -dat*", ["swift"], ["swift data"]),
        ("\"object database\"", ["an object database", "Object-Database!"], ["database object", "object a database"]),
        ("\"object data*\"", ["object databases"], ["object", "data object"]),
        ("\"object data\"*", ["object databases"], ["data object"]),
        ("-\"object database\"", ["database object", ""], ["an object database"]),
        ("fast \"object database\"", ["a fast object database", "object database: fast"], ["fast database object"]),
        ("\"object data", ["object data"], ["data object"]),
        ("“object data”", ["object data"], ["data object"]),
        ("object-oriented", ["object-oriented", "object oriented"], ["oriented object"]),
        ("object-orient*", ["object-oriented"], ["object"]),
        ("don't", ["I don't", "don t"], ["dont", "don"]),
        ("+swift", ["swift"], ["bird"]),
        ("swift & bird", ["bird swift"], ["swift"]),
        ("東京", ["東京都", "上東京", "(東京)"], ["京東", "東", "東 京"]),
        ("東", ["東", "関東", "東京"], ["京"]),
        ("東京都", ["東京都庁"], ["東京京都", "京都東京"]),
        ("東京*", ["東京都"], ["京"]),
        ("-東京", ["京都"], ["東京都"]),
        ("東京タワー", ["東京タワーへ"], ["東京 タワー", "タワー東京"]),
        ("iPhone手机", ["新iPhone手机壳"], ["手机iPhone"]),
        ("서울", ["서울특별시", "서울은"], ["부산"]),
        ("мой", ["Мой дом"], ["мои дома"]),
        ("елка", ["Ёлка"], ["палка"]),
        ("👩‍💻", ["die 👩‍💻", "👩💻"], ["💻👩", "👩"]),
        ("محمد", ["مُحَمَّد"], ["احمد"]),
        ("a a a", ["a"], ["b"]),
        ("\"a b a\"", ["a b a", "x a b a b"], ["a b b a", "b a b"]),
    ])
    func `terms are words, prefixes, phrases and exclusions`(search: String, found: [String], not: [String]) throws {
        for text in found { expect(try Self.matches(search, text), "\(text)") }
        for text in not { expect(try !Self.matches(search, text), "\(text)") }
    }

    @Test func `null has no words`() throws {
        expect(try !Self.matches("a", nil))
        expect(try Self.matches("-a", nil))
    }

    @Test(arguments: [
        ("cafe", ["Café"], ["cafés"]),
        ("CAF* -noir", ["caféine"], ["café noir"]),
        ("caf* -noi*", ["café noir"], ["café noi"]),
        ("+cafe", ["café"], ["noir"]),
        ("\"cafe", ["café"], ["noir"]),
        ("cafe, noir", ["noir café"], ["café"]),
    ])
    func `compatible terms are parsed`(search: String, found: [String], not: [String]) throws {
        for text in found { expect(try Self.matches(search, text, .latin1), "\(text)") }
        for text in not { expect(try !Self.matches(search, text, .latin1), "\(text)") }
    }

    @Test(arguments: [
        ("", TextMatching.unicode), ("  ", .unicode), ("-", .unicode), ("\"\"", .unicode), ("* - +", .unicode),
        ("", .latin1), ("Москва", .latin1), ("...", .latin1),
    ])
    func `a search without a word is an error`(search: String, matching: TextMatching) {
        let error = #expect(throws: QueryError.self) { try FullTextQuery(search, matching: matching) }
        expectEqual(error?.code, .constant)
        expectEqual(error?.message, "The full-text search '\(search)' has no word. Give one to search for.")
    }

    @Test(arguments: [
        ("a -a", TextMatching.unicode, "a"), ("C# -c++", .unicode, "c"), ("\"a b\" -\"A B\"", .unicode, "a b"),
        ("a* -a*", .unicode, "a*"), ("Café -cafe", .latin1, "cafe"), ("C# -c++", .latin1, "c"),
    ])
    func `a term both wanted and excluded is an error`(search: String, matching: TextMatching, term: String) {
        let error = #expect(throws: QueryError.self) { try FullTextQuery(search, matching: matching) }
        expectEqual(
            error?.message,
            "The full-text search '\(search)' both wants and excludes '\(term)'. Leave one of them out."
        )
    }

    @Test func `a separator inside a term is an error of the compatible search`() {
        let error = #expect(throws: QueryError.self) { try FullTextQuery("object-oriented x", matching: .latin1) }
        expectEqual(error?.message.contains("has a separator inside the term 'object-oriented'"), true)
    }

    @Test func `the places of the terms in a text are found`() throws {
        func places(_ search: String, _ text: String) throws -> [String] {
            var text = text
            let matcher = FullTextMatcher(try FullTextQuery(search))
            return text.withUTF8 { utf8 in
                matcher.places(UnsafeRawBufferPointer(utf8)).map { String(decoding: utf8[$0], as: UTF8.self) }
            }
        }
        try expectEqual(places("lauf* zoe", "Zoë läuft, Zoe lief"), ["Zoë", "läuft", "Zoe"])
        try expectEqual(places("\"a b\"", "b a b a"), ["a", "b"])
        try expectEqual(places("東京都", "は東京都に"), ["東京都"])
        expect(try places("x", "y").isEmpty)
    }
}
