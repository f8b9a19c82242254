import ArgumentParser
import Foundation
import FreeholdServer

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a folder with settings, and a secret that signs tokens.",
        discussion: "Example: freehold-server init /srv/freehold --app notes --access own-stream"
    )

    @Argument(help: "The folder. What is in it stays.") var folder: String
    @Option(help: "The app's name.") var app = "app"
    @Option(
        help:
            "The users that read and write: nobody, everyone (each user the whole app), own-stream (each user the stream of that name)."
    )
    var access = "nobody"

    func validate() throws {
        guard NodeApp.Access(rawValue: access) != nil else {
            throw ValidationError("--access must be nobody, everyone or own-stream.")
        }
        guard AccountApp.isID(app) else {
            throw ValidationError("An app's name has 1 to 64 letters, digits, '-' and '_'.")
        }
    }

    func run() async throws {
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
        let bytes = (0..<48).map { _ in UInt8.random(in: .min ... .max) }
        // Only the owner may read the file.
        guard
            files.createFile(
                atPath: secret,
                contents: Data((Data(bytes).base64EncodedString() + "\n").utf8),
                attributes: [.posixPermissions: 0o600]
            )
        else { throw ValidationError("\(secret) can't be written.") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = try encoder.encode(
            File(
                host: "127.0.0.1",
                port: 7_700,
                admin: File.Admin(host: "127.0.0.1", port: 7_701),
                apps: [app],
                app: [app: File.App(access: access)],
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
        let tokens: Tokens
    }
}
