import Foundation
import Freehold
import Observation
import TestScript
import Testing

private actor Watcher {
    var log: [String] = []
    var tokens: [NotificationToken] = []

    func note(_ text: String) { log.append(text) }

    func start(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        let ada = realm.pjProjection(1)
        tokens.append(await ada.observe(on: self) { $0.note(told($1)) })
        tokens.append(await ada.observe(keyPaths: [\.surnameCaps], on: self) { $0.note("caps: " + told($1)) })
        tokens.append(await ada.friendsNames.observe(on: self) { $0.note("friends: " + toldOf($1)) })
        tokens.append(await realm.objects(PJNameProjection.self).observe(on: self) { $0.note("names: " + toldOf($1)) })
    }

    func waitFor(_ count: Int) async throws {
        if try await !eventually({ log.count >= count }) { throw NeverCame(log) }
    }
}

/// The properties of a change, with values before and after.
private func told<P: ProjectionObservable>(_ change: ObjectChange<P>) -> String {
    switch change {
    case .error(let error): "\(error)"
    case .change(_, let properties):
        properties.map { "\($0.name) \(shown($0.oldValue))>\(shown($0.newValue))" }.joined(separator: "; ")
    case .deleted: "deleted"
    }
}

private func toldOf<C: RandomAccessCollection>(_ change: RealmCollectionChange<C>) -> String {
    switch change {
    case .initial(let all): "initial \(all.count)"
    case .update(let all, let deletions, let insertions, let modifications):
        "\(all.count): -\(deletions) +\(insertions) ~\(modifications)"
    case .error(let error): "\(error)"
    }
}

@Suite("Projections: observation")
struct ProjectionObservationTests {
    private func place() throws -> (ObservingQueue, Realm.Configuration, Realm) {
        let configuration = projectionConfiguration()
        return (ObservingQueue(configuration), configuration, try projectionRealm(configuration))
    }

    @Test
    func `changes are delivered under the projection's names, and only those of projected properties`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let name = PJNameProjection(projecting: realm.pjPerson(1))
            place.tokens.append(name.observe { place.note(told($0)) })
        }
        try writeElsewhere(configuration) { realm in
            let ada = realm.pjPerson(1)
            (ada.lastName, ada.age, ada.mood) = ("unseen", 1, .angry)
            ada.tags.append("unseen")
            ada.address!.country = "unseen"
            ada.dog!.name = "unseen"
            ada.friends[0].firstName = "unseen"
        }
        try writeElsewhere(configuration) { $0.pjPerson(1).firstName = "Augusta" }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { $0.pjPerson(1).address!.city = "Paris" }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { $0.pjPerson(1).address = PJAddress("Rome") }
        try await place.waitFor(3)
        try writeElsewhere(configuration) {
            $0.pjPerson(1).address = nil
            $0.pjPerson(1).firstName = "Ada"
        }
        try await place.waitFor(4)
        try place.run { realm in
            try realm.write { realm.pjPerson(1).firstName = "own" }
            realm.refresh()
        }
        try writeElsewhere(configuration) { $0.delete($0.pjPerson(1)) }
        try await place.waitFor(6)
        try await place.settle()
        expectEqual(
            place.told,
            [
                "name Ada>Augusta", "city London>Paris", "city Paris>Rome", "name Augusta>Ada; city Rome>-",
                "name ->own", "deleted",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `a change is delivered for every projection of the property, links and collections included`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            place.tokens.append(realm.pjProjection(1).observe { place.note(told($0)) })
        }
        let changes: [(@Sendable (Realm) -> Void, String)] = [
            ({ $0.pjPerson(1).lastName = "King" }, "surname Lovelace>King; surnameCaps LOVELACE>KING"),
            ({ $0.pjPerson(1).mood = .merry }, "mood calm>merry"),
            ({ $0.pjPerson(1).dog!.age = nil }, "dogAge 7>-"),
            ({ $0.pjPerson(1).dog!.home!.city = "Basket" }, "dogCity Kennel>Basket"),
            ({ $0.pjPerson(2).firstName = "B" }, "friendsNames ->live; admirersNames ->live"),
            ({ $0.pjPerson(2).address!.city = "Nice" }, "friendsCities ->live"),
            ({ $0.pjPerson(1).homes[1].city = "Ely" }, "cities ->live"),
            ({ $0.pjPerson(1).homes.remove(at: 0) }, "cities ->live"),
            ({ $0.pjPerson(1).tags.removeAll() }, "tags ->live"),
            ({ $0.pjPerson(1).scores["b"] = 5 }, "scores ->live"),
            ({ $0.pjPerson(2).friends.removeAll() }, "admirersNames ->live"),
            ({ $0.pjPerson(1).friends.remove(at: 1) }, "friendsNames ->live; friendsCities ->live"),
        ]
        for (i, change) in changes.enumerated() {
            try writeElsewhere(configuration) { change.0($0) }
            try await place.waitFor(i + 1)
            expectEqual(place.told.last, change.1)
        }
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(1).dog = nil
            realm.pjPerson(1).anything = .int(5)
            realm.pjPerson(3).age = 7
        }
        try await place.waitFor(changes.count + 1)
        let last = place.told.last!
        expect(last.hasPrefix("dog PJDog {") && last.contains(">-; dogAge ->-; dogMood calm>-; dogCity Basket>-"))
        expectEqual(place.told.count, changes.count + 1)
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `key paths name projected properties, or the object's`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let ada = realm.pjProjection(1)
            func note(_ what: String) -> (ObjectChange<PJPersonProjection>) -> Void {
                { place.note("\(what): \(told($0))") }
            }
            place.tokens.append(ada.observe(keyPaths: ["surname"], note("1")))
            place.tokens.append(ada.observe(keyPaths: ["lastName"], note("2")))
            place.tokens.append(ada.observe(keyPaths: [\.surnameCaps, \.homeCity], note("3")))
            place.tokens.append(ada.observe(keyPaths: [\PJPerson.lastName], note("4")))
            place.tokens.append(ada.observe(keyPaths: ["dog.name"], note("5")))
            place.tokens.append(ada.observe(keyPaths: [\PJPersonProjection.dog?.name], note("6")))
            place.tokens.append(ada.observe(keyPaths: ["anything"], note("7")))
            place.tokens.append(ada.observe(keyPaths: [] as [String], note("8")))
        }
        try writeElsewhere(configuration) { $0.pjPerson(1).lastName = "King" }
        try await place.waitFor(4)
        try writeElsewhere(configuration) { $0.pjPerson(1).dog!.name = "Max" }
        try await place.waitFor(6)
        try writeElsewhere(configuration) { $0.pjPerson(1).anything = .int(3) }
        try await place.waitFor(7)
        try await place.settle()
        let expected = [
            "1: surname Lovelace>King", "2: surname Lovelace>King; surnameCaps LOVELACE>KING",
            "3: surnameCaps LOVELACE>KING", "4: surname Lovelace>King; surnameCaps LOVELACE>KING",
        ]
        expectEqual(place.told.prefix(4).sorted(), expected)
        expectEqual(place.told[4...5].sorted().map { String($0.prefix(6)) }, ["5: dog", "6: dog"])
        expectEqual(place.told[6...].map { String($0.prefix(11)) }, ["7: anything"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `observers of a projection's results receive the changes of projected properties`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let all = realm.objects(PJNameProjection.self).sorted(byKeyPath: "id")
            place.tokens.append(all.observe { place.note(toldOf($0)) })
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(1).age = 1
            realm.pjPerson(2).dog = PJDog("unseen")
            realm.pjPerson(3).friends[0].lastName = "unseen"
        }
        try writeElsewhere(configuration) { $0.pjPerson(2).firstName = "seen" }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(1).address!.city = "seen"
            realm.delete(realm.pjPerson(3))
            realm.add(PJPerson(0, "Zero", ""))
        }
        try await place.waitFor(3)
        try await place.settle()
        expectEqual(place.told, ["initial 3", "3: -[] +[] ~[1]", "3: -[2] +[0] ~[0]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `results of projections are observed by key paths of both`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let all = realm.objects(PJPersonProjection.self)
            place.tokens.append(all.observe(keyPaths: [\.surnameCaps]) { place.note("1 " + toldOf($0)) })
            place.tokens.append(all.observe(keyPaths: ["surname", "anything"]) { place.note("2 " + toldOf($0)) })
            place.tokens.append(all.where { $0.age > 20 }.observe(keyPaths: []) { place.note("3 " + toldOf($0)) })
        }
        try await place.waitFor(3)
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(1).lastName = "King"
            realm.pjPerson(2).anything = .int(1)
            realm.pjPerson(3).firstName = "unseen"
        }
        try await place.waitFor(5)
        try writeElsewhere(configuration) { $0.pjPerson(2).age = 21 }
        try await place.waitFor(6)
        try await place.settle()
        expectEqual(place.told[3...4].sorted(), ["1 3: -[] +[] ~[0]", "2 3: -[] +[] ~[0, 1]"])
        expectEqual(place.told[5...], ["3 3: -[] +[1] ~[]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test(arguments: ["friends", "pets", "homes", "admirers"])
    func `a projected collection's observers receive changes of projected values`(_ what: String) async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let ada = realm.pjProjection(1)
            let names =
                switch what {
                case "friends": ada.friendsNames
                case "pets": ada.petNames
                case "homes": ada.cities
                default: ada.admirersNames
                }
            place.tokens.append(names.observe { place.note(toldOf($0)) })
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(2).age = 99
            for pet in realm.pjPerson(1).pets { pet.age = 9 }
            realm.pjPerson(1).homes[0].country = "unseen"
        }
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(3).firstName = "C"
            realm.pjPerson(1).pets[1].name = "F"
            realm.pjPerson(1).homes[1].city = "B"
        }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(1).friends.remove(at: 0)
            realm.delete(realm.pjPerson(1).pets[0])
            realm.pjPerson(1).homes.remove(at: 0)
            realm.pjPerson(2).friends.removeAll()
        }
        try await place.waitFor(3)
        try await place.settle()
        expectEqual(place.told, ["initial 2", "2: -[] +[] ~[1]", "1: -[0] +[] ~[]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `projections are observed on another queue, on an actor, and skipped without notifying`() async throws {
        let (place, configuration, keeper) = try place()
        let ada = keeper.pjProjection(1)
        let token = ada.observe(on: place.queue) { place.note(told($0)) }
        let names = ada.friendsNames.observe(keyPaths: ["age"], on: place.queue) { place.note(toldOf($0)) }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(1).firstName = "A"
            realm.pjPerson(2).age = 5
        }
        try await place.waitFor(3)
        expectEqual(place.told.sorted(), ["2: -[] +[] ~[0]", "firstName Ada>A", "initial 2"])
        token.invalidate()
        names.invalidate()
        try writeElsewhere(configuration) { $0.pjPerson(1).firstName = "unseen" }

        let watcher = Watcher()
        try await watcher.start(configuration)
        try await watcher.waitFor(2)
        try writeElsewhere(configuration) { realm in
            realm.pjPerson(1).lastName = "King"
            realm.pjPerson(2).firstName = "B"
        }
        try await watcher.waitFor(6)
        await expectEqual(
            watcher.log.sorted(),
            [
                "caps: surnameCaps LOVELACE>KING", "friends: 2: -[] +[] ~[0]", "friends: initial 2",
                "names: 3: -[] +[] ~[1]", "names: initial 3",
                "surname Lovelace>King; surnameCaps LOVELACE>KING; friendsNames ->live; admirersNames ->live",
            ]
        )
        try place.run { realm in
            place.log = []
            let bob = realm.pjProjection(2)
            let silent = bob.observe { place.note(told($0)) }
            try realm.write(withoutNotifying: [silent]) { bob.surname = "unseen" }
            try realm.write { bob.age = 3 }
            realm.refresh()
            place.tokens.append(silent)
        }
        try await place.waitFor(1)
        expectEqual(place.told, ["age ->3"])
        place.end()
    }

    @Test
    func `changes are delivered as asynchronous sequences`() async throws {
        let (_, configuration, keeper) = try place()
        let ada = keeper.pjProjection(1)
        let ofAda = ada.changes
        let ofTitle = ada.changes(keyPaths: [\.surnameCaps])
        let ofNames = ada.friendsNames.changes
        let ofAll = keeper.objects(PJNameProjection.self).changes
        let notes = Notes()
        let tasks = [
            Task { for await change in ofAda { notes.add("ada: " + told(change)) } },
            Task { for await change in ofTitle { notes.add("title: " + told(change)) } },
            Task { for await change in ofNames { notes.add("names: " + toldOf(change)) } },
            Task { for await change in ofAll { notes.add("all: " + toldOf(change)) } },
        ]
        try await notes.waitFor(2)
        try writeElsewhere(configuration) { $0.pjPerson(1).lastName = "King" }
        try await notes.waitFor(4)
        try writeElsewhere(configuration) { $0.pjPerson(2).firstName = "B" }
        try await notes.waitFor(7)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        expectEqual(
            notes.all.sorted(),
            [
                "ada: friendsNames ->live; admirersNames ->live",
                "ada: surname Lovelace>King; surnameCaps LOVELACE>KING",
                "all: 3: -[] +[] ~[1]", "all: initial 3", "names: 2: -[] +[] ~[0]", "names: initial 2",
                "title: surnameCaps LOVELACE>KING",
            ]
        )
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `observers of a projection's sections receive the changes of projected properties`() async throws {
        let (place, configuration, keeper) = try place()
        try place.run { realm in
            let byCity = realm.objects(PJNameProjection.self).sectioned(by: \.city)
            place.tokens.append(
                byCity.observe { change in
                    guard case .update(let sections, let gone, let new, let modified, let added, let removed) = change
                    else { return place.note("initial") }
                    place.note(
                        "\(sections.allKeys.map { $0 ?? "-" }) -\(gone.map { Array($0) }) +\(new.map { Array($0) }) "
                            + "~\(modified.map { Array($0) }) \(Array(added)) \(Array(removed))"
                    )
                }
            )
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { $0.pjPerson(2).age = 5 }
        try writeElsewhere(configuration) { $0.pjPerson(2).firstName = "B" }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { $0.pjPerson(2).address!.city = "London" }
        try await place.waitFor(3)
        try await place.settle()
        expectEqual(
            place.told,
            [
                "initial", "[\"London\", \"Paris\", \"-\"] -[] +[] ~[[1, 0]] [] []",
                "[\"London\", \"-\"] -[] +[[0, 1]] ~[] [] [1]",
            ]
        )
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `the framework's tracking notices what a projection reads`() throws {
        var configuration = projectionConfiguration()
        configuration.observationTracking = true
        let realm = try projectionRealm(configuration)
        let ada = realm.pjProjection(1)
        func isTold(_ read: () -> Void, _ change: () -> Void) throws -> Bool {
            let flag = Notes()
            withObservationTracking(read) { flag.add("told") }
            try realm.write(change)
            return !flag.all.isEmpty
        }
        expect(try isTold({ _ = ada.surnameCaps }, { realm.pjPerson(1).lastName = "King" }))
        expect(try isTold({ _ = ada.homeCity }, { realm.pjPerson(1).address!.city = "Rome" }))
        expect(try isTold({ _ = ada.friendsNames[0] }, { realm.pjPerson(2).firstName = "B" }))
        expect(try isTold({ _ = ada.friendsNames.count }, { realm.pjPerson(1).friends.removeLast() }))
        expect(try !isTold({ _ = ada.surnameCaps }, { realm.pjPerson(1).firstName = "A" }))
        expect(try !isTold({ _ = ada.friendsNames[0] }, { realm.pjPerson(2).age = 3 }))
    }
}
