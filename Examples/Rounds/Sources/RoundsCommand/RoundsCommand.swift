import ArgumentParser
import Foundation
import RoundsKit

/// The rounds of inspectors, with or without a network.
@main struct RoundsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rounds",
        abstract: "Records visits of sites, and syncs them with a server.",
        discussion: "Only login and sync need a network. All other commands work on the file of the device.",
        subcommands: [
            LogIn.self, LogOut.self, Follow.self, Unfollow.self, Sites.self, Add.self, Visit.self, Find.self,
            Close.self, Findings.self, Sync.self, Status.self, Lost.self,
        ]
    )
}

/// The options of all commands.
struct DeviceOptions: ParsableArguments {
    @Option(help: "The folder of the device. The default is ROUNDS_FOLDER in the environment, or ~/.rounds.")
    var folder: String?

    var url: URL {
        let path = folder ?? ProcessInfo.processInfo.environment["ROUNDS_FOLDER"]
        if let path { return URL(fileURLWithPath: path, isDirectory: true) }
        return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".rounds", isDirectory: true)
    }

    func device(address: String? = nil) throws -> Device { try Device(folder: url, address: address) }
}

struct LogIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Logs in. The password is ROUNDS_PASSWORD in the environment, or a line of the standard input."
    )

    @Argument(help: "The address of the account.") var email: String
    @Option(help: "The server, such as https://sync.example.org.") var server: String
    @Flag(help: "Creates the account first.") var register = false
    @OptionGroup var options: DeviceOptions

    func run() async throws {
        let password = ProcessInfo.processInfo.environment["ROUNDS_PASSWORD"] ?? readLine() ?? ""
        let device = try options.device(address: server)
        try await device.logIn(email: email, password: password, registers: register)
        print("Logged in as \(try device.userID).")
    }
}

struct LogOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "logout", abstract: "Ends the log-in.")
    @OptionGroup var options: DeviceOptions

    func run() async throws { try await options.device().logOut() }
}

struct Follow: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Subscribes to districts, or lists them.")
    @Argument(help: "The districts.") var districts: [String] = []
    @OptionGroup var options: DeviceOptions

    func run() throws {
        let device = try options.device()
        for district in districts { try device.follow(district) }
        print("Districts: \(try device.districts().joined(separator: ", "))")
    }
}

struct Unfollow: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes a district from the device.")
    @Argument(help: "The district.") var district: String
    @OptionGroup var options: DeviceOptions

    func run() throws { try options.device().unfollow(district) }
}

struct Sites: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the sites.")
    @OptionGroup var options: DeviceOptions

    func run() throws {
        for site in try options.device().sites() {
            let reading = site.reading.map { ", reading \($0)" } ?? ""
            print("\(site.code)  \(site.name), \(site.district): \(site.visits) visits\(reading)")
            for note in site.notes { print("    \(note)") }
        }
    }
}

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Creates a site. The server permits it to supervisors.")
    @Argument(help: "The code on the door.") var code: String
    @Argument(help: "The name.") var name: String
    @Option(help: "The district.") var district: String
    @OptionGroup var options: DeviceOptions

    func run() throws { try options.device().addSite(code, name: name, district: district) }
}

struct Visit: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Records a visit of a site.")
    @Argument(help: "The code of the site.") var code: String
    @Option(help: "The reading of the meter.") var reading: Double?
    @Option(help: "A note.") var note: String?
    @Option(help: "The name under a note.") var author = "inspector"
    @OptionGroup var options: DeviceOptions

    func run() throws { try options.device().visit(code, reading: reading, note: note, author: author) }
}

struct Find: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Records a defect, and prints its key.")
    @Argument(help: "The code of the site.") var code: String
    @Argument(help: "The description.") var text: String
    @OptionGroup var options: DeviceOptions

    func run() throws { print(try options.device().find(text, at: code)) }
}

struct Close: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Closes a finding. The server permits it to its author.")
    @Argument(help: "The key of the finding.") var id: String
    @OptionGroup var options: DeviceOptions

    func run() throws { try options.device().close(id) }
}

struct Findings: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the findings.")
    @OptionGroup var options: DeviceOptions

    func run() throws {
        for finding in try options.device().findings() {
            let state = (finding.isOpen ? "open" : "closed") + (finding.isMine ? ", mine" : "")
            print("\(finding.id)  \(finding.site): \(finding.text) (\(state))")
        }
    }
}

struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Uploads the work of the device, and downloads the changes of its districts.",
        discussion: "The exit status is 2 if the server refused a part of the work, and 1 if the sync failed."
    )
    @Option(help: "The seconds after which the sync gives up.") var seconds = 30
    @OptionGroup var options: DeviceOptions

    func run() async throws {
        let report = try await options.device().sync(within: .seconds(seconds))
        if report.wasReset {
            print("The server was restored or replaced. Your work was applied to its present state.")
        }
        print("Uploaded \(report.uploaded), changed: \(list(report.changed)), removed: \(list(report.removed))")
        for problem in report.problems { print("The server reports: \(problem)") }
        for refusal in report.refusals {
            print("Refused: \(refusal.className) \(refusal.key), \(refusal.reason).")
        }
        if !report.refusals.isEmpty {
            print("The device shows the server's state. `rounds lost` shows the refused work.")
            throw ExitCode(2)
        }
    }

    private func list(_ codes: [String]) -> String { codes.isEmpty ? "none" : codes.joined(separator: " ") }
}

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows the work that waits, and the refused work.")
    @OptionGroup var options: DeviceOptions

    func run() throws {
        let status = try options.device().status()
        print("\(status.waiting) transactions wait for the next sync. \(status.lost) changes were refused.")
    }
}

struct Lost: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows the refused work, as lines of JSON.")
    @OptionGroup var options: DeviceOptions

    func run() throws { for line in try options.device().lostWork() { print(line) } }
}
