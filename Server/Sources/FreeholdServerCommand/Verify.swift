import ArgumentParser
import Foundation
import FreeholdServerStore
import FreeholdSyncCore

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the files of documents, while the server runs or not.",
        discussion: """
            The structures of each stream's file are compared with each other. Text keys are listed that are longer than the keys of new objects may be
            (\(PrimaryKey.mostBytes) bytes). Their objects go on to work. The status is 1 if a file is damaged.

            Example: freehold-server verify /srv/freehold
            """
    )

    @Argument(help: "The server's folder.") var folder: String
    @Option(help: "Only this app.") var app: String?

    func run() async throws {
        guard FileManager.default.fileExists(atPath: folder + "/sync") else {
            throw ValidationError("\(folder) has no documents: there is no folder 'sync' in it.")
        }
        let store = try FileServerStore(ofServer: folder, epoch: 0)
        let mine = try store.streamFiles().filter { app == nil || $0.name.app.string == app }
        var damaged = 0
        for use in mine.sorted(by: { ($0.name.app, $0.text) < ($1.name.app, $1.text) }) {
            let place = "\(use.name.app.string)\t\(use.text)"
            let problems = try store.verify(use.name)
            for problem in problems { print("\(place)\tdamaged\t\(problem)") }
            damaged += problems.isEmpty ? 0 : 1
            for key in problems.isEmpty ? try store.longKeys(of: use.name) : [] {
                print("\(place)\tlong key\t\(key.className.string)\tbytes=\(key.bytes)\t\(Self.plain(key.beginning))…")
            }
        }
        print("\(mine.count) streams, \(damaged) of them damaged.")
        if damaged > 0 { throw ExitCode(1) }
    }

    /// Returns a text without control characters, which could end a line or change the terminal.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        )
    }
}
