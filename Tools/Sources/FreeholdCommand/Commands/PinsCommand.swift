import ArgumentParser
import Foundation
import Freehold

struct PinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Prints the processes and threads that hold versions of a file.",
        discussion: """
            A version that is held keeps its space from being used again, so that the file grows: by a realm that is never \
            refreshed, a frozen object that is kept. Threads are named as debuggers show them.

            EXAMPLES:
              freehold pins app.realm
              freehold pins app.realm --wait --timeout 60 && echo "none held"
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case table, json }

    @OptionGroup var file: FileOptions
    @Option(help: "The form of the output.") var format = Format.table
    @Flag(help: "Waits until no process holds a version from before now.") var wait = false
    @Option(help: "Seconds to wait at most; then the exit code is 75.") var timeout: Double?

    func validate() throws {
        if timeout != nil && !wait { throw ValidationError("--timeout goes with --wait.") }
        // The range also excludes values that aren't numbers.
        if let timeout, !(0..<1e9).contains(timeout) {
            throw ValidationError("--timeout is a number of seconds from 0 to below 1e9.")
        }
    }

    func run() throws {
        let realm = try file.open()
        let newest = realm.version
        // Otherwise, the list would contain the version of this process.
        realm.invalidate()
        if wait { return try waitUntilFree(realm, newest) }
        let pins = PinnedReader.others(of: realm)
        switch format {
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try StandardOutput.shared.write(try encoder.encode(pins))
            try StandardOutput.shared.line("")
        case .table:
            if pins.isEmpty {
                return try StandardOutput.shared.line("no process holds a version; the newest is \(newest)")
            }
            var table = TextTable(
                ["Version", "Behind", "Process", "Name", "Thread"],
                isNumber: [true, true, true, false, false]
            )
            for pin in pins {
                try table.add([
                    "\(pin.version)", "\(newest - min(pin.version, newest))", "\(pin.process)", pin.name ?? "",
                    "0x\(String(pin.thread, radix: 16))",
                ])
            }
            try table.finish()
        }
    }

    private func waitUntilFree(_ realm: Realm, _ newest: UInt64) throws {
        let start = ContinuousClock.now
        while true {
            let old = PinnedReader.others(of: realm).filter { $0.version < newest }
            if old.isEmpty { return Progress.clear() }
            let processes = Set(old.map { "\($0.name ?? "process") \($0.process)" }).sorted().joined(separator: ", ")
            if let timeout, ContinuousClock.now - start > .seconds(timeout) {
                throw Failure(.busy, "\(file.file): versions before \(newest) are held by \(processes)")
            }
            Progress.show("waiting for \(processes)")
            usleep(100_000)
        }
    }
}
