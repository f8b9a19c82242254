import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdStudio

/// The history of commits, and the bytes and readers of a file.
struct HistoryTests {
    @Test func `Commits have their objects, the times at which they were seen, and their origins`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        try world.write { write in
            let person = write.schema.table(named: "Person")!
            try write.set(person.column(named: "name")!, ObjectKey(4), to: .string("New"))
            write.delete(person, ObjectKey(5))
            _ = try write.create(person, primaryKey: .int(900))
        }
        _ = await page.push("classes")
        let listed = try await page.ask("commits", ["limit": 10])
        let newest = try require(listed["commits"]?.elements?.first)
        expectEqual(newest["classes"]?.elements?.first { $0["class"]?.text == "Person" }?["deleted"]?.int, 1)
        expect(newest["seen"]?.int != nil)
        let at = try require(newest["at"]?.int)
        expect(abs(Date(timeIntervalSince1970: Double(at) / 1_000).timeIntervalSinceNow) < 600)
        expectEqual(newest["process"]?.int, Int(ProcessInfo.processInfo.processIdentifier))
        expectEqual(newest["origin"]?.text, "local")
        let commit = try await page.ask("commit", ["version": newest["version"]!])
        expectEqual(commit["at"]?.int, at)
        expectEqual(commit["process"]?.int, newest["process"]?.int)
        let person = try require(commit["classes"]?.elements?.first { $0["class"]?.text == "Person" })
        expectEqual(person["deleted"]?.written, "[5]")
        expectEqual(person["insertedCount"]?.int, 1)
        expectEqual(
            person["modified"]?.elements?.first { $0["property"]?.text == "name" }?["keys"]?.elements?.first?["title"]?
                .text,
            "New"
        )
        try await page.ask(
            "stage",
            ["edits": [["set": ["class": "Person", "key": 1, "property": "name", "value": "Mine"]]]]
        )
        let written = try await page.ask("write")
        let own = try await page.ask("commit", ["version": written["version"]!]).parsed
        expectEqual(own["origin"]?.text, "studio")
        expectEqual(own["undo"]?.flag, true)
        expectEqual(
            own["values"]?.written,
            #"[{"class":"Person","key":1,"property":"name","old":"Person 1","new":"Mine"}]"#
        )
        expectEqual(await page.refusal("commit", ["version": 9_999]), "notFound")
    }

    @Test func `The anatomy counts each block once, and free pages`() async throws {
        let world = try StudioWorld { try StudioWorld.fill($0, people: 3_000) }
        for i in 0..<20 {
            try world.write { write in
                let person = write.schema.table(named: "Person")!
                try write.set(person.column(named: "name")!, ObjectKey(Int64(i * 100)), to: .string("x\(i)"))
            }
        }
        let anatomy = try world.database.anatomy(cells: 64)
        expect(anatomy.order.count <= 64)
        expect(anatomy.freePages > 0)
        expect(anatomy.areas.reduce(0) { $0 + $1.bytes } <= anatomy.fileBytes)
        expectEqual(anatomy.areas.map(\.bytes), anatomy.areas.map(\.bytes).sorted(by: >))
        func has(_ kind: FileAnatomy.Kind, _ table: String?, _ property: String?) -> Bool {
            anatomy.areas.contains { $0.kind == kind && $0.table == table && $0.property == property && $0.bytes > 0 }
        }
        expect(has(.values, "Person", "name") && has(.index, "Person", "name") && has(.inverse, "Person", "friend"))
        expect(
            has(.index, "Person", "id") && has(.objects, "Pet", nil) && has(.history, nil, nil)
                && has(.catalogue, nil, nil)
        )
        let page = try await world.page()
        let answered = try await page.ask("anatomy")
        expectEqual(answered["areas"]?.elements?.count, anatomy.areas.count)
        expectEqual(
            answered["order"]?["areas"]?.elements?.allSatisfy { $0.int! >= -2 && $0.int! < anatomy.areas.count },
            true
        )
    }

    @Test func `Readers, verification and backups`() async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        let readers = try await page.ask("readers")["readers"]?.elements ?? []
        expect(readers.contains { $0["mine"]?.flag == true && $0["behind"]?.int == 0 })
        expectEqual(try await page.ask("verify")["count"]?.int, 0)
        let backup = try await page.ask("backup")
        let download = try require(world.program.tickets.takeDownload(backup["ticket"]!.text!))
        defer { try? FileManager.default.removeItem(atPath: download.path) }
        var options = Database.Options()
        options.readOnly = true
        let copy = try Database.open(at: download.path, options: options).snapshot()
        expectEqual(copy.count(copy.schema.table(named: "Person")!), 100)
        expectEqual(copy.verify(), [])
    }

    @Test func `A file is compacted while only Studio has it open`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        // The test itself has the file open.
        expectEqual(await page.refusal("compact"), "busy")
        expectEqual(try await page.ask("classes")["classes"]?.elements?.count, 3)
    }

    @Test func `Classes are changed by a migration, after its plan`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let steps: StudioJSON = [
            ["add": ["class": "Pet", "property": ["name": "kind", "type": "string", "optional": true]]],
            ["rename": ["class": "Pet", "property": "weight", "to": "mass"]],
            ["index": ["class": "Person", "property": "city", "kind": "values"]],
            ["remove": ["class": "Person", "property": "photo"]], ["renameClass": ["class": "Address", "to": "Home"]],
            ["addClass": ["class": "House", "properties": [["name": "id", "type": "int"]], "key": "id"]],
        ]
        let version = try world.database.snapshot().version
        let planned = try await page.ask("migrate", ["steps": steps, "dry": true])
        expect((planned["plan"]?.elements?.count ?? 0) >= 5, "\(planned.written)")
        expectEqual(try world.database.snapshot().version, version)
        try await page.ask("migrate", ["steps": steps])
        let view = try world.database.snapshot()
        let pet = try require(view.schema.table(named: "Pet"))
        expect(
            pet.column(named: "kind") != nil && pet.column(named: "mass") != nil && pet.column(named: "weight") == nil
        )
        expectEqual(view.schema.table(named: "Person")?.column(named: "city")?.indexKind, .values)
        expect(view.schema.table(named: "Person")?.column(named: "photo") == nil)
        expectEqual(view.schema.table(named: "Home").map { view.count($0) }, 100)
        expectEqual(view.schema.table(named: "House")?.primaryKey?.name, "id")
        expectEqual(view.verify(), [])
        expectEqual(await page.push("classes") { $0["schema"]?.flag == true }["schema"]?.flag, true)
        expectEqual(
            await page.refusal("migrate", ["steps": [["remove": ["class": "None", "property": "x"]]]]),
            "notFound"
        )
    }

    @Test func `Two files are compared by primary keys`() async throws {
        let world = try StudioWorld()
        let other = world.folder.appendingPathComponent("other.realm").path
        try world.database.snapshot().copy(to: other)
        var options = StudioOptions(temporaryFolder: world.folder.path)
        options.files = [world.path, other]
        let page = TestPage(StudioProgram(options))
        try await page.ask("openFile", ["file": "f1"])
        expectEqual(try await page.ask("diff", ["file": "f2"])["classes"]?.elements?.count, 0)
        try world.write { write in
            let person = write.schema.table(named: "Person")!
            try write.set(person.column(named: "city")!, ObjectKey(1), to: .string("Oslo"))
            write.delete(person, ObjectKey(99))
            _ = try write.create(person, primaryKey: .int(900))
        }
        _ = await page.push("classes")
        let person = try await page.ask("diff", ["file": "f2"]).parsed["classes"]?.elements?.first {
            $0["class"]?.text == "Person"
        }
        expectEqual(person?["removed"]?.int, 1)
        expectEqual(person?["added"]?.int, 1)
        expectEqual(person?["changed"]?.int, 1)
        let changed = person?["objects"]?.elements?.first { $0["kind"]?.text == "changed" }
        expectEqual(changed?["properties"]?.written, #"[{"name":"city","left":"Oslo","right":"Paris"}]"#)
    }

    @Test func `Indexes that no query has read are findings`() async throws {
        let world = try StudioWorld { write in
            try write.applySchema([
                TableSpec(
                    "Item",
                    columns: [
                        ColumnSpec("name", .string, indexed: true), ColumnSpec("note", .string, indexed: true),
                        ColumnSpec("size", .int), ColumnSpec("kind", .int), ColumnSpec("code", .int),
                    ],
                    compounds: [
                        CompoundIndexSpec(["kind", "size"]), CompoundIndexSpec(["size", "kind"]),
                        CompoundIndexSpec(["kind", "code"], unique: true),
                    ]
                )
            ])
            let item = write.schema.table(named: "Item")!
            for i in 0..<2_000 {
                let key = try write.create(item)
                try write.set(item.columns[0], key, to: .string("name \(i)"))
                try write.set(item.columns[1], key, to: .string("note \(i)"))
                try write.set(item.columns[2], key, to: .int(Int64(i % 7)))
                try write.set(item.columns[3], key, to: .int(Int64(i % 40)))
                try write.set(item.columns[4], key, to: .int(Int64(i)))
            }
        }
        let page = try await world.page()
        func unused() async throws -> [String] {
            try await page.ask("findings")["findings"]?.elements?.map { finding in
                (finding["properties"]?.elements ?? []).compactMap(\.text).joined(separator: "+")
            } ?? []
        }
        expectEqual(try await unused(), ["name", "note", "kind+size", "size+kind"])
        // The condition can't use the index of the property.
        try await page.ask("open", ["class": "Item", "query": "note CONTAINS '7'"])
        expectEqual(try await unused(), ["name", "note", "kind+size", "size+kind"])
        try await page.ask("open", ["class": "Item", "query": "name == 'name 7'"])
        expectEqual(try await unused(), ["note", "kind+size", "size+kind"])
        try await page.ask("open", ["class": "Item", "query": "kind == 7 AND size == 3"])
        // The planner chooses one of two indexes of the same properties.
        expectEqual(try await unused(), ["note", "size+kind"])
        try await page.ask("open", ["class": "Item", "sort": [["note", "asc"]]])
        expectEqual(try await unused(), ["size+kind"])
        try await page.ask("openFile", ["file": "f1"])
        expectEqual(try await unused().count, 4)
    }

    @Test(arguments: ["swift", "kotlin", "typescript", "objc"])
    func `Model classes are generated`(_ language: String) async throws {
        let world = try StudioWorld()
        let page = try await world.page()
        let code = try await page.ask("code", ["language": .string(language)])
        expect(code["files"]?.elements?.contains { $0["text"]?.text?.contains("Person") == true } == true)
    }
}
