import Foundation
import Freehold
@testable import FreeholdSync
import Testing

@testable import FreeholdSyncCore

/// Realms of users: models, subscriptions, sessions.
struct SyncedRealmTests {
    let folder: TemporaryFolder
    let accounts = AccountServer()
    let server = LoopbackServer()
    let app: App

    init() throws {
        folder = try TemporaryFolder()
        app = testApp(folder, accounts, server)
    }

    func user(_ name: String) async throws -> User {
        try await app.emailPasswordAuth.registerUser(email: name, password: "secret")
        return try await app.login(credentials: .emailPassword(email: name, password: "secret"))
    }

    func configuration(_ user: User) -> Realm.Configuration {
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        return configuration
    }

    @MainActor func realm(_ user: User) async throws -> Realm {
        let realm = try await Realm(configuration: configuration(user), downloadBeforeOpen: .never)
        try await realm.subscriptions.update {
            realm.subscriptions.append(QuerySubscription<Person>(), QuerySubscription<Dog>(name: "dogs"))
        }
        return realm
    }

    @MainActor func settle(_ realms: Realm...) async throws {
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
        }
    }

    @MainActor @Test func `two users see each other's objects, offline and online`() async throws {
        let (ann, bob) = (try await user("ann"), try await user("bob"))
        let (one, two) = (try await realm(ann), try await realm(bob))
        expect(one.configuration.fileURL != two.configuration.fileURL)
        try one.write {
            let rex = one.create(
                Dog.self,
                value: ["name": "Rex", "age": 3, "collar": ["color": "red"], "tags": ["brown"]]
            )
            let person = one.create(Person.self, value: ["_id": "ann", "name": "Ann", "best": rex])
            person.dogs.append(rex)
        }
        try await settle(one, two)
        let person = try require(two.object(ofType: Person.self, forPrimaryKey: "ann"))
        expectEqual(person.name, "Ann")
        expectEqual(person.best?.name, "Rex")
        expectEqual(person.dogs.first?.collar?.color, "red")
        expectEqual(person.dogs.first?.owners.map(\._id), ["ann"])

        one.syncSession?.suspend()
        two.syncSession?.suspend()
        expectEqual(one.syncSession?.state, .inactive)
        try one.write {
            let rex = one.objects(Dog.self).first!
            rex.tags.append("clever")
            rex.increment(\.age, by: 1)
            rex.collar?.color = "blue"
        }
        try two.write {
            let rex = two.objects(Dog.self).first!
            rex.tags.insert("fast", at: 0)
            rex.increment(\.age, by: 1)
            person.dogs.append(two.create(Dog.self, value: ["name": "Fido"]))
        }
        one.syncSession?.resume()
        two.syncSession?.resume()
        try await settle(one, two)
        try await settle(one, two)
        for realm in [one, two] {
            let rex = realm.objects(Dog.self).where { $0.name == "Rex" }.first!
            expectEqual(Array(rex.tags), ["fast", "brown", "clever"])
            expectEqual(rex.age, 5)
            expectEqual(rex.collar?.color, "blue")
            expectEqual(realm.objects(Person.self).first?.dogs.map(\.name), ["Rex", "Fido"])
        }
    }

    @MainActor @Test func `observers receive downloaded changes`() async throws {
        let (one, two) = (try await realm(try await user("ann")), try await realm(try await user("bob")))
        let changes = AsyncStream<[String]>.makeStream()
        let dogs = two.objects(Dog.self).sorted(by: \.name)
        let token = dogs.observe { change in
            guard case .update(let dogs, _, _, _) = change else { return }
            changes.continuation.yield(dogs.map(\.name))
        }
        try one.write { one.create(Dog.self, value: ["name": "Rex"]) }
        var iterator = changes.stream.makeAsyncIterator()
        await expectEqual(iterator.next(), ["Rex"])
        try one.write { one.objects(Dog.self).first!.name = "Fido" }
        await expectEqual(iterator.next(), ["Fido"])
        token.invalidate()
    }

    @MainActor @Test func `a subscription shows a part of the objects, under the names of the file`() async throws {
        let one = try await realm(try await user("ann"))
        try one.write {
            for age in 1...6 { one.create(Dog.self, value: ["name": "Dog \(age)", "age": age]) }
            one.create(Person.self, value: ["_id": "a", "name": "Ann"])
            one.create(Person.self, value: ["_id": "b", "name": "Bob"])
        }
        try await settle(one)
        let two = try await Realm(configuration: configuration(try await user("vet")), downloadBeforeOpen: .never)
        expect(two.subscriptions.isEmpty)
        let old = try await two.objects(Dog.self).where { $0.age > 4 }.sorted(by: \.age).subscribe(name: "old")
        expectEqual(old.map(\.age), [5, 6])
        expectEqual(two.objects(Dog.self).count, 2)
        let ann = try await two.objects(Person.self).where { $0.name == "Ann" }.subscribe()
        expectEqual(ann.map(\._id), ["a"])
        expectEqual(two.objects(Person.self).count, 1)
        let subscription = try require(two.subscriptions.first(ofType: Person.self, where: "name == 'Ann'"))
        expect(subscription.queryString.contains("full_name"))
        expectEqual(two.subscriptions.count, 2)
        expectEqual(two.subscriptions.state, .complete)

        // The same subscription again adds none, and the same name with another query replaces it.
        try await two.objects(Person.self).where { $0.name == "Ann" }.subscribe()
        expectEqual(two.subscriptions.count, 2)
        try await two.objects(Dog.self).where { $0.age < 3 }.subscribe(name: "old")
        expectEqual(Set(two.objects(Dog.self).map(\.age)), [1, 2])
        ann.unsubscribe()
        try await two.subscriptions.update { two.subscriptions.remove(named: "old") }
        two.refresh()
        expect(two.subscriptions.isEmpty)
        expect(two.isEmpty)
    }

    @MainActor @Test func `subscriptions are stored, named, changed and removed`() async throws {
        let realm = try await Realm(configuration: configuration(try await user("ann")), downloadBeforeOpen: .never)
        let set = realm.subscriptions
        try await set.update {
            set.append(QuerySubscription<Dog>(name: "a") { $0.age > 1 })
            set.append(QuerySubscription<Dog>(name: "b", where: "age > %@", 2))
            set.append(QuerySubscription<Dog> { $0.age > 3 })
            set.append(QuerySubscription<Dog> { $0.age > 3 })
            set.append(QuerySubscription<Person>())
        }
        expectEqual(set.count, 4)
        expectEqual(set.map(\.name), ["a", "b", nil, nil])
        expectEqual(set.first(named: "a")?.queryString, "age > 1")
        expectEqual(set.first(ofType: Dog.self) { $0.age > 2 }?.name, "b")
        let made = try require(set.first(named: "a"))
        set.update({ set.first(named: "a")?.updateQuery(toType: Dog.self) { $0.age > 9 } }, onComplete: nil)
        let changed = try require(set.first(named: "a"))
        expectEqual(changed.queryString, "age > 9")
        expectEqual(changed.createdAt, made.createdAt)
        expect(changed.updatedAt > made.updatedAt)
        set.update({ set.removeAll(unnamedOnly: true) }, onComplete: nil)
        expectEqual(set.map(\.name), ["a", "b"])
        set.update({ set.removeAll(ofType: Dog.self) }, onComplete: nil)
        expect(set.isEmpty)
    }

    @MainActor @Test func `a new object with a longer key than the server takes is refused at the commit`() async throws
    {
        let realm = try await realm(try await user("ann"))
        let (long, longest) = (String(repeating: "é", count: 513), String(repeating: "é", count: 512))
        #expect {
            try realm.write {
                realm.create(Person.self, value: ["_id": "short", "name": "Sid"])
                realm.create(Person.self, value: ["_id": long, "name": "Lee"])
            }
        } throws: { error in
            guard let error = error as? Realm.Error else { return false }
            return error.code == .limitExceeded && "\(error)".contains("1026") && "\(error)".contains("Person")
        }
        // Nothing of the transaction was written.
        expect(realm.objects(Person.self).isEmpty)
        // An object that is deleted in its own transaction doesn't count.
        try realm.write {
            realm.create(Person.self, value: ["_id": longest, "name": "Max"])
            realm.delete(realm.create(Person.self, value: ["_id": long, "name": "Lee"]))
        }
        try await settle(realm)
        expectEqual(realm.objects(Person.self).map(\._id), [longest])
        expectEqual(server.contents.keys.map(\.key), [.string(SyncString(longest))])
        // Only synced files are limited.
        var local = Realm.Configuration(fileURL: URL(fileURLWithPath: folder.path + "/local.realm"))
        local.objectTypes = [Person.self, Dog.self, Collar.self]
        let other = try Realm(configuration: local)
        try other.write { other.create(Person.self, value: ["_id": long, "name": "Lee"]) }
        expectEqual(other.objects(Person.self).count, 1)
    }

    @MainActor @Test func `a write to a class without a subscription throws, and writes nothing`()
        async throws
    {
        let realm = try await Realm(configuration: configuration(try await user("ann")), downloadBeforeOpen: .never)
        #expect { try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) } } throws: { error in
            (error as? Realm.Error)?.code == .noSubscriptionForWrite
        }
        expect(realm.objects(Dog.self).isEmpty)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Dog>()) }
        try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
        expectEqual(realm.objects(Dog.self).count, 1)
    }

    @MainActor @Test func `opening waits for the initial subscriptions' objects`() async throws {
        let one = try await realm(try await user("ann"))
        try one.write { for age in 1...4 { one.create(Dog.self, value: ["age": age]) } }
        try await settle(one)
        let vet = try await user("vet")
        var configuration = vet.flexibleSyncConfiguration(initialSubscriptions: { set in
            set.append(QuerySubscription<Dog>(name: "old") { $0.age > 2 })
        })
        configuration.objectTypes = [Person.self, Dog.self, Collar.self]
        let two = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
        expectEqual(two.objects(Dog.self).count, 2)
        expectEqual(two.subscriptions.map(\.name), ["old"])

        let three = try await user("three")
        var other = three.flexibleSyncConfiguration(initialSubscriptions: { $0.append(QuerySubscription<Dog>()) })
        other.objectTypes = [Person.self, Dog.self, Collar.self]
        let opened: Int = try await withCheckedThrowingContinuation { continuation in
            Realm.asyncOpen(configuration: other, callbackQueue: .main) { result in
                continuation.resume(with: result.map { $0.objects(Dog.self).count })
            }
        }
        expectEqual(opened, 4)
    }

    @MainActor @Test func `writes of a logged-out user are sent after the log-in`() async throws {
        let ann = try await user("ann")
        let (one, two) = (try await realm(ann), try await realm(try await user("bob")))
        try await ann.logOut()
        expect(one.syncSession == nil)
        try one.write { one.create(Dog.self, value: ["name": "Rex"]) }
        _ = try await app.login(credentials: .emailPassword(email: "ann", password: "secret"))
        expect(one.syncSession != nil)
        try await settle(one, two)
        expectEqual(two.objects(Dog.self).map(\.name), ["Rex"])
    }

    @MainActor @Test func `a refused subscription is an error of the set, and the other ones are served`() async throws
    {
        let realm = try await Realm(configuration: configuration(try await user("ann")), downloadBeforeOpen: .never)
        let set = realm.subscriptions
        await #expect {
            try await set.update {
                set.append(QuerySubscription<Person> { $0.name.matches(regularExpression: "rex") })
                set.append(QuerySubscription<Dog>())
            }
        } throws: { ($0 as? SyncError)?.code == .invalidFlexibleSyncSubscriptions }
        guard case .error = set.state else { return expect(Bool(false), "\(set.state)") }
        try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
        try await settle(realm)
        expectEqual(server.contents.count, 1)
    }

    @Test func `classes without _id can't be synced, and the error names them`() async throws {
        let user = try await user("ann")
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [NoKey.self, OtherKey.self]
        #expect { try Realm(configuration: configuration) } throws: { error in
            guard let error = error as? Realm.Error, error.code == .invalidSchema else { return false }
            return error.message.contains("NoKey") && error.message.contains("OtherKey")
        }
    }
}

class NoKey: Object {
    @Persisted var name = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OtherKey: Object {
    @Persisted(primaryKey: true) var id = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension SyncedRealmTests {
    @MainActor @Test func `one process syncs a file, and another takes over when it ends`() async throws {
        let ann = try await user("ann")
        let two = try await realm(try await user("bob"))
        let configuration = configuration(ann)
        let path = try require(configuration.fileURL).path
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        // Another process's lock.
        let other = AgentLock(path)
        expect(try other.acquire())
        let one = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        expect(one.syncSession == nil)
        one.subscriptions.update({ one.subscriptions.append(QuerySubscription<Dog>()) }, onComplete: nil)
        // It is stored at once, and waits for the process that syncs the file.
        let update = Task { @MainActor in
            try await one.subscriptions.update { one.subscriptions.append(QuerySubscription<Person>()) }
        }
        while one.subscriptions.count < 2 { await Task.yield() }
        // That process records in the file that the set is complete.
        var agent = try FileClientStore(one.database)
        try agent.transact { transaction in
            var set = QuerySet(version: 1, queries: SubscriptionRows.read(transaction.write).queries)
            (set.state, set.isComplete) = (.complete, true)
            transaction.state.querySets = [set]
        }
        try await update.value
        let another = Task { @MainActor in
            try await one.subscriptions.update {
                one.subscriptions.append(QuerySubscription<Person>(name: "people") { $0.name != "nobody" })
            }
        }
        while one.subscriptions.count < 3 { await Task.yield() }
        try one.write { one.create(Dog.self, value: ["name": "Rex"]) }
        other.release()
        // This process takes over the work for which the update waits.
        try await another.value
        expect(one.syncSession != nil)
        try expectEqual(AgentLock(path).acquire(), false)
        try await settle(one, two)
        expectEqual(two.objects(Dog.self).map(\.name), ["Rex"])
        expectEqual(one.subscriptions.count, 3)
    }
}

/// Work that must not be lost silently.
extension SyncedRealmTests {
    @MainActor @Test func `an edit of an object of a class without subscriptions throws like a create`() async throws {
        let realm = try await realm(try await user("ann"))
        let rex = try realm.write {
            let rex = realm.create(Dog.self, value: ["name": "Rex", "collar": ["color": "red"], "tags": ["a"]])
            realm.create(Person.self, value: ["_id": "ann", "name": "Ann", "best": rex]).dogs.append(rex)
            return rex
        }
        try await settle(realm)
        realm.syncSession?.suspend()
        realm.subscriptions.update({ realm.subscriptions.remove(named: "dogs") }, onComplete: nil)
        let edits: [(String, () -> Void)] = [
            ("a set", { rex.name = "Max" }), ("an increment", { rex.increment(\.age, by: 1) }),
            ("a list", { rex.tags.append("b") }),
            ("an embedded object", { rex.collar?.color = "blue" }),
            ("another embedded object", { rex.collar = Collar() }),
            ("a create", { realm.create(Dog.self, value: ["name": "Fido"]) }),
        ]
        for (name, edit) in edits {
            #expect("\(name)") { try realm.write(edit) } throws: {
                ($0 as? Realm.Error)?.code == .noSubscriptionForWrite
            }
        }
        expectEqual(rex.name, "Rex")
        expectEqual(rex.collar?.color, "red")
        // The other class stays usable, also if its objects link to this one.
        try realm.write { realm.objects(Person.self).first?.best = nil }
        try realm.write { realm.delete(realm.objects(Person.self)) }
        // Nor is a link that becomes nil with its object an edit.
        let other = try await self.realm(try await user("bob"))
        let person = try other.write {
            let dog = other.create(Dog.self, value: ["name": "Rex"])
            return other.create(Person.self, value: ["_id": "bob", "name": "Bob", "best": dog])
        }
        try await settle(other)
        other.syncSession?.suspend()
        let unnamed = other.subscriptions.filter { $0.name == nil }
        other.subscriptions.update({ for one in unnamed { other.subscriptions.remove(one) } }, onComplete: nil)
        try other.write { other.delete(other.objects(Dog.self)) }
        expect(person.best == nil)
        #expect { try other.write { person.name = "Rob" } } throws: {
            ($0 as? Realm.Error)?.code == .noSubscriptionForWrite
        }
    }

    @MainActor @Test func `a copy isn't written while work is unsent`() async throws {
        let realm = try await realm(try await user("ann"))
        let copy = URL(fileURLWithPath: folder.path).appendingPathComponent("copy.realm")
        realm.syncSession?.suspend()
        try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
        #expect { try realm.writeCopy(toFile: copy) } throws: {
            ($0 as? Realm.Error)?.code == .fail && "\($0)".contains("1 transactions")
        }
        expect(!FileManager.default.fileExists(atPath: copy.path))
        // A backup has the work.
        try realm.backup(to: URL(fileURLWithPath: folder.path).appendingPathComponent("backup.realm"))
        realm.syncSession?.resume()
        try await settle(realm)
        try realm.writeCopy(toFile: copy)
        let shown = try Realm(
            configuration: Realm.Configuration(fileURL: copy, objectTypes: [Person.self, Dog.self, Collar.self])
        )
        expectEqual(shown.objects(Dog.self).map(\.name), ["Rex"])
    }

    @MainActor @Test func `unsent work of a removed user is reported`() async throws {
        let (ann, bob) = (try await user("ann"), try await user("bob"))
        let (one, two) = (try await realm(ann), try await realm(bob))
        for realm in [one, two] {
            try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
            try await settle(realm)
        }
        one.syncSession?.suspend()
        try one.write { one.objects(Dog.self).first?.name = "Max" }
        var errors = app.syncManager.errors.makeAsyncIterator()
        try await bob.remove()
        try await ann.remove()
        let error = try require(await errors.next()?.error as? SyncError)
        expectEqual(error.code, .clientUserError)
        expect(error.message.contains(ann.id) && error.message.contains("1 transactions"), "\(error)")
    }
}
