import Foundation
import Freehold
import Testing

/// Tests of `delete`.
struct DeleteCommandTests {
    private func withFile(_ body: (String) throws -> Void) throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            try body(folder + "/a.realm")
        }
    }

    private func person(_ path: String, _ id: Int, check: (TMPerson) throws -> Void) throws {
        try ToolFile.read(path) { try check(try require($0.object(ofType: TMPerson.self, forPrimaryKey: id))) }
    }

    @Test func `objects are deleted with what they own, and links to them go`() throws {
        try withFile { path in
            let dry = try Run.freehold("delete", path, "TMPerson", "name == 'Ada'", "--dry-run")
            expect(
                dry.output.hasPrefix("- TMPerson 1: name \"Ada\", age 36")
                    && dry.error.contains("1 object would be deleted, and with it 1 of TMHome"),
                "\(dry)"
            )
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "3\n")
            let run = try Run.freehold("delete", path, "TMPerson", "name == $0", "--arg", "Ada")
            expect(run.status == 0 && run.error == "\(path): 1 object deleted, and with it 1 of TMHome\n", "\(run)")
            try person(path, 2) { expect($0.best == nil) }
            let limited = try Run.freehold("delete", path, "TMPerson", "SORT(id DESC) LIMIT(1)")
            expect(limited.error.contains("1 object deleted"), "\(limited)")
            try expectEqual(
                Run.freehold("query", path, "TMPerson", "--columns", "id", "--format", "csv").output,
                "id\r\n2\r\n"
            )
            try expectEqual(Run.freehold("verify", path).status, 0)
        }
    }

    @Test(arguments: [nil, "TRUEPREDICATE", "id > 0"])
    func `to delete everything takes a word more`(query: String?) throws {
        try withFile { path in
            let arguments = ["delete", path, "TMPerson"] + [query].compactMap { $0 }
            let refused = try Run.freehold(arguments)
            expect(
                refused.status == 64 && refused.error.contains("all 3 objects of TMPerson")
                    && refused.error.contains("--yes"),
                "\(refused)"
            )
            try expectEqual(Run.freehold(arguments + ["--dry-run"]).output.split(separator: "\n").count, 3)
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "3\n")
            expect(try Run.freehold(arguments + ["--yes"]).error.contains("3 objects deleted"))
            // If no object matches, the command asks for no confirmation.
            try expectEqual(Run.freehold(arguments).status, 0)
        }
    }

    @Test func `a rule that denies a deletion keeps everything`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            var team = ObjectSchema("Team", properties: [Property("id", .int, primaryKey: true)])
            team.properties.append(
                Property("members", .object, collection: .list, objectClassName: "Member", deleteRule: .deny)
            )
            let member = ObjectSchema("Member", properties: [Property("id", .int, primaryKey: true)])
            var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path))
            configuration.schema = Schema([team, member])
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.dynamicCreate("Team", value: ["id": 1, "members": [["id": 2]]]) }
            }
            let run = try Run.freehold("delete", path, "Team", "id == 1")
            expect(run.status == 65 && run.error.contains("Team"), "\(run)")
            try expectEqual(Run.freehold("query", path, "Team", "--count").output, "1\n")
        }
    }
}
