import Foundation
import Freehold
import FreeholdEngine
import TestRandom
import TestScript
import Testing

private final class SOCat: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var lives = 9
    @Persisted var friends: List<SOCat>
    override class func mappedName() -> String? { "Cat" }
}

/// Like `SOCat`, with indexes.
private final class SOIndexedCat: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted(indexed: true) var lives = 9
    @Persisted var friends: List<SOIndexedCat>
    override class func mappedName() -> String? { "Cat" }
}

private func cat(_ id: Int, _ realm: Realm) -> SOCat? { realm.object(ofType: SOCat.self, forPrimaryKey: id) }

@Suite("Observation: a schema that changes")
struct SchemaObservationTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("freehold-\(UUID().uuidString)", isDirectory: true)

    private func configuration(_ type: ObjectBase.Type) throws -> Realm.Configuration {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Realm.Configuration(
            fileURL: folder.appendingPathComponent("cats.realm"),
            objectTypes: [type]
        )
    }

    private func made() throws -> Realm.Configuration {
        let configuration = try configuration(SOCat.self)
        try writeElsewhere(configuration) { realm in
            for i in 0..<20 { realm.create(SOCat.self, value: ["id": i, "name": "C\(i % 7)", "lives": i % 9]) }
            for i in 0..<5 { cat(0, realm)!.friends.append(cat(i, realm)!) }
        }
        return configuration
    }

    @Test
    func `observers go on when other realms add and drop indexes`() async throws {
        let configuration = try made()
        let place = ObservingQueue(configuration)
        let seed = TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let replays = ["named", "sorted", "first", "friends", "all", "friends by name"].map { ReplayedCollection($0) }
        try place.run { realm in
            func text(_ cat: SOCat) -> String { "\(cat.id) \(cat.name) \(cat.lives)" }
            func observe<C: RealmCollection>(_ i: Int, _ all: C) where C.Element == SOCat {
                place.tokens.append(all.observe { replays[i].take($0, text) })
            }
            let all = realm.objects(SOCat.self)
            observe(0, all.where { $0.name == "C3" && $0.lives > 2 })
            observe(1, all.sorted(by: \.name))
            observe(2, all.where { $0.lives.in([1, 2, 3]) }.sorted(by: \.lives).limited(to: 5))
            observe(3, cat(0, realm)!.friends)
            observe(4, all)
            observe(5, cat(0, realm)!.friends.sorted(by: \.name))
            place.tokens.append(cat(1, realm)!.observe { place.note("\($0)".contains("deleted") ? "deleted" : "set") })
        }
        expect(try await eventually { place.queue.sync { replays.allSatisfy { $0.calls > 0 } } })
        for round in 0..<12 {
            let indexed = round % 2 == 0
            let values = (0..<4).map { _ in
                (Int.random(in: 2..<25, using: &random), Int.random(in: 0..<7, using: &random))
            }
            let type: ObjectBase.Type = indexed ? SOIndexedCat.self : SOCat.self
            let other = try self.configuration(type)
            // The observers of this place retain its realm. A thread's realm ends with the thread.
            try onAnotherThread {
                let realm = try Realm(configuration: other)
                try realm.write {
                    for (id, value) in values {
                        let name = "C\(value)"
                        if indexed {
                            realm.create(
                                SOIndexedCat.self,
                                value: ["id": id, "name": name, "lives": value],
                                update: .all
                            )
                        } else {
                            realm.create(SOCat.self, value: ["id": id, "name": name, "lives": value], update: .all)
                        }
                    }
                }
            }
            if round % 3 == 0 { try place.run { realm in try realm.write { cat(1, realm)!.lives += 1 } } }
            if round % 3 == 1 { try await Task.sleep(for: .milliseconds(5)) }
        }
        try place.run { realm in
            realm.refresh()
            for replay in replays {
                expect(replay.failure == nil, "\(replay.name): \(replay.failure ?? ""), seed \(seed)")
                expect(replay.calls > 1, "\(replay.name)")
            }
            expectEqual(replays[4].copy, realm.objects(SOCat.self).map { "\($0.id) \($0.name) \($0.lives)" })
            expect(place.log.contains("set"))
        }
        place.end()
        try FileManager.default.removeItem(at: folder)
    }

    @Test
    func `observers stop when the file is migrated, and the next use of the realm reports that`() async throws {
        let configuration = try made()
        let place = ObservingQueue(configuration)
        nonisolated(unsafe) var kept: [Realm] = []
        try place.run { realm in
            kept.append(realm)
            place.tokens.append(realm.objects(SOCat.self).observe { place.note(described($0)) })
            place.tokens.append(cat(1, realm)!.observe { _ in place.note("object") })
        }
        try await place.waitFor(1)
        // Migrates like another process, because this one refuses to migrate an open file.
        let database = try Database.open(at: configuration.fileURL!.path)
        let specs = [
            TableSpec(
                "Cat",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("name", .string), ColumnSpec("lives", .string),
                    ColumnSpec("friends", .link, collection: .list, target: "Cat"),
                ],
                primaryKey: "id"
            )
        ]
        let migration = try database.beginWrite()
        try migration.extendSchema(to: specs, suspendsPrimaryKeys: true)
        try migration.finishSchema(specs, userVersion: 1)
        _ = try migration.commit()
        let later = try database.beginWrite()
        let table = later.schema.table(named: "Cat")!
        for key in later.keys(table) { try later.set(table.column(named: "lives")!, key, to: .string("many")) }
        _ = try later.commit()
        try await place.settle()
        try place.run { realm in
            expectEqual(place.log, ["initial 20"])
            // The realm shows the same content as before.
            expectEqual(realm.objects(SOCat.self).count, 20)
            #expect { try realm.write {} } throws: { ($0 as? Realm.Error)?.code == .schemaMismatch }
            expectEqual(place.log, ["initial 20"])
        }
        let failed = AsyncStream.makeStream(of: Realm.Error.Code?.self)
        _ = try place.run { realm in
            realm.writeAsync {
                Issue.record("It began")
            } onComplete: {
                failed.continuation.yield(($0 as? Realm.Error)?.code)
            }
        }
        var iterator = failed.stream.makeAsyncIterator()
        await expectEqual(iterator.next(), .some(.schemaMismatch))
        place.queue.sync { kept = [] }
        place.end()
        try FileManager.default.removeItem(at: folder)
    }

    @Test
    func `a migration that keeps the observed classes isn't reported`() async throws {
        let configuration = try made()
        let place = ObservingQueue(configuration)
        try place.run { realm in
            place.tokens.append(realm.objects(SOCat.self).sorted(by: \.lives).observe { place.note(described($0)) })
        }
        try await place.waitFor(1)
        var more = configuration
        more.objectTypes = [SOCat.self, THPerson.self]
        let wider = more
        try onAnotherThread {
            let realm = try Realm(configuration: wider)
            try realm.write {
                realm.add(THPerson(id: 1, name: "", age: 1))
                cat(3, realm)!.lives = 100
            }
        }
        try await place.waitFor(2)
        try place.run { realm in try realm.write { realm.delete(cat(3, realm)!) } }
        try await place.waitFor(3)
        expectEqual(place.told.last, "19: -[19] +[] ~[0] >[0]")
        place.end()
        try FileManager.default.removeItem(at: folder)
    }
}
