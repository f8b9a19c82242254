import Foundation
import Freehold
import FreeholdBSON
import FreeholdSync
import FreeholdSyncRules
import Testing

@testable import FreeholdServer

private typealias Hound = SecondApp.Hound

/// A real old app and a real new app at one server, over loopback sockets. The server's documents are in files.
@Suite(.timeLimit(.minutes(20))) struct VersionsOverSocketTests {
    @MainActor @Test(arguments: [false, true]) func `old and new apps see each other's work at once`(
        _ restarts: Bool
    ) async throws {
        let devices = try await VersionDevices()
        try await devices.push()
        let (old, new) = (
            try await devices.device("old", FirstApp.types, version: 1),
            try await devices.device("new", SecondApp.types, version: 3)
        )
        let (one, two) = (try await old.realm(), try await new.realm())
        try one.write {
            let ann = one.create(FirstApp.Person.self, value: ["_id": "ann", "name": "Ann"])
            let rex = one.create(
                FirstApp.Dog.self,
                value: [
                    "name": "Rex", "age": 3, "size": 1.5, "notes": "bites", "chip": "c1", "tags": ["a", "b"],
                    "scores": [1, 2], "visits": ["jan": 1], "home": ["street": "Main", "floor": 2],
                ] as [String: Any]
            )
            rex.owner = ann
            ann.dogs.append(rex)
            one.create(FirstApp.Memo.self, value: ["_id": "m", "text": "of old apps"])
        }
        try await devices.settle(one, two)
        let rex = try #require(one.objects(FirstApp.Dog.self).first)
        let hound = try #require(two.objects(Hound.self).first)
        #expect((hound._id, hound.title, hound.age, hound.size) == (rex._id, "Rex", 3, 1.5))
        // The property is required in the new app, and the stored value is null.
        #expect(hound.nick == "none")
        #expect(hound.chip == "c1")
        #expect(hound.owner?.name == "Ann")
        #expect(hound.owner?.dogs.map(\.title) == ["Rex"])
        #expect(hound.house?.road == "Main")
        #expect(hound.house?.floor == 2)
        #expect(Array(hound.scores) == [1, 2])
        #expect(hound.visits["jan"] == 1)

        try two.write {
            hound.title = "Max"
            (hound.age, hound.size, hound.chip) = (4.75, 2.25, nil)
            hound.house?.road = "Side"
            hound.house?.floor = 2.5
            hound.tags.append("c")
            hound.scores[1] = 2.5
            hound.visits["feb"] = 7.5
            hound.toys.append(two.create(SecondApp.Toy.self, value: ["_id": "ball", "label": "Ball"]))
        }
        try await devices.settle(two, one)
        #expect((rex.name, rex.age, rex.size, rex.chip, rex.notes) == ("Max", 4, 2.25, "?", "bites"))
        #expect(rex.nick == nil)
        #expect(rex.home?.street == "Side")
        #expect(rex.home?.floor == 2)
        #expect(Array(rex.tags) == ["a", "b", "c"])
        #expect(Array(rex.scores) == [1, 2])
        #expect(rex.visits["feb"] == 7)

        // Both devices write offline.
        if restarts { try await devices.restart() }
        one.syncSession?.suspend()
        two.syncSession?.suspend()
        let (pup, whelp) = (ObjectId.generate(), ObjectId.generate())
        try one.write {
            rex.nick = "Rexy"
            rex.notes = "doesn't bite"
            rex.increment(\.age, by: 2)
            rex.tags.insert("x", at: 0)
            rex.scores.append(9)
            one.create(FirstApp.Dog.self, value: ["_id": pup, "name": "Pup", "age": 1, "chip": "c2"] as [String: Any])
            one.objects(FirstApp.Memo.self).first?.text = "later"
        }
        try two.write {
            hound.title = "Maximus"
            hound.nick = "Maxi"
            hound.tags.append("y")
            hound.owner?.name = "Anna"
            two.create(Hound.self, value: ["_id": whelp, "title": "Whelp", "age": 0.5, "nick": "W"] as [String: Any])
        }
        if restarts { try await devices.restart() }
        one.syncSession?.resume()
        two.syncSession?.resume()
        try await devices.settle(one, two)
        try await devices.settle(one, two)
        #expect((rex.name, hound.title) == ("Maximus", "Maximus"))
        // The clocks decide which write is the later one.
        #expect(rex.nick == hound.nick)
        #expect(["Rexy", "Maxi"].contains(hound.nick))
        #expect(rex.notes == "doesn't bite")
        #expect((rex.age, hound.age) == (6, 6.75))
        #expect(Array(rex.tags) == ["x", "a", "b", "c", "y"])
        #expect(Array(hound.tags) == Array(rex.tags))
        #expect(Array(hound.scores) == [1, 2.5, 9])
        #expect(Array(rex.scores) == [1, 2, 9])
        #expect(rex.owner?.name == "Anna")
        #expect(one.object(ofType: FirstApp.Memo.self, forPrimaryKey: "m")?.text == "later")
        let (shownPup, shownWhelp) = (
            two.object(ofType: Hound.self, forPrimaryKey: pup),
            one.object(ofType: FirstApp.Dog.self, forPrimaryKey: whelp)
        )
        #expect((shownPup?.title, shownPup?.age, shownPup?.chip, shownPup?.nick) == ("Pup", 1, "c2", "none"))
        #expect((shownWhelp?.name, shownWhelp?.age, shownWhelp?.nick) == ("Whelp", 0, "W"))
        #expect((shownWhelp?.chip, shownWhelp?.notes) == ("?", "-"))

        try two.write { two.delete(hound) }
        try await devices.settle(two, one)
        #expect(rex.isInvalidated)
        #expect(
            one.objects(FirstApp.Dog.self).map(\.name) == ["Pup", "Whelp"] || one.objects(FirstApp.Dog.self).count == 2
        )
        #expect(old.errors.errors.isEmpty, "\(old.errors.errors)")
        #expect(new.errors.errors.isEmpty, "\(new.errors.errors)")

        // A new device shows the same.
        let third = try await devices.device("third", SecondApp.types, version: 2)
        let three = try await third.realm()
        try await devices.settle(three)
        #expect(Set(three.objects(Hound.self).map(\.age)) == Set(two.objects(Hound.self).map(\.age)))
        // `schema list` requests this.
        let port = try #require(devices.server.running.administratorPort)
        let sessions = try await AdministratorClient.get("/sessions", host: "127.0.0.1", port: port, within: 60)
        #expect(sessions.body == "{\"test\":{\"1\":1,\"2\":1,\"3\":1}}\n")
        await devices.server.stop()
    }

    @MainActor @Test func `a version is pushed while apps are connected`() async throws {
        let devices = try await VersionDevices()
        try await devices.push(1)
        let old = try await devices.device("old", FirstApp.types, version: 0)
        let one = try await old.realm()
        try one.write {
            one.create(FirstApp.Dog.self, value: ["name": "Rex", "age": 3, "notes": "n"] as [String: Any])
        }
        try await devices.settle(one)
        let rex = try #require(one.objects(FirstApp.Dog.self).first)
        let second = try await devices.device("new", SecondApp.types, version: 2)
        // The server doesn't have the classes of the new app yet.
        let two = try await second.realm(waits: false)
        try await devices.eventually(two, "no refusal") {
            second.errors.errors.contains { $0.message.contains("Hound isn't in the app's schema") }
        }
        try await devices.push()
        // After this error, an app may try again.
        two.syncSession?.suspend()
        two.syncSession?.resume()
        try one.write { rex.age = 4 }
        try await devices.eventually(two, "The new app isn't served.") { two.objects(Hound.self).first?.age == 4 }
        try two.write { two.objects(Hound.self).first?.age = 5.5 }
        try await devices.eventually(one, "The old app has lost touch.") { rex.age == 5 }
        #expect(rex.notes == "n")
        #expect(old.errors.errors.isEmpty, "\(old.errors.errors)")
        await devices.server.stop()
    }

    @MainActor @Test func `an app that is updated sends what it wrote before`() async throws {
        let devices = try await VersionDevices()
        try await devices.push()
        var device = try await devices.device("old", FirstApp.types, version: 0)
        let other = try await devices.device("new", SecondApp.types, version: 2)
        let two = try await other.realm()
        let (id, pup) = (ObjectId.generate(), ObjectId.generate())
        do {
            let one = try await device.realm()
            try one.write {
                one.create(FirstApp.Dog.self, value: ["_id": id, "name": "Rex", "age": 3] as [String: Any])
            }
            try await devices.settle(one)
            one.syncSession?.suspend()
            try one.write {
                one.objects(FirstApp.Dog.self).first?.name = "offline"
                one.objects(FirstApp.Dog.self).first?.increment(\.age, by: 1)
                one.create(FirstApp.Dog.self, value: ["_id": pup, "name": "Pup"] as [String: Any])
            }
        }
        try await devices.settle(two)
        try two.write { two.object(ofType: Hound.self, forPrimaryKey: id)?.age = 7.5 }
        try await devices.settle(two)
        (device.types, device.version) = (SecondApp.types, 2)
        let updated = try await device.realm(waits: false)
        updated.syncSession?.resume()
        try await devices.eventually(two, "What was pending is lost.") {
            two.object(ofType: Hound.self, forPrimaryKey: id)?.title == "offline"
                && two.object(ofType: Hound.self, forPrimaryKey: pup)?.title == "Pup"
        }
        try await devices.eventually(updated, "The updated app has not all.") { updated.objects(Hound.self).count == 2 }
        try await devices.settle(updated, two)
        let shown = { (realm: Realm) -> [String] in
            realm.objects(Hound.self).sorted(by: \.title).map { "\($0.title) \($0.age)" }
        }
        #expect(shown(updated) == shown(two))
        // Until the app subscribes again, the file has the subscriptions of the first app, to classes that the new
        // version doesn't have.
        let others = device.errors.errors.filter { $0.code != .invalidFlexibleSyncSubscriptions }
        #expect(others.isEmpty, "\(others)")
        await devices.server.stop()
    }

    @MainActor @Test func `rules in the newest names hold for old apps`() async throws {
        let devices = try await VersionDevices(rules: "")
        try await devices.push()
        let rules = try RuleSet(
            extendedJSON: """
                {"classes": {"Hound": {"roles": [{"name": "small", "apply_when": {},
                   "document_filters": {"read": {"title": {"$ne": "secret"}}, "write": {"title": {"$ne": "secret"}}},
                   "fields": {"house": {"read": false, "write": false}},
                   "additional_fields": {"read": true, "write": true}, "insert": true, "delete": true}]}},
                 "default": {"roles": [{"name": "all", "apply_when": {}, "document_filters": {"read": true, "write": true},
                   "read": true, "write": true, "insert": true, "delete": true}]}}
                """
        )
        try await devices.change { $0.rules = rules }
        let old = try await devices.device("old", FirstApp.types, version: 1)
        let new = try await devices.device("new", SecondApp.types, version: 2)
        let (one, two) = (try await old.realm(), try await new.realm())
        try one.write { one.create(FirstApp.Dog.self, value: ["name": "Rex", "age": 3] as [String: Any]) }
        try await devices.settle(one, two)
        #expect(two.objects(Hound.self).map(\.title) == ["Rex"])
        let secret = ObjectId.generate()
        try one.write {
            one.create(FirstApp.Dog.self, value: ["_id": secret, "name": "secret"] as [String: Any])
            one.create(FirstApp.Memo.self, value: ["_id": "m", "text": "by default"])
        }
        try await devices.settle(one, two)
        try await devices.eventually(one, "It isn't taken back.") { one.objects(FirstApp.Dog.self).count == 1 }
        let rejected = try #require(old.errors.errors.first)
        #expect(rejected.code == .writeRejected)
        #expect(rejected.compensatingWriteInfo?.map(\.objectType) == ["Dog"])
        #expect(one.objects(FirstApp.Memo.self).count == 1)
        let hound = try #require(two.objects(Hound.self).first)
        try two.write { hound.house = SecondApp.Address(value: ["road": "hidden"]) }
        try await devices.settle(two, one)
        #expect(new.errors.errors.contains { $0.compensatingWriteInfo?.map(\.objectType) == ["Hound"] })
        #expect(one.objects(FirstApp.Dog.self).first?.home == nil)
        await devices.server.stop()
    }

    @MainActor @Test func `programs without a file see and write the newest version`() async throws {
        let devices = try await VersionDevices()
        try await devices.push()
        let old = try await devices.device("old", FirstApp.types, version: 1)
        let one = try await old.realm()
        let server = devices.server
        try await server.register("program@example.org")
        let token = try #require(try await server.login("program@example.org")["access_token"])
        func ask(_ method: String, _ path: String, _ body: String = "") async throws -> AccountProbe.Answer {
            try await server.send(method, "/api/data/v1/app/test" + path, bytes: Array(body.utf8), token: token)
        }
        let events = try await DocumentServiceTests.Events(server, "/$changes?class=Hound", token)
        #expect(try await events.next()?.hasPrefix(": here") == true)
        try one.write {
            one.create(
                FirstApp.Dog.self,
                value: ["name": "Rex", "age": 3, "notes": "n", "home": ["street": "Main"]] as [String: Any]
            )
        }
        try await devices.settle(one)
        let rex = try #require(one.objects(FirstApp.Dog.self).first)
        let event = try #require(try await events.nextEvent())
        #expect(event.contains("\"coll\":\"Hound\"") && event.contains("\"title\":\"Rex\""), "\(event)")
        #expect(!event.contains("notes"))

        let found = try await ask("GET", "/Hound?query=title%20%3D%3D%20%22Rex%22")
        let hound = found.body.documentValue?["documents"]?.arrayValue?.first?.documentValue
        #expect(hound?["age"] == .double(3))
        #expect(hound?["nick"]?.stringValue == "none")
        #expect(hound?["house"]?.documentValue?["road"]?.stringValue == "Main")
        #expect(hound?["notes"] == nil && hound?["name"] == nil)
        #expect(try await ask("GET", "/Hound?query=name%20%3D%3D%20%22Rex%22").status == 400)
        for path in ["/Dog", "/Dog/\(rex._id)", "/Memo"] { #expect(try await ask("GET", path).status >= 400) }
        let change = #"{"$set": {"title": "Max", "house.road": "Side"}, "$inc": {"age": 1}}"#
        let changed = try await ask("PATCH", "/Hound/\(rex._id)", change)
        #expect(changed.status == 200, "\(changed.body)")
        let id = ObjectId.generate()
        let made = try await ask(
            "POST",
            "/Hound",
            "{\"_id\": {\"$oid\": \"\(id)\"}, \"title\": \"Whelp\", \"age\": 0.5, \"size\": 1.0, \"nick\": \"w\"}"
        )
        #expect(made.status == 201, "\(made.body)")
        try await devices.settle(one)
        #expect((rex.name, rex.age, rex.home?.street, rex.notes) == ("Max", 4, "Side", "n"))
        let whelp = one.object(ofType: FirstApp.Dog.self, forPrimaryKey: id)
        #expect((whelp?.name, whelp?.age, whelp?.nick, whelp?.chip) == ("Whelp", 0, "w", "?"))
        let update = try #require(try await events.nextEvent())
        #expect(update.contains("\"title\":\"Max\"") && update.contains("\"house.road\":\"Side\""), "\(update)")
        #expect(try await ask("DELETE", "/Hound/\(id)").status == 200)
        try await devices.settle(one)
        #expect(one.objects(FirstApp.Dog.self).count == 1)
        await events.close()
        await devices.server.stop()
    }

    @MainActor @Test func `development that is switched on takes over the classes of connected devices`() async throws {
        let devices = try await VersionDevices()
        let device = try await devices.device("early", FirstApp.types, version: 0)
        let realm = try await device.realm()
        try await devices.settle(realm)
        #expect(try await devices.server.store.documents(of: "test").schemas.isEmpty)
        try await devices.server.store.changeDocuments(of: "test") { $0.adoptsSchemas = true }
        #expect(try await devices.stored { $0.schemas.count == 3 })
        try realm.write { realm.create(FirstApp.Memo.self, value: ["_id": "m", "text": "memo"]) }
        try await devices.settle(realm)
        #expect(device.errors.errors.isEmpty, "\(device.errors.errors)")
        await devices.server.stop()
    }

    @MainActor @Test func `development takes over into the newest version, and old apps go on`() async throws {
        let devices = try await VersionDevices()
        try await devices.push()
        try await devices.server.store.changeDocuments(of: "test") { $0.adoptsSchemas = true }
        let old = try await devices.device("old", FirstApp.types, version: 1)
        let one = try await old.realm()
        try one.write { one.create(FirstApp.Dog.self, value: ["name": "Rex"]) }
        try await devices.settle(one)
        let new = try await devices.device("new", SecondApp.types + [Draft.self], version: 2)
        let two = try await new.realm()
        try await devices.settle(two)
        var names: [String] = []
        for _ in 0..<100 where !names.contains("Draft") {
            names = try await devices.server.store.documents(of: "test").tables().map(\.name)
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(Set(names) == ["Hound", "Address", "Person", "Toy", "Draft"])
        let versions = try await devices.server.store.documents(of: "test").versions()
        #expect(versions.versions.map(\.number) == [0, 2])
        #expect(versions.versions[0].table("Draft") == nil)
        // After a restart the server uses the stored versions.
        try await devices.restart()
        try two.write { two.objects(Hound.self).first?.title = "Max" }
        try await devices.eventually(one, "The old app has lost touch.") {
            one.objects(FirstApp.Dog.self).first?.name == "Max"
        }
        // The server takes no class over from an old app.
        let odd = try await devices.device("odd", FirstApp.types + [Draft.self], version: 1)
        let three = try await odd.realm(waits: false)
        try await devices.eventually(three, "no refusal") {
            odd.errors.errors.contains {
                $0.message.contains("Draft isn't in the app's schema (in version 0") || $0.message.contains("Draft")
            }
        }
        await devices.server.stop()
    }
}
