import ArgumentParser
import Foundation
import FreeholdStudio
import FreeholdStudioServer

@main struct FreeholdStudioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freehold-studio",
        abstract: "Shows Freehold's files in the browser, also while other programs write them.",
        discussion: """
            The page is served on this machine only, and opens in the browser. Without --write, nothing of a file changes. \
            The program ends at Control-C, and ten minutes after the last page was closed.

            EXAMPLES:
              freehold studio app.realm
              freehold studio app.realm --write
              freehold studio --no-open --port 7001 app.realm    (then ssh -L 7001:127.0.0.1:7001)
            """,
        version: StudioProgram.version
    )

    @Argument(help: "The files. Without files, the page lists the last ones.", completion: .file())
    var files: [String] = []
    @Flag(help: "Allows changes of files.") var write = false
    @Option(
        help: "A file with the key of encrypted files: 64 bytes, or their text in hexadecimal digits or base64.",
        completion: .file()
    ) var encryptionKeyFile: String?
    @Option(help: "The port on 127.0.0.1. Without it, a free one is chosen.") var port = 0
    @Flag(help: "Doesn't open the browser.") var noOpen = false
    @Flag(help: "Doesn't end when no page is open.") var stay = false
    @Option(help: "The time zone of dates, such as Europe/Berlin.") var timeZone: String?
    @Flag(help: "Remembers no files, and reads no remembered ones.") var noHistory = false
    @Option(help: .hidden) var page: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
        if let timeZone, TimeZone(identifier: timeZone) == nil {
            throw ValidationError("There is no time zone '\(timeZone)'.")
        }
        for file in files where !FileManager.default.fileExists(atPath: file) {
            throw ValidationError("\(file): there is no such file.")
        }
    }

    static func main() async {
        umask(0o077)
        // A page that closes its connection ends no program.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            exit(withError: error)
        }
    }

    func run() async throws {
        let folder = try PrivateFolder()
        defer { folder.remove() }
        var options = StudioOptions(temporaryFolder: folder.path)
        options.files = files
        options.isWritable = write
        options.timeZone = timeZone
        options.statePath = noHistory ? nil : Self.statePath
        if let encryptionKeyFile {
            guard let content = FileManager.default.contents(atPath: encryptionKeyFile), content.count <= 4_096 else {
                throw ValidationError("\(encryptionKeyFile): the key can't be read.")
            }
            options.key = Array(content)
        }
        try await StudioRun.run(
            StudioProgram(options),
            port: port,
            page: page,
            opensBrowser: !noOpen,
            stays: stay,
            folder: folder
        )
    }

    private static var statePath: String {
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
            + "/.local/state"
        return base + "/freehold/studio.json"
    }
}
