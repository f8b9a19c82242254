import ArgumentParser
import Foundation
import FreeholdHTTP
import FreeholdServer
import FreeholdServerStudio
import FreeholdStudioServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

struct StudioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio",
        abstract: "Shows a running server in the browser: sessions, refused writes, logs, users, documents and rules.",
        discussion: """
            The page is served on this machine only. It asks the administrator's port of the server, which listens on loopback, with a key that is \
            derived from the secret of the folder. Without --write, nothing changes. The program ends at Control-C, and ten minutes after the last page \
            was closed.

            Examples:
              freehold-server studio /srv/freehold
              freehold-server studio /srv/freehold --write

            For a server on another machine, forward its administrator's port, and store the key that '--print-key' prints there in a file:
              ssh -L 7701:127.0.0.1:7701 server.example.org
              freehold-server studio http://127.0.0.1:7701 --key-file server.key
            """
    )

    @Argument(help: "The server's folder, the address of its database, or http://127.0.0.1:PORT.") var folder: String
    @OptionGroup var store: StoreOption
    @Flag(help: "Allows changes.") var write = false
    @Option(help: "A file with the administrator's key, for an address.") var keyFile: String?
    @Flag(help: "Prints the administrator's key, and ends.") var printKey = false
    @Option(help: "The port of the page on 127.0.0.1. Without it, a free one is chosen.") var port = 0
    @Flag(help: "Doesn't open the browser.") var noOpen = false
    @Flag(help: "Doesn't end when no page is open.") var stay = false
    @Option(help: "The time zone of dates, such as Europe/Berlin.") var timeZone: String?
    @Option(
        help: ArgumentHelp(
            "The folder of the backups that the page lists and makes. It isn't in the server's folder. Without it, the page has no backups.",
            valueName: "folder"
        )
    ) var backups: String?
    @Option(help: .hidden) var page: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
        if let timeZone, TimeZone(identifier: timeZone) == nil {
            throw ValidationError("There is no time zone '\(timeZone)'.")
        }
        guard backups == nil || !isAddress else {
            throw ValidationError("--backups needs the server's folder: start Studio on the server's machine.")
        }
    }

    func run() async throws {
        var options = try await isAddress ? remote() : local()
        if printKey { return print(options.key.text) }
        (options.isWritable, options.timeZone) = (write, timeZone)
        // A write to a connection that the page has closed must not end the program.
        signal(SIGPIPE, SIG_IGN)
        let folder = try PrivateFolder()
        defer { folder.remove() }
        try await StudioRun.run(
            ServerHost(options),
            port: port,
            page: page,
            opensBrowser: !noOpen,
            stays: stay,
            folder: folder
        )
    }

    private var isAddress: Bool { folder.hasPrefix("http://") || folder.hasPrefix("https://") }

    private func local() async throws -> ServerHost.Options {
        let access = try await AdministratorAccess(folder, store)
        var options = ServerHost.Options(
            host: access.host,
            port: access.port,
            key: access.key,
            name: store.local(folder).map { URL(filePath: $0).lastPathComponent } ?? "PostgreSQL",
            folder: store.local(folder) ?? "--store …",
            administrator: AdministratorAccess.administrator
        )
        options.backups = try serverBackups()
        return options
    }

    /// Returns the backups of the server's folder, or `nil` without the option.
    private func serverBackups() throws -> ServerBackups? {
        guard let backups else { return nil }
        guard let folder = store.local(folder) else {
            throw ValidationError("--backups needs the server's folder. Back up a database with its own tools.")
        }
        let target = FilePaths.real(FilePaths.absolute(backups))
        let source = FilePaths.real(FilePaths.absolute(folder))
        guard !FilePaths.contains(source, target) else {
            throw ValidationError("\(backups) is in the server's folder, which is copied. Name a folder outside of it.")
        }
        guard URL(filePath: source).deletingLastPathComponent().path != target else {
            throw ValidationError("\(backups) has the server's folder. Name a folder that has backups only.")
        }
        return ServerBackups(folder: target, hasDocuments: try !store.isElsewhere(folder)) { target in
            try FolderCopy(from: folder, to: target).run()
        }
    }

    /// Returns the options for a server whose port is forwarded to this machine. The key would otherwise be sent over a network without encryption.
    private func remote() throws -> ServerHost.Options {
        guard let components = URLComponents(string: folder), components.scheme == "http",
            let host = components.host, Loopback.contains(Loopback.bare(host)), let port = components.port,
            components.path.isEmpty || components.path == "/", components.query == nil, components.user == nil
        else {
            throw ValidationError(
                "An address is http://127.0.0.1:PORT. Forward the port of another machine: ssh -L 7701:127.0.0.1:7701 MACHINE"
            )
        }
        guard let keyFile else {
            throw ValidationError("An address needs --key-file: see 'studio FOLDER --print-key'.")
        }
        try ServerSecret.checkMode(of: keyFile)
        let text = try? String(contentsOfFile: keyFile, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = text.flatMap({ AdministratorKey(text: $0) }) else {
            throw ValidationError("\(keyFile) holds no key: it has 64 hexadecimal digits.")
        }
        return ServerHost.Options(
            host: Loopback.bare(host),
            port: port,
            key: key,
            name: ServerSettings.authority(host, port),
            folder: "FOLDER",
            administrator: AdministratorAccess.administrator
        )
    }
}
