import Foundation
import Testing

struct ConvertCommandTests {
    private static let old = "import RealmSwift\n\nclass Dog: Object {\n    @objc dynamic var name = \"\"\n}\n"
    private static let new = "import RealmSwift\n\nclass Dog: Object {\n    @Persisted var name = \"\"\n}\n"

    private func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func `convert prints a patch, and changes files only with an option`() throws {
        try withFolder { folder in
            let path = folder + "/Models/Dog.swift"
            try write(Self.old, to: path)
            try write("let a = 1\n", to: folder + "/main.swift")
            try write(Self.old, to: folder + "/Pods/Dog.swift")
            try write(Self.old, to: folder + "/.build/Dog.swift")
            let run = try Run.freehold("convert", folder)
            expect(run.status == 0 && run.error == "1 file to convert: 1 property, 1 class\n", "\(run)")
            expect(run.output.hasPrefix("--- a/\(path.dropFirst())\n+++ b/\(path.dropFirst())\n@@ -1,5 +1,5 @@\n"))
            expect(run.output.contains("-    @objc dynamic var name = \"\"\n+    @Persisted var name = \"\"\n"))
            try expectEqual(read(path), Self.old)
            let patched = try Run.shell(
                "cd '\(folder)' && \"$F\" convert Models 2>/dev/null | patch -p1 -s && cat Models/Dog.swift"
            )
            expect(patched.output == Self.new || patched.error.contains("not found"), "\(patched)")
            try write(Self.old, to: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            let written = try Run.freehold("convert", "--write", folder)
            expect(written.status == 0 && written.output == "" && written.error.hasPrefix("1 file converted: "))
            expect(try read(path) == Self.new && read(folder + "/Pods/Dog.swift") == Self.old)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            expectEqual(mode, 0o640)
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder + "/Models"), ["Dog.swift"])
            let again = try Run.freehold("convert", folder)
            expect(again.status == 0 && again.output == "" && again.error == "nothing to convert in 2 files\n")
        }
    }

    @Test func `convert prints the text of one file or of standard input`() throws {
        try withFolder { folder in
            try write(Self.old, to: folder + "/Dog.swift")
            try expectEqual(Run.freehold("convert", folder, "--text").output, Self.new)
            try expectEqual(Run.freehold(["convert", "-"], input: Data(Self.old.utf8)).output, Self.new)
            try write("let a = 1\n", to: folder + "/main.swift")
            try expectEqual(Run.freehold("convert", folder, "--text").status, 64)
            try expectEqual(Run.freehold("convert", folder + "/main.swift", "--text").output, "let a = 1\n")
            try expectEqual(Run.freehold("convert", folder, "--text", "--write").status, 64)
            try expectEqual(Run.freehold("convert", "-", folder).status, 64)
            try expectEqual(Run.freehold("convert").status, 64)
        }
    }

    @Test func `convert reports what it left alone, and ends with a code for it`() throws {
        try withFolder { folder in
            let path = folder + "/Dog.swift"
            let text = Self.old.replacing("name = \"\"", with: "names = [String]()")
            try write(text, to: path)
            let left = try Run.freehold("convert", path)
            expect(left.status == 2 && left.output == "", "\(left)")
            expect(left.error.hasPrefix("\(path):4:23: left alone: Dog.names is an array"), "\(left.error)")
            try write(text + "class Cat: Object {", to: path)
            let unreadable = try Run.freehold("convert", "--write", path)
            expect(unreadable.status == 65 && unreadable.error.contains("\(path):6:19: unreadable: "), "\(unreadable)")
            try expectEqual(Run.freehold("convert", folder + "/none.swift").status, 66)
            try write(
                "class A: Base { @objc dynamic var a = 0; override class func primaryKey() -> String? { \"a\" } }",
                to: path
            )
            expect(try Run.freehold("convert", path).error.contains("--base Base"))
            let based = try Run.freehold("convert", path, "--base", "Base", "--text")
            expect(
                based.status == 0
                    && based.output == "import RealmSwift\n\nclass A: Base { @Persisted(primaryKey: true) var a = 0 }"
            )
            let note = "class A: Object { @objc dynamic var a = 0 { didSet { } } }"
            try write(note, to: path)
            expect(try Run.freehold("convert", path).error.contains(": note: "))
            try expectEqual(Run.freehold("convert", path, "--quiet").error.contains(": note: "), false)
        }
    }
}
