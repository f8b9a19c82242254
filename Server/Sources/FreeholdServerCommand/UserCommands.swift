import ArgumentParser
import Foundation
import FreeholdServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Users of an app. The server may be running.",
        discussion: """
            Examples:
              freehold-server user list /srv/freehold notes
              freehold-server user create /srv/freehold notes ann@example.org < password.txt
              freehold-server user import /srv/freehold notes users.jsonl --dry-run
              freehold-server user set-data /srv/freehold 5f0000000000000000000000 '{"team": "red"}'
              freehold-server user disable /srv/freehold 5f0000000000000000000000
            """,
        subcommands: [
            List.self, Create.self, Import.self, SetData.self, SetPassword.self, Disable.self, Enable.self,
            Delete.self, LogOut.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the users of an app.")

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String

        func run() async throws {
            let store = try await self.store.accounts(folder)
            let users = try await store.users(of: app)
            // In development mode, the apps of the settings have users, too.
            if users.isEmpty, try await !store.apps().contains(where: { $0.id == app }) {
                throw CommandFailure("There is no app '\(app)' with accounts: 'app list' shows those that there are.")
            }
            for user in users {
                let ways = user.identities.map { identity in
                    identity.provider == "local-userpass"
                        ? identity.name + (identity.isConfirmed ? "" : " (not confirmed)") : identity.provider
                }
                print("\(user.id)\t\(user.isDisabled ? "disabled" : "enabled")\t\(ways.joined(separator: ", "))")
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a user, and prints the user's id. The password is a line of the standard input."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "The email address.") var email: String
        @Option(help: "A JSON object that clients see as the user's custom data.") var customData = "{}"

        func run() async throws {
            guard let password = Password.read() else {
                throw ValidationError("The standard input has no password.")
            }
            let store = try await self.store.accounts(folder)
            let user = try await store.createUser(app: app, email: email, password: password, customData: customData)
            print(user.id)
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports users with their ids: Extended JSON as an array or as lines.",
            discussion: """
                A user has '_id', 'identities' and, optionally, 'custom_data', 'disabled' and 'api_keys', as in the lists of App Services' Admin API. An \
                identity 'local-userpass' can have a 'password_hash' (bcrypt, PBKDF2 or scrypt). Existing users keep their passwords, so an import can be \
                repeated.

                Example: freehold-server user import /srv/freehold notes users.jsonl --dry-run
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "A file, or - for the standard input.") var file: String
        @Flag(help: "Reads and checks, and writes nothing.") var dryRun = false

        func run() async throws {
            let store = try await self.store.accounts(folder)
            guard try await store.apps().contains(where: { $0.id == app }) else {
                throw CommandFailure("There is no app '\(app)' with accounts: 'app list' shows those that there are.")
            }
            let path = file == "-" ? "/dev/stdin" : file
            let outcome = try await UserFile.load(path, into: store, app: app, isDry: dryRun)
            for line in outcome.lines(isDry: dryRun) { print(line) }
        }
    }

    struct SetData: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-data",
            abstract: "Replaces a user's custom data, which rules can read. The user's views change within a second."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String
        @Argument(help: "A JSON object of at most 4 KiB.") var data: String

        func run() async throws { try await store.accounts(folder).setCustomData(data, user: user) }
    }

    struct SetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-password",
            abstract:
                "Replaces a user's password, and ends all log-ins. The password is a line of the standard input."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String

        func run() async throws {
            guard let password = Password.read() else {
                throw ValidationError("The standard input has no password.")
            }
            let store = try await self.store.accounts(folder)
            guard let user = try await store.user(user) else {
                throw CommandFailure("There is no user '\(user)': 'user list' shows an app's users and their ids.")
            }
            try await store.setPassword(password, user: user)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disables a user. It ends all log-ins and refuses new ones."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String

        func run() async throws { try await store.accounts(folder).setDisabled(true, user: user) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Enables a user again.")

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String

        func run() async throws { try await store.accounts(folder).setDisabled(false, user: user) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes a user. The user's documents are kept.")

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String

        func run() async throws { try await store.accounts(folder).deleteUser(user) }
    }

    struct LogOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "log-out",
            abstract: "Ends all log-ins of a user, and their connections."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The user's id.") var user: String

        func run() async throws { try await store.accounts(folder).logOut(user: user) }
    }
}

/// Reads a line of the standard input. On a terminal it prints a prompt, and the input is hidden.
private enum Password {
    /// The settings of the terminal, which are restored if a signal ends the process during the input of a password.
    private nonisolated(unsafe) static var usual = termios()

    static func read() -> String? {
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &usual) == 0 else {
            return readLine(strippingNewline: true)
        }
        StandardStream.error.write("Password: ")
        let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
        let handlers = signals.map { number in
            signal(number) { number in
                tcsetattr(STDIN_FILENO, TCSANOW, &Password.usual)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
            for (number, handler) in zip(signals, handlers) { signal(number, handler) }
            StandardStream.error.write("\n")
        }
        return readLine(strippingNewline: true)
    }
}
