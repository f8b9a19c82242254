import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdStudio

/// Requests and answers of a session.
struct SessionTests {
    @Test func `A file opens with its classes, rows and changes of other writers`() async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        let classes = try await page.ask("classes")["classes"]?.elements ?? []
        expectEqual(classes.map { $0["class"]?.text }, ["Person", "Pet", "Address"])
        expectEqual(classes[0]["count"]?.int, 100)
        expectEqual(classes[2]["kind"]?.text, "embedded")
        let opened = try await page.ask("open", ["class": "Person", "columns": ["id", "name", "friend"]])
        let cursor = try require(opened["cursor"])
        let rows = try await page.ask("rows", ["cursor": cursor, "from": 10, "to": 12]).parsed
        expectEqual(
            rows["rows"]?.written,
            #"[[10,["10","Person 10",{"to":"Person","key":9,"title":"Person 9"}]],[11,["11","Person 11",{"to":"Person","key":10,"title":"Person 10"}]]]"#
        )
        try world.write { write in
            let person = write.schema.table(named: "Person")!
            try write.set(person.column(named: "name")!, ObjectKey(10), to: .string("Renamed"))
        }
        let changed = await page.push("changed")
        expectEqual(changed["moved"]?.flag, false)
        // The title of the link in the next row has changed, too.
        expectEqual(changed["cells"]?.written, "[[10,[1]],[11,[2]]]")
        try await page.ask("seen", ["cursor": cursor, "version": 1])
        try world.write { write in
            let person = write.schema.table(named: "Person")!
            write.delete(person, ObjectKey(3))
        }
        let moved = await page.push("changed")
        expectEqual(moved["movedFrom"]?.int, 3)
        expectEqual(moved["count"]?.int, 99)
    }

    @Test func `Hostile requests are errors, and the session goes on`() async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        expectEqual(await page.refusal("nothing"), "unknown")
        expectEqual(await page.refusal("rows"), "invalid")
        expectEqual(await page.refusal("rows", ["cursor": 99, "from": 0, "to": 1]), "notFound")
        expectEqual(await page.refusal("open", ["class": "Persn"]), "notFound")
        expectEqual(await page.refusal("open", ["class": "Person", "query": "nam == 1"]), "query")
        expectEqual(await page.refusal("open", ["class": "Person", "sort": ["name"]]), "invalid")
        expectEqual(await page.refusal("object", ["class": "Person", "key": 9_999_999]), "notFound")
        expectEqual(await page.refusal("openFile", ["file": "/etc/passwd"]), "notFound")
        expectEqual(await page.refusal("part", ["class": "Person", "key": 1, "path": []]), "invalid")
        expectEqual(await page.refusal("complete", ["class": "Person", "text": "a", "at": 99]), "invalid")
        expectEqual(await page.refusal("code", ["language": "cobol"]), "invalid")
        let opened = try await page.ask("open", ["class": "Person"])
        expectEqual(await page.refusal("rows", ["cursor": opened["cursor"]!, "from": 0, "to": 501]), "tooLarge")
        expectEqual(
            try await page.ask("rows", ["cursor": opened["cursor"]!, "from": 90, "to": 300])["rows"]!.parsed.elements?
                .count,
            10
        )
    }

    @Test func `Without --write, editing requests are refused before they are examined`() async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        for name in [
            "stage", "check", "write", "undo", "import", "preview", "importCheck", "importRun", "migrate", "compact",
        ] {
            expectEqual(await page.refusal(name, ["edits": 5]), "readOnly", "\(name)")
        }
        expectEqual(try await page.ask("file")["flags"]?["write"]?.flag, false)
    }

    @Test func `The number of open queries is bounded, and a newer query of a table replaces the older one`()
        async throws
    {
        let world = try StudioWorld()
        let page = try await world.page()
        for _ in 0..<StudioSession.mostCursors { try await page.ask("open", ["class": "Pet"]) }
        expectEqual(await page.refusal("open", ["class": "Pet"]), "limit")
        let other = try await world.page()
        let first = try await other.ask("open", ["class": "Pet", "table": "main"])
        try await other.ask("open", ["class": "Person", "table": "main"])
        expectEqual(await other.refusal("rows", ["cursor": first["cursor"]!, "from": 0, "to": 1]), "notFound")
    }

    @Test func `A hidden page holds no version, and is current when it is shown again`() async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        let opened = try await page.ask("open", ["class": "Person", "query": "age > 5"])
        try await page.ask("rows", ["cursor": opened["cursor"]!, "from": 0, "to": 5])
        try await page.ask("pause")
        try world.write { write in
            let person = write.schema.table(named: "Person")!
            for key in 0..<20 { write.delete(person, ObjectKey(Int64(key))) }
        }
        try await page.ask("resume")
        let push = await page.push("changed")
        expectEqual(push["moved"]?.flag, true)
        let view = try world.database.snapshot()
        let person = view.schema.table(named: "Person")!
        expectEqual(push["count"]?.int, try RowQuery("age > 5", of: person, in: view).count(in: view))
    }

    @Test func `An object has its fields, its links in both directions, and its parts`() async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        let object = try await page.ask("object", ["class": "Person", "key": 5, "follow": true, "json": true]).parsed
        let fields = Dictionary(
            uniqueKeysWithValues: (object["fields"]?.elements ?? []).map { ($0.elements![0].text!, $0.elements![1]) }
        )
        expectEqual(object["title"]?.text, "Person 5")
        expectEqual(fields["pets"]?["count"]?.int, 1)
        expectEqual(fields["address"]?["fields"]?.elements?.first?.written, #"["street","Street 5"]"#)
        expectEqual(fields["tags"]?.written, #"{"count":2,"head":["a","b"]}"#)
        expectEqual(fields["scores"]?.written, #"{"count":1,"head":[["x","5"]]}"#)
        expectEqual(
            fields["extra"]?.written,
            #"{"is":"list","value":{"count":2,"head":[{"is":"int","value":"1"},{"is":"string","value":"two"}]}}"#
        )
        expectEqual(object["links"]?.written, #"[{"class":"Person","property":"friend","count":1}]"#)
        expect(object["json"]?.text?.contains(#""name":"Person 5""#) == true)
        let linked = try await page.ask(
            "linked",
            ["class": "Person", "key": 5, "by": ["class": "Person", "property": "friend"], "from": 0, "to": 10]
        ).parsed
        expectEqual(linked["objects"]?.written, #"[{"to":"Person","key":6,"title":"Person 6"}]"#)
        let part = try await page.ask("part", ["class": "Person", "key": 5, "path": ["extra"], "from": 1, "to": 9])
            .parsed
        expectEqual(part["elements"]?.written, #"[{"is":"string","value":"two"}]"#)
        let address = try await page.ask("object", ["class": "Address", "key": 5]).parsed
        expectEqual(address["owner"]?["title"]?.text, "Person 5")
        try world.write { write in
            let person = write.schema.table(named: "Person")!
            try write.set(person.column(named: "city")!, ObjectKey(5), to: .string("Oslo"))
        }
        expectEqual(await page.push("object")["fields"]?.written, #"["city"]"#)
        try world.write { write in write.delete(write.schema.table(named: "Person")!, ObjectKey(5)) }
        expectEqual(await page.push("object")["gone"]?.flag, true)
    }

    @Test func `Completion follows links, and errors have their place in UTF-16`() async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        let words = try await page.ask("complete", ["class": "Person", "text": "friend.na", "at": 9])
        expectEqual(words["words"]?.elements?.first?["word"]?.text, "name")
        expectEqual(words["from"]?.int, 7)
        let operations = try await page.ask("complete", ["class": "Person", "text": "pets.@c", "at": 7])
        expectEqual(operations["words"]?.elements?.map { $0["word"]?.text }, ["@count"])
        let inString = try await page.ask("complete", ["class": "Person", "text": "name == 'na", "at": 11])
        expectEqual(inString["words"]?.elements?.count, 0)
        let parsed = try await page.ask("parse", ["class": "Person", "text": "name == '😀' && agee > 3"])
        expectEqual(parsed["error"]?["at"]?.int, 16)
        expectEqual(parsed["error"]?["meant"]?.elements?.first?.text, "age")
        expectEqual(parsed["tokens"]?.elements?.first?.written, #"[0,4,"name"]"#)
    }

    @Test func `Plans, sums, facets and conditions agree with the data`() async throws {
        let world = try StudioWorld { try StudioWorld.fill($0, people: 3_000) }
        let page = try await world.page()
        let opened = try await page.ask("open", ["class": "Person", "query": "city == 'Rome'"])
        let cursor = opened["cursor"]!
        expectEqual(opened["count"]?.int, 1_000)
        let plan = try await page.ask("plan", ["cursor": cursor])
        expectEqual(plan["matches"]?.int, 1_000)
        expectEqual(plan["steps"]?.elements?.first?["operation"]?.text, "scan")
        let selective = try await page.ask("open", ["class": "Person", "query": "city == 'Rome' && age == 49"])
        let hints = try await page.ask("plan", ["cursor": selective["cursor"]!])["hints"]?.elements ?? []
        expectEqual(hints.first?["properties"]?.written, #"["city"]"#)
        let sums = try await page.ask("sum", ["cursor": cursor, "ranges": [[0, 10]], "columns": ["id", "age"]]).parsed
        expectEqual(sums["rows"]?.int, 10)
        expectEqual(sums["columns"]?.elements?.first?["sum"]?.text, "\((0..<10).reduce(0) { $0 + 2 + $1 * 3 })")
        let facets = try await page.ask("facets", ["cursor": cursor, "property": "city"]).parsed
        expectEqual(facets["values"]?.elements?.first?["count"]?.int, 1_000)
        let query = try require(facets["values"]?.elements?.first?["query"])
        expectEqual(try await page.ask("open", ["class": "Person", "query": query])["count"]?.int, 1_000)
        let condition = try await page.ask("condition", ["class": "Person", "key": 7, "property": "friend"])
        expectEqual(try await page.ask("open", ["class": "Person", "query": condition["query"]!])["count"]?.int, 1)
        let place = try await page.ask("place", ["cursor": cursor, "key": 5])
        expectEqual(place["index"]?.int, 1)
    }

    @Test func `The palette finds classes, keys and titles`() async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        let byKey = try await page.ask("find", ["text": "42"])
        expect(byKey["results"]?.elements?.contains { $0["key"]?.int == 42 && $0["class"]?.text == "Person" } == true)
        let byTitle = try await page.ask("find", ["text": "person 7"])
        expect(byTitle["results"]?.elements?.contains { $0["title"]?.text == "Person 7" } == true)
        let byClass = try await page.ask("find", ["text": "Addr"])
        expectEqual(byClass["results"]?.elements?.first?["kind"]?.text, "class")
    }
}
