import Foundation
import Testing

/// `README.md` of this folder names the tests of each sentence. Each named test must exist.
@Suite("Seeds: the tests that the page names")
struct SeedCoverageTests {
    private static let tests = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test
    func `Every row has a state, and every test that the page names exists`() throws {
        let page = Self.tests.appendingPathComponent("FreeholdTests/Seeds/README.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Says") && !$0.hasPrefix("| 00") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            .filter { $0.count > 2 }
        expect(rows.count > 400)

        var sources: [String: String] = [:]
        let root = Self.tests.deletingLastPathComponent()
        let others = ["Tools/Tests", "Server/Tests"].map { root.appendingPathComponent($0) }
        let files = ([Self.tests] + others).flatMap { folder in
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        }
        for file in files {
            guard file.pathExtension == "swift" else { continue }
            // Two targets may have a file of one name.
            sources[file.deletingPathExtension().lastPathComponent, default: ""] += try String(
                contentsOf: file,
                encoding: .utf8
            )
        }
        let reference = /`([A-Z]\w*Tests)(?:\/([^`]+))?`/
        var missing: Set<String> = []
        for row in rows {
            let state = row[row.count - 2], shown = row[row.count - 1]
            expect(["✓", "open", "n/a"].contains(state), "\(row)")
            expect(!shown.isEmpty, "\(row)")
            for match in shown.matches(of: reference) {
                let source = sources[String(match.1)]
                let isThere = match.2.map {
                    source?.contains("func \($0)(") == true || source?.contains("func `\($0)`(") == true
                }
                if source == nil || isThere == false {
                    missing.insert(String(match.0))
                }
            }
        }
        expectEqual(missing.sorted(), [])
    }
}
