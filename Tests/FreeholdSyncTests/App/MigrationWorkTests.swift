import Foundation
import Freehold
import Synchronization
import Testing

@testable import FreeholdSync

/// The classes of an app before a migration.
private enum OldApp {
    final class Part: EmbeddedObject {
        @Persisted var floor = 0
        override class func _realmObjectName() -> String? { "Part" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Item: Object {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var title = ""
        @Persisted var scores: List<Int>
        @Persisted var codes: MutableSet<Int>
        @Persisted var visits: Map<String, Int>
        @Persisted var labels: List<String?>
        @Persisted var marks: MutableSet<String?>
        @Persisted var nick: String?
        @Persisted var notes: List<String>
        @Persisted var count = 0
        @Persisted var part: Part?
        @Persisted var parts: List<Part>
        override class func _realmObjectName() -> String? { "Item" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Memo: Object {
        @Persisted(primaryKey: true) var _id: String
        @Persisted var text = ""
        override class func _realmObjectName() -> String? { "Memo" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Part.self, Item.self, Memo.self]
}

/// The same classes after the migration: numbers are wider, nulls aren't allowed any more, notes are numbers, and
/// `count` is `total`.
private enum NewApp {
    final class Part: EmbeddedObject {
        @Persisted var floor = 0.0
        override class func _realmObjectName() -> String? { "Part" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Item: Object {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var title = ""
        @Persisted var scores: List<Double>
        @Persisted var codes: MutableSet<Double>
        @Persisted var visits: Map<String, Double>
        @Persisted var labels: List<String>
        @Persisted var marks: MutableSet<String>
        @Persisted var nick = ""
        @Persisted var notes: List<Int>
        @Persisted var total = 0.0
        @Persisted var part: Part?
        @Persisted var parts: List<Part>
        override class func _realmObjectName() -> String? { "Item" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Part.self, Item.self]
}

/// Work that waits while a migration of the app changes the types of properties. The server has no versions of the schema.
struct MigrationWorkTests {
    private let folder: TemporaryFolder
    private let accounts = AccountServer()
    private let server = LoopbackServer()
    private let app: App

    final class Errors: Sendable {
        private let all = Mutex<[SyncError]>([])
        func note(_ error: any Error) { if let error = error as? SyncError { all.withLock { $0.append(error) } } }
        var errors: [SyncError] { all.withLock { $0 } }
    }
    private let errors = Errors()

    init() throws {
        folder = try TemporaryFolder()
        app = testApp(folder, accounts, server)
        let errors = errors
        app.syncManager.errorHandler = { error, _ in errors.note(error) }
    }

    @MainActor private func user(_ name: String) async throws -> User {
        try? await app.emailPasswordAuth.registerUser(email: name, password: "secret")
        return try await app.login(credentials: .emailPassword(email: name, password: "secret"))
    }

    @MainActor private func old(_ user: User) async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        (configuration.objectTypes, configuration.schemaVersion) = (OldApp.types, 1)
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await realm.subscriptions.update {
            realm.subscriptions.append(QuerySubscription<OldApp.Item>(), QuerySubscription<OldApp.Memo>())
        }
        return realm
    }

    @MainActor private func new(_ user: User) async throws -> Realm {
        var configuration = user.flexibleSyncConfiguration()
        (configuration.objectTypes, configuration.schemaVersion) = (NewApp.types, 2)
        configuration.migrationBlock = { migration, old in
            guard old < 2 else { return }
            migration.enumerateObjects(ofType: "Item") { old, new in
                new?["total"] = (old?["count"] as? Int).map(Double.init) ?? 0
            }
            migration.deleteData(forType: "Memo")
        }
        return try await Realm(configuration: configuration, downloadBeforeOpen: .never)
    }

    @MainActor private func settle(_ realms: Realm...) async throws {
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
        }
    }

    @MainActor private func make(_ realm: Realm) throws {
        try realm.write {
            let value: [String: Any] = [
                "_id": 1, "title": "first", "scores": [1], "codes": [1], "visits": ["a": 1], "labels": ["x"],
                "marks": ["x"], "nick": "n", "notes": ["n"], "count": 5, "part": ["floor": 3],
                "parts": [["floor": 1], ["floor": 2]],
            ]
            realm.create(OldApp.Item.self, value: value)
            realm.create(OldApp.Memo.self, value: ["_id": "m", "text": "memo"])
        }
    }

    @MainActor private func check(_ realm: Realm, _ what: Comment, hasTotal: Bool = true) throws {
        let first = try require(realm.object(ofType: NewApp.Item.self, forPrimaryKey: 1))
        expectEqual(first.title, "offline", what)
        expectEqual(Array(first.scores), [1, 4], what)
        expectEqual(first.codes.sorted(), [1, 2], what)
        expectEqual(
            first.visits.asKeyValueSequence().map { "\($0.key) \($0.value)" }.sorted(),
            ["a 1.0", "b 2.0"],
            what
        )
        expectEqual(Array(first.labels), ["x", ""], what)
        expectEqual(first.marks.sorted(), ["", "x"], what)
        expectEqual(first.nick, "", what)
        expectEqual(first.part?.floor, 4, what)
        expectEqual(first.parts.map(\.floor), [7, 2, 9], what)
        if hasTotal { expectEqual(first.total, 7, what) }
        expectEqual(realm.object(ofType: NewApp.Item.self, forPrimaryKey: 2).map { Array($0.scores) }, [7], what)
    }

    @MainActor @Test func `unsent work is shown and sent as far as the new types permit, and the rest is reported`()
        async throws
    {
        let (ann, bob) = (try await user("ann"), try await user("bob"))
        do {
            let realm = try await old(ann)
            try make(realm)
            try await settle(realm)
            realm.syncSession?.suspend()
            try realm.write {
                let first = realm.objects(OldApp.Item.self).first!
                first.title = "offline"
                first.scores.append(4)
                first.codes.insert(2)
                first.visits["b"] = 2
                first.labels.append(nil)
                first.marks.insert(nil)
                first.nick = nil
                first.notes.append("more")
                first.increment(\.count, by: 2)
                first.part?.floor = 4
                first.parts[0].floor = 7
                first.parts.append(OldApp.Part(value: ["floor": 9]))
                realm.objects(OldApp.Memo.self).first!.text = "edited"
                let value: [String: Any] = ["_id": 2, "scores": [7], "notes": ["of the second"]]
                realm.create(OldApp.Item.self, value: value)
                realm.create(OldApp.Memo.self, value: ["_id": "n"])
            }
        }
        let realm = try await new(ann)
        try check(realm, "after the migration")
        try realm.write { realm.objects(NewApp.Item.self).first!.parts[2].floor = 9 }
        try await settle(realm)
        let other = try await new(bob)
        try await other.subscriptions.update { other.subscriptions.append(QuerySubscription<NewApp.Item>()) }
        try await settle(other, realm)
        try check(realm, "ann")
        try check(other, "bob", hasTotal: false)
        // More work on objects that were stored again.
        try realm.write {
            let first = realm.objects(NewApp.Item.self).first!
            first.scores.insert(0.5, at: 0)
            first.scores.remove(at: 2)
            first.codes.remove(2)
            first.visits["b"] = nil
            first.title = "after"
        }
        try await settle(realm, other)
        for realm in [realm, other] {
            let first = try require(realm.object(ofType: NewApp.Item.self, forPrimaryKey: 1))
            expectEqual(Array(first.scores), [0.5, 1])
            expectEqual(Array(first.codes), [1])
            expectEqual(first.visits.count, 1)
            expectEqual(first.title, "after")
        }
        let ended = errors.errors.filter { $0.code == .invalidFlexibleSyncSubscriptions }
        expect(ended.count == 1 && ended.allSatisfy { $0.message.contains("'Memo'") }, "\(ended)")
        let rest = errors.errors.filter { $0.code != .invalidFlexibleSyncSubscriptions }
        expectEqual(rest.map(\.code), [.clientUserError], "\(rest)")
        expect(rest.allSatisfy { $0.message.contains("'Item.notes'") }, "\(rest)")
        var lost: [String] = []
        try SyncInspection(of: realm.database).forEachLost { lost.append($0) }
        expectEqual(lost.count, 2, "\(lost)")
        expect(lost.allSatisfy { $0.contains("retyped") && $0.contains("Item") && $0.contains("notes") }, "\(lost)")
        expect(lost.contains { $0.contains("more") } && lost.contains { $0.contains("of the second") }, "\(lost)")
    }

    @MainActor @Test func `work behind a migration is sent, even if the migration's own commit is empty`()
        async throws
    {
        let ann = try await user("ann")
        do {
            let realm = try await old(ann)
            try make(realm)
            try await settle(realm)
        }
        server.setReachable(false)
        let realm = try await new(ann)
        try realm.write {
            let first = realm.objects(NewApp.Item.self).first!
            first.nick = "behind"
            first.parts[1].floor = 8
        }
        try realm.write { realm.objects(NewApp.Item.self).first!.title = "twice" }
        server.setReachable(true)
        realm.syncSession?.reconnect()
        try await settle(realm)
        let other = try await new(try await user("bob"))
        try await other.subscriptions.update { other.subscriptions.append(QuerySubscription<NewApp.Item>()) }
        try await settle(other)
        for realm in [realm, other] {
            let first = try require(realm.objects(NewApp.Item.self).first)
            expectEqual(first.nick, "behind")
            expectEqual(first.title, "twice")
            expectEqual(first.parts.map(\.floor), [1, 8])
        }
        var lost: [String] = []
        try SyncInspection(of: realm.database).forEachLost { lost.append($0) }
        expectEqual(lost, [])
    }
}
