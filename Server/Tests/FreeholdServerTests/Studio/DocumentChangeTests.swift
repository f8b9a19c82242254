import FreeholdBSON
import FreeholdEngine
import ServerTestRandom
import Testing

@testable import FreeholdStudio

/// Edits of documents that wait, and the requests that make them.
struct DocumentChangeTests {
    private static let place = DocumentPlace(className: "Note", key: "1")

    private func column(_ name: String) throws -> Column {
        let classes = try DocumentClasses(DocumentCursorTests.FakeServer.classes)
        return try classes.facts.column(name, of: try classes.facts.table("Note"))
    }

    private func edit(_ property: String, _ action: DocumentEdit.Action, base: BSONValue?) throws -> DocumentEdit {
        DocumentEdit(
            number: 1,
            batch: 1,
            place: Self.place,
            className: "Note",
            property: try column(property),
            action: action,
            base: base,
            title: nil,
            json: [:]
        )
    }

    @Test func `values become operators, and a value that another write has changed is a conflict`() throws {
        let edits = [try edit("name", .set("new"), base: "old"), try edit("stars", .set(.int64(5)), base: .null)]
        let change = DocumentChange(Self.place, edits, of: ["_id": .int64(1), "name": "old"])
        #expect(change.conflicts.isEmpty && change.errors.isEmpty)
        let request = try #require(try change.request())
        #expect(request.name == "updateDocument")
        #expect(request.command.arguments == ["Note", "1", #"{"$set":{"name":"new","stars":5}}"#])
        let other = DocumentChange(Self.place, edits, of: ["_id": .int64(1), "name": "other"])
        #expect(other.conflicts.map(\.edit.property?.name) == ["name"])
        // A stored value that is the new one already is none.
        #expect(DocumentChange(Self.place, edits, of: ["_id": .int64(1), "name": "new"]).conflicts.isEmpty)
        #expect(DocumentChange(Self.place, edits, of: nil).errors.count == 1)
    }

    @Test func `edits of lists name elements by the stored positions`() throws {
        var random = SeededRandom(test: "document lists")
        for _ in 0..<500 {
            let stored = (0..<random.below(6)).map { "e\($0)" }
            // The model: the elements in their order, with the stored position of each.
            var model: [(stored: Int?, value: String?)] = stored.enumerated().map { ($0.offset, $0.element) }
            var edits: [DocumentEdit] = []
            var used: Set<Int> = []
            for step in 0..<random.below(5) {
                let at = random.below(stored.count + 1)
                if random.below(2) == 0 || at == stored.count || used.contains(at) {
                    let place = model.firstIndex { $0.stored == at } ?? model.count
                    model.insert((nil, "n\(step)"), at: place)
                    edits.append(try edit("tags", .insert(at: at, .string("n\(step)")), base: nil))
                } else if random.below(2) == 0 {
                    used.insert(at)
                    model[model.firstIndex { $0.stored == at }!].value = nil
                    edits.append(try edit("tags", .remove(at: at), base: .string(stored[at])))
                } else {
                    used.insert(at)
                    model[model.firstIndex { $0.stored == at }!].value = "r\(step)"
                    edits.append(try edit("tags", .replace(at: at, .string("r\(step)")), base: .string(stored[at])))
                }
            }
            let document: BSONDocument = ["_id": .int64(1), "tags": .array(stored.map { .string($0) })]
            guard !edits.isEmpty else { continue }
            let change = DocumentChange(Self.place, edits, of: document)
            #expect(change.new?["tags"] == .array(model.compactMap(\.value).map { .string($0) }))
            #expect(change.conflicts.isEmpty)
            if let request = try change.request() {
                #expect(request.name == "insertDocument")
                #expect(request.members.contains(.init("mode", "upsert")))
            }
        }
    }

    @Test(arguments: [(0, 2, "bca"), (2, 0, "cab"), (1, 1, "abc"), (0, 1, "bac")])
    func `a moved element takes the place of another one`(from: Int, to: Int, result: String) throws {
        let change = DocumentChange(
            Self.place,
            [try edit("tags", .move(from: from, to: to), base: .string(["a", "b", "c"][from]))],
            of: ["_id": .int64(1), "tags": ["a", "b", "c"]]
        )
        #expect(change.new?["tags"] == .array(result.map { .string("\($0)") }))
    }

    @Test func `keys are read back exactly, and other texts are errors`() throws {
        let classes = try DocumentClasses(DocumentCursorTests.FakeServer.classes)
        let (table, key) = try classes.documents("Note")
        for number in [Int64.min, -1, 0, .max] {
            let text = try #require(DocumentPlace.text(ofKey: .int64(number)))
            #expect(try DocumentPlace.key(text, key) == .int64(number))
        }
        for text in ["", "x", "1.5", "9223372036854775808", "{}", "\"1\""] {
            #expect(throws: StudioError.self) { try DocumentPlace.key(text, key) }
        }
        #expect(throws: StudioError.self) { try DocumentPlace("", in: table) }
        for text in ["ann", "5", "\"", "a/b%", "{\"$oid\": 1}", "\u{0}\n"] {
            #expect(DocumentPlace.text(ofKey: .string(text)) == (try BSONValue.string(text).extendedJSON()))
        }
        #expect(DocumentPlace.text(ofKey: .double(1)) == nil)
    }

    @Test func `the number of waiting edits and their size have bounds`() throws {
        var edits = DocumentEdits()
        let large = BSONValue.string(String(repeating: "x", count: 40 << 20))
        try edits.add([try edit("name", .set(large), base: nil)])
        #expect(throws: StudioError.self) { try edits.add([try edit("tags", .insert(at: 0, large), base: nil)]) }
        #expect(edits.all.count == 1)
        // An edit of the same value replaces the earlier one.
        try edits.add([try edit("name", .set("short"), base: nil)])
        #expect(edits.all.count == 1)
        let many = (0...DocumentEdits.mostDocuments).map {
            DocumentEdit.deletion(DocumentPlace(className: "Note", key: "\($0)"), title: nil)
        }
        #expect(throws: StudioError.self) { try edits.add(many) }
        try edits.add(Array(many.prefix(10)))
        edits.discardLast()
        #expect(edits.all.count == 1)
    }
}
