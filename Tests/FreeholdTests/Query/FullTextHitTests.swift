import Foundation
import Testing

@testable import Freehold

@Suite("Ranked full-text search")
struct FullTextHitTests {
    private func realm(_ texts: [String]) throws -> Realm {
        var configuration = newConfiguration()
        configuration.objectTypes = FullTextSearchTests.types
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for (i, text) in texts.enumerated() {
                realm.create(FTArticle.self, value: ["id": i, "body": text, "subtitle": i % 2 == 0 ? text : nil])
            }
        }
        return realm
    }

    private static let texts = [
        "a database for Swift, and much else that is told at length in many other words", "Swift, Swift, Swift!",
        "swift database", "a bird", "Swift is a bird, too",
    ]

    @Test
    func `the best hits are first, up to the limit`() throws {
        let articles = try realm(Self.texts).objects(FTArticle.self)
        let hits = try articles.search(\.body, for: "swift")
        expectEqual(hits.map(\.object.id), [1, 2, 4, 0])
        expect(hits.allSatisfy { $0.score > 0 } && zip(hits, hits.dropFirst()).allSatisfy { $0.score >= $1.score })
        try expectEqual(articles.search(\.body, for: "swift", limit: 2).map(\.object.id), [1, 2])
        expect(try articles.search(\.body, for: "swift", limit: 0).isEmpty)
        try expectEqual(articles.search(\.body, for: "database swift").map(\.object.id), [2, 0])
        expect(try articles.search(\.body, for: "nothing").isEmpty)
        // A search with only excluded words gives all hits the same score.
        let others = try articles.search(\.body, for: "-swift")
        expect(others.map(\.object.id) == [3] && others[0].score == 0)
    }

    @Test
    func `a search works on a filtered collection, by name, and on optional strings`() throws {
        let realm = try realm(Self.texts)
        let articles = realm.objects(FTArticle.self)
        try expectEqual(articles.where { $0.id > 1 }.search("body", for: "swift").map(\.object.id), [2, 4])
        try expectEqual(articles.search(\.subtitle, for: "swift").map(\.object.id), [2, 4, 0])
        try expectEqual(articles.search("sub_title", for: "bird").map(\.object.id), [4])
        try expectEqual(articles.search(\.kind, for: "news").count, 5)
        let author = FTAuthor()
        try realm.write {
            realm.add(author)
            author.notes.append(FTNote(value: ["text": "a cat"] as [String: Any]))
            author.notes.append(FTNote(value: ["text": "cat, cat"] as [String: Any]))
            let hits = try author.notes.search(\.text, for: "cat")
            expectEqual(hits.map(\.text), ["cat, cat", "a cat"])
        }
    }

    @Test(arguments: [
        ("body", "- ?", "has no word"), ("body", "a -A", "both wants and excludes"),
        ("plain", "a", "'plain' has no full-text index"), ("nothing", "a", "has no property 'nothing'"),
        ("author.about", "a", "needs a property of the objects themselves"),
    ])
    func `an impossible search is an error`(property: String, search: String, message: String) throws {
        let articles = try realm(Self.texts).objects(FTArticle.self)
        let error = #expect(throws: QueryError.self) { try articles.search(property, for: search) }
        expectEqual(error?.message.contains(message), true, "\(error?.message ?? "")")
    }

    @Test
    func `ranges and excerpts show the words`() throws {
        let articles = try realm([
            "Zoë läuft — ZOE lief", "東京都の天気", "die 👩‍💻 und 👍🏽",
            String(repeating: "so ", count: 100) + "the needle is here " + String(repeating: "and on ", count: 100),
        ]).objects(FTArticle.self)
        func hit(_ search: String) throws -> SearchHit<FTArticle> {
            try require(try articles.search(\.body, for: search).first)
        }
        let zoe = try hit("zoe lauf*")
        expectEqual(zoe.ranges.map { String(zoe.text[$0]) }, ["Zoë", "läuft", "ZOE"])
        expectEqual(zoe.excerpt(), "**Zoë** **läuft** — **ZOE** lief")
        expectEqual(zoe.excerpt { "<b>\($0)</b>" }, "<b>Zoë</b> <b>läuft</b> — <b>ZOE</b> lief")
        try expectEqual(hit("京都").excerpt(), "東**京都**の天気")
        try expectEqual(hit("👩‍💻").excerpt(), "die **👩‍💻** und 👍🏽")
        try expectEqual(hit("👍").excerpt(), "die 👩‍💻 und **👍🏽**")
        let needle = try hit("needle").excerpt(length: 40)
        expectEqual(needle, "… so the **needle** is here and on and on and …")
    }
}
