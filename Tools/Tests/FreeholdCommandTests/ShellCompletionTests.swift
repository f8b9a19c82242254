import Foundation
import Freehold
import Testing

@testable import FreeholdCommand

struct ShellCompletionTests {
    private static let schema = Schema([
        ObjectSchema(
            "Person",
            properties: [
                Property("id", .int, primaryKey: true), Property("name", .string),
                Property("best", .object, objectClassName: "Person"),
                Property("pets", .object, collection: .list, objectClassName: "Pet"),
                Property("tags", .string, collection: .set),
            ]
        ),
        ObjectSchema("Pet", properties: [Property("nick", .string), Property("age", .int)]),
    ])

    /// `|` stands for the cursor.
    private func candidates(_ text: String) -> [String] {
        let cursor = text.distance(from: text.startIndex, to: text.firstIndex(of: "|")!)
        let line = text.replacing("|", with: "")
        return ShellCompletion(Self.schema).completion(line, cursor)?.candidates.map(\.text) ?? []
    }

    @Test(
        arguments: [
            ("|", ["Person", "Pet", "create", "delete", "query", "set"]), ("Pe|", ["Person", "Pet"]),
            ("pers|", ["Person"]),
            (".s|", [".schema"]), (".schema P|", ["Person", "Pet"]), (".format m|", ["markdown"]),
            (".count Person na|", ["name"]),
            (".explain o|", ["off", "on"]), ("Person |", ["id", "name", "best", "pets", "tags"]),
            ("Person na|", ["name"]),
            ("Person na| > 3", ["name"]), ("Person best.na|", ["name"]), ("Person best.best.p|", ["pets"]),
            ("Person ANY pets.|", ["nick", "age", "@avg", "@count", "@max", "@min", "@sum"]),
            ("Person tags.@c|", ["@count"]), ("Person name.x|", []), ("Person name begins|", ["BEGINSWITH"]),
            ("Person age > 3 so|", ["SORT"]), ("Person SORT(na|", ["name"]), ("Person name == 'na|", []),
            ("Person name == \"x\" AND na|", ["name"]), ("Nobody na|", []), ("set P|", ["Person", "Pet"]),
            ("set Person 'na|", ["name"]), ("set Person 'name == \"na|", []), ("set Person 'id == 1' na|", ["name"]),
            ("set Person 'id == 1' i|", []), ("set Person --d|", ["--dry-run"]), ("create Person i|", ["id"]),
            ("delete Pet ni|", ["nick"]), ("delete Pet --y|", ["--yes"]), ("query Person 'best.n|", ["name"]),
        ]
    )
    func `names and words are completed where they can stand`(text: String, expected: [String]) {
        expectEqual(candidates(text), expected, "\(text)")
    }

    @Test func `names of files are completed`() throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/sub", withIntermediateDirectories: true)
            for name in ["one.txt", "other.txt", ".hidden"] {
                try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            expectEqual(candidates(".read \(folder)/o|"), ["\(folder)/one.txt", "\(folder)/other.txt"])
            let completion = ShellCompletion(Self.schema).completion(".read \(folder)/s", ".read \(folder)/s".count)
            expectEqual(completion?.candidates, [Completion.Candidate(text: folder + "/sub", suffix: "/")])
        }
    }

    @Test func `words are cut as other shells cut them`() throws {
        try expectEqual(
            ShellWords.words(of: "a  'b c' \"d \\\" 'e'\" f\\ g \"\" h'i'"),
            [
                "a", "b c", "d \" 'e'", "f g", "", "hi",
            ]
        )
        try expectEqual(ShellWords.words(of: ""), [])
        for wrong in ["'a", "\"a", "a\\"] {
            #expect(throws: Failure.self) { try ShellWords.words(of: Substring(wrong)) }
        }
        try expect(ShellWords.first(of: " 'My Class'  a == 'b' ") == ("My Class", "a == 'b'"))
    }

    // MARK: History

    @Test func `history is a file that only its owner reads`() throws {
        try withFolder { folder in
            let file = try require(HistoryFile.standard(["XDG_STATE_HOME": folder + "/state", "HOME": "/nowhere"]))
            expect(file.path == folder + "/state/freehold/history" && file.load() == [])
            for line in ["one", " secret", "two", "two", ""] { file.append(line) }
            expectEqual(file.load(), ["one", "two"])
            func mode(_ path: String) throws -> Int {
                try require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
            }
            expect(try mode(file.path) == 0o600 && mode(folder + "/state/freehold") == 0o700)
            // The permissions of an existing file that other users can read are restricted.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            file.append("three")
            try expectEqual(mode(file.path), 0o600)
        }
        expectEqual(
            HistoryFile.standard(["XDG_STATE_HOME": "relative", "HOME": "/h"])?.path,
            "/h/.local/state/freehold/history"
        )
        expect(HistoryFile.standard([:]) == nil)
    }

    @Test func `a history that is none is passed over`() throws {
        try withFolder { folder in
            let path = folder + "/history"
            let target = folder + "/target"
            try Data("x\n".utf8).write(to: URL(fileURLWithPath: target))
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            let file = HistoryFile(path: path)
            file.append("y")
            expect(try file.load() == [] && String(contentsOfFile: target, encoding: .utf8) == "x\n")
            try FileManager.default.removeItem(atPath: path)
            // A pipe without a writer, bytes that aren't text, and a very long file.
            expect(mkfifo(path, 0o600) == 0 && file.load() == [])
            try FileManager.default.removeItem(atPath: path)
            let noise =
                Data([0xFF, 0x0A]) + Data("good\n".utf8) + Data(repeating: 0x41, count: 300_000) + Data("\nlast\n".utf8)
            try noise.write(to: URL(fileURLWithPath: path))
            expectEqual(file.load().last, "last")
            try Data(repeating: 0x0A, count: 2_000_000).write(to: URL(fileURLWithPath: path))
            file.append("kept")
            expect(try file.load() == ["kept"] && ToolFile.bytes(path).count < 1000)
        }
    }
}
