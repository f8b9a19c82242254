import Foundation
import FreeholdEngine
import RealmFileReader
import TestRealmFiles
import Testing

/// A client's realm: three commits were sent, and two weren't. Links lead to objects that haven't arrived.
struct SynchronizedFileTests {
    @Test(arguments: RealmFixture.synchronizedOnes)
    func `a client's file is recognised, with the number of its unsent changes`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        expectEqual(file.formatVersion, fixture.formatVersion)
        expect(file.isSynchronized && file.unsentChanges == 2 && file.schemaVersion == 3)
        expectEqual(file.classes.map(\.name), ["Person"])
    }

    @Test(arguments: RealmFixture.tables)
    func `a local file has no changes to send`(_ fixture: RealmFixture) throws {
        expect(try fixture.open().unsentChanges == nil)
    }

    @Test(arguments: RealmFixture.synchronizedOnes)
    func `deleted objects and objects that haven't arrived are left out`(_ fixture: RealmFixture) throws {
        let file = try fixture.open()
        let item = file.requireClass("Person")
        let objects = try file.objects(of: item)
        expect(item.count == 5 && objects.count == 5)
        // Until format 22 keys are hashes.
        let people = Dictionary(
            uniqueKeysWithValues: objects.map { object in
                if case .int(let id)? = object.values["_id"] { (Int(id), object) } else { (0, object) }
            }
        )
        for i in 1...5 {
            let object = try require(people[i])
            expectEqual(object.values["name"], .string("Person \(i)"))
            expectEqual(object.values["friend"], .null)
            let friends = (1...i).map { Value.link(ObjectKey(people[$0]!.key)) }
            expectEqual(object.values["friends"], FixtureTable.list(friends))
            guard fixture.formatVersion > 20 else {
                expectEqual(object.values.count, 4)
                continue
            }
            let key = ObjectKey(object.key)
            expectEqual(object.values["any"], .objectLink(ObjectLink(tableID: item.number, key: key)))
            guard case .dictionary(let dictionary)? = object.values["byName"] else {
                Issue.record("the dictionary is missing")
                continue
            }
            let byName = Dictionary(uniqueKeysWithValues: dictionary.entries.map { ($0.key, $0.value) })
            expectEqual(byName, ["gone": .null, "own": .link(key)])
        }
    }

    /// Until history version 12 changes aren't compressed: this one is of 18 MB, stored in pieces.
    @Test func `an unsent change over 16 MiB is counted, and its objects are read`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).realm")
        defer { try? FileManager.default.removeItem(at: url) }
        try SparseFixture.synchronized.write(to: url.path)
        let file = try RealmFile(path: url.path)
        expect(file.isSynchronized && file.formatVersion == 21 && file.schemaVersion == 3)
        // That of the schema, the large one, and one of a further object.
        expectEqual(file.unsentChanges, 3)
        var sizes: [Int: Int] = [:]
        for object in try file.objects(of: file.requireClass("Person")) {
            guard case .int(let id)? = object.values["_id"], case .data(let data)? = object.values["data"] else {
                continue
            }
            sizes[Int(id)] = data.count
            expect(data.isEmpty || (data.first == UInt8(id) && data.dropFirst().allSatisfy { $0 == 0 }))
        }
        expectEqual(sizes, [1: SparseFixture.changedSize, 2: SparseFixture.changedSize, 3: 0])
    }
}
