import Foundation
import Testing

@testable import ModelWriter

/// String literals, read by compilers.
struct LiteralTests {
    private static let texts: [String] = {
        let all =
            OddNames.hostile + OddNames.words + [
                "a\u{1}1", "\u{85}9", "\u{202E}0", "?", "??=", "\u{10FFFF}", "\t\u{8}\u{C}",
            ]
        return all + [String(String.UnicodeScalarView((1..<0x300).compactMap(Unicode.Scalar.init)))]
    }()

    private static let expected = texts.map { Array($0.utf8).map { String($0) }.joined(separator: " ") }

    @Test(.needs(.swiftc)) func `Swift reads its literals as intended`() throws {
        try withFolder { folder in
            let lines = Self.texts.map { "show(\(Literals.swift($0)))\n" }.joined()
            try write(
                "func show(_ text: String) { print(text.utf8.map { String($0) }.joined(separator: \" \")) }\n" + lines,
                to: folder + "/main.swift"
            )
            try Tool.swiftc.expectSuccess(["-Onone", folder + "/main.swift", "-o", folder + "/main"], in: folder)
            let result = try Tool.run(folder + "/main", [], in: folder)
            expectEqual(
                result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init),
                Self.expected
                    + [""]
            )
        }
    }

    /// C has trigraphs enabled here, which Objective-C has disabled by default.
    @Test(.needs(.clang), arguments: ["-std=c17", "-std=gnu17"])
    func `C reads Objective-C's literals as intended`(standard: String) throws {
        try withFolder { folder in
            let lines = Self.texts.map { "    show(\(Literals.objectiveC($0).dropFirst()));\n" }.joined()
            try write(
                """
                #include <stdio.h>
                static void show(const char *text) {
                    for (const char *p = text; *p; p++) printf(p == text ? "%d" : " %d", (unsigned char)*p);
                    printf("\\n");
                }
                int main(void) {
                \(lines)    return 0;
                }

                """,
                to: folder + "/main.c"
            )
            try Tool.clang.expectSuccess([standard, folder + "/main.c", "-o", folder + "/main"], in: folder)
            let result = try Tool.run(folder + "/main", [], in: folder)
            expectEqual(
                result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init),
                Self.expected
                    + [""]
            )
        }
    }

    /// Kotlin and Dart have the same escapes as JavaScript, except for dollars and quotation marks, which are always
    /// escaped.
    @Test func `special characters of other languages are escaped`() {
        for text in Self.texts {
            for literal in [Literals.kotlin(text), Literals.dart(text)] {
                let inside = literal.dropFirst().dropLast()
                var isEscaped = false
                for scalar in inside.unicodeScalars {
                    if isEscaped {
                        isEscaped = false
                        continue
                    }
                    isEscaped = scalar == "\\"
                    expect(scalar != "$" && scalar != literal.unicodeScalars.first!, "\(literal)")
                }
                expect(!isEscaped, "\(literal)")
            }
        }
    }
}
