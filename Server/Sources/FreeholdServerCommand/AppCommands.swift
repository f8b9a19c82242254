import ArgumentParser
import Foundation
import FreeholdServer

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract:
            "Apps that keep accounts. A server that runs follows within a second.",
        discussion: """
            Examples:
              freehold-server app create /srv/freehold notes --email-password mail --access everyone
              freehold-server app set /srv/freehold notes --access nobody --adopt-schemas on
              freehold-server app list /srv/freehold
              freehold-server app delete /srv/freehold notes
            """,
        subcommands: [Create.self, Set.self, List.self, Delete.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes an app.")

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id, which clients name.") var id: String
        @Flag(help: "Permits anonymous log-ins.") var anonymous = false
        @Option(
            help: "Lets everybody register by email and password: auto-confirm, or mail, which has to be confirmed."
        )
        var emailPassword: String?
        @Option(help: "The users that read and write the app: nobody, everyone (all of it), own-stream.")
        var access = "nobody"

        func run() async throws {
            guard let access = NodeApp.Access(rawValue: access) else {
                throw ValidationError("--access must be nobody, everyone or own-stream.")
            }
            guard let kind = AccountApp.EmailPassword(rawValue: emailPassword ?? "closed") else {
                throw ValidationError("--email-password is auto-confirm or mail.")
            }
            let app = AccountApp(id: id, allowsAnonymous: anonymous, emailPassword: kind, access: access)
            try await AccountStore.existing(folder).createApp(app)
            print("App \(id) was created.")
            if access == .nobody { print("No user may read or write its documents: see --access.") }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes an app. What isn't named stays.",
            discussion: "Example: freehold-server app set /srv/freehold notes --adopt-schemas on"
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var id: String
        @Option(help: "on permits anonymous log-ins, and off refuses them.") var anonymous: String?
        @Option(help: "The registration by email and password: auto-confirm, mail or closed.")
        var emailPassword: String?
        @Option(help: "The users that read and write an app without rules: nobody, everyone, own-stream.")
        var access: String?
        @Option(
            help: "on: takes clients' new classes and properties over (development mode). off: refuses them by name."
        )
        var adoptSchemas: String?

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
                    throw ValidationError("--email-password is auto-confirm, mail or closed.")
                }
                return kind
            }
            let store = try AccountStore.existing(folder)
            try await store.changeApp(id) { app in
                app.allowsAnonymous = anonymous ?? app.allowsAnonymous
                app.emailPassword = kind ?? app.emailPassword
                app.access = access ?? app.access
            }
            if let adopts { try await store.changeDocuments(of: id) { $0.adoptsSchemas = adopts } }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows the apps, one a line.")

        @Argument(help: "The server's folder.") var folder: String

        func run() async throws {
            let apps = try await AccountStore.existing(folder).apps()
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

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes an app and all its users. Its documents stay in the folder's 'sync'."
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var id: String

        func run() async throws {
            try await AccountStore.existing(folder).deleteApp(id)
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
