import Foundation
import Freehold
import FreeholdImport
import TestRealmFiles
import Testing

/// An app's own classes over an imported file.
struct ImportedModelTests {
    /// Opens the imported file as the app does: with its classes, its schema version and no migration block.
    private func withRealm(_ fixture: RealmFixture = .format24, _ body: (Realm) throws -> Void) throws {
        try withFolder { folder in
            let url = try fixture.imported(to: folder).url
            var configuration = Realm.Configuration(fileURL: url, schemaVersion: 7, objectTypes: ImportedModels.all)
            configuration.migrationBlock = { _, _ in Issue.record("a migration ran") }
            try body(try Realm(configuration: configuration))
        }
    }

    @Test(arguments: [RealmFixture.format24, .copy, .encrypted])
    func `the app's classes open the file without a migration, and see its values`(_ fixture: RealmFixture) throws {
        try withRealm(fixture) { realm in
            expectEqual(realm.objects(Everything.self).count, FixtureTable.rows.count)
            expectEqual(realm.objects(Row.self).count, 514)
            for i in FixtureTable.rows {
                let object = try require(realm.object(ofType: Everything.self, forPrimaryKey: i * 10))
                let isOdd = i % 2 == 1
                expect(object.bool == isOdd && object.optBool == (isOdd ? i % 3 == 0 : nil))
                expect(object.int == i * (i % 4 == 3 ? 1_000_000_007 : 1) && object.optInt == (isOdd ? -i : nil))
                expect(object.float == Float(i) + 0.5 && object.double == Double(i) * 0.25)
                expectEqual(object.string, "s" + String(repeating: "x", count: i * 7))
                expectEqual(object.optString, (isOdd ? (i == 1 ? "" : "é \(i)") : nil))
                expect(abs(object.date.timeIntervalSince1970 - Double(1_600_000_000 + i)) < 1)
                expectEqual(object.decimal, Decimal128("\(i).50" as String)!)
                expect(object.uuid == FixtureTable.uuid(i) && object.oid == FixtureTable.objectId(i))
                expectEqual(object.kind, (isOdd ? .odd : .even))
                expectEqual(object.passage, "some words to find \(i)")
            }
        }
    }

    @Test func `lists keep their order, and sets and maps their content`() throws {
        try withRealm { realm in
            for i in FixtureTable.rows {
                let object = try require(realm.object(ofType: Everything.self, forPrimaryKey: i * 10))
                expectEqual(Array(object.ints), (0..<i).map { $0 * $0 - 3 })
                expectEqual(Array(object.optStrings), (0..<i).map { $0 % 3 == 1 ? nil : "e\($0)" })
                let ranks = (0..<i).map { 19 - $0 }.filter { $0 != 7 }
                expectEqual(Array(object.words.map(\.rank)), ranks)
                let setRanks = (0..<i).filter { $0 != 7 }
                expectEqual(Set(object.wordSet.map(\.rank)), Set(setRanks))
                expectEqual(Set(object.intSet), Set((0..<i).map { 100 - $0 * 30 }))
                expectEqual(Set(object.stringSet), (i == 0 ? [] : ["Z\(i)", "a", "b", "é"]))
                expect(object.intMap.count == i && (0..<i).allSatisfy { object.intMap["k\($0)"] == $0 })
                expectEqual(object.optStringMap["some"] ?? nil, (i == 0 ? nil : "text"))
                expectEqual((object.wordMap["first"] ?? nil)?.rank, (i == 0 || i == 7 ? nil : i))
                expectEqual(object.mixedMap["a"], (i == 0 ? nil : .int(i)))
            }
            let big = Array(realm.objects(Big.self))
            expect(big.map { $0.s?.count } == [5000, nil, 5] && Array(big[1].list) == Array(0..<2500))
        }
    }

    @Test func `links, backlinks and embedded parents have the same targets as before`() throws {
        try withRealm { realm in
            let sixth = realm.object(ofType: Everything.self, forPrimaryKey: 60)
            expect(sixth == nil && realm.object(ofType: Everything.self, forPrimaryKey: 70)?.next == nil)
            let fifth = try require(realm.object(ofType: Everything.self, forPrimaryKey: 50))
            expect(fifth.next?.id == 40 && fifth.next?.previous.map(\.id) == [50])
            expectEqual(fifth.child?.name, "child5")
            expect(fifth.children.map(\.name) == ["c5.0"] && fifth.children.first?.parents.first?.id == 50)
            let last = try require(realm.object(ofType: Word.self, forPrimaryKey: "word19"))
            expectEqual(Set(last.lists.map(\.id)), Set(FixtureTable.rows.filter { $0 > 0 }.map { $0 * 10 }))
            expectEqual(
                realm.object(ofType: Word.self, forPrimaryKey: "word0")?.sets.count,
                FixtureTable.rows.count - 1
            )
            expect(realm.object(ofType: Word.self, forPrimaryKey: "word7") == nil)
        }
    }

    @Test func `mixed values contain values, links, lists and dictionaries`() throws {
        try withRealm { realm in
            func mixed(_ i: Int) -> AnyRealmValue? {
                realm.object(ofType: Everything.self, forPrimaryKey: i * 10)?.mixed
            }
            expect(mixed(1) == .int(5) && mixed(4) == .string("mixed text") && mixed(9) == .decimal128("12.75"))
            guard case .object(let object)? = mixed(11) else {
                Issue.record("the link is missing")
                return
            }
            expectEqual((object as? Word)?.rank, 3)
            let nested = try require(realm.object(ofType: Nested.self, forPrimaryKey: 1)).any
            expectEqual(nested.dictionaryValue?["number"], .int(1))
            let list = nested.dictionaryValue?["list"]?.listValue
            expect(list?.first == .string("x") && list?.count == 2)
            expectEqual(realm.object(ofType: Nested.self, forPrimaryKey: 2)?.any.listValue?.map(\.intValue), [0, 1, 2])
        }
    }

    @Test func `queries use indexes, words, links and backlinks`() throws {
        try withRealm { realm in
            let all = realm.objects(Everything.self)
            expectEqual(all.where { $0.string == "sxxxxxxx" }.map(\.id), [10])
            expectEqual(all.where { $0.int > 3 && $0.kind == .odd }.map(\.id).sorted(), [30, 50, 70, 90, 110])
            expectEqual(all.where { $0.passage.matches("find") }.count, FixtureTable.rows.count)
            expectEqual(all.where { $0.passage.matches("11") }.map(\.id), [110])
            expectEqual(all.where { $0.words.rank == 10 }.map(\.id).sorted(), [100, 110])
            expectEqual(all.filter("next.id == 40").map(\.id), [50])
            expectEqual(realm.objects(Word.self).filter("ANY lists.id == 10").map(\.rank), [19])
            expectEqual(all.sorted(byKeyPath: "double", ascending: false).first?.id, 110)
            let sum = (0..<600).filter { $0 % 7 != 0 }.reduce(0, +) * 3
            expectEqual(realm.objects(Row.self).sum(of: \.n), sum)
        }
    }

    @Test func `the file is written like any other`() throws {
        try withRealm { realm in
            try realm.write {
                let object = Everything()
                object.id = 1000
                object.passage = "entirely new"
                realm.add(object)
                object.words.append(objectsIn: realm.objects(Word.self))
                realm.delete(realm.objects(Everything.self).where { $0.id == 50 })
            }
            expectEqual(realm.objects(Everything.self).where { $0.passage.matches("new") }.map(\.id), [1000])
            expectEqual(realm.object(ofType: Word.self, forPrimaryKey: "word0")?.lists.map(\.id), [1000])
            expect(realm.objects(Everything.self).where { $0.next.id == 50 }.isEmpty)
            expect(realm.verify().isEmpty)
        }
    }
}
