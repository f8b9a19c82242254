import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdStudio

/// Waiting edits of one list, whose positions are those of the list that the page shows.
struct ListEditTests {
    /// A world with one box, which has a list of words and a list of balls.
    private static func world(words: [String], balls: [String]) throws -> StudioWorld {
        try StudioWorld(writes: true) { write in
            try write.applySchema([
                TableSpec(
                    "Box",
                    columns: [
                        ColumnSpec("words", .string, collection: .list),
                        ColumnSpec("balls", .link, collection: .list, target: "Ball"),
                        ColumnSpec("parts", .link, collection: .list, target: "Part"),
                        ColumnSpec("marks", .string, collection: .set),
                    ]
                ),
                TableSpec("Ball", columns: [ColumnSpec("name", .string)]),
                TableSpec("Part", columns: [ColumnSpec("name", .string)], isEmbedded: true),
            ])
            let (box, ball, part) = (
                write.schema.table(named: "Box")!, write.schema.table(named: "Ball")!,
                write.schema.table(named: "Part")!
            )
            let key = try write.create(box)
            try write.listAppend(box.column(named: "words")!, key, values: words.map { .string($0) })
            for name in balls {
                let made = try write.create(ball)
                try write.set(ball.columns[0], made, to: .string(name))
                try write.listAppend(box.column(named: "balls")!, key, values: [.link(made)])
                let owned = try write.create(part)
                try write.set(part.columns[0], owned, to: .string(name))
                try write.listAppend(box.column(named: "parts")!, key, values: [.link(owned)])
            }
            _ = try write.setInsert(box.column(named: "marks")!, key, values: words.map { .string($0) })
        }
    }

    private static func edit(_ kind: String, _ property: String, _ more: [StudioJSON.Member]) -> StudioJSON {
        let members: [StudioJSON.Member] = [
            .init("class", "Box"), .init("key", 0), .init("property", .string(property)),
        ]
        return .object([.init(kind, .object(members + more))])
    }

    private static func remove(_ property: String, _ at: Int) -> StudioJSON {
        edit("remove", property, [.init("at", .number(of: at))])
    }

    private static func move(_ property: String, _ from: Int, _ to: Int) -> StudioJSON {
        edit("move", property, [.init("from", .number(of: from)), .init("to", .number(of: to))])
    }

    private static func insert(_ property: String, _ at: Int, _ value: StudioJSON) -> StudioJSON {
        edit("insert", property, [.init("at", .number(of: at)), .init("value", value)])
    }

    /// Returns the words of the box, or the names of its balls or parts.
    private static func texts(_ world: StudioWorld, _ property: String = "words") throws -> [String] {
        let view = try world.database.snapshot()
        let column = view.schema.table(named: "Box")!.column(named: property)!
        return view.listValues(column, ObjectKey(0)).map { value in
            switch value {
            case .string(let text): return text
            case .link(let key):
                let target = view.schema.table(id: column.targetTableID!)!
                if case .string(let name) = view.value(target.columns[0], key) { return name }
                return "?"
            default: return "?"
            }
        }
    }

    private static func text(_ page: TestPage, _ edits: [StudioJSON]) async throws -> StudioJSON {
        for edit in edits { try await page.ask("stage", ["edits": [edit]]) }
        return try await page.ask("write")
    }

    @Test(arguments: ["words", "balls", "parts", "marks"])
    func `Two removals that wait remove the two elements that the page shows`(_ property: String) async throws {
        let world = try Self.world(words: ["a", "b", "c", "d"], balls: ["a", "b", "c", "d"])
        let page = try await world.page()
        let written = try await Self.text(page, [Self.remove(property, 0), Self.remove(property, 1)])
        expectEqual(try Self.texts(world, property), ["c", "d"])
        guard property != "parts" else { return }
        try await page.ask("undo", ["version": written["version"]!])
        expectEqual(try Self.texts(world, property), ["a", "b", "c", "d"])
    }

    @Test func `The dry run shows the elements that the positions name`() async throws {
        let world = try Self.world(words: ["a", "b", "c"], balls: [])
        let page = try await world.page()
        try await page.ask(
            "stage",
            ["edits": [Self.remove("words", 0), Self.insert("words", 2, "x"), Self.move("words", 2, 1)]]
        )
        let checked = try await page.ask("check").parsed
        expectEqual(checked["conflicts"]?.elements?.count, 0)
        expectEqual(
            checked["difference"]?.elements?.first?["properties"]?.written,
            #"[{"name":"words","old":"a","new":null,"element":true},{"name":"words","old":null,"new":"x","element":true},"#
                + #"{"name":"words","old":null,"new":"c","element":true}]"#
        )
        try await page.ask("write")
        expectEqual(try Self.texts(world), ["c", "b", "x"])
    }

    @Test func `Several elements are inserted in the order of their edits`() async throws {
        let world = try Self.world(words: ["a", "b"], balls: [])
        let page = try await world.page()
        _ = try await Self.text(
            page,
            [
                Self.insert("words", 2, "1"), Self.insert("words", 2, "2"), Self.insert("words", 1, "3"),
                Self.insert("words", 1, "4"), Self.insert("words", 0, "5"),
            ]
        )
        expectEqual(try Self.texts(world), ["5", "a", "3", "4", "b", "1", "2"])
    }

    @Test func `A second edit of an element replaces the first one`() async throws {
        let world = try Self.world(words: ["a", "b", "c"], balls: [])
        let page = try await world.page()
        func count(_ edit: StudioJSON) async throws -> Int? {
            try await page.ask("stage", ["edits": [edit]])["count"]?.int
        }
        let replace = Self.edit("replace", "words", [.init("at", 0), .init("value", "x")])
        expectEqual(try await count(Self.remove("words", 0)), 1)
        expectEqual(try await count(Self.remove("words", 0)), 1)
        expectEqual(try await count(replace), 1)
        expectEqual(try await count(Self.move("words", 0, 1)), 2)
        expectEqual(try await count(Self.move("words", 0, 2)), 2)
        expectEqual(try await count(Self.remove("words", 2)), 3)
        expectEqual(try await count(Self.move("words", 2, 1)), 3)
        try await page.ask("write")
        expectEqual(try Self.texts(world), ["c", "b", "x"])
    }

    @Test func `An element that another commit has moved is a conflict`() async throws {
        let world = try Self.world(words: ["a", "b", "c"], balls: [])
        let page = try await world.page()
        try await page.ask("stage", ["edits": [Self.remove("words", 0), Self.remove("words", 1)]])
        try world.write { write in
            let box = write.schema.table(named: "Box")!
            try write.listInsert(box.column(named: "words")!, ObjectKey(0), at: 0, value: .string("new"))
        }
        expectEqual(try await page.ask("check")["conflicts"]?.elements?.count, 2)
        expectEqual(await page.refusal("write"), "conflict")
        expectEqual(try Self.texts(world), ["new", "a", "b", "c"])
    }

    @Test func `An undo is refused after another commit has changed the list`() async throws {
        let world = try Self.world(words: ["a", "b", "c", "d"], balls: [])
        let page = try await world.page()
        let written = try await Self.text(page, [Self.remove("words", 0), Self.remove("words", 2)])
        try world.write { write in
            let box = write.schema.table(named: "Box")!
            try write.listInsert(box.column(named: "words")!, ObjectKey(0), at: 1, value: .string("new"))
        }
        expectEqual(await page.refusal("undo", ["version": written["version"]!]), "conflict")
        expectEqual(try Self.texts(world), ["b", "new", "d"])
    }

    @Test func `An edit of an object that another edit deletes is an error of the check`() async throws {
        let world = try Self.world(words: ["a"], balls: ["a", "b"])
        let page = try await world.page()
        try await page.ask(
            "stage",
            [
                "edits": [
                    ["delete": ["class": "Ball", "keys": [0, 0]]], ["delete": ["class": "Ball", "keys": [0]]],
                    ["set": ["class": "Ball", "key": 0, "property": "name", "value": "x"]], Self.remove("balls", 0),
                ]
            ]
        )
        let checked = try await page.ask("check").parsed
        expectEqual(try await page.ask("waiting")["count"]?.int, 3)
        expectEqual(checked["errors"]?.elements?.count, 2, "\(checked.written)")
        expectEqual(await page.refusal("write"), "conflict")
    }

    /// Elements with their positions in the stored list, or with a text. The second implementation of the positions.
    private struct Oracle {
        struct Element: Equatable {
            var stored: Int?
            var text: String
            var isGone = false
        }

        var elements: [Element]

        init(_ texts: [String]) { elements = texts.enumerated().map { Element(stored: $0, text: $1) } }

        var texts: [String] { elements.filter { !$0.isGone }.map(\.text) }

        func place(_ stored: Int) -> Int { elements.firstIndex { $0.stored == stored } ?? elements.count }

        mutating func insert(_ text: String, at stored: Int) {
            elements.insert(Element(stored: nil, text: text), at: place(stored))
        }

        mutating func move(_ from: Int, to: Int) {
            guard from != to else { return }
            let element = elements.remove(at: place(from))
            elements.insert(element, at: to > from && !elements[place(to)].isGone ? place(to) + 1 : place(to))
        }
    }

    @Test(arguments: ["words", "balls"])
    func `Edits of a list agree with an oracle, and are undone`(_ property: String) async throws {
        var random = SeededRandom(test: "studio lists \(property)")
        for _ in 0..<40 {
            let names = (0..<random.below(9) + 1).map { "e\($0)" }
            let world = try Self.world(words: names, balls: names)
            let page = try await world.page()
            var oracle = Oracle(names)
            var (removable, movable) = (Set(names.indices), Set(names.indices))
            var edits: [StudioJSON] = []
            for round in 0..<random.below(12) + 1 {
                let at = random.below(names.count)
                let value: StudioJSON = property == "words" ? .string("n\(round)") : ["to": "Ball", "key": 0]
                let text = property == "words" ? "n\(round)" : "e0"
                switch random.below(5) {
                case 0 where removable.contains(at) && movable.contains(at):
                    // A removed element of the list of balls may be deleted with its object.
                    let deletes = property == "balls" && at != 0 && random.chance(50)
                    edits.append(
                        deletes
                            ? ["delete": ["class": "Ball", "keys": [.number(of: at)]]] : Self.remove(property, at)
                    )
                    oracle.elements[oracle.place(at)].isGone = true
                    removable.remove(at)
                    movable.remove(at)
                case 1 where removable.contains(at):
                    edits.append(
                        Self.edit("replace", property, [.init("at", .number(of: at)), .init("value", value)])
                    )
                    oracle.elements[oracle.place(at)].text = text
                    removable.remove(at)
                case 2 where movable.contains(at):
                    let to = random.below(names.count)
                    edits.append(Self.move(property, at, to))
                    oracle.move(at, to: to)
                    movable.remove(at)
                default:
                    let place = random.below(names.count + 1)
                    edits.append(Self.insert(property, place, value))
                    oracle.insert(text, at: place)
                }
            }
            let written = try await Self.text(page, edits)
            let all = edits.map(\.written).joined(separator: "\n")
            expectEqual(try Self.texts(world, property), oracle.texts, "\(all)")
            guard written["objects"]?.int ?? 0 > 0 else { continue }
            let undone = try await page.ask("undo", ["version": written["version"]!])
            expectEqual(try Self.texts(world, property), names, "\(all)")
            try await page.ask("undo", ["version": undone["version"]!])
            expectEqual(try Self.texts(world, property), oracle.texts, "\(all)")
            expectEqual(try world.database.snapshot().verify(), [])
        }
    }
}
