import Foundation
import Freehold

/// Runs one program of the documents, given by its name, with a default realm of its own.
@main enum Run {
    /// Set once, before anything else runs.
    nonisolated(unsafe) private(set) static var program = ""

    @MainActor static func main() async throws {
        guard CommandLine.arguments.count == 2, let run = programs[CommandLine.arguments[1]] else {
            print("usage: freehold-documents PROGRAM\n" + programs.keys.sorted().joined(separator: "\n"))
            exit(64)
        }
        program = CommandLine.arguments[1]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        Realm.Configuration.defaultConfiguration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("default.realm")
        )
        try await run()
        print("\(program) has run")
    }
}

/// A folder that exists while the program runs.
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "documents-\(UUID().uuidString)",
    isDirectory: true
)

/// Checks a statement of a document about its code, for hidden blocks.
func check(_ isTrue: Bool, _ what: String = "", file: String = #filePath, line: Int = #line) {
    if isTrue { return }
    print("\(file):\(line): what is checked here doesn't hold \(what)")
    exit(1)
}

/// Waits for something that happens on another thread, a minute at most.
@MainActor func eventually(file: String = #filePath, line: Int = #line, _ isTrue: @MainActor () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    var looks = 0
    while !isTrue() {
        looks += 1
        check(looks < 1_000 || ContinuousClock.now < end, "after a minute", file: file, line: line)
        try await Task.sleep(for: .milliseconds(5))
    }
}
