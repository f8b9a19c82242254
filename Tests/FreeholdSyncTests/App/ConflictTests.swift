import Freehold
import FreeholdSync
import Testing

/// Work of two devices on the same object: the table of the article Conflicts, row by row.
struct ConflictTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The work of the earlier device while it is offline, and then that of the later one.
        let earlier: @Sendable (Realm, Note) -> Void
        let later: @Sendable (Realm, Note) -> Void
        /// The work of the earlier device after that of the later one, without a connection in between.
        let afterwards: (@Sendable (Realm, Note) -> Void)?
        /// The final state of both.
        let check: @Sendable (Realm) -> Bool

        init(
            _ name: String,
            _ earlier: @escaping @Sendable (Realm, Note) -> Void,
            _ later: @escaping @Sendable (Realm, Note) -> Void,
            afterwards: (@Sendable (Realm, Note) -> Void)? = nil,
            _ check: @escaping @Sendable (Realm) -> Bool
        ) {
            (testDescription, self.earlier, self.later, self.check) = (name, earlier, later, check)
            self.afterwards = afterwards
        }
    }

    private static func note(_ realm: Realm) -> Note? { realm.object(ofType: Note.self, forPrimaryKey: "note") }

    private static func words(_ values: String...) -> MutableSet<String> {
        let words = MutableSet<String>()
        words.insert(objectsIn: values)
        return words
    }

    private static func marks(_ values: [String: Int]) -> Map<String, Int> {
        let marks = Map<String, Int>()
        for (key, value) in values { marks[key] = value }
        return marks
    }

    private static func lines(_ values: String...) -> List<String> {
        let lines = List<String>()
        lines.append(objectsIn: values)
        return lines
    }

    private static func shownMarks(_ realm: Realm) -> [String: Int]? {
        note(realm).map { Dictionary(uniqueKeysWithValues: $0.marks.map { ($0.key, $0.value) }) }
    }

    private static func made(_ realm: Realm) -> Note? { realm.object(ofType: Note.self, forPrimaryKey: "new") }

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
        Row(
            "one property, two values: the later, although the earlier one's device goes on",
            { $1.title = "A" },
            { $1.title = "B" },
            afterwards: { $1.text = "C" }
        ) {
            note($0)?.title == "B" && note($0)?.text == "C"
        },
        Row(
            "a later value takes earlier increments with it, although their device goes on",
            { $1.increment(\.count, by: 2) },
            { $1.count = 100 },
            afterwards: { $1.increment(\.count, by: 1) }
        ) {
            note($0)?.count == 101
        },
        Row(
            "a dictionary: the later value of a key, although the earlier one's device goes on",
            { $1.marks["a"] = 10 },
            { $1.marks["a"] = 20 },
            afterwards: { $1.marks["b"] = 30 }
        ) {
            shownMarks($0) == ["a": 20, "b": 30]
        },
        Row(
            "a set: the later removal of a value, although the earlier insert's device goes on",
            { $1.words.insert("new") },
            { _, note in
                note.words.insert("new")
                note.words.remove("new")
            },
            afterwards: { $1.words.insert("other") }
        ) {
            note($0).map { Set($0.words) } == ["old", "other"]
        },
        Row("a set: assigned twice: the later", { $1.words = words("old", "a") }, { $1.words = words("old", "b") }) {
            note($0).map { Set($0.words) } == ["old", "b"]
        },
        Row("a set: assigned its own content is assigned", { $1.words = words("a") }, { $1.words = words("old") }) {
            note($0).map { Set($0.words) } == ["old"]
        },
        Row("a set: assigned nothing is assigned", { $1.words = words("a") }, { $1.words = words() }) {
            note($0).map { Set($0.words) } == []
        },
        Row(
            "a dictionary: assigned twice: the later",
            { $1.marks = marks(["a": 1, "b": 2]) },
            { $1.marks = marks(["a": 1, "c": 3]) }
        ) {
            shownMarks($0) == ["a": 1, "c": 3]
        },
        Row(
            "a dictionary: assigned its own content is assigned",
            { $1.marks = marks(["b": 2]) },
            { $1.marks = marks(["a": 1]) }
        ) {
            shownMarks($0) == ["a": 1]
        },
        Row("a list: assigned twice: the later", { $1.lines = lines("a", "1") }, { $1.lines = lines("b") }) {
            note($0).map { Array($0.lines) } == ["b"]
        },
        Row("a list: assigned nothing is assigned", { $1.lines = lines("a") }, { $1.lines = lines() }) {
            note($0).map { Array($0.lines) } == []
        },
        Row("an empty list: assigned twice: the later") { realm, _ in
            realm.object(ofType: Note.self, forPrimaryKey: "other")!.lines = lines("a", "both")
        } _: { realm, _ in
            realm.object(ofType: Note.self, forPrimaryKey: "other")!.lines = lines("b", "both")
        } _: { realm in
            realm.object(ofType: Note.self, forPrimaryKey: "other").map { Array($0.lines) } == ["b", "both"]
        },
        Row("collections: updated by a dictionary of values twice: the later") { realm, _ in
            let value: [String: Any] = ["_id": "other", "lines": ["a"], "words": ["a"], "marks": ["a": 1]]
            realm.create(Note.self, value: value, update: .modified)
        } _: { realm, _ in
            let value: [String: Any] = ["_id": "other", "lines": ["b"], "words": ["b"], "marks": ["b": 2]]
            realm.create(Note.self, value: value, update: .all)
        } _: { realm in
            let other = realm.object(ofType: Note.self, forPrimaryKey: "other")
            return other.map { Array($0.lines) } == ["b"] && other.map { Set($0.words) } == ["b"]
                && other?.marks.count == 1 && other?.marks["b"] == 2
        },
        Row("made twice under one key: collections that nobody touched take nothing") { realm, _ in
            let note = realm.create(Note.self, value: ["_id": "new", "lines": ["x"], "marks": ["k": 1]])
            note.words.insert("x")
            note.next = realm.object(ofType: Note.self, forPrimaryKey: "other")
            note.place = Place(value: ["city": "Bern"])
        } _: { realm, _ in
            realm.create(Note.self, value: ["_id": "new", "text": "B"])
        } _: { realm in
            let note = made(realm)
            return note.map { Array($0.lines) } == ["x"] && note.map { Set($0.words) } == ["x"]
                && note?.marks["k"] == 1 && note?.next?._id == "other" && note?.place?.city == "Bern"
                && note?.text == "B"
        },
        Row(
            "made twice under one key: what is filled in a later transaction stays",
            { realm, _ in realm.create(Note.self, value: ["_id": "new"]) },
            { realm, _ in realm.create(Note.self, value: ["_id": "new", "text": "B"]) },
            afterwards: { realm, _ in
                made(realm)?.lines.append("x")
                made(realm)?.words.insert("x")
            }
        ) { realm in
            made(realm).map { Array($0.lines) } == ["x"] && made(realm).map { Set($0.words) } == ["x"]
        },
        Row("made twice under one key with collections: those of the later") { realm, _ in
            realm.create(Note.self, value: ["_id": "new", "lines": ["a"], "words": ["a"], "marks": ["a": 1]])
        } _: { realm, _ in
            realm.create(Note.self, value: ["_id": "new", "lines": ["b"], "words": ["b"], "marks": ["b": 2]])
        } _: { realm in
            let note = made(realm)
            return note.map { Array($0.lines) } == ["b"] && note.map { Set($0.words) } == ["b"]
                && note?.marks.count == 1 && note?.marks["b"] == 2
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

    @MainActor @Test(arguments: rows) func `both devices show the result in the table`(_ row: Row) async throws {
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
        // Clocks count milliseconds.
        try await Task.sleep(for: .milliseconds(3))
        try two.write { row.later(two, Self.note(two)!) }
        if let afterwards = row.afterwards {
            try await Task.sleep(for: .milliseconds(3))
            try one.write { afterwards(one, Self.note(one)!) }
        }
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
