import ArgumentParser
import Foundation
import FreeholdServerStore
import FreeholdSyncCore

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the documents, while the server runs or not.",
        discussion: """
            The structures of each stream's file are compared with each other. With a database, each row is read and compared with those that it depends on. Text keys are listed that are longer than the keys of new objects may be
            (\(PrimaryKey.mostBytes) bytes). Their objects can still be read, changed and deleted. The exit status is 1 if a stream is damaged.

            Example: freehold-server verify /srv/freehold
            """
    )

    @Argument(help: "The server's folder, or the address of its database.") var folder: String
    @Option(help: "Only this app.") var app: String?
    @OptionGroup var store: StoreOption

    func run() async throws {
        let store = try await store.documents(folder)
        var damaged = 0
        let all = try await store.uses { place, error in
            print("\(Self.plain(place))\tdamaged\t\(Self.plain("The file can't be read: \(error)"))")
            damaged += 1
        }
        let unreadable = damaged
        let mine = all.map(\.name).filter { app == nil || $0.app.string == app }
        for name in mine.sorted(by: { ($0.app, $0.text) < ($1.app, $1.text) }) {
            let place = "\(name.app.string)\t\(name.text)"
            let problems = try await store.verify(name)
            for problem in problems { print("\(place)\tdamaged\t\(Self.plain(problem))") }
            damaged += problems.isEmpty ? 0 : 1
            for key in problems.isEmpty ? try await store.longKeys(of: name) : [] {
                print("\(place)\tlong key\t\(key.className.string)\tbytes=\(key.bytes)\t\(Self.plain(key.beginning))…")
            }
        }
        print("\(mine.count + unreadable) streams, \(damaged) of them damaged.")
        if damaged > 0 { throw ExitCode(1) }
    }

    /// Returns a text without control characters, which could end a line or change the terminal.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        )
    }
}
