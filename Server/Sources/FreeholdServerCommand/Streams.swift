import ArgumentParser
import Foundation
import FreeholdServerStore
import FreeholdSyncCore

struct Streams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Lists the streams with their apps, values, commits, files of devices and bytes.",
        discussion: """
            An app has one stream or, with the access own-stream, one for each user.

            Example: freehold-server streams /srv/freehold
            """
    )

    @Argument(help: "The server's folder, or the address of its database.") var folder: String
    @Option(help: "Only this app.") var app: String?
    @OptionGroup var store: StoreOption

    func run() async throws {
        let found = try await store.documents(folder).uses()
        let mine = found.filter { app == nil || $0.name.app.string == app }
        for use in mine.sorted(by: { ($0.name.app, $0.text) < ($1.name.app, $1.text) }) {
            print("\(use.name.app.string)\t\(use.text)\tcommits=\(use.version)\tfiles=\(use.files)\tbytes=\(use.bytes)")
        }
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
