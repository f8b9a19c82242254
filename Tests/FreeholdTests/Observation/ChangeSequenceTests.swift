import Dispatch
import Foundation
import Freehold
import TestRandom
import TestScript
import Testing

/// Iterates changes in the isolation of an actor that its realm is confined to.
private actor ChangeWatcher {
    let configuration: Realm.Configuration
    let notes = Notes()
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func open() async throws { realm = try await Realm.open(configuration: configuration) }

    func write(_ body: (Realm) -> Void) throws { try realm.write { body(realm) } }

    func watchPeople(_ limit: Int) async {
        var copy: [String] = []
        var calls = 0
        for await change in realm.objects(THPerson.self).sorted(by: \.name).changes {
            switch change {
            case .initial(let people):
                expect(!people.isFrozen)
                copy = people.map(\.name)
            case .update(let people, let deletions, let insertions, _):
                expect(!people.isFrozen)
                for i in deletions.reversed() { copy.remove(at: i) }
                for i in insertions { copy.insert(people[i].name, at: i) }
                for i in change.newModifications { copy[i] = people[i].name }
                expectEqual(copy, people.map(\.name))
            case .error: Issue.record("error")
            }
            notes.add("\(copy.count)")
            calls += 1
            if calls == limit { break }
            // Lets other tasks use the actor.
            await Task.yield()
        }
        notes.add("ended")
    }

    func watchPerson() async {
        let changes = person(3, realm).changes(keyPaths: [\.name])
        // All later changes are delivered.
        notes.add("watching")
        for await change in changes {
            switch change {
            case .change(let person, let properties):
                notes.add(
                    "\(person.name): " + properties.map { "\($0.name) \($0.oldValue ?? "-")" }.joined(separator: ",")
                )
            case .deleted: notes.add("deleted")
            case .error: notes.add("error")
            }
        }
        notes.add("ended")
    }

    func watchTags() async {
        for await change in person(3, realm).tags.changes { notes.add(described(change)) }
        notes.add("ended")
    }
}

@Suite("Observation: changes as asynchronous sequences")
struct ChangeSequenceTests {
    @Test
    func `a sequence on its realm's actor returns live objects at the version of the change`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let watcher = ChangeWatcher(configuration)
        try await watcher.open()
        let task = Task { await watcher.watchPeople(3) }
        try await watcher.notes.waitFor(1)
        try writeElsewhere(configuration) { $0.add(THPerson(id: 20, name: "A", age: 1)) }
        try await watcher.notes.waitFor(2)
        try await watcher.write { $0.delete(person(20, $0)) }
        try await watcher.notes.waitFor(4)
        await task.value
        expectEqual(watcher.notes.all, ["10", "11", "10", "ended"])
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `however the actor's realm moves on, the changes fit`() async throws {
        let seed = TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let watcher = ChangeWatcher(configuration)
        try await watcher.open()
        let tasks = (0..<3).map { _ in Task { await watcher.watchPeople(.max) } }
        try await watcher.notes.waitFor(3)
        let writers = (0..<2).map { writer in
            Task {
                var random = SeededRandom(seed: seed &+ UInt64(writer))
                for i in 0..<60 {
                    let id = 100 * writer + Int.random(in: 100..<130, using: &random)
                    let name = "N\(Int.random(in: 0..<50, using: &random))"
                    @Sendable func change(_ realm: Realm) {
                        if i % 3 == 0, let found = realm.object(ofType: THPerson.self, forPrimaryKey: id) {
                            realm.delete(found)
                        } else {
                            realm.create(THPerson.self, value: ["id": id, "name": name], update: .all)
                        }
                    }
                    if writer == 0 {
                        try await Realm.write(configuration, change)
                    } else {
                        try await watcher.write(change)
                    }
                }
            }
        }
        for writer in writers { try await writer.value }
        let count = try await Realm.read(configuration) { "\($0.objects(THPerson.self).count)" }
        _ = try await eventually { watcher.notes.all.last == count }
        expectEqual(watcher.notes.all.last, count)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        expect(watcher.notes.all.filter { $0 == "ended" }.count == 3 && watcher.notes.all.last == "ended")
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `code of a server without an actor receives frozen objects`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let notes = Notes()
        let task = Task.detached {
            for await change in try await Realm.changes(
                configuration,
                of: { $0.objects(THPerson.self).where { $0.age > 7 } }
            ) {
                if case .update(let people, _, _, _) = change { expect(people.isFrozen) }
                notes.add(described(change))
            }
            notes.add("ended")
        }
        try await notes.waitFor(1)
        try await Realm.write(configuration) { $0.add(THPerson(id: 20, name: "A", age: 20)) }
        try await notes.waitFor(2)
        task.cancel()
        try await notes.waitFor(3)
        expectEqual(notes.all, ["initial 2", "3: -[] +[2] ~[] >[]", "ended"])
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `changes between two requests are delivered as one`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration, count: 0)
        let frozen = Frozen(keeper.objects(THPerson.self))
        for i in 0..<3 { try keeper.write { keeper.add(THPerson(id: i, name: "", age: i)) } }
        var iterator = frozen.value.changes.makeAsyncIterator()
        // The sequence has the present state, although the collection was frozen before.
        guard case .initial(let all)? = await iterator.next(isolation: nil) else { throw CancellationError() }
        expect(all.count == 3 && all.isFrozen)
        for i in 3..<20 { try await Realm.write(configuration) { $0.add(THPerson(id: i, name: "", age: i)) } }
        let change = try require(await iterator.next(isolation: nil))
        expectEqual(described(change), "20: -[] +\(Array(3..<20)) ~[] >[]")
        // Changes that cancel each other are not delivered.
        try await Realm.write(configuration) { $0.add(THPerson(id: 50, name: "", age: 5)) }
        try await Realm.write(configuration) { $0.delete(person(50, $0)) }
        try await Realm.write(configuration) { $0.delete(person(0, $0)) }
        let next = try require(await iterator.next(isolation: nil))
        expectEqual(described(next), "19: -[0] +[] ~[] >[]")
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `objects end with their deletion, and lists with their owner`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let frozen = Frozen(person(3, keeper))
        let watcher = ChangeWatcher(configuration)
        try await watcher.open()
        let tasks = [Task { await watcher.watchPerson() }, Task { await watcher.watchTags() }]
        try await watcher.notes.waitFor(2)
        let elsewhere = Notes()
        let third = Task.detached {
            for await change in frozen.value.changes {
                switch change {
                case .change(let person, let properties):
                    elsewhere.add("\(person.name) " + properties.map { "\($0.name) \($0.oldValue ?? "-")" }.joined())
                case .deleted: elsewhere.add("deleted")
                case .error: elsewhere.add("error")
                }
            }
            elsewhere.add("ended")
        }
        try writeElsewhere(configuration) { realm in
            person(3, realm).name = "new"
            person(3, realm).tags.insert("z")
        }
        try await watcher.notes.waitFor(4)
        // A sequence of an object's changes has no initial element. The test changes the object until the first change
        // arrives.
        var age = 99
        _ = try await eventually {
            age += 1
            try writeElsewhere(configuration) { [age] in person(3, $0).age = age }
            return !elsewhere.all.isEmpty
        }
        try writeElsewhere(configuration) { $0.delete(person(3, $0)) }
        for task in tasks { await task.value }
        await third.value
        expectEqual(
            Set(watcher.notes.all),
            [
                "watching", "initial 1", "new: name P3", "2: -[] +[1] ~[] >[]", "deleted", "ended",
            ]
        )
        expectEqual(watcher.notes.all.filter { $0 == "ended" }.count, 2)
        expectEqual(elsewhere.all.suffix(2), ["deleted", "ended"])
        expectEqual(elsewhere.all.first?.hasPrefix("new "), true)
        withExtendedLifetime(keeper) {}
    }

    @Test
    func `commits between a sequence and its iteration have their old values`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let name = person(3, keeper).name
        let sequence = person(3, keeper).changes(keyPaths: [\.name])
        try await Realm.write(configuration) { person(3, $0).name = "first" }
        try await Realm.write(configuration) { person(3, $0).name = "second" }
        var iterator = sequence.makeAsyncIterator()
        guard case .change(_, let properties)? = await iterator.next(isolation: nil) else { throw CancellationError() }
        expectEqual(properties.map { "\($0.oldValue ?? "-")>\($0.newValue ?? "-")" }, ["\(name)>second"])
        withExtendedLifetime(keeper) {}
    }

    @MainActor @Test
    func `an actor's realm that has seen a commit has its old values, and not those of its own commits`() async throws {
        let configuration = threadingConfiguration()
        let realm = try await Realm.open(configuration: configuration)
        try realm.write { realm.add(THPerson(id: 3, name: "a", age: 3)) }
        let sequence = person(3, realm).changes(keyPaths: [\.name])
        try await Realm.write(configuration) { person(3, $0).name = "b" }
        realm.refresh()
        expectEqual(person(3, realm).name, "b")
        var iterator = sequence.makeAsyncIterator()
        func next() async throws -> [String] {
            guard case .change(_, let properties)? = await iterator.next(isolation: MainActor.shared) else {
                throw CancellationError()
            }
            return properties.map { "\($0.oldValue ?? "-")>\($0.newValue ?? "-")" }
        }
        let first = try await next()
        expectEqual(first, ["a>b"])
        try realm.write { person(3, realm).name = "c" }
        let second = try await next()
        expectEqual(second, ["->c"])
    }

    @Test
    func `maps, sections and key paths have sequences`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let all = keeper.objects(THPerson.self)
        var scores = person(3, keeper).scores.changes.makeAsyncIterator()
        var sections = all.sectioned(by: \.age).changes.makeAsyncIterator()
        var section = all.sectioned(by: \.age)[2].changes(keyPaths: nil).makeAsyncIterator()
        var byAge = all.changes(keyPaths: [\.age]).makeAsyncIterator()
        _ = await scores.next(isolation: nil)
        _ = await sections.next(isolation: nil)
        _ = await section.next(isolation: nil)
        _ = await byAge.next(isolation: nil)
        try await Realm.write(configuration) { person(3, $0).name = "unseen" }
        try await Realm.write(configuration) { realm in
            person(3, realm).scores["b"] = 7
            person(2, realm).age = 1
        }
        guard case .update(let map, _, let keys, _)? = await scores.next(isolation: nil) else {
            throw CancellationError()
        }
        expect(map.isFrozen && keys == ["b"])
        guard case .update(let now, let gone, let come, _, _, let old)? = await sections.next(isolation: nil) else {
            throw CancellationError()
        }
        expect(now.count == 9 && gone.isEmpty && come == [[1, 1]] && Array(old) == [2])
        guard case .update(let two, _, _, _, _, _)? = await section.next(isolation: nil) else {
            throw CancellationError()
        }
        expect(two.isEmpty && two.isFrozen)
        let change = try require(await byAge.next(isolation: nil))
        expectEqual(described(change), "10: -[] +[] ~[2] >[2]")
        withExtendedLifetime(keeper) {}
    }

    @MainActor @Test
    func `realms, also those of the main actor, have sequences`() async throws {
        let configuration = threadingConfiguration()
        let realm = try await Realm.open(configuration: configuration)
        try realm.write { for i in 0..<3 { realm.add(THPerson(id: i, name: "", age: i)) } }
        let notes = Notes()
        let task = Task { @MainActor in
            for await notification in realm.changes {
                notes.add("\(notification)")
                break
            }
        }
        var iterator = realm.objects(THPerson.self).where { $0.age > 0 }.changes.makeAsyncIterator()
        guard case .initial(let people)? = await iterator.next(isolation: MainActor.shared) else {
            throw CancellationError()
        }
        expect(people.count == 2 && !people.isFrozen)
        try await Realm.write(configuration) { person(0, $0).age = 5 }
        guard case .update(let now, _, let come, _)? = await iterator.next(isolation: MainActor.shared) else {
            throw CancellationError()
        }
        expect(now.count == 3 && come == [0])
        await task.value
        expectEqual(notes.all, ["didChange"])
    }

    @Test
    func `asynchronous writes can skip observers`() async throws {
        let configuration = threadingConfiguration()
        let keeper = try threadingRealm(configuration)
        let place = ObservingQueue(configuration)
        try place.run { realm in
            place.tokens.append(realm.objects(THPerson.self).observe { place.note("a " + described($0)) })
            place.tokens.append(realm.objects(THPerson.self).observe { place.note("b " + described($0)) })
        }
        try await place.waitFor(2)
        try place.run { realm in
            place.log = []
            realm.writeAsync(withoutNotifying: [place.tokens[0]]) { realm.add(THPerson(id: 20, name: "", age: 1)) }
            realm.beginAsyncWrite {
                realm.add(THPerson(id: 21, name: "", age: 1))
                realm.commitAsyncWrite(withoutNotifying: [place.tokens[1]])
            }
        }
        try await place.waitFor(2)
        expectEqual(Set(place.told), ["b 11: -[] +[10] ~[] >[]", "a 12: -[] +[11] ~[] >[]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }
}
