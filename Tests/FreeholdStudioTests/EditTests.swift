import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdStudio

/// Edits with dry runs, conflicts and undo.
struct EditTests {
    private static func set(_ key: Int, _ property: String, _ value: StudioJSON) -> StudioJSON {
        ["set": ["class": "Person", "key": .number(of: key), "property": .string(property), "value": value]]
    }

    private static func value(_ world: StudioWorld, _ key: Int, _ property: String) throws -> Value {
        let view = try world.database.snapshot()
        return view.value(view.schema.table(named: "Person")!.column(named: property)!, ObjectKey(Int64(key)))
    }

    private static func change(_ world: StudioWorld, _ key: Int, _ property: String, to value: Value) throws {
        try world.write { write in
            try write.set(
                write.schema.table(named: "Person")!.column(named: property)!,
                ObjectKey(Int64(key)),
                to: value
            )
        }
    }

    @Test func `An edit waits, is checked, written as one transaction, and undone`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let staged = try await page.ask(
            "stage",
            ["edits": [Self.set(1, "name", "Ada"), Self.set(1, "age", "36"), Self.set(1, "name", "Eva")]]
        )
        expectEqual(staged["count"]?.int, 2)
        expectEqual(staged.parsed["waiting"]?.elements?.first?["old"]?.text, "Person 1")
        let version = try world.database.snapshot().version
        let checked = try await page.ask("check")
        expectEqual(try world.database.snapshot().version, version)
        expectEqual(checked["objects"]?.int, 1)
        expectEqual(
            checked.parsed["difference"]?.elements?.first?["properties"]?.written,
            #"[{"name":"name","old":"Person 1","new":"Eva"},{"name":"age","old":"1","new":"36"}]"#
        )
        let written = try await page.ask("write")
        expectEqual(written["version"]?.int, Int(version) + 1)
        expectEqual(try Self.value(world, 1, "name"), .string("Eva"))
        expectEqual(try await page.ask("waiting")["count"]?.int, 0)
        let undone = try await page.ask("undo", ["version": written["version"]!])
        expectEqual(try Self.value(world, 1, "name"), .string("Person 1"))
        expectEqual(try Self.value(world, 1, "age"), .int(1))
        // An undo is an edit like others.
        try await page.ask("undo", ["version": undone["version"]!])
        expectEqual(try Self.value(world, 1, "name"), .string("Eva"))
    }

    @Test func `A value that another writer changed is a conflict, with all three values`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        try await page.ask("stage", ["edits": [Self.set(2, "name", "Mine")]])
        try Self.change(world, 2, "name", to: .string("Theirs"))
        let checked = try await page.ask("check").parsed
        expectEqual(
            checked["conflicts"]?.written,
            #"[{"n":1,"class":"Person","key":2,"property":"name","old":"Person 2","new":"Mine","current":"Theirs"}]"#
        )
        expectEqual(await page.refusal("write"), "conflict")
        expectEqual(try Self.value(world, 2, "name"), .string("Theirs"))
        try await page.ask("write", ["overwrite": true])
        expectEqual(try Self.value(world, 2, "name"), .string("Mine"))
        // The same new value isn't a conflict.
        try await page.ask("stage", ["edits": [Self.set(3, "name", "Same")]])
        try Self.change(world, 3, "name", to: .string("Same"))
        expectEqual(try await page.ask("check")["conflicts"]?.elements?.count, 0)
    }

    @Test func `What another commit has changed since isn't undone`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        try await page.ask("stage", ["edits": [Self.set(4, "name", "Mine")]])
        let written = try await page.ask("write")
        try Self.change(world, 4, "name", to: .string("Theirs"))
        expectEqual(await page.refusal("undo", ["version": written["version"]!]), "conflict")
        expectEqual(try Self.value(world, 4, "name"), .string("Theirs"))
        expectEqual(await page.refusal("undo", ["version": 1]), "notFound")
    }

    @Test func `A deleted object is restored with its key, its embedded objects, its links and the links to it`()
        async throws
    {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        func text(_ id: Int) throws -> String {
            let view = try world.database.snapshot()
            let person = view.schema.table(named: "Person")!
            let key = try require(view.find(primaryKey: .int(Int64(id)), in: person))
            return ObjectText(view: view, facts: SchemaFacts(view)).json(person, key)
        }
        let (before, linking) = (try text(7), try text(8))
        try await page.ask("stage", ["edits": [["delete": ["class": "Person", "keys": [7]]]]])
        let checked = try await page.ask("check").parsed
        expect(
            checked["difference"]?.elements?.contains {
                $0["kind"]?.text == "cascade" && $0["class"]?.text == "Address"
            } == true
        )
        let written = try await page.ask("write")
        expectEqual(try Self.value(world, 8, "friend"), .null)
        let undone = try await page.ask("undo", ["version": written["version"]!])
        expectEqual(undone["renumbered"]?.int, 1)
        expectEqual(try text(7), before)
        expectEqual(try text(8), linking)
        expectEqual(try world.database.snapshot().verify(), [])
    }

    @Test func `Objects are created, and duplicate keys are errors of the check`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let new: StudioJSON = [
            "create": [
                "class": "Person", "values": ["id": "1000", "name": "New", "tags": ["x"], "scores": [["a", "1"]]],
            ]
        ]
        try await page.ask("stage", ["edits": [new]])
        let written = try await page.ask("write")
        let view = try world.database.snapshot()
        let person = view.schema.table(named: "Person")!
        let key = try require(view.find(primaryKey: .int(1_000), in: person))
        expectEqual(view.listValues(person.column(named: "tags")!, key), [.string("x")])
        try await page.ask("undo", ["version": written["version"]!])
        expect(try world.database.snapshot().find(primaryKey: .int(1_000), in: person) == nil)
        try await page.ask("stage", ["edits": [["create": ["class": "Person", "values": ["id": "1"]]]]])
        expectEqual(try await page.ask("check")["errors"]?.elements?.count, 1)
        expectEqual(await page.refusal("write"), "conflict")
        expectEqual(
            await page.refusal("stage", ["edits": [["create": ["class": "Person", "values": [:]]]]]),
            "invalid"
        )
    }

    @Test func `Elements of collections are edited, and undone`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        func edit(_ kind: String, _ property: String, _ more: [StudioJSON.Member]) -> StudioJSON {
            .object([
                .init(
                    kind,
                    .object([.init("class", "Person"), .init("key", 9), .init("property", .string(property))] + more)
                )
            ])
        }
        try await page.ask(
            "stage",
            [
                "edits": [
                    edit("insert", "pets", [.init("at", 1), .init("value", ["to": "Pet", "key": 3])]),
                    edit("move", "pets", [.init("from", 0), .init("to", 0)]),
                    edit("insert", "tags", [.init("at", 0), .init("value", "c")]),
                    edit("replace", "scores", [.init("at", "x"), .init("value", "77")]),
                    edit("insert", "scores", [.init("at", "y"), .init("value", "78")]),
                ]
            ]
        )
        let written = try await page.ask("write")
        let person = try world.database.snapshot().schema.table(named: "Person")!
        func values(_ name: String) throws -> [Value] {
            try world.database.snapshot().listValues(person.column(named: name)!, ObjectKey(9))
        }
        expectEqual(try values("pets"), [.link(ObjectKey(9)), .link(ObjectKey(3))])
        expectEqual(try values("tags").count, 3)
        expectEqual(try values("scores"), [.int(77), .int(78)])
        try await page.ask("undo", ["version": written["version"]!])
        expectEqual(try values("pets"), [.link(ObjectKey(9))])
        expectEqual(try values("tags"), [.string("a"), .string("b")])
        expectEqual(try values("scores"), [.int(9)])
        expectEqual(await page.refusal("stage", ["edits": [edit("remove", "pets", [.init("at", 5)])]]), "invalid")
    }

    @Test func `Texts are read by the type of the property`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        func text(_ property: String, _ text: String) -> StudioJSON {
            ["set": ["class": "Person", "key": 1, "property": .string(property), "text": .string(text), "null": true]]
        }
        try await page.ask(
            "stage",
            [
                "edits": [
                    text("age", " 12 "), text("born", "2001-02-03T04:05:06Z"), text("photo", "0x00ff"),
                    text("friend", "50"),
                ]
            ]
        )
        try await page.ask("write")
        expectEqual(try Self.value(world, 1, "age"), .int(12))
        expectEqual(try Self.value(world, 1, "photo"), .data(Data([0, 255])))
        expectEqual(try Self.value(world, 1, "friend"), .link(ObjectKey(50)))
        try await page.ask("stage", ["edits": [text("age", "")]])
        try await page.ask("write")
        expectEqual(try Self.value(world, 1, "age"), .null)
        for (property, wrong) in [
            ("age", "12.5"), ("born", "yesterday"), ("photo", "0xz"), ("friend", "999999"),
            ("age", "99999999999999999999"),
        ] {
            let code = await page.refusal("stage", ["edits": [text(property, wrong)]])
            expect(code == "invalid" || code == "notFound", "\(property) = \(wrong)")
        }
        expectEqual(await page.refusal("stage", ["edits": [text("id", "5")]]), "invalid")
    }

    @Test func `An edit of more than a thousand objects needs their number`() async throws {
        let world = try StudioWorld(writes: true) { try StudioWorld.fill($0, people: 1_200) }
        let page = try await world.page()
        let opened = try await page.ask("open", ["class": "Person"])
        try await page.ask(
            "stage",
            ["edits": [["setAll": ["cursor": opened["cursor"]!, "property": "city", "value": "Oslo"]]]]
        )
        expectEqual(try await page.ask("check")["confirm"]?.int, 1_200)
        expectEqual(await page.refusal("write"), "invalid")
        expectEqual(await page.refusal("write", ["confirm": 1_199]), "invalid")
        try await page.ask("write", ["confirm": 1_200])
        expectEqual(try Self.value(world, 1_199, "city"), .string("Oslo"))
    }

    @Test func `Edits agree with an oracle while a second writer changes the same values`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        var random = SeededRandom(test: "studio edits")
        var model = try (0..<10).map { try Self.value(world, $0, "age") }
        for round in 0..<60 {
            let key = random.below(10)
            let based = model[key]
            let new = Value.int(Int64(random.below(1_000)))
            guard case .int(let number) = new else { continue }
            try await page.ask("discard")
            _ = try await page.ask("file")
            try await page.ask("stage", ["edits": [Self.set(key, "age", .string("\(number)"))]])
            if random.chance(50) {
                model[key] = .int(Int64(2_000 + round))
                try Self.change(world, key, "age", to: model[key])
            }
            let isConflict = model[key] != based && model[key] != new
            let code = await page.refusal("write")
            expectEqual(code, isConflict ? "conflict" : nil)
            if !isConflict { model[key] = new }
            expectEqual(try Self.value(world, key, "age"), model[key])
        }
    }

    @Test func `A check needs no lock, and a write waits two seconds for another writer`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        try await page.ask("stage", ["edits": [Self.set(1, "name", "Ada")]])
        let other = try world.database.beginWrite()
        expectEqual(try await page.ask("check")["objects"]?.int, 1)
        expectEqual(await page.refusal("write"), "busy")
        other.cancel()
        try await page.ask("write")
    }

    @Test(.timeLimit(.minutes(1))) func `Staging many edits takes time in proportion to their number`() throws {
        var edits = StagedEdits()
        func all(_ value: Int64) -> [StagedEdit] {
            (0..<StagedEdits.mostEdits).map { i in
                StagedEdit(
                    number: i + 1,
                    className: "Person",
                    key: ObjectKey(Int64(i)),
                    action: .set(property: "city", to: .int(value)),
                    base: .value(.null),
                    json: .null
                )
            }
        }
        edits.add(all(1))
        edits.add(all(2))
        expectEqual(edits.edits.count, StagedEdits.mostEdits)
        expectEqual(edits.edits.last?.newValue, .int(2))
        edits.discardLast()
        expectEqual(edits.edits.count, 0)
    }

    @Test func `The last thousand waiting edits are listed, and those of the last request are discarded together`()
        async throws
    {
        let world = try StudioWorld(writes: true) { try StudioWorld.fill($0, people: 1_200) }
        let page = try await world.page()
        let opened = try await page.ask("open", ["class": "Person"])
        let all: StudioJSON = ["setAll": ["cursor": opened["cursor"]!, "property": "city", "value": "Oslo"]]
        var waiting = try await page.ask("stage", ["edits": [all]]).parsed
        expectEqual(waiting["count"]?.int, 1_200)
        expectEqual(waiting["waiting"]?.elements?.count, 1_000)
        expectEqual(waiting["waiting"]?.elements?.last?["n"]?.int, 1_200)
        expectEqual(waiting["waiting"]?.elements?.last?["key"]?.int, 1_199)
        try await page.ask("stage", ["edits": [Self.set(3, "name", "Last")]])
        waiting = try await page.ask("discard", ["last": true]).parsed
        expectEqual(waiting["count"]?.int, 1_200)
        waiting = try await page.ask("discard", ["edits": [1, 2]]).parsed
        expectEqual(waiting["count"]?.int, 1_198)
        expectEqual(try await page.ask("discard", ["last": true])["count"]?.int, 0)
        expectEqual(try await page.ask("discard", ["last": true])["count"]?.int, 0)
    }

    @Test func `The objects in ranges of rows are deleted, unless the rows have moved`() async throws {
        let world = try StudioWorld(writes: true) { try StudioWorld.fill($0, people: 700) }
        let page = try await world.page()
        let opened = try await page.ask("open", ["class": "Person", "sort": [["id", "desc"]]])
        func delete(_ ranges: StudioJSON) -> StudioJSON {
            ["edits": [["delete": ["cursor": opened["cursor"]!, "ranges": ranges]]]]
        }
        let staged = try await page.ask("stage", delete([[0, 600], [650, 9_999]]))
        expectEqual(staged["count"]?.int, 650)
        expectEqual(staged.parsed["waiting"]?.elements?.last?["key"]?.int, 0)
        try await page.ask("discard")
        try world.write { write in
            _ = try write.create(write.schema.table(named: "Person")!, primaryKey: .int(5_000))
        }
        let push = await page.push("changed")
        expectEqual(push["moved"]?.flag, true)
        expectEqual(await page.refusal("stage", delete([[0, 1]])), "conflict")
        try await page.ask("seen", ["cursor": opened["cursor"]!])
        let again = try await page.ask("stage", delete([[0, 1]])).parsed
        expectEqual(again["waiting"]?.elements?.first?["key"]?.int, 700)
        expectEqual(await page.refusal("stage", delete("x")), "invalid")
    }

    @Test func `Edits link to objects that other edits create`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let pet: StudioJSON = ["to": "Pet", "as": "new1"]
        let friend: StudioJSON = ["to": "Person", "as": "new2"]
        try await page.ask("stage", ["edits": [Self.set(1, "friend", ["to": "Person", "key": 5])]])
        let staged = try await page.ask(
            "stage",
            [
                "edits": [
                    ["create": ["class": "Pet", "values": ["name": "Rex"], "as": "new1"]],
                    [
                        "create": [
                            "class": "Person", "values": ["id": "500", "name": "Ada", "pets": [pet]], "as": "new2",
                        ]
                    ],
                    ["insert": ["class": "Person", "key": 9, "property": "pets", "at": 1, "value": pet]],
                    Self.set(1, "friend", friend),
                    Self.set(2, "extra", ["is": "link", "value": pet]),
                ]
            ]
        ).parsed
        // The edit of the same value has moved behind the creation.
        expectEqual(staged["count"]?.int, 5)
        let last = staged["waiting"]?.elements?.first { $0["property"]?.text == "friend" }
        expectEqual(last?["new"]?.written, #"{"to":"Person","as":"new2","title":"Ada"}"#)
        expectEqual(last?["n"]?.int, 1)
        let written = try await page.ask("write")
        let view = try world.database.snapshot()
        let (person, pets) = (view.schema.table(named: "Person")!, view.schema.table(named: "Pet")!)
        let ada = try require(view.find(primaryKey: .int(500), in: person))
        let rex = ObjectKey(100)
        expectEqual(view.value(pets.columns[0], rex), .string("Rex"))
        expectEqual(view.listValues(person.column(named: "pets")!, ada), [.link(rex)])
        expectEqual(view.listValues(person.column(named: "pets")!, ObjectKey(9)), [.link(ObjectKey(9)), .link(rex)])
        expectEqual(try Self.value(world, 1, "friend"), .link(ada))
        expectEqual(try Self.value(world, 2, "extra"), .objectLink(ObjectLink(tableID: pets.id, key: rex)))
        let undone = try await page.ask("undo", ["version": written["version"]!])
        expectEqual(try Self.value(world, 1, "friend"), .link(ObjectKey(0)))
        // The object is restored with another key, and with its links.
        try await page.ask("undo", ["version": undone["version"]!])
        let last2 = try world.database.snapshot()
        let again = try require(last2.find(primaryKey: .int(500), in: person))
        expectEqual(try Self.value(world, 1, "friend"), .link(again))
        let restored = last2.listLinks(person.column(named: "pets")!, again)
        expectEqual(last2.listLinks(person.column(named: "pets")!, ObjectKey(9)), [ObjectKey(9)] + restored)
        expectEqual(restored.map { last2.value(pets.columns[0], $0) }, [.string("Rex")])
        expectEqual(last2.verify(), [])
    }

    @Test func `A link to an object that isn't created is an error`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let link = Self.set(1, "friend", ["to": "Person", "as": "new1"])
        expectEqual(await page.refusal("stage", ["edits": [link]]), "notFound")
        let create: StudioJSON = ["create": ["class": "Person", "values": ["id": "500"], "as": "new1"]]
        try await page.ask("stage", ["edits": [create, link]])
        expectEqual(await page.refusal("stage", ["edits": [create]]), "invalid")
        let pet = Self.set(1, "extra", ["is": "link", "value": ["to": "Pet", "as": "new1"]])
        expectEqual(await page.refusal("stage", ["edits": [pet]]), "notFound")
        try await page.ask("discard", ["edits": [1]])
        let checked = try await page.ask("check").parsed
        expectEqual(checked["errors"]?.elements?.count, 1)
        expectEqual(try await page.ask("waiting")["count"]?.int, 1)
        expectEqual(await page.refusal("write"), "conflict")
    }

    @Test func `Deleted objects that link to each other are restored with their links`() async throws {
        let world = try StudioWorld(writes: true) { write in
            try write.applySchema([
                TableSpec(
                    "Node",
                    columns: [
                        ColumnSpec("name", .string), ColumnSpec("next", .link, optional: true, target: "Node"),
                        ColumnSpec("others", .link, collection: .list, target: "Node"),
                    ]
                )
            ])
            let node = write.schema.table(named: "Node")!
            let keys = try (0..<3).map { _ in try write.create(node) }
            for (i, key) in keys.enumerated() {
                try write.set(node.column(named: "name")!, key, to: .string("n\(i)"))
                try write.set(node.column(named: "next")!, key, to: .link(keys[(i + 1) % 3]))
                try write.listAppend(node.column(named: "others")!, key, values: keys.map { .link($0) })
            }
        }
        func text() throws -> [String] {
            let view = try world.database.snapshot()
            let node = view.schema.table(named: "Node")!
            func name(_ value: Value) -> String {
                guard case .link(let key) = value, case .string(let name) = view.value(node.columns[0], key) else {
                    return "null"
                }
                return name
            }
            return (0..<view.count(node)).map { view.key(at: $0, in: node) }.map { key in
                let others = view.listValues(node.columns[2], key).map(name).joined(separator: ",")
                return "\(name(.link(key))) → \(name(view.value(node.columns[1], key))), \(others)"
            }.sorted()
        }
        let page = try await world.page()
        let before = try text()
        try await page.ask(
            "stage",
            [
                "edits": [
                    ["set": ["class": "Node", "key": 1, "property": "name", "value": "changed"]],
                    ["remove": ["class": "Node", "key": 2, "property": "others", "at": 0]],
                    ["delete": ["class": "Node", "keys": [0, 1]]],
                ]
            ]
        )
        let written = try await page.ask("write")
        expectEqual(try text(), ["n2 → null, n2"])
        try await page.ask("undo", ["version": written["version"]!])
        expectEqual(try text(), before)
        expectEqual(try world.database.snapshot().verify(), [])
    }

    @Test func `A write whose rule deletes further objects can't be undone`() async throws {
        let world = try StudioWorld(writes: true) { write in
            var link = ColumnSpec("parts", .link, collection: .list, target: "Part")
            link.rules.targets = .cascade
            try write.applySchema([
                TableSpec("Whole", columns: [link]), TableSpec("Part", columns: [ColumnSpec("name", .string)]),
            ])
            let (whole, part) = (write.schema.table(named: "Whole")!, write.schema.table(named: "Part")!)
            let key = try write.create(whole)
            try write.listAppend(whole.columns[0], key, values: [.link(try write.create(part))])
        }
        let page = try await world.page()
        try await page.ask("stage", ["edits": [["delete": ["class": "Whole", "keys": [0]]]]])
        expectEqual(try await page.ask("check")["undo"]?.flag, false)
        expectEqual(try await page.ask("write")["undo"]?.flag, false)
    }
}
