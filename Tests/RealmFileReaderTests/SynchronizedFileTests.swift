import FreeholdEngine
import RealmFileReader
import TestRealmFiles
import Testing

/// A client's realm: three commits were sent, two weren't; links lead to objects that haven't come.
@Suite struct SynchronizedFileTests {
    @Test func `a client's file says that it is one, and how many changes it hasn't sent`() throws {
        let file = try RealmFixture.synchronized.open()
        #expect(file.isSynchronized && file.unsentChanges == 2 && file.schemaVersion == 3)
        #expect(file.classes.map(\.name) == ["Person"])
        for fixture in RealmFixture.tables { #expect(try fixture.open().unsentChanges == nil) }
    }

    @Test func `objects that are gone, or haven't come, are left out`() throws {
        let file = try RealmFixture.synchronized.open()
        let item = file.requireClass("Person")
        let objects = try file.objects(of: item)
        #expect(item.count == 5 && objects.map { $0.values["_id"] } == (1...5).map { .int($0) })
        for (i, object) in objects.enumerated() {
            #expect(object.values["friend"] == .null)
            let friends = objects[...i].map { Value.link(ObjectKey($0.key)) }
            #expect(object.values["friends"] == FixtureTable.list(friends))
            let byName = [("gone", Value.null), ("own", .link(ObjectKey(object.key)))]
            #expect(object.values["byName"] == FixtureTable.dictionary(byName))
        }
    }
}
