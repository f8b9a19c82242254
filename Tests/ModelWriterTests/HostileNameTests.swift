import Foundation
import FreeholdEngine
import ModelWriter
import Testing

/// Names that try to be code. `CompilerTests` compile such code. These tests run the programs, which print the stored
/// names.
struct HostileNameTests {
    /// One class for each name, and one with a property of each.
    private static let classes: [ModelClass] = {
        var names: [String] = []
        for name in OddNames.hostile + OddNames.words where !names.contains(name) { names.append(name) }
        let all = TableSpec("All", columns: names.map { ColumnSpec($0, .int) })
        return [ModelClass(all)] + names.map { ModelClass(TableSpec("c" + $0, columns: [ColumnSpec("x", .int)])) }
    }()

    private func expectAll(_ classes: [String], _ properties: [String]) {
        expectEqual(Set(classes.map { Data($0.utf8) }), Set(Self.classes.map { Data($0.table.name.utf8) }))
        expectEqual(
            Set(properties.map { Data($0.utf8) }),
            Set(Self.classes[0].table.columns.map { Data($0.name.utf8) })
        )
    }

    @Test(.needs(.node)) func `a JavaScript program stores exactly the names`() throws {
        try withFolder { folder in
            try Stubs.writeJavaScript(folder)
            try write("{\"type\": \"module\"}", to: folder + "/package.json")
            let models = try GeneratedModels(Self.classes, in: .javascript)
            _ = try Compilers.write(models, folder)
            try write(
                """
                import * as models from "./models.js";
                const schemas = Object.values(models).map((model) => model.schema);
                const all = schemas.find((schema) => schema.name === "All");
                const names = Object.entries(all.properties).map(([key, value]) => value.mapTo ?? key);
                process.stdout.write(JSON.stringify([schemas.map((schema) => schema.name), names]));
                """,
                to: folder + "/main.mjs"
            )
            let result = try Tool.node.run([folder + "/main.mjs"], in: folder)
            expectEqual(result.status, 0, "\(result.output.prefix(2_000))")
            let names = try JSONDecoder().decode([[String]].self, from: Data(result.output.utf8))
            expectAll(names[0], names[1])
        }
    }

    @Test(.needs(.javac, .java)) func `a Java program stores exactly the names`() throws {
        try withFolder { folder in
            let models = try GeneratedModels(Self.classes, in: .java)
            try write(
                """
                import io.realm.annotations.*;
                import java.nio.charset.StandardCharsets;
                public class Main {
                    static void print(String kind, String name) {
                        StringBuilder out = new StringBuilder(kind);
                        for (byte b : name.getBytes(StandardCharsets.UTF_8)) out.append(String.format("%02x", b));
                        System.out.println(out);
                    }
                    public static void main(String[] names) throws Exception {
                        for (String name : names) {
                            Class<?> cls = Class.forName(name);
                            RealmClass stored = cls.getAnnotation(RealmClass.class);
                            print("c", stored == null ? name : stored.name());
                            if (!name.equals("All")) continue;
                            for (java.lang.reflect.Field field : cls.getDeclaredFields()) {
                                RealmField mapped = field.getAnnotation(RealmField.class);
                                print("p", mapped == null ? field.getName() : mapped.value());
                            }
                        }
                    }
                }
                """,
                to: folder + "/stubs/Main.java"
            )
            try Compilers.checkJava(models, in: folder, with: ["Main.java"])
            let names = models.files.map { String($0.name.dropLast(5)) }
            // The file system and the virtual machine may encode names of other scripts differently.
            try write(names.joined(separator: "\n"), to: folder + "/names")
            let result = try Tool.java.run(
                Compilers.quickStart + [
                    "-Dfile.encoding=UTF-8", "-Dsun.jnu.encoding=UTF-8", "-cp", folder + "/classes", "Main",
                ] + names,
                in: folder
            )
            expectEqual(result.status, 0, "\(result.output.prefix(2_000))")
            func decoded(_ kind: Character) -> [String] {
                result.output.split(separator: "\n").filter { $0.first == kind }.map { line in
                    let digits = Array(line.dropFirst())
                    let bytes = stride(from: 0, to: digits.count, by: 2).map {
                        UInt8(String(digits[$0...($0 + 1)]), radix: 16)!
                    }
                    return String(decoding: bytes, as: UTF8.self)
                }
            }
            expectAll(decoded("c"), decoded("p"))
        }
    }

    @Test(arguments: ModelLanguage.allCases) func `no name ends a line, a comment or a literal`(language: ModelLanguage)
        throws
    {
        let models = try GeneratedModels(Self.classes, in: language)
        let texts = models.files.map(\.text)
        for text in texts {
            for scalar in text.unicodeScalars where scalar != "\n" {
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator:
                    Issue.record("\(scalar.value) in \(language)")
                default: break
                }
            }
        }
        // No part of a name is code: it is in quotation marks or behind `//`.
        for line in texts.joined().split(separator: "\n") {
            for evil in ["fatalError()", "process.exit(1)", "System.exit(1)", "int main()"] {
                guard let range = line.firstRange(of: evil) else { continue }
                let before = line[..<range.lowerBound]
                expect(before.contains("//") || before.contains("\"") || before.contains("'"), "\(line)")
            }
        }
        // In C, a comment that ends with a backslash continues on the next line.
        for line in texts.joined().split(separator: "\n") where line.contains("//") { expect(!line.hasSuffix("\\")) }
    }
}
