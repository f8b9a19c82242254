import ArgumentParser
import Foundation
import FreeholdServer

#if PostgreSQL
    import FreeholdPostgresStore
#endif

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "The store of documents itself.",
        subcommands: [Restored.self]
    )

    struct Restored: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a restored database another history, while no server runs.",
            discussion: """
                Clients that have later work than the backup notice the other history: they load the state again, and send the work that it lacks. Without this
                command they could take the restored state for the one that they know.

                Example: freehold-server store restored /srv/freehold --store postgresql://freehold@db/freehold
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption

        func run() async throws {
            #if PostgreSQL
                guard let address = try store.address(folder) else {
                    throw ValidationError(
                        "The documents of \(folder) aren't in PostgreSQL. 'restore' makes a folder of a backup."
                    )
                }
                let database = try await StoreOption.open(address, secretOf: folder, isRestored: true)
                defer { database.close() }
                let count = try await database.wasRestored()
                print("\(count) streams have another history.")
            #else
                throw StoreOption.missing
            #endif
        }
    }
}
