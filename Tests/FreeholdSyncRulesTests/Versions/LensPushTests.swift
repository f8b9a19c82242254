import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// Pushes while apps are connected, updates of apps, and the version by which the claim of an app is judged.
struct LensPushTests {
    private let dog = ObjectName("Dog", 1)
    private let hound = ObjectName("Hound", 1)

    @Test func `a push while apps are connected is a difference, not a reset`() throws {
        var bench = VersionBench(try VersionModels.versions(1))
        let old = bench.add(0, ["Person"], isRecording: true)
        let ann = ObjectName("Person", 7)
        bench.commit(old, [.create(ann, [NewField("name", .value("Ann"))])])
        bench.bench.clients[old].received = []
        var added = VersionModels.first
        added[1].columns.append(ColumnSpec("mail", .string))
        bench.push(try bench.versions.pushing(added, as: 1).versions)
        let updates = bench.bench.clients[old].updates
        expect(updates.isEmpty)
        let resumed = bench.bench.clients[old].received.contains { message in
            if case .bound(_, let bound) = message, case .resume = bound.start { true } else { false }
        }
        expect(resumed)
        let new = bench.add(1, ["Person"])
        bench.commit(
            new,
            [.set(Place(ann, "mail"), "ann@example.org", .real), .set(Place(ann, "name"), "Anna", .real)]
        )
        expectEqual(bench.fields(old, ann), ["name": .value("Anna")])
        bench.check()
    }

    /// The condition was stored for whole numbers, and has to be replaced by another one.
    @Test func `a query still finds the shown values when a number becomes wider`() throws {
        var bench = VersionBench(try VersionModels.versions(1))
        let old = bench.add(0, ["Dog"], where: "age == 3", isRecording: true)
        bench.commit(old, [VersionModels.creation(dog)])
        bench.bench.clients[old].received = []
        var transition = VersionModels.transition
        transition.oldFills = [:]
        bench.push(try bench.versions.pushing(VersionModels.second, as: 2, transition).versions)
        // The client already has the object.
        expect(bench.bench.clients[old].updates.allSatisfy { if case .whole = $0 { false } else { true } })
        let new = bench.add(2, ["Hound"])
        bench.commit(new, [.set(Place(hound, "age"), .double(3.5), .real)])
        expectEqual(bench.value(old, dog, "age"), 3)
        bench.commit(new, [.set(Place(hound, "age"), .double(4), .real)])
        expect(bench.bench.clients[old].objects.isEmpty)
        bench.check()
    }

    @Test func `an updated app receives missing data, and its unsent work keeps its names`() throws {
        var bench = VersionBench(try VersionModels.versions())
        let (old, new) = (bench.add(0, ["Dog", "Person"]), bench.add(2, ["Hound", "Person"]))
        bench.commit(old, [VersionModels.creation(dog)])
        bench.commit(
            new,
            [.set(Place(hound, "breed"), "Basset", .real), .set(Place(hound, "age"), .double(2.5), .real)]
        )
        expect(bench.fields(old, dog)?["breed"] == nil)

        // Offline, under the old app, and sent by the new one.
        bench.bench.disconnect(old)
        bench.bench.commit(
            old,
            [.set(Place(dog, "name"), "Max", .real), .increment(Place(dog, "age"), 1)],
            [dog: bench.bench.clients[old].objects[dog]!.version]
        )
        bench.bench.clients[old].claim = SchemaClaim(version: 2, hash: .empty)
        bench.bench.clients[old].queries = Queries(
            version: 2,
            queries: ["Hound", "Person"].map { ClassQuery(className: $0, condition: "TRUEPREDICATE") }
        )
        bench.bench.clients[old].objects = [:]
        bench.bench.connect(old)
        expect(bench.bench.clients[old].refusals.isEmpty)
        expectEqual(bench.value(old, hound, "title"), "Max")
        expectEqual(bench.value(old, hound, "breed"), "Basset")
        expectEqual(bench.value(old, hound, "age"), .double(3.5))
        expectEqual(bench.value(new, hound, "title"), "Max")
        bench.check()
    }

    /// Within one version: a property that the app adds in an update was left out while the app didn't have it.
    @Test func `an updated app with a larger schema receives all of its data again`() throws {
        var bench = VersionBench(try VersionModels.versions(1))
        bench.bench.configuration.apps["app"]?.judge = { _ in SchemaJudgement(.accepted) }
        bench.bench.killNode()
        var claim = SchemaClaim(version: 0, hash: RunningHash(high: 1, low: 2))
        let client = bench.bench.add(
            [ClassQuery(className: "Dog", condition: "TRUEPREDICATE")],
            claim: claim,
            isRecording: true
        )
        bench.commit(client, [VersionModels.creation(dog)])
        func whole() -> Int {
            bench.bench.clients[client].updates.filter { if case .whole = $0 { true } else { false } }.count
        }
        bench.bench.disconnect(client)
        bench.bench.clients[client].received = []
        bench.bench.connect(client)
        expectEqual(whole(), 0)
        claim.hash = RunningHash(high: 1, low: 3)
        bench.bench.disconnect(client)
        bench.bench.clients[client].claim = claim
        bench.bench.connect(client)
        expectEqual(whole(), 1)
        bench.check()
    }

    @Test func `a claim is judged by the version that serves its client`() throws {
        var schema = ServedSchema(try VersionModels.versions(), mode: .development)
        func verdict(_ tables: [TableSpec], _ version: UInt64) throws -> SchemaVerdict {
            schema.judge(try SchemaClaim(tables, version: version)).verdict
        }
        try expectEqual(verdict(VersionModels.first, 0), .accepted)
        try expectEqual(verdict(VersionModels.second, 2), .accepted)
        try expectEqual(verdict(VersionModels.third, 9), .accepted)
        guard case .refused(let problems) = try verdict(VersionModels.first, 5) else {
            Issue.record("an old app passes for a new one")
            return
        }
        expectEqual(Set(problems.map(\.className)), ["Person", "Address"])
        // Development mode adds only to the newest version.
        var more = VersionModels.second
        more[2].columns.append(ColumnSpec("wings", .int))
        guard case .refused(let refused) = try verdict(more, 2) else {
            Issue.record("an older version grew")
            return
        }
        expectEqual(refused.first?.text.string.hasSuffix("(in version 2 of the schema)."), true)
        var newest = VersionModels.third
        newest[2].columns.append(ColumnSpec("wings", .int))
        try expectEqual(verdict(newest, 5), .accepted)
        expectEqual(schema.versions.newest.stored("Bird", "wings"), "wings")
        expectEqual(schema.lens(for: try SchemaClaim(newest, version: 5))?.number, 5)
        expectEqual(schema.lens(for: SchemaClaim(version: 1, hash: .empty))?.number, 0)
    }

    /// A file has the classes of the app that it was of, too.
    @Test(arguments: [SchemaAdoption.Mode.development, .production])
    func `a client's earlier version isn't part of its claim`(_ mode: SchemaAdoption.Mode) throws {
        let versions = try VersionModels.versions()
        var schema = ServedSchema(versions, mode: mode)
        let old = versions.versions[0].tables.filter { table in
            !VersionModels.second.contains { $0.name == table.name }
        }
        expect(!old.isEmpty)
        let (verdict, adopted) = schema.judge(try SchemaClaim(VersionModels.second + old, version: 2))
        expectEqual(verdict, .accepted)
        expect(adopted.isEmpty)
        expectEqual(schema.versions, versions)
        // A class of another form is one that the app wants.
        var other = old
        other[0].columns.append(ColumnSpec("more", .int))
        let claim = try SchemaClaim(VersionModels.second + other, version: 2)
        guard case .refused(let problems) = schema.judge(claim).verdict else {
            Issue.record("It passes.")
            return
        }
        expect(problems.map(\.className).contains(SyncString(old[0].name)))
    }
}
