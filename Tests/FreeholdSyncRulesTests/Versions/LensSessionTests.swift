import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// Apps of several versions at one server, and the changes that they see of each other.
struct LensSessionTests {
    private let dog = ObjectName("Dog", 1)
    private let hound = ObjectName("Hound", 1)

    @Test func `an old app and a new one see each other's work`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let (old, new, newest) = (bench.add(0, ["Dog"]), bench.add(2, ["Hound"]), bench.add(7, ["Hound"]))
        bench.commit(old, [VersionModels.creation(dog)])
        expectEqual(bench.value(new, hound, "title"), "Rex")
        expectEqual(bench.value(new, hound, "age"), .double(3))
        expectEqual(bench.value(new, hound, "weight"), .double(1.5))
        expect(bench.fields(new, hound)?["nick"] == nil)

        bench.commit(new, [.set(Place(hound, "age"), .double(4.5), .real), .set(Place(hound, "title"), "Max", .real)])
        expectEqual(bench.value(old, dog, "age"), 4)
        expectEqual(bench.value(old, dog, "name"), "Max")
        expectEqual(bench.value(newest, hound, "age"), 4)
        bench.commit(old, [.increment(Place(dog, "age"), 2)])
        expectEqual(bench.value(new, hound, "age"), .double(6.5))
        expectEqual(bench.value(old, dog, "age"), 6)

        bench.commit(newest, [.set(Place(hound, "age"), .null, .real), .set(Place(hound, "nick"), 8, .real)])
        expectEqual(bench.value(old, dog, "age"), 0)
        expectEqual(bench.value(old, dog, "nick"), "R")
        expectEqual(bench.value(newest, hound, "age"), .null)
        // Its author is shown 0 and changes it to 5.
        bench.commit(old, [.increment(Place(dog, "age"), 5)])
        expectEqual(bench.value(newest, hound, "age"), 5)
        bench.commit(new, [.delete(hound, .edit)])
        expect(bench.bench.clients[old].objects.isEmpty)
        expect(bench.bench.clients[newest].objects.isEmpty)
        bench.check()
    }

    @Test func `elements of lists and embedded objects are edited across versions`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let (old, new) = (bench.add(0, ["Dog"]), bench.add(2, ["Hound"]))
        func address(_ number: OwnNumber, _ property: SyncString) -> SyncValue {
            .embedded(
                EmbeddedValue(number: number, fields: [NewField(property, .value(.string(SyncString("S\(number)"))))])
            )
        }
        bench.commit(
            old,
            [
                .create(
                    dog,
                    [
                        NewField("home", .value(address(1, "street"))),
                        NewField("places", .list(first: 2, [address(2, "street"), address(3, "street")])),
                    ]
                )
            ]
        )
        bench.commit(
            new,
            [
                .set(Place(hound, "house").instance(.confirmed).property("road"), "new", .real),
                .set(
                    Place(hound, "places").element(.confirmed(1)).instance(.confirmed).property("road"),
                    "newer",
                    .real
                ),
                .insert(
                    Place(hound, "places"),
                    Gap(after: .confirmed(0), before: .confirmed(1)),
                    first: 9,
                    [address(9, "road")]
                ),
            ]
        )
        func streets(_ client: Int, _ name: ObjectName, _ property: SyncString) -> [SyncValue] {
            guard case .list(let runs)? = bench.fields(client, name)?["places"] else { return [] }
            return runs.flatMap(\.elements).compactMap { element in
                guard case .embedded(let instance) = element,
                    case .value(let value)? = instance.fields.first(where: { $0.name == property })?.content
                else { return nil }
                return value
            }
        }
        expectEqual(streets(old, dog, "street"), ["S2", "S9", "newer"])
        expectEqual(streets(new, hound, "road"), ["S2", "S9", "newer"])
        guard case .embedded(let home)? = bench.fields(old, dog)?["home"] else {
            Issue.record("no home")
            return
        }
        expectEqual(home.fields, [ConfirmedField("street", .value("new"))])
        bench.check()
    }

    @Test func `refused changes are returned as their author wrote them`() throws {
        var bench = VersionBench(try VersionModels.versions()) { configuration in
            var rules = MergeRules()
            rules.forbids = { _, commit, name in commit.number > 1 && name.key == 1 }
            configuration.apps["app"]?.merge = StreamMerge(rules)
        }
        let new = bench.add(2, ["Hound"], isRecording: true)
        bench.commit(new, [.create(hound, [NewField("title", .value("Rex"))])])
        let changes: [Change] = [
            .set(Place(ObjectName("Hound", 2), "title"), "x", .real), .set(Place(hound, "title"), "y", .real),
            .set(Place(hound, "nick"), "hostile", .real), .delete(hound, .edit),
        ]
        bench.commit(new, changes)
        let refusals = bench.bench.clients[new].refusals
        expectEqual(refusals.map(\.index), [0, 1, 2, 3])
        expectEqual(refusals.map(\.change), changes)
        expectEqual(refusals.map(\.reason), [.objectGone, .forbidden, .malformed, .forbidden])
        // The objects of the refused deletion are restored under the app's names.
        var restored: [ClassBatch] = []
        for case .ack(_, let ack) in bench.bench.clients[new].received { restored += ack.restored }
        expectEqual(restored.map(\.className), ["Hound"])
        bench.check()
    }

    /// The answer of a commit that was lost is the store's, and must have the author's names, too.
    @Test func `repeated answers have the author's names`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let new = bench.add(2, ["Hound"])
        bench.commit(new, [.create(hound, [NewField("title", .value("Rex"))])])
        let changes: [Change] = [.set(Place(ObjectName("Hound", 9), "title"), "x", .real)]
        // The client doesn't receive the answer.
        let client = bench.bench.clients[new]
        bench.commit(new, changes)
        let pending = bench.bench.clients[new].versions.count
        expectEqual(pending, 2)
        var forgetful = client
        _ = forgetful.commit(changes, [:], bench.bench.now)
        forgetful.isRecording = true
        bench.bench.disconnect(new)
        bench.bench.clients[new] = forgetful
        bench.bench.clients[new].connection = nil
        bench.bench.connect(new)
        expectEqual(bench.bench.clients[new].refusals.map(\.change), changes)
        bench.check()
    }

    @Test func `hostile names have no effect`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let (old, new) = (bench.add(0, ["Dog"]), bench.add(2, ["Hound"]))
        bench.commit(old, [VersionModels.creation(dog)])
        bench.commit(new, [.set(Place(hound, "nick"), "stolen", .real), .set(Place(dog, "name"), "stolen", .real)])
        expectEqual(bench.bench.clients[new].refusals.map(\.reason), [.malformed, .malformed])
        expectEqual(bench.value(old, dog, "nick"), "R")
        expectEqual(bench.value(old, dog, "name"), "Rex")
        // Nor do queries and requests for single objects.
        for condition in [
            "nick == 'R'", "name == 'Rex'", "ANY @links.Person.dog.nick == 'R'", "keeper.nick == 1", "any.nick == 1",
        ] {
            bench.bench.clients[new].queryErrors = []
            bench.bench.clients[new].queries.version += 1
            bench.bench.clients[new].queries.queries = [
                ClassQuery(className: "Hound", condition: SyncString(condition))
            ]
            bench.bench.say(new, .queries(1, bench.bench.clients[new].queries))
            expectEqual(bench.bench.clients[new].queryErrors.count, 1, "\(condition)")
            expect(bench.bench.clients[new].objects.isEmpty)
        }
        bench.bench.clients[new].isRecording = true
        bench.bench.say(new, .fetch(1, [dog, ObjectName("Cat", 1)]))
        expect(bench.bench.clients[new].objects.isEmpty)
        expect(bench.bench.clients[new].updates.allSatisfy { $0 == .erased })
        expectEqual(bench.bench.clients[new].updates.count, 2)
        bench.check()
    }

    @Test func `errors of queries use the app's names, and contain its own conditions`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let new = bench.add(2, [])
        let texts = ["title == 'Rex'", "nick == 1", "title == 'Max'", "title MATCHES 'a'", "age > ", "x.y == 1"]
        bench.bench.clients[new].queries = Queries(
            version: 2,
            queries: texts.map { ClassQuery(className: "Hound", condition: SyncString($0)) }
                + [ClassQuery(className: "Dog", condition: "TRUEPREDICATE")]
        )
        bench.bench.say(new, .queries(1, bench.bench.clients[new].queries))
        let errors = bench.bench.clients[new].queryErrors.sorted { ($0.className, $0.index) < ($1.className, $1.index) }
        expectEqual(errors.map(\.className), ["Dog", "Hound", "Hound", "Hound", "Hound"])
        expectEqual(errors.map(\.index), [0, 1, 3, 4, 5])
        expectEqual(errors[1].text, "Class Hound has no property 'nick'.")
        expectEqual(errors[1].position, 0)
        expectEqual(errors[2].text, "MATCHES isn't served.")
        expectEqual(errors[0].text, "There is no class 'Dog' in version 2 of the schema.")
        bench.commit(
            new,
            [
                .create(hound, [NewField("title", .value("Rex"))]),
                .create(ObjectName("Hound", 2), [NewField("title", .value("X"))]),
            ]
        )
        expectEqual(Set(bench.bench.clients[new].objects.keys), [hound])
        bench.check()
    }

    // MARK: Split commits, bootstraps, old work

    @Test func `a commit in parts is translated when it is complete`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let (old, new) = (bench.add(0, ["Dog"]), bench.add(2, ["Hound"]))
        let changes: [Change] = (1...4).map { .create(ObjectName("Hound", .int($0)), [NewField("title", .value("T"))]) }
        bench.bench.disconnect(new)
        bench.bench.commit(new, changes + [.set(Place(hound, "nick"), "x", .real)])
        let whole = bench.bench.clients[new].pending[0]
        bench.bench.clients[new].pending = whole.split(bytes: 60)
        expect(bench.bench.clients[new].pending.count > 1)
        let parts = bench.bench.clients[new].pending
        bench.bench.clients[new].pending = []
        bench.bench.connect(new)
        bench.bench.clients[new].pending = [whole]
        for part in parts { bench.bench.say(new, .upload(1, Upload(commits: [part]))) }
        expectEqual(bench.bench.clients[old].objects.count, 4)
        expectEqual(bench.value(old, dog, "name"), "T")
        expectEqual(bench.bench.clients[new].refusals.map(\.change), [.set(Place(hound, "nick"), "x", .real)])
        expectEqual(bench.bench.machine.unfinishedWork, [])
        bench.check()
    }

    @Test func `an interrupted bootstrap continues, and starts again for another version`() throws {
        for isUpdated in [false, true] {
            var bench = VersionBench(try VersionModels.versions()) { $0.chunkObjects = 1 }
            let old = bench.add(0, ["Dog"])
            bench.commit(old, (1...6).map { VersionModels.creation(ObjectName("Dog", .int($0))) })
            var client = ScriptedClient(
                queries: Queries(version: 1, queries: [ClassQuery(className: "Hound", condition: "TRUEPREDICATE")])
            )
            (client.claim, client.window) = (SchemaClaim(version: 2, hash: .empty), 300)
            bench.bench.clients.append(client)
            bench.bench.connect(1)
            expectEqual(bench.bench.clients[1].position?.last.className, "Hound")
            expectEqual(bench.bench.clients[1].completed, 0)
            let before = bench.bench.clients[1].objects.count
            bench.bench.disconnect(1)
            bench.bench.clients[1].window = 1 << 40
            bench.bench.clients[1].isRecording = true
            if isUpdated { bench.bench.clients[1].claim.version = 5 }
            bench.bench.connect(1)
            expectEqual(bench.bench.clients[1].objects.count, 6)
            expectEqual(bench.bench.clients[1].completed, 1)
            expectEqual(bench.bench.clients[1].updates.count, (isUpdated ? 6 : 6 - before))
            bench.check()
        }
    }

    @Test func `lists from before the horizon are aligned as they were shown to their author`() throws {
        let versions = try VersionModels.versions()
        let lens = try require(versions.lens(for: 0))
        let place = Place(dog, "places")
        func address(_ fields: [NewField]) -> SyncValue { .embedded(EmbeddedValue(number: 0, fields: fields)) }
        let old = OldList(place: place, elements: [address([NewField("street", .value("A"))]), nil])
        let commit = Commit(number: 1, clock: .zero, base: 0, changes: [.remove(place, [.confirmed(0)])])
        let new = try require(versions.lens(for: 2))
        let author = OldList(
            place: Place(hound, "places"),
            elements: [address([NewField("road", .value("A")), NewField("zip", .value(0))])]
        )
        let lensed = new.up(
            Commit(
                number: 1,
                clock: .zero,
                base: 0,
                schemaVersion: 2,
                changes: [.remove(Place(hound, "places"), [.confirmed(0)])]
            ),
            [author]
        )
        // Its author was shown 0 for a missing value.
        let stored = address([NewField("street", .value("A"))])
        expectEqual(lensed.oldLists, [OldList(place: place, elements: [stored])])
        expectEqual(lensed.seen(place, stored), stored)
        expectEqual(lens.up(commit, [old]).oldLists, [old])
        let marks = Place(dog, "marks")
        expectEqual(lens.up(commit, []).seen(marks, .double(2.5)), 2)
        expectEqual(lensed.seen(marks, 2), .double(2))
        expectEqual(
            lensed.refused(0, .remove(place, [.confirmed(3)])),
            .remove(Place(hound, "places"), [.confirmed(3)])
        )
    }

    @Test func `work from before the horizon finds its elements`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let (old, new) = (bench.add(0, ["Dog"]), bench.add(2, ["Hound"]))
        bench.commit(
            new,
            [.create(hound, [NewField("marks", .list(first: 1, [.double(1.5), .double(2.5), .double(3.5)]))])]
        )
        let seen = bench.bench.clients[old].objects[dog]!.version
        bench.bench.disconnect(old)
        bench.commit(new, [.remove(Place(hound, "marks"), [.confirmed(0)])])
        bench.bench.now += 90 * 86_400_000
        bench.bench.run(.timer(.trim))
        // The author removes the element that it is shown as 3.
        let place = Place(dog, "marks")
        let upload = bench.bench.clients[old].commit([.remove(place, [.confirmed(2)])], [dog: seen], bench.bench.now)
        expect(upload == nil)
        let pending = bench.bench.clients[old].pending
        bench.bench.clients[old].pending = []
        bench.bench.connect(old)
        bench.bench.clients[old].pending = pending
        bench.bench.say(
            old,
            .upload(1, Upload(commits: pending, oldLists: [OldList(place: place, elements: [1, 2, 3])]))
        )
        expectEqual(bench.bench.clients[old].refusals, [])
        expectEqual(bench.fields(new, hound)?["marks"], .list([ElementRun([.value(.double(2.5))])]))
        bench.check()
    }

    @Test func `equal lenses give equal messages, created once for each view`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let clients = (0..<3).map { _ in bench.add(2, ["Hound"], isRecording: true) }
        let old = bench.add(0, ["Dog"])
        for client in clients { bench.bench.clients[client].received = [] }
        bench.commit(old, [VersionModels.creation(dog)])
        let changes = clients.map { client in
            bench.bench.clients[client].received.compactMap { message -> Changes? in
                if case .changes(_, let changes) = message { changes } else { nil }
            }
        }
        expectEqual(changes[0].count, 1)
        expectEqual(changes[0], changes[1])
        expectEqual(changes[1], changes[2])
    }
}
