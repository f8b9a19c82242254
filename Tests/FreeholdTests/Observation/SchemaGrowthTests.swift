import Foundation
import Freehold
import FreeholdEngine
import Synchronization
import TestRandom
import TestScript
import Testing

private final class SGCat: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var lives = 9
    @Persisted var friends: List<SGCat>
    override class func mappedName() -> String? { "Cat" }
}

private final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

/// A schema that grows under realms of older classes: `WriteTransaction.extendSchema`.
@Suite("Observation: a schema that grows", .serialized)
struct SchemaGrowthTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("freehold-\(UUID().uuidString)", isDirectory: true)

    private func made() throws -> Realm.Configuration {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("cats.realm"),
            objectTypes: [SGCat.self]
        )
        try writeElsewhere(configuration) { realm in
            for i in 0..<20 { realm.create(SGCat.self, value: ["id": i, "name": "C\(i % 7)", "lives": i % 9]) }
        }
        return configuration
    }

    /// Adds one property and one class of any kind, with values, and also writes existing objects.
    private static func grow(_ database: Database, _ round: Int, _ random: inout SeededRandom) throws {
        let transaction = try database.beginWrite()
        let types: [ColumnSpec] = [
            ColumnSpec("p\(round)", .int, indexed: round % 2 == 0),
            ColumnSpec("p\(round)", .string, optional: true, index: round % 2 == 0 ? .values : .fullText),
            ColumnSpec("p\(round)", .link, target: "Cat"),
            ColumnSpec("p\(round)", .link, collection: .list, target: "New\(round)"),
            ColumnSpec("p\(round)", .mixed),
            ColumnSpec("p\(round)", .double, collection: .dictionary),
        ]
        let spec = types[round % types.count]
        let added = try transaction.extendSchema([
            TableSpec("Cat", columns: [ColumnSpec("id", .int), spec], primaryKey: "id"),
            TableSpec("New\(round)", columns: [ColumnSpec("n", .int), ColumnSpec("cat", .link, target: "Cat")]),
        ])
        expect(added)
        let cat = transaction.schema.table(named: "Cat")!
        let new = transaction.schema.table(named: "New\(round)")!
        let column = cat.column(named: spec.name)!
        for key in transaction.keys(cat).prefix(5) {
            let other = try transaction.create(new)
            try transaction.set(new.columns[1], other, to: .link(key))
            switch (spec.type, spec.collection) {
            case (.int, _): try transaction.set(column, key, to: .int(Int64(round)))
            case (.string, _): try transaction.set(column, key, to: .string("round \(round)"))
            case (.link, .none): try transaction.set(column, key, to: .link(key))
            case (.link, _): try transaction.listAppend(column, key, values: [.link(other)])
            case (.mixed, _): try transaction.set(column, key, to: .objectLink(ObjectLink(tableID: new.id, key: other)))
            default: try transaction.dictionarySet(column, key, forKey: "d", to: .double(1))
            }
        }
        if Bool.random(using: &random), let key = transaction.keys(cat).dropFirst(3).randomElement(using: &random) {
            try transaction.set(cat.column(named: "lives")!, key, to: .int(Int64(round)))
        }
        _ = try transaction.commit()
    }

    @Test func `realms and observers of older classes go on`() async throws {
        let configuration = try made()
        let place = ObservingQueue(configuration)
        let seed = TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let replays = ["named", "sorted", "friends", "all"].map { ReplayedCollection($0) }
        try place.run { realm in
            func text(_ cat: SGCat) -> String { "\(cat.id) \(cat.name) \(cat.lives)" }
            func observe<C: RealmCollection>(_ i: Int, _ all: C) where C.Element == SGCat {
                place.tokens.append(all.observe { replays[i].take($0, text) })
            }
            let all = realm.objects(SGCat.self)
            observe(0, all.where { $0.lives > 2 })
            observe(1, all.sorted(by: \.name))
            observe(2, realm.object(ofType: SGCat.self, forPrimaryKey: 0)!.friends)
            observe(3, all)
        }
        expect(try await eventually { place.queue.sync { replays.allSatisfy { $0.calls > 0 } } })
        let database = try Database.open(at: configuration.fileURL!.path)
        for round in 0..<18 {
            try Self.grow(database, round, &random)
            let id = Int.random(in: 0..<20, using: &random)
            // An open realm of the old classes writes without having been refreshed.
            try place.run { realm in
                try realm.write {
                    let cat = realm.create(SGCat.self, value: ["id": 100 + round, "name": "N", "lives": 5])
                    realm.object(ofType: SGCat.self, forPrimaryKey: 0)!.friends.append(cat)
                    if round % 4 == 3, let old = realm.object(ofType: SGCat.self, forPrimaryKey: id), id > 0 {
                        realm.delete(old)
                    }
                }
            }
            if round % 3 == 1 { try await Task.sleep(for: .milliseconds(5)) }
        }
        try place.run { realm in
            realm.refresh()
            for replay in replays {
                expect(replay.failure == nil, "\(replay.name): \(replay.failure ?? ""), seed \(seed)")
                expect(replay.calls > 1, "\(replay.name)")
            }
            expectEqual(replays[3].copy, realm.objects(SGCat.self).map { "\($0.id) \($0.name) \($0.lives)" })
            expectEqual(realm.object(ofType: SGCat.self, forPrimaryKey: 0)!.friends.count, 18)
        }
        let snapshot = try database.snapshot()
        expect(snapshot.verify() == [] && snapshot.schema.tables.count == 19)
        expectEqual(snapshot.schema.table(named: "Cat")!.columns.count, 22)
        place.end()
        try FileManager.default.removeItem(at: folder)
    }

    /// Blocking tasks would occupy all of the pool's threads.
    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result(catching: body)) }.start()
        }
    }

    /// Threads with realms, engine readers and a grower at once.
    @Test func `readers and writers on many threads continue while the schema grows`() async throws {
        var configuration = try made()
        // Such realms are opened again and again, although the file has more than their classes.
        configuration.schemaMode = .additive
        let flag = Flag()
        let path = configuration.fileURL!.path
        try await withThrowingTaskGroup(of: Void.self) { [configuration] group in
            for worker in 0..<3 {
                group.addTask {
                    try await Self.onThread {
                        var round = 0
                        repeat {
                            let realm = try Realm(configuration: configuration)
                            try realm.write {
                                let cat = realm.object(ofType: SGCat.self, forPrimaryKey: worker)!
                                cat.lives += 1
                                cat.friends.append(cat)
                            }
                            let cat = realm.object(ofType: SGCat.self, forPrimaryKey: worker)!
                            let mine = realm.objects(SGCat.self).where { $0.id == worker && $0.lives >= 0 }
                            expect(cat.friends.count == cat.lives - worker && mine.count == 1)
                            round += 1
                        } while !flag.isSet
                        expect(round > 0)
                    }
                }
            }
            group.addTask {
                try await Self.onThread {
                    let database = try Database.open(at: path)
                    repeat {
                        let snapshot = try database.snapshot()
                        for table in snapshot.schema.tables {
                            expectEqual(snapshot.keys(table).count, snapshot.count(table))
                            for column in table.columns where column.collection == .none {
                                if let key = snapshot.keys(table).last { _ = snapshot.value(column, key) }
                            }
                        }
                    } while !flag.isSet
                }
            }
            group.addTask {
                try await Self.onThread {
                    defer { flag.set() }
                    var random = SeededRandom(seed: 1)
                    let database = try Database.open(at: path)
                    for round in 0..<30 { try Self.grow(database, round, &random) }
                }
            }
            try await group.waitForAll()
        }
        try expectEqual(Database.open(at: path).snapshot().verify(), [])
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `a schema that isn't an extension is refused, and nothing changes`() throws {
        let database = try Database.open(at: try made().fileURL!.path)
        let transaction = try database.beginWrite()
        let schema = transaction.schema
        for spec in [
            TableSpec("Cat", columns: [ColumnSpec("id", .int), ColumnSpec("lives", .string)], primaryKey: "id"),
            TableSpec("Cat", columns: [ColumnSpec("id", .int), ColumnSpec("name", .string)], primaryKey: "name"),
            TableSpec("Cat", columns: [ColumnSpec("id", .int)], primaryKey: "id", isEmbedded: true),
            TableSpec("Dog", columns: [ColumnSpec("cat", .link, target: "Nobody")]),
            TableSpec(
                "Cat",
                columns: [ColumnSpec("id", .int), ColumnSpec("name", .string, optional: true)],
                primaryKey: "id"
            ),
        ] {
            #expect(throws: EngineError.self) { try transaction.extendSchema([spec]) }
        }
        expect(transaction.schema === schema)
        expect(try !transaction.extendSchema([TableSpec("Cat", columns: [ColumnSpec("id", .int)], primaryKey: "id")]))
        transaction.cancel()
        try FileManager.default.removeItem(at: folder)
    }
}
