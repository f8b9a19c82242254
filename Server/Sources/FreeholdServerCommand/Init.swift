import ArgumentParser
import Foundation
import FreeholdServer

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Creates a folder with settings, and a secret that signs tokens; or prepares a database.",
        discussion: """
            With --store and without a folder, it creates the tables, an app, and a file with the secret that all servers of the database need.

            Examples:
              freehold-server init /srv/freehold --app notes --access own-stream
              freehold-server init --store postgresql://freehold@db/freehold --app notes --secret-file accounts.secret
            """
    )

    @Argument(help: "The folder. Existing files are kept. With --store it can be omitted.") var folder: String
    @Option(help: "The app's name.") var app = "app"
    @Option(
        help:
            "The users that read and write: nobody, everyone (each user the whole app), own-stream (each user the stream of that name)."
    )
    var access = "nobody"
    @Option(help: "Without a folder: a file for the secret. An existing file is kept.") var secretFile: String?
    @OptionGroup var store: StoreOption

    func validate() throws {
        guard NodeApp.Access(rawValue: access) != nil else {
            throw ValidationError("--access must be nobody, everyone or own-stream.")
        }
        guard AccountApp.isID(app) else {
            throw ValidationError("An app's name has 1 to 64 letters, digits, '-' and '_'.")
        }
    }

    func run() async throws {
        guard store.local(folder) != nil else { return try await prepareDatabase() }
        let address = try store.address(folder)
        if address != nil { _ = try await store.accounts(folder) }
        try makeFolder(address)
    }

    /// Creates the tables, the app and the secret.
    private func prepareDatabase() async throws {
        let accounts = try await store.accounts(folder)
        if try await accounts.app(app) == nil {
            try await accounts.createApp(AccountApp(id: app, access: NodeApp.Access(rawValue: access) ?? .nobody))
        }
        if let secretFile { try ServerSecret.make(at: secretFile) }
        print("The database has the tables, and the app '\(app)'.")
        print(
            "Secret: \(secretFile ?? "a text of at least 32 bytes in FREEHOLD_ACCOUNTS_SECRET"), the same for all servers"
        )
        let variable = secretFile.map { "FREEHOLD_ACCOUNTS_SECRET_FILE=\($0) " } ?? ""
        print("Start:  \(variable)freehold-server serve --store …")
        print("Users:  freehold-server app set --store … \(app) --email-password auto-confirm --access everyone")
    }

    /// Creates the folder with the settings and the secret of tokens. Existing files aren't changed.
    ///
    /// - Parameter address: The address of the database that the server uses. `nil` for files.
    private func makeFolder(_ address: String?) throws {
        let files = FileManager.default
        let (settings, secret) = ("\(folder)/\(SettingsReader.fileName)", "\(folder)/token.secret")
        guard !files.fileExists(atPath: settings) else {
            throw ValidationError("\(settings) exists already. Change it with an editor.")
        }
        try files.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try ServerSecret.make(at: secret)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = try encoder.encode(
            File(
                host: "127.0.0.1",
                port: 7_700,
                admin: File.Admin(host: "127.0.0.1", port: 7_701),
                apps: [app],
                app: [app: File.App(access: access)],
                // An address with a password isn't written to the settings.
                store: address.flatMap { StoreAddress.withoutPassword($0) == $0 ? $0 : nil },
                tokens: File.Tokens(secretFile: "token.secret")
            )
        )
        try (text + Data("\n".utf8)).write(to: URL(filePath: settings), options: .withoutOverwriting)
        print("Settings: \(settings)")
        print("Tokens:   HS256, signed with the text in \(secret)")
        print("Start:    freehold-server serve \(folder)")
        print("Try it:   freehold-server serve \(folder) --development")
        guard access == "nobody" else { return }
        print("Without --development, no user may read or write the app '\(app)' or register before:")
        print("          freehold-server app create \(folder) \(app) --email-password auto-confirm --access everyone")
    }

    private struct File: Encodable {
        struct Admin: Encodable { let host: String, port: Int }
        struct App: Encodable { let access: String }
        struct Tokens: Encodable { let secretFile: String }
        let host: String
        let port: Int
        let admin: Admin
        let apps: [String]
        let app: [String: App]
        let store: String?
        let tokens: Tokens
    }
}
