import Foundation
import Freehold
import FreeholdEngine
import FreeholdImport
import TestRealmFiles
import Testing

class Person: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    @Persisted var friend: Person?
    @Persisted var friends: List<Person>
    @Persisted var byName: Map<String, Person?>
    @Persisted var any: AnyRealmValue
}

struct SynchronizedImportTests {
    @Test(arguments: RealmFixture.synchronizedOnes)
    func `a synchronized realm's objects become local data, and the report names the unsent changes`(
        _ fixture: RealmFixture
    ) throws {
        try withFolder { folder in
            let (report, url) = try fixture.imported(to: folder)
            expect(report.isSynchronized && report.schemaVersion == 3)
            expectEqual(report.notes.map(\.kind), [.synchronized, .unsentChanges])
            expect(report.notes.last?.count == 2 && report.description.contains("2 changes had not been sent"))
            // Format 20 has no dictionaries and mixed values. A migration adds the properties.
            let isOld = fixture.formatVersion == 20
            let realm = try Realm(
                configuration: .init(fileURL: url, schemaVersion: isOld ? 4 : 3, objectTypes: [Person.self])
            )
            let people = realm.objects(Person.self).sorted(byKeyPath: "_id")
            expectEqual(people.map(\._id), [1, 2, 3, 4, 5])
            for person in people {
                expect(person.name == "Person \(person._id)" && person.friend == nil)
                expectEqual(person.friends.map(\._id), Array(1...person._id))
                if isOld { continue }
                expectEqual(person.byName.count, 2)
                expect((person.byName["own"] ?? nil) == person && (person.byName["gone"] ?? nil) == nil)
                guard case .object(let object) = person.any else {
                    Issue.record("the link is missing")
                    continue
                }
                expectEqual((object as? Person)?._id, person._id)
            }
            expect(realm.verify().isEmpty)
        }
    }
}
