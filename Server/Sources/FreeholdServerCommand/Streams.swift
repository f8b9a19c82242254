import ArgumentParser
import Foundation
import FreeholdServerStore
import FreeholdSyncCore

struct Streams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Lists the streams with their apps, values, commits, files of devices and bytes.",
        discussion: """
            An app has one stream or, with the access own-stream, one for each user. Files that can't be read are named, and the exit status is 1.

            Example: freehold-server streams /srv/freehold
            """
    )

    @Argument(help: "The server's folder, or the address of its database.") var folder: String
    @Option(help: "Only this app.") var app: String?
    @OptionGroup var store: StoreOption

    func run() async throws {
        var unreadable = 0
        let found = try await store.documents(folder).uses { place, error in
            Failure.note("\(place) can't be read: \(error)")
            unreadable += 1
        }
        let mine = found.filter { app == nil || $0.name.app.string == app }
        for use in mine.sorted(by: { ($0.name.app, $0.text) < ($1.name.app, $1.text) }) {
            print("\(use.name.app.string)\t\(use.text)\tcommits=\(use.version)\tfiles=\(use.files)\tbytes=\(use.bytes)")
        }
        if unreadable > 0 { throw ExitCode(1) }
    }
}

extension StreamFileUse {
    var text: String { name.text }
}

extension StreamName {
    /// The value of the stream in the output of commands.
    var text: String {
        switch value {
        case nil: "-"
        case .string(let value)?: value.string
        case let value?: "\(value)"
        }
    }
}
