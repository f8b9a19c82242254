import FreeholdEngine
import RealmFileReader
import TestRealmFiles
import Testing

/// Files that Realm wrote, of what is rare or large: see `CaseTable`.
struct CaseTests {
    @Test(arguments: RealmFixture.cases)
    func `removed classes and properties are missing`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        expect(file.formatVersion == fixture.formatVersion && file.schemaVersion == 9)
        let embedded: Set = fixture.formatVersion >= 20 ? ["Middle", "Inner"] : []
        expectEqual(
            Set(file.classes.map(\.name)),
            CaseTable.classes(fixture.formatVersion).union(["Deep"]).union(embedded)
        )
        expectEqual(Set(file.classes.filter { $0.kind == .embedded }.map(\.name)), embedded)
        expectEqual(Set(file.requireClass("Shape").properties.map(\.name)), ["a", "b", "renamed", "d"])
        expect(file.requireClass("Shape").incoming.isEmpty)
    }

    @Test(arguments: RealmFixture.cases)
    func `each class's key has its type, and may be null`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let keys: [(String, ColumnType, Int)] = [
            ("StringKey", .string, 10), ("IntKey", .int, 10), ("IdKey", .objectId, 20), ("UuidKey", .uuid, 21),
        ]
        for (name, type, format) in keys where fixture.formatVersion >= format {
            let key = file.requireClass(name).primaryKey
            expect(key?.name == "key" && key?.type == type && key?.isOptional == true)
        }
        expect(file.requireClass("Limits").primaryKey == nil)
    }

    @Test(arguments: RealmFixture.cases)
    func `every value is read as written, to the last bit`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let raw = try file.classes.filter { $0.name != "Deep" }.map { try file.rawClass($0) }
        let objects = ResolvedObjects(raw)
        for name in CaseTable.classes(fixture.formatVersion).sorted() {
            let found = objects.objects(of: name)
            let expected = CaseTable.objects(name, fixture.formatVersion)
            expect(found.count == expected.count && file.requireClass(name).count == expected.count, "\(name)")
            for values in expected {
                let id = "\(values[CaseTable.names[name]!]!)"
                let object = try require(found[id], "\(name) \(id)")
                expectEqual(Set(object.keys), Set(values.keys), "\(name) \(id)")
                for (property, value) in values {
                    let isRight = Value.areIdentical(object[property] ?? .null, value)
                    expect(isRight, "\(name).\(property) of \(id): \(object[property] ?? .null), not \(value)")
                }
            }
        }
    }

    @Test(arguments: RealmFixture.cases)
    func `a tree of three levels with a hole is read in order`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let deep = file.requireClass("Deep")
        expectEqual(deep.count, CaseTable.deepCount)
        var found: [Value] = []
        try file.forEachCluster(of: deep) { found += try $0.values(of: deep.properties[0]) }
        expectEqual(found, (0..<CaseTable.deepCount).map { CaseTable.deep($0) })
    }
}
