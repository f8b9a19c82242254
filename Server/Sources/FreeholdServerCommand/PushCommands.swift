import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdServer

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract:
            "Devices that registered for push messages. The server stores them, and a program of yours sends messages.",
        discussion: """
            Example:
              freehold-server push list /srv/freehold notes
            """,
        subcommands: [List.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the registrations as lines of JSON, the oldest first.",
            discussion: "Example: freehold-server push list /srv/freehold notes --user 5f0000000000000000000000"
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Option(help: "A user's id. Without it, all users' devices are listed.") var user: String?

        func run() async throws {
            let store = try await self.store.accounts(folder)
            guard try await store.apps().contains(where: { $0.id == app }) else {
                throw CommandFailure("There is no app '\(app)' with accounts: 'app list' shows those that there are.")
            }
            for device in try await store.pushRegistrations(of: app, user: user) {
                let line: BSONDocument = [
                    "user": .string(device.user), "service": .string(device.service), "token": .string(device.token),
                    "created": BSONDateTime(device.created).map { .datetime($0) } ?? .null,
                ]
                print(try line.extendedJSON())
            }
        }
    }
}
