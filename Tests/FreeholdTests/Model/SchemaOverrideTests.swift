import Foundation
import Testing

@testable import Freehold

private class OverrideBase: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// `cached` and the collections are declared with `@Persisted`, but not stored.
private class Ignoring: OverrideBase {
    @Persisted var code = ""
    @Persisted var name = "n"
    @Persisted var other = 1
    @Persisted var cached = 5
    @Persisted var tags: List<String>
    @Persisted var link: Ignoring?
    var plain = 0
    lazy var late = 6
    override class func primaryKey() -> String? { "code" }
    override class func indexedProperties() -> [String] { ["name", "other"] }
    override class func ignoredProperties() -> [String] { ["cached", "tags", "link", "plain", "late"] }
}

private class IgnoringMore: Ignoring {
    @Persisted var more = 1
    @Persisted var temporary = 2
    override class func ignoredProperties() -> [String] { super.ignoredProperties() + ["temporary"] }
}

private class IgnoringComputed: OverrideBase {
    @Persisted var name = ""
    @Persisted var temporary = 3
    var full: String { name + "!" }
    override class func ignoredProperties() -> [String] { ["full", "temporary", "that isn't there"] }
}

private enum Mistaken {
    class Names: OverrideBase {
        @Persisted var a = 0
        @Persisted var b = 0
        override class func primaryKey() -> String? { "key" }
        override class func indexedProperties() -> [String] { ["a", "index"] }
        override class func ignoredProperties() -> [String] { ["nothing"] }
        override class func propertiesMapping() -> [String: String] { ["gone": "x"] }
    }
    class IgnoredKey: OverrideBase {
        @Persisted var a = 0
        @Persisted var b = 0
        override class func primaryKey() -> String? { "a" }
        override class func indexedProperties() -> [String] { ["a"] }
        override class func ignoredProperties() -> [String] { ["a"] }
    }
    class NothingLeft: OverrideBase {
        @Persisted var a = 0
        override class func ignoredProperties() -> [String] { ["a"] }
    }
    class Swapped: OverrideBase {
        @Persisted(mapTo: "b") var a = 0
        @Persisted(mapTo: "a") var b = 0
    }
    class Taken: OverrideBase {
        @Persisted(mapTo: "x") var a = 0
        @Persisted(mapTo: "x") var b = 0
        @Persisted(mapTo: "") var c = 0
        @Persisted(mapTo: "a.b") var d = 0
        @Persisted(mapTo: "aStoredNameThatGoesOnAndOnAndOnAndOnUntilItIsOverTheLimitOf63Byte") var e = 0
    }
    class TwoWays: OverrideBase {
        @Persisted(mapTo: "x") var a = 0
        override class func propertiesMapping() -> [String: String] { ["a": "y"] }
        override class func mappedName() -> String? { "One" }
        override class func _realmObjectName() -> String? { "Two" }
    }
    class TwoKeys: OverrideBase {
        @Persisted(primaryKey: true) var a = 0
        @Persisted var b = 0
        override class func primaryKey() -> String? { "b" }
    }
    class BadKey: OverrideBase {
        @Persisted var a = 0.5
        @Persisted var list: List<Int>
        override class func primaryKey() -> String? { "a" }
        override class func indexedProperties() -> [String] { ["list"] }
    }
    private class Twin: OverrideBase { @Persisted var x = 0 }
    static let hidden: ObjectBase.Type = Twin.self
}
private class Twin: OverrideBase { @Persisted var x = 0 }

private func mistakes(_ types: [AnyClass]) -> String {
    do {
        _ = try SchemaBuilder.build(types)
        return ""
    } catch {
        expectEqual(error.code, .invalidSchema)
        return error.message
    }
}

@Suite("Schema overrides")
struct SchemaOverrideTests {
    private func realm(_ base: Realm.Configuration = newConfiguration()) throws -> Realm {
        var configuration = base
        configuration.objectTypes = [Ignoring.self, IgnoringMore.self]
        return try Realm(configuration: configuration)
    }

    @Test
    func `primaryKey(), indexedProperties() and ignoredProperties() have the effect of @Persisted's arguments`() throws
    {
        let realm = try realm()
        let schema = try require(realm.schema["Ignoring"])
        expectEqual(schema.properties.map(\.name), ["code", "name", "other"])
        expect(schema.primaryKeyProperty?.name == "code" && schema["name"]?.isIndexed == true)
        let table = try require(realm.core.view.schema.table(named: "Ignoring"))
        expect(table.columns.map(\.name) == ["code", "name", "other"] && table.primaryKey?.name == "code")
        expectEqual(table.columns.map(\.isIndexed), [false, true, true])
        expectEqual(
            realm.schema["IgnoringMore"]?.properties.map(\.name),
            ["code", "name", "other", "more"]
        )
    }

    @Test
    func `an ignored @Persisted property is a plain one, unmanaged and managed`() throws {
        try withNewFile { base in
            let object = IgnoringMore(value: ["code": "a", "cached": 99] as [String: Any])
            expectEqual(object.cached, 5, "a dictionary's key that names no stored property is left out")
            object.cached = 6
            object.tags.append("t")
            object.link = Ignoring()
            object.temporary = 7
            do {
                let realm = try realm(base)
                try realm.write { realm.add(object) }
                // No transaction is needed, and nothing is lost when the object becomes managed.
                expect(object.cached == 6 && Array(object.tags) == ["t"] && object.link != nil)
                object.cached += 1
                object.tags.append("u")
                object.link = nil
                object.plain = 3
                expect(object.cached == 7 && object.tags.count == 2 && object.link == nil && object.temporary == 7)
                expect(!object.tags.isInvalidated && object.tags.realm == nil)
                // Another accessor of the row has values of its own.
                let again = try require(realm.object(ofType: IgnoringMore.self, forPrimaryKey: "a"))
                expect(again == object && again.cached == 5 && again.tags.isEmpty && again.late == 6)
                for each in realm.objects(IgnoringMore.self) {
                    each.cached = 100
                    expectEqual(each.cached, 100)
                }
                try realm.write {
                    object.name = "changed"
                    object.cached = 8
                    realm.cancelWrite()
                }
                expect(object.name == "n" && object.cached == 8, "what isn't stored isn't rolled back")
            }
            let realm = try realm(base)
            expectEqual(realm.objects(IgnoringMore.self).first?.cached, 5)
        }
    }

    @Test
    func `ignoredProperties() is a filter, and may contain computed properties and unknown names`() throws {
        var configuration = newConfiguration()
        configuration.objectTypes = [IgnoringComputed.self]
        let realm = try Realm(configuration: configuration)
        let object = try realm.write { realm.create(IgnoringComputed.self, value: ["name": "Ada"]) }
        expect(object.full == "Ada!" && object.temporary == 3)
        expectEqual(object.objectSchema.properties.map(\.name), ["name"])
    }

    @Test
    func `names that don't exist are reported together`() {
        let text = mistakes([Mistaken.Names.self, Mistaken.IgnoredKey.self, Mistaken.NothingLeft.self])
        for part in [
            "6 mistakes", "Names primaryKey() names \"key\", which is no property",
            "Names indexedProperties() names \"index\", which is no property",
            "Names propertiesMapping() names \"gone\", which is no property",
            "IgnoredKey primaryKey() names \"a\", which is ignored",
            "IgnoredKey indexedProperties() names \"a\", which is ignored",
            "NothingLeft has no @Persisted property",
        ] { expect(text.contains(part), "\(part) in:\n\(text)") }
    }

    @Test(
        arguments: [
            (Mistaken.Swapped.self, "a has the stored name \"b\", which is the name of another property in Swift"),
            (Mistaken.Swapped.self, "b has the stored name \"a\", which is the name of another property in Swift"),
            (Mistaken.Taken.self, "b has the stored name \"x\", which a has too"),
            (Mistaken.Taken.self, "Taken.c has an empty name"),
            (Mistaken.Taken.self, "Taken.d has a dot in its stored name \"a.b\""),
            (Mistaken.Taken.self, "Taken.e has a name of over 63 bytes"),
            (Mistaken.TwoWays.self, "a has the stored name \"x\" by mapTo: and \"y\" by propertiesMapping()"),
            (Mistaken.TwoWays.self, "\"One\" by mappedName() and \"Two\" by _realmObjectName()"),
            (Mistaken.TwoKeys.self, "more than one primary key: a, b"),
            (Mistaken.BadKey.self, "BadKey.a can't be a primary key"),
            (Mistaken.BadKey.self, "BadKey.list can't be indexed"),
        ] as [(AnyClass, String)]
    )
    func `clashes and impossible names are reported`(_ type: AnyClass, _ text: String) {
        expect(mistakes([type]).contains(text), "\(mistakes([type]))")
    }

    @Test
    func `private and nested classes of one name are reported without the compiler's suffixes`() {
        let text = mistakes([Twin.self, Mistaken.hidden])
        expect(
            text.contains("Twin is the name of 2 classes (FreeholdTests.Mistaken.Twin, FreeholdTests.Twin)"),
            "\(text)"
        )
        expect(text.contains("mappedName()") && !text.contains("unknown context"))
    }

    @Test
    func `no message of a private class has the compiler's suffixes`() throws {
        let realm = try realm()
        var texts = ["\(realm.schema)", "\(Ignoring())", "\(realm.objects(Ignoring.self))"]
        for value in [["code": 5], ["name": [1]], Mistaken.Names()] as [Any] {
            do { _ = try Ignoring(validating: value) } catch { texts.append("\(error)") }
        }
        do {
            try realm.write {
                realm.add(Ignoring(value: ["code": "x"]))
                realm.add(Ignoring(value: ["code": "x"]))
            }
        } catch { texts.append("\(error)") }
        texts.append(mistakes([NoModel.self]))
        expect(texts.count >= 6)
        for text in texts { expect(!text.contains("unknown context"), "\(text)") }
    }
}

private class NoModel {}
