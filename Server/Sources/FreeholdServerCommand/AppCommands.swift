import ArgumentParser
import Foundation
import FreeholdServer

#if PostgreSQL
    import FreeholdPostgresAccounts
    import FreeholdPostgresStore
#endif

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract:
            "Apps with accounts. A running server applies changes within a second.",
        discussion: """
            Examples:
              freehold-server app create /srv/freehold notes --email-password mail --access everyone
              freehold-server app set /srv/freehold notes --access nobody --adopt-schemas on
              freehold-server app list /srv/freehold
              freehold-server app delete /srv/freehold notes
            """,
        subcommands: [Create.self, Set.self, List.self, Delete.self, Copy.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Creates an app.")

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id, which clients name.") var id: String
        @Flag(help: "Permits anonymous log-ins.") var anonymous = false
        @Option(
            help:
                "Permits registration by email and password: auto-confirm, mail (the user has to confirm), or hook (the hook 'confirm' decides)."
        )
        var emailPassword: String?
        @Option(help: "The users that read and write the app: nobody, everyone (all of it), own-stream.")
        var access = "nobody"

        func run() async throws {
            guard let access = NodeApp.Access(rawValue: access) else {
                throw ValidationError("--access must be nobody, everyone or own-stream.")
            }
            guard let kind = AccountApp.EmailPassword(rawValue: emailPassword ?? "closed") else {
                throw ValidationError("--email-password is auto-confirm, mail or hook.")
            }
            let app = AccountApp(id: id, allowsAnonymous: anonymous, emailPassword: kind, access: access)
            try await store.accounts(folder).createApp(app)
            print("App \(id) was created.")
            if access == .nobody { print("No user may read or write its documents: see --access.") }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes an app. Settings that aren't named are kept.",
            discussion: "Example: freehold-server app set /srv/freehold notes --adopt-schemas on"
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @Argument(help: "The app's id.") var id: String
        @Option(help: "on permits anonymous log-ins, and off refuses them.") var anonymous: String?
        @Option(help: "The registration by email and password: auto-confirm, mail, hook or closed.")
        var emailPassword: String?
        @Option(help: "The users that read and write an app without rules: nobody, everyone, own-stream.")
        var access: String?
        @Option(
            help: "on: adopts clients' new classes and properties (development mode). off: refuses them by name."
        )
        var adoptSchemas: String?
        @Option(
            help: "json: also stores documents in PostgreSQL as JSON, which SQL can read. off: removes the JSON."
        )
        var sql: String?
        @OptionGroup var store: StoreOption

        private static func isOn(_ text: String?, _ name: String) throws -> Bool? {
            guard let text else { return nil }
            guard text == "on" || text == "off" else { throw ValidationError("\(name) is on or off.") }
            return text == "on"
        }

        func run() async throws {
            let anonymous = try Self.isOn(anonymous, "--anonymous")
            let adopts = try Self.isOn(adoptSchemas, "--adopt-schemas")
            let access = try access.map { text -> NodeApp.Access in
                guard let access = NodeApp.Access(rawValue: text) else {
                    throw ValidationError("--access must be nobody, everyone or own-stream.")
                }
                return access
            }
            let kind = try emailPassword.map { text -> AccountApp.EmailPassword in
                guard let kind = AccountApp.EmailPassword(rawValue: text) else {
                    throw ValidationError("--email-password is auto-confirm, mail, hook or closed.")
                }
                return kind
            }
            guard sql.map({ ["json", "off"].contains($0) }) ?? true else {
                throw ValidationError("--sql is json or off.")
            }
            let accounts = try await store.accounts(folder)
            try await accounts.changeApp(id) { app in
                app.allowsAnonymous = anonymous ?? app.allowsAnonymous
                app.emailPassword = kind ?? app.emailPassword
                app.access = access ?? app.access
            }
            if let adopts { try await accounts.changeDocuments(of: id) { $0.adoptsSchemas = adopts } }
            if let sql {
                try await SQLSwitch(folder: folder, app: id, accounts: accounts, store: store).turn(sql == "json")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the apps.")

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption

        func run() async throws {
            let apps = try await store.accounts(folder).apps()
            if apps.isEmpty {
                Failure.note("No app keeps accounts: 'app create' makes one. Apps of the settings aren't shown.")
            }
            for app in apps {
                print(
                    "\(app.id)\temail-password=\(app.emailPassword.rawValue)\t"
                        + "anonymous=\(app.allowsAnonymous ? "yes" : "no")\taccess=\(app.access.rawValue)"
                )
            }
        }
    }

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies the apps, users and log-ins of a folder into a database without apps.",
            discussion: """
                Stop the server before. Log-ins, keys and passwords stay valid if the servers of the database have the folder's accounts.secret.

                Example: freehold-server app copy /srv/freehold --store postgresql://freehold@db/freehold
                """
        )

        @Argument(help: "The server's folder.") var folder: String
        @OptionGroup var store: StoreOption

        func run() async throws {
            #if PostgreSQL
                guard store.local(folder) != nil, let address = try store.address(folder) else {
                    throw ValidationError("Name a folder, and a database by --store.")
                }
                let file = try AccountStore.existing(folder)
                var options = PostgresStore.Options(address: address)
                (options.writers, options.readers, options.patience) = (1, 1, 600_000)
                let users = try await PostgresAccountStore.open(options).copy(file)
                print(
                    "\(users) users were copied. The folder keeps its accounts, which servers of the database don't use."
                )
            #else
                throw StoreOption.missing
            #endif
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes an app and all its users. Its documents are kept."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var id: String

        func run() async throws {
            try await store.accounts(folder).deleteApp(id)
            print("App \(id) was deleted.")
        }
    }
}

extension AccountStore {
    /// Opens the accounts in an existing folder.
    ///
    /// - Throws: `ValidationError` if the folder doesn't exist.
    static func existing(_ folder: String) throws -> AccountStore {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw ValidationError("There is no folder \(folder).")
        }
        return try AccountStore(at: folder)
    }
}
