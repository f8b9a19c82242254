import Foundation
import Freehold
import FreeholdSync
import FreeholdSyncCore
import Testing

@testable import FreeholdServer

private typealias Hound = SecondApp.Hound

extension VersionDevices.Device {
    /// Opens the file of the first app as the second app. Its migration renames what the push of the schema renames.
    /// The subscriptions stay unchanged.
    @MainActor fileprivate func migrated() async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        (configuration.objectTypes, configuration.schemaVersion) = (SecondApp.types, 2)
        configuration.migrationBlock = { migration, old in
            guard old < 2 else { return }
            migration.renameClass(from: "Home", to: "Address")
            migration.renameClass(from: "Dog", to: "Hound")
            migration.renameProperty(onType: "Address", from: "street", to: "road")
            migration.renameProperty(onType: "Hound", from: "name", to: "title")
            migration.renameProperty(onType: "Hound", from: "home", to: "house")
            migration.deleteData(forType: "Memo")
        }
        return try await Realm(configuration: configuration, downloadBeforeOpen: .never)
    }
}

/// Apps whose migration renames and changes classes and properties while work is pending, over loopback sockets.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MigrationOverSocketTests {
    private typealias Dog = FirstApp.Dog

    private struct Keys {
        let rex = ObjectId.generate()
        let fido = ObjectId.generate()
        let pup = ObjectId.generate()
    }

    /// Writes the work of the first app before the update.
    @MainActor private func work(_ realm: Realm, _ keys: Keys) throws {
        try realm.write {
            let rex = try #require(realm.object(ofType: Dog.self, forPrimaryKey: keys.rex))
            rex.name = "offline"
            rex.notes = "gone in the next version"
            rex.increment(\.age, by: 1)
            rex.tags.append("new")
            rex.tags.move(from: 0, to: 1)
            rex.scores.append(4)
            rex.visits["b"] = 2
            rex.home?.street = "Mill Lane"
            if let fido = realm.object(ofType: Dog.self, forPrimaryKey: keys.fido) { realm.delete(fido) }
            let value: [String: Any] = ["_id": keys.pup, "name": "Pup", "home": ["street": "High Street"]]
            let pup = realm.create(Dog.self, value: value)
            let ann = realm.create(FirstApp.Person.self, value: ["_id": "ann", "name": "Ann"])
            pup.owner = ann
            ann.dogs.append(objectsIn: [rex, pup])
            realm.object(ofType: FirstApp.Memo.self, forPrimaryKey: "m")?.text = "edited"
            realm.create(FirstApp.Memo.self, value: ["_id": "n", "text": "made"])
        }
    }

    @MainActor private func check(_ realm: Realm, _ keys: Keys, _ what: Comment) throws {
        let rex = try #require(realm.object(ofType: Hound.self, forPrimaryKey: keys.rex), what)
        #expect(rex.title == "offline", what)
        #expect(Array(rex.tags) == ["new", "old"], what)
        #expect(rex.house?.road == "Mill Lane", what)
        #expect(realm.object(ofType: Hound.self, forPrimaryKey: keys.fido) == nil, what)
        let pup = try #require(realm.object(ofType: Hound.self, forPrimaryKey: keys.pup), what)
        #expect(pup.title == "Pup", what)
        #expect(pup.house?.road == "High Street", what)
        #expect(pup.owner?.name == "Ann", what)
        #expect(pup.owner?.dogs.map(\.title) == ["offline", "Pup"], what)
    }

    @MainActor @Test(arguments: [false, true])
    func `work that waits is sent and shown after a migration that renames`(_ wasSent: Bool) async throws {
        let devices = try await VersionDevices()
        try await devices.push(1)
        let (device, keys) = (try await devices.device("old", FirstApp.types, version: 0), Keys())
        let other = try await devices.device("new", SecondApp.types, version: 2)
        let stays = try await devices.device("stays", FirstApp.types, version: 1)
        do {
            let one = try await device.realm()
            try await one.subscriptions.update {
                one.subscriptions.append(
                    QuerySubscription<Dog>(name: "named") { $0.name != "nobody" && $0.chip != "none" }
                )
                one.subscriptions.append(QuerySubscription<Dog>(name: "notes") { $0.notes == "note" })
            }
            try one.write {
                let home = ["street": "Old Street"]
                let rex: [String: Any] = [
                    "_id": keys.rex, "name": "Rex", "age": 3, "tags": ["old"], "home": home, "scores": [1],
                    "visits": ["a": 1],
                ]
                one.create(Dog.self, value: rex)
                one.create(Dog.self, value: ["_id": keys.fido, "name": "Fido"] as [String: Any])
                one.create(FirstApp.Memo.self, value: ["_id": "m", "text": "memo"])
            }
            try await devices.settle(one)
            one.syncSession?.suspend()
            try work(one, keys)
            if wasSent {
                // The server has answered the work, but the device hasn't downloaded it. The work is still pending.
                one.syncSession?.resume()
                try await one.syncSession?.wait(for: .upload)
                one.syncSession?.suspend()
            }
        }
        let old = try await stays.realm()
        try await devices.settle(old)
        old.syncSession?.suspend()
        try old.write { old.object(ofType: Dog.self, forPrimaryKey: keys.rex)?.nick = "of the old app" }
        try await devices.push()

        let updated = try await device.migrated()
        try check(updated, keys, "after the migration")
        #expect(Set(updated.subscriptions.map(\.objectClassName)) == ["Hound", "Person"])
        #expect(updated.subscriptions.first(named: "named")?.queryString.contains("title") == true)
        #expect(updated.subscriptions.first(named: "notes") == nil)
        let ended = device.errors.errors.filter { $0.code == .invalidFlexibleSyncSubscriptions }.map(\.message)
        #expect(ended.contains { $0.contains("'Memo'") && $0.contains("ended") }, "\(ended)")
        #expect(ended.contains { $0.contains("'notes'") && $0.contains("ended") }, "\(ended)")
        // More work with the new names, behind the work with the old names.
        try updated.write { updated.object(ofType: Hound.self, forPrimaryKey: keys.rex)?.nick = "of the new app" }
        try await devices.settle(updated)
        let two = try await other.realm()
        old.syncSession?.resume()
        try await devices.settle(old, updated, two)
        try await devices.settle(updated, two, old)
        for (realm, name) in [(updated, "updated"), (two, "new")] {
            try check(realm, keys, "\(name)")
            #expect(realm.object(ofType: Hound.self, forPrimaryKey: keys.rex)?.age == 4, "\(name)")
            #expect(
                realm.object(ofType: Hound.self, forPrimaryKey: keys.rex).map { Array($0.scores) } == [1, 4],
                "\(name)"
            )
        }
        let nicks = [updated, two].map { $0.object(ofType: Hound.self, forPrimaryKey: keys.rex)?.nick }
        #expect(nicks == ["of the new app", "of the new app"])
        #expect(old.object(ofType: Dog.self, forPrimaryKey: keys.rex)?.nick == "of the new app")
        #expect(old.object(ofType: Dog.self, forPrimaryKey: keys.rex)?.name == "offline")
        #expect(old.object(ofType: Dog.self, forPrimaryKey: keys.rex)?.notes == "gone in the next version")
        #expect(old.objects(FirstApp.Memo.self).sorted(by: \._id).map(\.text) == ["edited", "made"])
        try await updated.subscriptions.update {
            updated.subscriptions.removeAll(ofType: "Person")
            updated.subscriptions.append(QuerySubscription<SecondApp.Person>(name: "people"))
        }
        #expect(updated.subscriptions.state == .complete)
        let others = device.errors.errors.filter { $0.code != .invalidFlexibleSyncSubscriptions }
        #expect(others.isEmpty, "\(others)")
        await devices.server.stop()
    }
}
