import ArgumentParser
import FreeholdServer

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "API keys of users. The server may be running.",
        discussion: """
            Examples:
              freehold-server key create /srv/freehold 5f0000000000000000000000 backup-job > key.txt
              freehold-server key list /srv/freehold 5f0000000000000000000000
              freehold-server key disable /srv/freehold 5f0000000000000000000000 5f0000000000000000000001
            """,
        subcommands: [List.self, Create.self, Disable.self, Enable.self, Delete.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists a user's API keys, without their secrets."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String

        func run() async throws {
            for key in try await store.accounts(folder, user: user).keys(of: user) {
                print("\(key.id)\t\(key.isDisabled ? "disabled" : "enabled")\t\(key.name)")
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an API key, and prints it. It can't be shown again later."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String
        @Argument(help: "The key's name.") var name: String

        func run() async throws {
            print(try await store.accounts(folder, user: user).createKey(name, of: user).secret)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Disables an API key. Log-ins by it are refused.")

        @OptionGroup var key: OneKey

        func run() async throws { try await key.accounts().setKey(key.key, of: key.user, isDisabled: true) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Enables an API key again.")

        @OptionGroup var key: OneKey

        func run() async throws { try await key.accounts().setKey(key.key, of: key.user, isDisabled: false) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes an API key.")

        @OptionGroup var key: OneKey

        func run() async throws { try await key.accounts().deleteKey(key.key, of: key.user) }
    }

    struct OneKey: ParsableArguments {
        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String
        @Argument(help: "The key's id.") var key: String

        func accounts() async throws -> any AccountStorage { try await store.accounts(folder) }
    }
}
