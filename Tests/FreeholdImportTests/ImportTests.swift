import Foundation
import Freehold
import FreeholdEngine
import FreeholdImport
import RealmFileReader
import TestRealmFiles
import Testing

struct ImportTests {
    @Test(arguments: RealmFixture.tables)
    func `every value of the Realm file is in the new one, which is sound`(_ fixture: RealmFixture) throws {
        try withFolder { folder in
            let url = try fixture.imported(to: folder).url
            let snapshot = try Database.open(at: url.path).snapshot()
            expectEqual(snapshot.verify(), [])
            expectEqual(snapshot.userVersion, 7)
            let table = snapshot.requireTable("Everything")
            let keys = snapshot.keys(table)
            expectEqual(keys.count, FixtureTable.rows.count)
            for key in keys {
                let found = snapshot.values(table, key)
                guard case .int(let id)? = found["id"] else {
                    Issue.record("an object has no id")
                    continue
                }
                for (name, expected) in FixtureTable.values(Int(id) / 10) where fixture.has(name) {
                    // A set's elements rise.
                    var expected = expected
                    if table.column(named: name)?.collection == .set, case .list(let list) = expected {
                        expected = FixtureTable.list(list.values.sorted { Value.compare($0, with: $1) < 0 })
                    }
                    expectEqual(found[name], expected, "\(name) of \(id)")
                }
            }
        }
    }

    @Test(arguments: RealmFixture.tables)
    func `the new file has the classes, properties, keys and indexes of the old one`(_ fixture: RealmFixture) throws {
        try withFolder { folder in
            let file = try fixture.open()
            let schema = try Database.open(at: fixture.imported(to: folder).url.path).snapshot().schema
            expectEqual(Set(schema.tables.map(\.name)), Set(file.classes.filter { $0.kind != .asymmetric }.map(\.name)))
            for item in file.classes where item.kind != .asymmetric {
                let table = try require(schema.table(named: item.name))
                expectEqual(table.isEmbedded, (item.kind == .embedded))
                expectEqual(table.primaryKey?.name, item.primaryKey?.name)
                expectEqual(table.columns.map(\.name), item.properties.map(\.name))
                for property in item.properties {
                    let column = try require(table.column(named: property.name))
                    expect(column.type == property.type && column.collection == property.collection)
                    if property.type != .link {
                        expectEqual(column.isOptional, property.isOptional, "\(property.name)")
                    }
                    let target = column.targetTableID.flatMap { schema.table(id: $0)?.name }
                    expectEqual(target, file.classes.first { $0.number == property.target }?.name)
                    if column.isPrimaryKey { continue }
                    let kinds: [RealmFileProperty.Index: IndexKind] = [
                        .none: .none, .values: .values, .fullText: .fullText,
                    ]
                    expectEqual(column.indexKind, kinds[property.index], "\(property.name)")
                }
            }
        }
    }

    @Test(arguments: RealmFixture.tables)
    func `the report contains the numbers of read, stored and omitted objects`(_ fixture: RealmFixture) throws {
        try withFolder { folder in
            let file = try fixture.open()
            let report = try fixture.imported(to: folder).report
            expect(report.formatVersion == fixture.formatVersion && report.schemaVersion == 7)
            expect(report.isEncrypted == (fixture == .encrypted) && !report.isSynchronized && !report.isDryRun)
            expectEqual(report.classes.map(\.name), file.classes.map(\.name))
            for item in report.classes {
                let old = file.requireClass(item.name)
                expect(item.read == old.count && item.kind == old.kind.rawValue)
                expectEqual(item.stored, (old.kind == .asymmetric ? 0 : old.count), "\(item.name)")
                expect(report.description.contains("\(item.name)"))
            }
            expectEqual(report.objectCount, file.classes.reduce(0) { $0 + $1.count })
            let asymmetric = report.notes.filter { $0.kind == .asymmetricClass }
            expectEqual(asymmetric.map(\.className), (file.classes.contains { $0.name == "Event" } ? ["Event"] : []))
            try expectEqual(JSONDecoder().decode(RealmImportReport.self, from: report.json()), report)
        }
    }

    @Test(arguments: RealmFixture.tables)
    func `a dry run reads and reports the same, and creates nothing`(_ fixture: RealmFixture) throws {
        try withFolder { folder in
            let dry = try Realm.checkRealmFile(at: fixture.url, key: fixture.keyData)
            expectEqual(names(in: folder), [])
            let report = try fixture.imported(to: folder).report
            expect(dry.isDryRun && dry.objectCount == report.objectCount)
            expectEqual(dry.classes.map(\.read), report.classes.map(\.read))
            expectEqual(dry.notes.map(\.text), report.notes.map(\.text))
            expect(dry.classes.allSatisfy { $0.stored == 0 })
        }
    }

    @Test(arguments: RealmFixture.tables)
    func `a summary describes the file, with the schema that an import creates`(_ fixture: RealmFixture) throws {
        try withFolder { folder in
            let summary = try Realm.inspectRealmFile(at: fixture.url, key: fixture.keyData)
            expect(summary.formatVersion == fixture.formatVersion && summary.schemaVersion == 7)
            expect(summary.isEncrypted == (fixture == .encrypted) && !summary.isSynchronized)
            expectEqual(summary.classes.first { $0.name == "Word" }?.objects, FixtureTable.words.count)
            expectEqual(summary.classes.first { $0.name == "Word" }?.primaryKey, "word")
            var configuration = Realm.Configuration(fileURL: try fixture.imported(to: folder).url, readOnly: true)
            configuration.schema = Schema([])
            let realm = try Realm(configuration: configuration)
            expectEqual(summary.schema.jsonData(schemaVersion: 7), realm.storedSchema.jsonData(schemaVersion: 7))
            expect(
                String(decoding: try summary.json(), as: UTF8.self).contains("\"format\" : \(fixture.formatVersion)")
            )
        }
    }

    @Test func `links, lists and embedded objects have the same targets as before`() throws {
        try withFolder { folder in
            let snapshot = try Database.open(at: RealmFixture.format22.imported(to: folder).url.path).snapshot()
            let (table, words) = (snapshot.requireTable("Everything"), snapshot.requireTable("Word"))
            let children = snapshot.requireTable("Child")
            for key in snapshot.keys(table) {
                let values = snapshot.values(table, key)
                guard case .int(let id)? = values["id"], case .list(let list)? = values["words"],
                    case .list(let own)? = values["children"]
                else {
                    Issue.record("a property is missing")
                    continue
                }
                let i = Int(id) / 10
                let ranks = list.values.map { value -> Value in
                    guard case .link(let word) = value else { return .null }
                    return snapshot.values(words, word)["rank"] ?? .null
                }
                let expected = (0..<i).compactMap { j -> Value? in j == 12 ? nil : .int(Int64(19 - j)) }
                expectEqual(ranks, expected)
                let childNames = own.values.map { value -> Value in
                    guard case .link(let child) = value else { return .null }
                    expectEqual(snapshot.owner(children, child)?.key, key)
                    return snapshot.values(children, child)["name"] ?? .null
                }
                let expectedNames = (0..<(i % 4)).map { j -> Value in .string("c\(i).\(j)") }
                expectEqual(childNames, expectedNames)
            }
        }
    }
}
