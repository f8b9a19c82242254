import ArgumentParser
import FreeholdServer

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "API keys of users. They work while the server runs, too.",
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
            abstract: "Shows a user's API keys, one a line, without what proves them."
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The user's id.") var user: String

        func run() async throws {
            for key in try await AccountStore.existing(folder, user: user).keys(of: user) {
                print("\(key.id)\t\(key.isDisabled ? "disabled" : "enabled")\t\(key.name)")
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an API key, and prints it. It can't be shown again later."
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The user's id.") var user: String
        @Argument(help: "The key's name.") var name: String

        func run() async throws {
            print(try await AccountStore.existing(folder, user: user).createKey(name, of: user).secret)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lets an API key log in no more.")

        @OptionGroup var key: OneKey

        func run() async throws { try await key.store.setKey(key.key, of: key.user, isDisabled: true) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lets an API key log in again.")

        @OptionGroup var key: OneKey

        func run() async throws { try await key.store.setKey(key.key, of: key.user, isDisabled: false) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes an API key.")

        @OptionGroup var key: OneKey

        func run() async throws { try await key.store.deleteKey(key.key, of: key.user) }
    }

    struct OneKey: ParsableArguments {
        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The user's id.") var user: String
        @Argument(help: "The key's id.") var key: String

        var store: AccountStore { get throws { try AccountStore.existing(folder) } }
    }
}

extension AccountStore {
    /// Opens the accounts in an existing folder, and checks that a user exists.
    ///
    /// - Throws: `CommandFailure` if the user doesn't exist, `ValidationError` if the folder doesn't exist.
    fileprivate static func existing(_ folder: String, user: String) async throws -> AccountStore {
        let store = try existing(folder)
        guard try await store.user(user) != nil else {
            throw CommandFailure("There is no user '\(user)': 'user list' shows an app's users and their ids.")
        }
        return store
    }
}
