import DocumentCode
import Foundation
import TestScript
import Testing

/// The code of README.md, of the articles and of the pages below `docs`.
@Suite("Documents: their code")
struct DocumentTests {
    static let documents = Documents(
        root: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    )

    @Test func `the compiled code equals the code of the documents`() throws {
        let (made, found) = (try Self.documents.files(), try Self.documents.existingFiles())
        for name in Set(made.keys).union(found.keys).sorted() {
            expectEqual(made[name], found[name], "\(name) is out of date: run 'make docs-code'")
        }
    }

    @Test func `README and the articles have code`() throws {
        let names = try Self.documents.programs().map(\.name)
        expect(names.count >= 25)
        for name in [
            "README_1", "Freehold_TestingModels_1", "Freehold_GettingStarted_1", "FreeholdEngine_FreeholdEngine_1",
            "FreeholdSync_FreeholdSync_1",
        ] {
            expect(names.contains(name))
        }
    }

    @Test(arguments: try documents.programs().filter { !$0.isTests }.map(\.name))
    func `a document's code runs`(program: String) throws {
        let child = try ChildProcess(executable: ChildProcess.path(of: "freehold-documents"), [program])
        let lines = child.readLines()
        let status = child.wait()
        expect(status == 0 && lines.last == "\(program) has run", "\(lines.suffix(20).joined(separator: "\n"))")
    }
}
