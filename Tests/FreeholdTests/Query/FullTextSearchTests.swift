import Foundation
import Testing

@testable import Freehold

class FTArticle: Object {
    enum Kind: String, PersistableEnum { case news = "the news", report = "long report" }

    @Persisted(primaryKey: true) var id = 0
    @Persisted(fullText: true) var body = ""
    @Persisted(fullText: true, mapTo: "sub_title") var subtitle: String?
    @Persisted(fullText: true) var kind = Kind.news
    @Persisted var plain = ""
    @Persisted var author: FTAuthor?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class FTAuthor: Object {
    @Persisted(fullText: true) var about: String?
    @Persisted var notes: List<FTNote>
    @Persisted(originProperty: "author") var articles: LinkingObjects<FTArticle>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class FTNote: EmbeddedObject {
    @Persisted(fullText: true) var text = "nothing yet"
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum Wrong {
    class Base: Object {
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class Mixed: Base {
        @Persisted(fullText: true) var value: AnyRealmValue
    }
    class Both: Base {
        @Persisted(fullText: true) var text = ""
        override class func indexedProperties() -> [String] { ["text"] }
    }
    class Key: Base {
        @Persisted(fullText: true) var text = ""
        override class func primaryKey() -> String? { "text" }
    }
}

@Suite("Full-text search in models")
struct FullTextSearchTests {
    static let types: [ObjectBase.Type] = [FTArticle.self, FTAuthor.self, FTNote.self]

    private func realm(_ edit: (inout Realm.Configuration) -> Void = { _ in }) throws -> Realm {
        var configuration = newConfiguration()
        configuration.objectTypes = Self.types
        edit(&configuration)
        return try Realm(configuration: configuration)
    }

    private func populated(_ edit: (inout Realm.Configuration) -> Void = { _ in }) throws -> Realm {
        let realm = try realm(edit)
        let texts = [
            "Swift is a language. A Swift database.", "The object database of Москва", "object-oriented café",
            "database object", "東京都の天気", "",
        ]
        try realm.write {
            let author = realm.create(
                FTAuthor.self,
                value: ["about": "A poet", "notes": [["text": "Likes cats"], [:]]]
            )
            for (i, text) in texts.enumerated() {
                let article = realm.create(FTArticle.self, value: ["id": i, "body": text])
                if i < 2 { article.author = author }
                if i == 3 { article.subtitle = "Second title" }
                if i == 4 { article.kind = .report }
            }
        }
        return realm
    }

    private func ids(_ results: Results<FTArticle>) -> [Int] { results.map(\.id) }

    @Test(arguments: [
        ("database", [0, 1, 3]), ("swift database", [0]), ("dat* -swift", [1, 3]), ("\"object database\"", [1]),
        ("object-oriented", [2]), ("CAFÉ", [2]), ("cafe", [2]), ("МОСКВА", [1]), ("天気", [4]), ("都", [4]),
        ("-database", [2, 4, 5]), ("nothing", []),
    ])
    func `conditions find words, prefixes, phrases and exclusions`(_ search: String, _ expected: [Int]) throws {
        let realm = try populated()
        let articles = realm.objects(FTArticle.self)
        expectEqual(ids(articles.where { $0.body.matches(search) }), expected)
        expectEqual(ids(articles.where { !$0.body.matches(search) }), (0..<6).filter { !expected.contains($0) })
        expectEqual(ids(articles.where { $0.body.matches(search) && $0.id > 1 }), expected.filter { $0 > 1 })
        expectEqual(ids(articles.where { $0.body.matches(search) || $0.id == 5 }), Set(expected + [5]).sorted())
        expectEqual(articles.where { $0.body.matches(search) }.count, expected.count)
        expectEqual(articles.where { $0.body.matches(search) }.first?.id, expected.first)
    }

    @Test
    func `optional strings, mapped names, enums, links, embedded and linking objects are searched`() throws {
        let realm = try populated()
        let articles = realm.objects(FTArticle.self)
        expectEqual(ids(articles.where { $0.subtitle.matches("second") }), [3])
        expectEqual(ids(articles.where { $0.subtitle.matches("-second") }), [0, 1, 2, 4, 5])
        expectEqual(ids(articles.where { $0.kind.matches("long") }), [4])
        expectEqual(ids(articles.where { $0.author.about.matches("poet") }), [0, 1])
        expectEqual(ids(articles.where { $0.author.about.matches("-poet") }), [])
        expectEqual(ids(articles.where { $0.author.notes.text.matches("cat*") }), [0, 1])
        let authors = realm.objects(FTAuthor.self)
        expectEqual(authors.where { $0.articles.body.matches("object") }.count, 1)
        expect(authors.where { $0.articles.body.matches("café") }.isEmpty)
        let notes = authors[0].notes
        expectEqual(notes.where { $0.text.matches("nothing") }.count, 1)
        let dynamic = realm.dynamicObjects("FTArticle")
        expectEqual(dynamic.where { $0["body", as: String.self].matches("object database") }.count, 2)
        expectEqual(dynamic.where { $0["sub_title", as: String?.self].matches("title") }.count, 1)
    }

    @Test
    func `searches follow the changes of a transaction, and its end`() throws {
        let realm = try populated()
        let found = realm.objects(FTArticle.self).where { $0.body.matches("database") }
        expectEqual(found.count, 3)
        try realm.write {
            realm.objects(FTArticle.self)[0].body = "nothing"
            expectEqual(ids(found), [1, 3])
            realm.delete(realm.objects(FTArticle.self)[3])
            realm.add(FTArticle(value: ["id": 9, "body": "Databases, a database"] as [String: Any]))
            expectEqual(ids(found), [1, 9])
        }
        expectEqual(ids(found), [1, 9])
        realm.beginWrite()
        for article in realm.objects(FTArticle.self) { article.body += " database" }
        expectEqual(found.count, 6)
        realm.cancelWrite()
        expectEqual(ids(found), [1, 9])
    }

    @Test
    func `compatible searches find words and letter case of Latin-1 only, as in Realm`() throws {
        let realm = try populated { $0.textMatching = .latin1 }
        let articles = realm.objects(FTArticle.self)
        expectEqual(ids(articles.where { $0.body.matches("cafe") }), [2])
        expectEqual(ids(articles.where { $0.body.matches("database -swift") }), [1, 3])
        expectEqual(ids(articles.where { $0.body.contains("CAFÉ", options: .caseInsensitive) }), [2])
        expectEqual(ids(articles.where { $0.body.contains("МОСКВА", options: .caseInsensitive) }), [])
        expect("\(realm.configuration)".contains("textMatching: .latin1"))
        expectEqual(realm.schema["FTArticle"]?["body"]?.index, .fullText)
    }

    @Test
    func `another kind of words rebuilds the indexes of a file`() throws {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.objectTypes = Self.types
            func found(_ matching: Realm.TextMatching, _ search: String) throws -> Int {
                configuration.textMatching = matching
                return try autoreleased {
                    let realm = try Realm(configuration: configuration)
                    if realm.isEmpty {
                        try realm.write {
                            realm.add(FTArticle(value: ["id": 1, "body": "Москва café"] as [String: Any]))
                        }
                    }
                    return realm.objects(FTArticle.self).where { $0.body.matches(search) }.count
                }
            }
            for _ in 0..<2 {
                try expectEqual(found(.unicode, "москва"), 1)
                try expectEqual(found(.latin1, "cafe"), 1)
                try expectEqual(found(.latin1, "-x"), 1)
            }
            configuration.textMatching = .latin1
            let open = try Realm(configuration: configuration)
            configuration.textMatching = .unicode
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
            expectEqual(error?.message.contains("`textMatching` is .latin1 there"), true)
            expectEqual(open.objects(FTArticle.self).count, 1)
        }
    }

    private func autoreleased<R>(_ body: () throws -> R) rethrows -> R { try body() }

    @Test(
        arguments: [
            (Wrong.Mixed.self, "Mixed.value can't have a full-text index: only strings can"),
            (Wrong.Both.self, "Both.text has a full-text index and is named in indexedProperties()"),
            (Wrong.Key.self, "Key.text is the primary key, which can't have a full-text index, too"),
        ] as [(ObjectBase.Type, String)]
    )
    func `invalid declarations are named`(_ type: ObjectBase.Type, _ text: String) throws {
        let error = #expect(throws: Realm.Error.self) { try SchemaBuilder.build([type]) }
        expect(error?.code == .invalidSchema && error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test
    func `schemas made by hand can have full-text indexes`() throws {
        var text = Property("text", .string, optional: true)
        text.index = .fullText
        expect(text.description.contains("fullTextIndexed = YES") && !text.isIndexed)
        var configuration = newConfiguration()
        configuration.objectTypes = nil
        configuration.schema = Schema([ObjectSchema("Log", properties: [text])])
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for line in ["Disk full", "disk ok", nil] { realm.dynamicCreate("Log", value: ["text": line as Any]) }
        }
        let found = realm.dynamicObjects("Log").where { $0["text", as: String?.self].matches("disk -full") }
        expectEqual(found.map { $0["text"] as? String }, ["disk ok"])

        var number = Property("number", .int)
        number.index = .fullText
        configuration = newConfiguration()
        configuration.objectTypes = nil
        configuration.schema = Schema([ObjectSchema("Log", properties: [number])])
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        expectEqual(error?.message.contains("can't have a full-text index: only strings can"), true)
    }

    @Test(arguments: [0, 1, 2])
    func `a property without the index, and impossible searches, trap`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            var configuration = newConfiguration()
            configuration.objectTypes = FullTextSearchTests.types
            let articles = try Realm(configuration: configuration).objects(FTArticle.self)
            switch kind {
            case 0: _ = articles.where { $0.plain.matches("x") }.count
            case 1: _ = articles.where { $0.body.matches(" - ") }.count
            default: _ = articles.where { $0.body.matches("café -CAFE") }.count
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let expected = ["'plain' has no full-text index", "has no word", "both wants and excludes 'cafe'"]
        expect(message.contains(expected[kind]), "\(message)")
    }
}
