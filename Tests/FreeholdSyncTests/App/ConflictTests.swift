import Freehold
import FreeholdSync
import Testing

/// What becomes of two devices' work on the same thing: the table of the article Conflicts, row by row.
struct ConflictTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the earlier device does while it is offline, and then the later one.
        let earlier: @Sendable (Realm, Note) -> Void
        let later: @Sendable (Realm, Note) -> Void
        /// What both show in the end.
        let check: @Sendable (Realm) -> Bool

        init(
            _ name: String,
            _ earlier: @escaping @Sendable (Realm, Note) -> Void,
            _ later: @escaping @Sendable (Realm, Note) -> Void,
            _ check: @escaping @Sendable (Realm) -> Bool
        ) {
            (testDescription, self.earlier, self.later, self.check) = (name, earlier, later, check)
        }
    }

    private static func note(_ realm: Realm) -> Note? { realm.object(ofType: Note.self, forPrimaryKey: "note") }

    static let rows: [Row] = [
        Row("one property, two values: the later", { $1.title = "A" }, { $1.title = "B" }) { note($0)?.title == "B" },
        Row("two properties: both", { $1.title = "A" }, { $1.text = "B" }) {
            note($0)?.title == "A" && note($0)?.text == "B"
        },
        Row("increments: the sum", { $1.increment(\.count, by: 2) }, { $1.increment(\.count, by: 3) }) {
            note($0)?.count == 15
        },
        Row("a later value takes earlier increments with it", { $1.increment(\.count, by: 2) }, { $1.count = 100 }) {
            note($0)?.count == 100
        },
        Row("deleted here, edited there: deleted", { $0.delete($1) }, { $1.title = "B" }) { note($0) == nil },
        Row("edited here, deleted there: deleted", { $1.title = "A" }, { $0.delete($1) }) { note($0) == nil },
        Row("made twice under one key: one object, field by field") { realm, _ in
            realm.create(Note.self, value: ["_id": "new", "title": "A"])
        } _: { realm, _ in
            realm.create(Note.self, value: ["_id": "new", "text": "B"])
        } _: { realm in
            let note = realm.object(ofType: Note.self, forPrimaryKey: "new")
            return note?.title == "A" && note?.text == "B" && realm.objects(Note.self).count == 3
        },
        Row("a list: all inserts, each device's together", { $1.lines.append(objectsIn: ["a", "b"]) }) {
            $1.lines.append(objectsIn: ["c", "d"])
        } _: {
            note($0).map { Array($0.lines) } == ["1", "2", "3", "a", "b", "c", "d"]
        },
        Row("a list: removed here, inserted there", { $1.lines.remove(at: 0) }, { $1.lines.insert("x", at: 1) }) {
            note($0).map { Array($0.lines) } == ["x", "2", "3"]
        },
        Row("a list: removed here, changed there: removed", { $1.lines[1] = "two" }, { $1.lines.remove(at: 1) }) {
            note($0).map { Array($0.lines) } == ["1", "3"]
        },
        Row(
            "a list: moved twice: once, the later",
            { $1.lines.move(from: 0, to: 1) },
            { $1.lines.move(from: 0, to: 2) }
        ) {
            note($0).map { Array($0.lines) } == ["2", "3", "1"]
        },
        Row("a list: cleared here, appended there: what was unseen stays", { $1.lines.append("x") }) {
            $1.lines.removeAll()
        } _: {
            note($0).map { Array($0.lines) } == ["x"]
        },
        Row("a set: per value", { $1.words.insert("new") }) { _, note in
            note.words.insert("other")
            note.words.remove("old")
        } _: {
            note($0).map { Set($0.words) } == ["new", "other"]
        },
        Row("a dictionary: per key") { _, note in
            note.marks["a"] = 10
            note.marks["b"] = 20
        } _: { _, note in
            note.marks["b"] = 30
            note.marks["c"] = 40
        } _: {
            note($0).map { Dictionary(uniqueKeysWithValues: $0.marks.map { ($0.key, $0.value) }) } == [
                "a": 10, "b": 30, "c": 40,
            ]
        },
        Row(
            "an embedded object edited in two places: both",
            { $1.place?.city = "Bern" },
            { $1.place?.street = "Gasse" }
        ) {
            note($0)?.place?.city == "Bern" && note($0)?.place?.street == "Gasse"
        },
        Row("an embedded object edited here, replaced there: replaced", { $1.place?.city = "Bern" }) {
            $1.place = Place(value: ["city": "Rom"])
        } _: {
            note($0)?.place?.city == "Rom" && note($0)?.place?.street == ""
        },
        Row("linked here, deleted there: no link") { realm, note in
            note.next = realm.object(ofType: Note.self, forPrimaryKey: "other")
        } _: { realm, _ in
            realm.delete(realm.object(ofType: Note.self, forPrimaryKey: "other")!)
        } _: {
            note($0) != nil && note($0)?.next == nil
        },
        Row("a dictionary in a mixed value: per key") { _, note in
            note.any.dictionaryValue?["a"] = .int(1)
        } _: { _, note in
            note.any.dictionaryValue?["b"] = .int(2)
        } _: { realm in
            guard let map = note(realm)?.any.dictionaryValue else { return false }
            return map["a"] == .int(1) && map["b"] == .int(2)
        },
    ]

    @MainActor @Test(arguments: rows) func `Both devices show what the table says`(_ row: Row) async throws {
        let (folder, accounts, server) = (try TemporaryFolder(), AccountServer(), LoopbackServer())
        let app = testApp(folder, accounts, server)
        var realms: [Realm] = []
        for name in ["ann", "bob"] {
            try await app.emailPasswordAuth.registerUser(email: name, password: "secret")
            let user = try await app.login(credentials: .emailPassword(email: name, password: "secret"))
            var configuration = user.flexibleSyncConfiguration()
            configuration.objectTypes = [Note.self, Place.self]
            let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
            try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Note>()) }
            realms.append(realm)
        }
        let (one, two) = (realms[0], realms[1])
        try one.write {
            let note = one.create(Note.self, value: ["_id": "note", "lines": ["1", "2", "3"], "count": 10])
            note.words.insert("old")
            note.marks["a"] = 1
            note.place = Place(value: ["city": "Basel"])
            note.any = .dictionary(Map<String, AnyRealmValue>())
            one.create(Note.self, value: ["_id": "other"])
        }
        try await settle(one, two)
        one.syncSession?.suspend()
        two.syncSession?.suspend()
        try one.write { row.earlier(one, Self.note(one)!) }
        // Times of devices are in milliseconds.
        try await Task.sleep(for: .milliseconds(3))
        try two.write { row.later(two, Self.note(two)!) }
        one.syncSession?.resume()
        two.syncSession?.resume()
        try await settle(one, two)
        try await settle(one, two)
        expect(row.check(one), "\(one.objects(Note.self))")
        expect(row.check(two), "\(two.objects(Note.self))")
    }

    @MainActor private func settle(_ realms: Realm...) async throws {
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
        }
    }
}

class Place: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city = ""
}

class Note: Object {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var title = ""
    @Persisted var text = ""
    @Persisted var count = 0
    @Persisted var lines: List<String>
    @Persisted var words: MutableSet<String>
    @Persisted var marks: Map<String, Int>
    @Persisted var place: Place?
    @Persisted var next: Note?
    @Persisted var any: AnyRealmValue
}
