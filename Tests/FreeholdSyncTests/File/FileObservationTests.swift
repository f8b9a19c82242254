import Foundation
import Freehold
import TestScript
import Testing

@testable import FreeholdEngine
@testable import FreeholdSync
@testable import FreeholdSyncCore
@testable import SyncWorlds

private final class Friend: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var friends: Freehold.List<Friend>

    override class func mappedName() -> String? { "Person" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Typed objects of a file that syncs.
struct FileObservationTests {
    private final class Notes: @unchecked Sendable {
        private let lock = NSLock()
        private var notes: [String] = []
        func add(_ note: String) { lock.withLock { notes.append(note) } }
        var all: [String] { lock.withLock { notes } }
    }

    private func configuration(_ client: FileClient) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: client.folder.path + "/client.realm"),
            objectTypes: [Friend.self]
        )
    }

    private func write(_ client: FileClient, _ body: (Realm) -> Void) throws {
        let realm = try Realm(configuration: configuration(client))
        try realm.write { body(realm) }
    }

    @Test func `an observer of typed objects receives each download once, and nothing else`() async throws {
        let server = LoopbackServer()
        let (one, two) = (try FileClient(server), try FileClient(server))
        try await one.subscribe()
        try await two.subscribe()
        let (queue, notes) = (DispatchQueue(label: "observer"), Notes())
        let configuration = configuration(two)
        let token = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            return realm.objects(Friend.self).sorted(byKeyPath: "_id").observe(keyPaths: ["name", "age"]) { change in
                switch change {
                case .initial(let all): notes.add("initial \(all.count)")
                case .update(_, let deletions, let insertions, let modifications):
                    notes.add("-\(deletions) +\(insertions) ~\(modifications)")
                case .error: notes.add("error")
                }
            }
        }
        expect(try await eventually { notes.all.count == 1 })
        func expectNotes(_ note: String, _ count: Int) async throws {
            try await one.settle()
            try await two.settle()
            expect(try await eventually { notes.all.count == count })
            expectEqual(notes.all.last, note)
        }
        try write(one) { realm in
            let ada = realm.create(Friend.self, value: ["_id": 1, "name": "Ada"])
            let bob = realm.create(Friend.self, value: ["_id": 2, "name": "Bob"])
            ada.friends.append(bob)
        }
        try await expectNotes("-[] +[0, 1] ~[]", 2)
        try write(one) { $0.object(ofType: Friend.self, forPrimaryKey: 2)?.age = 7 }
        try await expectNotes("-[] +[] ~[1]", 3)
        try write(one) { realm in
            realm.object(ofType: Friend.self, forPrimaryKey: 1).map { realm.delete($0) }
            realm.create(Friend.self, value: ["_id": 3, "name": "Cy"])
        }
        try await expectNotes("-[0] +[1] ~[]", 4)
        // The client's own write is delivered once, and its confirmation isn't delivered.
        try write(two) { $0.object(ofType: Friend.self, forPrimaryKey: 3)?.age = 9 }
        try await expectNotes("-[] +[] ~[1]", 5)
        try write(one) { $0.object(ofType: Friend.self, forPrimaryKey: 3)?.name = "Cyd" }
        try await expectNotes("-[] +[] ~[1]", 6)
        let realm = try Realm(configuration: configuration)
        expectEqual(realm.objects(Friend.self).sorted(byKeyPath: "_id").map(\.age), [7, 9])
        expectEqual(Set(realm.schema.objectSchema.map(\.className)), ["Person"])
        queue.sync { () -> Void in token.invalidate() }
        for client in [one, two] { await client.session.close() }
    }

    @Test func `classes that a program adds during sync are uploaded from their first object on`() async throws {
        let server = LoopbackServer()
        let (one, two) = (try FileClient(server, schema: []), try FileClient(server))
        try await two.subscribe()
        try write(one) { realm in
            let ada = realm.create(Friend.self, value: ["_id": 1, "name": "Ada"])
            ada.friends.append(realm.create(Friend.self, value: ["_id": 2, "name": "Bob"]))
            ada.friends.append(realm.create(Friend.self, value: ["_id": 3, "name": "Cy"]))
        }
        // A link to a deleted object is kept and hidden, like everywhere in a synced file. Positions still count it.
        try write(one) { realm in realm.object(ofType: Friend.self, forPrimaryKey: 2).map { realm.delete($0) } }
        try write(one) { realm in
            let ada = realm.object(ofType: Friend.self, forPrimaryKey: 1)!
            expectEqual(ada.friends.count, 1)
            ada.friends.append(ada)
            ada.friends.move(from: 1, to: 0)
        }
        try await one.subscribe()
        try await one.settle()
        try await two.settle()
        try expectEqual(two.contents, one.contents)
        let realm = try Realm(configuration: configuration(two))
        expectEqual(realm.object(ofType: Friend.self, forPrimaryKey: 1)?.friends.map(\._id), [1, 3])
        for client in [one, two] { await client.session.close() }
    }
}
