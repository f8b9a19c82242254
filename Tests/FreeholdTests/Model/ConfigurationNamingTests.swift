import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class NamingHTMLPage: Object {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted(indexed: true) var pageTitle = ""
    @Persisted(mapTo: "URL") var sourceURL = ""
    @Persisted var linkedPages: List<NamingHTMLPage>
    @Persisted var mainAuthor: NamingAuthor?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Has a policy of its own for its properties, and a name.
class NamingHuman: Object {
    @Persisted var fullName = ""
    @Persisted(mapTo: "BORN") var bornIn = 0
    override class func propertyNamingPolicy() -> NamingPolicy? { .kebabCase }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NamingAuthor: NamingHuman {
    @Persisted(originProperty: "mainAuthor") var writtenPages: LinkingObjects<NamingHTMLPage>
    override class func mappedName() -> String? { "Writer" }
}

/// Takes a policy of its own for all properties, inherited ones with them.
class NamingNovelist: NamingHuman {
    @Persisted var bestSeller = ""
    override class func propertyNamingPolicy() -> NamingPolicy? { .pascalCase }
}

class NamingPlain: Object {
    @Persisted var someValue = 0
    override class func propertyNamingPolicy() -> NamingPolicy? { .asDeclared }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NamingClash: Object {
    @Persisted var firstName = ""
    @Persisted var first_name = ""
    @Persisted var lastName = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Naming policies of classes and configurations")
struct ConfigurationNamingTests {
    private let types: [ObjectBase.Type] = [
        NamingHTMLPage.self, NamingAuthor.self, NamingNovelist.self, NamingPlain.self,
    ]

    private func snake(_ base: Realm.Configuration = newConfiguration()) -> Realm.Configuration {
        var configuration = base
        configuration.objectTypes = types
        configuration.classNamingPolicy = .snakeCase
        configuration.propertyNamingPolicy = .snakeCase
        return configuration
    }

    @Test
    func `a name overrides the class's policy, which overrides the configuration's`() throws {
        let realm = try Realm(configuration: snake())
        let columns = { (table: String) in realm.core.view.schema.table(named: table)?.columns.map(\.name) }
        expectEqual(columns("naming_html_page"), ["_id", "page_title", "URL", "linked_pages", "main_author"])
        expectEqual(columns("Writer"), ["full-name", "BORN"])
        expectEqual(columns("naming_novelist"), ["FullName", "BORN", "BestSeller"])
        expectEqual(columns("naming_plain"), ["someValue"])
    }

    @Test
    func `objects, queries, dictionaries and inverse links work under a policy, and after reopening`() throws {
        try withNewFile { base in
            do {
                let realm = try Realm(configuration: snake(base))
                let author = NamingAuthor(value: ["fullName": "Ada", "BORN": 1815] as [String: Any])
                try realm.write {
                    let page = realm.create(
                        NamingHTMLPage.self,
                        value: [
                            "_id": 1, "page_title": "One", "sourceURL": "a",
                            "linked_pages": [["_id": 2, "page_title": "Two", "main_author": ["full-name": "Bob"]]],
                        ] as [String: Any]
                    )
                    page.mainAuthor = author
                    expect(page["page_title"] as? String == "One" && page["pageTitle"] as? String == "One")
                }
                expect(author.writtenPages.map(\._id) == [1] && author["full-name"] as? String == "Ada")
            }
            let realm = try Realm(configuration: snake(base))
            let pages = realm.objects(NamingHTMLPage.self)
            expectEqual(pages.where { $0.mainAuthor.fullName == "Bob" }.map(\.pageTitle), ["Two"])
            expectEqual(pages.sorted(byKeyPath: "main_author.full-name", ascending: false).map(\._id), [2, 1])
            expectEqual(pages.sorted(byKeyPath: "mainAuthor.fullName").map(\._id), [1, 2])
            expectEqual(pages.where { $0.linkedPages.pageTitle == "Two" }.count, 1)
            expectEqual(realm.objects(NamingAuthor.self).where { $0.writtenPages.pageTitle == "One" }[0].bornIn, 1815)
            let schema = try require(realm.schema["naming_html_page"])
            expect(realm.schema["NamingHTMLPage"] == schema && schema["pageTitle"]?.columnName == "page_title")
            expectEqual(schema["linkedPages"]?.objectClassName, "naming_html_page")
            expectEqual(pages[0].objectSchema, schema)
        }
    }

    @Test
    func `unmanaged objects know only their class's own names`() {
        let page = NamingHTMLPage(value: ["page_title": "ignored", "pageTitle": "taken", "URL": "u"])
        expect(page.pageTitle == "taken" && page.sourceURL == "u")
        expect(page.objectSchema["page_title"] == nil && page.objectSchema.className == "NamingHTMLPage")
        expectEqual(NamingAuthor(value: ["full-name": "x"]).fullName, "x")
    }

    @Test
    func `realms with different policies can be used together`() throws {
        var plain = newConfiguration()
        plain.objectTypes = types
        let a = try Realm(configuration: plain), b = try Realm(configuration: snake())
        let page = NamingHTMLPage(value: ["_id": 1, "pageTitle": "in a"] as [String: Any])
        try a.write { a.add(page) }
        try b.write { b.create(NamingHTMLPage.self, value: page).pageTitle += " and b" }
        expectEqual(a.objects(NamingHTMLPage.self)[0]["pageTitle"] as? String, "in a")
        expectEqual(b.objects(NamingHTMLPage.self)[0]["page_title"] as? String, "in a and b")
        expect(a.schema != b.schema && a.schema["NamingHTMLPage"] != nil && a.schema["naming_html_page"] == nil)
    }

    @Test
    func `an open realm of the thread can't be opened with other policies`() throws {
        try withNewFile { base in
            let realm = try Realm(configuration: snake(base))
            var other = snake(base)
            other.propertyNamingPolicy = .asDeclared
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: other) }
            expect(error?.code == .alreadyOpen && error?.message.contains("naming policies") == true)
            expect(realm.isEmpty)
        }
    }

    @Test
    func `all name clashes of a policy are reported at open`() throws {
        var configuration = newConfiguration()
        configuration.objectTypes = [NamingClash.self]
        _ = try Realm(configuration: configuration)
        configuration = newConfiguration()
        configuration.objectTypes = [NamingClash.self, NamesDog.self]
        configuration.propertyNamingPolicy = .snakeCase
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        expectEqual(error?.code, .invalidSchema)
        expectEqual(
            error?.message.contains(
                "NamingClash.first_name has the stored name \"first_name\", which firstName has too"
            ),
            true
        )
        expectEqual(error?.message.contains("links to NamesPerson"), true)
    }

    @Test
    func `two classes with one name under a policy are reported at open`() throws {
        class NamingTwin: Object { @Persisted var x = 0 }
        class naming_twin: Object { @Persisted var x = 0 }
        var configuration = newConfiguration()
        configuration.objectTypes = [NamingTwin.self, naming_twin.self]
        configuration.classNamingPolicy = .snakeCase
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        expectEqual(error?.message.hasPrefix("naming_twin is the name of 2 classes"), true)
        expectEqual(error?.message.contains("unknown context"), false)
    }
}
