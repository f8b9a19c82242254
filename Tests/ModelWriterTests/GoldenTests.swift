import Foundation
import ModelWriter
import Testing

/// Compares the written text with files that were reviewed beside the seed documents' tabs.
struct GoldenTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// Swift's are compiled with these tests.
    private static func url(_ file: ModelFile, _ language: ModelLanguage) -> URL {
        language == .swift
            ? folder.appendingPathComponent("Generated/KennelModels.swift")
            : folder.appendingPathComponent("Golden/\(language.rawValue)/\(file.name)")
    }

    @Test(arguments: ModelLanguage.allCases)
    func `the models of each language equal the reviewed ones`(language: ModelLanguage) throws {
        let models = try GeneratedModels(Kennel.classes, in: language)
        let notes = models.notes.map { "\($0)\n" }.joined()
        let notesURL = Self.folder.appendingPathComponent("Golden/\(language.rawValue)/notes.txt")
        let files = models.files.map { (Self.url($0, language), $0.text) } + [(notesURL, notes)]
        for (url, text) in files {
            if ProcessInfo.processInfo.environment["FREEHOLD_UPDATE_GOLDEN"] != nil {
                try write(text, to: url.path)
                continue
            }
            let golden = try String(contentsOf: url, encoding: .utf8)
            expectEqual(text, golden, "FREEHOLD_UPDATE_GOLDEN=1 writes \(url.lastPathComponent) anew, to be reviewed")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: notesURL.deletingLastPathComponent().path)
        expectEqual(
            Set(names).subtracting(files.map { $0.0.lastPathComponent }),
            [],
            "nothing is left of an older writer"
        )
    }

    @Test(arguments: ModelLanguage.allCases)
    func `a note has a comment in the code`(language: ModelLanguage) throws {
        let models = try GeneratedModels(Kennel.classes, in: language)
        let text = models.files.map(\.text).joined()
        for note in models.notes {
            expect(text.split(separator: "\n").contains { $0.contains("//") && $0.hasSuffix(note.text) }, "\(note)")
        }
        // The code has as many comments as notes, so that each note is reported. Objective-C's classes are in two
        // files, and Java's constructors have a comment.
        let comments = text.split(separator: "\n").filter {
            $0.contains("// ") && !$0.contains("must provide an empty") && !$0.contains("} // namespace")
        }
        expectEqual(comments.count, models.notes.count, "\(comments.joined(separator: "\n"))")
    }
}
